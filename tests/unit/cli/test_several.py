"""Several runs: profiles and documents that they share, and what would be lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import profiled
import pytest

from pdt_annotate import profiles
from pdt_annotate.cli.load import Run
from pdt_annotate.cli.several import _Settling, join_outcomes, save_together
from pdt_annotate.inputs.target import parse
from pdt_annotate.profiles import Profile
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, MendAdvice, Outcome, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Closure, SpecSource
from pdt_annotate.values.slots import Finding, Owner


def options(root: Path, save_profile: Path | str) -> Options:
    return Options((parse("a:A"),), SpecSource(args=("1",)), str(root), save_profile=str(save_profile))


@pytest.fixture
def seen(tmp_path: Path) -> list[Profile]:
    modules = profiled.write(tmp_path, {"model.py": profiled.MODEL})
    observed = profiled.observe(modules["model"])
    return [profiled.profile_of(tmp_path, modules, observed, run=run) for run in ("r1", "r2", "r3")]


def test_nothing_is_saved_that_was_not_asked_for(tmp_path: Path) -> None:
    with save_together([options(tmp_path, ""), options(tmp_path, tmp_path / "p")]) as aside:
        assert aside[0].save_profile == ""
    assert not list(tmp_path.iterdir())


def test_what_is_no_profile_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("notes")
    with pytest.raises(UserError, match="no profile"), save_together([options(tmp_path, tmp_path / "p")]):
        raise AssertionError("it ran")


def test_each_file_gets_what_its_runs_saved(tmp_path: Path, seen: list[Profile]) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with save_together([options(tmp_path, file) for file in (one, two, one)]) as aside:
        assert len({each.save_profile for each in aside}) == 3
        for each, profile in zip(aside, seen, strict=True):
            profiles.save(each.save_profile, profile)
        assert not one.exists()
    assert profiles.load([str(one)]) == profiles.merge([seen[0], seen[2]])
    assert profiles.load([str(two)]) == seen[1]


def test_what_was_observed_before_an_interrupt_is_kept(tmp_path: Path, seen: list[Profile]) -> None:
    file = tmp_path / "one"
    with pytest.raises(KeyboardInterrupt), save_together([options(tmp_path, file)] * 2) as aside:
        profiles.save(aside[0].save_profile, seen[0])
        raise KeyboardInterrupt
    assert profiles.load([str(file)]) == seen[0]


ROOT = "/project"


def outcome(*changed: str, reads: tuple[str, ...] = (), verified: bool = True, root: str = ROOT) -> Outcome:
    changes = tuple(FileChange(f"{ROOT}/{name}", b"", b"#") for name in changed)
    closure = Closure(frozenset(f"{ROOT}/{name}" for name in reads))
    return Outcome((), root, changes, verified=verified, closure=closure)


def settle(tmp_path: Path, first: Outcome, second: Outcome, **given: Any) -> None:
    asked = replace(options(tmp_path, ""), **given)
    settling = _Settling([Run(asked, {}), Run(asked, {})])
    settling(asked, first)
    settling(asked, second)


class TestSharedFiles:
    """Two runs that annotate one file in different ways, where the second does not see what the first wrote."""

    one = outcome("a.py")
    two = replace(one, changes=(FileChange(f"{ROOT}/a.py", b"", b"# other"),))

    def test_a_stub_is_not_replaced(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="typings has another version of"):
            settle(tmp_path, self.one, self.two, write_back=WriteBack.STUBS, stubs="typings")
        settle(tmp_path, self.one, self.one, write_back=WriteBack.STUBS, stubs="typings")
        settle(tmp_path, replace(self.one, verified=False), self.two, write_back=WriteBack.STUBS, stubs="typings")

    def test_a_module_of_an_overlay_is_not_replaced(self, tmp_path: Path) -> None:
        first, second = (
            replace(outcome(), overlaid=(Overlaid("lib", FileChange("/site/lib.py", b"", after)),))
            for after in (b"#", b"# other")
        )
        with pytest.raises(UserError, match="kept has another version of"):
            settle(tmp_path, first, second, overlay="kept")

    def test_a_diff_is_shown_with_a_note(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        settle(tmp_path, self.one, self.two, write_back=WriteBack.DIFF)
        assert "for several targets: apply one, then ask for the next" in capsys.readouterr().err

    @pytest.mark.parametrize("write_back", [WriteBack.IN_PLACE, WriteBack.CHECK])
    def test_what_is_written_in_place_or_nowhere_is_well(
        self, write_back: WriteBack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        settle(tmp_path, self.one, self.two, write_back=write_back)
        assert capsys.readouterr().err == ""


def test_outcomes_are_joined_without_saying_twice() -> None:
    finding = Finding("PDT001", "said", Place("/project/a.py", 1))
    one, two = (replace(outcome(f"{name}.py"), findings=(finding,)) for name in "ab")
    joined = join_outcomes([one, replace(two, root=f"{ROOT}/sub")])
    assert (joined.changes, joined.findings) == (one.changes + two.changes, (finding,))
    assert (joined.root, joined.verified) == (ROOT, True)
    assert not join_outcomes([one, replace(two, verified=False)]).verified


def test_mends_of_those_that_hold_are_joined_and_so_is_what_would_help() -> None:
    mend = Mend("a", MendKind.FROZEN, Owner(f"{ROOT}/a.py", "f", 1), Place(f"{ROOT}/a.py", 2), "does", {})
    advised = MendAdvice(MendLevel.FROZEN, (mend,), 3, 2)
    holds = replace(outcome("a.py"), mends=(mend,))
    failed = replace(outcome("b.py", verified=False), mends=(mend,), advised=advised)
    joined = join_outcomes([holds, failed, failed])
    assert joined.mends == (mend,)
    assert joined.advised == MendAdvice(MendLevel.FROZEN, (mend, mend), 6, 4)
    assert join_outcomes([holds]).advised is None

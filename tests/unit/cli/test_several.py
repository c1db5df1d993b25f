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
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Finding, Owner


def options(root: Path, save_profile: Path | str) -> Options:
    return Options((parse("a:A"),), SpecSource(args=("1",)), str(root), save_profile=str(save_profile))


@pytest.fixture
def seen(tmp_path: Path) -> list[Profile]:
    modules = profiled.write(tmp_path, {"model.py": profiled.MODEL})
    observed = profiled.observe(modules["model"])
    return [profiled.profile_of(tmp_path, modules, observed, run=run) for run in ("r1", "r2", "r3")]


def test_what_is_no_profile_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with save_together([options(tmp_path, ""), options(tmp_path, tmp_path / "p")]) as aside:
        assert aside[0].save_profile == ""
    assert not list(tmp_path.iterdir())
    (tmp_path / "p").write_text("notes")
    with pytest.raises(UserError, match="no profile"), save_together([options(tmp_path, tmp_path / "p")]):
        raise AssertionError("it ran")


def test_each_file_gets_what_its_runs_saved_also_before_an_interrupt(tmp_path: Path, seen: list[Profile]) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    files = (one, two, one)
    with pytest.raises(KeyboardInterrupt), save_together([options(tmp_path, file) for file in (*files, one)]) as aside:
        assert len({each.save_profile for each in aside}) == 4
        for each, profile in zip(aside, seen, strict=False):
            profiles.save(each.save_profile, profile)
        assert not one.exists()
        raise KeyboardInterrupt
    assert profiles.load([str(one)]) == profiles.merge([seen[0], seen[2]])
    assert profiles.load([str(two)]) == seen[1]


ROOT = "/project"


def outcome(*changed: str, verified: bool = True) -> Outcome:
    changes = tuple(FileChange(f"{ROOT}/{name}", b"", b"#") for name in changed)
    return Outcome((), ROOT, changes, verified=verified)


ONE = outcome("a.py")
TWO = replace(ONE, changes=(FileChange(f"{ROOT}/a.py", b"", b"# other"),))
OVERLAID = [
    replace(outcome(), overlaid=(Overlaid("lib", FileChange("/site/lib.py", b"", after)),)) for after in (b"#", b"# o")
]
STUBS = {"write_back": WriteBack.STUBS, "stubs": "typings"}
NOTE = "for several targets: apply one, then ask for the next"


@pytest.mark.parametrize(
    ("first", "second", "given", "said"),
    [
        (ONE, TWO, STUBS, "error: typings has another version of"),
        (ONE, ONE, STUBS, ""),
        (replace(ONE, verified=False), TWO, STUBS, ""),
        (*OVERLAID, {"overlay": "kept"}, "error: kept has another version of"),
        (ONE, TWO, {"write_back": WriteBack.DIFF}, NOTE),
        (ONE, TWO, {"write_back": WriteBack.IN_PLACE}, ""),
        (ONE, TWO, {"write_back": WriteBack.CHECK}, ""),
    ],
)
def test_two_runs_that_annotate_one_file_where_the_second_does_not_see_what_the_first_wrote(
    first: Outcome,
    second: Outcome,
    given: dict[str, Any],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = replace(options(tmp_path, ""), **given)
    settling = _Settling([Run(asked, {}), Run(asked, {})])
    settling(asked, first)
    if said.startswith("error: "):
        with pytest.raises(UserError, match=said.removeprefix("error: ")):
            settling(asked, second)
    else:
        settling(asked, second)
        told = capsys.readouterr().err
        assert said in told and bool(said) is bool(told)


def test_outcomes_are_joined_without_saying_twice() -> None:
    finding = Finding("PDT001", "said", Place("/project/a.py", 1))
    one, two = (replace(outcome(f"{name}.py"), findings=(finding,)) for name in "ab")
    joined = join_outcomes([one, replace(two, root=f"{ROOT}/sub")])
    assert (joined.changes, joined.findings) == (one.changes + two.changes, (finding,))
    assert (joined.root, joined.verified, joined.advised) == (ROOT, True, None)
    mend = Mend("a", MendKind.FROZEN, Owner(f"{ROOT}/a.py", "f", 1), Place(f"{ROOT}/a.py", 2), "does", {})
    advised = MendAdvice(MendLevel.FROZEN, (mend,), 3, 2)
    failed = replace(two, verified=False, mends=(mend,), advised=advised)
    joined = join_outcomes([replace(one, mends=(mend,)), failed, failed])
    assert (joined.verified, joined.mends) == (False, (mend,)), "those that hold"
    assert joined.advised == MendAdvice(MendLevel.FROZEN, (mend, mend), 6, 4)

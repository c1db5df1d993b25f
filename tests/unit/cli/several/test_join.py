"""Which results depend on each other, and what joins them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pdt_annotate.cli.several.join import find_groups, join_options, join_outcomes
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import TIMEOUT, Options, Returns
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, MendAdvice, Outcome, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Closure, SpecSource
from pdt_annotate.values.slots import Finding, Owner
from pdt_annotate.values.verdicts import Part, Verdict

ROOT = "/project"


def outcome(*changed: str, reads: tuple[str, ...] = (), verified: bool = True, root: str = ROOT) -> Outcome:
    changes = tuple(FileChange(f"{ROOT}/{name}", b"", b"#") for name in changed)
    closure = Closure(frozenset(f"{ROOT}/{name}" for name in reads))
    return Outcome((), root, changes, verified=verified, closure=closure)


class TestGroups:
    @pytest.mark.parametrize(
        "outcomes",
        [
            [],
            [outcome("a.py")],
            [outcome("a.py"), outcome("b.py")],
            [outcome(reads=("a.py",)), outcome(reads=("a.py",))],
            [outcome("a.py", reads=("c.py",)), outcome("b.py", reads=("c.py",))],
            [outcome("a.py"), None, outcome("b.py", reads=("c.py",))],
            [outcome("a.py"), outcome("a.py", verified=False)],
        ],
    )
    def test_those_that_share_nothing_that_changes_stay_apart(self, outcomes: list[Outcome | None]) -> None:
        assert find_groups(outcomes) == tuple((index,) for index in range(len(outcomes)))

    def test_one_that_reads_what_another_changes(self) -> None:
        assert find_groups([outcome("a.py"), outcome("b.py"), outcome(reads=("a.py",))]) == ((0, 2), (1,))
        assert find_groups([outcome(reads=("a.py",)), outcome("a.py")]) == ((0, 1),)

    def test_over_several(self) -> None:
        chain = [outcome("a.py"), outcome("z.py"), outcome("b.py", reads=("a.py",)), outcome(reads=("b.py",))]
        assert find_groups(chain) == ((0, 2, 3), (1,))

    def test_what_is_kept_though_the_whole_failed_is_written_too(self) -> None:
        kept = replace(outcome("a.py", verified=False), kept=(Part("net", "Net"),))
        assert find_groups([kept, outcome("a.py")]) == ((0, 1),)

    def test_what_only_a_profile_showed(self) -> None:
        text_only = replace(outcome("a.py", verified=False), verdicts=(Verdict("parses", ok=True),))
        assert find_groups([text_only, outcome(reads=("a.py",))]) == ((0, 1),)

    def test_overlays(self) -> None:
        typed = replace(outcome(), overlaid=(Overlaid("lib", FileChange("/site/lib.py", b"", b"#")),))
        assert find_groups([typed, typed]) == ((0, 1),)


def options(root: Path, target: str, **given: object) -> Options:
    return Options((parse(target),), SpecSource(args=(target,)), str(root), **given)  # type: ignore[arg-type]


class TestOptions:
    def test_every_target_keeps_its_example_calls(self, tmp_path: Path) -> None:
        one = options(tmp_path, "a:A", timeout=3.0, budget=200.0)
        two = options(tmp_path, "b:B", timeout=5.0, profiles=("p",))
        joined = join_options([join_options([one, two]), options(tmp_path, "c:C")])
        assert [target.text for target in joined.targets] == ["a:A", "b:B", "c:C"]
        assert [joined.spec_of(target).args for target in joined.targets] == [("a:A",), ("b:B",), ("c:C",)]
        assert (joined.timeout, joined.budget, joined.profiles) == (TIMEOUT, 200.0, ("p",))

    def test_what_was_observed_is_saved_once(self, tmp_path: Path) -> None:
        assert join_options([options(tmp_path, "a:A", save_profile="p"), options(tmp_path, "b:B")]).save_profile == ""

    def test_those_that_ask_for_different_results(self, tmp_path: Path) -> None:
        with pytest.raises(UserError) as caught:
            join_options([options(tmp_path, "a:A"), options(tmp_path, "b:B", returns=Returns.ALL)])
        assert caught.value.message == "a:A and b:B share a file that is to be annotated, but not the same `returns`"

    def test_those_that_ask_for_different_mends(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="not the same `mend`"):
            join_options([options(tmp_path, "a:A"), options(tmp_path, "b:B", mend=MendLevel.ALL)])

    def test_a_profile_and_calls(self, tmp_path: Path) -> None:
        profile = Options((parse("b:B"),), SpecSource(), str(tmp_path), profiles=("p",))
        with pytest.raises(UserError, match="a profile alone and calls to run"):
            join_options([options(tmp_path, "a:A"), profile])


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

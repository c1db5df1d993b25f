"""Twenty outcomes, as every output format is asked to show them: how a run can end, each with its command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from html_outcomes import blamed, hostile, many_modules
from mended_outcomes import advised_outcome, mended_outcome
from outcomes import BEFORE, fail, make_outcome

from pdt_annotate.emit.machine.invocation import Invocation, NoResult
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.judges import BEHAVES
from pdt_annotate.values.outcome import FileChange, Ignored, IgnoredBy, Outcome, Outdated, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.progress import Timing, Timings
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding, Owner
from pdt_annotate.values.verdicts import Failure, Verdict

Shown = tuple[Outcome, Invocation]


def _invocation(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE, code: int = 0) -> Invocation:
    return Invocation(outcome.root, write_back, code, ("pdt-annotate", "model.py:Net", "-i", "inputs.py"))


def _verified(root: Path) -> Shown:
    outcome = make_outcome(root)
    return outcome, _invocation(outcome)


def _dry_run(root: Path) -> Shown:
    outcome = make_outcome(root)
    return outcome, _invocation(outcome, WriteBack.DIFF)


def _check(root: Path) -> Shown:
    outcome = make_outcome(root)
    return outcome, _invocation(outcome, WriteBack.CHECK, 1)


def _stubs(root: Path) -> Shown:
    outcome = make_outcome(root)
    return outcome, replace(_invocation(outcome, WriteBack.STUBS), stubs=str(root / "typings"))


def _nothing_to_do(root: Path) -> Shown:
    outcome = replace(make_outcome(root), changes=(), annotations=(), findings=())
    return outcome, _invocation(outcome)


def _no_target(root: Path) -> Shown:
    outcome = Outcome((), str(root))
    return outcome, _invocation(outcome)


def _refused(root: Path) -> Shown:
    outcome = fail(make_outcome(root))
    return outcome, _invocation(outcome, code=3)


def _wrong_answer(root: Path) -> Shown:
    good = make_outcome(root)
    place = Place(good.changes[0].file, 9, 16)
    failure = Failure("output differs at [0]: eager 1.0, scripted 2.0", place=place, call="masked", code="PDT061")
    return _failed(good, (*good.verdicts[:3], Verdict("answers", False, failure)))


def _raises(root: Path) -> Shown:
    good = make_outcome(root)
    failure = Failure("the scripted model raises: index out of range", "IndexError", call="call 2", raises=True)
    return _failed(good, (*good.verdicts[:2], Verdict("answers", False, failure), Verdict("answers", False, failure)))


def _crash(root: Path) -> Shown:
    good = make_outcome(root)
    return _failed(good, (good.verdicts[0], Verdict("scripts", False, None, "the process ended with SIGSEGV")))


def _behaves_otherwise(root: Path) -> Shown:
    mended = mended_outcome(root)
    failure = Failure("`halve` answers 2.0 where it answered 1.0", call="call 1", place=mended.mends[0].place)
    return _failed(mended, (Verdict("parses", True), Verdict(BEHAVES, False, failure)))


def _failed(outcome: Outcome, verdicts: tuple[Verdict, ...]) -> Shown:
    failed = replace(outcome, verdicts=verdicts, verified=False)
    return failed, _invocation(failed, code=3)


def _partial(root: Path) -> Shown:
    outcome = blamed(make_outcome(root))
    return outcome, _invocation(outcome, code=3)


def _many_parts(root: Path) -> Shown:
    outcome = replace(many_modules(make_outcome(root), sound=5, unjudged=2), kept=())
    return outcome, _invocation(outcome, WriteBack.CHECK, 3)


def _mended(root: Path) -> Shown:
    outcome = mended_outcome(root)
    return outcome, _invocation(outcome)


def _mends_missing(root: Path) -> Shown:
    outcome = mended_outcome(root)
    return outcome, _invocation(outcome, WriteBack.CHECK, 1)


def _mends_advised(root: Path) -> Shown:
    outcome = advised_outcome(root)
    return outcome, _invocation(outcome, code=3)


def _two_targets(root: Path) -> Shown:
    outcome = make_outcome(root)
    outcome = replace(outcome, targets=(*outcome.targets, Target("late.py:Late", "", "", "Late")), joined=True)
    timeout = NoResult(("slow.py:Slow",), "call 1 took longer than 60 s", Place(str(root / "slow.py"), 3), "--timeout")
    return outcome, replace(_invocation(outcome, WriteBack.DIFF, 2), without_result=(timeout,))


def _profile(root: Path) -> Shown:
    good = make_outcome(root)
    unknown = Finding("PDT050", "`Net.late` is newer than the profile", Place(good.changes[0].file, 5, 5))
    verdicts = (Verdict("parses", True), Verdict("same program", True))
    outcome = replace(
        good,
        verdicts=verdicts,
        verified=False,
        findings=(*good.findings, unknown),
        outdated=Outdated((unknown,), "pdt-annotate run -o net.pdt train.py"),
    )
    return outcome, _invocation(outcome, WriteBack.CHECK, 1)


def _ignored(root: Path) -> Shown:
    good = make_outcome(root)
    file = good.changes[0].file
    second = FileChange(str(root / "other.py"), BEFORE, BEFORE)
    outcome = replace(
        good,
        findings=(),
        changes=(*good.changes, second),
        ignored=(Ignored(good.findings[0], IgnoredBy.IN_SOURCE, f"{file}:5"),),
        unreached=(Owner(file, "Net.reset", 9),),
        timings=Timings((Timing("observing", 1.5), Timing("searching", 12.0)), (Timing("attempt", 9.0, 3),)),
        overlaid=(Overlaid("vendored.net", replace(good.changes[0], file=str(root / "vendored" / "net.py"))),),
    )
    return outcome, _invocation(outcome)


def _hostile(root: Path) -> Shown:
    outcome = hostile(root)
    return outcome, _invocation(outcome, code=3)


TWENTY: Mapping[str, Callable[[Path], Shown]] = {
    function.__name__.removeprefix("_"): function
    for function in (
        _verified,
        _dry_run,
        _check,
        _stubs,
        _nothing_to_do,
        _no_target,
        _refused,
        _wrong_answer,
        _raises,
        _crash,
        _behaves_otherwise,
        _partial,
        _many_parts,
        _mended,
        _mends_missing,
        _mends_advised,
        _two_targets,
        _profile,
        _ignored,
        _hostile,
    )
}

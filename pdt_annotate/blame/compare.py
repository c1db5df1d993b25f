"""What comparing a part on its recorded calls says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pdt_annotate.findings.messages import code_of
from pdt_annotate.processes.child.attempt import compare_call, compile_and_compare
from pdt_annotate.processes.child.prepared import Prepared, as_if_scripting, make_call
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Answers, Fault, Part, Trial, Verdict
from pdt_annotate.verify.judges.answers import RUNS


def attempt_recorded(
    prepared: Prepared, subject: Any, eager: Any, calls: Sequence[Call], *, as_scripted: bool = False
) -> Trial:
    """Compile a part in this process, and compare its answers on its recorded calls with those of an eager copy.

    Args:
        as_scripted: compare with what eager mode answers where `torch.jit.is_scripting()` is true.
    """
    settings = prepared.spec.settings

    def compare(scripted: Any) -> Iterator[Verdict]:
        with as_if_scripting(as_scripted):
            for index, call in enumerate(calls):
                run = partial(make_call, call=call, settings=settings)
                yield compare_call(run, call, settings.seed + index, eager, scripted)

    return compile_and_compare(subject, compare)


def with_trial(part: Part, trial: Trial) -> Part:
    """The part with what a trial says of it: of each judge of its answers that says no, the first fault.

    Answers that differ in the class of a container alone are alike.
    """
    part = replace(part, scripts=trial.compiles, compiled=trial.compiled)
    if not trial.compiles:
        return part
    verdicts = trial.verdicts[1:]
    bad = [v for v in verdicts if not v.ok and not (v.failure and v.failure.alike)]
    if not bad:
        return replace(part, answers=Answers.ALIKE if verdicts else Answers.NOT_CALLED, calls=len(verdicts))
    kind = Answers.RAISE if any(verdict.judge == RUNS for verdict in bad) else Answers.DIFFER
    first = {verdict.judge: Fault(code_of(verdict), verdict.failure) for verdict in reversed(bad) if verdict.failure}
    return replace(part, answers=kind, calls=len(verdicts), faults=tuple(first[judge] for judge in reversed(first)))

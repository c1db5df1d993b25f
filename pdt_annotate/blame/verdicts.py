"""A part that scripts, with what comparing its answers gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdt_annotate.diagnose import code_of
from pdt_annotate.ir import Answers, Fault, Part, Verdict
from pdt_annotate.verify.answers import RUNS


def with_answers(part: Part, verdicts: Sequence[Verdict]) -> Part:
    """The part with one verdict a call, and of each judge that says no the first fault.

    Answers that differ in the class of a container alone are alike.
    """
    bad = [v for v in verdicts if not v.ok and not (v.failure and v.failure.alike)]
    if not bad:
        return replace(part, answers=Answers.ALIKE if verdicts else Answers.NOT_CALLED, calls=len(verdicts))
    kind = Answers.RAISE if any(verdict.judge == RUNS for verdict in bad) else Answers.DIFFER
    first = {verdict.judge: Fault(code_of(verdict), verdict.failure) for verdict in reversed(bad) if verdict.failure}
    return replace(part, answers=kind, calls=len(verdicts), faults=tuple(first[judge] for judge in reversed(first)))

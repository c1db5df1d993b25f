"""One judgement of one object, in this process: does it script, and does it answer what it answers in Python?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pdt_annotate.inputs import specs
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Trial, Verdict
from pdt_annotate.verify.judges import answers
from pdt_annotate.verify.judges.scripts import Compilation

Compare = Callable[[Any], Iterable[Verdict]]
"""Given the compiled object, a verdict for each call that it is compared on."""


def compile_and_compare(subject: Any, compare: Compare = lambda scripted: (), *, quick: bool = False) -> Trial:
    """Compile an object and, where it compiles, compare its answers.

    Args:
        quick: spare the compiler what it rarely needs; the last word on a result is spoken without.
    """
    compilation = Compilation(quick=quick)
    compilation.run(subject)
    compared = compare(compilation.scripted) if compilation.verdict.ok else ()
    return Trial((compilation.verdict, *compared), tuple(compilation.compiled), tuple(compilation.ignored))


def compare_call(run: Callable[[Any], Any], call: Call, seed: int, eager: Any, scripted: Any) -> Verdict:
    """Run a call both ways, from the same random numbers, and compare."""

    def seeded(which: Any) -> Any:
        specs.seed_generators(seed)
        return run(which)

    return answers.judge_call(call.name, call.held_back, lambda: seeded(eager), lambda: seeded(scripted))

"""One judgement of one object, in this process: does it script, and does it answer what it answers in Python?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.calling import as_if_scripting, is_comparable, run_call
from pdt_annotate.processes.child.prepared import Prepared, copy_built, export_method
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.verdicts import Trial, Verdict
from pdt_annotate.verify.judges import answers
from pdt_annotate.verify.judges.objects import Objects, ScriptedObjects
from pdt_annotate.verify.judges.scripts import Compilation

Compare = Callable[[Any], Iterable[Verdict]]
"""Given the compiled object, a verdict for each call that it is compared on."""


def attempt(prepared: Prepared, candidate: Candidate, *, as_scripted: bool = False, optimized: bool = True) -> Trial:
    """Compile the target with a candidate's annotations and, where it compiles, compare its answers.

    Args:
        as_scripted: compare with what eager mode answers where `torch.jit.is_scripting()` is true.
        optimized: compile and run as users will; without, a trial saves time.
    """
    apply(candidate)
    export_method(prepared)

    def compare(scripted: Any) -> Iterator[Verdict]:
        eager = copy_built(prepared)  # compiling changes no state, running does
        if isinstance(eager, Objects):
            scripted = ScriptedObjects(prepared.built, eager)
        jit: Any = torch.jit
        with as_if_scripting(as_scripted), jit.optimized_execution(optimized):
            yield from _compare_examples(prepared, eager, scripted)

    return compile_and_compare(prepared.built, compare, quick=not optimized)


def _compare_examples(prepared: Prepared, eager: Any, scripted: Any) -> Iterator[Verdict]:
    for index, call in enumerate(prepared.calls):
        if is_comparable(prepared, scripted, call):
            run = partial(run_call, prepared, call=call)
            yield compare_call(run, call, prepared.spec.settings.seed + index, eager, scripted)


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

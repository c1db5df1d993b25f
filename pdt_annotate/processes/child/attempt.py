"""The task that tries a candidate on the whole target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.calling import as_if_scripting, is_comparable, run_call
from pdt_annotate.processes.child.compiling import compare_call, compile_and_compare
from pdt_annotate.processes.child.prepared import Prepared, copy_built, export_method
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.verdicts import Trial, Verdict
from pdt_annotate.verify.judges.objects import Objects, ScriptedObjects


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

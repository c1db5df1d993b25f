"""Parts compared on their recorded calls: submodules and functions when scripted, and modules when traced."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

import torch

from pdt_annotate.blame.record import record_functions
from pdt_annotate.findings.messages import code_of
from pdt_annotate.observers.classes import find_named
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.aside import aside
from pdt_annotate.processes.child.attempt import BothWays, compile_and_compare
from pdt_annotate.processes.child.prepared import Prepared, as_if_scripting, perform_call
from pdt_annotate.source.places import Places
from pdt_annotate.values.judges import CALLERS_SEE, RUNS
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Answers, Fault, Part, Trial, Verdict
from pdt_annotate.verify.judges.clones import Done, clone
from pdt_annotate.verify.judges.values import compare


def attempt_recorded(
    prepared: Prepared, subject: Any, eager: Any, calls: Sequence[Call], *, as_scripted: bool = False
) -> Trial:
    """Compile a part in this process, and compare its answers on its recorded calls with those of an eager copy.

    Args:
        as_scripted: compare with what eager mode answers where `torch.jit.is_scripting()` is true.
    """
    settings = prepared.spec.settings

    def perform(which: Any, call: Call) -> Done:
        return perform_call(lambda: which, call, settings)

    def compare(scripted: Any) -> Iterator[Verdict]:
        with as_if_scripting(as_scripted):
            for index, call in enumerate(calls):
                yield from BothWays(perform, call, settings.seed + index).compare(eager, scripted)

    return compile_and_compare(subject, compare)


def with_trial(part: Part, trial: Trial) -> Part:
    """The part with what a trial says of it: of each judge that says no, the first fault.

    Answers that differ in what no annotation decides are alike.
    """
    part = replace(part, scripts=trial.compiles, compiled=trial.compiled)
    if not trial.compiles:
        return replace(part, faults=tuple(Fault(code_of(v), v.failure) for v in trial.verdicts[:1] if v.failure))
    verdicts = [verdict for verdict in trial.verdicts[1:] if verdict.judge != CALLERS_SEE]
    bad = [v for v in verdicts if not v.ok and not (v.failure and v.failure.code)]
    if not bad:
        return replace(part, answers=Answers.ALIKE if verdicts else Answers.NOT_CALLED, calls=len(verdicts))
    kind = Answers.RAISE if any(verdict.judge == RUNS for verdict in bad) else Answers.DIFFER
    first = {verdict.judge: Fault(code_of(verdict), verdict.failure) for verdict in reversed(bad) if verdict.failure}
    return replace(part, answers=kind, calls=len(verdicts), faults=tuple(first[judge] for judge in reversed(first)))


def judge_functions(prepared: Prepared, candidate: Candidate, names: Sequence[tuple[str, str]]) -> tuple[Part, ...]:
    """Functions by file and qualified name, each compiled by itself and compared on its recorded calls."""
    apply(candidate)
    named = (each for file, name in names for each in find_named(file, name))
    functions = [each for each in named if isinstance(each, FunctionType)]
    recorded = record_functions(prepared, [Owner.of(function.__code__) for function in functions])
    parts = (aside(partial(_judge, prepared, recorded), function) for function in functions)
    return tuple(part for part in parts if part is not None)


def _judge(prepared: Prepared, recorded: Mapping[Owner, Sequence[Call]], function: FunctionType) -> Part:
    owner = Owner.of(function.__code__)
    trial = attempt_recorded(prepared, function, function, recorded[owner])
    return with_trial(Part(owner.qualname, owner.qualname, Places().of(owner), is_function=True), trial)


def traces_alike(module: torch.nn.Module, calls: Sequence[Call]) -> bool:
    """Whether a trace of the first recorded call answers like the module on all of them, and on others of their shape.

    A value that the trace has baked in shows on the others; a warning of the tracer says that there may be one.
    """
    if any(call.kwargs or not all(isinstance(arg, torch.Tensor) for arg in call.args) for call in calls):
        return False
    jit: Any = torch.jit
    eager = copy.deepcopy(module)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("error", jit.TracerWarning)
            traced = jit.trace(module, clone(calls[0].args), check_trace=False)
            for args in _inputs(calls):
                compare(eager(*clone(args)), traced(*clone(args)))
    except Exception:  # the tracer's, the module's own, or a difference
        return False
    return True


def _inputs(calls: Sequence[Call]) -> Iterator[tuple[Any, ...]]:
    """The recorded arguments in their order, then others like them."""
    yield from (call.args for call in calls)
    yield from (tuple(_other(arg) for arg in call.args) for call in calls)


def _other(value: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape; integers, which may be indices, stay."""
    return torch.randn_like(value) if value.dtype.is_floating_point else value

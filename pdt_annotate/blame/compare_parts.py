"""Parts compared on their recorded calls: submodules and functions when scripted, and modules when traced.

A recorded call has the name of the example call in which it happened.
"""

import contextlib
import copy
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import FrameType, FunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.findings.messages import code_of
from pdt_annotate.observers.classes import find_named
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.attempt import BothWays, compile_and_compare
from pdt_annotate.processes.child.isolation import run_isolated
from pdt_annotate.processes.child.prepared import Prepared, as_if_scripting, copy_built, perform_call, run_call
from pdt_annotate.source.moves import Places
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import CALLERS_SEE, RUNS, Answers, Fault, Part, Trial, Verdict
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import compare

CALLS = 4  # recorded calls of one part, from the first: a part that keeps state must be replayed from its beginning
BYTES = 2**29  # of tensors in recorded calls of all parts; later calls are not recorded


def attempt_recorded(
    prepared: Prepared, subject: Any, eager: Any, calls: Sequence[Call], *, as_scripted: bool = False
) -> Trial:
    """Compile a part in this process, and compare its answers on its recorded calls with those of an eager copy.

    If `as_scripted`, `torch.jit.is_scripting()` is true in eager mode.
    """
    settings = prepared.spec.settings

    def compare(scripted: Any) -> Iterator[Verdict]:
        with as_if_scripting(as_scripted):
            for index, call in enumerate(calls):
                both = BothWays(
                    lambda which, call: perform_call(lambda: which, call, settings), call, settings.seed + index
                )
                yield from both.compare(eager, scripted)

    return compile_and_compare(subject, compare)


def with_trial(part: Part, trial: Trial) -> Part:
    """The part with the result of a trial: the first fault of each judge that says no.

    Answers count as alike if they differ only in ways that do not depend on annotations.
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
    apply(candidate)
    named = (each for file, name in names for each in find_named(file, name))
    functions = [each for each in named if isinstance(each, FunctionType)]
    recorder = _Recorder()
    sys.setprofile(recorder.profile(frozenset(Owner.of(function.__code__) for function in functions)))
    try:
        recorder.run_examples(prepared, copy_built(prepared))
    finally:
        sys.setprofile(None)

    def judge(function: FunctionType) -> Part:
        owner = Owner.of(function.__code__)
        trial = attempt_recorded(prepared, function, function, recorder.calls[owner])
        return with_trial(Part(owner.qualname, owner.qualname, Places().of(owner), is_function=True), trial)

    return tuple(part for function in functions if (part := run_isolated(judge, function)) is not None)


def traces_alike(module: torch.nn.Module, calls: Sequence[Call]) -> bool:
    """Whether a trace of the first recorded call answers like the module on all of them, and on others of their shape.

    A constant that the trace took from its call shows in the others, or in a warning of the tracer, which counts as no.
    """
    if any(call.kwargs or not all(isinstance(arg, torch.Tensor) for arg in call.args) for call in calls):
        return False
    eager = copy.deepcopy(module)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("error", torch.jit.TracerWarning)
            traced = torch.jit.trace(module, clone(calls[0].args), check_trace=False)
            # The recorded arguments, then others of their shapes; integers, which may be indices, stay.
            others = (
                tuple(torch.randn_like(arg) if arg.dtype.is_floating_point else arg for arg in call.args)
                for call in calls
            )
            for args in chain((call.args for call in calls), others):
                compare(eager(*clone(args)), traced(*clone(args)))
    except Exception:  # the tracer's, the module's own, or a difference
        return False
    return True


def record(prepared: Prepared, paths: Iterable[str]) -> dict[str, list[Call]]:
    """Run the example calls on a copy of the target, and record the calls of the submodules of these paths."""
    recorder = _Recorder()
    built = copy_built(prepared)
    modules = dict(built.named_modules(remove_duplicate=False))
    for path in filter(None, paths):
        modules[path].register_forward_pre_hook(
            lambda _, args, kwargs, path=path: recorder.note(path, args, kwargs), with_kwargs=True
        )
    recorder.run_examples(prepared, built)
    return recorder.calls


class _Recorder:
    def __init__(self) -> None:
        self.example = ""
        self.calls: dict[Any, list[Call]] = defaultdict(list)
        self._left = BYTES

    def run_examples(self, prepared: Prepared, built: Any) -> None:
        for call in prepared.calls:
            self.example = call.name
            with contextlib.suppress(Exception):  # a call that is meant to raise
                run_call(prepared, built, call)

    def note(self, key: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        if len(self.calls[key]) < CALLS and self._left > 0:
            tensors = (leaf for leaf in pytree.tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor))
            self._left -= sum(tensor.element_size() * tensor.numel() for tensor in tensors)
            args, kwargs = clone((args, dict(kwargs)))
            self.calls[key].append(Call(args, kwargs, name=self.example))

    def profile(self, wanted: frozenset[Owner]) -> Any:
        """A profile function that records calls of these functions, with all arguments by name."""
        files = {owner.file for owner in wanted}

        def notice(frame: FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            if event == "call" and code.co_filename in files and (owner := Owner.of(code)) in wanted:
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                self.note(owner, (), {name: frame.f_locals[name] for name in names if name in frame.f_locals})

        return notice

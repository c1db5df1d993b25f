"""The task that tries one way: captures, makes every call from fresh state, compares with eager mode, counts, times."""

from __future__ import annotations

import importlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.captures.reasons import reason_of
from pdt_annotate.captures.subject import AbsentError, Capturable, Captured
from pdt_annotate.graphs.read import operators_of
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, callee_of, copy_built, method_of, perform_call
from pdt_annotate.values.captures import CallFate, Capture, Fate, Way
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.answers import RUNS, judge_call

State = Mapping[str, torch.Tensor]


def examine(prepared: Prepared, way: Way) -> Capture:
    """Try one way on a target."""
    module, _, name = way.made_by.partition(":")
    capture: Callable[[Capturable], Captured] = getattr(importlib.import_module(module), name)
    eager = copy_built(prepared)
    calls = tuple(call for call in prepared.calls if call.callee is None)
    subject = subject_of(prepared)
    state = _state_of(subject.callee)
    begun = time.perf_counter()
    try:
        captured = capture(subject)
    except AbsentError as absent:
        return Capture(way.name, absent=str(absent))
    except Exception as error:  # whatever torch, or the user's code under it, raises
        return Capture(way.name, failure=reason_of(error, prepared.root), seconds=time.perf_counter() - begun)
    seconds = time.perf_counter() - begun
    for holder in captured.holders:
        _set_state(holder, state)
    fates = tuple(_compare(prepared, eager, captured.run, calls))
    graphs = captured.graphs()
    operators = Counter(each for graph in graphs for each in operators_of(graph))
    return Capture(
        way.name,
        captured=True,
        graphs=len(graphs),
        whole=captured.whole(),
        calls=fates,
        findings=captured.findings(),
        seconds=seconds,
        operators=dict(operators),
    )


def subject_of(prepared: Prepared) -> Capturable:
    """The target, and the calls that a way may be shown."""
    calls = (call for call in prepared.calls if call.callee is None)
    shown = tuple(call for call in calls if not call.held_back and not call.raises)
    kept = replace(prepared, built=copy_built(prepared))
    callee = callee_of(prepared, prepared.built, shown[0])
    return Capturable(callee, shown, prepared.root, lambda: callee_of(kept, copy_built(kept), shown[0]))


def _state_of(callee: Any) -> State:
    if not isinstance(callee, torch.nn.Module):
        return {}
    return {name: tensor.detach().clone() for name, tensor in _tensors_of(callee)}


def _tensors_of(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    yield from module.named_parameters()
    yield from module.named_buffers()


def _set_state(holder: Any, state: State) -> None:
    if not isinstance(holder, torch.nn.Module):
        return
    for name, tensor in _tensors_of(holder):
        if name in state and state[name].shape == tensor.shape:
            tensor.data.copy_(state[name])


def _compare(prepared: Prepared, eager: Any, run: Callable[..., Any], calls: tuple[Call, ...]) -> Iterator[CallFate]:
    settings = prepared.spec.settings
    method = method_of(prepared, calls[0])
    made_from = next((call.name for call in calls if not call.held_back and not call.raises), "")
    for seed, call in enumerate(calls, start=settings.seed):
        if method_of(prepared, call) != method:
            continue
        specs.seed_generators(seed)
        old = perform_call(lambda call=call: callee_of(prepared, eager, call), call, settings)  # type: ignore[misc]
        specs.seed_generators(seed)
        new = perform_call(lambda: run, call, settings)
        verdict = next(judge_call(call, old, new))
        told = verdict.failure.message if verdict.failure else ""
        refused = bool(verdict.failure and (verdict.failure.raises or verdict.judge == RUNS))
        fate = Fate.SAME if verdict.ok else Fate.REFUSED if refused else Fate.DIFFERS
        yield CallFate(call.name, fate, call.held_back, call.name == made_from, told)

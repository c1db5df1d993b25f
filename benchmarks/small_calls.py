"""Models that mostly call small helpers: without a tracer, with our tracer and with MonkeyType's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from monkeytype.tracing import CallTrace, CallTraceLogger, trace_calls

from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer

CALLS = 50_000
HERE = str(Path(__file__).resolve().parent)


def blend(x, y, weight, clamp=None):
    """A helper with tensor arithmetic, as in recurrent cells and attention."""
    mixed = x * weight + y * (1 - weight)
    return mixed if clamp is None else mixed.clamp(-clamp, clamp)


def wrap(index, size):
    """A helper that only computes with numbers: the worst case, because most of its time is the call."""
    return index % size


class Cell(torch.nn.Module):
    def forward(self, x, state, active=None):
        state = torch.tanh(x * 0.5 + state)
        return state if active is None else state * active


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x, y):
        for _ in range(CALLS):
            y = self.cell(x, y)
        return y


class Blending(torch.nn.Module):
    def forward(self, x, y):
        for _ in range(CALLS):
            x = blend(x, y, 0.9)
        return x


class Counting(torch.nn.Module):
    def forward(self, x, y):
        index = 0
        for _ in range(CALLS):
            index = wrap(index + 1, 7)
        return x + index * y


class Traces(CallTraceLogger):
    """Keeps the traces, as MonkeyType's own logger does before it writes to a database."""

    def __init__(self) -> None:
        self.traces: list[CallTrace] = []

    def log(self, trace: CallTrace) -> None:
        self.traces.append(trace)


def ways(model: torch.nn.Module) -> dict[str, Callable[[], object]]:
    """The model's forward without and with tracers. Both tracers only record functions of this file."""
    inputs = torch.rand(4), torch.rand(4)
    wanted = make_code_filter(HERE)

    def eager() -> Any:
        return model(*inputs)

    def observed() -> Any:
        with Tracer(Store(), wanted, lambda owner: ()).tracing("call"):
            return model(*inputs)

    def monkeytype() -> Any:
        # Its command caches the filter as well.
        with trace_calls(Traces(), max_typed_dict_size=0, code_filter=lru_cache(maxsize=None)(wanted)):
            return model(*inputs)

    return {"eager": eager, "observed": observed, "MonkeyType": monkeytype}


MODELS: dict[str, Callable[[], dict[str, Callable[[], object]]]] = {
    f"{CALLS:,} calls of a submodule, aim 2 or less": lambda: ways(Recurrent()),
    f"{CALLS:,} calls of a helper with three tensor operations, aim 2 or less": lambda: ways(Blending()),
    f"{CALLS:,} calls of a helper on integers, the worst case": lambda: ways(Counting()),
}

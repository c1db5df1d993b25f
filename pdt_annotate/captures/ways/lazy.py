"""Lazy tensors on the TorchScript backend: every call is recorded as it goes, and run when a value is needed."""

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch
import torch._lazy
from torch._lazy import metrics, ts_backend
from torch.utils import _pytree as pytree

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured, as_module
from pdt_annotate.verify.judges.clones import clone

DEVICE = "lazy"
RECORDED, LEFT = "lazy::", "aten::"  # counters of operators that were recorded, and that were run at once instead
MOVING = {"_to_copy", "detach_copy"}  # these bring tensors to the device and back
NEW = "UncachedCompile"
GRAPHS = (NEW, "CachedCompile")


def capture(subject: Capturable) -> Captured:
    """Run the first call on a copy; the following calls run on another copy."""
    try:
        ts_backend.init()
    except RuntimeError as error:
        raise AbsentError(f"this torch was built without lazy tensors: {error}") from error
    args, kwargs = clone((subject.first.args, dict(subject.first.kwargs)))
    tried = _Runs(subject)
    tried(*args, **kwargs)
    runs = _Runs(subject, tried.made)
    return Captured(runs, runs.graphs, runs.are_whole, holders=(runs.module,))


class _Runs:
    """A copy of the module on the lazy device, and torch's counts of its calls."""

    def __init__(self, subject: Capturable, made: Sequence[Counter[str]] = ()) -> None:
        self.module = copy.deepcopy(as_module(subject.callee)).to(DEVICE)
        self.made = list(made)
        torch._lazy.mark_step()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = _count()
        args, kwargs = pytree.tree_map_only(torch.Tensor, lambda each: each.to(DEVICE), (args, kwargs))
        result = self.module(*args, **kwargs)
        torch._lazy.mark_step()
        result = pytree.tree_map_only(torch.Tensor, lambda each: each.cpu(), result)
        self.made.append(_count() - before)
        return result

    def graphs(self) -> tuple[dict[str, int], ...]:
        """The new graphs; if one call made several, the first has all operators of the call."""
        new = [(counts[NEW], _named(counts, RECORDED)) for counts in self.made if counts[NEW]]
        return tuple(each for count, first in new for each in (first, *[{}] * (count - 1)))

    def are_whole(self) -> bool:
        """Whether every call made one graph, and nothing was run at once."""
        return all(sum(counts[name] for name in GRAPHS) == 1 and not _named(counts, LEFT) for counts in self.made)


def _count() -> Counter[str]:
    return Counter({name: metrics.counter_value(name) for name in metrics.counter_names()})


def _named(counts: Counter[str], prefix: str) -> dict[str, int]:
    """The operators whose counters begin so: `lazy::add` is "aten.add"."""
    named = {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
    return {f"aten.{name}": count for name, count in named.items() if name not in MOVING and count}

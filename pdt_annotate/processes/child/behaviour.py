"""The tasks that compare what a source does in Python before mends and after: each in a process of its own.

What is compared is what callers can see: the answer of every example call, or the class of what it raises; what becomes
of its arguments; and what modules hold from call to call.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, callee_of, copy_built
from pdt_annotate.values.live import is_a, module_of_class, qualname_of, state_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Failure, Verdict
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.effects import HIDDEN
from pdt_annotate.verify.judges.values import Difference, compare

BEHAVES = "behaves as before"
DEPTH = 12
"""Objects in objects are followed so far."""


def record_behaviour(prepared: Prepared) -> bytes:
    """What every example call, held-back ones included, does in Python; for `judge_behaviour` in another process."""
    out, built = io.BytesIO(), copy_built(prepared)
    torch.save([_behave(prepared, built, index, call) for index, call in enumerate(prepared.calls)], out)
    return out.getvalue()


def judge_behaviour(prepared: Prepared, recorded: bytes) -> tuple[Verdict, ...]:
    """Whether every example call does in Python what it did when that was recorded."""
    before, built = torch.load(io.BytesIO(recorded), weights_only=False), copy_built(prepared)
    return tuple(
        _judge(call.name, old, _behave(prepared, built, index, call))
        for index, (call, old) in enumerate(zip(prepared.calls, before, strict=True))
    )


def _judge(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Verdict:
    try:
        _compare(old, new)
    except Difference as difference:
        told = str(difference).replace("when scripted", "with the mends").replace("in eager mode", "before")
        return Verdict(BEHAVES, False, Failure(f"in Python, {told}", call=name))
    return Verdict(BEHAVES, True)


def _behave(prepared: Prepared, built: Any, index: int, call: Call) -> dict[str, Any]:
    """What one call does, in plain data and tensors."""
    specs.seed_generators(prepared.spec.settings.seed + index)
    args, kwargs = clone((call.args, dict(call.kwargs)))
    function = callee_of(prepared, built, call)
    done: dict[str, Any] = {}
    with torch.set_grad_enabled(not prepared.spec.settings.no_grad):
        try:
            done["answer"] = plain(function(*args, **kwargs))
        except Exception as error:
            done["raised"] = type(error).__name__
    done["arguments"] = plain((args, kwargs))
    modules = built.named_modules() if isinstance(built, torch.nn.Module) else ()
    done["held"] = {path: {name: plain(value) for name, value in _held_by(each).items()} for path, each in modules}
    return done


def _held_by(module: torch.nn.Module) -> dict[str, Any]:
    state = state_of(module)
    plain_ones = {name: value for name, value in state.items() if name not in HIDDEN}
    return {**plain_ones, **state.get("_parameters", {}), **state.get("_buffers", {})}


def plain(value: Any, depth: int = DEPTH) -> Any:
    """A value as data that any process can read: objects as the names of their classes, with what they hold."""
    if value is None or is_a(value, bool, int, float, complex, str, bytes, torch.dtype, torch.device):
        return value
    if is_a(value, torch.Tensor):
        return value.detach().clone()
    name = f"{module_of_class(type(value))}.{qualname_of(type(value))}"
    if depth == 0 or is_a(value, torch.nn.Module) or callable(value):
        return name
    if issubclass(type(value), Mapping):
        pairs = [(plain(k, depth - 1), plain(v, depth - 1)) for k, v in value.items()]
        by_name = type(value) is dict and all(isinstance(key, str) for key, _ in pairs)
        return dict(pairs) if by_name else {"class": name, "items": pairs}
    if is_a(value, list, tuple):
        items = [plain(each, depth - 1) for each in value]
        return type(value)(items) if type(value) in (list, tuple) else {"class": name, "items": items}
    return {"class": name, "holds": {k: plain(v, depth - 1) for k, v in state_of(value).items()}}


def _compare(old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """
    Raises:
        Difference: the two do not do the same. What modules hold beside what they held before is no difference.
    """
    if old.get("raised") != new.get("raised"):
        before, now = (each.get("raised", "nothing") for each in (old, new))
        raise Difference(f"it raises {now} when scripted, {before} in eager mode")
    for what in ("answer", "arguments"):
        if what in old:
            _assert_same(old[what], new[what], f"the {what}")
    for path, held in old["held"].items():
        for name, value in held.items():
            where = f"{path}.{name}".lstrip(".")
            if name not in new["held"].get(path, {}):
                raise Difference(f"`{where}` is gone")
            _assert_same(value, new["held"][path][name], f"`{where}`")


def _assert_same(old: Any, new: Any, where: str) -> None:
    if compare(old, new, where):
        raise Difference(f"{where} is of another class")

"""A few calls of each function, described: shapes and dtypes of tensors, numbers and flags, and classes of the rest.

The first call with each combination of argument classes is kept. No value of a tensor and no text is kept, except keys
that could be names.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import sys
import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from pdt_annotate.values.runs import SeenCall
from pdt_annotate.values.slots import Owner

MOST = 4  # calls of a function that are kept
MOST_MADE = 4_096  # instances whose construction is kept
LONGEST = 8  # parts of a container; a longer one is described by its class
DEEPEST = 4  # containers in containers
TENSORS = frozenset(("torch.Tensor", "torch.nn.parameter.Parameter"))
VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


@dataclass(eq=False)
class Examples:
    call: str = ""
    _made: dict[int, tuple[weakref.ref[Any], str]] = field(default_factory=dict)
    _found: dict[Owner, list[SeenCall]] = field(default_factory=dict)

    def all(self) -> tuple[SeenCall, ...]:
        return tuple(call for calls in list(self._found.values()) for call in calls)

    def note_construction(self, frame: FrameType) -> None:
        """An `__init__` of a module begins. The ones of its bases, which it calls, are left out."""
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        made = frame.f_locals.get(names[0])
        if len(self._made) < MOST_MADE and self._made_of(made) is None:
            self._made[id(made)] = weakref.ref(made), _describe_arguments(frame, names[1:])

    def note_call(self, owner: Owner, frame: FrameType, *, is_method: bool) -> None:
        found = self._found.setdefault(owner, [])
        code = frame.f_code
        names = code.co_varnames[is_method : code.co_argcount + code.co_kwonlyargcount]
        arguments = _describe_arguments(frame, names) if names and len(found) < MOST else ""
        if arguments:
            module = frame.f_locals[code.co_varnames[0]] if is_method else None
            cls = f"{type(module).__module__}.{type(module).__qualname__}" if is_method else ""
            found.append(SeenCall(owner, self.call, cls, arguments, self._made_of(module) or ""))

    def _made_of(self, module: Any) -> str | None:
        made, described = self._made.get(id(module), (None, ""))
        return described if made is not None and made() is module else None


def _describe_arguments(frame: FrameType, names: tuple[str, ...]) -> str:
    """JSON of the arguments; "" if some have no names."""
    code, values = frame.f_code, frame.f_locals
    end = code.co_argcount + code.co_kwonlyargcount
    further = code.co_varnames[end : end + bin(code.co_flags & VARIADIC).count("1")]
    if any(len(values[name]) for name in further):
        return ""
    return json.dumps({name: describe(values[name]) for name in names}, separators=(",", ":"))


def describe(value: Any, depth: int = DEEPEST) -> Any:
    """A value as JSON holds it; see `values.examples.Described`."""
    cls = type(value)
    if value is None or cls in (bool, int) or (cls is float and math.isfinite(value)):
        return value
    name = f"{cls.__module__}.{cls.__qualname__}"
    if name in TENSORS:
        tracing = getattr(sys.modules.get("torch._C"), "_get_tracing_state", lambda: None)
        with contextlib.suppress(RuntimeError):  # a nested tensor has no shape
            if tracing() is None:  # else to read the shape would leave traces
                return {"tensor": str(value.dtype).removeprefix("torch."), "shape": [int(size) for size in value.shape]}
        return {"type": name}
    if depth and cls in (list, tuple) and len(value) <= LONGEST:
        return {cls.__name__: [describe(part, depth - 1) for part in value]}
    if depth and cls is dict and len(value) <= LONGEST and all(type(k) is str and k.isidentifier() for k in value):
        return {"dict": [[key, describe(part, depth - 1)] for key, part in value.items()]}
    return {"type": name.removeprefix("builtins.")}

"""A few calls of each function, described: shapes and dtypes of tensors, numbers and flags, and of the rest the class.

Of one combination of argument classes the first call is taken. No value of a tensor and no text is kept, but keys that
could be names.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
import weakref
from types import CodeType, FrameType
from typing import Any

from pdt_annotate.values.examples import SeenCall
from pdt_annotate.values.slots import Owner

MOST = 4  # calls of a function that are kept

MOST_MADE = 4_096  # instances of which it is known how they were constructed

LONGEST = 8  # parts of a container; a longer one is described by its class

DEEPEST = 4
TENSORS = frozenset(("torch.Tensor", "torch.nn.parameter.Parameter"))
VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class Examples:
    """The calls that are kept, of one process."""

    def __init__(self) -> None:
        self.call = ""
        self._made: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._found: dict[Owner, list[SeenCall]] = {}

    def all(self) -> tuple[SeenCall, ...]:
        return tuple(call for calls in list(self._found.values()) for call in calls)

    def note_construction(self, frame: FrameType) -> None:
        """An `__init__` of a module begins; those of its bases, which it calls, count for nothing."""
        names = _names(frame.f_code)
        made = frame.f_locals.get(names[0])
        if len(self._made) < MOST_MADE and self._made_of(made) is None:
            self._made[id(made)] = weakref.ref(made), _describe_arguments(frame, names[1:])

    def note_call(self, owner: Owner, frame: FrameType, *, is_method: bool) -> None:
        """A function is called with a combination of classes that it was not called with before."""
        found = self._found.setdefault(owner, [])
        names = _names(frame.f_code)[is_method:]
        arguments = _describe_arguments(frame, names) if names and len(found) < MOST else ""
        if arguments:
            module = frame.f_locals[frame.f_code.co_varnames[0]] if is_method else None
            cls = f"{type(module).__module__}.{type(module).__qualname__}" if is_method else ""
            found.append(SeenCall(owner, self.call, cls, arguments, self._made_of(module) or ""))

    def _made_of(self, module: Any) -> str | None:
        made, described = self._made.get(id(module), (None, ""))
        return described if made is not None and made() is module else None


def _names(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _describe_arguments(frame: FrameType, names: tuple[str, ...]) -> str:
    """JSON of the arguments; "" where there are others than those that have names."""
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
        return _describe_tensor(value, name)
    if depth and cls in (list, tuple) and len(value) <= LONGEST:
        return {cls.__name__: [describe(part, depth - 1) for part in value]}
    if depth and cls is dict and len(value) <= LONGEST and all(map(_is_name, value)):
        return {"dict": [[key, describe(part, depth - 1)] for key, part in value.items()]}
    return {"type": name.removeprefix("builtins.")}


def _is_name(key: Any) -> bool:
    return type(key) is str and key.isidentifier()


def _describe_tensor(value: Any, name: str) -> Any:
    """While torch traces, to ask for a shape would leave traces; a nested tensor has none."""
    tracing = getattr(sys.modules.get("torch._C"), "_get_tracing_state", lambda: None)
    try:
        if tracing() is not None:
            return {"type": name}
        return {"tensor": str(value.dtype).removeprefix("torch."), "shape": [int(size) for size in value.shape]}
    except RuntimeError:
        return {"type": name}

"""The observations of one run, counted by slot and type; the tracer's data for one code object; and described calls.

The first call with each combination of argument classes is described. No value of a tensor and no text is kept, except
keys that could be names.
"""

import contextlib
import inspect
import itertools
import json
import math
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, TypeVar

from monkeytype.tracing import CallTrace, CallTraceLogger

from pdt_annotate.observers.type_of_value import class_type, is_leaf
from pdt_annotate.values.runs import SeenCall
from pdt_annotate.values.slots import Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


@dataclass(eq=False)
class Store(CallTraceLogger):
    """Collects observations; bounded by slots and distinct types, not by calls."""

    call: str = ""  # the name of the example call that runs
    news: int = 0  # it grows whenever a slot shows a type for the first time
    _seen: dict[tuple[Slot, TypeExpr], tuple[int, dict[str, None]]] = field(default_factory=dict)
    _counted: Set[tuple[Slot, TypeExpr]] = frozenset()

    def repeat(self) -> None:
        """Count no type again that a slot has shown so far: the same calls run once more."""
        self._counted = frozenset(self._seen)

    def add(self, slot: Slot, type_: TypeExpr, count: int = 1) -> None:
        if self._counted and (slot, type_) in self._counted:
            return
        before, calls = self._seen.get((slot, type_), (0, {}))
        if not before:
            self.news += 1
        calls[self.call] = None
        self._seen[slot, type_] = (before + count, calls)

    def log(self, trace: CallTrace) -> None:
        raise TypeError("observations are added by slot, not as MonkeyType traces")

    def observations(self) -> Iterator[Observation]:
        """All that was seen, in source order of the slots."""
        for (slot, type_), (count, calls) in sorted(self._seen.items(), key=lambda item: item[0][0].sort_key):
            yield Observation(slot, type_, count, tuple(calls))


K = TypeVar("K")

NamedSlots = tuple[tuple[str, Slot], ...]


class Counted:
    """How often a key was seen, and the values to look into each time, because their class does not show their type."""

    __slots__ = ("containers", "count")

    def __init__(self, containers: NamedSlots) -> None:
        # In C, and so safe between threads, where `+= 1` is not.
        self.count = itertools.count().__next__
        self.containers = containers


class Tally(dict[K, Counted]):
    """Counts by key, with news for the store. They go on after they are taken, as known keys need no further look.

    `containers_of` returns for a new key the values to look into each time.
    """

    def __init__(self, store: Store, containers_of: Callable[[K], NamedSlots]) -> None:
        super().__init__()
        self.store = store
        self.containers_of = containers_of
        self._taken: dict[K, int] = {}

    def __missing__(self, key: K) -> Counted:
        self.store.news += 1
        return self.setdefault(key, Counted(self.containers_of(key)))

    def take(self) -> Iterator[tuple[K, int]]:
        """The counts since the last call."""
        for key, counted in list(self.items()):
            total, before = counted.count(), self._taken.get(key, 0)
            self._taken[key] = total + 1  # the question was counted, too
            if total > before:
                yield key, total - before


@dataclass(eq=False)
class TracedCode:
    """One code object, kept for its identity: equal functions at one line of two files have equal code objects."""

    code: CodeType
    store: Store
    # The locals to read at a return, each with the line of its assignment. One with line 0 is read only when its
    # class is new.
    wanted_locals: Callable[[Owner], Iterable[tuple[str, int]]]
    recorded: bool = True  # its types are wanted
    of_module: bool = False  # it is a method of a module
    constructs: bool = False  # it is a module's `__init__`
    enters: bool = False  # it is a module's `forward`, or torch's method that calls it
    inside: bool = False  # it ran inside a module's `forward`

    def __post_init__(self) -> None:
        code, store = self.code, self.store
        owner = Owner.of(code)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.bytecode = code.co_code
        self.parameters = tuple((name, Slot(owner, SlotKind.PARAMETER, name)) for name in names)
        self.returned = Slot(owner, SlotKind.RETURN, "return")
        wanted = self.wanted_locals(owner) if self.recorded else ()
        slots = [(name, Slot(owner, SlotKind.LOCAL, name, line)) for name, line in wanted]
        self.open = tuple((name, slot) for name, slot in slots if slot.line)
        self.passed = tuple((name, slot) for name, slot in slots if not slot.line)
        self.reads_locals = bool(slots)
        self.met: set[tuple[type, ...]] = set()
        # From a frame's locals to the classes of the parameters; a literal tuple is the fastest spelling.
        classes = "".join(f"type(values[{name!r}]), " for name in names)
        self.classes_of: Callable[[Mapping[str, Any]], tuple[type, ...]] = eval(f"lambda values: ({classes})")
        self.arguments = Tally[tuple[type, ...]](
            store, lambda found: tuple(p for p, cls in zip(self.parameters, found, strict=True) if not is_leaf(cls))
        )
        self.results = Tally[type](store, lambda cls: () if is_leaf(cls) else (("return", self.returned),))

    def flush(self) -> None:
        """Add the counts of types that are not looked into to the store."""
        for classes, count in self.arguments.take():
            for (_, slot), plain in zip(self.parameters, classes, strict=True):
                if is_leaf(plain):
                    self.store.add(slot, class_type(plain), count)
        for plain, count in self.results.take():
            if is_leaf(plain):
                self.store.add(self.returned, class_type(plain), count)


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
    """A value as JSON holds it; see `values.runs.Described`."""
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

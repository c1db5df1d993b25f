"""MonkeyType's `CallTracer`, with what TorchScript needs and MonkeyType 23.3 does not give.

A function is known by its code object (file, qualified name, first line), so nested functions, patched methods and
property setters count as well; keyword-only parameters are read; a `return None` is told from an exception on every
Python; every thread is traced; a list that is empty when it is passed and filled by the callee is read again; and a
call whose arguments are all of plain classes costs one look-up.
"""

from __future__ import annotations

import contextlib
import itertools
import opcode
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import Any, TypeVar

from monkeytype.tracing import CallTracer, CodeFilter

from pdt_annotate.observers.store import Store
from pdt_annotate.observers.types import class_type, holds_empty, is_leaf, type_of
from pdt_annotate.values.slots import Owner, Slot, SlotKind

K = TypeVar("K")

ProfileFunction = Callable[[FrameType, str, Any], object]
WantedLocals = Callable[[Owner], Iterable[tuple[str, int]]]

# Python 3.12 returns constants with an opcode of their own, which MonkeyType 23.3 does not know.
RETURN_OPCODES = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}
UNKNOWN: Any = object()


class Counted:
    """How often a key was seen, and what has to be looked into each time, because its class does not tell its type."""

    __slots__ = ("containers", "count")

    def __init__(self, containers: tuple[tuple[str, Slot], ...]) -> None:
        # In C, and so safe between threads, where `+= 1` is not.
        self.count = itertools.count().__next__
        self.containers = containers


class Tally(dict[K, Counted]):
    """Counts by key; a new key asks `containers_of` what will have to be looked into."""

    def __init__(self, containers_of: Callable[[K], tuple[tuple[str, Slot], ...]]) -> None:
        super().__init__()
        self.containers_of = containers_of

    def __missing__(self, key: K) -> Counted:
        return self.setdefault(key, Counted(self.containers_of(key)))

    def take(self) -> Iterator[tuple[K, int]]:
        """The counts, which begin anew."""
        for key in list(self):
            yield key, self.pop(key).count()


class TracedCode:
    """One code object: its slots, and how often each combination of classes was seen in the example call that runs.

    The code object is kept for its identity: equal functions at the same line of two files have equal code objects.
    """

    __slots__ = (
        "arguments",
        "bytecode",
        "classes_of",
        "code",
        "met",
        "open",
        "parameters",
        "passed",
        "results",
        "returned",
    )

    def __init__(self, code: CodeType, wanted_locals: WantedLocals) -> None:
        owner = Owner.of(code)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self.code = code
        self.bytecode = code.co_code
        self.parameters = tuple((name, Slot(owner, SlotKind.PARAMETER, name)) for name in names)
        self.returned = Slot(owner, SlotKind.RETURN, "return")
        wanted = [(name, Slot(owner, SlotKind.LOCAL, name, line)) for name, line in wanted_locals(owner)]
        self.open = tuple((name, slot) for name, slot in wanted if slot.line)
        self.passed = tuple((name, slot) for name, slot in wanted if not slot.line)
        self.met: set[tuple[type, ...]] = set()
        self.classes_of = make_reader(names)
        self.arguments = Tally[tuple[type, ...]](self._containers_among)
        self.results = Tally[type](lambda cls: () if is_leaf(cls) else (("return", self.returned),))

    def _containers_among(self, classes: tuple[type, ...]) -> tuple[tuple[str, Slot], ...]:
        return tuple(p for p, cls in zip(self.parameters, classes, strict=True) if not is_leaf(cls))

    def flush(self, store: Store) -> None:
        """Hand what was counted to the store: all that is not looked into."""
        for classes, count in self.arguments.take():
            for (_, slot), plain in zip(self.parameters, classes, strict=True):
                if is_leaf(plain):
                    store.add(slot, class_type(plain), count)
        for plain, count in self.results.take():
            if is_leaf(plain):
                store.add(self.returned, class_type(plain), count)


def make_reader(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[type, ...]]:
    """The function from a frame's locals to the classes of the named ones; a literal tuple is the fastest spelling."""
    reader: Callable[[Mapping[str, Any]], tuple[type, ...]] = eval(
        f"lambda values: ({''.join(f'type(values[{name!r}]), ' for name in names)})"
    )
    return reader


class Tracer(CallTracer):
    """Records arguments, results and wanted locals into a store.

    Args:
        store: where observations go.
        code_filter: which code objects are traced; asked once for each.
        wanted_locals: says for a function which locals to read when it returns, each with the line of the assignment
            that an annotation would stand on; asked once for each. Those with line 0, which no annotation will stand
            on, are read only when their classes are new.
    """

    def __init__(self, store: Store, code_filter: CodeFilter, wanted_locals: WantedLocals) -> None:
        super().__init__(logger=store, max_typed_dict_size=0, code_filter=code_filter)
        self.store = store
        self.code_filter = code_filter
        self.wanted_locals = wanted_locals
        # By the code object's id, whose hash and equality are slow and blind to the file; so all of them are kept.
        # What `_make_site` makes: None where the code is not traced.
        self._sites: dict[int, Any] = {}
        self._codes: list[CodeType] = []
        self._unfilled: dict[int, list[tuple[str, Slot, int]]] = {}

    @contextlib.contextmanager
    def tracing(self, call: str) -> Iterator[None]:
        """Observe what runs inside the block, in this thread and in those it starts, as the example call `call`."""
        profile = self.profile_function()
        before, before_threads = sys.getprofile(), threading.getprofile()
        self.store.call = call
        self._unfilled.clear()
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before if callable(before) else None)  # a profiler in C cannot be put back
            threading.setprofile(before_threads)
            self.flush()

    @property
    def files(self) -> set[str]:
        """The files of all code that ran, traced or not."""
        return {code.co_filename for code in self._codes}

    def flush(self) -> None:
        """Hand to the store what was counted."""
        for site in list(self._sites.values()):
            if site is not None:
                site.flush(self.store)

    def profile_function(self) -> ProfileFunction:
        """The function for `sys.setprofile`: a closure, because it runs on every call and return of the program."""
        known, meet, look_into, look_again = self._sites.get, self._meet, self._look_into, self._look_again
        read_locals, unfilled, add = self._read_locals, self._unfilled, self.store.add

        def profile(frame: FrameType, event: str, arg: Any) -> None:
            if event == "call":
                site = known(id(frame.f_code), UNKNOWN)
                if site is UNKNOWN:
                    site = meet(frame)
                if site is None:
                    return
                values = frame.f_locals
                counted = site.arguments[site.classes_of(values)]
                counted.count()
                if counted.containers:
                    look_into(frame, values, counted.containers)
            elif event == "return":
                site = known(id(frame.f_code))
                if site is None:
                    return
                if unfilled and id(frame) in unfilled:
                    look_again(frame)
                if arg is None and site.bytecode[frame.f_lasti] not in RETURN_OPCODES:
                    return  # an exception
                counted = site.results[type(arg)]
                counted.count()
                if counted.containers:
                    add(site.returned, type_of(arg))
                if site.open or site.passed:
                    read_locals(frame, site)

        return profile

    def _meet(self, frame: FrameType) -> Any:
        """The site of a code object that is new; None where it is not traced."""
        code = frame.f_code
        site = self._sites[id(code)] = self._make_site(frame)
        self._codes.append(code)
        return site

    def _make_site(self, frame: FrameType) -> TracedCode | None:
        return TracedCode(frame.f_code, self.wanted_locals) if self.code_filter(frame.f_code) else None

    def _look_into(self, frame: FrameType, values: Mapping[str, Any], containers: Sequence[tuple[str, Slot]]) -> None:
        """Record the parameters that are containers, and remember those in which something is empty."""
        for name, slot in containers:
            value = values[name]
            observed = type_of(value)
            self.store.add(slot, observed)
            if holds_empty(observed):
                self._unfilled.setdefault(id(frame), []).append((name, slot, id(value)))

    def _look_again(self, frame: FrameType) -> None:
        """Record once more the parameters that came in with something empty, if the function has filled them."""
        values = frame.f_locals
        for name, slot, identity in self._unfilled.pop(id(frame), ()):
            if id(values.get(name)) == identity:
                observed = type_of(values[name])
                if not holds_empty(observed):
                    self.store.add(slot, observed)

    def _read_locals(self, frame: FrameType, site: TracedCode) -> None:
        values = frame.f_locals
        read = site.open
        if site.passed:
            classes = tuple([type(values.get(name)) for name, _ in site.passed])
            if classes not in site.met:
                site.met.add(classes)
                read += site.passed
        for name, slot in read:
            if name in values:
                self.store.add(slot, type_of(values[name]))

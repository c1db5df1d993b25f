"""MonkeyType's `CallTracer`, with what TorchScript needs and MonkeyType 23.3 does not give.

A function is known by its code object (file, qualified name, first line), so nested functions, patched methods and
property setters count as well; keyword-only parameters are read; a `return None` is told from an exception on every
Python; every thread is traced; and a call whose arguments are all of plain classes costs one look-up.
"""

from __future__ import annotations

import contextlib
import inspect
import opcode
import os
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from monkeytype.tracing import CallTracer, CodeFilter

from pdt_annotate.ir import Owner, Slot, SlotKind
from pdt_annotate.observe.store import Store
from pdt_annotate.observe.types import class_type, is_leaf, type_of

ProfileFunction = Callable[[FrameType, str, Any], object]
WantedLocals = Callable[[Owner], Iterable[tuple[str, int]]]

# Python 3.12 returns constants with an opcode of their own, which MonkeyType 23.3 does not know.
RETURN_OPCODES = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}
GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")})
UNKNOWN = object()


def make_code_filter(root: str) -> CodeFilter:
    """Code whose file is under the root; libraries that happen to be installed under it are left out."""
    root = os.path.realpath(root) + os.sep
    root_is_library = root.startswith(LIBRARIES)

    def is_wanted(code: CodeType) -> bool:
        if code.co_name.startswith("<") or code.co_flags & GENERATORS:
            return False
        file = os.path.realpath(code.co_filename)
        if not file.startswith(root):
            return False
        return root_is_library or not (file.startswith(LIBRARIES) or f"{os.sep}site-packages{os.sep}" in file)

    return is_wanted


@dataclass
class Site:
    """One code object: its slots, and how often each combination of plain classes was seen in the call that runs."""

    names: tuple[str, ...]
    slots: tuple[Slot, ...]
    returned: Slot
    bytecode: bytes
    wanted: tuple[tuple[str, Slot], ...]
    arguments: dict[tuple[type, ...], int] = field(default_factory=dict)
    results: dict[type, int] = field(default_factory=dict)

    @classmethod
    def of(cls, code: CodeType, wanted_locals: WantedLocals) -> Site:
        owner = Owner(code.co_filename, code.co_qualname, code.co_firstlineno)
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        wanted = wanted_locals(owner)
        return cls(
            names=names,
            slots=tuple(Slot(owner, SlotKind.PARAMETER, name) for name in names),
            returned=Slot(owner, SlotKind.RETURN, "return"),
            bytecode=code.co_code,
            wanted=tuple((name, Slot(owner, SlotKind.LOCAL, name, line)) for name, line in wanted),
        )

    def flush(self, store: Store) -> None:
        """Hand what was counted to the store."""
        for classes, count in self.arguments.items():
            for slot, plain in zip(self.slots, classes, strict=True):
                store.add(slot, class_type(plain), count)
        for plain, count in self.results.items():
            store.add(self.returned, class_type(plain), count)
        self.arguments.clear()
        self.results.clear()


class Tracer(CallTracer):
    """Records arguments, results and wanted locals into a store.

    Args:
        store: where observations go.
        code_filter: which code objects are traced; asked once for each.
        wanted_locals: says for a function which locals to read when it returns, each with the line of the assignment
            that an annotation would stand on; asked once for each.
    """

    def __init__(self, store: Store, code_filter: CodeFilter, wanted_locals: WantedLocals) -> None:
        super().__init__(logger=store, max_typed_dict_size=0, code_filter=code_filter)
        self.store = store
        self.code_filter = code_filter
        self.wanted_locals = wanted_locals
        self.sites: dict[CodeType, Site | None] = {}

    @contextlib.contextmanager
    def tracing(self, call: str) -> Iterator[None]:
        """Observe what runs inside the block, in this thread and in those it starts, as the example call `call`."""
        profile = self.profile_function()
        before, before_threads = sys.getprofile(), threading.getprofile()
        self.store.call = call
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(before_threads)
            for site in self.sites.values():
                if site is not None:
                    site.flush(self.store)

    def profile_function(self) -> ProfileFunction:
        """The function for `sys.setprofile`: a closure, because it runs on every call and return of the program."""
        sites, new_site, enter, leave = self.sites, self.new_site, self.enter, self.leave

        def profile(frame: FrameType, event: str, arg: Any) -> None:
            if event == "call":
                site = sites.get(frame.f_code, UNKNOWN)
                if site is None:
                    return
                enter(new_site(frame.f_code) if site is UNKNOWN else site, frame)  # type: ignore[arg-type]
            elif event == "return":
                site = sites.get(frame.f_code)
                if site is not None:
                    leave(site, frame, arg)

        return profile

    def new_site(self, code: CodeType) -> Site | None:
        site = Site.of(code, self.wanted_locals) if self.code_filter(code) else None
        self.sites[code] = site
        return site

    def enter(self, site: Site | None, frame: FrameType) -> None:
        """Record the arguments of a call."""
        if site is None or not site.names:
            return
        values = frame.f_locals
        try:
            arguments = [values[name] for name in site.names]
        except KeyError:  # a parameter that an inner function closes over may live in a cell
            arguments = [values.get(name) for name in site.names]
        classes = tuple(map(type, arguments))
        if classes in site.arguments:
            site.arguments[classes] += 1
        elif all(map(is_leaf, classes)):
            site.arguments[classes] = 1
        else:
            for slot, value in zip(site.slots, arguments, strict=True):
                self.store.add(slot, type_of(value))

    def leave(self, site: Site, frame: FrameType, result: Any) -> None:
        """Record the result of a call, and the wanted locals, unless it ends in an exception."""
        if result is None and site.bytecode[frame.f_lasti] not in RETURN_OPCODES:
            return
        cls = type(result)
        if is_leaf(cls):
            site.results[cls] = site.results.get(cls, 0) + 1
        else:
            self.store.add(site.returned, type_of(result))
        if site.wanted:
            values = frame.f_locals
            for name, slot in site.wanted:
                if name in values:
                    self.store.add(slot, type_of(values[name]))

"""Module attributes before and after each call: the later type of a `self.x = None`, and the values of a class body."""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pdt_annotate.observers.cells import file_of_class
from pdt_annotate.observers.classes import MODULE, look_up
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.type_of_value import class_type, elements, is_leaf, type_of
from pdt_annotate.values.live import qualname_of, state_of
from pdt_annotate.values.slots import Owner, Slot, SlotKind

LOOKS = 1_000  # values that are looked at for the objects in the arguments of one call


@dataclass(frozen=True)
class AttributeWatch:
    """Records the types of the attributes of a model's modules, if their classes are in wanted files.

    The slot's owner is the class of the instance, with line 0, since a live class does not know its line.
    """

    store: Store
    is_wanted_file: Callable[[str], bool]

    def record(self, model: Any) -> None:
        for module in _modules(model, set()):
            owner = self._owner(type(module))
            if owner is None:
                continue
            self._add(owner, _attributes(module))
            for _, value in _attributes(module):
                if is_leaf(type(value)):
                    self._add_plain(value)
            for cls in type(module).__mro__:
                owner = self._owner(cls)
                if owner is not None:
                    # The values that its body assigns; methods, properties and other descriptors are no values.
                    own = [(name, value) for name, value in vars(cls).items() if not name.startswith("__")]
                    self._add(owner, ((name, value) for name, value in own if look_up(type(value), "__get__") is None))

    def record_held(self, value: Any) -> None:
        """Record the attributes of all objects of plain classes in a value, such as the arguments of a call."""
        pending, met = [value], set[int]()
        while pending and len(met) < LOOKS:
            value = pending.pop()
            if id(value) not in met:
                met.add(id(value))
                pending += self._add_plain(value) if is_leaf(type(value)) else elements(value)

    def _add(self, owner: Owner, values: Iterable[tuple[str, Any]]) -> None:
        for name, value in values:
            observed = type_of(value)
            if observed.name not in ("Callable", "type") and not observed.inherits(MODULE):
                self.store.add(Slot(owner, SlotKind.ATTRIBUTE, name), observed)

    def _add_plain(self, value: Any) -> Iterable[Any]:
        """Record and return the attributes of an object of a plain class: the compiler may script its class."""
        owner = None if class_type(type(value)).inherits(MODULE) else self._owner(type(value))
        if owner is None:
            return ()
        self._add(owner, state_of(value).items())
        return state_of(value).values()

    def _owner(self, cls: type) -> Owner | None:
        file = file_of_class(cls)
        return Owner(file, qualname_of(cls), 0) if file and self.is_wanted_file(file) else None


def _modules(module: Any, seen: set[int]) -> Iterator[Any]:
    """The modules of a tree, found without calling methods that a user may have overridden."""
    if not class_type(type(module)).inherits(MODULE) or id(module) in seen:
        return
    seen.add(id(module))
    yield module
    for child in state_of(module).get("_modules", {}).values():
        yield from _modules(child, seen)


def _attributes(module: Any) -> Iterator[tuple[str, Any]]:
    values = state_of(module)
    yield from ((name, value) for name, value in values.items() if name not in _internals())
    yield from values.get("_buffers", {}).items()
    yield from ((name, value) for name, value in values.get("_parameters", {}).items() if value is None)


@functools.cache
def _internals() -> frozenset[str]:
    """The attributes of every module. Torch is not imported here: observing without modules does not need it."""
    return frozenset(vars(sys.modules["torch.nn"].Module()))

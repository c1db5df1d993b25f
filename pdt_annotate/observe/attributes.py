"""Module attributes before and after each call: what a `self.x = None` becomes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pdt_annotate.ir import Owner, Slot, SlotKind
from pdt_annotate.observe.classes import MODULE
from pdt_annotate.observe.store import Store
from pdt_annotate.observe.types import class_type, type_of

INTERNALS = frozenset(vars(torch.nn.Module()))
NOT_AN_ATTRIBUTE = ("Callable", "type")


class AttributeWatch:
    """Records the types of the attributes of a model's modules; a class that the root does not hold is passed over.

    The slot's owner is the class of the instance, with line 0: a live class does not know its line.
    """

    def __init__(self, store: Store, is_wanted_file: Callable[[str], bool]) -> None:
        self.store = store
        self.is_wanted_file = is_wanted_file

    def record(self, model: Any) -> None:
        """Record what the attributes hold now."""
        for module in _modules(model, set()):
            owner = self._owner(type(module))
            if owner is None:
                continue
            for name, value in _attributes(module):
                observed = type_of(value)
                if observed.name not in NOT_AN_ATTRIBUTE and not observed.inherits(MODULE):
                    self.store.add(Slot(owner, SlotKind.ATTRIBUTE, name), observed)

    def _owner(self, cls: type) -> Owner | None:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return Owner(file, cls.__qualname__, 0) if file and self.is_wanted_file(file) else None


def _modules(module: Any, seen: set[int]) -> Iterator[Any]:
    """The modules of a tree, without calling what a user may have overridden."""
    if not class_type(type(module)).inherits(MODULE) or id(module) in seen:
        return
    seen.add(id(module))
    yield module
    for child in _state(module).get("_modules", {}).values():
        yield from _modules(child, seen)


def _attributes(module: Any) -> Iterator[tuple[str, Any]]:
    values = _state(module)
    yield from ((name, value) for name, value in values.items() if name not in INTERNALS)
    yield from values.get("_buffers", {}).items()
    yield from ((name, value) for name, value in values.get("_parameters", {}).items() if value is None)


def _state(module: Any) -> dict[str, Any]:
    state: dict[str, Any] = object.__getattribute__(module, "__dict__")
    return state

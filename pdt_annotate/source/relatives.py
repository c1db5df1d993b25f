"""The classes that a class inherits from, and the classes that inherit from it."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pdt_annotate.source.imports import NameResolver
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Class, Function
from pdt_annotate.values.slots import Owner


class Relatives:
    """The classes of a project or of the import path, as their source names them; they may go in circles.

    Args:
        names: follows the names of base classes through imports.
        classes: the only classes that count, also by their last names if no import leads to them, as between the cells
            of a notebook; None: any class that a name leads to.
    """

    def __init__(self, names: NameResolver[Any], classes: Iterable[Class] | None = None) -> None:
        self.names = names
        self.classes = None if classes is None else tuple(classes)
        self._by_name: dict[str, list[Class]] = defaultdict(list)
        for cls in self.classes or ():
            self._by_name[cls.node.name].append(cls)
        self._owners = {cls.owner for cls in self.classes or ()}
        self._ancestors: dict[Owner, tuple[Class, ...]] = {}

    def named(self, name: str) -> list[Class]:
        """The classes with the last part of a dotted name."""
        return self._by_name.get(name.rpartition(".")[2], [])

    def bases(self, cls: Class) -> list[Class]:
        """The classes that a class names as its bases; several of one name if it is not known which is meant."""
        found: list[Class] = []
        for base in cls.bases:
            place = self.names.find(cls.owner.file, base)
            meant = self.names.class_at(place) if place else None
            if meant is not None and meant.owner != cls.owner and (self.classes is None or meant.owner in self._owners):
                found.append(meant)
                continue
            named = [each for each in self.named(base) if each.owner != cls.owner]
            found += [each for each in named if each.owner.file == cls.owner.file] or named
        return found

    def ancestors(self, cls: Class) -> tuple[Class, ...]:
        """The classes that a class inherits from, the nearest first."""
        if cls.owner not in self._ancestors:
            met: dict[Owner, Class] = {}
            pending = self.bases(cls)
            while pending:
                base = pending.pop(0)
                if base.owner != cls.owner and base.owner not in met:
                    met[base.owner] = base
                    pending[:0] = self.bases(base)
            self._ancestors[cls.owner] = tuple(met.values())
        return self._ancestors[cls.owner]

    def heirs(self, cls: Class) -> list[Class]:
        """The known classes that inherit from a class, directly or through others."""
        return [each for each in self.classes or () if cls.owner in {base.owner for base in self.ancestors(each)}]

    def own_method(self, cls: Class, name: str) -> Function | None:
        module = self.names.sources.module(cls.owner.file)
        return module.function_named(f"{cls.owner.qualname}.{name}") if module else None

    def method(self, cls: Class, name: str) -> Function | None:
        """A method of a class, its own or the one that it inherits."""
        methods = (self.own_method(each, name) for each in (cls, *self.ancestors(cls)))
        return next((each for each in methods if each), None)


@functools.lru_cache(maxsize=16)
def relatives_in(project: Project, files: tuple[str, ...]) -> Relatives:
    """The classes of some files of a project."""
    return Relatives(project.names, [cls for file in files for cls in project.survey(file).classes])

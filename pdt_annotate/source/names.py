"""The names that a file has for classes of other modules, its free names, and the imports that would bind them."""

import ast
import builtins
import sys
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.source.imports import Import, absolute, bound_by, parents
from pdt_annotate.source.module import Module
from pdt_annotate.source.scopes import Reach, bindings
from pdt_annotate.source.text import Text
from pdt_annotate.values.groups import grouped

_EXTENSIONS = "typing_extensions."
_BUILTINS = frozenset(dir(builtins))
_TYPING_NAMES = frozenset(typing.__all__)


@dataclass(frozen=True)
class Site:
    """The place where an annotation is evaluated: its offset, and the names of inner scopes."""

    offset: int = sys.maxsize
    shadows: frozenset[str] = frozenset()
    quotable: bool = False  # it may also be written as a string, which only the compiler evaluates


NOWHERE = Site()  # of an annotation that Python never evaluates: the compiler reads it when the whole file has run


@dataclass(frozen=True)
class Qualified:
    """A class by its module and its qualified name in it."""

    module: str
    qualname: str
    whole: bool = False  # importing the outermost package is enough to reach the class through it

    @property
    def dotted(self) -> str:
        return f"{self.module}.{self.qualname}"

    @property
    def root(self) -> str:
        """The name that a from-import must import."""
        return self.qualname.partition(".")[0]

    @property
    def rest(self) -> str:
        """The text after the imported name: ".Inner" of "Outer.Inner"."""
        return self.qualname[len(self.root) :]

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    def reached_by(self, new: Import) -> str:
        return new.bound + self.dotted[len(new.target) :]


@dataclass(frozen=True)
class NameBinding:
    """A name that a statement of the module binds."""

    name: str
    target: str  # the dotted name of the object that an import binds, "" for every other statement
    end: int  # of the statement; the name holds from there on
    reach: Reach = Reach.ALWAYS


class ModuleNames:
    """The module-level names of a file, with the imports that are about to be added to it.

    `package` is the package that its relative imports start from, "" if unknown.
    """

    def __init__(self, text: Text, module: Module, package: str) -> None:
        found: list[NameBinding] = []
        self._loaded: list[NameBinding] = []
        self._stars: dict[str, NameBinding] = {}
        self._has_typing_names = False
        for item in module.namespaces[0].statements:
            node, end = item.node, text.end(item.node)
            imported = dict(bound_by(node, package))
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                star = absolute("." * node.level + (node.module or ""), package)
                self._stars[star] = NameBinding("*", star, end, item.reach)
            if isinstance(node, ast.Import):
                whole = (each.name for each in node.names if each.asname is None)
                self._loaded += (NameBinding(name, name, end, item.reach) for name in whole)
            for name in dict.fromkeys(name for name, _ in bindings(node)):
                target = imported[name].target if name in imported else ""
                self._has_typing_names |= target.startswith("typing.")
                if target.startswith(_EXTENSIONS):  # `typing_extensions` re-exports `typing`
                    target = f"typing.{target.removeprefix(_EXTENSIONS)}"
                found.append(NameBinding(name, target, end, item.reach))
        for each in module.nodes:
            if isinstance(each, ast.Global):
                found += (NameBinding(name, "", text.end(each)) for name in each.names)
            elif isinstance(each, ast.NamedExpr):
                # It counts as the module's: to find its scope would take a walk over all expressions.
                found.append(NameBinding(each.target.id, "", text.start(each)))
        self._bindings = grouped((each.name, each) for each in found)
        # The names that may all come from a star-import.
        fields = ("id", "attr", "arg", "name") if self._stars else ()
        names = (getattr(node, field, None) for field in fields for node in module.nodes)
        self._mentioned = frozenset(name for name in names if isinstance(name, str))

    def is_defined(self, name: str, before: int = sys.maxsize) -> bool:
        """Whether the file itself binds the name, before an offset if one is given."""
        return any(each.end <= before for each in self._bindings.get(name, ()))

    def evaluates(self, name: str, offset: int) -> bool:
        star = self._stars.get("typing")
        typing_names = [star] if star is not None and name in _TYPING_NAMES else []
        sure = (each for each in (*self._bindings.get(name, ()), *typing_names) if each.reach is Reach.ALWAYS)
        return name in _BUILTINS or any(each.end <= offset for each in sure)

    def find(self, qualified: Qualified, site: Site, planned: Sequence[Import]) -> str | None:
        """How the file already names the class at the site; None if it does not."""
        for target, rest in self._targets(qualified):
            for name, known in self._bindings.items():
                if target and known[0].target == target and self._holds(name, site):
                    return name + rest
        if self._is_in_star(qualified, site):
            return qualified.qualname
        for each in () if qualified.whole else self._loaded:
            if each.name == qualified.module and each.end <= site.offset and self._holds(qualified.package, site):
                return qualified.dotted
        for new in planned:
            if f"{qualified.dotted}.".startswith(f"{new.target}.") and new.bound not in site.shadows:
                return qualified.reached_by(new)
        return None

    def _is_in_star(self, qualified: Qualified, site: Site) -> bool:
        """Whether `from typing import *` binds the name; the names of other modules are not known here."""
        star = self._stars.get(qualified.module)
        if star is None or qualified.module != "typing" or qualified.root not in _TYPING_NAMES:
            return False
        in_time = star.reach is Reach.ALWAYS and star.end <= site.offset
        return in_time and self.is_free(qualified.root, qualified.dotted, site)

    def _targets(self, qualified: Qualified) -> Iterator[tuple[str, str]]:
        """The targets of names through which the class can be reached, each with the rest of the path."""
        yield f"{qualified.module}.{qualified.root}", qualified.rest
        if not qualified.whole:
            yield from ((f"{each}.{qualified.root}", qualified.rest) for each in parents(qualified.module))
            yield qualified.module, f".{qualified.qualname}"
        elif qualified.module != "typing" or not self._has_typing_names:
            for module in (qualified.module, *parents(qualified.module)):
                yield module, qualified.dotted[len(module) :]

    def _holds(self, name: str, site: Site) -> bool:
        """Whether the name surely has at the site the value from the import."""
        if name in site.shadows:
            return False
        bindings = self._bindings.get(name, ())
        early = [each.reach for each in bindings if each.end <= site.offset and each.reach is not Reach.TYPING]
        sure = Reach.ALWAYS in early or len(early) > 1
        return sure and len({each.target for each in bindings}) == 1

    def is_free(self, name: str, target: str, site: Site = NOWHERE) -> bool:
        """Whether the module may bind the name to the target: nothing else has that name."""
        if name in _BUILTINS or name in site.shadows:
            return False
        foreign = any(star.partition(".")[0] != target.partition(".")[0] for star in self._stars)
        if foreign and name in self._mentioned and name not in self._bindings:
            return False
        return all(each.target == target for each in self._bindings.get(name, ()))

    def plan(self, qualified: Qualified, site: Site, planned: Sequence[Import]) -> Import | None:
        """The import that makes the class reachable at the site without hiding anything."""
        taken = {new.bound: new.target for new in planned}
        root = qualified.root
        candidates = [Import(qualified.module, root, root)]
        if qualified.whole:
            candidates.append(Import(qualified.package, "", qualified.package))
        candidates += [Import(qualified.module, root, f"_{root}{suffix}") for suffix in ("", *range(1, 10))]
        possible = (new for new in candidates if taken.get(new.bound, new.target) == new.target)
        return next((new for new in possible if self.is_free(new.bound, new.target, site)), None)

"""`@torch.jit._overload` stubs: each takes some of the types that their implementation takes.

An example enters the implementation alone, so the types of its parameters are divided between the stubs: the first type
to the first stub, the rest to the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.legalize.numbers import NUMBERS
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import NONE, TypeExpr

# Without their underscore, which an `import … as` drops. A stub of typing's is one as well, and is never compiled.
DECORATORS = ("overload", "overload_method")


@dataclass(frozen=True)
class Stub:
    """One stub, with its implementation and all stubs of that, itself included, in source order."""

    function: Function
    implementation: Function
    all: tuple[Function, ...]

    def deal(self, name: str, types: Sequence[TypeExpr]) -> list[TypeExpr]:
        """The types of a parameter that belong to this stub; None belongs to all."""
        kinds: list[list[TypeExpr]] = []  # groups that are one type to a stub: numbers, lists of any elements
        for new in (each for each in types if each != NONE):
            kind = next((kind for kind in kinds if _is_one_kind(kind[0], new)), None)
            if kind is None:
                kinds.append([new])
            else:
                kind.append(new)
        declared = [(each, each.parameter(name)) for each in self.all]
        written = [(each, parameter.annotation if parameter else "") for each, parameter in declared]
        free = [each for each, annotation in written if not annotation]
        taken = [type_ for _, annotation in written if (type_ := read_annotation(annotation)) is not None]
        left = [kind for kind in kinds if not any(_is_one_kind(kind[0], other) for other in taken)] or kinds
        place = free.index(self.function)
        mine = left[place:] if place == len(free) - 1 else left[place : place + 1]
        return [type_ for type_ in types if type_ == NONE or any(type_ in kind for kind in mine or left[-1:])]


def is_stub(function: Function) -> bool:
    """Whether a function is the declaration of an overload, which never runs."""
    return any(decorator.rpartition(".")[2].lstrip("_") in DECORATORS for decorator in function.decorators)


def find_stubs(functions: Iterable[Function]) -> dict[Owner, Stub]:
    """The stubs among the functions of a file that an implementation follows."""
    by_name: dict[str, list[Function]] = {}
    for function in functions:
        by_name.setdefault(function.owner.qualname, []).append(function)
    return {
        stub.owner: Stub(stub, group[-1], tuple(stubs))
        for group in by_name.values()
        if (stubs := list(filter(is_stub, group))) and not is_stub(group[-1])
        for stub in stubs
    }


def _is_one_kind(one: TypeExpr, other: TypeExpr) -> bool:
    if one.name in NUMBERS and other.name in NUMBERS:
        return True
    return consolidate([one, other])[0].name != "Union"

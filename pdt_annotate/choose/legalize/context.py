"""What every rule is handed beside the type: where the type stands, the known classes, and the way to recurse."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pdt_annotate.values.slots import ClassInfo, Illegal, Legal, SlotKind
from pdt_annotate.values.types import TypeExpr

LegalOrNot = Legal | Illegal
Apply = Callable[[TypeExpr, "Context"], LegalOrNot | None]


class TypePosition(enum.Enum):
    """Where a type stands, as far as the choice between legal types depends on it."""

    PARAMETER = "parameter"
    RETURN = "return"
    LOCAL = "local"
    ATTRIBUTE = "attribute"
    ELEMENT = "element of a list or dict"


@dataclass(frozen=True)
class Rule:
    """A row of the table: `apply` answers None where the type is not the rule's own."""

    name: str
    apply: Apply


@dataclass(frozen=True)
class Context:
    """One legalization: the slot's kind, the observed classes by dotted name, and the ordered table of rules."""

    kind: SlotKind
    classes: Mapping[str, ClassInfo]
    rules: tuple[Rule, ...]
    element: bool = False

    @property
    def place(self) -> TypePosition:
        return TypePosition.ELEMENT if self.element else TypePosition[self.kind.name]

    @property
    def converts(self) -> bool:
        """Whether values come from Python, whose numbers, tuples and sizes TorchScript converts on entry."""
        return self.kind in (SlotKind.PARAMETER, SlotKind.ATTRIBUTE)

    def legalize(self, type: TypeExpr) -> LegalOrNot:
        """The answer of the first rule that knows the type."""
        for rule in self.rules:
            result = rule.apply(type, self)
            if result is not None:
                return credit(result, rule.name)
        raise LookupError(f"no rule for {type}")

    def inside(self) -> Context:
        """The context of a list's or dict's elements."""
        return replace(self, element=True)

    def info(self, type: TypeExpr) -> ClassInfo | None:
        return self.classes.get(type.name)


def credit(result: LegalOrNot, rule: str) -> LegalOrNot:
    """The result with the rule's name in front of the rules that helped it."""
    if isinstance(result, Illegal):
        return result
    return replace(result, rules=tuple(dict.fromkeys((rule, *result.rules))))

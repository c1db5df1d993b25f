"""`if self.flag:` decides what is compiled, where the compiler knows the flag for a constant: `flag: Final[bool]`.

Tried where the failing statement stands in such a branch, and where returns differ that stand in different ones.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.ir import Slot, SlotKind, TypeExpr
from pdt_annotate.repair.attributes import classes_with, observed_types, repeat_inherited
from pdt_annotate.repair.returns import is_about_returns
from pdt_annotate.repair.situation import Proposal, Situation
from pdt_annotate.survey import Class, Function

# What the compiler takes for a condition that is known beforehand; a comparison with a constant is none.
CONSTANT_TYPES = ("bool", "int")


def propose(situation: Situation) -> Iterator[Proposal]:
    """Make each flag that guards the failing statement a constant."""
    function = situation.function
    cls = situation.class_of(function) if function is not None else None
    if function is None or cls is None:
        return
    for name in _guarding_flags(function, situation):
        types = observed_types(situation, cls.owner.qualname.rpartition(".")[2], name)
        constant = bool(types) and all(type_.name in CONSTANT_TYPES for type_ in types) and len(set(types)) == 1
        if constant and not _is_reassigned(situation, cls, name):
            yield from _make_final(situation, cls, name, types[0])


def _make_final(situation: Situation, cls: Class, name: str, type_: TypeExpr) -> Iterator[Proposal]:
    for owner in classes_with(situation, cls.owner.qualname.rpartition(".")[2], name):
        slot = Slot(owner.owner, SlotKind.ATTRIBUTE, name)
        for annotation in situation.annotate(slot, [type_]):
            final = replace(annotation, final=True, rules=("constant flag",))
            if situation.plan.get(slot) != final:
                yield Proposal((final, *repeat_inherited(situation, owner)))
            break


def _guarding_flags(function: Function, situation: Situation) -> list[str]:
    """The attributes that the tests of guarding branches read, the innermost branch first."""
    line = situation.failure.line
    about_returns = is_about_returns(situation.failure.message)
    guards = [
        node
        for node in ast.walk(function.node)
        if isinstance(node, (ast.If, ast.IfExp))
        and (node.lineno <= line <= (node.end_lineno or 0) or (about_returns and _returns(node)))
    ]
    guards.sort(key=lambda node: -node.lineno)
    return list(dict.fromkeys(name for guard in guards for name in _attributes(guard.test, function.receiver)))


def _returns(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Return) for inner in ast.walk(node))


def _attributes(test: ast.expr, receiver: str) -> Iterator[str]:
    for node in ast.walk(test):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
            yield node.attr


def _is_reassigned(situation: Situation, cls: Class, name: str) -> bool:
    """Whether a method other than the constructor sets the attribute."""
    survey = situation.project.survey(cls.owner.file)
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
        for function in survey.functions
        if function.in_class == cls.owner.qualname and not function.owner.qualname.endswith(".__init__")
        if function.owner in situation.compiled
        for node in ast.walk(function.node)
    )

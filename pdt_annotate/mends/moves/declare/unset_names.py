"""A name that one branch sets, and that is only read after that branch was taken, is set before the branch.

Message: `width is not defined in the false branch`.
Kind: exact.
Needs: all reads after the branch are under the same test, or under a flag that is False before, and True in that
    branch alone; the value is a number, a bool, a str or a Tensor by the source.
Before:
    framed = False
    if x.shape[-1] > self.steps:
        width = self.steps // 2
        framed = True
    return x[:width] if framed else x
After:
    framed = False
    width = 0
    if x.shape[-1] > self.steps:
        width = self.steps // 2
        framed = True
    return x[:width] if framed else x
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import BRANCH_LACKS
from pdt_annotate.mends.kit.blocks import blocks
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.expressions import BOOL, FLOAT, INT, STR, type_of_expression
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR, TypeExpr

NEVER_READ = {INT: "0", FLOAT: "0.0", BOOL: "False", STR: '""'}
UNORDERED = (ast.For, ast.While, ast.Try, ast.AsyncFor)  # may run a statement again, or go on after it failed
SIMPLE = (
    *(ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp),
    *(ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context),
)
DEPTH = 8


@dataclass(frozen=True)
class _Branch:
    """An arm of an `if`, and the statements before and after the `if`."""

    test: ast.expr | None
    arm: Sequence[ast.stmt]
    before: Sequence[ast.stmt]
    after: Sequence[ast.stmt]


def find(site: FunctionContext) -> Iterator[Mend]:
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            is_first = isinstance(statement, ast.If) and site.source(statement).startswith("if")
            is_unordered = any(isinstance(outer, UNORDERED) for outer in site.around(statement))
            if isinstance(statement, ast.If) and is_first and not is_unordered:
                for test, arm in ((statement.test, statement.body), (None, statement.orelse)):
                    branch = _Branch(test, arm, block[:index], block[index + 1 :])
                    for assigned in _unset(site, statement, branch):
                        yield from _mend(site, statement, assigned)


def _unset(site: FunctionContext, statement: ast.If, branch: _Branch) -> Iterator[ast.Assign]:
    """The assignments of a branch to names that are not set before, and that are read only if it was taken."""
    for assigned in branch.arm:
        target = assigned.targets[0] if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1 else None
        if not isinstance(target, ast.Name) or site.function.parameter(target.id):
            continue
        end = statement.end_lineno or statement.lineno
        inside = {node for each in branch.arm for node in ast.walk(each)}
        bound = [n for n in stores(site.node, target.id) if n not in inside]
        read = [n for n in loads(site.node, target.id) if n not in inside]
        is_first = min(stores(site.node, target.id), key=lambda n: n.lineno) is target
        is_after = {node for each in branch.after for node in ast.walk(each)}.issuperset(read)
        if not is_first or not is_after or any(n.lineno <= end for n in bound):
            continue
        if read and all(_is_guarded(site, statement, branch, use) for use in read):
            yield assigned  # type: ignore[misc]


def _is_guarded(site: FunctionContext, statement: ast.If, branch: _Branch, use: ast.AST) -> bool:
    """Whether a use is under a test that is only true if the branch was taken."""
    for outer in site.around(use):
        if isinstance(outer, (ast.If, ast.IfExp)):
            body, test = outer.body if isinstance(outer, ast.If) else [outer.body], outer.test
            parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else []
            is_inside = any(use in ast.walk(each) for each in body)
            if is_inside and any(_implies(site, statement, branch, each) for each in (test, *parts)):
                return True
    return False


def _implies(site: FunctionContext, statement: ast.If, branch: _Branch, test: ast.expr) -> bool:
    if branch.test is not None and ast.dump(test) == ast.dump(branch.test):
        names = [n.id for n in ast.walk(test) if isinstance(n, ast.Name)]
        is_simple = all(isinstance(n, SIMPLE) for n in ast.walk(test))
        return is_simple and all(n.lineno < statement.lineno for name in names for n in stores(site.node, name))
    # A flag: it is set to False in front of the branch, to True in it, and nowhere else.
    is_set = isinstance(test, ast.Name) and _sets(branch.before, test.id, False) and _sets(branch.arm, test.id, True)
    return is_set and len(stores(site.node, test.id)) == 2  # type: ignore[attr-defined]


def _sets(block: Sequence[ast.stmt], name: str, value: bool) -> bool:
    assigned = (s for s in block if isinstance(s, ast.Assign) and is_name(s.targets[0], name))
    return any(isinstance(s.value, ast.Constant) and s.value.value is value for s in assigned)


def _mend(site: FunctionContext, statement: ast.If, assigned: ast.Assign) -> Iterator[Mend]:
    type_, name = type_of_expression(assigned.value, _Names(site)), ast.unparse(assigned.targets[0])
    if type_ is None:
        return
    called, imports = site.spell("torch.empty") if type_.name == TENSOR.name else ("", ())
    value = f"{called}(0)" if called else NEVER_READ.get(type_)
    if value:
        new = f"{name} = {value}"
        edits = [site.insert_before(statement, new)]
        yield site.mend(RULE.name, MendKind.EXACT, assigned, f"`{new}` before the branch", edits, imports=imports)


@dataclass(frozen=True)
class _Names:
    """The types of names and attributes, as observed, or from the values assigned to them."""

    site: FunctionContext
    depth: int = 0

    def type_of_name(self, name: str) -> TypeExpr | None:
        stored, types = stores(self.site.node, name), set(self.site.observed(name))
        if len(stored) != 1 or self.site.function.parameter(name) is not None:
            return types.pop() if len(types) == 1 else None
        outer = self.site.parents[stored[0]]
        if isinstance(outer, ast.Assign) and self.depth < DEPTH:
            return type_of_expression(outer.value, _Names(self.site, self.depth + 1))
        around = self.site.parents[outer] if isinstance(outer, ast.Tuple) else None
        value = around.value if isinstance(around, ast.Assign) else None
        return INT if isinstance(value, ast.Attribute) and value.attr == "shape" else None

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        types = {value.type for value in self.site.held(self.site.self_attribute(node)).values}
        return next((each for each in NEVER_READ if {f"builtins.{each.name}"} == types), None)

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        definition = self.site.definition(node.func)
        types = self.site.at(definition).observed("return") if definition else ()
        return types[0] if len(types) == 1 else None


RULE = MendRule("unset_names", MendKind.EXACT, said(BRANCH_LACKS), find, sweeps=False)

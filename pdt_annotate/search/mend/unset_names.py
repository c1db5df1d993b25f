"""A name that one branch sets, and that is read where that branch was taken alone, is set before.

Message: `width is not defined in the false branch`.
Kind: exact.
Needs: all reads behind the branch stand under the same test, or under a flag that is False before, and True in that
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
from pdt_annotate.search.mend.local_functions import blocks
from pdt_annotate.search.mend.site import MendRule, MendSite, said
from pdt_annotate.search.mend.spelled import is_plain, loads, stores
from pdt_annotate.source.expressions import BOOL, FLOAT, INT, STR, type_of_expression
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR, TypeExpr

NEVER_READ = {INT: "0", FLOAT: "0.0", BOOL: "False", STR: '""'}
UNORDERED = (ast.For, ast.While, ast.Try, ast.AsyncFor)
DEPTH = 8


@dataclass(frozen=True)
class _Branch:
    """An arm of an `if`, and the statements in front of and behind that."""

    test: ast.expr | None
    arm: Sequence[ast.stmt]
    before: Sequence[ast.stmt]
    behind: Sequence[ast.stmt]


def find(site: MendSite) -> Iterator[Mend]:
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            is_first = isinstance(statement, ast.If) and site.source(statement).startswith("if")
            if isinstance(statement, ast.If) and is_first and not _is_unordered(site, statement):
                for test, arm in ((statement.test, statement.body), (None, statement.orelse)):
                    branch = _Branch(test, arm, block[:index], block[index + 1 :])
                    for assigned in _unset(site, statement, branch):
                        yield from _mend(site, statement, assigned)


def _is_unordered(site: MendSite, statement: ast.stmt) -> bool:
    """Whether something around a statement may run it again, or go on where it failed."""
    around: ast.AST = statement
    while (around := site.parents[around]) is not site.node:
        if isinstance(around, UNORDERED):
            return True
    return False


def _unset(site: MendSite, statement: ast.If, branch: _Branch) -> Iterator[ast.Assign]:
    """The assignments of a branch to names that are not set before, and are read where the branch was taken alone."""
    for assigned in branch.arm:
        target = assigned.targets[0] if isinstance(assigned, ast.Assign) and len(assigned.targets) == 1 else None
        if (
            not isinstance(assigned, ast.Assign)
            or not isinstance(target, ast.Name)
            or site.function.parameter(target.id)
        ):
            continue
        end = statement.end_lineno or statement.lineno
        inside = {node for each in branch.arm for node in ast.walk(each)}
        bound = [n for n in stores(site.node, target.id) if n not in inside]
        read = [n for n in loads(site.node, target.id) if n not in inside]
        is_first = min(stores(site.node, target.id), key=lambda n: n.lineno) is target
        is_behind = {node for each in branch.behind for node in ast.walk(each)}.issuperset(read)
        if not is_first or not is_behind or any(n.lineno <= end for n in bound):
            continue
        if read and all(_is_guarded(site, statement, branch, use) for use in read):
            yield assigned


def _is_guarded(site: MendSite, statement: ast.If, branch: _Branch, use: ast.AST) -> bool:
    """Whether a use stands under a test that holds only where the branch was taken."""
    outer = site.parents[use]
    while outer is not site.node:
        if isinstance(outer, (ast.If, ast.IfExp)) and _is_in_body(outer, use):
            parts = (
                outer.test.values if isinstance(outer.test, ast.BoolOp) and isinstance(outer.test.op, ast.And) else []
            )
            if any(_implies(site, statement, branch, each) for each in (outer.test, *parts)):
                return True
        outer = site.parents[outer]
    return False


def _is_in_body(outer: ast.If | ast.IfExp, use: ast.AST) -> bool:
    body = outer.body if isinstance(outer, ast.If) else [outer.body]
    return any(use in ast.walk(each) for each in body)


def _implies(site: MendSite, statement: ast.If, branch: _Branch, test: ast.expr) -> bool:
    if branch.test is not None and ast.dump(test) == ast.dump(branch.test):
        names = [n.id for n in ast.walk(test) if isinstance(n, ast.Name)]
        simple = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context)
        is_simple = all(isinstance(n, simple) or is_plain(n) for n in ast.walk(test))  # type: ignore[arg-type]
        is_own = not any(isinstance(n, ast.Attribute) for n in ast.walk(test))
        settled = all(n.lineno < statement.lineno for name in names for n in stores(site.node, name))
        return is_simple and is_own and settled
    return isinstance(test, ast.Name) and _is_flag(site, branch, test.id)


def _is_flag(site: MendSite, branch: _Branch, name: str) -> bool:
    """Whether a name is set to False in front of the branch, to True in it, and nowhere else."""
    sets = [_sets(branch.before, name, False), _sets(branch.arm, name, True)]
    return all(sets) and len(stores(site.node, name)) == len(sets)


def _sets(block: Sequence[ast.stmt], name: str, value: bool) -> bool:
    assigned = (s for s in block if isinstance(s, ast.Assign) and is_name(s.targets[0], name))
    return any(isinstance(s.value, ast.Constant) and s.value.value is value for s in assigned)


def _mend(site: MendSite, statement: ast.If, assigned: ast.Assign) -> Iterator[Mend]:
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
    """What names and attributes are, by what was seen, and by what is assigned to them."""

    site: MendSite
    depth: int = 0

    def type_of_name(self, name: str) -> TypeExpr | None:
        stored, types = stores(self.site.node, name), set(self.site.observed(name))
        if len(stored) == 1 and self.site.function.parameter(name) is None:
            return self._of(stored[0])
        return types.pop() if len(types) == 1 else None

    def _of(self, stored: ast.Name) -> TypeExpr | None:
        outer = self.site.parents[stored]
        if isinstance(outer, ast.Assign) and self.depth < DEPTH:
            return type_of_expression(outer.value, _Names(self.site, self.depth + 1))
        is_of_sizes = isinstance(outer, ast.Tuple) and isinstance(self.site.parents[outer], ast.Assign)
        value = self.site.parents[outer].value if is_of_sizes else None  # type: ignore[attr-defined]
        return INT if isinstance(value, ast.Attribute) and value.attr == "shape" else None

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        types = {value.type for value in self.site.held(self.site.self_attribute(node)).values}
        return next((each for each in NEVER_READ if {f"builtins.{each.name}"} == types), None)

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        definition = self.site.definition(node.func)
        types = self.site.at(definition).observed("return") if definition else ()
        return types[0] if len(types) == 1 else None


RULE = MendRule("unset_names", MendKind.EXACT, said(BRANCH_LACKS), find, sweeps=False)

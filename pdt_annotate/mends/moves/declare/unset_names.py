"""A name that only a branch or a loop sets, and that is read after it, is set before, perhaps in the scripted model.

Python raises an error if such a branch or loop does not run and the name is read; the compiler refuses the name.

Message: `width is not defined in the false branch`, `undefined value`.
Kind: exact if the name is only read after the branch was taken, or if the scripted model raises an error where Python
    does; otherwise scripted.
Needs: all reads after the branch are under the same test, or under a flag that is False before, and True in that branch
    alone. Otherwise code reads the name only after the loop or branch that sets it, or later in it, where (exact) an
    assertion can be in front. The value is a number, a bool, a str, a Tensor or a list of Tensors.
Before:
    framed = False
    if x.shape[-1] > self.steps:
        width = self.steps // 2
        framed = True
    for layer in self.layers:
        out = layer(x[:width] if framed else x)
    return out
After:
    framed = False
    width = 0
    if x.shape[-1] > self.steps:
        width = self.steps // 2
        framed = True
    if torch.jit.is_scripting():
        out: Optional[torch.Tensor] = None
    for layer in self.layers:
        out = layer(x[:width] if framed else x)
    if torch.jit.is_scripting():
        assert out is not None
    return out
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import BRANCH_LACKS, UNDEFINED
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, LOOPS, blocks, is_set_before
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import CHOOSING, loads, stores
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NEVER_READ = {"int": "0", "float": "0.0", "bool": "False", "str": '""', "list[torch.Tensor]": "[]"}
OUTER = (*LOOPS, ast.If, ast.With)
UNORDERED = (ast.For, ast.While, ast.Try, ast.AsyncFor)  # may run a statement again, or go on after it failed
SIMPLE = (
    *(ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp),
    *(ast.cmpop, ast.boolop, ast.unaryop, ast.expr_context),
)


@dataclass(frozen=True)
class _Branch:
    """An arm of an `if`, and the statements before and after the `if`."""

    test: ast.expr | None
    arm: Sequence[ast.stmt]
    before: Sequence[ast.stmt]
    after: Sequence[ast.stmt]


def find(site: FunctionContext) -> Iterator[Mend]:
    named = set[str]()
    for block in blocks(site.node):
        for index, statement in enumerate(block):
            is_first = isinstance(statement, ast.If) and site.source(statement).startswith("if")
            is_unordered = any(isinstance(outer, UNORDERED) for outer in site.around(statement))
            if isinstance(statement, ast.If) and is_first and not is_unordered:
                for test, arm in ((statement.test, statement.body), (None, statement.orelse)):
                    branch = _Branch(test, arm, block[:index], block[index + 1 :])
                    for assigned in _unset(site, statement, branch):
                        name = ast.unparse(assigned.targets[0])
                        new = _set(site, name, assigned.value)
                        if new:
                            named.add(name)
                            edits, summary = [site.insert_before(statement, new)], f"`{new}` before the branch"
                            yield site.mend(assigned, summary, edits)
    lacks = BRANCH_LACKS.read(site.failure.message) if site.failure else None
    for name in sorted(({lacks["name"]} if lacks else site.failing_names) - named):
        yield from _scripted(site, name)


def _scripted(site: FunctionContext, name: str) -> Iterator[Mend]:
    bound, read = stores(site.node, name), loads(site.node, name)
    around = [outer for outer in site.around(bound[0]) if isinstance(outer, OUTER)] if bound else []
    if not around or not read or site.function.parameter(name):
        return
    first = min(bound, key=lambda node: (node.lineno, node.col_offset))
    is_late = set(ast.walk(around[-1])).issuperset(bound) and all(node.lineno >= first.lineno for node in read)
    asked, new = site.spell(IS_SCRIPTING), _set(site, name, read[0])
    if not new or not is_late:
        return
    edits = _asserted(site, name, f"if {asked}():\n    assert {name} is not None")
    left_out = "" if edits else f"the error for `{name}` if nothing sets it"
    if edits:
        new = f"{name}: {site.spell('typing.Optional')}[{_type(site, read[0])}] = None"
    edits.append(site.insert_before(around[-1], f"if {asked}():\n    {new}"))
    yield site.mend(around[-1], f"`{new}` before it is set, in the scripted model", edits, left_out=left_out)


def _asserted(site: FunctionContext, name: str, check: str) -> list[Edit]:
    """The edits that check the name where it is read before it is surely set; none if a use cannot have a check."""
    setting = {site.statement(node)[0] for node in stores(site.node, name)}
    read = sorted(loads(site.node, name), key=lambda node: (node.lineno, node.col_offset))
    is_plain = all(isinstance(each, (ast.Assign, ast.AnnAssign)) for each in setting) and _type(site, read[0])
    edits, checked = list[Edit](), set[ast.stmt]()
    for use in read if is_plain else ():
        statement, between = site.statement(use)
        if is_set_before(site, statement, checked | setting) or statement in checked:
            continue
        is_first = site.begins_line(statement) and not site.source(statement).startswith(("elif", "while"))
        if not is_first or any(isinstance(node, CHOOSING) for node in between):
            return []
        checked.add(statement)
        edits.append(site.insert_before(statement, check))
    return edits


def _type(site: FunctionContext, value: ast.expr) -> str:
    if site.is_always(value, "torch.Tensor"):
        return site.spell("torch.Tensor")
    if site.is_always(value, "list[torch.Tensor]"):
        return f"{site.spell('typing.List')}[{site.spell('torch.Tensor')}]"
    return next((each for each in NEVER_READ if each.isalpha() and site.is_always(value, each)), "")


def _set(site: FunctionContext, name: str, value: ast.expr) -> str:
    """An assignment of a value that is never read, of the type of another; "" if there is none."""
    if site.is_always(value, "torch.Tensor"):
        return f"{name} = {site.spell('torch.empty')}(0)"
    return next((f"{name} = {text}" for type_, text in NEVER_READ.items() if site.is_always(value, type_)), "")


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


RULE = MendRule("unset_names", MendKind.EXACT, said(BRANCH_LACKS, UNDEFINED), find, sweeps=False)

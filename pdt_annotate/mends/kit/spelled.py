"""Expressions: the names that they read and test, and their text in another place, in parentheses if needed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.edits import Edit

ANY, CHOICE, OR, AND, NOT, COMPARE, ARITHMETIC, NUMBER, ATOM = range(9)
"""How tightly an expression binds; at equal strength, the right operand of an operator gets parentheses.

`1.real` is no attribute of 1.
"""

INNER = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
"""Expressions that bind names of their own."""
CHOOSING = (ast.IfExp, ast.BoolOp, *INNER)  # expressions whose parts may not be evaluated, or more than once

IS_NOT_NONE = " is not None"

_STRENGTH: Mapping[type[ast.AST], int] = {
    ast.NamedExpr: ANY,
    ast.Starred: ANY,
    ast.Yield: ANY,
    ast.YieldFrom: ANY,
    ast.Lambda: CHOICE,
    ast.IfExp: CHOICE,
    ast.Compare: COMPARE,
    ast.BinOp: ARITHMETIC,
    ast.UnaryOp: ARITHMETIC,
    ast.Await: ARITHMETIC,
}


@dataclass(frozen=True)
class Expression:
    """Source text of an expression, and how tightly it binds."""

    text: str
    strength: int

    def at_least(self, strength: int) -> str:
        """The text, in parentheses if it binds less tightly, or if a line ends outside of brackets."""
        return self.text if self.strength >= strength and is_whole(self.text) else f"({self.text})"


Put = Callable[[ast.expr], Expression | None]
"""The replacement of an expression; None to keep it and try its parts."""


def strength(node: ast.AST) -> int:
    if isinstance(node, ast.BoolOp):
        return OR if isinstance(node.op, ast.Or) else AND
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return NOT
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return NUMBER
    return _STRENGTH.get(type(node), ATOM)


def wanted(parent: ast.AST, child: ast.expr) -> int:
    """How tightly an expression must bind to need no parentheses in its place."""
    if isinstance(parent, ast.IfExp):
        return CHOICE if child is parent.orelse else OR
    if isinstance(parent, ast.comprehension):
        return ANY if child is parent.target else OR
    if isinstance(parent, (ast.BoolOp, ast.UnaryOp, ast.Compare)):
        return strength(parent) + (not isinstance(parent, ast.UnaryOp) or not isinstance(parent.op, ast.Not))
    if isinstance(parent, (ast.BinOp, ast.Attribute, ast.Await)):
        return NUMBER if isinstance(parent, ast.BinOp) else ATOM
    if isinstance(parent, (ast.Call, ast.Subscript)):
        is_head = child is (parent.func if isinstance(parent, ast.Call) else parent.value)
        return ATOM if is_head else CHOICE
    if isinstance(parent, ast.Starred):
        return ARITHMETIC
    return CHOICE


def spell(site: FunctionContext, node: ast.AST, put: Put = lambda node: None) -> Expression:
    """The source of an expression or of an argument, with some of its parts replaced, if any."""
    new = put(node) if isinstance(node, ast.expr) else None
    if new is not None:
        return new
    start, end = site.span(node)
    return Expression(site.text.edited(edits_inside(site, node, put), start, end).decode(), strength(node))


def put_in(site: FunctionContext, node: ast.expr, new: Expression) -> Edit:
    """The edit that replaces an expression; `not` in front of `x is not None` becomes `x is None`."""
    parent = site.parents[node]
    is_not = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
    if is_not and new.strength == COMPARE and new.text.endswith(IS_NOT_NONE) and new.text.count(" is ") == 1:
        return site.replace(parent, new.text.removesuffix(IS_NOT_NONE) + " is None")
    start, end = site.span(node)
    has_brackets = site.text.body[:start].endswith(b"(") and site.text.body[end:].startswith(b")")
    if has_brackets and new.strength < strength(node) < NUMBER:
        return site.replace(node, new.text)
    return site.replace(node, new.at_least(wanted(parent, node)))


def edits_inside(site: FunctionContext, node: ast.AST, put: Put) -> Iterator[Edit]:
    """Replaces parts of a node, and nothing that contains it."""
    for child in ast.iter_child_nodes(node):
        new = put(child) if isinstance(child, ast.expr) else None
        if new is not None:
            yield site.replace(child, new.at_least(wanted(node, child)))  # type: ignore[arg-type]
        else:
            yield from edits_inside(site, child, put)


def respelled(site: FunctionContext, inner: FunctionContext) -> Put:
    """How the file of a site spells what a function of another file reads of its own file."""

    def put(node: ast.expr) -> Expression | None:
        meant = inner.meaning(node)
        if isinstance(node, ast.Name) and node.id in inner.module.qualnames - inner.local_names:
            meant = f"{inner.project.module_name(inner.file)}.{node.id}".lstrip(".")
        return Expression(site.spell(meant), ATOM) if meant and inner.file != site.file else None

    return put


def names_for(values: Mapping[str, Expression]) -> Put:
    return lambda node: values.get(node.id) if isinstance(node, ast.Name) else None


def is_whole(text: str) -> bool:
    """Whether the text of an expression is valid without parentheses around it."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def is_plain(node: ast.expr) -> bool:
    """Whether an expression may be evaluated once more, later, or not at all: names, attributes and constants."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return True
    if isinstance(node, ast.UnaryOp):
        return is_plain(node.operand)
    return isinstance(node, ast.Attribute) and is_plain(node.value)


def may_stand(body: ast.expr, passed: Mapping[str, ast.expr]) -> bool:
    """Whether arguments may be written in the place of the parameters that an expression reads.

    They are plain, except for one that the expression reads once, always, and before it calls anything else.
    """
    names = {n.id for each in passed.values() for n in ast.walk(each) if isinstance(n, ast.Name)}
    complex_ = [name for name, argument in passed.items() if not is_plain(argument)]
    is_free = names_inside(body).isdisjoint({*passed, *names})
    return is_free and len(complex_) <= 1 and all(_is_first(body, name) for name in complex_)


def _is_first(body: ast.expr, name: str) -> bool:
    """Whether an expression always reads a name once, and calls nothing before."""
    uses = loads(body, name)
    around = [node for node in ast.walk(body) if len(uses) == 1 and uses[0] in ast.walk(node)]
    doing = (ast.Call, ast.Subscript, ast.BinOp)
    calls = [node for node in ast.walk(body) if isinstance(node, doing) and node not in around]
    position = (uses[0].lineno, uses[0].col_offset) if uses else (0, 0)
    is_late = any((n.lineno, n.col_offset) < position for n in calls)
    return len(uses) == 1 and not is_late and not any(isinstance(node, CHOOSING) for node in around)


GOING_OVER = frozenset(("all", "any", "enumerate", "len", "list", "map", "max", "min", "sum", "tuple", "zip"))
"""Functions that only go over the items of an argument."""


def is_gone_over(site: FunctionContext, node: ast.expr) -> bool:
    """Whether a loop or such a function goes over the items of an expression, and nothing else is done with it."""
    match site.parents[node]:
        case ast.Call(ast.Name(function), args):
            return function in GOING_OVER - site.local_names and node in args
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is node
    return False


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def loads(node: ast.AST, name: str) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]


def stores(node: ast.AST, name: str) -> list[ast.Name]:
    """The places that bind or delete a name."""
    return [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)]


def is_hidden(site: FunctionContext, node: ast.AST, names: Iterable[str]) -> bool:
    """Whether a comprehension or a function around a node, inside the site's, binds one of the names."""
    inner = (outer for outer in site.around(node) if isinstance(outer, (*INNER, ast.FunctionDef)))
    return any(outer is not site.node and not names_inside(outer).isdisjoint(names) for outer in inner)


def targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def tested(tree: ast.AST) -> list[ast.expr]:
    """The expressions that are used for their truth alone, the innermost operands: `if a and not b: …` → a, b."""
    found = {operand: None for node in ast.walk(tree) for test in tests(node) for operand in operands(test)}
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def tests(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.ifs if isinstance(node, ast.comprehension) else []


def operands(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test that `and`, `or` and `not` join."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from operands(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from operands(test.operand)
    else:
        yield test

"""Expressions: the names that they read and test, and their text in another place, in parentheses if needed."""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.source.scopes import names_in, names_inside
from pdt_annotate.source.syntax import nodes_in, parents
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped

ANY, CHOICE, OR, AND, NOT, COMPARE, ARITHMETIC, NUMBER, ATOM = range(9)
"""How tightly an expression binds; at equal strength, the right operand of an operator gets parentheses.

`1.real` is no attribute of 1.
"""

INNER = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
"""Expressions that bind names of their own."""
CHOOSING = (ast.IfExp, ast.BoolOp, *INNER)  # expressions whose parts may not be evaluated, or more than once

IS_NOT_NONE = " is not None"


@dataclass(frozen=True)
class Expression:
    """Source text of an expression, and how tightly it binds."""

    text: str
    strength: int = ATOM

    def at_least(self, strength: int) -> str:
        """The text, in parentheses if it binds less tightly, or if a line ends outside of brackets."""
        return self.text if self.strength >= strength and is_whole(self.text) else f"({self.text})"


Put = Callable[[ast.expr], Expression | None]
"""The replacement of an expression; None to keep it and try its parts."""


def strength(node: ast.AST) -> int:
    match node:
        case ast.NamedExpr() | ast.Starred() | ast.Yield() | ast.YieldFrom():
            return ANY
        case ast.Lambda() | ast.IfExp():
            return CHOICE
        case ast.BoolOp(operator):
            return OR if isinstance(operator, ast.Or) else AND
        case ast.UnaryOp(ast.Not()):
            return NOT
        case ast.Compare():
            return COMPARE
        case ast.BinOp() | ast.UnaryOp() | ast.Await():
            return ARITHMETIC
        case ast.Constant(value) if type(value) is int:
            return NUMBER
    return ATOM


def expression(text: str) -> Expression:
    """Text as an expression, without parentheses around it."""
    node = parse_expression(text)
    return Expression(ast.get_source_segment(text, node) or text, strength(node))


def wanted(parent: ast.AST, child: ast.expr) -> int:
    """How tightly an expression must bind to need no parentheses in its place."""
    match parent:
        case ast.IfExp(orelse=orelse):
            return CHOICE if child is orelse else OR
        case ast.comprehension(target=target):
            return ANY if child is target else OR
        case ast.BoolOp() | ast.UnaryOp() | ast.Compare():
            return strength(parent) + (not is_negation(parent))
        case ast.Call(func=head) | ast.Subscript(value=head):
            return ATOM if child is head else CHOICE
        case ast.Attribute() | ast.Await():
            return ATOM
        case ast.BinOp():
            return NUMBER
        case ast.Starred():
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
    is_comparison = new.strength == COMPARE and new.text.count(" is ") == 1
    if is_negation(parent) and is_comparison and new.text.endswith(IS_NOT_NONE):
        return site.replace(parent, new.text.removesuffix(IS_NOT_NONE) + " is None")
    start, end = site.span(node)
    has_brackets = site.text.body[:start].endswith(b"(") and site.text.body[end:].startswith(b")")
    if has_brackets and new.strength < strength(node) < NUMBER:
        return site.replace(node, new.text)
    is_apart = not any(site.text.body[at : at + 1].isalnum() for at in (start - 2, end + 1))  # from `return(`
    if has_brackets and is_apart and CHOICE <= strength(node) < wanted(parent, node) <= new.strength:
        return Edit(start - 1, new.at_least(ANY), removed=end - start + 2)  # only the old expression needed them
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
        return Expression(site.spell(meant)) if meant and inner.file != site.file else None

    return put


def names_for(values: Mapping[str, Expression]) -> Put:
    return lambda node: values.get(node.id) if isinstance(node, ast.Name) else None


def as_float(site: FunctionContext, node: ast.expr) -> str | None:
    """A number, or a display of numbers, as text in which all are floats; None if some may be no numbers."""
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [as_float(site, part) for part in node.elts]
        return f"[{', '.join(map(str, parts))}]" if parts and None not in parts else None
    text = spell(site, node).at_least(CHOICE)
    if site.is_always(node, "int"):
        return f"{text}.0" if text.removeprefix("-").isdecimal() else f"float({text})"
    return text if site.is_always(node, "float", "list[float]") else None


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
    match node:
        case ast.UnaryOp(operand=inner) | ast.Attribute(inner):
            return is_plain(inner)
    return isinstance(node, (ast.Name, ast.Constant))


def may_be_skipped(site: FunctionContext, node: ast.AST) -> bool:
    """Whether an expression may not be evaluated, or more than once, when the statement around it is."""
    return any(isinstance(outer, CHOOSING) for outer in site.statement(node)[1])


def is_looked_into(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is called, iterated over or asked for a member: Python then raises an error for None."""
    match site.parents[node]:
        case ast.Attribute(used) | ast.Subscript(used) | ast.Call(used) | ast.For(iter=used):
            return used is node
    return False


def may_stand(body: ast.expr, passed: Mapping[str, ast.expr]) -> bool:
    """Whether arguments may be written in the place of the parameters that an expression reads.

    They are plain, except for one that the expression reads once, always, and before it calls anything else.
    """
    complex_ = [name for name, argument in passed.items() if not is_plain(argument)]
    is_free = names_inside(body).isdisjoint({*passed, *names_in(*passed.values())})
    uses = [loads(body, name) for name in complex_]
    return is_free and len(uses) <= 1 and all(len(each) == 1 and is_first(body, each[0]) for each in uses)


def is_first(tree: ast.AST, node: ast.expr | ast.stmt) -> bool:
    """Whether a statement or expression always evaluates a part of it, once, and calls nothing before."""
    above, around = parents(tree), list[ast.AST]([node])
    while around[-1] is not tree:
        around.append(above[around[-1]])
    doing = (n for n in ast.walk(tree) if isinstance(n, (ast.Call, ast.Subscript, ast.BinOp)) and n not in around)
    is_late = any((n.lineno, n.col_offset) < (node.lineno, node.col_offset) for n in doing)
    return not is_late and not any(isinstance(outer, CHOOSING) for outer in around[1:])


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


def is_negation(node: ast.AST) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a constant, or one with a sign."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def loads(node: ast.AST, name: str) -> list[ast.Name]:
    return list(_names_in(node).get((name, True), ()))


def stores(node: ast.AST, name: str) -> list[ast.Name]:
    """The places that bind or delete a name."""
    return list(_names_in(node).get((name, False), ()))


@functools.lru_cache(maxsize=4096)
def _names_in(tree: ast.AST) -> Mapping[tuple[str, bool], list[ast.Name]]:
    """The names in a tree, by name and whether it is read, in the order in which `ast.walk` meets them."""
    names = nodes_in(tree, ast.Name)
    return grouped(((node.id, isinstance(node.ctx, ast.Load)), node) for node in names)


def only_assignment(site: FunctionContext, name: str) -> ast.Assign | None:
    """The plain assignment that alone binds a local; None for any other name."""
    stored = stores(site.node, name)
    setting = site.parents[stored[0]] if len(stored) == 1 and not site.function.parameter(name) else None
    return setting if isinstance(setting, ast.Assign) and setting.targets == stored else None


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
    if is_negation(node):
        return [node.operand]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
        return node.args
    return node.ifs if isinstance(node, ast.comprehension) else []


def operands(test: ast.expr) -> list[ast.expr]:
    """The innermost parts of a test that `and`, `or` and `not` join."""
    return [operand for part in joined(test) for operand in operands(part)] or [test]


def joined(test: ast.expr) -> list[ast.expr]:
    """The parts that `and`, `or` or `not` joins in a test; none if it is another expression."""
    return test.values if isinstance(test, ast.BoolOp) else [test.operand] if is_negation(test) else []

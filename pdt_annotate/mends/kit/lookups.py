"""The places where a function reads, sets and passes on the names in its `**kwargs`."""

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass

from pdt_annotate.mends.kit.blocks import PLAIN_STATEMENTS
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import may_be_skipped, stores
from pdt_annotate.source.definitions import Definition, literal_type
from pdt_annotate.values.edits import Edit


@dataclass(frozen=True)
class Lookup:
    """An expression that reads a name, or tests whether the name was passed.

    Args:
        default: the source of the default; "" if the expression raises an error without the name.
        takes_away: whether later code does not find the name.
        asks: the comparison with None that replaces a test whether the name was passed.
    """

    node: ast.expr
    name: str
    default: str
    takes_away: bool = False
    asks: str = ""

    def edit(self, site: FunctionContext) -> Edit:
        """The edit that reads a parameter of this name; the statement `name = kwargs["name"]` is removed."""
        assign = self._assign(site)
        if assign in site.node.body and len(site.node.body) > 1:
            return site.remove(assign)
        return site.replace(self.node, f"{self.name}{self.asks}")

    def is_kept(self, site: FunctionContext) -> bool:
        """Whether the name is a local that the function binds to the value, and to nothing else."""
        assign = self._assign(site)
        return assign is not None and stores(site.node, self.name) == assign.targets

    def _assign(self, site: FunctionContext) -> ast.Assign | None:
        match site.parents[self.node]:
            case ast.Assign([ast.Name(name)], value) as assign if name == self.name and value is self.node:
                return None if self.asks else assign
        return None

    def is_reached(self, site: FunctionContext) -> bool:
        """Whether each call of the function evaluates the expression, and so would raise without the name."""
        statement, _ = site.statement(self.node)
        if statement not in site.node.body or may_be_skipped(site, self.node):
            return False
        before = site.node.body[: site.node.body.index(statement)]
        leaves = any(isinstance(part, ast.Return) for each in before for part in ast.walk(each))
        return isinstance(statement, PLAIN_STATEMENTS) and not leaves


def lookups(site: FunctionContext, kwargs: str) -> Iterator[Lookup]:
    """The expressions that read a literal name, with a default that is a constant."""

    def is_asked(node: ast.expr, name: str) -> bool:
        tests = [getattr(outer, "test", None) for outer in site.around(node)]
        texts = [ast.unparse(test) for test in tests if isinstance(test, ast.Compare)]
        return f"{name!r} in {kwargs}" in texts or f"{name!r} not in {kwargs}" in texts

    for node in _own_nodes(site):
        match node:
            case ast.Compare(ast.Constant(str(name)), [ast.In() | ast.NotIn() as operator], [ast.Name(of)]):
                # Calls pass no None.
                asks = " is not None" if isinstance(operator, ast.In) else " is None"
                found = Lookup(node, name, "None", asks=asks)
            case ast.Subscript(ast.Name(of), ast.Constant(str(name)), ast.Load()):
                found = Lookup(node, name, "None" if is_asked(node, name) else "")
            case ast.Call(ast.Attribute(ast.Name(of), "get" | "pop" as method), [ast.Constant(str(name)), *rest], []):
                if len(rest) > 1 or not all(map(literal_type, rest)):
                    continue
                none = "None" if method == "get" or is_asked(node, name) else ""
                found = Lookup(node, name, ast.unparse(rest[0]) if rest else none, takes_away=method == "pop")
            case _:
                continue
        if of == kwargs and name.isidentifier() and not keyword.iskeyword(name):
            yield found


def settings(site: FunctionContext, kwargs: str) -> Iterator[tuple[str, list[Edit]]]:
    """The statements that set one name, each with the edits that set a local of this name in its place."""
    for node in _own_nodes(site):
        match node:
            case ast.Assign([ast.Subscript(ast.Name(of), ast.Constant(str(name))) as target]):
                edits = [site.replace(target, name)]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(of), "update"), [], [ast.keyword(str(name), value)])):
                (start, end), (first, last) = site.span(node), site.span(value)
                edits = [Edit(start, f"{name} = ", removed=first - start), Edit(last, "", removed=end - last)]
            case _:
                continue
        if of == kwargs and name.isidentifier() and not keyword.iskeyword(name):
            yield name, edits


def _own_nodes(site: FunctionContext) -> Iterator[ast.AST]:
    """The nodes of a function, except those of functions in it: a local of theirs is another variable."""
    inner = (Definition, ast.Lambda)
    return (node for node in ast.walk(site.node) if not any(isinstance(n, inner) for n in [*site.around(node)][:-1]))

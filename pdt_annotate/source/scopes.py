"""The names that the statements of a module, class or function bind, and which of them an inner scope sees."""

import ast
import enum
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdt_annotate.source.definitions import Definition, Scope
from pdt_annotate.source.syntax import last_name

_ALWAYS_RUN = (ast.With, ast.AsyncWith, ast.ExceptHandler, ast.match_case)


class Reach(enum.IntEnum):
    """When a statement of a scope runs: whenever the scope does, sometimes, or only for a type checker."""

    ALWAYS = 0
    SOMETIMES = 1
    TYPING = 2


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, or a node that binds names for an arm of one: a handler (`except E as e`) or pattern (`case x`)."""

    node: ast.stmt | ast.excepthandler | ast.pattern
    reach: Reach


def statements(
    body: Iterable[ast.stmt | ast.excepthandler | ast.match_case], reach: Reach = Reach.ALWAYS
) -> Iterator[Statement]:
    """All statements of a scope, into every branch and loop, but into no other scope."""
    for node in body:
        yield Statement(node.pattern if isinstance(node, ast.match_case) else node, reach)
        if isinstance(node, Scope):
            continue
        # Handlers that all raise are around the import of a library without which nothing works.
        ends = [each.body[-1] for each in node.handlers] if isinstance(node, ast.Try) else [node]
        always_runs = isinstance(node, _ALWAYS_RUN) or all(isinstance(end, ast.Raise) for end in ends)
        body_reach = other_reach = Reach.ALWAYS if always_runs else Reach.SOMETIMES
        if isinstance(node, ast.If):
            is_negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
            test = node.test.operand if is_negated else node.test  # type: ignore[attr-defined]
            if last_name(test) == "TYPE_CHECKING":
                body_reach, other_reach = (Reach.ALWAYS, Reach.TYPING) if is_negated else (Reach.TYPING, Reach.ALWAYS)
        reaches = {"body": body_reach, "handlers": Reach.SOMETIMES}
        for arm in ("body", "handlers", "cases", "orelse", "finalbody"):
            yield from statements(getattr(node, arm, ()), max(reach, reaches.get(arm, other_reach)))


def bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that a statement binds in its scope or deletes, each with its value, if that is an expression."""
    if isinstance(node, Scope):
        yield node.name, None
    elif isinstance(node, ast.ExceptHandler):
        yield from [(node.name, None)] if node.name else []
    elif isinstance(node, ast.pattern):
        captured = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
        yield from ((name, None) for name in captured if name)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        names = (each.asname or each.name for each in node.names if each.name != "*")
        yield from ((name.partition(".")[0], None) for name in names)
    elif not (isinstance(node, ast.AnnAssign) and node.value is None):
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        for child in ast.iter_child_nodes(node):
            yield from _targets(child.optional_vars if isinstance(child, ast.withitem) else child, value)


def _targets(target: ast.AST | None, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store | ast.Del):
        yield target.id, value
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)
    elif isinstance(target, ast.Tuple | ast.List):
        is_alike = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
        parts = value.elts if is_alike else [None] * len(target.elts)  # type: ignore[union-attr]
        for inner, part in zip(target.elts, parts, strict=True):
            yield from _targets(inner, part)


def defined_in(body: Iterable[ast.stmt]) -> dict[str, ast.stmt]:
    """The functions, classes and assigned names of a module or class, each with the last statement that binds it."""
    nodes = (each.node for each in statements(body))
    kinds = Scope | ast.Assign | ast.AnnAssign
    return {name: node for node in nodes if isinstance(node, kinds) for name, _ in bindings(node)}


def defined_names(tree: ast.Module) -> Iterator[str]:
    """The names at the top of a module, and in its classes: "Net", "Net.forward"."""
    for name, node in defined_in(tree.body).items():
        yield name
        if isinstance(node, ast.ClassDef):
            yield from (f"{name}.{inner}" for inner in defined_in(node.body))


def parameters(node: Definition) -> Iterator[ast.arg]:
    args = node.args
    yield from filter(None, (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg))


@functools.lru_cache(maxsize=16_384)
def names_inside(node: ast.AST) -> frozenset[str]:
    """The names that anything inside stores, deletes or takes as a parameter, inner functions included."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return frozenset(stored | {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)})


def names_in(*nodes: ast.AST) -> set[str]:
    """All names that are read or stored inside."""
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}

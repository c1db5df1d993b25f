"""The statements of one scope in source order, and the names that they bind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pdt_annotate.rewrite.outline import Reach

NodeBody = cst.Module | cst.BaseSuite
DefinitionNode = (cst.FunctionDef, cst.ClassDef)

_BLOCKS = (
    cst.BaseSuite,
    cst.If,
    cst.Else,
    cst.Finally,
    cst.ExceptHandler,
    cst.ExceptStarHandler,
    cst.MatchCase,
)
_PLAIN = (cst.With, cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler, cst.MatchCase)


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, or an arm of one that binds names (`except E as e`, `case x`).

    `line` is what a small statement stands on: its line, or the suite behind a colon.
    """

    node: cst.CSTNode
    line: cst.SimpleStatementLine | cst.SimpleStatementSuite | None
    reach: Reach


def statements(body: NodeBody, reach: Reach = Reach.ALWAYS) -> Iterator[Statement]:
    """All statements of the scope, into every branch and loop, but into no other scope."""
    if isinstance(body, cst.SimpleStatementSuite):
        yield from (Statement(small, body, reach) for small in body.body)
        return
    for node in body.body:
        if isinstance(node, cst.SimpleStatementLine):
            yield from (Statement(small, node, reach) for small in node.body)
        else:
            yield Statement(node, None, reach)
            if not isinstance(node, DefinitionNode):
                yield from inner_statements(node, reach)


def inner_statements(node: cst.CSTNode, reach: Reach = Reach.ALWAYS) -> Iterator[Statement]:
    """All statements in the branches of a compound statement, with its arms that bind names."""
    body_reach, other_reach = _branch_reach(node)
    for block in node.children:
        if not isinstance(block, _BLOCKS):
            continue
        inner = max(reach, body_reach if isinstance(block, cst.BaseSuite) else other_reach)
        if isinstance(block, cst.BaseSuite):
            yield from statements(block, inner)
        else:
            yield Statement(block, None, inner)
            yield from inner_statements(block, inner)


def _branch_reach(node: cst.CSTNode) -> tuple[Reach, Reach]:
    """When the statement's own body runs, and when its other arms do."""
    if isinstance(node, _PLAIN):
        return Reach.ALWAYS, Reach.ALWAYS
    if isinstance(node, cst.If):
        test, negated = node.test, False
        if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
            test, negated = test.expression, True
        if dotted(test).rpartition(".")[2] == "TYPE_CHECKING":
            return (Reach.ALWAYS, Reach.TYPING) if negated else (Reach.TYPING, Reach.ALWAYS)
    return Reach.SOMETIMES, Reach.SOMETIMES


def dotted(node: cst.CSTNode | None) -> str:
    """A name or a chain of attributes as text; "" for every other expression."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        value = dotted(node.value)
        return f"{value}.{node.attr.value}" if value else ""
    return ""


def names_in(targets: Iterable[cst.CSTNode | None]) -> Iterator[str]:
    """The names that assigning to the targets binds."""
    for target in targets:
        if isinstance(target, cst.Name):
            yield target.value
        elif isinstance(target, cst.Tuple | cst.List):
            yield from names_in(element.value for element in target.elements)


def _capture_targets(node: cst.CSTNode) -> Iterator[cst.CSTNode | None]:
    """The names that a pattern captures: `x` in `case [x, *rest]`, `y` in `case {**y}`."""
    for child in node.children:
        if isinstance(child, cst.BaseSuite):
            continue
        if isinstance(child, cst.MatchAs | cst.MatchStar):
            yield child.name
        elif isinstance(child, cst.MatchMapping):
            yield child.rest
        yield from _capture_targets(child)


_BINDERS: Mapping[type[cst.CSTNode], Callable[[Any], Iterable[cst.CSTNode | None]]] = {
    cst.FunctionDef: lambda node: [node.name],
    cst.ClassDef: lambda node: [node.name],
    cst.TypeAlias: lambda node: [node.name],
    cst.Assign: lambda node: [target.target for target in node.targets],
    cst.AnnAssign: lambda node: [node.target] if node.value else [],
    cst.AugAssign: lambda node: [node.target],
    cst.Del: lambda node: [node.target],
    cst.For: lambda node: [node.target],
    cst.With: lambda node: [item.asname.name for item in node.items if item.asname],
    cst.ExceptHandler: lambda node: [node.name and node.name.name],
    cst.ExceptStarHandler: lambda node: [node.name and node.name.name],
    cst.MatchCase: _capture_targets,
}


def bound_names(node: cst.CSTNode) -> Iterator[str]:
    """The names that a statement binds in its scope, with those of an import."""
    binder = _BINDERS.get(type(node))
    if binder is not None:
        yield from names_in(binder(node))
    yield from (name for name, _ in imported_names(node))


def imported_names(node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with the dotted name of what it is bound to; nothing for a star."""
    if not isinstance(node, cst.Import | cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return
    origin = _origin(node)
    for alias in node.names:
        target = dotted(alias.name)
        if alias.asname is not None:
            yield dotted(alias.asname.name), origin + target
        else:
            name = target.partition(".")[0]
            yield name, origin + name


def _origin(node: cst.Import | cst.ImportFrom) -> str:
    if isinstance(node, cst.Import):
        return ""
    module = from_module(node)
    return module if module.endswith(".") else f"{module}."


def from_module(node: cst.ImportFrom) -> str:
    """What stands between `from` and `import`."""
    return "." * len(node.relative) + dotted(node.module)

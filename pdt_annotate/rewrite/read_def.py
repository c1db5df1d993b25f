"""A `def` and the assignments in its body, as `FunctionPlace`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from pdt_annotate.rewrite.outline import Assignment, FunctionPlace, ParameterPlace
from pdt_annotate.rewrite.spans import Spans, parameters
from pdt_annotate.rewrite.statements import Statement
from pdt_annotate.source import survey
from pdt_annotate.source.imports import dotted_name

_EQUALS = re.compile(rb"(?P<before>(?:[\s\\]|#[^\r\n]*)*)=(?P<after>[\s\\#]?)")


def read_def(
    spans: Spans, known: survey.Function, items: Sequence[Statement], shadows: frozenset[str]
) -> FunctionPlace:
    """The function; `items` are the statements of its body, `known` is what the survey says of it."""
    node = known.node
    rebound = (item.node.names for item in items if isinstance(item.node, ast.Global | ast.Nonlocal))
    return FunctionPlace(
        known=known,
        offset=spans.start(node),
        parameters=tuple(_parameters(spans, node)),
        close=spans.header_close(node),
        assignments=tuple(read_assignments(spans, items)),
        rebound=frozenset().union(*rebound),
        shadows=shadows,
    )


def read_assignments(spans: Spans, items: Iterable[Statement]) -> Iterator[Assignment]:
    """The assignments to one name or attribute, annotated or not; `(x) = v` and `x = y = v` take no annotation."""
    target: ast.expr
    for node in (item.node for item in items):
        if isinstance(node, ast.AnnAssign):
            target, annotated = node.target, True
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, annotated = node.targets[0], False
        else:
            continue
        name = dotted_name(target)
        if name and (annotated or spans.start(target) == spans.start(node)):
            commented = spans.known.comments.has_type(node.lineno, node.end_lineno or node.lineno)
            yield Assignment(name, target.lineno, spans.end(target), annotated, commented)


def _parameters(spans: Spans, node: survey.Definition) -> Iterator[ParameterPlace]:
    defaults = survey.defaults_of(node)
    for each in parameters(node):
        end, starred = spans.end(each), each in (node.args.vararg, node.args.kwarg)
        spaces = tuple(_spaces(spans, end)) if each.arg in defaults else ()
        yield ParameterPlace(each.arg, end, each.annotation is not None, starred, spaces)


def _spaces(spans: Spans, end: int) -> Iterator[int]:
    """Where a space is missing around the `=` behind a parameter."""
    equals = _EQUALS.match(spans.text.body, end)
    if equals and not equals["before"]:
        yield end
    if equals and not equals["after"]:
        yield equals.end()

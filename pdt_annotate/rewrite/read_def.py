"""A `def` and the assignments in its body, as `Function`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from pdt_annotate.rewrite.outline import Assignment, Function, Parameter
from pdt_annotate.rewrite.spans import Spans
from pdt_annotate.rewrite.statements import Statement, dotted
from pdt_annotate.source import survey


def read_def(
    spans: Spans, node: cst.FunctionDef, items: Sequence[Statement], known: survey.Function, shadows: frozenset[str]
) -> Function:
    """The function; `items` are the statements of its body, `known` is what the survey says of it."""
    rebound = (each for item in items if isinstance(item.node, cst.Global | cst.Nonlocal) for each in item.node.names)
    return Function(
        known=known,
        offset=spans.start(node),
        parameters=tuple(_parameter(spans, each) for each in _parameters(node.params)),
        close=spans.nodes[node.whitespace_before_colon].start,
        assignments=tuple(read_assignments(spans, items)),
        rebound=frozenset(each.name.value for each in rebound),
        shadows=shadows,
    )


def parameter_names(node: cst.FunctionDef) -> Iterator[str]:
    """The names of all parameters, starred ones too."""
    return (each.name.value for each in _parameters(node.params))


def read_assignments(spans: Spans, items: Iterable[Statement]) -> Iterator[Assignment]:
    """The assignments to one name or attribute, annotated or not; `(x) = v` and `x = y = v` take no annotation."""
    for item in items:
        node, line = item.node, item.line
        if isinstance(node, cst.AnnAssign):
            target, annotated = node.target, True
        elif isinstance(node, cst.Assign) and len(node.targets) == 1:
            target, annotated = node.targets[0].target, False
        else:
            continue
        name = dotted(target)
        if name and line is not None and (annotated or not target.lpar):
            commented = spans.comments.has_type(spans.line(node), spans.text.line(spans.line_end(line) - 1))
            yield Assignment(name, spans.line(target), spans.end(target), annotated, commented)


def _parameters(node: cst.Parameters) -> Iterator[cst.Param]:
    yield from (*node.posonly_params, *node.params)
    if isinstance(node.star_arg, cst.Param):
        yield node.star_arg
    yield from node.kwonly_params
    if node.star_kwarg is not None:
        yield node.star_kwarg


def _parameter(spans: Spans, node: cst.Param) -> Parameter:
    end = spans.end(node.name)
    spaces: tuple[int, ...] = ()
    if isinstance(node.equal, cst.AssignEqual):
        before, after = node.equal.whitespace_before, node.equal.whitespace_after
        spaces = (end,) * before.empty + (spans.end(node.equal),) * after.empty
    return Parameter(node.name.value, end, node.annotation is not None, bool(node.star), spaces)

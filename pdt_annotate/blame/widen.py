"""From a failure to what must be left out so that the next one shows."""

from __future__ import annotations

import re
from dataclasses import replace

from pdt_annotate.blame.cuts import Anatomy, Cut
from pdt_annotate.blame.statements import assigned_attributes, changed_names
from pdt_annotate.ir import Failure

ATTRIBUTE = re.compile(r"has no attribute '(\w+)' \(This attribute exists")
ASSIGNMENT = "attribute assignment"
CONTAINER = re.compile(r"aten::(append|insert|extend|_set_item)")
PARAMETER = re.compile(r'on parameter "(\w+)"')


def widen(cut: Cut, anatomy: Anatomy, failure: Failure) -> Cut:
    """The cut with what a failure points to."""
    statement = anatomy.statement_at(failure.line)
    if statement is not None:
        named = ATTRIBUTE.findall(failure.message)
        attributes = assigned_attributes(statement) if ASSIGNMENT in failure.message else set(filter(None, named))
        names = changed_names(statement) if CONTAINER.search(failure.message) else set()
        cut = replace(cut, names=cut.names | names, attributes=cut.attributes | attributes)
        return replace(cut, lines=cut.lines | {statement.lineno})
    arguments = anatomy.definition.args
    if not cut.signature and (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs):
        return replace(cut, signature=True)
    return replace(cut, parameters=cut.parameters | set(PARAMETER.findall(failure.message)))

"""Drafts: example calls for a target, from what its source and the project's tests say. Nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdt_annotate.inputs.drafting.subject import read_subject
from pdt_annotate.inputs.drafting.text import render
from pdt_annotate.inputs.drafting.usages import find_observed, find_usages, join
from pdt_annotate.source.imports import NameResolver
from pdt_annotate.source.pages import Sources
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.examples import ObservedCall
from pdt_annotate.values.places import column_at
from pdt_annotate.values.runs import Target

NO_CALLS = "`pdt-annotate run -- PROGRAM` or `pytest --pdt` of what calls it makes a profile that has some"

__all__ = ["Blank", "Draft", "draft"]


@dataclass(frozen=True)
class Blank:
    """A value to be filled in, and its line and column in the draft."""

    name: str
    line: int
    column: int


@dataclass(frozen=True)
class Draft:
    """The text of a Python spec, and what is to be filled in there."""

    text: str
    blanks: tuple[Blank, ...]


def draft(
    target: Target,
    root: str,
    file: str,
    path: Iterable[str] | None = None,
    observed: Sequence[ObservedCall] | None = None,
) -> Draft:
    """Draft a spec.

    Args:
        target: what it is for.
        root: the directory below which usages are looked for.
        file: the name that the spec will have.
        path: the import path of the Python that runs the target; our own, unless another is given.
        observed: calls that ran; where they are of the target, they come before what the sources show.

    Raises:
        TargetError: the sources do not have the target, or a spec cannot import what it has to construct.
    """
    names = NameResolver(Sources(root, path))
    subject = read_subject(target, names)
    ran, read = find_observed(subject, observed or ()), find_usages(subject, names)
    if observed is not None and not ran.usages:
        raise TargetError(f"the profile has no call of {target.text}", hint=NO_CALLS)
    text = render(subject, join(ran, read), target.text, file)
    lines = text.split("\n")
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    blanks = sorted((each for each in calls if called_name(each) == "fill_in"), key=lambda each: each.lineno)
    return Draft(
        text,
        tuple(
            Blank(str(ast.literal_eval(each.args[0])), each.lineno, column_at(lines[each.lineno - 1], each.col_offset))
            for each in blanks
        ),
    )

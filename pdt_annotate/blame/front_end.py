"""The compiler's front end: functions read with something left out, and all that it refuses in one of them.

Also the types that the source lacks and the examples show: missing annotations, and results of functions.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FunctionType
from typing import Any

import torch
import torch.jit.frontend

from pdt_annotate.blame.cuts import Anatomy, cut_out
from pdt_annotate.blame.statements import blocks
from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.source.places import Places
from pdt_annotate.values.slots import Annotation, Owner, SlotKind
from pdt_annotate.values.types import TENSOR
from pdt_annotate.values.verdicts import Failure, Fault
from pdt_annotate.verify.judges.scripts import replaced

FRONT_END = ("FrontendError", "NotSupportedError", "UnsupportedNodeError")
"""Errors of the source text alone, whatever the types."""

NOT_ANNOTATED = "PDT039"

KNOWN = {
    **{name: name for name in ("Optional", "Union", "Any", "None", "int", "float", "bool", "str", "complex")},
    **{"list": "List", "dict": "Dict", "tuple": "Tuple", "torch.Tensor": "Tensor"},
}
"""Types that the compiler resolves in every file, whatever it imports, and their spelling."""

Types = Mapping[Owner, tuple[Annotation, ...]]
"""By function, what is known of its parameters without annotation on disk, and of its result."""


def leaving_out(anatomy_of: Callable[[Owner], Anatomy | None], types: Types) -> contextlib.AbstractContextManager[None]:
    """Let the compiler's front end read functions without what is cut; a result without a return gets its type."""
    frontend: Any = torch.jit.frontend
    original = frontend.parse_def

    def parse_def(fn: Any) -> Any:
        parsed = original(fn)
        code = getattr(inspect.unwrap(getattr(fn, "__func__", fn)), "__code__", None)
        owner = Owner.of(code) if code else None
        anatomy = anatomy_of(owner) if owner else None
        if owner is None or anatomy is None:
            return parsed
        cut_out(anatomy, result_type(types.get(owner, ())))
        tree = ast.Module([ast.increment_lineno(anatomy.definition, 1 - parsed.file_lineno)], [])
        return parsed._replace(ast=tree)

    return replaced(frontend, "parse_def", parse_def)


def refusals(function: FunctionType) -> Iterator[Failure]:
    """Everything in a function that the front end refuses: in its signature, then statement by statement."""
    frontend: Any = torch.jit.frontend
    parsed = frontend.parse_def(function)
    definition = parsed.ast.body[0]
    builds = [partial(frontend.build_param_list, parsed.ctx, definition.args, None)]
    builds += [partial(frontend.build_stmt, parsed.ctx, statement) for statement in _headers(definition.body)]
    for build in builds:
        try:
            build()
        except Exception as error:  # whatever the front end raises for a tree that it does not know
            yield read_failure(error)


def _headers(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements; compound ones first without their blocks, then the statements in these."""
    for statement in body:
        inner = list(blocks(statement))
        hollow = ast.copy_location(type(statement)(**dict(ast.iter_fields(statement))), statement)
        if inner:
            nothing = ast.copy_location(ast.Pass(), statement)
            for name in ("body", "orelse", "finalbody"):
                if getattr(hollow, name, None):
                    setattr(hollow, name, [nothing])
        yield hollow
        for block in inner:
            yield from _headers(block)


def missing_annotations(owner: Owner, known: tuple[Annotation, ...]) -> Fault | None:
    """The fault for the parameters of a function that are no Tensor and have no annotation on disk."""
    wanted = {a.slot.name: a.type for a in known if a.slot.kind is SlotKind.PARAMETER and a.type != TENSOR}
    if not wanted:
        return None
    listed = ", ".join(f"{name}: {type_}" for name, type_ in wanted.items())
    return Fault(NOT_ANNOTATED, Failure(f"{owner.qualname}({listed})", "", Places().of(owner)), owner)


def result_type(known: tuple[Annotation, ...]) -> str:
    """Source text for the type of a function's result; "" if it is not known, or not every file can name it."""
    names: set[str] = set()

    def name(dotted: str) -> str:
        names.add(dotted)
        return KNOWN.get(dotted, dotted)

    text = next((a.type.spell(name) for a in known if a.slot.kind is SlotKind.RETURN), "")
    return text if names <= KNOWN.keys() else ""

"""The compiler's front end: reading functions with something left out, and all that it refuses in one of them."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any

import torch
import torch.jit.frontend

from pdt_annotate.blame.cuts import Anatomy, cut_out
from pdt_annotate.blame.known import Types, result_type
from pdt_annotate.blame.statements import blocks
from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.scripts import replaced

FRONT_END = ("FrontendError", "NotSupportedError", "UnsupportedNodeError")
"""Errors of the source text alone, whatever the types."""


def leaving_out(anatomy_of: Callable[[Owner], Anatomy | None], types: Types) -> contextlib.AbstractContextManager[None]:
    """Let the compiler's front end read functions without what is cut; a result that nothing shows gets its type."""
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
    """Everything in a function that the front end refuses: its signature, then statement by statement."""
    frontend: Any = torch.jit.frontend
    parsed = frontend.parse_def(function)
    definition = parsed.ast.body[0]
    builds = [partial(frontend.build_param_list, parsed.ctx, definition.args, None)]
    builds += [partial(frontend.build_stmt, parsed.ctx, statement) for statement in _headers(definition.body)]
    for build in builds:
        try:
            build()
        except Exception as error:  # whatever the front end raises of a tree that it does not know
            yield read_failure(error)


def _headers(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, compound ones with nothing in them, then what is in them."""
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

"""Annotations in a class body that no compilation gets past, and of which its message tells neither name nor line."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from itertools import filterfalse
from typing import Any

import torch
from torch import _sources

from pdt_annotate.blame.places import is_of_torch
from pdt_annotate.values.verdicts import Failure

_fake_range: Any = _sources.fake_range


def unknown_annotations(module: Any) -> Iterator[tuple[type, str]]:
    """The classes and names of annotations that the compiler asks for and does not understand."""
    for cls in filterfalse(is_of_torch, type(module).__mro__):
        for name, annotation in list(vars(cls).get("__annotations__", {}).items()):
            if hasattr(module, name) and not torch._jit_internal.is_final(annotation) and not _is_known(annotation):
                yield cls, name


def place_annotation(failure: Failure, cls: type, name: str) -> Failure:
    """The compiler's message at the line of one annotation."""
    message = f"{failure.message.removesuffix(' at')} (of `{name}`)"
    try:
        lines, first = inspect.getsourcelines(cls)
        body = ast.parse(textwrap.dedent("".join(lines))).body[0]
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError, SyntaxError):
        return replace(failure, message=message)
    for node in ast.walk(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return replace(failure, message=message, file=file, line=first + node.lineno - 1)
    return replace(failure, message=message)


def _is_known(annotation: Any) -> bool:
    try_ann_to_type: Any = torch.jit.annotations.try_ann_to_type
    try:
        return try_ann_to_type(annotation, _fake_range()) is not None
    except Exception:  # the compiler's, of a class that it tries to compile
        return False

"""A candidate's annotations in modules that are imported already: for one trial in a fork, or taken back afterwards."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from types import FunctionType
from typing import Any

from pdt_annotate.observers.classes import find_classes, find_functions, live_annotation, module_of
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.values.live import METHODS, is_a, own_annotations, state_of
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Annotation

ANNOTATIONS = "__annotations__"
MISSING: Any = object()


def apply(candidate: Candidate) -> Callable[[], None]:
    """Give imported modules a candidate's annotations: source lines, names in scope, annotations of live objects.

    Returns:
        what takes all of it back.
    """
    undo = ExitStack()
    undo.callback(restore, linecache.cache, dict(linecache.cache))
    serve_lines(candidate.sources)
    for file, statements in candidate.imports.items():
        if (module := module_of(file)) is not None:
            _import_into(vars(module), statements, undo)
    for annotation in candidate.signatures:
        for function in find_functions(annotation.slot.owner):
            _annotate_function(function, annotation, undo)
    for (file, qualname), attributes in candidate.attributes.items():
        for cls in find_classes(file, qualname):
            _annotate_class(cls, {a.slot.name: live_annotation(a.type, a.final) for a in attributes}, undo)
    return undo.close


def _import_into(names: dict[str, Any], statements: tuple[str, ...], undo: ExitStack) -> None:
    scope = dict(names)
    for statement in statements:
        exec(statement, scope)
    for name, value in scope.items():
        before = names.get(name, MISSING)
        if value is not before:
            undo.callback(put, names, name, before)
            names[name] = value


def _annotate_function(function: Any, annotation: Annotation, undo: ExitStack) -> None:
    """Set an annotation on a function object, where a static or class method or a decorator may stand around it."""
    function = function.__func__ if is_a(function, *METHODS) else function
    own = function.__annotations__ if is_a(function, FunctionType) else state_of(function).get(ANNOTATIONS)
    if isinstance(own, dict):
        name = annotation.slot.name
        undo.callback(put, own, name, own.get(name, MISSING))
        own[name] = live_annotation(annotation.type, False)


def _annotate_class(cls: type, annotations: Mapping[str, Any], undo: ExitStack) -> None:
    before = own_annotations(cls)
    undo.callback(partial(_annotate, cls, before) if before else partial(delattr, cls, ANNOTATIONS))
    _annotate(cls, {**before, **annotations})


def _annotate(cls: type, annotations: dict[str, Any]) -> None:
    cls.__annotations__ = annotations


def put(names: dict[str, Any], name: str, value: Any) -> None:
    """Give a name its value again; `MISSING` takes it away."""
    if value is MISSING:
        names.pop(name, None)
    else:
        names[name] = value


def restore(mapping: dict[Any, Any], before: dict[Any, Any]) -> None:
    """Make a mapping what it was."""
    mapping.clear()
    mapping.update(before)

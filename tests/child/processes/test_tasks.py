"""The wall is typed from both sides: what is declared for the tool is what the child's function takes and gives."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pdt_annotate
from pdt_annotate.processes import tasks
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.session import Session

PACKAGE = Path(pdt_annotate.__file__).parent
DOORS = {"processes/tasks.py", "processes/session.py", "processes/zygote.py"}


def answering(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def parameters_of(function: Callable[..., Any]) -> tuple[type, list[tuple[object, ...]]]:
    """The type of the first parameter; the names, kinds, defaults and types of the others."""
    types = typing.get_type_hints(function)
    first, *others = inspect.signature(function).parameters.values()
    return types[first.name], [(p.name, p.kind, p.default, types[p.name]) for p in others if p.name != "heard"]


@pytest.mark.parametrize("name", tasks.declared)
def test_a_task_is_declared_as_it_is_defined(name: str) -> None:
    declared, defined = tasks.declared[name], answering(name)
    (session, asked), (state, answered) = parameters_of(declared), parameters_of(defined)
    assert (session, state) == (Session, Prepared)
    assert asked == answered
    assert typing.get_type_hints(declared)["return"] == typing.get_type_hints(defined)["return"]


@pytest.mark.parametrize("name", tasks.declared)
def test_flags_have_names(name: str) -> None:
    _, asked = parameters_of(tasks.declared[name])
    assert all(kind is inspect.Parameter.KEYWORD_ONLY for _, kind, _, type_ in asked if type_ is bool)


def test_the_setup_leaves_what_tasks_start_from() -> None:
    assert typing.get_type_hints(answering(tasks.PREPARE))["return"] is Prepared


def test_nobody_else_names_a_task() -> None:
    """The untyped doors of `Session` and `Zygote` are for the declarations alone."""
    names = {name.encode() for name in (*tasks.declared, tasks.PREPARE)}
    for file in PACKAGE.rglob("*.py"):
        text = file.read_bytes()
        if file.relative_to(PACKAGE).as_posix() not in DOORS:
            assert not any(name in text for name in names), file
            assert b"session.run(" not in text and b"zygote.session(" not in text, file

"""Choices that hang on what variadic parameters take."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.callers import own_variadics, untaken_choices
from pdt_annotate.search.mend.site import MendSite


def at(folder: Path, body: str) -> MendSite:
    lines = "".join(f"    {line}\n" for line in body.split("|"))
    module = Mended(folder, f"def f(x, *args, **kwargs):\n{lines}    return x\n")
    return MendSite(module.project.survey(module.file).functions[0], module.project)


@pytest.mark.parametrize(
    "test",
    [
        "x",
        "not args",
        "len(args) == 0",
        "len(args) > x",
        "args or x",
        "print(kwargs)",
        "kwargs.pop('scale', None)",
        "args[0]",
        "'scale' not in kwargs",
        "kwargs.get('scale', True)",
    ],
)
def test_what_may_be_taken(tmp_path: Path, test: str) -> None:
    assert not list(untaken_choices(at(tmp_path, f"if {test}:|    warn()")))


def test_what_cannot_be_spared(tmp_path: Path) -> None:
    assert not list(untaken_choices(at(tmp_path, "if args:|    warn()|else:|    x = 1")))
    assert not list(untaken_choices(at(tmp_path, "if x:|    if args:|        warn()")))


@pytest.mark.parametrize(
    "test",
    [
        "args",
        "len(args) > 0",
        "kwargs",
        "kwargs.get('scale')",
        "'scale' in kwargs",
        "len(args) > 0 or kwargs.get('scale', None) is not None",
    ],
)
def test_what_nobody_takes(tmp_path: Path, test: str) -> None:
    (choice,) = untaken_choices(at(tmp_path, f"if {test}:|    warn()"))
    assert ast.unparse(choice.test) == test


def test_what_they_are_without_anything(tmp_path: Path) -> None:
    assert own_variadics(at(tmp_path, "pass")) == {"args": (), "kwargs": {}}

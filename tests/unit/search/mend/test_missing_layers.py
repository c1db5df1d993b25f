"""Layers that some instances lack: None there."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.missing_layers import RULE
from pdt_annotate.values.mends import Held

LACKING = Held(lacking=True)
INIT = "super().__init__()\nif wide:\n    self.up = nn.Linear(2, 2)"
MODULE = "class Net(nn.Module):\n{}    def __init__(self, wide):\n{}\n    def forward(self, x):\n{}\n{}"


def module(forward: str, init: str = INIT, body: str = "", after: str = "") -> str:
    parts = (indent(dedent(text), " " * 8) for text in (init, forward))
    return MODULE.format(indent(body, "    "), *parts, after)


def mended(folder: Path, source: str, attribute: Held = LACKING) -> str:
    return Mended(folder, source, {"Net": {"up": attribute, "down": attribute}}).apply(RULE)


@pytest.mark.parametrize(
    "source",
    [
        module("return self.other(x)"),
        module("return self.up(x)", init="super().__init__()"),
        module("return self.up(x) if hasattr(self, 'up') else x"),
        module("return x", after="\n\nprint('up' in net.__dict__)\n").replace("x\n", "self.up(x)\n"),
        module("return self.up(x)", body="up = None\n"),
        module("return self.up(x)", body="@property\ndef up(self): return 1\n"),
        module("y = x.sum() and self.up(x)\nreturn y"),
        module("return [self.up(y) for y in x]"),
        module(
            "if x is not None:\n    assert self.up is not None\n    x = self.up(x)",
            INIT + "\nelse:\n    self.up = None",
        ),
    ],
)
def test_what_is_left_alone(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source) == source


def test_what_all_instances_have_is_left_alone(tmp_path: Path) -> None:
    source = module("return self.up(x)")
    assert mended(tmp_path, source, held("1")) == source


ELSE = INIT + "\nelse:\n    self.up = None"
THERE = "assert self.up is not None\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return self.up(x)", THERE + "return self.up(x)"),
        (
            "if self.wide:\n    # grow\n    x = x + 1\n    x = self.up(x)\n    x = self.up(x)",
            "if self.wide:\n    # grow\n    " + THERE + "    x = x + 1\n    x = self.up(x)\n    x = self.up(x)",
        ),
        (
            "if not self.wide:\n    return x\nreturn self.up(x)",
            "if not self.wide:\n    return x\n" + THERE + "return self.up(x)",
        ),
        (
            "y = x if x.a else self.up(\n    x)  # up",
            "if x.a:\n    y = x\nelse:\n    assert self.up is not None\n    y = self.up(\n    x)  # up",
        ),
        (
            "return (\n    self.up(x)\n    + 1 if x.a else 2\n)",
            "if x.a:\n    assert self.up is not None\n    return (self.up(x)\n    + 1)\nelse:\n    return 2",
        ),
        ("for _ in x:\n    self.up(x)", "for _ in x:\n    assert self.up is not None\n    self.up(x)"),
    ],
)
def test_what_uses_a_layer_asserts_that_it_is_there(tmp_path: Path, before: str, after: str) -> None:
    assert mended(tmp_path, module(before)) == module(after, ELSE)


@pytest.mark.parametrize(
    ("init", "after"),
    [
        ("if wide:\n  self.up = 1", "if wide:\n  self.up = 1\nelse:\n  self.up = None"),
        ("if wide:\n    self.up = 1\nelse:\n    b()", "self.up = None\nif wide:\n    self.up = 1\nelse:\n    b()"),
        ("for _ in wide:\n    self.up = 1", "self.up = None\nfor _ in wide:\n    self.up = 1"),
        (
            "if wide:\n    self.up = self.down = 1",
            "if wide:\n    self.up = self.down = 1\nelse:\n    self.up = None\n    self.down = None",
        ),
    ],
)
def test_the_constructor_sets_none(tmp_path: Path, init: str, after: str) -> None:
    forward = "self.up(self.down(x))" if "down" in init else "self.up(x)"
    asserted = "assert self.up is not None\n" + ("assert self.down is not None\n" if "down" in init else "")
    assert mended(tmp_path, module(forward, init)) == module(asserted + forward, after)


@pytest.mark.parametrize(
    "source",
    [
        module("if self.up is not None:\n    x = self.up(x)"),
        module("if self.up:\n    x = self.up(x)"),
        module("return x, self.up, foo(self.up)"),
        module("return foo(x) if self.up == 3 else self.up(x)"),
    ],
)
def test_none_that_is_asked_for_or_does_no_harm_is_left_alone(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source, held("None", "1")) == source


def test_what_is_none_in_some_is_asserted_too(tmp_path: Path) -> None:
    before, after = (module(f"if self.wide:\n    {text}x = self.up(x)") for text in ("", f"{THERE}    "))
    assert mended(tmp_path, before, held("None", "1")) == after

"""Drafts from calls that ran: what is left to the source, then what the calls show."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from drafted import NET, TEST, write

from pdt_annotate.inputs.drafting import Draft, draft
from pdt_annotate.inputs.drafting.observed import text_of
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.examples import ObservedCall

X = {"tensor": "float32", "shape": [2, 5]}


@pytest.mark.parametrize(
    "value", [{"type": "str"}, {"list": [1, {"type": "net.Box"}]}, {"tensor": "float8_e4m3fn", "shape": [2]}]
)
def test_of_what_only_the_class_is_known_no_text_is_made(value: Any) -> None:
    assert text_of(value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (0.5, "0.5"),
        (X, "torch.randn(2, 5)"),
        ({"tensor": "float64", "shape": []}, "torch.randn((), dtype=torch.float64)"),
        ({"tensor": "int64", "shape": [3]}, "torch.randint(0, 2, (3,))"),
        ({"tensor": "uint8", "shape": []}, "torch.randint(0, 2, (), dtype=torch.uint8)"),
        ({"tensor": "bool", "shape": [1, 2]}, "torch.ones((1, 2), dtype=torch.bool)"),
        ({"tuple": [1]}, "(1,)"),
        ({"dict": [["a", {"list": [True, X]}]]}, "{'a': [True, torch.randn(2, 5)]}"),
    ],
)
def test_text_that_makes_a_value_of_the_kind(value: Any, text: str) -> None:
    assert text_of(value) == text and ast.parse(text, mode="eval")


def drafted(folder: Path, *calls: ObservedCall) -> Draft:
    return draft(parse("net:Net"), str(folder), "inputs.py", observed=calls)


def call(folder: Path, name: str, cls: str = "net.Net", made: Any = None, **arguments: Any) -> ObservedCall:
    return ObservedCall(str(folder / "net.py"), "Net.forward", name, cls, arguments, made)


def test_without_a_call_of_the_target_there_is_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, {"net.py": NET % "x"}))
    for calls in ((), (call(tmp_path, "test_other", "net.Other", x=X),)):
        with pytest.raises(TargetError, match="the profile has no call of net:Net"):
            drafted(tmp_path, *calls)


def test_calls_and_the_construction_are_as_they_ran_without_what_is_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = f"{TEST}def test_it():\n    Net(7)(torch.zeros(1))\n\ndef test_more():\n    Net(5)(torch.zeros(3, 5), k=4)\n"
    folder = write(tmp_path, {"net.py": NET % "x, mask=None, mode='sum', k=1", "test_net.py": test})
    monkeypatch.chdir(folder)
    one = call(folder, "test_net.py::test_it[3]", made={"width": 5}, x=X, mask=None, mode={"type": "str"}, k=1)
    two = call(folder, "train.py", made={"width": 5}, x=X, mask=X, mode={"type": "str"}, k=1)
    made = drafted(folder, one, two)
    assert made.blanks == () and "return Net(5)" in made.text
    assert "    x = torch.randn(2, 5)  # as in test_net.py::test_it[3], observed" in made.text
    assert 'yield Call((x,), name="test_it[3]")' in made.text
    assert 'yield Call((torch.randn(2, 5),), {"mask": torch.randn(2, 5)}, name="train.py")' in made.text
    assert "torch.zeros(3, 5)" in made.text and "torch.zeros(1)" not in made.text


def test_what_a_call_does_not_show_is_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, {"net.py": NET % "x, mode"}))
    made = drafted(tmp_path, call(tmp_path, "train.py", made={"width": 5}, x=X, mode={"type": "str"}))
    assert [blank.name for blank in made.blanks] == ["mode"] and "torch.randn(2, 5)" in made.text

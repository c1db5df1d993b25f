from __future__ import annotations

import os
from pathlib import Path

import pytest

from pdt_annotate.values.documents import DEEPEST, find_fault, parse_json, parse_toml, read_text
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.places import Place


def test_bytes_that_are_no_text_are_placed(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes("ä = 1\nö = 'x".encode() + b"\xff'")
    with pytest.raises(UserError, match="the file cannot be read: it is not UTF-8") as caught:
        read_text(str(file), "the file")
    assert caught.value.place == Place(str(file), 2, 7)


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "directory", "device", "NUL"])
def test_what_is_no_file_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    file = {"pipe": f"{tmp_path}/pipe", "directory": str(tmp_path), "device": os.devnull, "NUL": "a\0b"}[kind]
    if kind == "pipe":
        os.mkfifo(file)
    with pytest.raises(UserError, match="the file cannot be read: "):
        read_text(file, "the file")


@pytest.mark.parametrize(
    "text", ["[" * 5_000, "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "9" * 5_000, "1" + "0" * 400, '"\\ud800"', "{"]
)
def test_json_that_nothing_can_be_done_with(text: str) -> None:
    with pytest.raises(UserError, match=r"not valid JSON|nested too deeply|half|bits"):
        parse_json(text, "a.json")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5_000, "a = " + "9" * 5_000, "a = 0x" + "f" * 5_000, "a", 'a = "\\u0000"']
)
def test_toml_that_nothing_can_be_done_with(text: str) -> None:
    with pytest.raises(UserError, match="not valid TOML"):
        parse_toml(text, "a.toml")


def test_what_repeats_itself_without_end_is_counted() -> None:
    value: list[object] = ["x"]
    for _ in range(40):
        value = [value, value]
    assert find_fault(value) == ((), "it has more than 1,000,000 values")


def test_a_fault_has_its_path() -> None:
    assert find_fault({"a": [1, {"b": 2**2000}]}) == (("a", 1, "b"), "the number has more than 1024 bits")
    assert find_fault({"a": [1, {"b": 2.5}], "c": None}) is None

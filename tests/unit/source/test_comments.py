"""Comments as the tokenizer gives them, and which signatures among them the compiler reads."""

from __future__ import annotations

import ast

import pytest
from type_comments import NOT_READ, READ

from pdt_annotate.source.comments import Comment, is_read, read_comments
from pdt_annotate.source.survey import survey


def header(source: str) -> tuple[Comment, ...]:
    return survey("model.py", source.encode()).functions[0].type_comments


def test_strings_are_none() -> None:
    assert [c.text for c in read_comments("x = '# pdt: skip'  # type: x\n").all] == ["# type: x"]


def test_a_file_without_marks_is_not_read() -> None:
    assert read_comments("# nothing of ours\n").all == ()


def test_knows_what_is_around() -> None:
    source = '# pdt: a\nf(  # pdt: b\n    # pdt: c\n"""\n""")  # pdt: d\n\nif x:\n    # pdt: e\n    pass\n'
    found = [(c.line, c.column, c.alone, c.statement) for c in read_comments(source).all]
    assert found == [(1, 1, True, 0), (2, 5, False, 2), (3, 5, True, 2), (5, 7, False, 2), (8, 5, True, 0)]


@pytest.mark.parametrize("text", ["# pdt: ignored", "# pdt: ignore-file", "# type: ignore[x]", "x = '# pdt: ignore'"])
def test_what_ignores_nothing(text: str) -> None:
    assert read_comments(f"x = 1  # pdt: here\n{text}\n").ignores == ()


@pytest.mark.parametrize(
    ("source", "line", "selectors"),
    [
        ("x = 1  # pdt: ignore[PDT037]\n", 1, ("PDT037",)),
        ("x = 1  # noqa # pdt:ignore [pdt037, PDT10] as it is meant\n", 1, ("PDT037", "PDT10")),
        ("x = 1  # pdt: ignore as it is meant\n", 1, ("",)),
        ("x = 1  # pdt: ignore[]\n", 1, ()),
        ("# pdt: ignore[PDT037]\nx = 1\n", 2, ("PDT037",)),
        ("f(\n    # pdt: ignore\n    x,\n)\n", 3, ("",)),
    ],
)
def test_what_is_ignored_and_on_which_line(source: str, line: int, selectors: tuple[str, ...]) -> None:
    (ignore,) = read_comments(source).ignores
    assert (ignore.line, ignore.selectors) == (line, selectors)


@pytest.mark.parametrize("source", READ)
def test_a_signature_that_is_read(source: str) -> None:
    assert is_read(header(source))


@pytest.mark.parametrize("source", NOT_READ)
def test_a_signature_that_is_not(source: str) -> None:
    last = survey("model.py", source.encode()).functions[-1]
    assert not is_read(last.type_comments)
    assert isinstance(last.node, ast.FunctionDef) and last.misread is not None

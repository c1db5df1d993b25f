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


@pytest.mark.parametrize("source", READ)
def test_a_signature_that_is_read(source: str) -> None:
    assert is_read(header(source))


@pytest.mark.parametrize("source", NOT_READ)
def test_a_signature_that_is_not(source: str) -> None:
    last = survey("model.py", source.encode()).functions[-1]
    assert not is_read(last.type_comments)
    assert isinstance(last.node, ast.FunctionDef) and last.misread is not None

"""What is no Python stays plain, and the colours of Python stand where they belong."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdt_annotate
from pdt_annotate.emit.html.highlight import highlight

SOURCES = sorted(Path(pdt_annotate.__file__).parent.glob("emit/**/*.py"))


def kinds(text: str) -> list[tuple[str, str]]:
    lines = text.split("\n")
    found = highlight(text)
    return [(lines[line - 1][span.start : span.end], span.kind) for line in sorted(found) for span in found[line]]


@pytest.mark.parametrize("text", ["", "x = y\n", "a @ v\n", "x.int\n", "m @ [\n  n\n]\n", "self.x", "a\r\nb"])
def test_plain(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize("text", ["$ ?\n", "'''never closed\n", "x = (\n", "\0\n", " indent\nno\n"])
def test_no_python_is_no_error(text: str) -> None:
    kinds(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x): pass", [("def", "keyword"), ("f", "name"), ("pass", "keyword")]),
        ("class A:\n  @b.c\n  def g(): 1", [("class", "keyword"), ("A", "name"), ("@b", "decorator")]),
        ("x = 1.5e3  # why", [("1.5e3", "number"), ("# why", "comment")]),
        ("len('a')", [("len", "builtin"), ("'a'", "string")]),
        ("f'{x!r} {3}'", [("f'{", "string"), ("!r} {", "string"), ("3", "number"), ("}'", "string")]),
        ("x is not None", [("is", "keyword"), ("not", "keyword"), ("None", "keyword")]),
        ("raise ValueError", [("raise", "keyword"), ("ValueError", "builtin")]),
        ('"""a"""\\\n  # é\n\tif x', [('"""a"""', "string"), ("# é", "comment"), ("if", "keyword")]),
        ("x = '''a\nb'''", [("'''a", "string"), ("b'''", "string")]),
    ],
)
def test_kinds(text: str, expected: list[tuple[str, str]]) -> None:
    assert kinds(text)[: len(expected)] == expected


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.name)
def test_spans_lie_in_their_lines_one_after_the_other(file: Path) -> None:
    text = file.read_text()
    lines = text.split("\n")
    for line, spans in highlight(text).items():
        edges = [edge for span in spans for edge in (span.start, span.end)]
        assert edges == sorted(edges)
        assert edges[-1] <= len(lines[line - 1])

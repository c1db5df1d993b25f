"""Places in source text, as SARIF counts them (its examples in 3.30.2), columns in characters."""

from __future__ import annotations

import ast

import pytest

from pdt_annotate.source.text import Span, decode
from pdt_annotate.values.edits import Edit

EXAMPLE = decode(b"abcd\r\nefg\r\nhijk\r\nlmn\r\n")


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        (1, 3, Span(1, 2, 1, 4)),
        (6, 11, Span(2, 1, 3, 1)),
        (1, 1, Span(1, 2, 1, 2)),
        (0, 0, Span(1, 1, 1, 1)),
        (22, 22, Span(4, 6, 4, 6)),
    ],
)
def test_spans_are_those_of_the_standard(start: int, end: int, span: Span) -> None:
    assert EXAMPLE.span(start, end) == span


def test_every_character_takes_one_column() -> None:
    assert decode("🦆é x".encode()).span(7, 8) == Span(1, 4, 1, 5)


def test_a_byte_order_mark_has_no_place() -> None:
    source = decode("é = 1\n".encode("utf-8-sig"))
    assert (source.body.decode(), source.span(0, 2), source.charset) == ("é = 1\n", Span(1, 1, 1, 2), "UTF-8")


@pytest.mark.parametrize(
    ("cookie", "charset"),
    [("utf-8", "UTF-8"), ("latin-1", "ISO-8859-1"), ("cp1252", "windows-1252"), ("koi8-r", "KOI8-R")],
)
def test_encodings_have_their_registered_names(cookie: str, charset: str) -> None:
    assert decode(f"# coding: {cookie}\n".encode()).charset == charset


def name_of(source: str) -> tuple[Span, str]:
    text = decode(source.encode())
    (node,) = (n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    span = text.name_span(node)
    line = text.lines[span.line - 1]
    return span, line[span.column - 1 : span.end_column - 1]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def f(f): pass\n", "f"),
        ("'é'; x = 1\n@d\nasync  def nc(x): pass\n", "nc"),
        ("class A:\n    def größe(self): pass\n", "größe"),
        ("if 1: \n\tdef de(self): pass\n", "de"),
    ],
)
def test_the_name_of_a_definition_is_found(source: str, name: str) -> None:
    assert name_of(source)[1] == name


def test_a_name_on_another_line_is_found_there() -> None:
    assert name_of("x = 1\ndef \\\n  f(): pass\n") == (Span(3, 3, 3, 4), "f")


@pytest.mark.parametrize("text", ["a = 1\n\tb: x\n", "'äö🦆'; b = 2\r\nc\r\n", "", "x"])
def test_a_place_leads_back_to_its_byte(text: str) -> None:
    source = decode(text.encode())
    for count in range(len(text) + 1):
        offset = len(text[:count].encode())
        place = source.place("a.py", offset)
        assert source.offset(place.line, place.column) == offset


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"", []),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\rc\n", ["a", "b", "c"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"# coding: latin-1\n# caf\xe9\n", ["# coding: latin-1", "# café"]),
        (b"a\x0cb\xc2\x85c\n", ["a\x0cb\x85c"]),
        ("a\x0cb\u2028c\nd\re\r\nf".encode(), ["a\x0cb\u2028c", "d", "e", "f"]),
    ],
)
def test_lines_are_read_without_their_ends(source: bytes, lines: list[str]) -> None:
    assert decode(source).lines == lines


def test_lines_are_those_that_python_numbers() -> None:
    source = '"""\x0c\r\n\x85\r"""\nx = 1'.encode()
    (statement,) = [each for each in ast.parse(source).body if isinstance(each, ast.Assign)]
    assert decode(source).lines[statement.lineno - 1] == "x = 1"


def test_an_edit_takes_away_what_it_says_and_several_at_one_place_keep_their_order() -> None:
    edits = [Edit(4, "\n  ", removed=1), Edit(3, ": T"), Edit(3, " = é")]
    assert decode(b"f(x, y)").edit(edits) == "f(x: T = é,\n  y)".encode()

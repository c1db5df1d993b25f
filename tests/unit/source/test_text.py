"""Source text: its bytes, its places as in SARIF (the examples of section 3.30.2), and the text that an edit keeps."""

import ast
import codecs
import warnings

import pytest
from rewrite_case import FILE, LIST, MODULE, Case, info

from pdt_annotate.rewrite import rewrite
from pdt_annotate.source.text import Span, decode, parse_expression, parse_module
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.types import TypeExpr

IMPORT = b"from typing import List"


def test_bytes_that_would_not_come_back_or_are_of_another_encoding_are_the_users_error() -> None:
    for source in (b"# coding: utf-7\nx = '+AGE-'\n", b"x = '\xe4'\n"):
        with pytest.raises(UserError):
            rewrite(source, [], file=FILE, module=MODULE, classes={})
    for encoding in ("rot13", "hex", "zlib", "punycod"):
        with pytest.raises(SyntaxError):
            decode(f"# coding: {encoding}\n".encode())


SOURCES = {
    "mark": codecs.BOM_UTF8 + b"import os\ndef f(x): pass\n",
    "latin-1": b"# -*- coding: latin-1 -*-\nimport os  # \xe4\ndef f(x): pass  # \xf6\n",
    "shift-jis": b"# coding: shift_jis\nimport os  # \x83\x5c\ndef f(x): pass\n",
    "wide characters": "import os\nä = '€🙂'; ö = 1\ndef f(x): pass\n".encode(),
    "carriage return, line feed": b"import os\r\ndef f(x): pass\r\n",
    "carriage return": b"import os\rdef f(x): pass\r",
    "mixed newlines": b"import os\r\ny = 1\ndef f(x): pass\r\n",
    "no newline at the end": b"import os\ndef f(x): pass",
    "form feed": b"import os\n\x0c\ndef f(x): pass\n",
    "tabs": b"import os\nif os:\n\tdef f(x):\n\t\tpass\n",
    "trailing blanks": b"import os  \n\n  \ndef f(x):  \n    pass  \n\n\n",
    "backslashes": b"import os\ny = 1 + \\\n  2\ndef f(x): \\\n  pass\n",
    "a string over thousands of lines": b"import os\ny = (\n" + b"    'line'\n" * 3000 + b")\ndef f(x): pass\n",
    "interpreter line": b"#!/usr/bin/env python\nimport os\ndef f(x): pass\n",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_keeps_every_other_byte(source: bytes) -> None:
    first = source[source.index(b"import os") :].splitlines(keepends=True)[0]
    newline = first[len(first.rstrip(b"\r\n")) :]
    annotated = source.replace(b"f(x)", b"f(x: List[int])")
    Case(source).param("f", "x", LIST).becomes(annotated.replace(first, first + IMPORT + newline))


def test_the_new_line_of_a_class() -> None:
    Case(b"class A:\r\n\tdef f(self): pass\r\n").attribute("A", "n").becomes(
        b"class A:\r\n\tn: int\r\n\r\n\tdef f(self): pass\r\n"
    )
    Case(b'class A:\n  "doc"').attribute("A", "n").becomes(b'class A:\n  "doc"\n\n  n: int')


def test_what_is_nested_too_deeply_or_no_name_of_the_encoding_is_refused() -> None:
    source = b"# coding: latin-1\ndef f(x): pass\n"
    Case(source).param("f", "x", TypeExpr("shapes.Й")).refuses("PDT017", classes=info("shapes.Й"))
    with pytest.raises(SyntaxError, match="nested too deeply"):
        parse_expression("-" * 20_000 + "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_module(b"x = '\\d'\n").body


def test_spans_are_those_of_the_standard_and_count_characters() -> None:
    example = decode(b"abcd\r\nefg\r\nhijk\r\nlmn\r\n")
    spans = {
        (1, 3): (1, 2, 1, 4),
        (6, 11): (2, 1, 3, 1),
        (1, 1): (1, 2, 1, 2),
        (0, 0): (1, 1, 1, 1),
        (22, 22): (4, 6, 4, 6),
    }
    assert {each: example.span(*each) for each in spans} == {each: Span(*at) for each, at in spans.items()}
    assert decode("🦆é x".encode()).span(7, 8) == Span(1, 4, 1, 5)
    marked = decode("é = 1\n".encode("utf-8-sig"))
    assert (marked.body.decode(), marked.span(0, 2), marked.charset) == ("é = 1\n", Span(1, 1, 1, 2), "UTF-8")


def test_encodings_have_their_registered_names() -> None:
    names = {"utf-8": "UTF-8", "latin-1": "ISO-8859-1", "cp1252": "windows-1252", "koi8-r": "KOI8-R"}
    assert {cookie: decode(f"# coding: {cookie}\n".encode()).charset for cookie in names} == names


@pytest.mark.parametrize(
    ("source", "line", "name"),
    [
        ("def f(f): pass\n", 1, "f"),
        ("'é'; x = 1\n@d\nasync  def nc(x): pass\n", 3, "nc"),
        ("class A:\n    def größe(self): pass\n", 2, "größe"),
        ("if 1: \n\tdef de(self): pass\n", 2, "de"),
        ("x = 1\ndef \\\n  f(): pass\n", 3, "f"),
    ],
)
def test_the_name_of_a_definition_is_found(source: str, line: int, name: str) -> None:
    text = decode(source.encode())
    (node,) = (n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    start = text.name_start(node)
    span = text.span(start, text.name_end(start))
    assert (span.line, span.end_line) == (line, line)
    assert text.lines[line - 1][span.column - 1 : span.end_column - 1] == name


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
    assert list(decode(source).lines) == lines


def test_lines_are_those_that_python_numbers_and_edits_take_away_what_they_say() -> None:
    source = '"""\x0c\r\n\x85\r"""\nx = 1'.encode()
    (statement,) = [each for each in ast.parse(source).body if isinstance(each, ast.Assign)]
    assert decode(source).lines[statement.lineno - 1] == "x = 1"
    edits = [Edit(4, "\n  ", removed=1), Edit(3, ": T"), Edit(3, " = é")]
    assert decode(b"f(x, y)").edit(edits) == "f(x: T = é,\n  y)".encode()

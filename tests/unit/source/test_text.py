"""Bytes in, bytes out: encodings, marks, newlines, tabs and odd ends."""

from __future__ import annotations

import codecs
import warnings

import pytest
from rewrite_case import FILE, LIST, MODULE, Case, info

from pdt_annotate.rewrite import rewrite
from pdt_annotate.source.text import decode, parse_expression, parse_module
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.types import TypeExpr

IMPORT = b"from typing import List"


def test_bytes_that_would_not_come_back_are_the_users_error() -> None:
    with pytest.raises(UserError):
        rewrite(b"# coding: utf-7\nx = '+AGE-'\n", [], file=FILE, module=MODULE, classes={})


def test_bytes_in_another_encoding_are_the_users_error() -> None:
    with pytest.raises(UserError):
        rewrite(b"x = '\xe4'\n", [], file=FILE, module=MODULE, classes={})


@pytest.mark.parametrize("encoding", ["rot13", "hex", "zlib", "punycod"])
def test_an_encoding_that_makes_no_text_of_bytes_is_the_users_error(encoding: str) -> None:
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
    "interpreter line": b"#!/usr/bin/env python\nimport os\ndef f(x): pass\n",
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_keeps_every_other_byte(source: bytes) -> None:
    first = source[source.index(b"import os") :].splitlines(keepends=True)[0]
    newline = first[len(first.rstrip(b"\r\n")) :]
    annotated = source.replace(b"f(x)", b"f(x: List[int])")
    Case(source).param("f", "x", LIST).becomes(annotated.replace(first, first + IMPORT + newline))


def test_tabs_indent_the_new_line_of_a_class() -> None:
    Case(b"class A:\r\n\tdef f(self): pass\r\n").attribute("A", "n").becomes(
        b"class A:\r\n\tn: int\r\n\r\n\tdef f(self): pass\r\n"
    )


def test_a_class_at_the_end_without_newline() -> None:
    Case(b'class A:\n  "doc"').attribute("A", "n").becomes(b'class A:\n  "doc"\n\n  n: int')


def test_a_string_over_thousands_of_lines() -> None:
    source = b"import os\ny = (\n" + b"    'line'\n" * 3000 + b")\ndef f(x): pass\n"
    Case(source).param("f", "x").becomes(source.replace(b"f(x)", b"f(x: int)"))


def test_refuses_a_name_that_the_encoding_cannot_write() -> None:
    source = b"# coding: latin-1\ndef f(x): pass\n"
    Case(source).param("f", "x", TypeExpr("shapes.Й")).refuses("PDT017", classes=info("shapes.Й"))


def test_what_is_nested_too_deeply_does_not_parse() -> None:
    with pytest.raises(SyntaxError, match="nested too deeply"):
        parse_expression("-" * 20_000 + "1")


def test_nothing_is_heard() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_module(b"x = '\\d'\n").body

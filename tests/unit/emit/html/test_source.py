"""The diff on the page: what it shows of both sides is what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_tree import Element, read

import pdt_annotate
from pdt_annotate.emit.html.document import environment
from pdt_annotate.emit.html.source import LONGEST, Comparison, compare, highlight
from pdt_annotate.values.outcome import FileChange

BEFORE = ["import a", "", "def f(x, n=1):", "    return x", *(f"x{i} = {i}" for i in range(20)), "last"]
AFTER = ["import a", "import b", "", "def f(x: Tensor, n: int = 1):", *BEFORE[3:-1], "last: int"]


def shown(before: list[str], after: list[str]) -> Element:
    module = environment().get_template("source.html").make_module({"book": None, "standings": {}})
    return read(str(module.diff(Comparison(before, after))))  # type: ignore[attr-defined]


def rows(page: Element, *kinds: str) -> list[str]:
    found = [row for row in page.all("div", class_="row") if row.classes & set(kinds)]
    return [row.one("div", class_="text").text.removesuffix("\n") for row in found]


@pytest.mark.parametrize("lines", [[], ["a"], ["<b>"]])
def test_equal_files_have_none(lines: list[str]) -> None:
    assert shown(lines, lines).all("div", class_="row") == []


def test_both_sides_are_those_of_the_files() -> None:
    page = shown(BEFORE, AFTER)
    assert rows(page, "same", "gone") == BEFORE[:6] + BEFORE[-4:]
    assert rows(page, "same", "added") == AFTER[:7] + AFTER[-4:]
    assert [hunk.text for hunk in page.all("div", class_="hunk")] == ["@@ -1,6 +1,7 @@", "@@ -22,4 +23,4 @@"]


def test_lines_are_numbered_on_their_sides() -> None:
    added = shown(BEFORE, AFTER).all("div", class_="added")
    numbers = [[number.text for number in row.all("span", class_="no")] for row in added]
    assert numbers == [["", "2"], ["", "4"], ["", "26"]]
    assert {row.one("span", class_="sign").text for row in added} == {"+"}


def test_new_words_are_marked() -> None:
    page = shown(BEFORE, AFTER)
    marked = [[b.text for b in row.all("b")] for row in page.all("ins")]
    assert marked == [[], [": Tensor", ": int ", " "], [": int"]]
    assert [b.text for row in page.all("del") for b in row.all("b")] == []


def test_long_lines_are_not_compared_word_by_word() -> None:
    long = "x" * LONGEST
    assert shown([long], [f"{long} y"]).all("b") == []


def test_source_is_text() -> None:
    page = shown(["a"], ["<script>alert(1)</script>"])
    assert page.all("script") == []
    assert rows(page, "added") == ["<script>alert(1)</script>"]


def test_the_same_lines_have_no_change() -> None:
    same = Comparison(["a", "b"], ["a", "b"])
    assert (list(same.hunks()), same.changed) == ([], frozenset())


def test_added_and_changed_lines_are_told() -> None:
    before = ["import b", "", "def f(x):", "    return x"]
    assert Comparison(before, ["import a", *before[:2], "def f(x: T):", before[3]]).changed == {1, 4}


def test_a_change_is_compared_by_its_text() -> None:
    before = b"# coding: latin-1\r\n# caf\xe9\r\n"
    assert compare(FileChange("m.py", before, before + b"x = 1\r\n")) == Comparison(
        ["# coding: latin-1", "# café"], ["# coding: latin-1", "# café", "x = 1"]
    )


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

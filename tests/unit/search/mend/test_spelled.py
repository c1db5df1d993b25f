"""Expressions in the place of others: parentheses come where they are needed, and there alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.site import MendSite, Witnessed
from pdt_annotate.search.mend.spelled import Expression, is_plain, names_for, spell, strength
from pdt_annotate.search.mend.spelled import tested as find


def put(folder: Path, outer: str, inner: str) -> str:
    mended = Mended(folder, f"def f(x):\n    return {outer}\n")
    [function] = mended.project.survey(mended.file).functions
    site = MendSite(function, mended.project, Witnessed())
    value = Expression(inner, strength(ast.parse(f"({inner})", mode="eval").body))
    [returned] = function.node.body
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    return spell(site, returned.value, names_for({"x": value})).text


@pytest.mark.parametrize(
    ("outer", "inner", "both"),
    [
        ("g(x)", "a if b else c", "g(a if b else c)"),
        ("x.sum()", "a + b", "(a + b).sum()"),
        ("x[0]", "-a", "(-a)[0]"),
        ("y[x]", "a if b else c", "y[a if b else c]"),
        ("not x", "a is None", "not a is None"),
        ("not x", "a or b", "not (a or b)"),
        ("x and y", "a is None", "a is None and y"),
        ("x if y else x", "a if b else c", "(a if b else c) if y else a if b else c"),
        ("x == 1", "a == b", "(a == b) == 1"),
        ("[t for t in x]", "a if b else c", "[t for t in (a if b else c)]"),
        ("g(x)", "a\n.b", "g((a\n.b))"),
    ],
)
def test_parentheses_come_where_they_are_needed(tmp_path: Path, outer: str, inner: str, both: str) -> None:
    assert put(tmp_path, outer, inner) == both


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "a", "1"]),
    lambda inner: st.one_of(
        *(
            st.builds(form.format, inner, inner)
            for form in ("({}) + ({})", "({}) ** ({})", "({}) or ({})", "({}) < ({})")
        ),
        *(st.builds(form.format, inner) for form in ("not ({})", "-({})", "({}).b", "g(({}))", "({})[0]", "[({})]")),
        st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
    ),
    max_leaves=5,
).map(lambda text: ast.unparse(ast.parse(text, mode="eval")))


@settings(max_examples=100, deadline=None)
@given(outer=EXPRESSIONS, inner=EXPRESSIONS)
def test_the_tree_is_that_of_the_outer_with_the_inner_in_it(
    tmp_path_factory: pytest.TempPathFactory, outer: str, inner: str
) -> None:
    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.parse(inner, mode="eval").body if node.id == "x" else node

    wanted = Put().visit(ast.parse(outer, mode="eval"))
    assert ast.dump(ast.parse(put(tmp_path_factory.mktemp("a"), outer, inner), mode="eval")) == ast.dump(wanted)


@pytest.mark.parametrize(("text", "plain"), [("a.b.c", True), ("-1", True), ("a[0]", False), ("f()", False)])
def test_plain_expressions_do_nothing(text: str, plain: bool) -> None:
    assert is_plain(ast.parse(text, mode="eval").body) is plain


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = a or b", []),
        ("x = not a", ["a"]),
        ("if a and not (b or c): pass", ["a", "b", "c"]),
        ("x = 1 if a else b", ["a"]),
        ("assert a, b", ["a"]),
        ("while a > 1: pass", ["a > 1"]),
        ("[a for a in b if c]", ["c"]),
    ],
)
def test_what_is_tested(source: str, found: list[str]) -> None:
    assert list(map(ast.unparse, find(ast.parse(source)))) == found

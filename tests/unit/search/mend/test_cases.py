"""The cases of all rules, as text: `tests/cases/mend`, and the examples of their docstrings."""

from __future__ import annotations

import ast
from pathlib import Path

import mends_page
import pytest
from mend_cases import FOLDER, RULES, Case, cases, name_of, table
from mended import Mended

from pdt_annotate.search.mend.site import MendRule

DOCUMENTED = [rule for rule in RULES.values() if "DOCUMENTED" in table(rule.name)]


@pytest.mark.parametrize(("rule", "case"), [each for each in cases() if each[1].after is not None], ids=name_of)
def test_a_rule_makes_of_a_module_what_its_table_says(rule: MendRule, case: Case, tmp_path: Path) -> None:
    mended = case.mended(tmp_path)
    found = mended.find(rule)
    assert {mend.kind for mend in found} == ({case.kind or rule.kind} if case.after != case.before else set())
    assert _apply(rule, case, mended) == case.after


@pytest.mark.parametrize("rule", DOCUMENTED, ids=name_of)
def test_the_example_of_a_docstring_is_true_up_to_its_layout(rule: MendRule, tmp_path: Path) -> None:
    section, form = mends_page.read(rule), table(rule.name)["DOCUMENTED"]
    (case,) = form.mends((section.before, section.after))
    after = _apply(rule, case, case.mended(tmp_path))
    assert _tree(after) == _tree(case.after) != _tree(case.before)


def _apply(rule: MendRule, case: Case, mended: Mended) -> str:
    """What becomes of a module. Where the compiler stops is known of the first round alone: mends move lines."""
    if not case.stops:
        return mended.apply(rule)
    return mended.files.add(mended.find(rule), mended.project).project.source(mended.file).decode()


def _tree(text: str) -> str:
    """The code without its layout and its imports."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return ast.unparse(tree)


def test_every_table_is_that_of_a_rule() -> None:
    assert {file.stem for file in FOLDER.glob("*.py")} <= RULES.keys()


def test_every_example_is_run_but_where_the_search_adds_to_it() -> None:
    completed = {"unknown_annotations", "wide_annotations"}  # the rule takes an annotation away, the search writes one
    assert {rule.name for rule in DOCUMENTED} == RULES.keys() - completed

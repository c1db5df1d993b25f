"""The cases of all rules as text: `tests/cases/mends`, and the examples in the docstrings of the rules."""

import ast
from pathlib import Path

import mends_page
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import RULES, Alike, Case, Form, cases, name_of, tables
from mended import Mended, held

from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.values.mends import MendKind

DOCUMENTED = tables("DOCUMENTED")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each module overwrites the last one, because a folder for each takes seconds."""
    return tmp_path_factory.mktemp("modules")


@pytest.mark.parametrize(("rule", "case"), [each for each in cases() if each[1].after is not None], ids=name_of)
def test_a_rule_makes_of_a_module_what_its_table_says(rule: MendRule, case: Case, folder: Path) -> None:
    mended = case.mended(folder)
    found = mended.find(rule)
    beside = {MendKind.EXACT} if case.kind is MendKind.FROZEN else set()  # an exact mend may replace a frozen one
    kinds = {mend.kind for mend in found} - beside
    assert kinds == ({case.kind or rule.kind} if case.after != case.before else set())
    assert all(mend.left_out for mend in found if mend.kind is MendKind.SCRIPTED)
    assert _apply(rule, case, mended) == case.after


@pytest.mark.parametrize(("rule", "case"), [each for each in cases() if each[1].after is not None], ids=name_of)
def test_the_newlines_of_a_file_stay(rule: MendRule, case: Case, folder: Path) -> None:
    after = _apply(rule, case, case.mended(folder, "\r\n"))
    assert after == case.after.replace("\n", "\r\n")


def test_where_a_frozen_word_is_too_much_the_scripted_model_alone_has_it(tmp_path: Path) -> None:
    source = "import math\nimport numpy as np\n\n\ndef f(n):\n    return np.sqrt(n) + 1\n"
    mended = Mended(tmp_path, source, values={"f": {"n": held("2").values}})
    exact = [mend for mend in mended.find(RULES["words"]) if mend.kind is MendKind.EXACT]
    words = "return (math.sqrt(n) if torch.jit.is_scripting() else np.sqrt(n)) + 1"
    assert words in mended.files.add(exact, mended.project).project.source(mended.file).decode()


@pytest.mark.parametrize("rule", DOCUMENTED)
def test_the_example_of_a_docstring_is_true_up_to_its_layout(rule: str, folder: Path) -> None:
    section = mends_page.read(RULES[rule])
    (case,) = DOCUMENTED[rule].mends((section.before, section.after))
    assert _tree(_apply(RULES[rule], case, case.mended(folder))) == _tree(case.after)
    assert (_tree(case.before) == _tree(case.after)) is (rule == "own_lines")  # this rule only changes the layout


def _apply(rule: MendRule, case: Case, mended: Mended) -> str:
    """The changed module. The place where the compiler stops is only valid in the first round: mends move lines."""
    if not case.stops and not case.says:
        return mended.apply(rule)
    return mended.files.add(mended.find(rule), mended.project).project.source(mended.file).decode()


def _tree(text: str) -> str:
    """The code without layout and imports."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return ast.unparse(tree)


@pytest.mark.parametrize("rule", tables("ALIKE"))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_python_answers_as_before(folder: Path, rule: str, data: st.DataObject) -> None:
    drawn: Alike = tables("ALIKE")[rule]
    (case,) = Form().alone(data.draw(drawn.sources), types=drawn.types)
    after = case.mended(folder).apply(RULES[rule])
    assert _answers(after, drawn) == _answers(case.before, drawn)


def _answers(source: str, drawn: Alike) -> list[object]:
    names: dict[str, object] = {}
    exec(source, names)
    return [_answer(text, names) for text in drawn.answers]


def _answer(text: str, names: dict[str, object]) -> object:
    try:
        return eval(text, names)
    except (KeyError, TypeError):
        return "a name is missing"


def test_every_table_is_that_of_a_rule() -> None:
    assert {rule for kind in ("CASES", "DRAWN", "ALIKE") for rule in tables(kind)} <= RULES.keys()


def test_every_example_is_run_but_where_the_search_adds_to_it() -> None:
    completed = {"unknown_annotations", "wide_annotations"}  # after these rules, the search adds annotations
    assert DOCUMENTED.keys() == RULES.keys() - completed

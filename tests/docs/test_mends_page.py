"""docs/mends.md is what the table of mends and the docstrings of its rewrites say now."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import made_page
import mends_page
import pages
import pytest

from pdt_annotate.search.mend import MEND_RULES
from pdt_annotate.search.mend.site import MendRule
from pdt_annotate.values.mends import MendKind

PAGE = mends_page.FILE.read_text()

DOCUMENT = """\
What is done.

And why.

Message: `this`, or
    `that`.
Kind: exact.
Needs: nothing.
Before:
    def f(x):

        return *x
After:
    def f(x):

        return x
"""


def rule_of(name: str, document: str, monkeypatch: pytest.MonkeyPatch) -> MendRule:
    """A rule whose module has this docstring."""
    monkeypatch.setitem(sys.modules, f"pdt_annotate.search.mend.{name}", ModuleType(name, document))
    return MendRule(name, MendKind.EXACT, lambda failure: False, lambda site: iter(()))


def test_the_page_is_fresh() -> None:
    assert mends_page.make() == PAGE, "run `make docs`"


def test_a_stale_page_is_noticed_and_left_then_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "stale.md"
    stale.write_text(PAGE + "more\n")

    def main(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["page", *words, str(stale)])
        return made_page.main("", mends_page.FILE, lambda: PAGE)

    assert main("--check") == 1 and stale.read_text() == PAGE + "more\n"
    said = capsys.readouterr().err
    assert "stale.md is stale: run `make docs`" in said and "-more\n" in said
    assert main() == 0 and stale.read_text() == PAGE
    assert main("--check") == 0


@pytest.mark.parametrize("rule", MEND_RULES, ids=lambda rule: rule.name)
def test_every_mend_is_in_the_index_and_has_its_section(rule: MendRule) -> None:
    section = mends_page.read(rule)
    assert f"| [{rule.name}](#{rule.name}) | {rule.kind.value} |" in PAGE
    assert f"```python\n{section.before}\n```" in PAGE and f"```python\n{section.after}\n```" in PAGE
    assert rule.kind.value in section.kind.lower()


def test_a_docstring_is_read_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    section = mends_page.read(rule_of("made_up", DOCUMENT, monkeypatch))
    assert (section.what, section.more, section.message) == ("What is done.", "And why.", "`this`, or `that`.")
    assert (section.kind, section.needs) == ("exact.", "nothing.")
    assert (section.before, section.after) == ("def f(x):\n\n    return *x", "def f(x):\n\n    return x")


def test_a_docstring_of_another_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="made_up"):
        mends_page.read(rule_of("made_up", DOCUMENT.replace("Needs", "Wants"), monkeypatch))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain text", "plain text"),
        ("in `*code_` it stays", "in `*code_` it stays"),
        ("*args in __init__", r"\*args in \_\_init\_\_"),
    ],
)
def test_prose_is_escaped(text: str, escaped: str) -> None:
    assert made_page.escape(text) == escaped


def test_the_readme_links_the_page() -> None:
    assert f"({mends_page.FILE.relative_to(pages.ROOT)})" in pages.README.read_text()

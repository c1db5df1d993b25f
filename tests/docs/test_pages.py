"""README.md and docs/ agree with the program: generated parts are fresh; keys, codes, links and targets exist."""

import json
import re
import shlex
import sys
from pathlib import Path

import golden
import graph_picture
import made_page
import mends_page
import pages
import programs
import pytest
import session
from tool import run

from pdt_annotate.inputs import specs
from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.mends.rules import MEND_RULES
from pdt_annotate.values import exits

TEXT = pages.README.read_text()
PAGES = [pages.README, *sorted(pages.DOCS.glob("*.md"))]
MENDS = mends_page.FILE.read_text()
SCHEMA = json.loads((Path(specs.__file__).parent / "schema.json").read_text())
KEYS = (
    *SCHEMA["properties"],
    *SCHEMA["properties"]["calls"]["items"]["properties"],
    *SCHEMA["$defs"]["map"]["dependentSchemas"],
)
PARTS = [(page, name) for page, parts in pages.PAGES.items() for name in parts]


@pytest.mark.parametrize(("page", "name"), PARTS, ids=lambda value: getattr(value, "name", value))
def test_generated_parts_are_fresh_and_a_stale_one_is_noticed(page: Path, name: str) -> None:
    text = page.read_text()
    stale = text.replace(pages.part(page, name), "old\n")
    assert stale != text
    assert pages.fill(page, stale) == pages.fill(page, text) == text, "run `make docs`"


@pytest.mark.parametrize("page", programs.pages(), ids=lambda page: page.name)
def test_programs_print_what_the_page_says(page: Path) -> None:
    assert programs.fill(page.read_text()) == page.read_text(), "run `make docs`"


def test_a_session_and_a_picture_are_fresh() -> None:
    """`make lint` checks the other pages that tools write."""
    assert session.FILE.read_text() == session.record(), "run `make docs`"
    assert graph_picture.FILE.read_text() == graph_picture.draw(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)):
        if not link.startswith(("http:", "https:")):
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), link
            assert not anchor or target.suffix == ".py" or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The anchors of the headings, and the anchors in the text."""
    text = page.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def test_the_readme_and_the_page_of_specs_name_what_there_is() -> None:
    command = next(line for line in TEXT.splitlines() if line.startswith("pdt-annotate model.py:"))
    target = (pages.EXAMPLE / "target").read_text().strip()
    assert shlex.split(command)[1:] == [target, "-i", golden.spec_of(pages.EXAMPLE), "--diff"]
    section = TEXT.partition("## Exit codes")[2].partition("\n## ")[0]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert told == {value for name, value in vars(exits).items() if name.startswith("EXIT_")}
    makefile = (pages.ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake (\w+)", TEXT):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert "(docs/findings.md)" in TEXT and "(docs/mends.md)" in TEXT
    section = (pages.DOCS / "spec.md").read_text().partition("## YAML")[2].partition("\n## ")[0]
    assert [key for key in KEYS if not re.search(rf"\b{key}\b", section)] == []


def test_the_tree_is_what_verify_shows(tmp_path: Path) -> None:
    section = (pages.DOCS / "still-does-not-script.md").read_text().partition("## Which code is at fault")[2]
    source, short, tree = re.findall(r"```(?:python)?\n(.*?)```\n", section, re.DOTALL)
    (tmp_path / "mymodel.py").write_text(source)
    done = run(tmp_path, "verify", "mymodel:Net", "-a", "f32[2,3]", "-v", "--no-probe")
    assert done.returncode == 3
    assert done.stderr.startswith(short.partition("  … and 1 more")[0])
    assert f"\n{tree}✗ scripts\n" in done.stderr


def test_a_stale_page_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "stale.md"
    stale.write_text(MENDS + "more\n")

    def main(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["page", *words, str(stale)])
        return made_page.main("", mends_page.FILE, lambda: MENDS)

    assert main("--check") == 1 and stale.read_text() == MENDS + "more\n"
    said = capsys.readouterr().err
    assert "stale.md is stale: run `make docs`" in said and "-more\n" in said
    assert main() == 0 and stale.read_text() == MENDS and main("--check") == 0


@pytest.mark.parametrize("rule", MEND_RULES, ids=lambda rule: rule.name)
def test_every_mend_is_in_the_index_and_has_its_section(rule: MendRule) -> None:
    section = mends_page.read(rule)
    assert f"| [{rule.name}](#{rule.name}) | {rule.kind.value} |" in MENDS
    assert f"```python\n{section.before}\n```" in MENDS and f"```python\n{section.after}\n```" in MENDS
    assert rule.kind.value in section.kind.lower()

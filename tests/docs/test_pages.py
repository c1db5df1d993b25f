"""README.md and docs/ say what the program does: generated parts are fresh, keys, codes, links and targets exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import golden
import pages
import pytest
from tool import run

from pdt_annotate.inputs import specs
from pdt_annotate.values import exits

TEXT = pages.README.read_text()
PAGES = [pages.README, *sorted(pages.DOCS.glob("*.md"))]
SCHEMA = json.loads((Path(specs.__file__).parent / "schema.json").read_text())
KEYS = (
    *SCHEMA["properties"],
    *SCHEMA["properties"]["calls"]["items"]["properties"],
    *SCHEMA["$defs"]["map"]["dependentSchemas"],
)


PARTS = [(page, name) for page, parts in pages.PAGES.items() for name in parts]


@pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.name)
def test_generated_parts_are_fresh(page: Path) -> None:
    assert pages.fill(page, page.read_text()) == page.read_text(), "run `make docs`"


@pytest.mark.parametrize(("page", "name"), PARTS, ids=lambda value: getattr(value, "name", value))
def test_a_stale_part_is_noticed(page: Path, name: str) -> None:
    text = page.read_text()
    stale = text.replace(pages.part(page, name), "old\n")
    assert stale != text
    assert pages.fill(page, stale) == text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)):
        if not link.startswith(("http:", "https:")):
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            assert target.exists(), link
            assert not anchor or target.suffix == ".py" or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The anchors that a renderer gives the headings, and those that stand in the text."""
    text = page.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def test_the_example_command_is_the_one_whose_diff_is_shown() -> None:
    command = next(line for line in TEXT.splitlines() if line.startswith("pdt-annotate model.py:"))
    target = (pages.EXAMPLE / "target").read_text().strip()
    assert shlex.split(command)[1:] == [target, "-i", golden.spec_of(pages.EXAMPLE), "--diff"]


@pytest.mark.parametrize("key", KEYS)
def test_yaml_keys_are_described(key: str) -> None:
    section = (pages.DOCS / "spec.md").read_text().partition("## YAML")[2].partition("\n## ")[0]
    assert re.search(rf"\b{key}\b", section)


def test_exit_codes_are_described() -> None:
    section = TEXT.partition("## Exit codes")[2].partition("\n## ")[0]
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert told == {value for name, value in vars(exits).items() if name.startswith("EXIT_")}


def test_make_targets_exist() -> None:
    makefile = (pages.ROOT / "Makefile").read_text()
    for target in re.findall(r"\bmake (\w+)", TEXT):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_tree_is_what_verify_shows(tmp_path: Path) -> None:
    section = (pages.DOCS / "still-does-not-script.md").read_text().partition("## Who is at fault")[2]
    source, short, tree = re.findall(r"```(?:python)?\n(.*?)```\n", section, re.DOTALL)
    (tmp_path / "mymodel.py").write_text(source)
    done = run(tmp_path, "verify", "mymodel:Net", "-a", "f32[2,3]", "-v", "--no-probe")
    assert done.returncode == 3
    assert done.stderr.startswith(short.partition("  … and 1 more")[0])
    assert f"\n{tree}✗ scripts\n" in done.stderr

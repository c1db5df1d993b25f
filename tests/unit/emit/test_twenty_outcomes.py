"""About twenty outcomes in every output format, byte for byte as in `twenty/`. For HTML, the text and the attributes.

    PDT_WRITE_GOLDEN=1 python -m pytest tests/unit/emit/test_twenty_outcomes.py

writes the files again. Read the diff before you commit it.
"""

import io
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from captured import make_captures
from html_tree import Element, read
from outcomes import OUTCOMES

from pdt_annotate.emit import render
from pdt_annotate.emit.files import diff
from pdt_annotate.emit.html import captures_page
from pdt_annotate.emit.machine import json_file
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal.message_lines import captures_lines
from pdt_annotate.emit.terminal.report import TerminalReporter
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.capture_results import Captures
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource

GOLDEN = Path(__file__).parent / "twenty"
INLINE = frozenset(("a", "b", "code", "span", "ins", "del", "button", "output", "wbr"))
VERSION = re.compile(r"\b((?:torch|libcst|MonkeyType|Python|python) ?)\d+\.\d+\.\d+[+\w]*")
WRITTEN_ELSEWHERE = ("content", "lang", "charset", "http-equiv", "rel", "scope", "autocomplete")
"""Attributes that `html/test_html.py` tests, or that are the same on every page."""


def as_text(page: str) -> str:
    """The visible text of a page, with a line for each block, after the attributes of its elements."""

    def shown(name: str, value: str | None) -> str:
        written = {"class": f".{'.'.join((value or '').split())}", "id": f"#{value}", "href": f"({value})"}
        return written.get(name, f"[{name}]" if value is None else f"[{name}={value}]")

    def text(element: Element) -> str:
        if element.name in ("script", "style"):
            return ""
        head = "".join(shown(*each) for each in element.attributes.items() if each[0] not in WRITTEN_ELSEWHERE)
        inner = "".join(child if isinstance(child, str) else text(child) for child in element.children)
        return f" {head} {inner} " if element.name in INLINE else f"\n{head} {inner}\n"

    lines = (" ".join(line.split()) for line in text(read(page)).splitlines())
    return "".join(f"{line}\n" for line in lines if line)


def on_terminal(outcome: Outcome, invocation: Invocation, **options: object) -> bytes:
    out, write_back = io.StringIO(), invocation.write_back
    common = Options(outcome.targets, SpecSource(), outcome.root, write_back=write_back, color=Color.NEVER)
    report = TerminalReporter(replace(common, **options), out)  # type: ignore[arg-type]
    report.outcome(outcome, "the command with --mend")
    if outcome.outdated:
        report.outdated(outcome.outdated)
    report.closing("what was done", outcome)
    return out.getvalue().encode()


SUFFIXES: Mapping[str, Callable[[Outcome, Invocation], bytes]] = {
    "json": partial(render, "json"),
    "github": partial(render, "github"),
    "sarif": partial(render, "sarif"),
    "xml": partial(render, "junit"),
    "txt": partial(render, "text"),
    "html.txt": lambda outcome, invocation: as_text(render("html", outcome, invocation).decode()).encode(),
    "v.txt": lambda outcome, invocation: on_terminal(outcome, invocation, verbosity=1),
    "explain.txt": lambda outcome, invocation: on_terminal(outcome, invocation, explain=True),
}
ON_TERMINAL = ("txt", "v.txt", "explain.txt")
CAPTURES: Mapping[str, Callable[[tuple[Captures, ...]], str]] = {
    "json": lambda found: json_file.dump(json_file.captures_document(found)).decode(),
    "html.txt": lambda found: as_text(captures_page(found)),
    "txt": lambda found: "".join(f"{line.plain}\n" for line in captures_lines(found, 120)),
    "v.txt": lambda found: "".join(f"{line.plain}\n" for line in captures_lines(found, 120, in_full=True)),
}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a library outside it on the import path."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    for variable in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    return project


def assert_as_before(name: str, text: str) -> None:
    golden, text = GOLDEN / name, VERSION.sub(r"\1VERSION", text)
    if os.environ.get("PDT_WRITE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()
    assert not name.endswith("txt") or not re.search(r"[ \t]$", text, re.MULTILINE)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", OUTCOMES)
def test_as_before(name: str, suffix: str, root: Path) -> None:
    """The root is different each time, and only the output for a terminal may show it."""
    text = SUFFIXES[suffix](*OUTCOMES[name](root)).decode()
    assert_as_before(f"{name}.{suffix}", text.replace(str(root.parent), "ROOT") if suffix in ON_TERMINAL else text)


@pytest.mark.parametrize("name", ["verified", "repaired", "mended", "ignored"])
def test_diffs_with_notes_are_as_before(name: str, root: Path) -> None:
    outcome, _ = OUTCOMES[name](root)
    assert_as_before(f"{name}.diff", diff.render_explained(outcome).decode())
    assert_as_before(f"{name}.beside.diff", diff.render_for_people(outcome, False).decode())


@pytest.mark.parametrize("suffix", CAPTURES)
@pytest.mark.parametrize("name", ["captures", "captures_alone"])
def test_captures_are_as_before(name: str, suffix: str, root: Path) -> None:
    found = make_captures(root)
    if name == "captures_alone":
        found = (replace(found[0], note="nothing to annotate"),)
    assert_as_before(f"{name}.{suffix}", CAPTURES[suffix](found))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ["profile", "outside", "partial"])
def test_the_order_of_findings_in_the_outcome_does_not_matter(name: str, suffix: str, root: Path) -> None:
    outcome, invocation = OUTCOMES[name](root)
    findings = (*outcome.findings, replace(outcome.findings[0], code="PDT001"))
    one, other = (replace(outcome, findings=each) for each in (findings, findings[::-1]))
    assert SUFFIXES[suffix](one, invocation) == SUFFIXES[suffix](other, invocation)

"""The module tree of a target that failed, as a person reads it: who is at fault, with what, and what to do."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rich.text import Text

from pdt_annotate.emit.module_tree import Node, faults_of, grow, verdict
from pdt_annotate.emit.terminal.wrapping import wrap
from pdt_annotate.emit.words import abbreviate, shown
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.verdicts import Blame, Failure, Part


@dataclass(frozen=True)
class Marks:
    """The signs that a terminal can show; the last three are the branches of a tree."""

    yes: str
    no: str
    so: str
    to: str
    inner: str
    last: str
    beside: str


FANCY = Marks("✓", "✗", "→", "…", "├── ", "└── ", "│   ")
PLAIN = Marks("ok", "FAIL", "->", "to", "+-- ", "`-- ", "|   ")

NONE_BESIDE = "    "


def tree_lines(blame: Blame, encoding: str, width: int = sys.maxsize) -> Iterator[Text]:
    """One target's parts; equal neighbours share a node, and advice that was given is not repeated.

    Args:
        blame: what was found.
        encoding: the terminal's; without Unicode the signs are words.
        width: columns that a line may take.
    """
    painter = _Painter(FANCY if encoding.lower().startswith("utf") else PLAIN)
    return painter.paint(grow(blame), blame.target.text, width)


@dataclass
class _Painter:
    marks: Marks
    given: set[str] = field(default_factory=set)
    told: dict[Any, str] = field(default_factory=dict)

    def paint(self, node: Node, name: str, width: int) -> Iterator[Text]:
        for line in self._label(node, name):
            yield from wrap(line, width)
        for child in node.children:
            marks, is_last = self.marks, child is node.children[-1]
            branch, below = (marks.last, NONE_BESIDE) if is_last else (marks.inner, marks.beside)
            for line in self.paint(child, abbreviate(child.names, marks.to), width - len(branch)):
                yield Text(branch).append_text(line)
                branch = below

    def _label(self, node: Node, name: str) -> Iterator[Text]:
        part = node.part
        title = Text()
        title.append(name, style="bold")
        title.append(f"  {part.name}" if part.path else "", style="cyan")
        title.append(f"  {where}" if (where := shown(part.place)) else "", style="dim")
        yield title
        mark = (f"{self.marks.yes} ", "green") if part.is_sound else (f"{self.marks.no} ", "red")
        yield Text.assemble(mark, verdict(node, self.marks.to))
        yield from self._faults(part)

    def _faults(self, part: Part) -> Iterator[Text]:
        first = self.told.setdefault((part.name, faults_of(part)), part.path)
        if part.faults and first != part.path:
            yield Text(f"the same faults as {first}", style="dim")
            return
        for code, group in groupby(part.faults, key=lambda fault: fault.code):
            yield Text.assemble((code, "yellow"), " ", catalogue.entry(code).title)
            for fault in group:
                yield from self._place(fault.failure)
                yield from self._advise(fault.advice)
        if part.hidden:
            yield Text("more faults may stand behind these", style="dim")

    def _advise(self, advice: Sequence[str]) -> Iterator[Text]:
        for each in advice:
            if each not in self.given:
                self.given.add(each)
                yield Text(f"  {self.marks.so} {each}", style="dim")

    def _place(self, failure: Failure) -> Iterator[Text]:
        where = shown(failure.place) or failure.call
        said = telling_line(failure).replace(os.path.join(os.getcwd(), ""), "")
        yield Text(f"  {where}: {said}" if where else f"  {said}")
        line = linecache.getline(failure.place.file, failure.place.line).strip()
        if line:
            yield Text(f"    {line}", style="italic")

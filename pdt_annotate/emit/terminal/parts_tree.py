"""The module tree of a target that failed, as a person reads it: who is at fault, with what, and what to do."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from pdt_annotate.emit.module_tree import Node, faults_of, grow, verdict
from pdt_annotate.emit.words import abbreviate, shown
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.verdicts import Blame, Failure, Part


@dataclass(frozen=True)
class Marks:
    """The signs that a terminal can show."""

    yes: str
    no: str
    so: str
    to: str


FANCY = Marks("✓", "✗", "→", "…")
PLAIN = Marks("ok", "FAIL", "->", "to")


def render_tree(blame: Blame, encoding: str) -> Tree:
    """One target's parts; equal neighbours share a node, and advice that was given is not repeated.

    Args:
        blame: what was found.
        encoding: the terminal's; without Unicode the signs are words.
    """
    return _Painter(FANCY if encoding.lower().startswith("utf") else PLAIN).paint(grow(blame), blame.target.text)


@dataclass
class _Painter:
    marks: Marks
    given: set[str] = field(default_factory=set)
    told: dict[Any, str] = field(default_factory=dict)

    def paint(self, root: Node, name: str) -> Tree:
        tree = Tree(self._label(root, name), highlight=False)
        self._add_children(tree, root)
        return tree

    def _add_children(self, tree: Tree, parent: Node) -> None:
        for node in parent.children:
            self._add_children(tree.add(self._label(node, abbreviate(node.names, self.marks.to))), node)

    def _label(self, node: Node, name: str) -> Group:
        part = node.part
        title = Text(name, style="bold")
        title.append(f"  {part.name}" if part.path else "", style="cyan")
        title.append(f"  {where}" if (where := shown(part.place)) else "", style="dim")
        mark = (f"{self.marks.yes} ", "green") if part.is_sound else (f"{self.marks.no} ", "red")
        return Group(title, Text.assemble(mark, verdict(node, self.marks.to)), *self._faults(part))

    def _faults(self, part: Part) -> Iterator[RenderableType]:
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

    def _advise(self, advice: Sequence[str]) -> Iterator[RenderableType]:
        for each in advice:
            if each not in self.given:
                self.given.add(each)
                yield _indent(2, Text(f"{self.marks.so} {each}", style="dim"))

    def _place(self, failure: Failure) -> Iterator[RenderableType]:
        where = shown(failure.place) or failure.call
        said = telling_line(failure).replace(os.path.join(os.getcwd(), ""), "")
        yield _indent(2, Text(f"{where}: {said}" if where else said))
        line = linecache.getline(failure.place.file, failure.place.line).strip()
        if line:
            yield _indent(4, Text(line, style="italic"))


def _indent(columns: int, text: Text) -> Padding:
    return Padding(text, (0, 0, 0, columns), expand=False)

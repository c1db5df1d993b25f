"""The module tree of a target that failed, as a person reads it: who is at fault, with what, and what to do."""

from __future__ import annotations

import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.text import Text
from rich.tree import Tree

from pdt_annotate.emit.module_tree import Node, faults_of, grow, verdict
from pdt_annotate.emit.terminal.console import UNBOUNDED, laid_out, wrap
from pdt_annotate.emit.terminal.messages import advised
from pdt_annotate.emit.words import abbreviate, shown
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.verdicts import Blame, Failure, Part

TO = "…"


def tree_lines(blame: Blame, encoding: str, width: int = UNBOUNDED) -> Iterator[Text]:
    """One target's parts; equal neighbours share a node, and advice that was given is not repeated.

    Args:
        blame: what was found.
        encoding: the terminal's.
        width: columns that a line may take.
    """
    return laid_out(_Painter().tree(grow(blame), blame.target.text), width, encoding)


@dataclass
class _Label:
    """Lines of a node, wrapped between words."""

    lines: list[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for line in self.lines:
            yield from wrap(line, options.max_width)


@dataclass
class _Painter:
    given: set[str] = field(default_factory=set)
    first: dict[Any, str] = field(default_factory=dict)

    def tree(self, node: Node, name: str) -> Tree:
        tree = Tree(_Label(list(self._label(node, name))))
        tree.children += [self.tree(child, abbreviate(child.names, TO)) for child in node.children]
        return tree

    def _label(self, node: Node, name: str) -> Iterator[Text]:
        part, where = node.part, shown(node.part.place)
        yield Text.assemble(
            (name, "bold"), (f"  {part.name}" if part.path else "", "cyan"), (f"  {where}" if where else "", "dim")
        )
        yield Text.assemble(("✓ ", "green") if part.is_sound else ("✗ ", "red"), verdict(node, TO))
        yield from self._faults(part)

    def _faults(self, part: Part) -> Iterator[Text]:
        first = self.first.setdefault((part.name, faults_of(part)), part.path)
        if part.faults and first != part.path:
            yield Text(f"the same faults as {first}", style="dim")
            return
        for code, group in groupby(part.faults, key=lambda fault: fault.code):
            yield Text.assemble((code, "yellow"), " ", catalogue.entry(code).title)
            for fault in group:
                yield from _place(fault.failure)
                yield from (advised(each) for each in fault.advice if each not in self.given)
                self.given.update(fault.advice)
        if part.hidden:
            yield Text("more faults may stand behind these", style="dim")


def _place(failure: Failure) -> Iterator[Text]:
    where = shown(failure.place) or failure.call
    said = telling_line(failure).replace(os.path.join(os.getcwd(), ""), "")
    yield Text(f"  {where}: {said}" if where else f"  {said}")
    line = linecache.getline(failure.place.file, failure.place.line).strip()
    if line:
        yield Text(f"    {line}", style="italic")

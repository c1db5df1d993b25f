"""The module tree of a target that failed, as a person reads it: who is at fault, with what, and what to do."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from pdt_annotate import findings
from pdt_annotate.emit.words import abbreviate, first_line, place, plural
from pdt_annotate.ir import Answers, Blame, Failure, Part


@dataclass(frozen=True)
class Marks:
    """The signs that a terminal can show."""

    yes: str
    no: str
    so: str
    to: str


FANCY = Marks("✓", "✗", "→", "…")
PLAIN = Marks("ok", "FAIL", "->", "to")

TELLING = re.compile(r"found type|not provided\.$|^Could not match")

SAID: Mapping[Answers, str] = {
    Answers.ALIKE: "scripts, answers alike on {calls}",
    Answers.NOT_CALLED: "scripts; no example calls it",
    Answers.DIFFER: "scripts, answers otherwise than eager",
    Answers.RAISE: "scripts, raises where eager does not",
    Answers.UNKNOWN: "does not script",
}


def render_tree(blame: Blame, encoding: str) -> Tree:
    """One target's parts; equal neighbours share a node, and advice that was given is not repeated.

    Args:
        blame: what was found.
        encoding: the terminal's; without Unicode the signs are words.
    """
    return _Painter(blame, FANCY if encoding.lower().startswith("utf") else PLAIN).paint()


@dataclass
class _Painter:
    blame: Blame
    marks: Marks
    given: set[str] = field(default_factory=set)
    told: dict[Any, str] = field(default_factory=dict)

    def paint(self) -> Tree:
        root = self.blame.parts[0]
        tree = Tree(self._label([root], self.blame.target.text), highlight=False)
        self._add_children(tree, root)
        return tree

    def _add_children(self, tree: Tree, parent: Part) -> None:
        for _, group in groupby(self._children(parent), key=self._signature):
            parts = list(group)
            names = [_below(part.path, parent.path) for part in parts]
            self._add_children(tree.add(self._label(parts, abbreviate(names, self.marks.to))), parts[0])

    def _children(self, parent: Part) -> list[Part]:
        """The nearest listed parts below a part."""
        below = [part for part in self.blame.parts if _is_below(part.path, parent.path)]
        return [part for part in below if not any(_is_below(part.path, other.path) for other in below)]

    def _signature(self, part: Part) -> tuple[Any, ...]:
        """What is equal for parts that look alike."""
        children = tuple((_below(c.path, part.path), self._signature(c)) for c in self._children(part))
        return (part.name, part.file, part.line, part.answers, _faults_of(part), children)

    def _label(self, parts: Sequence[Part], name: str) -> Group:
        part = parts[0]
        title = Text(name, style="bold")
        title.append(f"  {part.name}" if part.path else "", style="cyan")
        title.append(f"  {where}" if (where := place(part.file, part.line)) else "", style="dim")
        return Group(title, self._verdict(parts), *self._faults(part))

    def _verdict(self, parts: Sequence[Part]) -> Text:
        part = parts[0]
        count = min(each.calls for each in parts)
        said = SAID[part.answers].format(calls=plural(count, "call") + (" each" if len(parts) > 1 else ""))
        mark = (f"{self.marks.yes} ", "green") if part.is_sound else (f"{self.marks.no} ", "red")
        inside = f" (with {plural(part.size - 1, 'module')} inside)" if part.is_sound and part.size > 1 else ""
        return Text.assemble(mark, said, inside, self._culprits(part))

    def _culprits(self, part: Part) -> str:
        """Whose fault it is."""
        if part.is_sound:
            return ""
        below = abbreviate([_below(path, part.path) for path in part.blamed], self.marks.to)
        if part.faults and below:
            return f"; its own fault, and that of {below}"
        return f"; the fault of {below}" if below else "; its own fault"

    def _faults(self, part: Part) -> Iterator[RenderableType]:
        first = self.told.setdefault((part.name, _faults_of(part)), part.path)
        if part.faults and first != part.path:
            yield Text(f"the same faults as {first}", style="dim")
            return
        for code, group in groupby(part.faults, key=lambda fault: fault.code):
            yield Text.assemble((code, "yellow"), " ", findings.entry(code).title)
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
        where = place(failure.file, failure.line) or failure.call
        said = telling_line(failure).replace(os.path.join(os.getcwd(), ""), "")
        yield _indent(2, Text(f"{where}: {said}" if where else said))
        line = linecache.getline(failure.file, failure.line).strip() if failure.file else ""
        if line:
            yield _indent(4, Text(line, style="italic"))


def _indent(columns: int, text: Text) -> Padding:
    return Padding(text, (0, 0, 0, columns), expand=False)


def telling_line(failure: Failure) -> str:
    """The line of a message that says what the compiler met, where the first says only that something is wrong.

    >>> telling_line(Failure("Arguments for call are not valid.\nExpected a value of type 'int', found type 'str'"))
    "Expected a value of type 'int', found type 'str'"
    """
    said = f"{failure.message}\n{failure.text.partition('  File ')[0]}"
    lines = [line.strip() for line in said.splitlines()]
    return next((line for line in lines if TELLING.search(line)), first_line(failure.message))


def _faults_of(part: Part) -> tuple[tuple[str, Failure], ...]:
    return tuple((fault.code, fault.failure) for fault in part.faults)


def _is_below(path: str, top: str) -> bool:
    return path != top and (not top or path.startswith(f"{top}."))


def _below(path: str, top: str) -> str:
    return path.removeprefix(f"{top}.") if top else path

"""A file and all that was made of it, change upon change, so that any of the changes can be left out again.

The text is a row of runs. Each knows which change brought it, and which took it away: what is seen of the text follows
from the changes that count. (The weave of SCCS, in bytes.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit

FILE = -1
"""What brought the runs of the file itself."""

NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Run:
    """Bytes that came and went together.

    Args:
        came: the change that brought them, `FILE` for those of the file.
        gone: the change that took them away; None where they are still there.
        start: the offset in the file, of its own runs.
        edit: what brought them, of other runs.
    """

    text: bytes
    came: int
    gone: int | None = None
    start: int = 0
    edit: Edit | None = None

    def is_seen(self, without: Collection[int] = NONE) -> bool:
        """Whether the run is in the text without some changes."""
        return self.came not in without and (self.gone is None or self.gone in without)

    def split(self, at: int) -> tuple[Run, Run]:
        return replace(self, text=self.text[:at]), replace(self, text=self.text[at:], start=self.start + at)


@dataclass(frozen=True)
class Weave:
    """A file with the changes of it, which are numbered.

    Args:
        file: the text before them all.
        runs: in order, those that are gone included.
        needs: by change, those without which it cannot stand, because it changes what they brought.
    """

    file: Text
    runs: tuple[Run, ...]
    needs: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(file: Text) -> Weave:
        """A file that nothing has changed."""
        return Weave(file, (Run(file.body, FILE),))

    def change(self, number: int, edits: Iterable[Edit]) -> Weave:
        """The weave with edits of the text as it is seen now, all of one change."""
        return self.change_all((number, edit) for edit in edits)

    def change_all(self, edits: Iterable[tuple[int, Edit]]) -> Weave:
        """The same of several changes, whose edits do not overlap."""
        ordered = sorted(edits, key=lambda each: each[1].offset)
        done: list[Run] = []
        needs: list[tuple[int, int]] = []
        rest, offset = list(reversed(self.runs)), 0
        for number, edit in ordered:
            offset = _pass(done, rest, offset, edit.offset, needs, number)
            offset = _take(done, rest, offset, edit.end, needs, number)
            if edit.text:
                done.append(Run(edit.text.encode(), number, edit=edit))
        return Weave(self.file, (*done, *reversed(rest)), (*self.needs, *needs))

    def without(self, changes: Collection[int]) -> Weave:
        """The weave as if some changes had never been made, nor those that cannot stand without them."""
        left = self.dependent(changes)
        runs = (run for run in self.runs if run.came not in left)
        return Weave(
            self.file,
            tuple(replace(run, gone=None) if run.gone in left else run for run in runs),
            tuple((one, other) for one, other in self.needs if one not in left),
        )

    def dependent(self, changes: Collection[int]) -> frozenset[int]:
        """The changes, and those that cannot stand without them."""
        found = frozenset(changes)
        while more := {one for one, other in self.needs if other in found} - found:
            found |= more
        return found

    @property
    def body(self) -> bytes:
        """The text as it is seen, in UTF-8."""
        return b"".join(run.text for run in self.runs if run.is_seen())

    @property
    def source(self) -> bytes:
        """The same in the bytes of the file."""
        text, body = self.file, self.body
        return text.mark + (body if text.encoding == "utf-8" else body.decode().encode(text.encoding))

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What makes of the file what is seen."""
        found: list[Edit] = []
        for run, offset in self._placed():
            if run.came == FILE and not run.is_seen():
                found.append(Edit(offset, "", removed=len(run.text)))
            elif run.came != FILE and run.is_seen():
                edit = run.edit or Edit(offset, "")
                found.append(replace(edit, offset=offset, text=run.text.decode(), removed=0))
        return tuple(found)

    def trace(self, offset: int) -> int:
        """The byte of the file that a byte of the seen text was; of one that was brought, that behind it."""
        for run, start in self._placed():
            if not run.is_seen():
                continue
            if offset < len(run.text):
                return start + offset if run.came == FILE else start
            offset -= len(run.text)
        return len(self.file.body)

    def _placed(self) -> Iterator[tuple[Run, int]]:
        """The runs, each with the offset in the file at which it stands."""
        offset = 0
        for run in self.runs:
            yield run, offset
            offset += len(run.text) if run.came == FILE else 0


def _pass(done: list[Run], rest: list[Run], offset: int, to: int, needs: list[tuple[int, int]], number: int) -> int:
    """Leave runs as they are up to an offset of the seen text."""
    while offset < to:
        run = rest.pop()
        if run.is_seen() and offset + len(run.text) > to:
            first, second = run.split(to - offset)
            if run.came != FILE:
                needs.append((number, run.came))
            rest.append(second)
            run = first
        done.append(run)
        offset += len(run.text) if run.is_seen() else 0
    return offset


def _take(done: list[Run], rest: list[Run], offset: int, to: int, needs: list[tuple[int, int]], number: int) -> int:
    """Take runs away up to an offset of the seen text."""
    while offset < to:
        run = rest.pop()
        if not run.is_seen():
            done.append(run)
            continue
        if offset + len(run.text) > to:
            run, second = run.split(to - offset)
            rest.append(second)
        if run.came not in (FILE, number):
            needs.append((number, run.came))
        done.append(replace(run, gone=number))
        offset += len(run.text)
    return offset

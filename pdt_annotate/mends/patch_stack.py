"""A file with all its changes; any change can be left out again.

The text is a row of strands, each with the change that added it and the one that removed it (the weave of SCCS).
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit

FILE = -1  # the change that added the strands of the file itself


@dataclass(frozen=True)
class Patch:
    """Bytes that were added and removed together.

    Args:
        came: the change that added them, `FILE` for those of the file.
        gone: the change that removed them; None if they are still there.
        edit: the edit that added them, for other strands.
    """

    text: bytes
    came: int
    gone: int | None = None
    edit: Edit | None = None


@dataclass(frozen=True)
class PatchStack:
    """A file, its strands with numbered changes, and by change the other changes that it needs."""

    file: Text
    strands: tuple[Patch, ...]
    needs: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(file: Text) -> "PatchStack":
        return PatchStack(file, (Patch(file.body, FILE),))

    def change(self, edits: Iterable[tuple[int, Edit]]) -> "PatchStack":
        """The stack with edits of the currently visible text, each with the number of its change."""
        done: list[Patch] = []
        needs: list[tuple[int, int]] = []
        rest, offset = list(reversed(self.strands)), 0
        for number, edit in sorted(edits, key=lambda each: each[1].offset):
            # Keep the strands up to the edit, then remove the strands in it.
            for to, take in ((edit.offset, False), (edit.end, True)):
                while offset < to:
                    strand = rest.pop()
                    if strand.gone is not None:
                        done.append(strand)
                        continue
                    length = min(len(strand.text), to - offset)
                    is_cut = length < len(strand.text)
                    if is_cut:
                        rest.append(replace(strand, text=strand.text[length:]))
                        strand = replace(strand, text=strand.text[:length])
                    if (take or is_cut) and strand.came not in (FILE, number):
                        needs.append((number, strand.came))
                    done.append(replace(strand, gone=number) if take else strand)
                    offset += length
            if not edit.text.endswith("\n"):  # whole lines do not depend on their neighbours
                needs += ((number, other) for other in _beside(done, rest) if other != number)
            if edit.text:
                done.append(Patch(edit.text.encode(), number, edit=edit))
        return PatchStack(self.file, (*done, *reversed(rest)), (*self.needs, *needs))

    def without(self, changes: Collection[int]) -> "PatchStack":
        left = self.dependent(changes)
        strands = (strand for strand in self.strands if strand.came not in left)
        return PatchStack(
            self.file,
            tuple(replace(strand, gone=None) if strand.gone in left else strand for strand in strands),
            tuple((one, other) for one, other in self.needs if one not in left),
        )

    def dependent(self, changes: Collection[int]) -> frozenset[int]:
        found = frozenset(changes)
        while more := {one for one, other in self.needs if other in found} - found:
            found |= more
        return found

    @property
    def body(self) -> bytes:
        return b"".join(strand.text for strand in self.strands if strand.gone is None)

    @property
    def source(self) -> bytes:
        """The visible text with the byte-order mark and the encoding of the file."""
        text, body = self.file, self.body
        return text.mark + (body if text.encoding == "utf-8" else body.decode().encode(text.encoding))

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(edit for _, edit in self.numbered)

    @property
    def numbered(self) -> Iterator[tuple[int, Edit]]:
        for strand, offset in self._placed():
            if strand.came == FILE and strand.gone is not None:
                yield strand.gone, Edit(offset, "", removed=len(strand.text))
            elif strand.came != FILE and strand.gone is None:
                edit = strand.edit or Edit(offset, "")
                yield strand.came, replace(edit, offset=offset, text=strand.text.decode(), removed=0)

    def trace(self, offset: int) -> int:
        """The byte of the file for a byte of the visible text; for an added byte, the one after it in the file."""
        for strand, start in self._placed():
            if strand.gone is not None:
                continue
            if offset < len(strand.text):
                return start + offset if strand.came == FILE else start
            offset -= len(strand.text)
        return len(self.file.body)

    def _placed(self) -> Iterator[tuple[Patch, int]]:
        """The strands, each with its offset in the file."""
        offset = 0
        for strand in self.strands:
            yield strand, offset
            offset += len(strand.text) if strand.came == FILE else 0


def _beside(done: list[Patch], rest: list[Patch]) -> Iterator[int]:
    for strands in (reversed(done), reversed(rest)):
        for strand in strands:
            yield from (change for change in (strand.came, strand.gone) if change is not None and change != FILE)
            if strand.gone is None:
                break

"""What a rewrite changes in a file."""

from __future__ import annotations

from dataclasses import dataclass

from pdt_annotate.values.slots import Owner, Slot


@dataclass(frozen=True)
class Edit:
    """Text to put in front of a byte of a file, in place of what stands there. Several at one offset keep their order.

    Args:
        offset: the byte of the file's text in UTF-8, without the byte-order mark.
        text: what is put there.
        owner: the function or class that it annotates; None for an import.
        slot: what the text annotates, where it is the type and nothing else; `: ` and the like stand by themselves.
        removed: how many bytes from the offset on are taken away: white space that a line break replaces, mostly none.
    """

    offset: int
    text: str
    owner: Owner | None = None
    slot: Slot | None = None
    removed: int = 0

    @property
    def end(self) -> int:
        """The offset behind what is taken away."""
        return self.offset + self.removed

    @property
    def growth(self) -> int:
        """How many bytes longer the file's text gets."""
        return len(self.text.encode()) - self.removed

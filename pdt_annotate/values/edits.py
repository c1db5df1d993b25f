"""The changes that a rewrite makes in a file."""

from dataclasses import dataclass

from pdt_annotate.values.slots import Owner, Slot


@dataclass(frozen=True)
class Edit:
    """Text to insert at a byte offset of a file in place of the bytes there. Edits at one offset keep their order."""

    offset: int  # a byte offset in the file's UTF-8 text, without the byte-order mark
    text: str  # the text to insert
    owner: Owner | None = None  # the function or class that the text annotates; None for an import
    # The slot that the text annotates, if the text is just the type; `: ` and the like are separate edits.
    slot: Slot | None = None
    # The number of bytes to remove from the offset on: white space that a line break replaces, mostly 0.
    removed: int = 0

    @property
    def end(self) -> int:
        return self.offset + self.removed

    @property
    def growth(self) -> int:
        """The number of bytes by which the file's text grows."""
        return len(self.text.encode()) - self.removed

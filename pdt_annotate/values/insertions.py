"""What a rewrite puts into a file."""

from __future__ import annotations

from dataclasses import dataclass

from pdt_annotate.values.slots import Owner, Slot


@dataclass(frozen=True)
class Insertion:
    """Text to put in front of a byte of a file. Several at one offset keep their order.

    Args:
        offset: the byte of the file's text in UTF-8, without the byte-order mark.
        text: what is put there.
        owner: the function or class that it annotates; None for an import.
        slot: what the text annotates, where it is the type and nothing else; `: ` and the like stand by themselves.
    """

    offset: int
    text: str
    owner: Owner | None = None
    slot: Slot | None = None

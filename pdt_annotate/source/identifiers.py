"""Names as Python knows them: in NFKC, whatever a source writes (PEP 3131). `ﬁ` and `fi` are one name."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from pdt_annotate.values.slots import Slot


def normal(name: str) -> str:
    """The name as Python knows it, and with it every syntax tree, code object and dictionary of a module.

    >>> normal("ﬁrst.µ")
    'first.μ'
    """
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def normal_slot(slot: Slot) -> Slot:
    """The slot by the names that Python knows it by."""
    owner = replace(slot.owner, qualname=normal(slot.owner.qualname))
    return replace(slot, owner=owner, name=normal(slot.name))


def mentions(source: bytes, name: str) -> bool:
    """Whether a source may have the name in it, however that is written."""
    if source.isascii():
        return name.encode() in source
    return name in normal(source.decode("utf-8", "replace")) or name.encode() in source

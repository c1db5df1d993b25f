"""Names in Python's form, NFKC, however a source writes them (PEP 3131), and the names that a file binds."""

from __future__ import annotations

import re
import symtable
import unicodedata
import warnings
from dataclasses import replace

from pdt_annotate.source.text import decode
from pdt_annotate.values.slots import Slot


def normal(name: str) -> str:
    """The name in the form of every syntax tree, code object and dictionary of a module.

    >>> normal("ﬁrst.µ")
    'first.μ'
    """
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def normal_slot(slot: Slot) -> Slot:
    owner = replace(slot.owner, qualname=normal(slot.owner.qualname))
    return replace(slot, owner=owner, name=normal(slot.name))


def mentions(source: bytes, name: str) -> bool:
    """Whether a source may contain the name, in any form."""
    if source.isascii():
        return name.encode() in source
    return name in normal(source.decode("utf-8", "replace")) or name.encode() in source


BINDS_UNSEEN = re.compile(
    r"import\s*\*|\b(?:__dict__|__getattr__|__path__|exec|global|globals|locals|setattr|sys\.modules|vars)\b"
)
"""How a module gets names, or becomes another one, without a statement that binds them."""


def bound_names(file: str) -> frozenset[str] | None:
    """The names that importing a file may bind in its module; None if the text does not show them."""
    try:
        with open(file, "rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the process that imports the file shows them
            text = decode(stream.read()).body.decode()
            table = symtable.symtable(text, file, "exec")
    except (OSError, SyntaxError, ValueError):
        return None
    if BINDS_UNSEEN.search(text):
        return None
    # Python 3.12 and 3.13 take the variable of a comprehension for one of the module.
    assigned = {
        each for each in table.get_symbols() if each.is_assigned() and not getattr(each, "is_comp_iter", bool)()
    }
    return frozenset(each.get_name() for each in table.get_symbols() if each in assigned or each.is_imported())

"""The names that a file binds as a module, where its text tells them all: then what is not among them is not there."""

from __future__ import annotations

import re
import symtable
import warnings

from pdt_annotate.source.text import decode

BINDS_UNSEEN = re.compile(
    r"import\s*\*|\b(?:__dict__|__getattr__|__path__|exec|global|globals|locals|setattr|sys\.modules|vars)\b"
)
"""How a module gets names, or becomes another one, without a statement that binds them."""


def bound_names(file: str) -> frozenset[str] | None:
    """The names that importing a file may bind in its module; None where the text does not tell."""
    try:
        with open(file, "rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever imports the file hears them
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

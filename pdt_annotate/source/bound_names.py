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
    return frozenset(each.get_name() for each in table.get_symbols() if _is_bound(each))


def _is_bound(symbol: symtable.Symbol) -> bool:
    """Whether a module binds a name; Python 3.12 and 3.13 do not tell the variable of a comprehension apart."""
    is_inside = getattr(symbol, "is_comp_iter", bool)()
    return (symbol.is_assigned() and not is_inside) or symbol.is_imported()

"""Names in Python's form, NFKC, however a source writes them (PEP 3131); dotted names of modules, and their files."""

import os
import re
import symtable
import unicodedata
import warnings
from dataclasses import replace
from pathlib import Path

from pdt_annotate.source.text import decode
from pdt_annotate.values.slots import Slot


def normal(name: str) -> str:
    """The name in the form of every syntax tree, code object and dictionary of a module.

    >>> normal("ﬁrst.µ")
    'first.μ'
    """
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def snake_case(name: str) -> str:
    """The name of a variable like that of a class or a method of it.

    >>> snake_case("MLPBlock._forward"), snake_case("Conv2d")
    ('mlp_block_forward', 'conv2d')
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[\W_]+", "_", words).strip("_").lower()


def normal_slot(slot: Slot) -> Slot:
    owner = replace(slot.owner, qualname=normal(slot.owner.qualname))
    return replace(slot, owner=owner, name=normal(slot.name))


def mentions(source: bytes, name: str) -> bool:
    """Whether a source may contain the name, in any form."""
    if source.isascii():
        return name.encode() in source
    return name in normal(source.decode("utf-8", "replace")) or name.encode() in source


BINDS_UNSEEN = re.compile(  # how a module gets names, or becomes another one, without a statement that binds them
    r"import\s*\*|\b(?:__dict__|__getattr__|__path__|exec|global|globals|locals|setattr|sys\.modules|vars)\b"
)


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
    symbols = (each for each in table.get_symbols() if each.is_assigned())
    assigned = {each for each in symbols if not getattr(each, "is_comp_iter", bool)()}
    return frozenset(each.get_name() for each in table.get_symbols() if each in assigned or each.is_imported())


def is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def module_name_of(file: str) -> str:
    """The dotted name under which a file is imported, with its packages; "" if no import statement can spell it."""
    path = Path(os.path.abspath(file))
    parts = [] if path.stem == "__init__" else [path.stem]
    for folder in path.parents:
        if not (os.path.isfile(folder / "__init__.py") and folder.name.isidentifier()):
            break
        parts.insert(0, folder.name)
    name = ".".join(parts)
    return name if is_dotted(name) else ""


def import_folder(file: str) -> Path:
    """The directory that must be on the import path for a file to be imported under its name."""
    path = Path(os.path.abspath(file))
    return path.parents[module_name_of(file).count(".") + (path.stem == "__init__")]

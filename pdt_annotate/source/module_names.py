"""The dotted names of modules and their files. Nothing is imported, and no file is read."""

from __future__ import annotations

import os
from pathlib import Path


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

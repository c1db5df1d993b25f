"""The Python sources of a project and of the import path. They are read, never imported."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from pdt_annotate.source.module import load_module


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


class Sources:
    """The files of a project and of the import path; each is parsed once.

    Args:
        root: the directory to search for usages.
        path: the import path of the Python that runs them; by default that of this process.
    """

    def __init__(self, root: str, path: Iterable[str] | None = None) -> None:
        self.root = root
        here = os.getcwd()
        own = (here, os.path.join(here, "src"), root, os.path.join(root, "src"))
        self._path = tuple(dict.fromkeys((*own, *map(os.path.abspath, sys.path if path is None else path))))
        self.module = functools.cache(load_module)

    def file_of(self, module: str, beside: str = "") -> str:
        """The source file of a dotted module, "" if not found; `beside` is a folder to look in first."""
        path = os.path.join(*module.split("."))
        names = (f"{path}.py", os.path.join(path, "__init__.py"))
        files = (os.path.join(folder, name) for folder in (*filter(None, [beside]), *self._path) for name in names)
        return next(filter(os.path.isfile, files), "")

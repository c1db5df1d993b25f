"""The targets that could be named from a directory, read off its sources: nothing is imported."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from pdt_annotate.values.installed import is_environment

SOURCES = ("", "src")
"""Where modules are looked for, as `load.load_module` does."""

MOST = 2_000
"""Files that are listed; a directory with more is no project."""

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def places(directory: Path) -> Iterator[str]:
    """The modules below a directory and its `src`, by dotted name, then the files, by path."""
    files = list(_files(directory))
    for source in SOURCES:
        base = directory / source
        names = (_dotted(file.relative_to(base)) for file in files if file.is_relative_to(base))
        yield from (name for name in names if name)
    yield from (str(file.relative_to(directory)) for file in files)


def names_in(place: str, directory: Path) -> Iterator[str]:
    """The functions, classes and methods of a module or file, as a target would name them; none where there is none."""
    file = _find(place, directory)
    try:
        tree = ast.parse(file.read_bytes()) if file else None
    except (OSError, SyntaxError, ValueError):
        tree = None
    for node in tree.body if tree else ():
        if isinstance(node, DEFINITIONS):
            yield node.name
            if isinstance(node, ast.ClassDef):
                methods = (each.name for each in node.body if isinstance(each, DEFINITIONS))
                yield from (f"{node.name}.{name}" for name in methods if not name.startswith("__"))


def _files(directory: Path) -> Iterator[Path]:
    """Python files, those near the top first; hidden folders and environments left out."""
    found = 0
    pending = [directory]
    while pending:
        folder = pending.pop(0)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not (entry.name.startswith((".", "__")) or is_environment(entry.path)):
                    pending.append(Path(entry))
            elif entry.name.endswith(".py"):
                found += 1
                yield Path(entry)
                if found == MOST:
                    return


def _dotted(path: Path) -> str:
    """The dotted name of a file below a directory on the path; "" where no import can spell it."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""


def _find(place: str, directory: Path) -> Path | None:
    if place.endswith(".py"):
        return directory / place
    path = Path(*place.split("."))
    found = (directory / source / end for source in SOURCES for end in (path.with_suffix(".py"), path / "__init__.py"))
    return next((file for file in found if file.is_file()), None)

"""The possible targets in a directory, read from its sources: nothing is imported."""

from __future__ import annotations

import ast
import contextlib
import difflib
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from pdt_annotate.source.pages import is_dotted
from pdt_annotate.values.installed import is_environment

SOURCES = ("", "src")  # the folders for modules, as in `load.load_module`
MOST = 2_000  # the most files to list; a directory with more is no project
MOST_SHOWN = 3  # the most targets in a hint

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
    """The functions, classes and methods of a module or file, by their names in a target; empty if it is missing."""
    file = str(directory / place) if place.endswith(".py") else ""
    if is_dotted(place) and not file:
        path = os.path.join(*place.split("."))
        ends = (f"{path}.py", os.path.join(path, "__init__.py"))
        found = (directory / source / end for source in SOURCES for end in ends)
        file = str(next(filter(os.path.isfile, found), ""))
    from pdt_annotate.source.module import load_module  # noqa: PLC0415 - `--help` does not need it

    module = load_module(file) if file else None
    for node in module.tree.body if module else ():
        if isinstance(node, DEFINITIONS):
            yield node.name
            if isinstance(node, ast.ClassDef):
                methods = (each.name for each in node.body if isinstance(each, DEFINITIONS))
                yield from (f"{node.name}.{name}" for name in methods if not name.startswith("__"))


def near_targets(text: str, directory: Path) -> list[str]:
    """The likely meanings of a text that is not a target: names in a module or file, or places of a definition."""
    place = text.rstrip(":")
    inside = [f"{place}:{name}" for name in names_in(place, directory) if "." not in name]
    if inside or not text.isidentifier():
        return inside[:MOST_SHOWN]
    head = re.compile(rf"^(?:class|def) {re.escape(text)}\b".encode(), re.MULTILINE)
    return [f"{place}:{text}" for place, _ in itertools.islice(_matches(head, directory), MOST_SHOWN)]


def near_places(place: str, directory: Path) -> list[str]:
    """The modules and files below a directory with names near to a missing one."""
    known = [each for each in places(directory) if each.endswith(".py") == place.endswith(".py")]
    return difflib.get_close_matches(place, known, n=2)


def find_model(directory: Path) -> str:
    """The first target below a directory that is a class of modules, by the names of its bases; "" for none."""
    head = re.compile(rb"^class (\w+)\([^)]*Module\b", re.MULTILINE)
    return next((f"{place}:{found[1].decode()}" for place, found in _matches(head, directory)), "")


def _matches(head: re.Pattern[bytes], directory: Path) -> Iterator[tuple[str, re.Match[bytes]]]:
    """The files with a match, as the module or path that a target names them by."""
    for file in _files(directory):
        with contextlib.suppress(OSError):
            if found := head.search(file.read_bytes()):
                path = file.relative_to(directory)
                yield _dotted(path.relative_to("src") if path.parts[0] == "src" else path) or str(path), found


def _files(directory: Path) -> Iterator[Path]:
    """Python files, those near the top first, without hidden folders and environments."""
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
            elif entry.name.endswith(".py") and os.path.isfile(entry):  # it may be a broken link
                found += 1
                yield Path(entry)
                if found == MOST:
                    return


def _dotted(path: Path) -> str:
    """The dotted name of a file below a directory on the path; "" if an import cannot spell it."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""

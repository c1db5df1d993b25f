"""The targets that could be named from a directory, read off its sources: nothing is imported."""

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
from pdt_annotate.source.survey import read_survey
from pdt_annotate.values.installed import is_environment

SOURCES = ("", "src")  # where modules are looked for, as `load.load_module` does
MOST = 2_000  # files that are listed; a directory with more is no project
MOST_SHOWN = 3  # targets that a hint has

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
    file = str(directory / place) if place.endswith(".py") else ""
    if is_dotted(place) and not file:
        path = os.path.join(*place.split("."))
        ends = (f"{path}.py", os.path.join(path, "__init__.py"))
        found = (directory / source / end for source in SOURCES for end in ends)
        file = str(next(filter(os.path.isfile, found), ""))
    survey = read_survey(file) if file else None
    for node in survey.tree.body if survey else ():
        if isinstance(node, DEFINITIONS):
            yield node.name
            if isinstance(node, ast.ClassDef):
                methods = (each.name for each in node.body if isinstance(each, DEFINITIONS))
                yield from (f"{node.name}.{name}" for name in methods if not name.startswith("__"))


def near_targets(text: str, directory: Path) -> list[str]:
    """What a text that is no target may stand for: what a module or file has, or where a class or function is."""
    place = text.rstrip(":")
    inside = [f"{place}:{name}" for name in names_in(place, directory) if "." not in name]
    if inside or not text.isidentifier():
        return inside[:MOST_SHOWN]
    head = re.compile(rf"^(?:class|def) {re.escape(text)}\b".encode(), re.MULTILINE)
    return [f"{place}:{text}" for place, _ in itertools.islice(_matches(head, directory), MOST_SHOWN)]


def near_places(place: str, directory: Path) -> list[str]:
    """The modules and files below a directory whose names are near to one that is not there."""
    known = [each for each in places(directory) if each.endswith(".py") == place.endswith(".py")]
    return difflib.get_close_matches(place, known, n=2)


def find_model(directory: Path) -> str:
    """The first target below a directory that is a class of modules, by what its bases are called; "" for none."""
    head = re.compile(rb"^class (\w+)\([^)]*Module\b", re.MULTILINE)
    return next((f"{place}:{found[1].decode()}" for place, found in _matches(head, directory)), "")


def _matches(head: re.Pattern[bytes], directory: Path) -> Iterator[tuple[str, re.Match[bytes]]]:
    for file in _files(directory):
        with contextlib.suppress(OSError):
            if found := head.search(file.read_bytes()):
                yield _place(file.relative_to(directory)), found


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
            elif entry.name.endswith(".py") and os.path.isfile(entry):  # it may be a link that leads nowhere
                found += 1
                yield Path(entry)
                if found == MOST:
                    return


def _place(path: Path) -> str:
    """How a target names a file below a directory: by the module that it is, else by its path."""
    return _dotted(path.relative_to("src") if path.parts[0] == "src" else path) or str(path)


def _dotted(path: Path) -> str:
    """The dotted name of a file below a directory on the path; "" where no import can spell it."""
    parts = path.with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else ""

"""What the configuration above a file tells the formatters and linters.

Of each tool the nearest table counts, as the tool itself has it. A file that cannot be read is passed over: it is for
that tool to complain.
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

Values = Mapping[str, Any]  # settings by name, with `_` for `-`

_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class ToolTable:
    """What a tool is told, and the directory of the file that tells it."""

    directory: Path
    values: Values


def read_tool_tables(file: str) -> dict[str, ToolTable]:
    """The nearest table of each tool by its name.

    Those are ruff, black, isort, flake8, pycodestyle and editorconfig, where they are configured, and "python" with the
    versions that the project requires.
    """
    tables: dict[str, ToolTable] = {}
    for directory in Path(file).resolve().parents:
        for path, read in ((directory / name, read) for name, read in _READERS.items()):
            try:
                for tool, values in read(path.read_text("utf-8"), file) if path.is_file() else ():
                    tables.setdefault(tool, ToolTable(directory, _normal(values)))
            except (OSError, ValueError, configparser.Error, RecursionError):
                continue
    return tables


def table_in(values: Values, *names: str) -> Values:
    """The table under the names, an empty one where there is none."""
    for name in names:
        inner = values.get(name)
        values = inner if isinstance(inner, dict) else {}
    return values


def _normal(values: Values) -> Values:
    return {
        name.replace("-", "_"): _normal(value) if isinstance(value, dict) else value for name, value in values.items()
    }


def _read_ruff(text: str, file: str) -> Iterator[tuple[str, Values]]:
    yield "ruff", tomllib.loads(text)


def _read_pyproject(text: str, file: str) -> Iterator[tuple[str, Values]]:
    document = tomllib.loads(text)
    tools = table_in(document, "tool")
    yield from ((name, table_in(tools, name)) for name in ("ruff", "black", "isort") if name in tools)
    needed = table_in(document, "project").get("requires-python")
    needed = needed or table_in(tools, "poetry", "dependencies").get("python")
    if needed:
        yield "python", {"requires": needed}


def _read_ini(text: str, file: str) -> Iterator[tuple[str, Values]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    for section, tool in _SECTIONS.items():
        if section in parser:
            yield tool, dict(parser[section])
    if parser.has_option("options", "python_requires"):
        yield "python", {"requires": parser["options"]["python_requires"]}


_SECTIONS = {
    "isort": "isort",
    "tool:isort": "isort",
    "settings": "isort",
    "flake8": "flake8",
    "pycodestyle": "pycodestyle",
}


def _read_editorconfig(text: str, file: str) -> Iterator[tuple[str, Values]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(f"[/]\n{text}")
    told = {key: value for name in parser.sections() if _matches(file, name) for key, value in parser[name].items()}
    if told:
        yield "editorconfig", told


def _matches(file: str, pattern: str) -> bool:
    """Whether a section of an .editorconfig is about the file; one of a folder is taken for any of that name."""
    found = _BRACES.search(pattern)
    if found:
        parts = (f"{pattern[: found.start()]}{each}{pattern[found.end() :]}" for each in found[1].split(","))
        return any(_matches(file, part) for part in parts)
    return fnmatch(os.path.basename(file), pattern) or fnmatch(file, f"*/{pattern.lstrip('/')}")


_READERS: Mapping[str, Callable[[str, str], Iterator[tuple[str, Values]]]] = {
    ".ruff.toml": _read_ruff,
    "ruff.toml": _read_ruff,
    ".isort.cfg": _read_ini,
    "pyproject.toml": _read_pyproject,
    "setup.cfg": _read_ini,
    "tox.ini": _read_ini,
    ".flake8": _read_ini,
    ".editorconfig": _read_editorconfig,
}
"""In the order in which the tools look for them: of one directory the first table counts."""

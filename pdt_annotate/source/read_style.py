"""The style of the project that a file belongs to, from the configuration of its formatters and linters.

Of each tool the nearest table counts, as for the tool itself. A file that cannot be read is skipped.
"""

import configparser
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from pdt_annotate.values.style import Sorting, Style

Values = Mapping[str, Any]  # settings by name, with `_` for `-`

# In the order in which the tools look for them: of one directory the first table counts.
_FILES = (".ruff.toml", "ruff.toml", ".isort.cfg", "pyproject.toml", "setup.cfg", "tox.ini", ".flake8", ".editorconfig")
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class ToolTable:
    """The settings of a tool, and the directory of the file that they come from."""

    directory: Path
    values: Values


def read_tool_tables(file: str) -> dict[str, ToolTable]:
    """The nearest table of each configured tool by its name, and "python" with the versions that it requires."""
    tables: dict[str, ToolTable] = {}
    for directory in Path(file).resolve().parents:
        for path in (directory / name for name in _FILES):
            try:
                for tool, values in _read_tables(path.name, path.read_text("utf-8"), file) if path.is_file() else ():
                    tables.setdefault(tool, ToolTable(directory, _normal(values)))
            except (OSError, ValueError, configparser.Error, RecursionError):
                continue
    return tables


def table_in(values: Values, *names: str) -> Values:
    for name in names:
        inner = values.get(name)
        values = inner if isinstance(inner, dict) else {}
    return values


def _normal(values: Values) -> Values:
    normal = ((name, _normal(value) if isinstance(value, dict) else value) for name, value in values.items())
    return {name.replace("-", "_"): value for name, value in normal}


_INI_SECTIONS = {
    **dict.fromkeys(("isort", "tool:isort", "settings"), "isort"),
    **{tool: tool for tool in ("flake8", "pycodestyle")},
}


def _read_tables(name: str, text: str, file: str) -> Iterator[tuple[str, Values]]:
    """The tables in a configuration file of that name that apply to a file of the project."""
    if name.endswith("ruff.toml"):
        yield "ruff", tomllib.loads(text)
    elif name == "pyproject.toml":
        document = tomllib.loads(text)
        tools = table_in(document, "tool")
        yield from ((tool, table_in(tools, tool)) for tool in ("ruff", "black", "isort") if tool in tools)
        needed = table_in(document, "project").get("requires-python")
        needed = needed or table_in(tools, "poetry", "dependencies").get("python")
        yield from [("python", {"requires": needed})] if needed else []
    else:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        is_editors = name == ".editorconfig"
        parser.read_string(f"[/]\n{text}" if is_editors else text)
        if is_editors:
            sections = [each for each in parser.sections() if _matches(file, each)]
            found = {key: value for each in sections for key, value in parser[each].items()}
            yield from [("editorconfig", found)] if found else []
            return
        yield from ((tool, dict(parser[each])) for each, tool in _INI_SECTIONS.items() if each in parser)
        if parser.has_option("options", "python_requires"):
            yield "python", {"requires": parser["options"]["python_requires"]}


def _matches(file: str, pattern: str) -> bool:
    """Whether a section of an .editorconfig covers the file; a section of a folder covers any folder of that name."""
    found = _BRACES.search(pattern)
    if found:
        parts = (f"{pattern[: found.start()]}{each}{pattern[found.end() :]}" for each in found[1].split(","))
        return any(_matches(file, part) for part in parts)
    return fnmatch(os.path.basename(file), pattern) or fnmatch(file, f"*/{pattern.lstrip('/')}")


BLACK_LENGTH = 88  # the default line length of black and ruff
ISORT_LENGTH = 79
RUFF_PYTHON = (3, 10)  # the oldest Python that ruff assumes for a project without settings

_PROFILES: Mapping[str, Values] = {  # the import order settings of isort's profiles
    "black": {"line_length": 88},
    "django": {"combine_as_imports": True},
    "google": {
        "force_single_line": True,
        "force_sort_within_sections": True,
        "order_by_type": False,
        "single_line_exclusions": "collections.abc, six.moves, typing, typing_extensions",
        "line_length": 1000,
    },
    "open_stack": {"force_single_line": True, "force_sort_within_sections": True},
    "plone": {"force_single_line": True, "force_sort_within_sections": True, "line_length": 88},
    "attrs": {"lines_between_types": 1},
    "hug": {"line_length": 100},
    "wemake": {"line_length": 80},
    "appnexus": {"force_sort_within_sections": True, "order_by_type": False, "line_length": 88},
}

_OLDEST = re.compile(r"(?:>=|~=|==|>|\^|~)\s*(\d+)(?:\.(\d+))?")
_TARGET = re.compile(r"py(\d)(\d+)")


def read_style(file: str) -> Style:
    """The style for a file; settings that make no sense are ignored."""
    tables = read_tool_tables(file)
    settings = {tool: table.values for tool, table in tables.items()}
    # Of formatters the shorter length counts; only without one, the limit of the linters.
    lengths = [_number(settings[tool].get("line_length")) for tool in ("ruff", "black") if tool in settings]
    limits = (settings.get(tool, {}).get("max_line_length") for tool in ("flake8", "pycodestyle", "editorconfig"))
    shortest = min(filter(None, lengths), default=BLACK_LENGTH)
    # The version that ruff targets, else the one that the project requires, else the oldest that black targets.
    pythons = (
        min(_versions(_TARGET, settings.get("ruff", {}).get("target_version")), default=None),
        max(_versions(_OLDEST, settings.get("python", {}).get("requires")), default=None),
        min(_versions(_TARGET, settings.get("black", {}).get("target_version")), default=None),
    )
    ruff = settings.get("ruff", {})
    lint = {**ruff, **table_in(ruff, "lint")}
    selected = _words(lint.get("select")) | _words(lint.get("extend_select"))
    ignored = _words(lint.get("ignore")) | _words(lint.get("extend_ignore"))
    upgrades = "UP" not in ignored and any(rule == "ALL" or rule.startswith("UP") for rule in selected)
    return Style(
        line_length=shortest if lengths else next(filter(None, map(_number, limits)), None),
        python=next(filter(None, pythons), RUFF_PYTHON if upgrades else None),
        upgrades=upgrades,
        sorting=_sorting(tables, Path(file).resolve().parent),
    )


def _versions(pattern: re.Pattern[str], text: object) -> Iterator[tuple[int, int]]:
    return ((int(found[1]), int(found[2] or 0)) for found in pattern.finditer(str(text or "")))


def _sorting(tables: Mapping[str, ToolTable], folder: Path) -> Sorting:
    """The settings of isort, otherwise the ones of ruff, which have the same names."""
    if "isort" in tables:
        table, sources = tables["isort"], "src_paths"
        profile = _PROFILES.get(str(table.values.get("profile")), {})
        settings: Values = {"line_length": ISORT_LENGTH, **profile, **table.values}
    else:
        # Without settings the root of the project is the innermost directory with a configuration, or the folder that
        # the packages are imported from.
        configured = [each.directory for each in tables.values()]
        while not configured and (folder / "__init__.py").is_file():
            folder = folder.parent
        root = max(configured, key=lambda each: len(each.parts), default=folder)
        table, sources = tables.get("ruff", ToolTable(root, {})), "src"
        settings = table_in(table.values, "lint", "isort") or table_in(table.values, "isort")
    read = {each.name: _KINDS[str(each.type)](settings[each.name]) for each in fields(Sorting) if each.name in settings}
    roots = (table.directory / each for each in _words(table.values.get(sources)) or (".", "src"))
    inside = (each for root in roots if root.is_dir() for each in os.scandir(root))
    modules = (each.name.removesuffix(".py") for each in inside if each.name.endswith(".py") or os.path.isdir(each))
    own = frozenset(modules) | _words(settings.get("known_first_party"))
    return Sorting(**{**read, "known_first_party": own})


def _number(value: object) -> int | None:
    """A length above zero, also as text; None for anything else, such as `off`."""
    text = str(value).strip()
    return int(text) or None if text.isdecimal() else None


def _words(value: object) -> frozenset[str]:
    """The words of a list, also as text with commas or newlines between them."""
    found = re.split(r"[,\n]", value) if isinstance(value, str) else value if isinstance(value, list) else []
    return frozenset(str(each).strip() for each in found) - {""}


_KINDS: Mapping[str, Callable[[object], Any]] = {  # how a setting is read, by the type of its field
    "bool": lambda value: str(value).strip().lower() in ("true", "1", "yes", "on"),
    "int": lambda value: _number(value) or 0,
    "int | None": _number,
    "frozenset[str]": _words,
}

"""The kinds of option values: click's types, which also read values of pyproject.toml."""

import difflib
import enum
import os
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click
from click.shell_completion import CompletionItem

from pdt_annotate.findings.catalogue import entries, read_selectors
from pdt_annotate.inputs.target import did_you_mean, split_name
from pdt_annotate.settings.options import OutputFormat
from pdt_annotate.source.identifiers import bound_names
from pdt_annotate.values import shell

# Words for a choice in the environment, on and off.
SWITCH = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off", ""), False)
FILE_FORMATS = (*(each.value for each in OutputFormat), "html")
"""The formats of `--output-file`. HTML is not for stdout."""


class WrongValue(click.BadParameter):
    """A value is not of its kind. The message says what the option takes; `hint` suggests a correction."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Kind:
    """A mixin for click's types: reads a value of pyproject.toml, and finds the path in a value."""

    takes = "a string"
    toml: tuple[type, ...] = (str,)
    many = False
    unset: object = ""  # the value of an option that has no default and is not set
    attributes: Mapping[str, Any] = MappingProxyType({})  # arguments of `click.Option`

    def accepts(self, value: object) -> bool:
        """Return whether a value of TOML has the right type; `convert` then reads it."""
        return isinstance(value, self.toml) and (bool in self.toml or not isinstance(value, bool))

    def below(self, value: Any, directory: str) -> Any:
        """Return the value with its relative paths resolved from a directory; "-", a stream, is not a path."""
        return value

    def place(self, value: Any) -> str:
        """Return the path in a value, to be read or written; "" if it has none."""
        return ""


class Words(Kind, click.types.StringParamType):
    """A string, or a list of strings that a shell would separate; `name` is its name in `--help`."""

    one, several = "a string", "a string or a list of strings"

    def __init__(self, name: str = "", *, many: bool = False) -> None:
        self.name, self.many = name or self.name, many
        self.takes, self.unset = (self.several, ()) if many else (self.one, "")

    def split_envvar_value(self, rv: str) -> list[str]:
        return shell.split(rv)


class PathText(Words):
    name = "path"
    one, several = "a path", "a path or a list of paths"

    def split_envvar_value(self, rv: str) -> list[str]:
        return rv.split(os.pathsep)

    def below(self, value: str, directory: str) -> str:
        return locate(value, directory)

    def place(self, value: str) -> str:
        return "" if value == "-" else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete a file, or a directory if the option takes one."""
        return [CompletionItem(incomplete, type="dir" if self.name == "dir" else "file")]


class Inputs(PathText):
    """FILE:NAME, with an optional name."""

    def place(self, value: str) -> str:
        return split_name(value)[0]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        file, colon, begun = incomplete.rpartition(":")
        if not (colon and os.path.isfile(file)):
            return super().shell_complete(ctx, param, incomplete)
        names = sorted(name for name in bound_names(file) or () if name.startswith(begun) and not name.startswith("__"))
        return [CompletionItem(f"{file}:{name}") for name in names]


class Flag(Kind, click.types.BoolParamType):
    takes = "true or false"
    toml = (bool,)
    unset = False
    attributes = MappingProxyType({"is_flag": True})


class Number(Kind, click.types.FloatParamType):
    takes = "a number"
    toml = (int, float)
    attributes = MappingProxyType({"show_default": True, "metavar": "SECONDS"})


class Whole(Kind, click.IntRange):
    name = "whole number"  # also in click's errors, which otherwise say "integer range"
    attributes = MappingProxyType({"show_default": True, "metavar": "N"})
    toml = (int, bool)
    unset = 0

    def __init__(self, takes: str = "a whole number", *, least: int = 0) -> None:
        super().__init__(min=least)
        self.takes = takes


class Count(Whole):
    """The number of times that a flag is given; true means once."""

    attributes = MappingProxyType({"count": True})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        is_flag = isinstance(value, str) and not value.isdecimal()
        return super().convert(click.BOOL.convert(value, param, ctx) if is_flag else value, param, ctx)


class Choice(Kind, click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of several words or members of an enum, the first by default; `alone` is the word if the option has none."""

    def __init__(self, *values: str | enum.Enum, alone: str = "") -> None:
        words = [str(each.value) if isinstance(each, enum.Enum) else each for each in values]
        super().__init__(words)
        self.takes = f"one of {', '.join(words)}"
        self.unset = "" if alone else words[0]
        self.alone = alone
        if alone:
            self.toml = (str, bool)
            self.attributes = MappingProxyType({"is_flag": False, "flag_value": alone})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if self.alone and str(value).lower() in SWITCH:
            return self.alone if SWITCH[str(value).lower()] else ""
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter:
            raise WrongValue(f"must be {self.takes}", did_you_mean(value, self.choices)) from None


class Listed(Words):
    """A text that `convert` splits into items; the option's value is a list of all items."""

    def __init__(self) -> None:
        super().__init__(many=True)


class Codes(Listed):
    """Codes of findings, or prefixes of codes; commas may separate them."""

    name = "codes"
    several = "codes of findings such as PDT037, or the beginning of codes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        selectors = read_selectors(value)
        for word in selectors:
            known = entries().get(word)
            if known is not None and known.never_ignored:
                raise WrongValue(f"must be {self.takes} ({word} cannot be ignored)", known.never_ignored)
            if not any(code.startswith(word) for code in entries()):
                near = did_you_mean(word, entries(), most=1) or "`pdt-annotate explain` lists all"
                raise WrongValue(f"must be {self.takes} (no code begins with {word})", near)
        return selectors


class PathCodes(Listed):
    """Patterns of paths, each with codes: a table in TOML, `PATTERN:CODES` elsewhere.

    A pattern with a slash is relative to the directory of its file; any other matches file names.
    """

    name = "pattern:codes"
    several = 'a table such as {"tests/*" = ["PDT030"]}, or PATTERN:CODES'
    toml = (str, dict)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, dict):
            items: list[str] = []
            for pattern, codes in value.items():
                words = [codes] if isinstance(codes, str) else codes
                if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                    raise WrongValue(f"must be {self.takes}")
                items += self.convert(f"{pattern}:{','.join(words)}", param, ctx)
            return tuple(items)
        pattern, colon, codes = value.rpartition(":")
        if not (pattern and colon):
            raise WrongValue(f"must be {self.takes}")
        return tuple(f"{pattern}:{code}" for code in CODES.convert(codes, param, ctx))

    def below(self, value: str, directory: str) -> str:
        glob, _, code = value.rpartition(":")
        if "/" in glob:
            located = locate(glob, directory)
            glob = located if os.sep in located else os.path.join(os.curdir, located)
        return f"{glob}:{code}"


class OutputFiles(Listed):
    """`FORMAT:PATH`. The first colon ends the format, so that a path may have a drive."""

    name = "format:file"
    several = f"FORMAT:FILE, where FORMAT is one of {', '.join(FILE_FORMATS)}"

    def split_envvar_value(self, rv: str) -> list[str]:
        words = shlex.shlex(rv, posix=True, punctuation_chars=False)
        words.whitespace_split, words.escape, words.commenters = True, "", ""  # Windows' paths have backslashes
        return list(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, _, path = value.partition(":")
        if name not in FILE_FORMATS:
            near = difflib.get_close_matches(name.lower(), FILE_FORMATS, 1) if name != value else ()
            ending = value.rpartition(".")[2].lower()
            meant = f"{near[0]}{value.removeprefix(name)}" if near else f"{ending}:{value}"
            is_near = near or ending in FILE_FORMATS
            raise WrongValue(f"must be {self.takes}", f"did you mean {meant}?" if is_near else "")
        if not path:
            raise WrongValue(f"must be {self.takes}", f"name a file, as in {name}:result.{name}")
        if path == "-":
            raise WrongValue(f"must be {self.takes}", "`--output-format` is for stdout")
        return (value,)

    def below(self, value: str, directory: str) -> str:
        name, _, path = value.partition(":")
        return f"{name}:{locate(path, directory)}"

    def place(self, value: str) -> str:
        return value.partition(":")[2]


CODES = Codes()


def locate(path: str, directory: str) -> str:
    """Return a path from a file in `directory` as a path from the working directory.

    >>> locate("inputs.py:small", "../model"), locate("/data/inputs.py", "../model"), locate("-", "../model")
    ('../model/inputs.py:small', '/data/inputs.py', '-')
    """
    return path if path in ("", "-") else os.path.normpath(os.path.join(directory, path))


def as_written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(repr, value))
    return str(value).lower() if isinstance(value, bool) else repr(value)

"""What the value of a setting is: how TOML writes it, how a variable of the environment does, and where paths begin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values import shell

TRUE = frozenset(("1", "true", "yes", "on"))
FALSE = frozenset(("0", "false", "no", "off"))


@dataclass(frozen=True)
class SettingValue:
    """What a setting is, and who says so: "pyproject.toml:3", "PDT_ANNOTATE_ROOT", "command line" or "default"."""

    value: object
    origin: str


Layer = Mapping[str, SettingValue]
"""By the names of settings, what one place gives."""

EMPTY: Layer = MappingProxyType({})
COMMAND_LINE = "command line"
DEFAULT = "default"


class WrongValue(ValueError):
    """A value is not of its kind. The message says what that takes, as in "takes a number"; `hint`, what was meant."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ValueKind:
    """One kind of value; no dataclass, which would cost `--help` half a millisecond a kind.

    Args:
        takes: what is to be written, in words.
        is_path: a relative value is looked up from where it was written.
    """

    takes = "a string"

    def __init__(self, takes: str = "", *, is_path: bool = False) -> None:
        self.takes = takes or self.takes
        self.is_path = is_path

    def of_toml(self, value: object) -> object:
        """The value that TOML has.

        Raises:
            WrongValue: it is of another type.
        """
        if not isinstance(value, str):
            raise self.wrong()
        return value

    def of_text(self, text: str) -> object:
        """The value that a variable of the environment has.

        Raises:
            WrongValue: the text does not spell one.
        """
        return self.of_toml(text)

    def of_option(self, value: object) -> object:
        """The value that the command line has, of which click has checked what it knows of.

        Raises:
            WrongValue: the text does not spell one.
        """
        return value

    def below(self, value: object, directory: str) -> object:
        """The value with its paths taken from a directory; absolute ones and "-", a stream, stay."""
        return locate(str(value), directory) if self.is_path else value

    def written(self, value: Any) -> Iterable[str]:
        """What a run with this value writes, and does well to try before it begins; a directory ends in a slash."""
        return ()

    def places(self, value: Any) -> Iterable[str]:
        """The paths that a value names, to be read or written."""
        return (value,) if self.is_path and value not in ("", "-") else ()

    def wrong(self) -> WrongValue:
        return WrongValue(f"takes {self.takes}")


class WrittenFile(ValueKind):
    """A file that is written; "-" is stdout."""

    def written(self, value: Any) -> Iterable[str]:
        return () if value in ("", "-") else (value,)


class WrittenFolder(ValueKind):
    """A directory in which files are written."""

    def written(self, value: Any) -> Iterable[str]:
        return (os.path.join(value, ""),) if value else ()


TEXT = ValueKind()
PATH = ValueKind("a path", is_path=True)
WRITTEN = WrittenFile("a path", is_path=True)
WRITTEN_INTO = WrittenFolder("a path", is_path=True)


class Several(ValueKind):
    """A list of strings; a single one may stand alone. In the environment they are separated."""

    takes = "a string or a list of strings"

    def of_toml(self, value: object) -> object:
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        return (super().of_toml(value),)

    def of_text(self, text: str) -> object:
        return tuple(text.split(os.pathsep) if self.is_path else shell.split(text))

    def below(self, value: object, directory: str) -> object:
        assert isinstance(value, tuple)
        return tuple(super(Several, self).below(each, directory) for each in value)

    def places(self, value: Any) -> Iterable[str]:
        return [place for each in value for place in super(Several, self).places(each)]


TEXTS = Several()
PATHS = Several("a path or a list of paths", is_path=True)


class Flag(ValueKind):
    takes = "true or false"

    def of_toml(self, value: object) -> object:
        if not isinstance(value, bool):
            raise self.wrong()
        return value

    def of_text(self, text: str) -> object:
        word = text.lower()
        if word not in TRUE | FALSE:
            raise self.wrong()
        return word in TRUE


class Number(ValueKind):
    takes = "a number"

    def of_toml(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong()
        return float(value)

    def of_text(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            raise self.wrong() from None


class Whole(ValueKind):
    """A whole number from `least` on; true is 1."""

    takes = "a whole number"

    def __init__(self, takes: str = "", *, least: int = 0) -> None:
        super().__init__(takes)
        self.least = least

    def of_toml(self, value: object) -> object:
        if not isinstance(value, int) or value < self.least:
            raise self.wrong()
        return int(value)

    def of_text(self, text: str) -> object:
        if text.lower() in TRUE:
            return 1
        return self.of_toml(int(text)) if text.isdecimal() else self.of_toml(text)


class Count(Whole):
    """How often a flag is given."""

    takes = "a whole number, or true for once"


class Choice(ValueKind):
    """One of several words.

    Args:
        alone: what an option says that is given without a word, and `true` elsewhere; "" where a word is needed.
    """

    def __init__(self, *values: str, alone: str = "") -> None:
        super().__init__(f"one of {', '.join(values)}")
        self.values = values
        self.alone = alone

    def of_toml(self, value: object) -> object:
        if self.alone and value in (True, False, ""):
            return self.alone if value else ""
        if value not in self.values:
            raise WrongValue(f"takes {self.takes}", did_you_mean(str(value), self.values))
        return value

    def of_text(self, text: str) -> object:
        word = text.lower()
        return self.of_toml(word in TRUE if self.alone and word in TRUE | FALSE else text)


def locate(path: str, directory: str) -> str:
    """The path as the working directory has it, where it was written for another directory.

    >>> locate("inputs.py:small", "../model"), locate("/data/inputs.py", "../model"), locate("-", "../model")
    ('../model/inputs.py:small', '/data/inputs.py', '-')
    """
    return path if path in ("", "-") else os.path.normpath(os.path.join(directory, path))


def as_written(value: object) -> str:
    """A value that is not of its kind, as somebody wrote it."""
    if isinstance(value, tuple):
        return ", ".join(map(repr, value))
    return str(value).lower() if isinstance(value, bool) else repr(value)

"""What the value of a setting is: how TOML writes it, how a variable of the environment does, and where paths begin."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass

TRUE = frozenset(("1", "true", "yes", "on"))
FALSE = frozenset(("0", "false", "no", "off"))


class WrongValue(ValueError):
    """A value is not of its kind. The message says what the kind takes, as in "takes a number"."""


@dataclass(frozen=True)
class Kind:
    """One kind of value.

    Args:
        takes: what is to be written, in words.
        is_path: a relative value is looked up from where it was written.
    """

    takes: str = "a string"
    is_path: bool = False

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

    def below(self, value: object, directory: str) -> object:
        """The value with its paths taken from a directory; absolute ones and "-", a stream, stay."""
        return locate(str(value), directory) if self.is_path else value

    def wrong(self) -> WrongValue:
        return WrongValue(f"takes {self.takes}")


TEXT = Kind()
PATH = Kind("a path", is_path=True)


@dataclass(frozen=True)
class Several(Kind):
    """A list of strings; a single one may stand alone. In the environment they are separated."""

    takes: str = "a string or a list of strings"

    def of_toml(self, value: object) -> object:
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        return (super().of_toml(value),)

    def of_text(self, text: str) -> object:
        return tuple(text.split(os.pathsep) if self.is_path else shlex.split(text))

    def below(self, value: object, directory: str) -> object:
        assert isinstance(value, tuple)
        return tuple(super(Several, self).below(each, directory) for each in value)


TEXTS = Several()
PATHS = Several("a path or a list of paths", is_path=True)


@dataclass(frozen=True)
class Flag(Kind):
    takes: str = "true or false"

    def of_toml(self, value: object) -> object:
        if not isinstance(value, bool):
            raise self.wrong()
        return value

    def of_text(self, text: str) -> object:
        word = text.lower()
        if word not in TRUE | FALSE:
            raise self.wrong()
        return word in TRUE


@dataclass(frozen=True)
class Number(Kind):
    takes: str = "a number"

    def of_toml(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong()
        return float(value)

    def of_text(self, text: str) -> object:
        try:
            return float(text)
        except ValueError:
            raise self.wrong() from None


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number from `least` on; true is 1."""

    takes: str = "a whole number"
    least: int = 0

    def of_toml(self, value: object) -> object:
        if not isinstance(value, int) or value < self.least:
            raise self.wrong()
        return int(value)

    def of_text(self, text: str) -> object:
        if text.lower() in TRUE:
            return 1
        return self.of_toml(int(text)) if text.isdecimal() else self.of_toml(text)


@dataclass(frozen=True)
class Count(Whole):
    """How often a flag is given."""

    takes: str = "a whole number, or true for once"


@dataclass(frozen=True)
class Choice(Kind):
    values: tuple[str, ...] = ()

    def of_toml(self, value: object) -> object:
        if value not in self.values:
            raise self.wrong()
        return value


def choice(*values: str) -> Choice:
    return Choice(f"one of {', '.join(values)}", values=values)


def locate(path: str, directory: str) -> str:
    """The path as the working directory has it, where it was written for another directory.

    >>> locate("inputs.py:small", "../model"), locate("/data/inputs.py", "../model"), locate("-", "../model")
    ('../model/inputs.py:small', '/data/inputs.py', '-')
    """
    return path if path in ("", "-") else os.path.normpath(os.path.join(directory, path))

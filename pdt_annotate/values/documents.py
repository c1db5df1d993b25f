"""Texts and documents that others wrote, as data: bounded in size, depth and number, and every fault of them in words.

Standard library only. The formats' own readers end in whatever they end in on what is nested a thousand times, or has a
number of five thousand digits; here that is one error, with the file and, where it can be told, the line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import read_bounded
from pdt_annotate.values.places import Place, place_of_error

LARGEST = 16 << 20  # bytes of a file that is written by hand, or by us for a project

DEEPEST = 100  # maps and lists in each other; all that goes through a document afterwards may recurse so often

MOST = 1_000_000  # values; each alias of YAML counts with its contents

BITS = 1024
"""Of a whole number: that of a float's greatest. Python refuses to print those of more than some thousand digits."""

NUL = "\0"  # it ends a path, and what is given the path raises whatever it likes

KeyPath = tuple[str | int, ...]
TOO_DEEP = "nested too deeply"


def read_text(file: str, what: str, kind: type[UserError] = UserError, hint: str = "") -> str:
    """The text of a file.

    Args:
        what: what the file is, with its article, for errors of that kind.

    Raises:
        UserError: it is not there, is no regular file, is too long, or no UTF-8; then with the place of the first byte
            that is none.
    """
    content = read(file, what, kind, hint)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = place_of_byte(file, content, error.start)
        raise kind(f"{what} cannot be read: it is not UTF-8", place=place, hint=hint) from error


def read(file: str, what: str, kind: type[UserError] = UserError, hint: str = "") -> bytes:
    """The content of a file; of what is wrong with it, `read_text` says more."""
    try:
        return read_bounded(file, LARGEST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", "") or str(error)
        raise kind(f"{what} cannot be read: {reason}", file=file, hint=hint) from error


def place_of_byte(file: str, content: bytes, offset: int) -> Place:
    """The line and the column, in characters, of a byte of UTF-8 that ends there."""
    before = content[:offset].decode("utf-8", "replace")
    return Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


def parse_json(text: str, file: str, hint: str = "") -> Any:
    """The value of a text in JSON.

    Raises:
        UserError: it is none.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        raise UserError(f"not valid JSON: {error.msg}", place=place, hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"not valid JSON: {_reason(error)}", file=file, hint=hint) from error
    return _sound(value, "JSON", file, hint)


def parse_toml(text: str, file: str, hint: str = "") -> dict[str, Any]:
    """The table of a text in TOML.

    Raises:
        UserError: it is none.
    """
    import tomllib  # noqa: PLC0415  (a run without configuration does not pay for it)

    try:
        value = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"not valid TOML: {_reason(error)}"
        raise UserError(message, place=place_of_error(file, error), hint=hint) from error
    _sound(value, "TOML", file, hint)
    return value


def _sound(value: Any, language: str, file: str, hint: str) -> Any:
    fault = find_fault(value, NUL)
    if fault:
        path, reason = fault
        shown = ".".join(map(str, path[:3]))
        raise UserError(f"not valid {language}: {shown}: {reason}" if shown else reason, file=file, hint=hint)
    return value


def find_fault(value: Any, refused: str = "") -> tuple[KeyPath, str] | None:
    """The path of the first thing in a document that nothing could be done with, and what it is; None where all can.

    Args:
        refused: a character that no text in it may have.
    """
    level: list[tuple[KeyPath, Any]] = [((), value)]
    seen = depth = 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if seen > MOST:
            return (), f"it has more than {MOST:,} values"
        if depth > DEEPEST:
            return level[0][0], TOO_DEEP
        for path, each in level:
            if reason := _fault_of(each, refused):
                return path, reason
        level = [((*path, key), inner) for path, each in level for key, inner in _items(each)]
    return None


def _fault_of(value: Any, refused: str) -> str:
    if isinstance(value, int) and value.bit_length() > BITS:
        return f"the number has more than {BITS} bits"
    texts = [text for text in (value if isinstance(value, dict) else (value,)) if isinstance(text, str)]
    if refused and any(refused in text for text in texts):
        return f"the text has the character {refused!a}"
    half = any("\ud800" <= char <= "\udfff" for text in texts for char in text)
    return "the text has half of a character" if half else ""


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return ((key if isinstance(key, str | int) else str(key), inner) for key, inner in value.items())
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return "a number of too many digits" if "integer string conversion" in str(error) else str(error)

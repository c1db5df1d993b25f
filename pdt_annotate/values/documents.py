"""Reads texts and documents from outside as data: bounded in size, depth and number of values, each fault an error.

Standard library only. The readers of the formats raise all kinds of errors on input that is nested a thousand times, or
has a number of five thousand digits. Here each of these is one `UserError` with the file and, if known, the line.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import read_bounded
from pdt_annotate.values.slots import Place, place_of_error

LARGEST = 16 << 20  # bytes of a file that a person writes, or that we write for a project

DEEPEST = 100  # nested maps and lists; code that goes through a document may recurse this deep

MOST = 1_000_000  # values; each alias in YAML counts with its contents

# The most bits of an int, as many as the greatest float needs. Python refuses to print ints of thousands of digits.
BITS = 1024
NUL = "\0"  # it ends a path, and functions that get such a path raise all kinds of errors

KeyPath = tuple[str | int, ...]
TOO_DEEP = "nested too deeply"


def read_text(file: str, what: str, kind: type[UserError] = UserError, hint: str = "") -> str:
    """The text of a file; `what` describes it for error messages, with its article.

    Raises `kind` if it is missing, not a regular file, too long, or not UTF-8, then with the place of the first invalid
    byte.
    """
    content = read(file, what, kind, hint)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = place_of_byte(file, content, error.start)
        raise kind(f"{what} cannot be read: it is not UTF-8", place=place, hint=hint) from error


def read(file: str, what: str, kind: type[UserError] = UserError, hint: str = "") -> bytes:
    """The content of a file; `read_text` says which errors it raises."""
    try:
        return read_bounded(file, LARGEST)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", "") or str(error)
        raise kind(f"{what} cannot be read: {reason}", file=file, hint=hint) from error


def place_of_byte(file: str, content: bytes, offset: int) -> Place:
    """The line and the column, in characters, of the byte at an offset of a UTF-8 text."""
    before = content[:offset].decode("utf-8", "replace")
    return Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


def parse_json(text: str, file: str, hint: str = "") -> Any:
    """The value of a text in JSON. Raises a `UserError` if it is not valid."""
    return _parse(json.loads, "JSON", text, file, hint)


def parse_toml(text: str, file: str, hint: str = "") -> dict[str, Any]:
    """The table of a text in TOML. Raises a `UserError` if it is not valid."""
    import tomllib  # noqa: PLC0415  (a run without configuration does not pay for it)

    table: dict[str, Any] = _parse(tomllib.loads, "TOML", text, file, hint)
    return table


def _parse(read: Callable[[str], Any], language: str, text: str, file: str, hint: str) -> Any:
    try:
        value = read(text)
    except (ValueError, RecursionError) as error:
        message = f"not valid {language}: {_reason(error)}"
        ends = message.endswith("(at end of document)")
        place = Place(file, len(text.splitlines()) or 1) if ends else place_of_error(file, error)
        raise UserError(message, place=place, hint=hint) from error
    if fault := find_fault(value, NUL):
        path, reason = fault
        shown = ".".join(map(str, path[:3]))
        raise UserError(f"not valid {language}: {shown}: {reason}" if shown else reason, file=file, hint=hint)
    return value


def find_fault(value: Any, refused: str = "") -> tuple[KeyPath, str] | None:
    """The path and the fault of the first unusable thing in a document, such as a text with the `refused` character."""
    level: list[tuple[KeyPath, Any]] = [((), value)]
    seen = depth = 0
    while level:
        seen, depth = seen + len(level), depth + 1
        if seen > MOST:
            return (), f"the document has more than {MOST:,} values"
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
    return "the text has an incomplete character" if half else ""


def _items(value: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return ((key if isinstance(key, str | int) else str(key), inner) for key, inner in value.items())
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, json.JSONDecodeError):
        return error.msg
    return "a number of too many digits" if "integer string conversion" in str(error) else str(error)

"""Values as data: bytes that name no class and run nothing, read by the type that is expected of them.

What a child answers may be anything that the user's code has made of it. So it is read as JSON, of which only what was
declared becomes a value: a dataclass of ours by the types of its fields, a member of an Enum by its name. The bytes of
`bytes` values stand behind the text.
"""

from __future__ import annotations

import enum
import functools
import itertools
import json
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

MOST_TEXT = 2**27
"""Bytes of text that are read; a value takes up to twenty times as much memory."""

KEPT = (str, int, float, bool, type(None))
SEQUENCES = (tuple, list, set, frozenset)
ITEMS = "items"
BYTES = "bytes"

Read = Callable[[Any, Sequence[bytes]], Any]
"""From what JSON has, and the `bytes` values behind it, to a value of some type."""

# Bound here, where no code of the user's has run yet.
_to_json, _from_json = json.JSONEncoder().encode, json.JSONDecoder().decode


class Malformed(ValueError):
    """Bytes that stand for no value of the type that is expected."""


def encode(value: object) -> bytes:
    """A value as data: plain ones, containers of them, members of Enums and dataclasses.

    Raises:
        TypeError: there is something else in it.
        RecursionError: it is nested too deeply.
    """
    blobs: list[bytes] = []
    plain = _plain(value, blobs)
    text = _to_json([plain, list(map(len, blobs))])
    return b"".join((b"%d\n" % len(text), text.encode("ascii"), *blobs))


def decode(message: bytes, type_: Any) -> Any:
    """The value of a type that data stands for.

    Raises:
        Malformed: it stands for none.
    """
    try:
        size = message[:20].partition(b"\n")[0]
        begin = len(size) + 1
        end = begin + int(size)
        if not begin <= end <= min(len(message), begin + MOST_TEXT) or not size.isdigit():
            raise Malformed("no length")
        value, lengths = _from_json(message[begin:end].decode("ascii"))
        return reader_of(type_)(value, _split(message, end, lengths))
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError) as error:
        raise Malformed(f"{type(error).__name__}: {error}"[:200]) from error


def _split(message: bytes, begin: int, lengths: Any) -> list[bytes]:
    if any(type(each) is not int or each < 0 for each in lengths) or begin + sum(lengths) != len(message):
        raise Malformed("another length")
    ends = [begin]
    for length in lengths:
        ends.append(ends[-1] + length)
    return [message[one:other] for one, other in itertools.pairwise(ends)]


def _plain(value: Any, blobs: list[bytes]) -> Any:
    kind = type(value)
    if kind in KEPT:
        return value
    if kind in SEQUENCES:
        return [_plain(each, blobs) for each in value]
    if is_dataclass(kind):
        return [kind.__qualname__, *[_plain(getattr(value, name), blobs) for name in _names(kind)]]
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Mapping):
        return {ITEMS: [_plain(each, blobs) for pair in value.items() for each in pair]}
    if kind is bytes:
        blobs.append(value)
        return {BYTES: len(blobs) - 1}
    for plain in (str, int, float):
        if isinstance(value, plain):  # a subclass of the user's, say
            return getattr(plain, "__str__" if plain is str else f"__{plain.__name__}__")(value)
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} is no data")


@functools.cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


@functools.cache
def reader_of(type_: Any) -> Read:
    """What reads values of a type, as annotations spell it; of `object`, plain data alone.

    Raises:
        TypeError: no data stands for values of the type.
    """
    origin, args = typing.get_origin(type_), typing.get_args(type_)
    if type_ in PLAIN:
        return PLAIN[type_]
    if origin in (types.UnionType, typing.Union):
        return _union(args)
    if origin is tuple and args[-1:] != (...,):
        return _row(args)
    if origin in (tuple, list, frozenset, set):
        return _sequence(origin, args[0])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(*args)
    if isinstance(type_, type) and is_dataclass(type_):
        return _dataclass(type_)
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return _member(type_)
    raise TypeError(f"no data stands for {type_}")


def _exactly(*kinds: type) -> Read:
    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        if type(value) in kinds:
            return value
        raise Malformed(f"{type(value).__name__} for {kinds[0].__name__}")

    return read


def _float(value: Any, blobs: Sequence[bytes]) -> float:
    return float(_exactly(float, int)(value, blobs))


def _bytes(value: Any, blobs: Sequence[bytes]) -> bytes:
    index: int = _exactly(int)(_exactly(dict)(value, blobs)[BYTES], blobs)
    return blobs[index if index >= 0 else len(blobs)]


def _object(value: Any, blobs: Sequence[bytes]) -> Any:
    if type(value) is list:
        return tuple(_object(each, blobs) for each in value)
    if type(value) is dict:
        return _mapping(object, object)(value, blobs) if ITEMS in value else _bytes(value, blobs)
    return value


PLAIN: Mapping[Any, Read] = {
    str: _exactly(str),
    int: _exactly(int, bool),
    bool: _exactly(bool),
    float: _float,
    bytes: _bytes,
    type(None): _exactly(type(None)),
    None: _exactly(type(None)),
    object: _object,
}


def _union(kinds: tuple[Any, ...]) -> Read:
    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        for kind in kinds:
            try:
                return reader_of(kind)(value, blobs)
            except (Malformed, TypeError):
                continue
        raise Malformed(f"{type(value).__name__} for one of {len(kinds)} types")

    return read if type(None) not in kinds else _optional(kinds)


def _optional(kinds: tuple[Any, ...]) -> Read:
    others = tuple(kind for kind in kinds if kind is not type(None))
    rest = reader_of(others[0]) if len(others) == 1 else _union(others)
    return lambda value, blobs: None if value is None else rest(value, blobs)


def _sequence(origin: Any, kind: Any) -> Read:
    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        if value == []:
            return origin()
        each = reader_of(kind)
        return origin([each(item, blobs) for item in _list(value)])

    return read


def _row(kinds: tuple[Any, ...]) -> Read:
    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        return tuple(reader_of(kind)(item, blobs) for kind, item in zip(kinds, _list(value), strict=True))

    return read


def _mapping(key: Any, kind: Any) -> Read:
    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        items = _list(_exactly(dict)(value, blobs)[ITEMS])
        keys, values = (reader_of(each) for each in (key, kind))
        pairs = zip(items[::2], items[1::2], strict=True)
        return {keys(one, blobs): values(other, blobs) for one, other in pairs}

    return read


def _dataclass(cls: Any) -> Read:
    names = _names(cls)

    @functools.cache
    def readers() -> tuple[Read, ...]:
        hints = typing.get_type_hints(cls)
        return tuple(reader_of(hints[name]) for name in names)

    def read(value: Any, blobs: Sequence[bytes]) -> Any:
        name, *values = _list(value)
        if name != cls.__qualname__:
            raise Malformed(f"something else for {cls.__qualname__}")
        made = object.__new__(cls)  # a fifth of the time of a constructor, which has nothing to do but this
        items = (each(item, blobs) for each, item in zip(readers(), values, strict=True))
        vars(made).update(zip(names, items, strict=True))
        return made

    return read


def _member(cls: type[enum.Enum]) -> Read:
    return lambda value, blobs: cls[_exactly(str)(value, blobs)]


def _list(value: Any) -> list[Any]:
    found: list[Any] = _exactly(list)(value, ())
    return found

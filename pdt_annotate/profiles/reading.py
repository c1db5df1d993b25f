"""File → profile. The file may come from anywhere, so every row is checked."""

import hashlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pdt_annotate.profiles import profile
from pdt_annotate.profiles.profile import CallExample, Profile, ProfiledOwner, Recording, Sighting, Source, Unseen
from pdt_annotate.profiles.record import MAIN
from pdt_annotate.profiles.writing import APPLICATION_ID, OPTIONAL, SCHEMA, SUFFIX, VERSION, read_application
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import SlotKind

LARGEST = 1 << 30  # the most bytes of a file to read: profiles of whole test suites have some millions
LONGEST = 1 << 24  # bytes of one text
STEPS_EACH = 1_000  # SQLite's steps between calls of the progress handler
STEPS_PER_BYTE = 16  # the allowed steps per byte of the file
HINT = "a profile is a file that --save-profile, `pdt-annotate observe`, `pdt-annotate run` or MonkeyType has written"

# A database of MonkeyType, under any file name.
HAS_TRACES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'monkeytype_call_traces'"

# The errors that reading a malformed file raises.
DAMAGES = (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def load(paths: Sequence[str]) -> Profile:
    """The profiles of these files and of the `*.sqlite` files in these directories, merged."""
    profiles: list[Profile] = []
    for path in paths:
        files = [path]
        if os.path.isdir(path):
            files = sorted(str(file) for file in Path(path).glob(f"*{SUFFIX}") if file.is_file())
            if not files:
                raise UserError(f"no profile in the directory: no *{SUFFIX} file", file=path, hint=HINT)
        profiles += map(read, files)
    return profile.merge(profiles)


def read(file: str) -> Profile:
    """The profile in one file. Raises UserError if it is missing, damaged, not a profile, or of a newer version."""
    if not os.path.isfile(file):
        raise UserError("no such profile", file=file, hint=HINT)
    application = read_application(file)
    if application is None:
        raise UserError("this is not a profile", file=file, hint=HINT)
    # Profiles are never written in place, so no lock is needed, and the directory may be read-only.
    address = f"{Path(file).resolve().as_uri()}?mode=ro&immutable=1"
    if os.path.getsize(file) > LARGEST:
        raise UserError(f"the profile is longer than {LARGEST >> 30} GiB", file=file, hint=HINT)
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            # Limit the work by the file's size: a schema may compute values that the file does not contain.
            left = itertools.repeat(0, 1_000 + os.path.getsize(file) * STEPS_PER_BYTE // STEPS_EACH)
            connection.set_progress_handler(lambda: next(left, 1), STEPS_EACH)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            connection.execute("PRAGMA trusted_schema = OFF")
            if application == APPLICATION_ID:
                return _read(connection, file)
            if connection.execute(HAS_TRACES).fetchone():
                return _read_traces(connection, file)
    except DAMAGES as error:
        hint = "copy the file again, or observe again"
        raise UserError(f"the profile is damaged: {error}", file=file, hint=hint) from error
    raise UserError("this is not a profile, but an SQLite file of another program", file=file, hint=HINT)


def _read_traces(connection: sqlite3.Connection, file: str) -> Profile:
    """The calls of functions in modules, from a MonkeyType database; `__main__` differs from process to process."""
    # This imports MonkeyType, which other profiles do not need.
    from pdt_annotate.observers.traces import read_traces  # noqa: PLC0415

    sources, sightings = set(), []
    for trace in read_traces(connection):
        if trace.module == MAIN:
            continue
        if not isinstance(trace.qualname, str) or not profile.is_plain(trace.qualname):
            raise ValueError("a trace of a function without a name")
        source = _source(f"{trace.module.replace('.', '/')}.py", trace.module)
        place = ProfiledOwner(source.path, trace.qualname, profile.UNKNOWN_LINE)
        slots = [(SlotKind.PARAMETER.value, name, type_) for name, type_ in trace.arguments.items()]
        slots += [(SlotKind.RETURN.value, "return", trace.result)] if trace.result else []
        texts = ((kind, name, _checked(profile.load_type, profile.dump_type(type_))) for kind, name, type_ in slots)
        sightings += [Sighting(place, kind, name, 0, text, 1, ("MonkeyType",)) for kind, name, text in texts]
        sources.add(source)
    run = hashlib.sha256(Path(file).read_bytes()).hexdigest()[:32]
    return profile.merge([Profile((Recording(run, sources=tuple(sources), sightings=tuple(sightings)),))])


def _read(connection: sqlite3.Connection, file: str) -> Profile:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        message = f"a newer pdt-annotate wrote the profile in format {version}; this version reads format {VERSION}"
        raise UserError(message, file=file, hint="update pdt-annotate, or observe again with this version")
    # A table that differs from schema.sql, a view, or a computed column could run any computation.
    statements = [statement for statement in SCHEMA.split(";") if statement.strip()]
    known = {each.split("(")[0].split()[-1]: "".join(each.split()) for each in statements}
    for kind, name, statement in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind not in ("table", "index"):
            raise ValueError(f"it has a {kind}, but a profile only has tables")
        if known.get(name) not in (None, "".join(str(statement).split())):
            raise ValueError(f"its table {name} has other columns")
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise ValueError(verdict)
    return profile.merge([Profile(tuple(_Reader(connection).recordings()))])


class _Reader:
    """The tables of one file as recordings. Raises ValueError or KeyError for rows that do not fit schema.sql."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.missing = OPTIONAL.difference(*connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
        self.types = {number: _checked(profile.load_type, text) for number, text in self._rows("type", int, str)}
        self.classes = {number: _checked(profile.load_class, text) for number, text in self._rows("class", int, str)}
        self.calls = {number: profile.texts(profile.load_json(text)) for number, text in self._rows("calls", int, str)}
        self.places = {number: ProfiledOwner(*row) for number, *row in self._rows("place", int, str, str, int, str)}
        self.slots = {
            number: (self.places[place], SlotKind(kind).value, name, statement)
            for number, place, kind, name, statement in self._rows("slot", int, int, str, str, int)
        }

    def recordings(self) -> Iterator[Recording]:
        # By field, its values with the numbers of their runs.
        rows: dict[str, Iterator[tuple[int, Any]]] = {
            "sources": ((run, _source(*row)) for run, *row in self._rows("source", int, str, str)),
            "in_forward": ((run, self.places[place]) for run, place in self._rows("in_forward", int, int)),
            "classes": ((run, self.classes[number]) for run, number in self._rows("mention", int, int)),
            "unseen": ((run, Unseen(*row)) for run, *row in self._rows("unseen", int, str, str)),
            "examples": (
                (run, CallExample(self.places[place], call, cls, _described(given), _described(made or "{}") and made))
                for run, place, call, cls, given, made in self._rows("example", int, int, str, str, str, str)
            ),
            "sightings": (
                (run, Sighting(*self.slots[slot], self.types[type_], count, self.calls[calls]))
                for run, slot, type_, count, calls in self._rows("observation", int, int, int, int, int)
            ),
        }
        by_run = {field: grouped(values) for field, values in rows.items()}
        for key, run, label in self._rows("run", int, str, str):
            yield Recording(run, label, **{field: tuple(found.get(key, ())) for field, found in by_run.items()})

    def _rows(self, table: str, *kinds: type) -> Iterator[tuple[Any, ...]]:
        for row in () if table in self.missing else self.connection.execute(f"SELECT * FROM {table}"):
            if tuple(map(type, row)) != kinds or not all(map(profile.is_plain, row)):
                raise ValueError(f"an unexpected row in the table {table}")
            yield row


def _source(path: str, module: str) -> Source:
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise ValueError(f"the path {path!r} of a file, which leads out of the root")
    if "/" in module or "\\" in module:
        raise ValueError(f"the name {module!r} of a module")
    return Source(path, module)


def _checked(load_text: Callable[[str], object], text: str) -> str:
    load_text(text)
    return text


def _described(text: str) -> str:
    if not isinstance(profile.load_json(text), dict):
        raise ValueError("arguments of a call that are not an object")
    return text

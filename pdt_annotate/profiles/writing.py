"""Profile → file: SQLite, plain data. docs/profile.md describes it; schema.sql defines it."""

import contextlib
import itertools
import json
import os
import sqlite3
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from pdt_annotate.profiles.profile import Profile, ProfiledOwner
from pdt_annotate.values.errors import UserError, kept_elsewhere
from pdt_annotate.values.version import __version__

APPLICATION_ID = 0x50445450  # "PDTP", by which `file` and we distinguish a profile from other SQLite files
VERSION = 1  # raised when an older reader would misread the file. A reader reads every version up to its own.
SUFFIX = ".sqlite"  # the suffix of profiles in a directory
HEADER = b"SQLite format 3\0"

SCHEMA = Path(__file__).with_name("schema.sql").read_text("utf-8")
# Tables that were added later, so that profiles of this version may lack them; older readers ignore them.
OPTIONAL = frozenset(("example", "unseen"))
NUMBERED = ("place", "slot", "type", "calls", "class")  # tables whose rows other tables name by their numbers
PAGE_SIZE = 1024  # bytes; a profile is mostly many short rows in few tables


def read_application(file: str) -> int | None:
    """The application id of an SQLite file (https://sqlite.org/fileformat.html); None for other files."""
    try:
        with open(file, "rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise UserError(f"cannot read the file: {error.strerror}", file=file) from error
    return int.from_bytes(header[68:72], "big") if header.startswith(HEADER) and len(header) == 100 else None


def save(file: str, profile: Profile) -> None:
    """Write a profile, all or nothing, and make its directory. Raises UserError if it cannot."""
    from pdt_annotate.writes.transaction import write_files  # noqa: PLC0415 - observed programs only save parts

    check_replaceable(file)
    try:
        with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
            made = os.path.join(folder, "profile.sqlite")
            _write(made, profile)
            content = Path(made).read_bytes()
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"cannot write the profile: {error}", file=file) from error
    try:
        write_files({file: content})
    except UserError as error:
        message = error.message.replace("the file", "the profile").partition(";")[0]
        raise UserError(message, place=error.place) from error


def save_part(file: str, profile: Profile) -> None:
    """Write a profile in a process of an observed program, without the modules that `save` needs."""
    temporary = os.path.join(os.path.dirname(os.path.abspath(file)), f".{os.path.basename(file)}.{uuid.uuid4().hex}")
    try:
        os.makedirs(os.path.dirname(temporary), exist_ok=True)
        _write(temporary, profile)
        os.replace(temporary, file)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"cannot write the profile: {error}", file=file) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def save_or_keep(file: str, profile: Profile) -> None:
    """Save the observations of a run. If that fails, the hint of the UserError names a file that holds them."""
    try:
        save(file, profile)
    except UserError as error:
        raise kept_elsewhere(error, file, lambda kept: save(kept, profile)) from error


def check_replaceable(file: str) -> None:
    """Raise UserError if a file is not a profile; an empty file may become one."""
    if os.path.isdir(file):
        hint = "name a file in this directory"
        raise UserError("the profile cannot be saved: this is a directory", file=file, hint=hint)
    if os.path.exists(file) and os.path.getsize(file) and read_application(file) != APPLICATION_ID:
        hint = "name another file; this one was not changed"
        raise UserError("the profile cannot be saved over a file that is not a profile", file=file, hint=hint)


def _write(file: str, profile: Profile) -> None:
    tables = _rows_of(profile)
    with closing(sqlite3.connect(file)) as connection:
        # The file only counts once it is renamed; until then a journal could save nothing.
        connection.executescript(
            f"PRAGMA page_size = {PAGE_SIZE}; PRAGMA journal_mode = OFF;"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; {SCHEMA}"
        )
        for table, rows in tables.items():
            for row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()


def _rows_of(profile: Profile) -> dict[str, Iterable[tuple[Any, ...]]]:
    # Row ids by value, in order of appearance.
    numbers = {name: defaultdict[Any, int](itertools.count(1).__next__) for name in NUMBERED}
    places, slots, types, calls, classes = numbers.values()

    def place_row(place: ProfiledOwner) -> int:
        return places[place.path, place.qualname, place.line, place.digest]

    runs = list(enumerate(profile.recordings, start=1))
    seen = [(run, sighting) for run, recording in runs for sighting in recording.sightings]
    keys = [slots[place_row(s.place), s.kind, s.name, s.statement] for _, s in seen]
    pairs = zip(keys, seen, strict=True)
    observations = [(run, key, types[s.type], s.count, calls[json.dumps(s.calls)]) for key, (run, s) in pairs]
    return {
        "meta": [("tool", f"pdt-annotate {__version__}")],
        "run": [(run, recording.run, recording.label) for run, recording in runs],
        "source": [(run, source.path, source.module) for run, recording in runs for source in recording.sources],
        "in_forward": [(run, place_row(place)) for run, recording in runs for place in recording.in_forward],
        "mention": [(run, classes[text]) for run, recording in runs for text in recording.classes],
        "example": [
            (run, place_row(each.place), each.call, each.cls, each.arguments, each.made)
            for run, recording in runs
            for each in recording.examples
        ],
        "unseen": [(run, each.path, each.qualname) for run, recording in runs for each in recording.unseen],
        "observation": observations,
        **{
            name: [(number, *value) if isinstance(value, tuple) else (number, value) for value, number in each.items()]
            for name, each in numbers.items()
        },
    }

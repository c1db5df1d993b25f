"""The profile file: SQLite, plain data. docs/profile.md describes it; SCHEMA is its last word."""

from __future__ import annotations

from pdt_annotate.values.errors import UserError

APPLICATION_ID = 0x50445450
""" "PDTP", by which `file` and we tell a profile from other SQLite files."""

VERSION = 1
"""Raised when an older reader would misread the file. A reader takes every version up to its own."""

SUFFIX = ".sqlite"
"""What a directory of profiles is searched for."""

HEADER = b"SQLite format 3\0"

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT NOT NULL, label TEXT NOT NULL);
CREATE TABLE source (run INTEGER NOT NULL, path TEXT NOT NULL, module TEXT NOT NULL,
    PRIMARY KEY (run, path, module)) WITHOUT ROWID;
CREATE TABLE place (id INTEGER PRIMARY KEY, path TEXT NOT NULL, qualname TEXT NOT NULL, line INTEGER NOT NULL,
    digest TEXT NOT NULL);
CREATE TABLE in_forward (run INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID;
CREATE TABLE slot (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    statement INTEGER NOT NULL);
CREATE TABLE type (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE calls (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE observation (run INTEGER NOT NULL, slot INTEGER NOT NULL, type INTEGER NOT NULL, count INTEGER NOT NULL,
    calls INTEGER NOT NULL, PRIMARY KEY (run, slot, type)) WITHOUT ROWID;
CREATE TABLE class (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE unseen (run INTEGER NOT NULL, path TEXT NOT NULL, qualname TEXT NOT NULL,
    PRIMARY KEY (run, path, qualname)) WITHOUT ROWID;
CREATE TABLE example (run INTEGER NOT NULL, place INTEGER NOT NULL, call TEXT NOT NULL, class TEXT NOT NULL,
    arguments TEXT NOT NULL, made TEXT NOT NULL);
CREATE TABLE mention (run INTEGER NOT NULL, class INTEGER NOT NULL, PRIMARY KEY (run, class)) WITHOUT ROWID;
"""

OPTIONAL = frozenset(("example", "unseen"))
"""Tables that profiles of this version may be without, because they came later; older readers do not look at them."""

PAGE_SIZE = 1024
"""Bytes; a profile is mostly many short rows in few tables."""


def read_application(file: str) -> int | None:
    """The application id of an SQLite file, from its header (https://sqlite.org/fileformat.html); None of others."""
    try:
        with open(file, "rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise UserError(f"cannot read the file: {error.strerror}", file=file) from error
    return int.from_bytes(header[68:72], "big") if header.startswith(HEADER) and len(header) == 100 else None

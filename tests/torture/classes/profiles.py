"""A profile with rows changed at random is read and matched as data, or refused in words, in a moment."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
import time
from pathlib import Path

from classes.escapes import MODEL, record
from projects import scratch
from tally import BUG, WRONG, Means, Tally, refusal_faults

from pdt_annotate.flows import from_profile
from pdt_annotate.settings.load import make_options
from pdt_annotate.values.errors import PdtError

LEAST = 1_000
ANNOTATED = b"def f(x: Tensor, k: int)"
SLOWEST = 20
"""Seconds, beside others."""

TEXTS = (
    "",
    "\0",
    "\x1b[2J",
    "../../x",
    "/etc/passwd",
    "a" * 100_000,
    "é\u202e",
    "0\nimport os",
    "[]",
    "{}",
    "null",
    '{"name": 1e999}',
    '{"name": "list", "args": [{"name": "dict"}]}',
    '{"name": "Union", "args": []}',
    '{"name": "Optional", "args": [{"name": "None"}, {"name": "None"}]}',
    '{"name": "torch.Tensor", "args": [{"name": "int"}], "bases": ["torch.Tensor", ""]}',
    '{"name": "tuple", "args": ' + json.dumps([{"name": "int"}] * 3_000) + "}",
    '{"name": "a.X", "module": "a", "qualname": "X", "kind": "enum", "importable": true, "fields": [["", null]]}',
    "[" * 50_000,
    '{"name": "list", "args": [' * 450 + '{"name": "int"}' + "]}" * 450,
    '{"name": "list", "args": [' * 60 + '{"name": "int"}' + "]}" * 60,
    "parameter",
    "local",
    "attribute",
    "return",
)
NUMBERS = (0, -1, 1, 2, 2**31, 2**63 - 1, -(2**63))


def run(means: Means, tally: Tally) -> None:
    with scratch() as folder:
        profile = record(folder / "recorded")
        project = folder / "project"
        project.mkdir()
        (project / "model.py").write_text(MODEL)
        (project / "antigravity_of_ours.py").write_text("")
        control = Path(shutil.copy(profile, project))
        tally.count("the profile as it was made", *attack(project, control, ANNOTATED))
        for number in range(means.times(1_500)):
            draw = means.random("profiles", number)
            file = project / f"{number}.sqlite"
            shutil.copy(profile, file)
            told = "; ".join(change(file, draw) for _ in range(draw.randint(1, 4)))
            if draw.random() < 0.2:
                told = f"{told}; {flip(file, draw)}"
            tally.count(f"profile {number}: {told}", *attack(project, file))
            file.unlink()
        if (project / "model.py").read_text() != MODEL:
            tally.count("all", (WRONG, "the source changed"))


def change(file: Path, draw: random.Random) -> str:
    """Set a value somewhere in the file to another; what was set."""
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        filled = [table for table in tables if connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()]
        table = draw.choice((*filled, *["type"] * len(filled)))
        column = draw.choice([row[1] for row in connection.execute(f"PRAGMA table_info({table})")])
        value = draw.choice((draw.choice(TEXTS), draw.choice(NUMBERS), 0.5, b"\xff", None))
        where = f"WHERE {column} = (SELECT {column} FROM {table} ORDER BY {column} LIMIT 1 OFFSET {draw.randint(0, 2)})"
        with contextlib.suppress(sqlite3.Error):  # not every value can stand everywhere
            connection.execute(f"UPDATE {table} SET {column} = ? {where}", (value,))
    return f"{table}.{column} = {value!r:.60}"


def flip(file: Path, draw: random.Random) -> str:
    """Set some bytes of the file to others."""
    content = bytearray(file.read_bytes())
    places = [draw.randrange(100, len(content)) for _ in range(draw.randint(1, 20))]
    for place in places:
        content[place] = draw.randrange(256)
    file.write_bytes(content)
    return f"bytes at {places}"


def attack(project: Path, file: Path, expected: bytes = b"") -> list[tuple[str, str]]:
    """Annotate from a profile, in this process: an error that is none of ours would be an exit 70.

    Args:
        expected: what has to be written; without it annotations are, or a finding says why not.
    """
    begun = time.monotonic()
    fell: list[tuple[str, str]] = []
    try:
        options = make_options((), str(project), profile=(str(file),), diff=True, returns="all")
        outcome = from_profile.annotate(options)
        after = b"".join(change.after for change in outcome.changes)
        if (expected not in after) if expected else not (outcome.annotations or outcome.findings):
            fell.append((WRONG, f"accepted, and nothing came of it: {after!r}"))
        if b"import os" in after or b"\x1b" in after:
            fell.append((WRONG, f"it became code: {after!r}"))
    except PdtError as error:
        fell += [(WRONG, "it was refused")] if expected else refusal_faults(error, file.name, "model.py")
    except Exception as error:
        fell.append((BUG, f"{type(error).__name__}: {error!s:.200}"))
    if time.monotonic() - begun > SLOWEST:
        fell.append((WRONG, f"it took {time.monotonic() - begun:.0f} s"))
    return fell

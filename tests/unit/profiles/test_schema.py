"""The file as other programs see it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from profiled import two_runs
from repository import ROOT

from pdt_annotate import profiles
from pdt_annotate.profiles.schema import APPLICATION_ID, VERSION


@pytest.fixture
def file(tmp_path: Path) -> Path:
    saved = tmp_path / "p.sqlite"
    profiles.save(str(saved), two_runs(tmp_path))
    return saved


def test_the_file_says_what_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("SELECT value FROM meta WHERE key = 'tool'").fetchone()[0].startswith("pdt-annotate ")


def test_the_documentation_has_every_table_and_column(file: Path) -> None:
    page = (ROOT / "docs" / "profile.md").read_text()
    documented = dict(re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", page, re.MULTILINE))
    with closing(sqlite3.connect(file)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {t: ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({t})")) for t in tables}
    assert documented == columns

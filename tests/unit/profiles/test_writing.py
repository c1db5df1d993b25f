"""How large a profile becomes, and what it is not written over."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from profiled import MODEL, observe, owner_of, profile_of, write
from repository import ROOT

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile
from pdt_annotate.profiles.writing import APPLICATION_ID, VERSION
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Observation, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr


def test_a_profile_is_replaced(profile: Profile, file: Path) -> None:
    profiles.save(str(file), Profile(profile.recordings[:1]))
    assert profiles.load([str(file)]) == Profile(profile.recordings[:1])


def test_the_size_is_bounded_by_slots_and_types_not_by_calls(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    sizes = []
    for calls in (10, 10_000):
        file = tmp_path / f"{calls}.sqlite"
        profiles.save(str(file), profile_of(tmp_path, modules, observe(modules["model"], calls=calls)))
        sizes.append(file.stat().st_size)
    assert sizes[0] == sizes[1]


def test_types_are_stored_once(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    long = TypeExpr("dict", (TypeExpr("str"), TypeExpr("pkg." + "x" * 5000, (), ("torch.Tensor",))))
    owner = owner_of(modules["model"], "Net.forward")
    slots = [Slot(owner, SlotKind.PARAMETER, f"p{number}") for number in range(50)]
    observed = Observed(tuple(Observation(slot, long) for slot in slots), (), ())
    profile = profiles.merge(profile_of(tmp_path, modules, observed, run=f"r{number}") for number in range(5))
    profiles.save(str(tmp_path / "p.sqlite"), profile)
    assert (tmp_path / "p.sqlite").stat().st_size < 40_000
    assert profiles.load([str(tmp_path / "p.sqlite")]) == profile


def test_nothing_but_a_profile_is_written_over(tmp_path: Path, profile: Profile) -> None:
    source = tmp_path / "project" / "model.py"
    for place in (source, source.parent):
        with pytest.raises(UserError, match="cannot be saved"):
            profiles.save(str(place), profile)
    assert source.read_text() == MODEL


def test_an_empty_file_may_become_a_profile(tmp_path: Path, profile: Profile) -> None:
    (tmp_path / "p.sqlite").touch()
    profiles.save(str(tmp_path / "p.sqlite"), profile)
    assert profiles.load([str(tmp_path / "p.sqlite")]) == profile


def test_where_nothing_can_be_written_nothing_is_left(tmp_path: Path, profile: Profile) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write the profile"):
        profiles.save(str(tmp_path / "file" / "p.sqlite"), profile)
    assert (tmp_path / "file").read_text() == ""


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

"""What comes back from files and directories, and what is refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from monkeytype.db.sqlite import create_call_trace_table

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile
from pdt_annotate.profiles.profile import UNKNOWN_LINE, ProfiledOwner
from pdt_annotate.profiles.writing import VERSION
from pdt_annotate.values.errors import UserError


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def test_what_was_saved_comes_back(profile: Profile, file: Path) -> None:
    assert profiles.load([str(file)]) == profile
    assert [path.name for path in file.parent.iterdir()] == ["p.sqlite"]


def test_a_profile_from_before_a_table_came_is_read(profile: Profile, file: Path) -> None:
    change(file, "DROP TABLE unseen")
    assert profiles.load([str(file)]) == profile


def test_nothing_comes_back_as_nothing(tmp_path: Path) -> None:
    profiles.save(str(tmp_path / "p.sqlite"), Profile())
    assert profiles.load([str(tmp_path / "p.sqlite")]) == profiles.load([]) == Profile()


def test_files_and_directories_are_merged(profile: Profile, file: Path) -> None:
    one, two = (Profile((recording,)) for recording in profile.recordings)
    profiles.save(str(file.parent / "one.sqlite"), one)
    profiles.save(str(file.parent / "two.sqlite"), two)
    (file.parent / "notes.txt").write_text("not a profile, and not looked at")
    assert profiles.load([str(file.parent)]) == profile
    assert profiles.load([str(file.parent / "two.sqlite"), str(file.parent / "one.sqlite"), str(file)]) == profile


def test_a_read_only_directory_can_be_read(profile: Profile, file: Path) -> None:
    file.parent.chmod(0o555)
    try:
        assert profiles.load([str(file)]) == profile
    finally:
        file.parent.chmod(0o755)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def overwrite(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[1024:4096] = b"\xa5" * 3072
    file.write_bytes(bytes(content))


def make_other(file: Path) -> None:
    file.unlink()
    change(file, "CREATE TABLE t (x)")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "gone": (Path.unlink, "no such profile"),
    "empty": (lambda file: file.write_bytes(b""), "not a profile"),
    "text": (lambda file: file.write_text("calls: []\n" * 50), "not a profile"),
    "the header alone": (lambda file: file.write_bytes(file.read_bytes()[:100]), "damaged"),
    "cut": (cut, "damaged"),
    "overwritten": (overwrite, "damaged"),
    "of another program": (make_other, "SQLite file of another program"),
    "newer": (lambda file: change(file, f"PRAGMA user_version = {VERSION + 1}"), "newer pdt-annotate"),
    "without a table": (lambda file: change(file, "DROP TABLE slot"), "damaged"),
    "with a dangling row": (lambda file: change(file, "DELETE FROM place"), "damaged"),
    "with an odd type": (lambda file: change(file, "UPDATE type SET json = '{}'"), "damaged"),
    "with an odd class": (lambda file: change(file, "UPDATE class SET json = '[1]'"), "damaged"),
    "with an odd kind": (lambda file: change(file, "UPDATE slot SET kind = 'hint'"), "damaged"),
    "with an odd count": (lambda file: change(file, "UPDATE observation SET count = 'many'"), "damaged"),
    "with odd calls": (lambda file: change(file, "UPDATE calls SET json = '[1]'"), "damaged"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGE.values(), ids=DAMAGE)
def test_what_is_no_sound_profile_is_refused_in_words(
    damage: Callable[[Path], object], message: str, file: Path
) -> None:
    damage(file)
    with pytest.raises(UserError) as caught:
        profiles.load([str(file)])
    assert message in caught.value.message
    assert caught.value.file == str(file)
    assert caught.value.hint


def of_monkeytype(file: Path, *rows: tuple[str | None, ...]) -> Path:
    """A database as MonkeyType makes one."""
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        create_call_trace_table(connection)
        connection.executemany("INSERT INTO monkeytype_call_traces VALUES ('2026', ?, ?, ?, ?, ?)", rows)
        connection.commit()
    return file


TENSOR_CLASS = '{"module": "torch", "qualname": "Tensor"}'
ARGUMENTS = f'{{"x": {TENSOR_CLASS}, "n": {{"module": "builtins", "qualname": "int"}}}}'


def test_a_database_of_monkeytype_is_a_profile(file: Path) -> None:
    odd = ("__main__", "main", "{}", None, None)
    of_monkeytype(file, ("pkg.net", "Net.forward", ARGUMENTS, TENSOR_CLASS, None), odd)
    (recording,) = profiles.load([str(file), str(file)]).recordings
    place = ProfiledOwner("pkg/net.py", "Net.forward", UNKNOWN_LINE)
    assert [source.module for source in recording.sources] == ["pkg.net"]
    assert {(s.name, s.type) for s in recording.sightings} == {
        ("x", '{"name":"torch.Tensor"}'),
        ("n", '{"name":"int"}'),
        ("return", '{"name":"torch.Tensor"}'),
    }
    assert all((s.place, s.count, s.calls) == (place, 1, ("MonkeyType",)) for s in recording.sightings)


@pytest.mark.parametrize(
    "row",
    [
        ("net", "f", "[1]", None, None),
        ("net", "f", '{"x": {"qualname": "int"}}', None, None),
        ("net", "f", '{"x": {"module": "builtins", "qualname": 1}}', None, None),
        ("net", "f", "not JSON", None, None),
        ("net", "f", '{"x": ' * 100_000, None, None),
        ("../net", "f", ARGUMENTS, None, None),
        ("net", None, ARGUMENTS, None, None),
    ],
)
def test_odd_traces_are_refused(row: tuple[str | None, ...], file: Path) -> None:
    with pytest.raises(UserError, match="the profile is damaged"):
        profiles.load([str(of_monkeytype(file, row))])


def test_a_directory_without_profiles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no profile in the directory"):
        profiles.load([str(tmp_path)])


ENDLESS = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, '{}' FROM n"


@pytest.mark.parametrize(
    "script",
    [
        f"DROP TABLE type; CREATE VIEW type(id, json) {ENDLESS};",
        f"CREATE VIEW more(id, json) {ENDLESS};",
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END;",
        "DROP TABLE type; CREATE TABLE type (id INTEGER PRIMARY KEY, json AS (zeroblob(1 << 29)));",
        "UPDATE source SET path = '../outside.py';",
        "UPDATE source SET path = '/etc/passwd';",
        "UPDATE source SET module = '../*';",
        "UPDATE place SET qualname = 'a' || char(0);",
        'UPDATE type SET json = \'{"name": "\\ud800"}\';',
        'UPDATE type SET json = \'{"name": "int", "more": NaN}\';',
    ],
)
def test_what_is_more_than_data_is_refused(script: str, file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(script)
    with pytest.raises(UserError, match="the profile is damaged"):
        profiles.load([str(file)])


def test_a_table_that_came_later_is_not_looked_at(profile: Profile, file: Path) -> None:
    change(file, "CREATE TABLE later (id INTEGER PRIMARY KEY, more TEXT)")
    assert profiles.load([str(file)]) == profile


@pytest.mark.parametrize("levels", [200, 100_000])
def test_a_type_that_is_nested_too_deeply_is_refused(levels: int, file: Path) -> None:
    text = '{"name": "list", "args": [' * levels + '{"name": "int"}' + "]}" * levels
    change(file, f"UPDATE type SET json = '{text}'")
    with pytest.raises(UserError, match="nested too deeply"):
        profiles.load([str(file)])

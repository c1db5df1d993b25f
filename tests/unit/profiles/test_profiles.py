"""Profiles as text and in files: round trips, refused profiles, and merging."""

import random
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from monkeytype.db.sqlite import create_call_trace_table
from profiled import MODEL, observe, owner_of, profile_of, two_runs, write
from repository import ROOT

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile, merge
from pdt_annotate.profiles.profile import (
    CALLS_KEPT,
    UNKNOWN_LINE,
    ProfiledOwner,
    Recording,
    Sighting,
    Source,
    dump_class,
    dump_type,
    first_calls,
    load_class,
    load_type,
)
from pdt_annotate.profiles.writing import APPLICATION_ID, VERSION
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    return two_runs(tmp_path / "project")


@pytest.fixture
def file(profile: Profile, tmp_path: Path) -> Path:
    saved = tmp_path / "saved" / "p.sqlite"
    profiles.save(str(saved), profile)
    return saved


PARAMETER = TypeExpr("torch.nn.parameter.Parameter", (), ("torch.Tensor", "torch._C.TensorBase"))
TYPES = (
    NONE,
    TypeExpr("list"),
    TypeExpr("tuple"),
    TypeExpr("dict", (TypeExpr("str"), TypeExpr("Union", (TENSOR, NONE)))),
    TypeExpr("list", (PARAMETER,)),
    TypeExpr("naïve.Klasse"),
)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_a_type_comes_back_with_its_bases(type_: TypeExpr) -> None:
    back = load_type(dump_type(type_))
    assert back == type_
    assert [arg.bases for arg in (back, *back.args)] == [arg.bases for arg in (type_, *type_.args)]


def test_the_text_of_a_type_is_short_and_a_class_comes_back() -> None:
    assert dump_type(TypeExpr("list", (TypeExpr("int"),))) == '{"args":[{"name":"int"}],"name":"list"}'
    fields = (("low", TENSOR), ("high", None))
    kind = ClassKind.NAMEDTUPLE
    box = ClassInfo("shapes.Box", "shapes", "Box", kind, "src/shapes.py", 7, fields, ("tuple",), scripted=True)
    for info in (box, ClassInfo("a.B", "a", "B", ClassKind.PLAIN)):
        assert load_class(dump_class(info)) == info


@pytest.mark.parametrize("name", ["os; import evil", "a.b.<locals>.C", "Box[int]", "x"])
def test_what_no_import_can_name_is_not_importable(name: str) -> None:
    module, _, qualname = name.rpartition(".")
    assert not load_class(dump_class(ClassInfo(name, module, qualname, ClassKind.PLAIN))).importable


NO_TYPES = ["", "[]", "1", '{"args":[]}', '{"name":1}', '{"name":"a","args":1}', '{"name":"a","bases":[1]}']


@pytest.mark.parametrize("text", [*NO_TYPES, pytest.param('{"args":[' * 100_000, id="nested too deeply")])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load_type(text)


def test_other_classes_and_unions_of_nothing_are_refused() -> None:
    for text in ("{}", '{"kind":"none"}', '{"kind":"plain","line":"1"}', '{"kind":"plain","fields":[[]]}'):
        with pytest.raises(ValueError):
            load_class(text)
    for name in ("Union", "Optional"):
        with pytest.raises(ValueError, match="of nothing"):
            load_type(f'{{"name": "{name}"}}')


def make_recording(draw: random.Random) -> Recording:
    """A recording of one of three runs, so that several states of one run are merged."""
    places = [ProfiledOwner(f"{draw.choice('ab')}.py", draw.choice("fg"), draw.randrange(3), "d") for _ in range(4)]
    found = Recording(
        run=draw.choice(("r1", "r2", "r3")),
        label=draw.choice(("train.py", "eval.py")),
        sources=tuple(Source(place.path, place.path[0]) for place in draw.sample(places, 2)),
        in_forward=tuple(draw.sample(places, 2)),
        sightings=tuple(make_sighting(draw, draw.choice(places)) for _ in range(draw.randrange(12))),
        classes=tuple(draw.sample(("{}", '{"name":"a.B"}', '{"name":"a.C"}'), draw.randrange(3))),
    )
    (recording,) = merge([Profile((found,))]).recordings
    return recording


def make_sighting(draw: random.Random, place: ProfiledOwner) -> Sighting:
    calls = tuple(f"call {draw.randrange(30)}" for _ in range(draw.randrange(15)))
    type_ = draw.choice(('{"name":"int"}', '{"name":"None"}'))
    return Sighting(place, "parameter", draw.choice("xy"), draw.randrange(2), type_, draw.randrange(9), calls)


@pytest.mark.parametrize("seed", range(60))
def test_merging_is_commutative_associative_and_idempotent(seed: int) -> None:
    draw = random.Random(seed)
    one, two, three = (merge(Profile((make_recording(draw),)) for _ in range(draw.randrange(4))) for _ in range(3))
    assert merge([one]) == merge([one, one]) == merge([one, Profile()]) == one
    assert merge([one, two]) == merge([two, one])
    assert merge([merge([one, two]), three]) == merge([one, merge([two, three])]) == merge([three, one, two])


PLACE = ProfiledOwner("a.py", "f", 1, "d")


def seen(run: str, type_: str = '{"name":"int"}', count: int = 1, calls: tuple[str, ...] = ()) -> Recording:
    return Recording(run, sightings=(Sighting(PLACE, "parameter", "x", 0, type_, count, calls),))


def test_states_of_a_run_are_joined_and_slots_and_places_count_once() -> None:
    early, later, other = seen("r1", count=3, calls=("call 1",)), seen("r1", count=5, calls=("call 2",)), seen("r2")
    merged = merge([Profile((early,)), Profile((other,)), Profile((later,))])
    assert merged.recordings == (seen("r1", count=5, calls=("call 1", "call 2")), other)
    one, two = (Profile((seen("r", t),)) for t in ('{"name":"m.C"}', '{"bases":["torch.Tensor"],"name":"m.C"}'))
    assert one != two
    assert len(merge([one, two]).recordings[0].sightings) == 2, "types that differ in their bases alone"
    profile = merge(Profile((seen(run, f'{{"name":"{name}"}}'),)) for run in ("r1", "r2") for name in ("int", "str"))
    assert (profile.places, profile.functions, profile.slots) == (frozenset({PLACE}), 1, 1)
    names = [f"call {number}" for number in range(1000)]
    assert first_calls(reversed(names)) == tuple(names[:CALLS_KEPT])


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(statement)


def test_what_was_saved_comes_back(profile: Profile, file: Path) -> None:
    assert profiles.load([str(file)]) == profile
    assert [path.name for path in file.parent.iterdir()] == ["p.sqlite"]
    change(file, "DROP TABLE unseen")
    change(file, "CREATE TABLE later (id INTEGER PRIMARY KEY, more TEXT)")
    assert profiles.load([str(file)]) == profile, "from before a table came, and from behind another"
    profiles.save(str(file), Profile(profile.recordings[:1]))
    assert profiles.load([str(file)]) == Profile(profile.recordings[:1]), "it is replaced"
    file.write_text("")
    profiles.save(str(file), Profile())
    assert profiles.load([str(file)]) == profiles.load([]) == Profile()


def test_files_and_directories_are_merged(profile: Profile, file: Path) -> None:
    one, two = (Profile((recording,)) for recording in profile.recordings)
    profiles.save(str(file.parent / "one.sqlite"), one)
    profiles.save(str(file.parent / "two.sqlite"), two)
    (file.parent / "notes.txt").write_text("not a profile, and not looked at")
    assert profiles.load([str(file.parent)]) == profile
    assert profiles.load([str(file.parent / "two.sqlite"), str(file.parent / "one.sqlite"), str(file)]) == profile
    with pytest.raises(UserError, match="no profile in the directory"):
        profiles.load([str(file.parent.parent / "project")])


def test_a_read_only_directory_can_be_read(profile: Profile, file: Path) -> None:
    file.parent.chmod(0o555)
    try:
        assert profiles.load([str(file)]) == profile
    finally:
        file.parent.chmod(0o755)


ENDLESS = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, '{}' FROM n"
DAMAGED = (
    *("DROP TABLE slot", "DELETE FROM place", "UPDATE type SET json = '{}'", "UPDATE class SET json = '[1]'"),
    *("UPDATE slot SET kind = 'hint'", "UPDATE observation SET count = 'many'", "UPDATE calls SET json = '[1]'"),
    f"DROP TABLE type; CREATE VIEW type(id, json) {ENDLESS};",
    f"CREATE VIEW more(id, json) {ENDLESS};",
    "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END;",
    "DROP TABLE type; CREATE TABLE type (id INTEGER PRIMARY KEY, json AS (zeroblob(1 << 29)));",
    *("UPDATE source SET path = '../outside.py'", "UPDATE source SET path = '/etc/passwd'"),
    *("UPDATE source SET module = '../*'", "UPDATE place SET qualname = 'a' || char(0)"),
    *('UPDATE type SET json = \'{"name": "\\ud800"}\'', 'UPDATE type SET json = \'{"name": "int", "more": NaN}\''),
)
DEEP = ('{"name": "list", "args": [' * n + '{"name": "int"}' + "]}" * n for n in (200, 100_000))
DAMAGE: tuple[tuple[Callable[[Path], object] | str, str], ...] = (
    (Path.unlink, "no such profile"),
    (lambda file: file.write_bytes(b""), "not a profile"),
    (lambda file: file.write_text("calls: []\n" * 50), "not a profile"),
    (lambda file: file.write_bytes(file.read_bytes()[:100]), "the profile is damaged"),
    (lambda file: file.write_bytes(file.read_bytes()[:5000]), "the profile is damaged"),
    (lambda file: file.write_bytes(file.read_bytes().replace(file.read_bytes()[1024:4096], b"\xa5" * 3072)), "damaged"),
    ("PRAGMA application_id = 0", "SQLite file of another program"),
    (f"PRAGMA user_version = {VERSION + 1}", "newer pdt-annotate"),
    *((script, "the profile is damaged") for script in DAMAGED),
    *((f"UPDATE type SET json = '{text}'", "nested too deeply") for text in DEEP),
)


@pytest.mark.parametrize(
    ("damage", "message"), DAMAGE, ids=lambda value: value[:60] if isinstance(value, str) else None
)
def test_what_is_no_profile_is_refused(damage: Callable[[Path], object] | str, message: str, file: Path) -> None:
    if isinstance(damage, str):
        change(file, damage)
    else:
        damage(file)
    with pytest.raises(UserError) as caught:
        profiles.load([str(file)])
    assert message in caught.value.message
    assert caught.value.file == str(file)
    assert caught.value.hint


def of_monkeytype(file: Path, *rows: tuple[str | None, ...]) -> Path:
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


def test_the_size_is_bounded_by_slots_and_types_and_types_are_stored_once(tmp_path: Path) -> None:
    modules = write(tmp_path, {"model.py": MODEL})
    sizes = []
    for calls in (10, 10_000):
        file = tmp_path / f"{calls}.sqlite"
        profiles.save(str(file), profile_of(tmp_path, modules, observe(modules["model"], calls=calls)))
        sizes.append(file.stat().st_size)
    assert sizes[0] == sizes[1]
    modules = write(tmp_path, {"model.py": MODEL})
    long = TypeExpr("dict", (TypeExpr("str"), TypeExpr("pkg." + "x" * 5000, (), ("torch.Tensor",))))
    owner = owner_of(modules["model"], "Net.forward")
    slots = [Slot(owner, SlotKind.PARAMETER, f"p{number}") for number in range(50)]
    observed = Observed(tuple(Observation(slot, long) for slot in slots), (), ())
    profile = profiles.merge(profile_of(tmp_path, modules, observed, run=f"r{number}") for number in range(5))
    profiles.save(str(tmp_path / "p.sqlite"), profile)
    assert (tmp_path / "p.sqlite").stat().st_size < 40_000
    assert profiles.load([str(tmp_path / "p.sqlite")]) == profile


def test_nothing_but_a_profile_is_written_over_and_nothing_is_left_otherwise(tmp_path: Path, profile: Profile) -> None:
    source = tmp_path / "project" / "model.py"
    for place in (source, source.parent):
        with pytest.raises(UserError, match="cannot be saved"):
            profiles.save(str(place), profile)
    with pytest.raises(UserError, match="cannot write the profile"):
        profiles.save(str(source / "p.sqlite"), profile)
    assert source.read_text() == MODEL


def test_the_file_says_what_it_is_as_the_documentation_has_it(file: Path) -> None:
    page = (ROOT / "docs" / "profile.md").read_text()
    documented = dict(re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", page, re.MULTILINE))
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("SELECT value FROM meta WHERE key = 'tool'").fetchone()[0].startswith("pdt-annotate ")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {t: ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({t})")) for t in tables}
    assert documented == columns

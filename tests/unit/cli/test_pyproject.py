"""pyproject.toml: which file is read, which values are refused with which messages, and the values of each type."""

import os
from pathlib import Path
from typing import Any

import pytest
from tool import write

from pdt_annotate.cli.kinds import (
    CODES,
    FILE_FORMATS,
    Choice,
    Count,
    Flag,
    Number,
    OutputFiles,
    PathCodes,
    PathText,
    Whole,
    Words,
    WrongValue,
    locate,
)
from pdt_annotate.cli.options import Setting
from pdt_annotate.cli.pyproject import ConfiguredTable, find_table, read_table
from pdt_annotate.emit import FORMATS
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.version import __version__

HEAD = "[tool.pdt-annotate]\n"
ENTRY = "[[tool.pdt-annotate.targets]]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text: str) -> ConfiguredTable:
    Path("pyproject.toml").write_text(text)
    table = read_table("pyproject.toml")
    assert table is not None
    return table


def refuse(text: str) -> UserError:
    with pytest.raises(UserError) as caught:
        read(text)
    assert caught.value.file == "pyproject.toml"
    return caught.value


def test_the_nearest_file_that_has_the_table_counts(here: Path) -> None:
    for others in ("[tool.other]\n", "[broken"):
        (here / "pyproject.toml").write_text(others)
        assert find_table(str(here)) == ConfiguredTable()
    files = {
        "pyproject.toml": f"{HEAD}timeout = 1\n",
        "a/pyproject.toml": f"{HEAD}timeout = 2\n",
        "a/b/pyproject.toml": "[project]\nname = 'pdt-annotate'\n",
        "a/b/c/other.toml": "[tool.other]\n",
    }
    write(here, files)
    assert find_table(str(here / "a/b/c")).values["timeout"].value == 2.0
    with pytest.raises(UserError, match=r"no table \[tool.pdt-annotate\]"):
        read_table("a/b/c/other.toml")
    with pytest.raises(UserError, match="cannot be read"):
        read_table("missing.toml")


SPECIFIER = "`required-version` must be a specifier"
OTHER = f"this project requires pdt-annotate >=1000, but {__version__} is installed"


@pytest.mark.parametrize(
    ("text", "message", "hint", "line", "column"),
    [
        (f"{HEAD}timout = 3\n", "unknown key `timout`", "did you mean `timeout`?", 2, 1),
        (f"{HEAD}\nthird_party = 'leave'\n", "unknown key `third_party`", "did you mean `third-party`?", 3, 1),
        (f"{HEAD}xyz = 3\n", "unknown key `xyz`", "the known keys are", 2, 1),
        (f"{HEAD}config = 'a.toml'\n", "unknown key `config`", "", 2, 1),
        (f"{ENTRY}target = 'a:b'\nimputs = 'i.py'\n", "unknown key `imputs`", "did you mean `inputs`?", 3, 1),
        (
            f"{ENTRY}target = 'a:b'\njobs = 2\n",
            "`jobs` cannot be set for a single target",
            "move it to [tool.pdt-annotate]",
            3,
            1,
        ),
        (f"{HEAD}timeout = '3'\n", "`timeout` must be a number, not '3'", "", 2, 1),
        (f"{HEAD}check = 1\n", "`check` must be true or false, not 1", "", 2, 1),
        (f"{HEAD}returns = 'some'\n", "`returns` must be one of needed, all, none, not 'some'", "", 2, 1),
        (f"{HEAD}targets = [3]\n", "`targets` must be a list of targets", 'targets = ["net:Net"]', 2, 1),
        (f"{ENTRY}targt = 'a:b'\ninputs = 'i.py'\n", "unknown key `targt`", "did you mean `target`?", 2, 1),
        (f"{ENTRY}inputs = 'i.py'\n", "`targets` has an entry without `target`", "", 1, 1),
        (f"{ENTRY}target = 3\n", "`target` must be a string or a list of strings", "", 2, 1),
        (f"{ENTRY}target = []\n", "`target` names no target", "", 2, 1),
        (f"{ENTRY}target = 'a:b'\n{ENTRY}target = ['c:d', 'a:b']\n", "a:b is configured twice", "one file", 4, 1),
        ("[tool]\npdt-annotate = 3\n", "must be a table", "", 0, 0),
        (f"{HEAD}timeout = \n", "not valid TOML", "--isolated", 2, 11),
        (f"{HEAD}targets = ['a:b'\n", "not valid TOML", "--isolated ignores the file", 2, 0),
        (f"{HEAD}{ENTRY.replace('targets', 'target')}", "unknown key `target`", "did you mean `targets`?", 2, 1),
        (f"{HEAD}  \t'timout' = 3\n", "timout", "", 2, 4),
        (f"{ENTRY}  inputs = 3\n", "without `target`", "", 1, 1),
        (f"  {ENTRY}    target = 3\n", "target", "", 2, 5),
        (f"{ENTRY}target = 'a:b'\ntimeout = 1\n\n{ENTRY}target = 'c:d'\ntimeout = 'x'\n", "timeout", "", 7, 1),
        (f"{HEAD}required-version = 3\n", SPECIFIER, "", 2, 1),
        (f"{HEAD}required-version = '1.0'\n", SPECIFIER, "", 2, 1),
        (f"{HEAD}new = 3\nrequired-version = '>=1000'\n", OTHER, "pip install 'pdt-annotate>=1000'", 3, 1),
    ],
)
def test_what_is_refused_has_its_key_and_place(text: str, message: str, hint: str, line: int, column: int) -> None:
    error = refuse(text)
    assert message in error.message and hint in error.hint
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize("wanted", [f"=={__version__}", ">=0.0.1", ">=0.0.1,<1000"])
def test_a_required_version_that_fits(wanted: str) -> None:
    assert read(f"{HEAD}required-version = '{wanted}'\n").values["required_version"].value == wanted


def test_settings_and_targets_with_their_origins() -> None:
    table = read(
        f"[project]\nname = 'x'\n\n{HEAD}timeout = 30\n\n"
        f"{ENTRY}target = 'net.py:Net'\ninputs = 'inputs.py:small'\n\n{ENTRY}target = ['a:b', 'a:c']\narg = '3'\n"
    )
    assert {n: (v.value, v.origin) for n, v in table.values.items()} == {"timeout": (30.0, "pyproject.toml:5:1")}
    one, two = table.entries
    assert (one.targets, one.place.line, two.targets, two.place.line) == (("net.py:Net",), 8, ("a:b", "a:c"), 12)
    assert (one.values["inputs"].value, one.values["inputs"].origin) == ("inputs.py:small", "pyproject.toml:9:1")
    assert two.values["arg"].value == ("3",)
    table = read("tool.pdt-annotate = {timeout = 3, targets = [{target = 'a:b', arg = '3'}]}\n")
    assert table.values["timeout"].origin == "pyproject.toml", "inline tables have no line"
    assert (table.entries[0].targets, table.entries[0].place.line) == (("a:b",), 0)
    table = read(f"{HEAD}inputs = 'inputs.py'\ntargets = ['a:b', 'net.py:Net']\n")
    assert [(each.targets, each.place.line) for each in table.entries] == [(("a:b",), 3), (("net.py:Net",), 3)]


def test_paths_begin_at_the_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "sub").mkdir()
    (here / "pyproject.toml").write_text(f"{HEAD}root = 'lib'\njson = '-'\nprofile = ['p', '{here}/q']\n")
    monkeypatch.chdir(here / "sub")
    values = find_table(os.curdir).values
    assert {name: given.value for name, given in values.items()} == {
        "root": os.path.join("..", "lib"),
        "json": "-",
        "profile": (os.path.join("..", "p"), f"{here}/q"),
    }
    assert values["root"].origin == os.path.join("..", "pyproject.toml:2:1")


@pytest.mark.parametrize(
    "line",
    [
        *("json = '../out.json'", "html = '/tmp/out.html'", "stubs = 'out/stubs'"),
        *("output-file = ['sarif:a.sarif', 'text:out/b']", "baseline = '../b.json'", "inputs = 'out.py:small'"),
        *("root = '..'", "profile = ['p', 'out']", "json = '.git/hooks/pre-commit'", "save-profile = 'sub/.GIT/x'"),
    ],
)
def test_a_place_outside_the_project_is_refused(line: str, here: Path) -> None:
    (here / "out").symlink_to("..")
    (here / "out.py").symlink_to("../inputs.py")
    (here / "pyproject.toml").write_text(f"{HEAD}{line}\n")
    with pytest.raises(UserError, match=r"outside the project|managed by version control") as raised:
        find_table(str(here))
    assert raised.value.place.line == 2


@pytest.mark.parametrize("name", ["pdt.toml", "pyproject.toml"])
def test_a_file_that_is_named_speaks_of_the_project_around_it(name: str, here: Path) -> None:
    write(here, {f"ci/{name}": f"{HEAD}json = '../out.json'\npython = '/usr'\n"})
    with pytest.raises(UserError, match="outside the project"):
        read_table(str(here / "ci" / name))
    (here / "pyproject.toml").touch()
    table = read_table(str(here / "ci" / name))
    assert table is not None and table.values["python"].value == "/usr"
    if name == "pyproject.toml":
        with pytest.raises(UserError, match="outside the project"):
            find_table(str(here / "ci"))


TEXT, PATH, FLAG, NUMBER, COUNT = Words(), PathText(), Flag(), Number(), Count()
TEXTS, PATHS = Words(many=True), PathText(many=True)
COLOR = Choice("auto", "never")
MEND = Choice("exact", "all", alone="exact")
FILES, PATH_CODES = OutputFiles(), PathCodes()


def read_kind(kind: Any, value: object, directory: str = ".") -> object:
    return Setting("name", (), kind).read_toml(value, directory)


@pytest.mark.parametrize(
    ("kind", "value", "hint"),
    [
        (TEXT, 3, ""),
        (PATH, ["a"], ""),
        (PATHS, [1], ""),
        (PATHS, {"a": "b"}, ""),
        (FLAG, 1, ""),
        (FLAG, "true", ""),
        (NUMBER, True, ""),
        (NUMBER, "3", ""),
        (Whole(least=1), 0, ""),
        (Whole(), 1.0, ""),
        (COUNT, -1, ""),
        (COLOR, "blue", ""),
        (COLOR, "nevr", "did you mean never?"),
        (COLOR, True, ""),
        (CODES, "PDT37", "did you mean PDT037?"),
        (CODES, "E501", "explain"),
        (CODES, "PDT037,PDT0370", "did you mean PDT070?"),
        (CODES, "PDT090", "# pdt: skip"),
        (CODES, 37, ""),
        (PATH_CODES, {"tests/*": 30}, ""),
        (PATH_CODES, {"tests/*": ["PDT30"]}, "did you mean PDT030?"),
        (PATH_CODES, "tests/*", ""),
        (FILES, "out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, "sariff:out.sarif", "did you mean sarif:out.sarif?"),
        (FILES, r"C:\out.sarif", r"did you mean sarif:C:\out.sarif?"),
        (FILES, "xml:out.xml", ""),
        (FILES, "sarif:", "sarif:result.sarif"),
        (FILES, "sarif:-", "--output-format"),
    ],
)
def test_what_is_refused(kind: Any, value: object, hint: str) -> None:
    with pytest.raises(WrongValue) as caught:
        read_kind(kind, value)
    assert caught.value.message.startswith("must be ")
    assert hint in caught.value.hint


def test_codes_and_their_beginnings_select_what_may_be_ignored() -> None:
    for code in (code for code, each in entries().items() if not each.never_ignored):
        selectors = (code, code[:5], code[:4], "PDT")
        assert read_kind(CODES, ", ".join(selectors)) == selectors


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (TEXT, "a", "a"),
        (FLAG, False, False),
        (NUMBER, 3, 3.0),
        (Whole(), 0, 0),
        (COUNT, True, 1),
        (COUNT, 2, 2),
        (COLOR, "never", "never"),
        (MEND, True, "exact"),
        (MEND, False, ""),
        (MEND, "all", "all"),
        (CODES, "pdt037, PDT10", ("PDT037", "PDT10")),
        (CODES, ["PDT037", "PDT"], ("PDT037", "PDT")),
        (PATH_CODES, {"tests/*": ["PDT030", "PDT10"]}, ("tests/*:PDT030", "tests/*:PDT10")),
        (PATH_CODES, r"C:\tests\*:PDT030", (r"C:\tests\*:PDT030",)),
        (FILES, ["sarif:a.sarif", r"junit:C:\a b\out.xml"], ("sarif:a.sarif", r"junit:C:\a b\out.xml")),
    ],
)
def test_what_is_read(kind: Any, value: object, found: object) -> None:
    result = read_kind(kind, value)
    assert (result, type(result)) == (found, type(found))
    again = list(result) if isinstance(result, tuple) else result
    assert read_kind(kind, again) == result, "as --show-settings writes it"


def test_relative_paths_begin_where_they_were_written_and_every_format_can_be_asked_for() -> None:
    for value in ("", "-", "/data/a.py"):
        assert locate(value, "../x") == value
        assert read_kind(PATH, value, "../x") == value
    assert read_kind(PATH, "sub/inputs.py:small", "../x") == os.path.join("..", "x", "sub", "inputs.py:small")
    assert read_kind(PATHS, ["a", "/b"], "../x") == (os.path.join("..", "x", "a"), "/b")
    assert read_kind(TEXTS, ["a"], "../x") == ("a",)
    assert read_kind(TEXT, "a", "../x") == "a"
    assert read_kind(FILES, "sarif:out.sarif", "sub") == (f"sarif:{os.path.join('sub', 'out.sarif')}",)
    inside = f"{os.path.join('sub', 'tests', '*')}:PDT030"
    assert read_kind(PATH_CODES, ["tests/*:PDT030", "test_*.py:PDT1"], "sub") == (inside, "test_*.py:PDT1")
    assert set(FORMATS) == set(FILE_FORMATS)

"""pyproject.toml: which file counts, what in it is refused and in which words, and what is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool import write

from pdt_annotate.cli.pyproject import ConfiguredTable, find_table, read_table
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


SPECIFIER = "`required-version` takes a specifier"
OTHER = f"pdt-annotate >=1000 is required here, and {__version__} is installed"


@pytest.mark.parametrize(
    ("text", "message", "hint", "line", "column"),
    [
        (f"{HEAD}timout = 3\n", "unknown key `timout`", "did you mean `timeout`?", 2, 1),
        (f"{HEAD}\nthird_party = 'leave'\n", "unknown key `third_party`", "did you mean `third-party`?", 3, 1),
        (f"{HEAD}xyz = 3\n", "unknown key `xyz`", "known are", 2, 1),
        (f"{HEAD}config = 'a.toml'\n", "unknown key `config`", "", 2, 1),
        (f"{ENTRY}target = 'a:b'\nimputs = 'i.py'\n", "unknown key `imputs`", "did you mean `inputs`?", 3, 1),
        (f"{ENTRY}target = 'a:b'\njobs = 2\n", "`jobs` is not for one target", "move it to [tool.pdt-annotate]", 3, 1),
        (f"{HEAD}timeout = '3'\n", "`timeout` takes a number, not '3'", "", 2, 1),
        (f"{HEAD}check = 1\n", "`check` takes true or false, not 1", "", 2, 1),
        (f"{HEAD}timeout = true\n", "`timeout` takes a number, not true", "", 2, 1),
        (f"{HEAD}returns = 'some'\n", "`returns` takes one of needed, all, none, not 'some'", "", 2, 1),
        (f"{HEAD}jobs = 0\n", "`jobs` takes a whole number from 1 on, not 0", "", 2, 1),
        (f"{HEAD}targets = ['a:b']\n", "`targets` is written [[tool.pdt-annotate.targets]]", "", 2, 1),
        (f"{ENTRY}targt = 'a:b'\ninputs = 'i.py'\n", "unknown key `targt`", "did you mean `target`?", 2, 1),
        (f"{ENTRY}inputs = 'i.py'\n", "`targets` has an entry without `target`", "", 1, 1),
        (f"{ENTRY}target = 3\n", "`target` takes a string or a list of strings", "", 2, 1),
        (f"{ENTRY}target = []\n", "`target` names no target", "", 2, 1),
        (f"{ENTRY}target = 'a:b'\n{ENTRY}target = ['c:d', 'a:b']\n", "a:b is configured twice", "one file", 4, 1),
        ("[tool]\npdt-annotate = 3\n", "must be a table", "", 0, 0),
        (f"{HEAD}timeout = \n", "not valid TOML", "--isolated", 2, 11),
        (f"{HEAD}  \t'timout' = 3\n", "timout", "", 2, 4),
        (f"{ENTRY}  inputs = 3\n", "without `target`", "", 1, 1),
        (f"  {ENTRY}    target = 3\n", "target", "", 2, 5),
        (f"{ENTRY}target = 'a:b'\ntimeout = 1\n\n{ENTRY}target = 'c:d'\ntimeout = 'x'\n", "timeout", "", 7, 1),
        (f"{HEAD}required-version = 'soon'\n", SPECIFIER, "", 2, 1),
        (f"{HEAD}required-version = 3\n", SPECIFIER, "", 2, 1),
        (f"{HEAD}required-version = '1.0'\n", SPECIFIER, "", 2, 1),
        (f"{HEAD}new = 3\nrequired-version = '>=1000'\n", OTHER, "pip install 'pdt-annotate>=1000'", 3, 1),
    ],
)
def test_what_is_refused_is_told_with_the_key_and_the_place(
    text: str, message: str, hint: str, line: int, column: int
) -> None:
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
        "json = '../out.json'",
        "html = '/tmp/out.html'",
        "stubs = 'out/stubs'",
        "output-file = ['sarif:a.sarif', 'text:out/b']",
        "baseline = '../b.json'",
        "inputs = 'out.py:small'",
        "root = '..'",
        "profile = ['p', 'out']",
        "json = '.git/hooks/pre-commit'",
        "save-profile = 'sub/.GIT/x'",
    ],
)
def test_a_place_outside_the_project_is_refused(line: str, here: Path) -> None:
    (here / "out").symlink_to("..")
    (here / "out.py").symlink_to("../inputs.py")
    (here / "pyproject.toml").write_text(f"{HEAD}{line}\n")
    with pytest.raises(UserError, match=r"outside the project|version control's own") as raised:
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

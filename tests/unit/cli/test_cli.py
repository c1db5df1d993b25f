"""Options, declared in one place; which runs a commit concerns; what is said of runs, errors and ends."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import click
import pytest
from html_tree import read
from outcomes import make_outcome
from repository import ROOT
from tool import write

from pdt_annotate import api, cli
from pdt_annotate.cache import entries
from pdt_annotate.cli.annotate import concerned
from pdt_annotate.cli.deliver import words_with, write_each
from pdt_annotate.cli.ended import Ended, telling_documents
from pdt_annotate.cli.entry import tell
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.load import VARIABLES, Run, load
from pdt_annotate.cli.options import SETTINGS, Setting, options_of
from pdt_annotate.cli.pyproject import EVERYWHERE, PER_TARGET
from pdt_annotate.cli.working import tell_of_torch
from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import NothingTaken, UserCodeError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Closure, SpecSource, Target
from pdt_annotate.writes import near

COMMANDS = ("annotate", "observe", "verify", "run", "captures", "graph", "hook")
FIELDS = {field.name for field in fields(Options)}
HANDLED = {"inputs", "arg", "profile", "quiet", "verbose", *(each.option for each in WriteBack)}
"""Options that are read into fields of other names."""

NOT_OF_ONE_RUN = {"jobs", "config", "isolated", "show_settings"}
"""Options that no `Options` has."""


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.long)
def test_every_option_has_a_place_a_default_of_its_kind_and_a_line_in_the_page(setting: Setting) -> None:
    assert setting.key in FIELDS | HANDLED | NOT_OF_ONE_RUN
    for default in (setting.default, *setting.defaults.values()):
        if default != "":
            assert setting.read_toml(list(default) if isinstance(default, tuple) else default, ".") == default
    if setting.in_pyproject or setting.allow_from_autoenv:
        assert re.search(rf"`{setting.long}`", (ROOT / "docs" / "configuration.md").read_text())


def test_commands_have_their_options_and_a_run_has_no_other() -> None:
    made = {"targets", "spec", "write_back", "profiles", "verbosity"}
    assert made | {setting.key for setting in SETTINGS} >= FIELDS
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    assert set(PER_TARGET) < set(EVERYWHERE)
    assert "PDT_ANNOTATE_OVERLAY" not in VARIABLES, "it is left to programs"
    for command in COMMANDS:
        params = cli.main_group.commands[command].params
        keys = [each.key for each in options_of(command)]
        assert [param.name for param in params if isinstance(param, click.Option)] == keys
        forms = [form for setting in options_of(command) for form in (*setting.opts, *setting.secondary_opts)]
        assert len(set(forms)) == len(forms)
    for command, default in ("run", "pdt-profile.sqlite"), ("annotate", ""):
        assert [each.default for each in options_of(command) if each.key == "save_profile"] == [default]


def test_no_form_of_a_flag_is_listed_that_changes_nothing() -> None:
    with click.Context(cli.main_group.commands["annotate"]) as context:
        text = cli.main_group.commands["annotate"].get_help(context)
    assert "--diff " in text and "--no-diff" not in text


PYPROJECT = """\
[[tool.pdt-annotate.targets]]
target = "model.py:Net"
inputs = "inputs.py"

[[tool.pdt-annotate.targets]]
target = "other.py:Net"
inputs = "inputs.py"
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, ...]:
    """Two configured targets, `model.py` and `other.py`, of which nothing is known yet."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"model.py": "", "other.py": "", "inputs.py": "", "pyproject.toml": PYPROJECT})
    return load("annotate").runs


def finish(run: Run, root: Path, *, verified: bool = True) -> None:
    """Let a run have ended, which read its target's file and found nothing to annotate."""
    closure = Closure(frozenset({str(root / run.options.targets[0].file)}))
    outcome = replace(make_outcome(root), changes=(), annotations=(), closure=closure, verified=verified)
    entries.keep(run.options, outcome, "it is well", time.time_ns() + 10 * entries.LEEWAY_NS)


def names_of_concerned(runs: tuple[Run, ...], *files: str) -> list[str]:
    return [run.options.name for run in concerned(runs, files)]


@pytest.mark.parametrize("verified", [True, False])
def test_a_file_that_a_target_does_not_read_is_not_its_concern(
    verified: bool, runs: tuple[Run, ...], tmp_path: Path
) -> None:
    finish(runs[0], tmp_path, verified=verified)
    assert names_of_concerned(runs, "unrelated.py") == ["other.py:Net"], "nothing is known of it"
    finish(runs[1], tmp_path, verified=verified)
    if verified:
        assert not names_of_concerned(runs) and not names_of_concerned(runs, "model.py", "other.py")
    for name in ("model.py", "other.py"):
        (tmp_path / name).write_text("changed = True\n")
    assert not names_of_concerned(runs, "inputs.yaml", "sub/model.py")
    assert names_of_concerned(runs, "other.py") == ["other.py:Net"]
    assert names_of_concerned(runs, "model.py", "other.py") == ["model.py:Net", "other.py:Net"]


def test_a_profile_concerns_the_files_that_it_knows(runs: tuple[Run, ...], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x, k):\n    return x * k\n")
    api.observe("model.py:f", args=["f32[2]", "3"], save_profile="net.sqlite")
    profiled = load("annotate", (), {"profile": ("net.sqlite",)}).runs
    assert not names_of_concerned(profiled, "unrelated.py", "net.sqlite")
    assert names_of_concerned(profiled, "unrelated.py", "model.py")
    (tmp_path / "model.py").rename(tmp_path / "renamed.py")  # pre-commit names no file that is gone
    assert names_of_concerned(profiled, "renamed.py")


def test_what_can_be_written_is_and_every_failure_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    written: list[str] = []

    def fail(name: str) -> None:
        raise UserError(f"cannot write {name}")

    write_each([lambda: written.append("b")])
    assert capsys.readouterr() == ("", "")
    writes: list[Callable[[], None]] = [lambda: fail("a"), lambda: fail("c"), lambda: written.append("d")]
    with pytest.raises(UserError, match="cannot write c"):
        write_each(writes)
    assert written == ["b", "d"]
    assert capsys.readouterr().err == "error: cannot write a\n"


@pytest.mark.parametrize(
    ("words", "advised"),
    [
        ([], ["--mend", "all"]),
        (["m:Net", "-i", "a b.py"], ["m:Net", "-i", "a b.py", "--mend", "all"]),
        (["m:Net", "--mend"], ["m:Net", "--mend", "all"]),
        (["--mend", "exact", "m:Net"], ["m:Net", "--mend", "all"]),
        (["--mend=frozen", "m:Net"], ["m:Net", "--mend", "all"]),
        (["--mend", "m:Net", "exact"], ["m:Net", "exact", "--mend", "all"]),
        (["m:Net", "--", "n:Net"], ["m:Net", "--mend", "all", "--", "n:Net"]),
    ],
)
def test_a_command_is_advised_as_it_was_given_but_for_the_level(words: list[str], advised: list[str]) -> None:
    assert words_with(words, MendLevel.ALL) == advised


DOCUMENTS = {"html": "page.html", "text": "report.txt", "json": "out.json", "sarif": "out.sarif", "junit": "out.xml"}


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """One target, and every document, each of which holds an older result; one place is no file."""
    write(tmp_path, {"net.py": "x = 1\nraise ValueError\n", **dict.fromkeys(DOCUMENTS.values(), "all is well")})
    (tmp_path / "folder").mkdir()
    places = [f"{format_}:{tmp_path / name}" for format_, name in DOCUMENTS.items()]
    more = (f"github:{tmp_path / 'folder'}", "github:-")
    return Options((parse(f"{tmp_path}/net.py:Net"),), SpecSource(), str(tmp_path), output_file=(*places, *more))


@pytest.mark.parametrize("ended", [None, NothingTaken("nothing was chosen")])
def test_what_ends_well_leaves_documents_alone(ended: NothingTaken | None, options: Options, tmp_path: Path) -> None:
    with contextlib.suppress(NothingTaken), telling_documents([options]):
        if ended:
            raise ended
    assert all((tmp_path / name).read_text() == "all is well" for name in DOCUMENTS.values())


def test_an_error_is_told_where_people_read_and_leaves_nothing_to_programs(options: Options, tmp_path: Path) -> None:
    error = UserCodeError("importing net: ValueError", place=Place(str(tmp_path / "net.py"), 2, 1), hint="mend it")
    with click.Context(main_group, obj=("net.py:Net",)), pytest.raises(UserCodeError), telling_documents([options]):
        raise error
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"net.py", "folder", DOCUMENTS["html"], DOCUMENTS["text"]}
    assert (tmp_path / DOCUMENTS["text"]).read_text().startswith("error: importing net: ValueError\n  at ")
    page = read((tmp_path / DOCUMENTS["html"]).read_text())
    banner = page.one("p", class_="banner")
    assert banner.classes == {"banner", "bad"}
    assert "No result: importing net: ValueError." in banner.text and "Exit code 2" in banner.text
    assert "net.py:2:1" in page.one(id="errors").text
    assert "Mend it" in page.one(id="steps").text
    assert "raise ValueError" in page.one(id="files").text
    with click.Context(main_group, obj=()), pytest.raises(KeyError), telling_documents([options]):
        raise KeyError("x")
    said = read((tmp_path / DOCUMENTS["html"]).read_text()).one("header").text
    assert "Exit code 70" in said and "unless the terminal says so" in said


@pytest.mark.parametrize(
    ("ended", "code", "written", "said"),
    [
        (KeyboardInterrupt(), 130, [], "nothing was written"),
        (Ended(signal.SIGTERM), 143, ["a.py", "b.py"], "a.py, b.py were written"),
        (Ended(signal.SIGINT), 130, ["a.py", "b.py"], "a.py, b.py were written"),
    ],
)
def test_what_was_written_before_the_end_is_told(
    ended: KeyboardInterrupt, code: int, written: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    near.written[:] = written
    assert tell(ended) == code
    assert capsys.readouterr().err == f"error: interrupted; {said}\n"


def make_environment(folder: Path, torch: str) -> str:
    """An environment of this Python's, in which a torch seems to be installed."""
    libraries = folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    info = f"Name: torch\nVersion: {torch}\n"
    home = f"home = {Path(sys.executable).parent}\n"
    write(libraries, {"torch/__init__.py": "", f"torch-{torch}.dist-info/METADATA": info})
    write(folder, {"pyvenv.cfg": home, "bin/empty": ""})
    (folder / "bin" / "python").symlink_to(sys.executable)
    return str(folder)


@pytest.mark.parametrize(("torch", "quiet", "said"), [("2.6.0", 0, 0), ("3.1.0", -1, 0), ("3.0.0", 0, 1)])
def test_a_note_about_torch_once_a_run(
    torch: str, quiet: int, said: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Options((Target("model.py:Net", "", "", "Net"),), SpecSource(), ".", verbosity=quiet)
    options = replace(options, python=make_environment(tmp_path, torch))
    for _ in range(2):
        tell_of_torch([options, options])
    assert capsys.readouterr().err.count("note: torch 3.") == said

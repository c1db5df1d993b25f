"""The declared options, the runs that a commit affects, the messages about runs and errors, and several runs."""

import contextlib
import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
import profiled
import pytest
from html_tree import read
from outcomes import make_outcome
from repository import ROOT
from tool import write

from pdt_annotate import cli, profiles, writes
from pdt_annotate.cache import entries
from pdt_annotate.cli.annotate import concerned
from pdt_annotate.cli.deliver import words_with, write_each
from pdt_annotate.cli.entry import Ended, errors_in_documents, report_error
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import SETTINGS, Setting, options_of
from pdt_annotate.cli.pyproject import EVERYWHERE, PER_TARGET
from pdt_annotate.cli.run_options import VARIABLES, Run, load
from pdt_annotate.cli.several import _Settling, join_outcomes, save_together
from pdt_annotate.cli.working import say_torch_notice
from pdt_annotate.inputs.target import parse
from pdt_annotate.profiles import Profile
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import NothingTaken, UserCodeError, UserError
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, MendAdvice, Outcome, Overlaid
from pdt_annotate.values.runs import Closure, SpecSource, Target
from pdt_annotate.values.slots import Finding, Owner, Place

COMMANDS = ("annotate", "observe", "verify", "run", "captures", "graph", "hook")
FIELDS = {field.name for field in fields(Options)}
HANDLED = {"inputs", "arg", "profile", "quiet", "verbose", *(each.option for each in WriteBack)}
"""Options that are stored in fields with other names."""

NOT_OF_ONE_RUN = {"jobs", "config", "isolated", "show_settings", "watch"}
"""Options without a field in `Options`."""


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda each: each.long)
def test_every_option_has_a_place_a_default_of_its_kind_and_a_line_in_the_page(setting: Setting) -> None:
    assert setting.key in FIELDS | HANDLED | NOT_OF_ONE_RUN
    made = [each for command in setting.commands for each in options_of(command) if each.key == setting.key]
    for default in (each.default for each in (setting, *made)):
        if default != "":
            assert setting.read_toml(list(default) if isinstance(default, tuple) else default, ".") == default
    if setting.in_pyproject or setting.allow_from_autoenv:
        assert re.search(rf"`{setting.long}`", (ROOT / "docs" / "configuration.md").read_text())


def test_commands_have_their_options_and_a_run_has_no_other() -> None:
    made = {"targets", "spec", "write_back", "profiles", "verbosity"}
    assert made | {setting.key for setting in SETTINGS} >= FIELDS
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    assert all(setting.help for setting in SETTINGS)
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
    with click.Context(cli.main_group.commands["annotate"]) as context:
        text = cli.main_group.commands["annotate"].get_help(context)
    assert "--diff " in text and "--no-diff" not in text


ENTRY = '[[tool.pdt-annotate.targets]]\ntarget = "%s.py:Net"\ninputs = "inputs.py"\n'


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, ...]:
    """Two configured targets, `model.py` and `other.py`, which are not in the cache yet."""
    monkeypatch.chdir(tmp_path)
    files = dict.fromkeys(("model.py", "other.py", "inputs.py"), "")
    write(tmp_path, files | {"pyproject.toml": ENTRY % "model" + ENTRY % "other"})
    return load("annotate").runs


def finish(run: Run, root: Path, *, verified: bool = True) -> None:
    """Cache a run that read its target's file and found nothing to annotate."""
    closure = Closure(frozenset({str(root / run.options.targets[0].file)}))
    outcome = replace(make_outcome(root), changes=(), annotations=(), closure=closure, verified=verified)
    entries.keep(run.options, outcome, "it is well", time.time_ns() + 10 * entries.LEEWAY_NS)


def names_of_concerned(runs: tuple[Run, ...], *files: str) -> list[str]:
    return [run.options.name for run in concerned(runs, files)]


@pytest.mark.parametrize("verified", [True, False])
def test_a_file_that_a_target_does_not_read_is_none_of_it(
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
    modules = profiled.write(tmp_path, {"model.py": profiled.MODEL})
    profiles.save("net.sqlite", profiled.profile_of(tmp_path, modules, profiled.observe(modules["model"])))
    from_profile = load("annotate", (), {"profile": ("net.sqlite",)}).runs
    assert not names_of_concerned(from_profile, "unrelated.py", "net.sqlite")
    assert names_of_concerned(from_profile, "unrelated.py", "model.py")
    (tmp_path / "model.py").rename(tmp_path / "renamed.py")  # pre-commit does not pass the names of deleted files
    assert names_of_concerned(from_profile, "renamed.py")


def test_what_can_be_written_is_and_every_failure_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
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
    ],
)
def test_a_command_is_advised_as_it_was_given_but_for_the_level(words: list[str], advised: list[str]) -> None:
    assert words_with(words, MendLevel.ALL) == advised


DOCUMENTS = {"html": "page.html", "text": "report.txt", "json": "out.json", "sarif": "out.sarif", "junit": "out.xml"}


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """One target with every document, and an older result in each. One of the paths is not a file."""
    write(tmp_path, {"net.py": "x = 1\nraise ValueError\n", **dict.fromkeys(DOCUMENTS.values(), "all is well")})
    (tmp_path / "folder").mkdir()
    places = [f"{format_}:{tmp_path / name}" for format_, name in DOCUMENTS.items()]
    more = (f"github:{tmp_path / 'folder'}", "github:-")
    return Options((parse(f"{tmp_path}/net.py:Net"),), SpecSource(), str(tmp_path), output_file=(*places, *more))


@pytest.mark.parametrize("ended", [None, NothingTaken("nothing was accepted")])
def test_what_ends_well_leaves_documents_alone(ended: NothingTaken | None, options: Options, tmp_path: Path) -> None:
    with contextlib.suppress(NothingTaken), errors_in_documents([options]):
        if ended:
            raise ended
    assert all((tmp_path / name).read_text() == "all is well" for name in DOCUMENTS.values())


def test_an_error_is_reported_to_people_and_leaves_nothing_to_programs(options: Options, tmp_path: Path) -> None:
    error = UserCodeError("importing net: ValueError", place=Place(str(tmp_path / "net.py"), 2, 1), hint="mend it")
    with click.Context(main_group, obj=("net.py:Net",)), pytest.raises(UserCodeError), errors_in_documents([options]):
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
    with click.Context(main_group, obj=()), pytest.raises(KeyError), errors_in_documents([options]):
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
def test_what_was_written_before_the_end_is_reported(
    ended: KeyboardInterrupt, code: int, written: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    writes.written[:] = written
    assert report_error(ended) == code
    assert capsys.readouterr().err == f"error: interrupted; {said}\n"


def test_what_is_said_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert cli.main(["explain", "pdt-10"]) == 0
    assert cli.main(["explain", "--nonsense"]) == 2
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert report_error(UserError("words " * 20)) == 2
    out, err = capsys.readouterr()
    assert out.startswith("PDT010  ") and out.count("\n\n") == 3 and "\n\nWhat to do: " in out
    assert max(map(len, (*out.splitlines(), *err.splitlines()[-2:]))) <= 60 and err.count("words") == 20
    assert "`pdt-annotate explain --help` lists its options" in err


def make_environment(folder: Path, torch: str) -> str:
    """An environment of this Python, in which torch seems to be installed."""
    libraries = folder / "lib" / "python{}.{}".format(*sys.version_info) / "site-packages"
    info = f"Name: torch\nVersion: {torch}\n"
    home = f"home = {Path(sys.executable).parent}\n"
    write(libraries, {"torch/__init__.py": "", f"torch-{torch}.dist-info/METADATA": info})
    write(folder, {"pyvenv.cfg": home, "bin/empty": ""})
    (folder / "bin" / "python").symlink_to(sys.executable)
    return str(folder)


@pytest.mark.parametrize(("torch", "quiet", "said"), [("2.6.0", 0, 0), ("3.1.0", -1, 0), ("3.0.0", 0, 1)])
def test_a_note_about_torch(
    torch: str, quiet: int, said: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = Options((Target("model.py:Net", "", "", "Net"),), SpecSource(), ".", verbosity=quiet)
    options = replace(options, python=make_environment(tmp_path, torch))
    for _ in range(2):
        say_torch_notice([options, options])
    assert capsys.readouterr().err.count("note: torch 3.") == said


def asking(root: Path, save_profile: Path | str) -> Options:
    return Options((parse("a:A"),), SpecSource(args=("1",)), str(root), save_profile=str(save_profile))


@pytest.fixture
def seen(tmp_path: Path) -> list[Profile]:
    modules = profiled.write(tmp_path, {"model.py": profiled.MODEL})
    observed = profiled.observe(modules["model"])
    return [profiled.profile_of(tmp_path, modules, observed, run=run) for run in ("r1", "r2", "r3")]


def test_what_is_no_profile_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with save_together([asking(tmp_path, ""), asking(tmp_path, tmp_path / "p")]) as aside:
        assert aside[0].save_profile == ""
    assert not list(tmp_path.iterdir())
    (tmp_path / "p").write_text("notes")
    with pytest.raises(UserError, match="not a profile"), save_together([asking(tmp_path, tmp_path / "p")]):
        raise AssertionError("it ran")


def test_each_file_gets_what_its_runs_saved_also_before_an_interrupt(tmp_path: Path, seen: list[Profile]) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    files = (one, two, one)
    with pytest.raises(KeyboardInterrupt), save_together([asking(tmp_path, file) for file in (*files, one)]) as aside:
        assert len({each.save_profile for each in aside}) == 4
        for each, profile in zip(aside, seen, strict=False):
            profiles.save(each.save_profile, profile)
        assert not one.exists()
        raise KeyboardInterrupt
    assert profiles.load([str(one)]) == profiles.merge([seen[0], seen[2]])
    assert profiles.load([str(two)]) == seen[1]


PROJECT = "/project"


def outcome(*changed: str, verified: bool = True) -> Outcome:
    changes = tuple(FileChange(f"{PROJECT}/{name}", b"", b"#") for name in changed)
    return Outcome((), PROJECT, changes, verified=verified)


ONE = outcome("a.py")
TWO = replace(ONE, changes=(FileChange(f"{PROJECT}/a.py", b"", b"# other"),))
OVERLAID = [
    replace(outcome(), overlaid=(Overlaid("lib", FileChange("/site/lib.py", b"", after)),)) for after in (b"#", b"# o")
]
STUBS = {"write_back": WriteBack.STUBS, "stubs": "typings"}
NOTE = "for several targets: apply the first, then run the command again for the next"


@pytest.mark.parametrize(
    ("first", "second", "given", "said"),
    [
        (ONE, TWO, STUBS, "error: typings already contains another version of"),
        (ONE, ONE, STUBS, ""),
        (replace(ONE, verified=False), TWO, STUBS, ""),
        (*OVERLAID, {"overlay": "kept"}, "error: kept already contains another version of"),
        (ONE, TWO, {"write_back": WriteBack.DIFF}, NOTE),
        (ONE, TWO, {"write_back": WriteBack.IN_PLACE}, ""),
        (ONE, TWO, {"write_back": WriteBack.CHECK}, ""),
    ],
)
def test_two_runs_that_annotate_one_file_where_the_second_does_not_see_what_the_first_wrote(
    first: Outcome,
    second: Outcome,
    given: dict[str, Any],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = replace(asking(tmp_path, ""), **given)
    settling = _Settling([Run(asked, {}), Run(asked, {})])
    settling(asked, first)
    if said.startswith("error: "):
        with pytest.raises(UserError, match=said.removeprefix("error: ")):
            settling(asked, second)
    else:
        settling(asked, second)
        told = capsys.readouterr().err
        assert said in told and bool(said) is bool(told)


def test_outcomes_are_joined_without_saying_twice() -> None:
    finding = Finding("PDT001", "said", Place("/project/a.py", 1))
    one, two = (replace(outcome(f"{name}.py"), findings=(finding,)) for name in "ab")
    joined = join_outcomes([one, replace(two, root=f"{PROJECT}/sub")])
    assert (joined.changes, joined.findings) == (one.changes + two.changes, (finding,))
    assert (joined.root, joined.verified, joined.advised) == (PROJECT, True, None)
    mend = Mend("a", MendKind.FROZEN, Owner(f"{PROJECT}/a.py", "f", 1), Place(f"{PROJECT}/a.py", 2), "does", {})
    failed = replace(two, verified=False, mends=(mend,), advised=MendAdvice(MendLevel.FROZEN, (mend,), 3, 2))
    joined = join_outcomes([replace(one, mends=(mend,)), failed, failed])
    assert (joined.verified, joined.mends) == (False, (mend,)), "those that hold"
    assert joined.advised == MendAdvice(MendLevel.FROZEN, (mend, mend), 6, 4)

"""Cached results: which are cached, for which options, how long they are valid, and the command lines that use them."""

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outcomes import AFTER, BEFORE, fail, make_outcome
from repository import ROOT

from pdt_annotate.cache import commands, entries, store
from pdt_annotate.settings.options import Color, Options, OutputFormat, Returns, ThirdParty, WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import Closure, SpecSource, Target

JUDGED = "the scripted model returns the same results as Python on 1 call"
TARGET = Target("model.py:Net", "", "model.py", "Net")


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Two annotations for `model.py`, which is not written yet. All other files were written long ago."""
    monkeypatch.chdir(tmp_path)
    files = [tmp_path / name for name in ("model.py", "inputs.py")]
    made = make_outcome(tmp_path)
    for file in files:
        file.touch()
    closure = Closure(frozenset(map(str, files)), frozenset({(str(tmp_path), "model"), (str(tmp_path), "extra")}))
    return replace(made, closure=closure)


@pytest.fixture
def clean(outcome: Outcome) -> Outcome:
    return replace(outcome, changes=(), annotations=())


def options(outcome: Outcome, **given: Any) -> Options:
    return Options((TARGET,), SpecSource(f"{outcome.root}/inputs.py"), outcome.root, **given)


def later() -> int:
    """A time at which files that were just written are old."""
    return time.time_ns() + 10 * entries.LEEWAY_NS


def keep(outcome: Outcome, **given: Any) -> None:
    entries.keep(options(outcome, **given), outcome, JUDGED, later())


def said(outcome: Outcome, **given: Any) -> str:
    entry = entries.find(options(outcome, **given))
    return entry.said if entry else ""


def is_empty(outcome: Outcome) -> bool:
    return not any(store.read(outcome.root).values())


@pytest.mark.parametrize("write_back", [WriteBack.DIFF, WriteBack.CHECK])
def test_what_is_missing_is_no_answer(write_back: WriteBack, outcome: Outcome) -> None:
    keep(outcome, write_back=write_back)
    entry = entries.find(options(outcome))
    assert entry is not None and not entry.said
    assert entry.closure.files == outcome.closure.files


def test_a_failure_and_what_changed_meanwhile_are_no_answer(outcome: Outcome, clean: Outcome) -> None:
    keep(fail(outcome))
    keep(replace(clean, verified=False))
    Path(clean.root, "model.py").touch()
    entries.keep(options(clean), clean, JUDGED, time.time_ns())
    assert not said(outcome)


def test_what_depended_on_nothing_known_and_a_profile_alone_are_not_kept(clean: Outcome) -> None:
    keep(replace(clean, closure=Closure()))
    assert is_empty(clean)
    alone = Options((), SpecSource(), clean.root, profiles=("p.sqlite",))
    entries.keep(alone, clean, JUDGED, later())
    assert entries.find(alone) is None and is_empty(clean)


@pytest.mark.parametrize(
    "given",
    [
        {"save_profile": "p.sqlite"},
        {"overlay": "typed"},
        {"stubs": "typings"},
        {"json": "out.json"},
        {"html": "out.html"},
        {"output_format": OutputFormat.GITHUB},
        {"no_cache": True},
    ],
)
def test_who_asks_for_more_gets_a_run(given: dict[str, Any], clean: Outcome) -> None:
    keep(clean, **given)
    assert is_empty(clean)
    keep(clean)
    assert entries.find(options(clean, **given)) is None


def test_a_clean_run_is_the_answer(clean: Outcome) -> None:
    keep(clean)
    entry = entries.find(options(clean))
    assert entry is not None
    assert entry.said == f"nothing to annotate; {JUDGED} (in an earlier run; unchanged since)"
    assert entry.judges == tuple(verdict.judge for verdict in clean.verdicts)
    assert entry.closure == clean.closure, "an answer may be kept again"


def test_what_is_written_in_place_is_clean_until_it_is_changed(outcome: Outcome) -> None:
    file = Path(outcome.changes[0].file)
    for content, is_clean in (AFTER + b"# more\n", False), (AFTER, True):
        file.write_bytes(content)
        keep(outcome)
        assert bool(said(outcome)) is is_clean
    file.write_bytes(BEFORE)
    assert not said(outcome)


SAME: list[dict[str, Any]] = [
    {"timeout": 3.0, "budget": 3.0},
    {"verbosity": -1, "color": Color.NEVER, "explain": True},
    {"write_back": WriteBack.CHECK},
    {"write_back": WriteBack.DIFF},
    {"write_partial": True},
]
OTHER: list[dict[str, Any]] = [
    {"returns": Returns.ALL},
    {"third_party": ThirdParty.OVERLAY},
    {"profiles": ("p.sqlite",)},
    {"no_probe": True},
]


@pytest.mark.parametrize("given", [*SAME, *OTHER], ids=str)
def test_an_answer_is_for_the_options_that_make_a_difference(given: dict[str, Any], clean: Outcome) -> None:
    keep(clean)
    assert bool(said(clean, **given)) is (given in SAME)


def test_another_python_is_known_by_a_digest_and_its_parts(outcome: Outcome) -> None:
    digest, executable, prefix, *path = entries.describe_python(options(outcome, python=sys.executable))
    assert digest and digest == store.describe_other(executable, prefix, path)
    assert (executable, prefix) == (sys.executable, sys.prefix)
    assert entries.describe_python(options(outcome)) == ()


def test_a_profile_beside_inputs_counts_by_its_content(clean: Outcome, tmp_path: Path) -> None:
    directory = tmp_path / "profiles"
    directory.mkdir()
    (directory / "one.sqlite").touch()
    given = {"profiles": ("profiles",)}
    keep(clean, **given)
    assert said(clean, **given)
    (directory / "two.sqlite").touch()
    assert not said(clean, **given)
    keep(clean, **given)
    (directory / "two.sqlite").write_bytes(b"more")
    assert not said(clean, **given)


def test_other_surroundings_know_the_files_alone(clean: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(clean)
    monkeypatch.setenv("PYTORCH_JIT", "0")
    entry = entries.find(options(clean))
    assert entry is not None and not entry.said and not entry.is_moved
    assert entry.closure.files == clean.closure.files
    keep(clean)
    monkeypatch.delenv("PYTORCH_JIT")
    assert said(clean), "neither takes the other's place"


def test_a_file_is_known_by_its_place_and_one_that_would_be_first_by_its_name(clean: Outcome, tmp_path: Path) -> None:
    keep(clean)
    entry = entries.find(options(clean))
    assert entry is not None
    assert not entry.reads_any([]) and not entry.reads_any(["other.py", "sub/model.py"])
    (tmp_path / "link.py").symlink_to("model.py")
    for name in ("model.py", "./model.py", str(tmp_path / "inputs.py"), "link.py"):
        assert entry.reads_any(["other.py", name])
    (tmp_path / "extra.py").touch()
    entry = entries.find(options(clean))
    assert entry is not None and not entry.said
    assert entry.reads_any(["extra.py"])


@pytest.mark.parametrize("part", ['"read"', '"said"', '"judges"', '"state": {', '"files": {', '"names": ['])
def test_an_entry_that_lacks_something_is_no_answer(part: str, clean: Outcome) -> None:
    keep(clean)
    file = Path(store.file_of(clean.root))
    file.write_text(file.read_text().replace(part, f'"no{part[1:]}'))
    assert not said(clean)


def test_a_broken_file_is_no_answer_nor_one_in_the_project(clean: Outcome, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(clean)
    file = Path(store.file_of(clean.root))
    file.write_bytes(file.read_bytes()[:-1])
    assert entries.find(options(clean)) is None
    keep(clean)
    assert said(clean)
    monkeypatch.setenv("XDG_CACHE_HOME", f"{clean.root}/caches")
    keep(clean)
    assert not said(clean)


SAID = "nothing to annotate"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one entry, "net", that depends on one file."""
    for name in ("pyproject.toml", "model.py"):
        (tmp_path / name).touch()
    store.keep(str(tmp_path), store.ENTRIES, "net", {"state": store.take_state([str(tmp_path / "model.py")])})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def remember(project: Path, *words: str, names: tuple[str, ...] = ("net",), takes_files: bool = False) -> None:
    commands.remember(words, str(project), names, [SAID], [], takes_files=takes_files)


def test_the_same_words_are_answered_and_others_are_not(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.answer(["--check", "model.py:Net"]) is None
    remember(project, "--check", "model.py:Net")
    assert commands.answer(["--diff"]) is None
    assert commands.answer([]) is None
    assert capsys.readouterr() == ("", "")
    assert commands.answer(["--check", "model.py:Net"]) == 0
    assert capsys.readouterr() == ("", f"{SAID}\n")


def test_where_there_is_no_cache_none_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert commands.answer(["--check"]) is None
    assert not list(tmp_path.iterdir())


def test_a_completion_is_no_answer(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(project)
    for instruction in ("bash_complete", "zsh_complete", "fish_complete", "bash_source"):
        monkeypatch.setenv(commands.COMPLETE_VARIABLE, instruction)
        assert commands.answer([]) is None
    assert capsys.readouterr() == ("", "")


# The arguments, the other files that a command read, and the file that then changes.
CHANGED = {
    "source": (["--check"], [], "model.py"),
    "configuration": (["--check"], [], "pyproject.toml"),
    "nearer configuration": (["sub/model.py:Net"], ["sub"], "sub/pyproject.toml"),
    "named configuration": (["--config", "other.toml"], ["other.toml"], "other.toml"),
}


@pytest.mark.parametrize(("words", "read", "file"), CHANGED.values(), ids=CHANGED)
def test_a_change_is_not_answered(words: list[str], read: list[str], file: str, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "other.toml").touch()
    commands.remember(words, str(project), ["net"], [SAID], [str(project / name) for name in read])
    assert commands.answer(words) == 0
    (project / file).write_text("[tool.pdt-annotate]")
    assert commands.answer(words) is None


def test_settings_of_the_environment_and_targets_without_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.keep(str(project), store.ENTRIES, "other", {"read": ["model.py"], "state": None})
    for names, code in (("net",), 0), (("net", "other"), None), ((), None), (("net",), 0):
        remember(project, "--check", names=names)
        assert commands.answer(["--check"]) == code
    monkeypatch.setenv("PDT_ANNOTATE_RETURNS", "all")
    assert commands.answer(["--check"]) is None


def test_a_hook_is_answered_for_whatever_files(project: Path) -> None:
    remember(project, "hook", "--check", takes_files=True)
    for words, code in (
        (["hook", "--check", "other.py", "model.pyi"], 0),
        (["hook", "--check"], 0),
        (["hook", "model.py"], None),
        (["hook", "--check", "--config", "other.toml"], None),
        (["annotate", "--check"], None),
    ):
        assert commands.answer(words) == code
    remember(project, "annotate")
    assert commands.answer(["annotate", "model.py"]) is None


@pytest.mark.parametrize("part", ['"said"', '"state"', '"files"', '"names"', '"entries": [', '"takes_files"'])
def test_a_file_that_lacks_something_answers_nothing(part: str, project: Path) -> None:
    remember(project, "--check")
    assert commands.answer(["--check"]) == 0
    file = Path(store.file_of(str(project)))
    file.write_text(file.read_text().replace(part, f'"no{part[1:]}'))
    assert commands.answer(["--check", "model.py"]) is None
    assert commands.answer(["--check"]) is (0 if part == '"takes_files"' else None)


@pytest.mark.parametrize("said", ["\\u001b[31m", 7])
def test_what_would_do_something_to_a_terminal_is_not_said(said: object, project: Path) -> None:
    remember(project, "--check")
    file = Path(store.file_of(str(project)))
    file.write_text(file.read_text().replace(f'"{SAID}"', f'"{said}"' if isinstance(said, str) else str(said)))
    assert commands.answer(["--check"]) is None


def test_a_command_is_answered_with_little_imported(project: Path) -> None:
    # Without `site`: editable finders, which `site` loads, import modules that must not be imported.
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from pdt_annotate.cache import commands\n"
        "commands.answer(sys.argv[1:]); print(*sys.modules)"
    )
    command = [sys.executable, "-S", "-c", code, "--check"]
    imported = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    python = {"dataclasses", "hashlib", "inspect", "pathlib", "typing"}
    assert "pdt_annotate.cache.commands" in imported
    assert not imported & {*python, "click", "libcst", "platformdirs", "rich", "torch"}


def test_a_changed_environment_of_the_model_is_not_answered(project: Path) -> None:
    packages = project / "env" / "site-packages"
    packages.mkdir(parents=True)
    parts = [sys.executable, str(project / "env"), str(packages)]
    python = [store.describe_other(parts[0], parts[1], parts[2:]), *parts]
    commands.remember(["--check"], str(project), ["net"], [SAID], [], [python])
    assert commands.answer(["--check"]) == 0
    (packages / "torch-2.14.0.dist-info").mkdir()
    assert commands.answer(["--check"]) is None

"""Command lines that are answered before they are parsed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

from pdt_annotate.cache import commands, store

SAID = "nothing to annotate"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one entry, "net", that depends on one file."""
    for name in ("pyproject.toml", "model.py"):
        (tmp_path / name).touch()
    store.keep(str(tmp_path), store.ENTRIES, "net", {"state": store.take_state([str(tmp_path / "model.py")])})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def remember(project: Path, *words: str, entries: tuple[str, ...] = ("net",), takes_files: bool = False) -> None:
    commands.remember(words, str(project), entries, [SAID], [], takes_files=takes_files)


def test_what_is_not_known_is_not_answered(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.answer(["--check"]) is None
    remember(project, "--check")
    assert commands.answer(["--diff"]) is None
    assert commands.answer([]) is None
    assert capsys.readouterr() == ("", "")


def test_where_there_is_no_cache_none_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert commands.answer(["--check"]) is None
    assert not list(tmp_path.iterdir())


def test_the_same_words_are_answered(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    remember(project, "--check", "model.py:Net")
    assert commands.answer(["--check", "model.py:Net"]) == 0
    assert capsys.readouterr() == ("", f"{SAID}\n")


def test_a_shell_that_asks_what_could_follow_is_not_answered(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    remember(project)
    assert commands.answer([]) == 0
    capsys.readouterr()
    for instruction in ("bash_complete", "zsh_complete", "fish_complete", "bash_source"):
        monkeypatch.setenv(commands.COMPLETE_VARIABLE, instruction)
        assert commands.answer([]) is None
    assert capsys.readouterr() == ("", "")


# The words, what else a command read, and a file that changes then.
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


def test_a_setting_in_the_environment_is_not_answered(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(project, "--check")
    monkeypatch.setenv("PDT_ANNOTATE_RETURNS", "all")
    assert commands.answer(["--check"]) is None


def test_every_target_has_to_be_answered(project: Path) -> None:
    store.keep(str(project), store.ENTRIES, "other", {"read": ["model.py"], "state": None})
    remember(project, "--check", entries=("net", "other"))
    assert commands.answer(["--check"]) is None
    remember(project, "--check", entries=())
    assert commands.answer(["--check"]) is None


def test_a_hook_is_answered_for_whatever_files(project: Path) -> None:
    remember(project, "hook", "--check", takes_files=True)
    assert commands.answer(["hook", "--check", "other.py", "model.pyi"]) == 0
    assert commands.answer(["hook", "--check"]) == 0
    assert commands.answer(["hook", "model.py"]) is None
    assert commands.answer(["hook", "--check", "--config", "other.toml"]) is None
    assert commands.answer(["annotate", "--check"]) is None
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
    # Without `site`, whose editable finders import much of what is not to be.
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

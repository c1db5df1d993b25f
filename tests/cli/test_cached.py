"""Answers of the cache from outside: what is said, what is imported, and what makes a target run again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import import_alarm
import pytest

from pdt_annotate.cache import store

Tool = Callable[..., "subprocess.CompletedProcess[str]"]

PYPROJECT = """\
[[tool.pdt-annotate.targets]]
target = "one.py:f"
arg = ["f32[2]", "3"]

[[tool.pdt-annotate.targets]]
target = "two.py:g"
arg = ["f32[2]", "3"]
"""
SAID = "nothing to annotate; the scripted model answers like eager on 1 call (unchanged since)"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return import_alarm.set_up(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two targets; the second imports a module."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "one.py").write_text("def f(x, k):\n    return x * k\n")
    (root / "two.py").write_text("from lib import K\n\nL = K\n\n\ndef g(x, k):\n    return x + k\n")
    (root / "lib.py").write_text("K = 3\n")
    return root


@pytest.fixture
def tool(project: Path, environment: dict[str, str]) -> Tool:
    """Runs the command in the project."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [environment["PATH"].partition(":")[0] + "/pdt-annotate", *words]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    return run


def test_a_failure_and_what_is_missing_are_never_answered(
    tool: Tool, project: Path, environment: dict[str, str]
) -> None:
    (project / "one.py").write_text("def f(x, k):\n    return {x}\n")
    for _ in range(2):
        assert tool("one.py:f", "-a", "f32[2]", "-a", "3").returncode == 3
        assert tool("two.py:g", "--check").returncode == 1
        assert "torch" in import_alarm.heard(environment)


def test_what_was_written_is_answered_until_something_changes(
    tool: Tool, project: Path, environment: dict[str, str]
) -> None:
    assert tool().returncode == 0
    assert (project / "two.py").read_text().count(": ") == 2
    import_alarm.heard(environment)

    again = tool()
    assert (again.returncode, again.stdout) == (0, "")
    assert again.stderr == f"one.py:f: {SAID}\ntwo.py:g: {SAID}\n"
    assert not import_alarm.heard(environment)

    for words in (["--check", "--timeout", "9"], ["--diff", "-v"], ["--write-partial", "-q"], ["hook", "two.py"]):
        answered = tool(*words)
        assert (answered.returncode, answered.stdout) == (0, "")
        assert answered.stderr == ("" if "-q" in words else again.stderr)
        assert not import_alarm.heard(environment) & {"torch", "libcst", "rich"}
        assert tool(*words).stderr == answered.stderr
        assert not import_alarm.heard(environment)
    assert tool("one.py:f").stderr == f"{SAID}\n"
    assert not import_alarm.heard(environment) & {"torch", "libcst", "rich"}

    (project / "lib").mkdir()  # an import finds it before the module of that name
    (project / "lib" / "__init__.py").write_text("K = 4\n")
    assert tool().returncode == 0
    assert "torch" in import_alarm.heard(environment)
    assert tool().stderr == again.stderr
    assert not import_alarm.heard(environment)


def test_who_wants_no_cache_has_none(tool: Tool, project: Path, environment: dict[str, str]) -> None:
    for words in ([], ["--check"]):
        assert tool("one.py:f", "--no-cache", *words).returncode == 0
        assert "torch" in import_alarm.heard(environment)
    assert not [*Path(environment["XDG_CACHE_HOME"]).rglob("*.json")]  # a write has left its lock


def test_clean_removes_it_and_nothing_of_the_project(
    tool: Tool, project: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tool("clean").stderr == "there is no cache\n"
    monkeypatch.setenv("XDG_CACHE_HOME", environment["XDG_CACHE_HOME"])
    store.keep(str(project), store.ENTRIES, "a", {})
    file = store.file_of(str(project))
    done = tool("clean")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"removed {file}\n"
    assert not Path(file).exists()


def test_writing_may_be_told_by_the_exit_code(tool: Tool) -> None:
    words = ("one.py:f", "--exit-non-zero-on-write")
    assert tool(*words).returncode == 1
    assert tool(*words).returncode == 0

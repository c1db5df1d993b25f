"""Results from the cache on the command line: the output, the imports, and changes after which a target runs again."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repository import ROOT
from tool import run, write

from pdt_annotate.cache import store
from pdt_annotate.cache.entries import LEEWAY_NS

PROJECT = {
    "pyproject.toml": """
        [tool.pdt-annotate]
        no-probe = true
        arg = ["f32[2]", "3"]

        [[tool.pdt-annotate.targets]]
        target = "one.py:f"

        [[tool.pdt-annotate.targets]]
        target = "two.py:g"
        """,
    "one.py": "print('one runs')\n\ndef f(x, k):\n    return x * k\n",
    "two.py": "from lib import K\n\nL = K\n\n\ndef g(x, k):\n    return x + k\n",
    "lib.py": "K = 3\nprint('two runs')\n",
}
HOLDS = "the scripted model returns the same results as Python on 1 call"
SAID = f"nothing to annotate; {HOLDS} (in an earlier run; unchanged since)"

ASK = """
import sys
from pdt_annotate.__main__ import main

try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"torch", "libcst", "rich"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return write(tmp_path / "project", PROJECT)


def runs(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The targets that have run."""
    return [line.removesuffix(" runs") for line in dict.fromkeys(done.stderr.splitlines()) if line.endswith(" runs")]


def ask(project: Path, *words: str) -> tuple[str, set[str]]:
    """The stderr of a new interpreter, with its imports, for a command that succeeds."""
    command, env = [sys.executable, "-c", ASK, *words], os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    *said, imported = done.stderr.splitlines(keepends=True)
    return "".join(said), {"click", *HEAVY} & set(imported.split())


def test_what_was_written_is_answered_until_something_changes(project: Path) -> None:
    first = run(project)
    assert (first.returncode, runs(first)) == (0, ["one", "two"])
    assert (project / "two.py").read_text().count(": ") == 2

    again = f"one.py:f: {SAID}\ntwo.py:g: {SAID}\n"
    assert ask(project) == (again, set())
    for words in (["--check", "--timeout", "9"], ["--diff", "-v"], ["--write-partial", "-q"], ["hook", "two.py"]):
        answered, imported = ask(project, *words)
        assert answered == ("" if "-q" in words else again) and not imported & HEAVY
        assert ask(project, *words) == (answered, set())
    answered, imported = ask(project, "one.py:f")
    assert answered == f"{SAID}\n" and not imported & HEAVY

    # An import finds this file before the module of that name.
    write(project, {"lib/__init__.py": "K = 4\nprint('two runs')\n"})
    time.sleep(LEEWAY_NS / 1e9)
    assert runs(run(project)) == ["two"]
    assert run(project).stderr == again
    assert ask(project) == (again, set())


def test_who_wants_no_cache_has_none_and_writing_may_be_told_by_the_exit_code(project: Path) -> None:
    words = ("one.py:f", "--exit-non-zero-on-write")
    assert run(project, *words, "--no-cache").returncode == 1
    assert not [*Path(os.environ["XDG_CACHE_HOME"]).rglob("*.json")]  # the lock of a write is still there
    time.sleep(LEEWAY_NS / 1e9)  # results for a file that was just written are not cached
    for has_run in (["one"], []):
        done = run(project, *words)
        assert (done.returncode, runs(done)) == (0, has_run)


def test_clean_removes_it_and_nothing_of_the_project(project: Path) -> None:
    assert run(project, "clean").stderr == "there is no cache\n"
    store.keep(str(project), store.ENTRIES, "a", {})
    file = store.file_of(str(project))
    done = run(project, "clean")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"removed {file}\n")
    assert not Path(file).exists()

"""The Python at a path, the error if it cannot run a model, and the packages that a Python borrows: ours come first."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
import warm_interpreters
from drafted import write

from pdt_annotate.interpreters import lending
from pdt_annotate.interpreters.interpreter import assert_torch, find_interpreter
from pdt_annotate.processes.session import SPAWNED
from pdt_annotate.values.errors import UserError


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment."""
    directory = tmp_path_factory.mktemp("environments") / "bare"
    venv.create(directory, symlinks=True, with_pip=False)
    return directory


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without an environment nearby."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(file: Path, text: str) -> str:
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


class TestFindInterpreter:
    def test_none_is_our_own(self) -> None:
        own = find_interpreter()
        assert (own.executable, own.version, own.path) == (sys.executable, sys.version_info[:3], tuple(sys.path))
        assert os.path.isfile(os.path.join(own.torch, "version.py"))

    def test_its_command_has_our_package_and_follows_no_link(self, bare: Path, nowhere: Path) -> None:
        for path in (bare, bare / "bin" / "python", os.path.relpath(bare)):
            found = find_interpreter(str(path))
            assert (found.executable, found.prefix) == (str(bare / "bin" / "python"), str(bare))
            assert all(os.path.isabs(place) for place in found.path) and str(bare) in found.libraries[1]
            assert not found.torch
        for name in ("json", "pdt_annotate"):
            (nowhere / f"{name}.py").write_text("raise AssertionError")
        command = find_interpreter(str(bare)).command("import pdt_annotate as p; print(p.__version__, 'word')")
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.endswith(" word\n")

    def test_what_is_not_there_or_does_not_run_us(self, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        old = "is Python 3.9.18, but 3.11 or newer is needed"
        broken = "not a working Python"
        texts = {"exit 1": broken, "echo hello": broken, """echo '{"version": [3, 9, 18]}'""": old}
        for text, said in texts.items():
            with pytest.raises(UserError, match=said):
                find_interpreter(script(nowhere / "python", text))
        with pytest.raises(UserError, match="is a directory without an interpreter"):
            find_interpreter(str(nowhere))
        script(nowhere / "python9", "")
        monkeypatch.setenv("PATH", str(nowhere))
        (nowhere / "sub").mkdir()
        monkeypatch.chdir(nowhere / "sub")
        with pytest.raises(UserError, match="there is no python9") as raised:
            find_interpreter("python9")
        assert raised.value.hint == f"on PATH there is {nowhere / 'python9'}"


class TestAssertTorch:
    def test_an_environment_that_is_named_needs_one(self, bare: Path, nowhere: Path) -> None:
        assert_torch("")
        with pytest.raises(UserError, match="there is no torch in") as raised:
            assert_torch(str(bare))
        assert raised.value.hint == f"install torch there: {bare / 'bin' / 'python'} -m pip install torch"

    def test_one_near_by_is_offered(self, bare: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "path", [])
        monkeypatch.delitem(sys.modules, "torch", raising=False)
        with pytest.raises(UserError) as raised:
            assert_torch("", str(nowhere))
        assert "name the environment that the model runs in: --python DIR" in raised.value.hint
        (nowhere / ".venv").mkdir()
        (nowhere / "venv" / "bin").mkdir(parents=True)
        torch = '{"version": [3, 13, 0], "prefix": "/", "path": [], "libraries": [], "torch": "/torch"}'
        script(nowhere / "venv" / "bin" / "python", f"echo '{torch}'")
        monkeypatch.setenv("VIRTUAL_ENV", str(bare))
        with pytest.raises(UserError) as raised:
            assert_torch("", str(nowhere))
        assert "venv has torch: --python venv" in raised.value.hint
        assert '`python = "venv"`' in raised.value.hint


def test_what_forks_interpreters_for_tests_stands_for_its_commands() -> None:
    """If the pattern did not match, all tests would still pass, but take twice as long."""
    for program in ("from pdt_annotate.processes.server import main; main(3)", SPAWNED):
        command = find_interpreter().command(program)
        assert warm_interpreters.WORDS["zygote"].fullmatch("\0".join(command[1:]))


LEND = "import sys; sys.path.insert(0, {here!r}); import lending; lender = lending.lend({place!r}, {lent!r})\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A package with our name that uses two others. One of them is also installed, the other is not."""
    files = {
        "tool/pdt_annotate/__init__.py": "import sys; sys.ours = True\n",
        "tool/pdt_annotate/uses.py": "import rare, common\n",
        "tool/rare.py": "import helper\n",
        "tool/helper.py": "",
        "tool/common.py": "WHOSE = 'the tool'\n",
        "site/common.py": "WHOSE = 'the environment'\n",
        "site/pdt_annotate/__init__.py": "import sys; sys.theirs = True\n",
        "site/pdt_annotate/uses.py": "raise AssertionError\n",
    }
    return write(tmp_path, files)


def run(place: Path, program: str, before: str = "") -> str:
    tool = str(place / "tool")
    here = str(Path(lending.__file__).parent)
    lent = dict.fromkeys(("rare", "helper", "common"), tool)
    code = before + LEND.format(here=here, place=tool, lent=lent) + program
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(place / 'site')!r})\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().rpartition("\n")[2]


def test_ours_comes_first_and_to_others_what_is_lacking_is_lacking_still(place: Path) -> None:
    assert run(place, "import rare") == "ModuleNotFoundError: No module named 'rare'"
    assert run(place, "import importlib.util as u; print(u.find_spec('rare'))") == "None"
    assert run(place, "import pdt_annotate.uses, common; print(common.WHOSE)") == "the environment"
    assert run(place, "import pdt_annotate.uses; print('helper' in sys.modules)") == "True"
    for before in ("", "import pdt_annotate\n"):
        shown = run(place, "import pdt_annotate.uses; print(pdt_annotate.__file__)", before)
        assert shown == str(place / "tool/pdt_annotate/__init__.py")
    said = run(place, "sys.meta_path.remove(lender); import pdt_annotate.uses")
    assert said == "ModuleNotFoundError: No module named 'rare'", "it ends when the lender is taken away"

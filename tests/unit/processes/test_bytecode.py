"""Bytecode that is made ahead: of what a file imports from under the root, and of nothing else."""

from __future__ import annotations

import sys
import time
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from pdt_annotate.interpreters.interpreter import find_interpreter
from pdt_annotate.processes.bytecode import compiling_ahead, follow

FILES = {
    "project/main.py": "import package.deep\nfrom package import name, sibling\nimport elsewhere, json\n",
    "project/package/__init__.py": "from . import init_part\nfrom .star import *\nname = 1\n",
    "project/package/init_part.py": "",
    "project/package/star.py": "import main\n",
    "project/package/sibling.py": "def later():\n    import package.late\n",
    "project/package/deep.py": "from . import broken\nfrom .... import nothing\n",
    "project/package/late.py": "",
    "project/package/broken.py": "def broken(:\n",
    "project/package/apart.py": "",
    "other/elsewhere.py": "import package.apart\n",
}
FOUND = {"main", "package", *(f"package.{name}" for name in ("init_part", "star", "sibling", "deep", "broken"))}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "project"


def compiled(project: Path) -> set[str]:
    files = (file for file in project.parent.rglob("*.py") if Path(cache_from_source(str(file))).exists())
    return {str(file.relative_to(project.parent)) for file in files}


def run(project: Path, *modules: str, files: tuple[str, ...] = (), is_enough: bool = False) -> set[str]:
    path = [str(project), str(project.parent / "other")]
    return follow([str(project / file) for file in files], modules, str(project), path, lambda: is_enough)


def test_what_is_elsewhere_missing_or_too_late_is_left_alone(project: Path) -> None:
    assert run(project, "elsewhere", "json", "no_such_module", "main.no_package", "..", "") == set()
    assert run(project, "main", is_enough=True) == set()
    assert compiled(project) == set()


def test_what_a_file_imports_is_compiled_and_what_that_imports(project: Path) -> None:
    assert run(project, files=("main.py",)) == FOUND
    broken_and_more = {"project/package/broken.py", "project/package/late.py", "project/package/apart.py"}
    assert compiled(project) == {name for name in FILES if name.startswith("project")} - broken_and_more


def test_a_file_elsewhere_is_followed_and_nothing_is_left_beside_it(project: Path) -> None:
    (project.parent / "spec.py").write_text("import main\n")
    assert run(project, files=("../spec.py",)) == FOUND
    assert "spec.py" not in compiled(project)


def test_a_module_is_followed_as_its_file_is(project: Path) -> None:
    assert run(project, "main") == FOUND


def test_a_process_of_its_own_compiles_while_the_block_lasts(project: Path) -> None:
    deadline = time.monotonic() + 20
    with compiling_ahead([str(project / "main.py")], [], str(project), [str(project)], find_interpreter()):
        while "project/package/deep.py" not in compiled(project) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "project/package/deep.py" in compiled(project)


def test_it_ends_with_the_block_and_where_no_bytecode_is_wanted_does_not_begin(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with compiling_ahead([str(project / "main.py")], [], str(project), [str(project)], find_interpreter()):
        pass
    assert compiled(project) == set()

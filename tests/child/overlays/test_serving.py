"""The overlay in separate processes, because its hook stays installed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

DISK = "import os\nWHERE = 'disk'\n\ndef helper(x):\n    return x\n"
SERVED = b"import os\nWHERE = 'overlay'\n\n\ndef helper(x: int):\n    return x + 1\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.py").write_text(DISK)
    (package / "other.py").write_text("from pkg.model import WHERE\n")
    (package / "data.txt").write_text("data")
    return tmp_path


def run(project: Path, source: str) -> Any:
    """The JSON that a script prints in a new interpreter. `served` is the overlay of pkg/model.py."""
    head = f"import json, sys, os, inspect\nfrom pdt_annotate.overlays import serving\nserved = {SERVED!r}\n"
    head += f"file = {str(project / 'pkg/model.py')!r}\n"
    command = [sys.executable, "-c", head + dedent(source)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_serves_imports_and_whoever_reads_source(project: Path) -> None:
    source = """
        serving.install({file: served})
        from pkg import model, other
        import linecache
        linecache.checkcache()
        print(json.dumps([
            other.WHERE, model.helper(1), inspect.getsource(model.helper), inspect.getsource(model),
            model.__file__,
        ]))
    """
    where, result, function, module, file = run(project, source)
    assert (where, result) == ("overlay", 2)
    assert function == "def helper(x: int):\n    return x + 1\n"
    assert module == SERVED.decode()
    assert file == str(project / "pkg/model.py")


def test_ignores_bytecode_of_the_file_on_disk_and_leaves_the_disk_alone(project: Path) -> None:
    show = "import pkg.model\nprint(json.dumps(pkg.model.WHERE))"
    assert run(project, f"serving.install({{file: served}})\n{show}") == "overlay"
    assert (project / "pkg/model.py").read_text() == DISK
    assert not list((project / "pkg").glob("__pycache__/model*"))
    run(project, show)
    assert list((project / "pkg").glob("__pycache__/model*"))
    assert run(project, f"serving.install({{file: served}})\n{show}") == "overlay"


PROGRAMS = {
    "other modules and missing ones": (
        """
            before = list(sys.meta_path)
            serving.install({})
            same = before == sys.meta_path
            serving.install({file: served})
            import pkg, json.tool, importlib.util
            missing = importlib.util.find_spec("pkg.nothing") is None
            print(json.dumps([same, type(pkg.__loader__).__name__, type(json.tool.__loader__).__name__, missing]))
        """,
        [True, "SourceFileLoader", "SourceFileLoader", True],
    ),
    "twice and the files beside a module are those of the disk": (
        """
            serving.install({file: served})
            folder, other = os.path.dirname(file), b"from .model import WHERE\\nN = 1\\n"
            serving.install({f"{folder}/other.py": other, f"{folder}/__init__.py": b"SERVED = True\\n"})
            from pkg import other
            import importlib.util, pkg, pkgutil
            beside = pkgutil.get_data("pkg", "data.txt").decode()
            missing = importlib.util.find_spec("pkg.nothing") is None
            print(json.dumps([other.WHERE, other.N, missing, pkg.SERVED, beside]))
        """,
        ["overlay", 1, True, True, "data"],
    ),
    "through a link": (
        """
            os.symlink("pkg", "link")
            serving.install({file: served})
            sys.path.insert(0, "link")
            import model
            print(json.dumps(model.WHERE))
        """,
        "overlay",
    ),
    "a spec that is loaded by file": (
        """
            import importlib.util
            spec = importlib.util.spec_from_file_location("lone", file)
            assert serving.serve_spec(spec) is spec and type(spec.loader).__name__ == "SourceFileLoader"
            serving.install({file: served})
            spec = serving.serve_spec(importlib.util.spec_from_file_location("lone", file))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            print(json.dumps(module.WHERE))
        """,
        "overlay",
    ),
    "any encoding and newline": (
        """
            served = "# coding: latin-1\\r\\ndef helper():\\r\\n    return 'é'\\r\\n".encode("latin-1")
            serving.install({file: served})
            from pkg import model
            print(json.dumps([model.helper(), inspect.getsource(model.helper)]))
        """,
        ["é", "def helper():\n    return 'é'\n"],
    ),
    "finders in front and the one that asks are not asked": (
        """
            class Asking:
                def find_spec(self, *args): raise AssertionError
            asking = Asking()
            sys.meta_path[:0] = [Asking(), asking, object()]
            found = serving.find_behind(asking, "pkg")
            print(json.dumps([found.origin == os.path.join(os.path.dirname(file), "__init__.py"),
                              serving.find_behind(asking, "no_such_module") is None]))
        """,
        [True, True],
    ),
    "serve lines changes only what inspect reads": (
        """
            from pkg import model
            import linecache
            inspect.getsource(model.helper)
            serving.serve_lines({file: open(file, "rb").read().replace(b"(x)", b"(x: int)")})
            linecache.checkcache()
            print(json.dumps([model.WHERE, inspect.getsource(model.helper)]))
        """,
        ["disk", "def helper(x: int):\n    return x\n"],
    ),
}


@pytest.mark.parametrize(("source", "printed"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_that_reads_sources_prints(source: str, printed: object, project: Path) -> None:
    assert run(project, source) == printed

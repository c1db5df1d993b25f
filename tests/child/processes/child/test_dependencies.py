"""The dependencies of a run, as recorded by a process that observes itself."""

import importlib
import multiprocessing
import os
import py_compile
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.flows.from_files import annotate
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.runs import Closure, SpecSource

pytestmark = pytest.mark.forks
"""The tests record in forks of this process."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "one.txt").write_text("1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def watch(project: Path, run: Callable[[], object]) -> Closure:
    """The dependencies of `run`, recorded in a fork, because recording cannot be undone."""

    def task() -> None:
        dependencies.watch()
        run()
        sender.send(dependencies.describe(str(project)))

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=task)
    process.start()
    sender.close()
    found: Closure = receiver.recv()
    process.join()
    return found


def under(project: Path, files: frozenset[str]) -> set[str]:
    return {os.path.relpath(file, project) for file in files if file.startswith(str(project))}


def test_nothing_is_told_where_nobody_watches(project: Path) -> None:
    assert dependencies.describe(str(project)) == Closure()


def read_libraries() -> None:
    Path(os.devnull).read_text()
    Path(os.__file__).read_text()
    Path(pytest.__file__).read_text()
    Path(dependencies.__file__).read_text()
    os.listdir(os.path.dirname(pytest.__file__))


def test_what_a_version_stands_for_is_left_out(project: Path) -> None:
    found = watch(project, read_libraries)
    assert not under(project, found.files)
    assert not {os.devnull, os.__file__, pytest.__file__, dependencies.__file__} & found.files
    assert not found.listed


def write_and_read() -> None:
    Path("made.txt").write_text("1")
    Path("made.txt").read_text()
    os.close(os.open("other.txt", os.O_CREAT | os.O_WRONLY))
    Path("other.txt").read_bytes()


def test_what_a_run_writes_is_its_result(project: Path) -> None:
    assert not under(project, watch(project, write_and_read).files)


def read() -> None:
    Path("data/../data/one.txt").read_text()
    os.close(os.open(b"data/one.txt", os.O_RDONLY))
    with pytest.raises(FileNotFoundError):
        Path("missing.txt").read_text()


def test_files_that_are_read_and_those_that_were_not_there(project: Path) -> None:
    assert under(project, watch(project, read).files) == {"data/one.txt", "missing.txt"}


@pytest.mark.parametrize("look", [lambda: os.listdir("data"), lambda: list(Path("data").iterdir()), os.listdir])
def test_directories_that_are_listed(look: Callable[[], object], project: Path) -> None:
    wanted = "." if look is os.listdir else "data"
    assert under(project, watch(project, look).listed) == {wanted}


def test_importing_lists_no_directory_but_looks_for_names(project: Path) -> None:
    (project / "pkg").mkdir()
    (project / "pkg" / "__init__.py").write_text("try:\n    from pkg import extra\nexcept ImportError:\n    pass\n")
    (project / "pkg" / "model.py").touch()
    found = watch(project, lambda: importlib.import_module("pkg.model"))
    assert under(project, found.files) == {"pkg/__init__.py", "pkg/model.py"}
    assert not found.listed
    package = str(project / "pkg")
    assert {(str(project), "pkg"), (package, "model"), (package, "extra"), (package, "__init__")} <= found.names
    assert (str(project), "random") in found.names, "a module of this name would stand before the library's"


def test_imported_modules(project: Path) -> None:
    """For bytecode, the source is the dependency; and a package without a file may get one later."""
    (project / "cached.py").touch()
    py_compile.compile(str(project / "cached.py"))
    (project / "space").mkdir()
    (project / "space" / "inner.py").touch()
    found = watch(project, lambda: [importlib.import_module(name) for name in ("cached", "space.inner")])
    assert under(project, found.files) == {"cached.py", "space/inner.py"}
    assert (str(project / "space"), "__init__") in found.names


def test_sources_beside_the_project_count(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    beside = tmp_path_factory.mktemp("beside")
    (beside / "worked_on.py").touch()

    def run() -> None:
        sys.path.insert(0, str(beside))
        importlib.import_module("worked_on")

    assert str(beside / "worked_on.py") in watch(project, run).files


def test_a_run_of_the_tool_tells_its_closure(project: Path, zygote: Zygote) -> None:
    sources = {
        "helper.py": "def scale(x, k: int):\n    return x * k\n",
        "late.py": "K = 3\n",
        "unused.py": "",
        "net.py": """\
            import torch
            import helper

            class Net(torch.nn.Module):
                def forward(self, x):
                    if not torch.jit.is_scripting():
                        import late
                        open(__file__.replace("net.py", "data/one.txt")).close()
                    return helper.scale(x, 3)
            """,
        "inputs.py": "import torch\nexample_inputs = [(torch.ones(2),)]\n",
    }
    for name, source in sources.items():
        (project / name).write_text(textwrap.dedent(source))
    options = Options(
        (parse(f"{project}/net.py:Net"),), SpecSource(f"{project}/inputs.py"), str(project), no_probe=True
    )
    outcome = annotate(options, zygote)
    assert under(project, outcome.closure.files) == {"helper.py", "late.py", "net.py", "inputs.py", "data/one.txt"}
    assert (str(project), "helper") in outcome.closure.names

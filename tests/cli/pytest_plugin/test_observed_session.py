"""`pytest --pdt` as an installed plugin: first without the option, when it must do nothing."""

import os
import subprocess
from pathlib import Path

import pytest
from recorded_program import command, plainly, types_at, write
from repository import ROOT

from pdt_annotate import profiles

SOURCES = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = ["-p", "no:cacheprovider"]\n',
    "src/lib/__init__.py": "",
    "src/lib/words.py": """\
        def join(words, glue=","):
            return glue.join(words)

        def only_in_a_child(n):
            return n
        """,
    "tests/conftest.py": "import lib.words\n\nlib.words.join(['early'], b''.decode())\n",
    "tests/test_words.py": """\
        import subprocess
        import sys

        import lib.words

        def test_passes():
            assert lib.words.join(["a", "b"]) == "a,b"

        def test_fails():
            assert lib.words.join([], None) == ""

        def test_starts_a_program():
            program = "import lib.words; lib.words.only_in_a_child(3)"
            subprocess.run([sys.executable, "-c", program], check=True, cwd="src")
        """,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project, and the metadata with which pytest finds the plugin, whatever is installed in this environment."""
    metadata = "Metadata-Version: 2.1\nName: pdt-plugin\nVersion: 0\n"
    points = "[pytest11]\npdt = pdt_annotate.pytest_plugin\n"
    for name, text in {"METADATA": metadata, "entry_points.txt": points}.items():
        write(tmp_path, f"site/pdt_plugin-0.dist-info/{name}", text)
    for name, text in SOURCES.items():
        write(tmp_path / "project", name, text)
    return tmp_path / "project"


def run_tests(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(ROOT), str(project.parent / "site")))
    return plainly(project, "-m", "pytest", "-q", *words, env={**os.environ, "PYTHONPATH": path})


def test_without_the_option_it_imports_next_to_nothing_and_leaves_nothing(project: Path) -> None:
    write(project, "tests/test_words.py", "import sys\n\ndef test_it():\n    print(sorted(sys.modules))\n")
    done = run_tests(project, "tests", "-s")
    ours = {name for name in done.stdout.split("'") if name.startswith("pdt_annotate")}
    assert ours == {"pdt_annotate", "pdt_annotate.pytest_plugin", "pdt_annotate.values", "pdt_annotate.values.version"}
    assert "pdt:" not in done.stdout and sorted(os.listdir(project)) == ["pyproject.toml", "src", "tests"]


@pytest.mark.parametrize("words", [("--pdt", "tests"), ("--pdt=taken.sqlite",)])
def test_a_name_that_no_profile_may_have_is_refused_before_anything_runs(project: Path, words: tuple[str, ...]) -> None:
    write(project, "taken.sqlite", "not a profile")
    done = run_tests(project, *words)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR and "--pdt" in done.stderr
    assert (project / "taken.sqlite").read_text() == "not a profile"


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "workers"])
def test_what_tests_run_is_saved_also_of_those_that_fail(project: Path, words: tuple[str, ...]) -> None:
    done = run_tests(project, "tests", "--pdt", *words)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED and "2 passed" in done.stdout, done.stdout + done.stderr
    profile = profiles.load([str(project / "pdt-profile.sqlite")])
    assert "→ pdt-profile.sqlite\n" in done.stdout and f"pdt: {profile.functions} functions, " in done.stdout
    assert types_at(profile, "join", "glue") == {'{"name":"str"}', '{"name":"None"}'}
    assert types_at(profile, "only_in_a_child", "n") == {'{"name":"int"}'}
    assert {place.path for place in profile.places} <= {"src/lib/words.py", "tests/test_words.py"}
    assert sorted(os.listdir(project)) == ["pdt-profile.sqlite", "pyproject.toml", "src", "tests"]


def test_what_is_observed_already_is_saved_there(project: Path) -> None:
    path = os.pathsep.join((str(ROOT), str(project.parent / "site")))
    words = command(project, ("pytest", "-q", "tests", "--pdt=inner.sqlite", "-k", "fails"))
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = plainly(project, *words, env={**outside, "PYTHONPATH": path})
    assert "pdt: the program that started this run already observes it" in done.stdout
    assert {name for name in os.listdir(project) if name.endswith(".sqlite")} == {"pdt-profile.sqlite"}
    examples = profiles.load([str(project / "pdt-profile.sqlite")]).recordings[0].examples
    assert "tests/test_words.py::test_fails" in {example.call for example in examples}


def test_the_plugin_can_be_left_out_and_the_root_be_named(project: Path) -> None:
    assert "unrecognized arguments: --pdt" in run_tests(project, "-p", "no:pdt", "--pdt").stderr
    done = run_tests(project, "--pdt=net.sqlite", "-o", "pdt_root=src", "-k", "passes")
    assert "pdt: 1 function, " in done.stdout
    assert {place.path for place in profiles.load([str(project / "net.sqlite")]).places} == {"lib/words.py"}

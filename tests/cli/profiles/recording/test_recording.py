"""`pdt-annotate run` on real programs: what stays theirs, then which processes are observed, then what is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from recorded_program import PROFILE, WAIT, command, places, plainly, recorded, saved, types_at, write

from pdt_annotate import profiles


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "helpers.py").write_text("def join(words, glue=','):\n    return glue.join(words)\n")
    return folder


Train = Callable[[str], None]


@pytest.fixture
def train(project: Path) -> Train:
    """Writes the program `train.py`."""
    return lambda source: write(project, "train.py", source)


class TestLeavesAlone:
    def test_arguments_streams_path_and_exit_code(self, project: Path, train: Train) -> None:
        train("""
            import colorsys, sys
            import helpers

            print(sys.argv, sys.path, type(colorsys.__spec__.loader), sys.stdin.read(), helpers.join(["a"]))
            print("to stderr", file=sys.stderr)
            sys.exit(3)
            """)
        plain = plainly(project, "train.py", "--lr", "3", input="text")
        done = recorded(project, "train.py", "--lr", "3", input="text")
        assert plain.stdout and done.stdout == plain.stdout
        assert done.returncode == 3
        ours = f"pdt-annotate: observed 1 function, 3 slots in 1 process; saved in {PROFILE}\n"
        assert done.stderr == plain.stderr + ours

    def test_a_traceback_of_the_program(self, project: Path, train: Train) -> None:
        train("import helpers, nonesuch\n")
        plain, done = plainly(project, "train.py"), recorded(project, "train.py")
        assert done.returncode == plain.returncode == 1
        assert "nonesuch" in plain.stderr and done.stderr.startswith(plain.stderr)
        assert "recording" not in done.stderr

    def test_its_own_sitecustomize(self, project: Path, train: Train, tmp_path: Path) -> None:
        write(tmp_path, "site/sitecustomize.py", "import sys\nsys.mark = 'was here'\n")
        train("import sys, sitecustomize\nprint(sys.mark, sitecustomize.__file__)\n")
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
        done = recorded(project, "train.py", env=environment)
        assert done.stdout == f"was here {tmp_path / 'site' / 'sitecustomize.py'}\n"

    def test_its_own_profile_function(self, project: Path, train: Train) -> None:
        train("""
            import sys
            import helpers

            called = []
            helpers.join("ab")
            sys.setprofile(lambda frame, event, arg: called.append(frame.f_code.co_name))
            helpers.join(["a"])
            sys.setprofile(None)
            print("join" in called)
            """)
        done = recorded(project, "train.py")
        assert done.stdout == "True\n"
        assert done.stderr.count("set a profile function of its own") == 1
        assert types_at(saved(project), "join", "words") == {'{"name":"str"}'}

    def test_a_process_without_code_of_the_project(self, project: Path) -> None:
        code = "import sys, json; print(sys.getprofile(), 'pdt_annotate' in sys.modules)"
        done = recorded(project, "-c", code)
        assert done.stdout == "None False\n"
        assert "nothing was observed" in done.stderr
        assert not list(project.glob(f"{PROFILE}*"))

    def test_keyboard_interrupts_are_the_programs(self, project: Path, train: Train) -> None:
        train("""
            import sys, time
            import helpers

            helpers.join(["a"])
            try:
                print("ready", flush=True)
                end = time.monotonic() + 60
                while time.monotonic() < end:
                    helpers.join(["b"])
            except KeyboardInterrupt:
                sys.exit(7)
            """)
        with start(project, "train.py") as process:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            os.killpg(process.pid, signal.SIGINT)
            assert process.wait(WAIT) == 7
        assert types_at(saved(project), "join", "glue") == {'{"name":"str"}'}

    def test_a_signal_that_ended_it(self, project: Path, train: Train) -> None:
        train("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
        assert recorded(project, "train.py").returncode == 128 + signal.SIGTERM

    def test_errors_of_ours(self, project: Path, train: Train) -> None:
        """A process that cannot reach the recorder says so in one line, and runs."""
        train("import helpers\nprint(helpers.join(['a']))\n")
        write(project, "mock/monkeytype/__init__.py", "raise OSError('no luck')")
        code = "import os; os.environ['PYTHONPATH'] = 'mock'; from pdt_annotate.__main__ import main; main()"
        done = plainly(project, "-c", code, *command(project, ("train.py",))[2:])
        assert (done.returncode, done.stdout) == (0, "a\n")
        assert done.stderr.count("this process is not observed: OSError: no luck") == 1
        assert "Traceback" not in done.stderr

    def test_an_environment_inside_the_project(self, project: Path, train: Train) -> None:
        """Its packages are run, their classes seen, and nothing of it is the project's, there or where it is gone."""
        venv.create(project / ".venv", with_pip=False)
        site = next((project / ".venv").glob("[Ll]ib*/**/site-packages"))
        write(site, "layers.py", "class Pair:\n    def first(self, n):\n        return n\n")
        write(project, "net.py", "def first(pair, n):\n    return pair.first(n)\n")
        train("import layers, net\nprint(net.first(layers.Pair(), 1))\n")
        done = recorded(project, "train.py", env={**os.environ, "PYTHONPATH": str(site)})
        assert done.stdout == "1\n" and {place.path for place in saved(project).places} == {"net.py"}
        shutil.rmtree(project / ".venv")
        told = plainly(project, "-m", "pdt_annotate", "--profile", PROFILE, "--diff", "--json", "told.json")
        assert "n: int" in told.stdout and "PDT070" not in told.stderr
        assert ".venv" not in told.stdout + told.stderr + (project / "told.json").read_text()


class TestCannotStart:
    @pytest.mark.parametrize("words", [("missing.py",), ("no-such-program",)])
    def test_is_an_error_of_the_users(self, project: Path, words: tuple[str, ...]) -> None:
        done = recorded(project, *words)
        assert done.returncode == 2
        assert done.stderr.startswith("error: there is no") and words[0] in done.stderr
        assert not list(project.glob(f"{PROFILE}*"))

    def test_before_it_runs_where_the_profile_would_replace_something_else(self, project: Path) -> None:
        write(project, PROFILE, "mine")
        done = recorded(project, "-c", "print('ran')")
        assert (done.returncode, done.stdout) == (2, "")


class TestPrograms:
    def test_a_script_has_the_names_that_an_import_gives(self, project: Path, train: Train) -> None:
        train("""
            class Box:
                def __init__(self, size):
                    self.size = size

            def measure(box, unit=None):
                return box.size

            if __name__ == "__main__":
                measure(Box(2))
            """)
        recorded(project, "train.py")
        (recording,) = saved(project).recordings
        assert {(source.path, source.module) for source in recording.sources} == {("train.py", "train")}
        assert types_at(saved(project), "measure", "box") == {'{"name":"train.Box"}'}
        assert types_at(saved(project), "measure", "unit") == {'{"name":"None"}'}
        assert recording.label == "train.py"

    def test_a_module(self, project: Path) -> None:
        write(project, "pkg/tool.py", "import sys\ndef f(n):\n    return n\nprint(sys.argv[1:], f(1))\n")
        done = recorded(project, "-m", "pkg.tool", "--flag", "-m")
        assert done.stdout == "['--flag', '-m'] 1\n"
        (recording,) = saved(project).recordings
        assert (recording.label, recording.sources[0].module) == ("pkg.tool", "pkg.tool")

    def test_pytest(self, project: Path) -> None:
        write(project, "tests/test_join.py", "import helpers\ndef test_it():\n    assert helpers.join(['a']) == 'a'\n")
        write(project, "conftest.py", "")  # puts its directory on the path
        done = recorded(project, "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "tests")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 passed" in done.stdout
        assert types_at(saved(project), "join", "words") == {'{"args":[{"name":"str"}],"name":"list"}'}


class TestEditedSources:
    def test_what_a_file_said_before_it_was_edited_is_kept(self, project: Path, train: Train) -> None:
        train(f"""
            import glob, time
            import helpers

            end = time.monotonic() + 60
            while not glob.glob("{PROFILE}.parts/*.sqlite") and time.monotonic() < end:
                helpers.join(["a"])
            with open("helpers.py", "w") as file:
                file.write("def join(words, glue=None):\\n    return 1\\n")
            helpers.join({{}})
            """)
        before = (project / "helpers.py").read_text()
        assert recorded(project, "train.py").returncode == 0
        assert (project / "helpers.py").read_text() != before
        assert types_at(saved(project), "join", "words") == {'{"args":[{"name":"str"}],"name":"list"}'}
        (project / "helpers.py").write_text(before)
        assert {s.place for s in saved(project).recordings[0].sightings} == places(project / "helpers.py")


CHILDREN = {
    "subprocess": "subprocess.run([sys.executable, '-c', 'import helpers; helpers.join({1: 2})'], check=False)",
    "fork": "multiprocessing.get_context('fork').Process(target=work, args=(1.5,))",
    "spawn": "multiprocessing.get_context('spawn').Process(target=work, args=(1.5,))",
    "forkserver": "multiprocessing.get_context('forkserver').Process(target=work, args=(1.5,))",
    "thread": "threading.Thread(target=work, args=(1.5,))",
}


class TestChildren:
    @pytest.mark.parametrize("way", CHILDREN)
    def test_are_observed(self, project: Path, train: Train, way: str) -> None:
        train(f"""
            import multiprocessing, subprocess, sys, threading
            import helpers

            def work(size):
                return helpers.join((str(size),))

            if __name__ == "__main__":
                work(1)
                child = {CHILDREN[way]}
                if hasattr(child, "start"):
                    child.start()
                    child.join()
            """)
        done = recorded(project, "train.py")
        assert done.returncode == 0, done.stderr
        profile = saved(project)
        assert len(profile.recordings) == 1
        if way == "subprocess":
            assert types_at(profile, "join", "words") > {'{"args":[{"name":"str"}],"name":"tuple"}'}
        else:
            assert types_at(profile, "work", "size") == {'{"name":"int"}', '{"name":"float"}'}
        assert f"in {1 if way == 'thread' else 2} process" in done.stderr

    @pytest.mark.parametrize("end", ["os._exit(3)", "os.execv(sys.executable, [sys.executable, '-c', ''])"])
    def test_are_saved_where_no_exit_handler_runs(self, project: Path, train: Train, end: str) -> None:
        train(f"import os, sys\nimport helpers\nhelpers.join(['a'])\n{end}\n")
        done = recorded(project, "train.py")
        assert done.returncode == (3 if "_exit" in end else 0)
        assert types_at(saved(project), "join", "glue")

    def test_what_a_fork_inherits_is_not_counted_twice(self, project: Path, train: Train) -> None:
        train("""
            import os
            import helpers

            for _ in range(10):
                helpers.join(["a"])
            if os.fork() == 0:
                helpers.join(("b",))
                raise SystemExit
            os.wait()
            """)
        recorded(project, "train.py")
        counts = {s.type: s.count for r in saved(project).recordings for s in r.sightings if s.name == "words"}
        assert set(counts.values()) == {10, 1}


class TestParts:
    PROGRAM = """
        import time
        import helpers

        helpers.join(["a"])
        end = time.monotonic() + 60
        while time.monotonic() < end:
            helpers.join("b")
    """

    def test_are_gone_after_the_merge(self, project: Path, train: Train) -> None:
        train("import helpers\nhelpers.join('a')\n")
        recorded(project, "train.py")
        assert [file.name for file in project.glob(f"{PROFILE}*")] == [PROFILE]

    def test_can_be_read_when_all_was_killed(self, project: Path, train: Train) -> None:
        train(self.PROGRAM)
        parts = project / f"{PROFILE}.parts"
        with start(project, "train.py") as process:
            wait_for(lambda: list(parts.glob("*.sqlite")))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(WAIT)
        left = profiles.load([str(parts)])
        assert '{"name":"str"}' in types_at(left, "join", "words")
        train("import helpers\nhelpers.join('a', '-')\n")
        recorded(project, "train.py")
        assert profiles.load([str(parts)]) == left
        assert types_at(saved(project), "join", "glue") == {'{"name":"str"}'}

    def test_of_a_killed_child_are_merged(self, project: Path, train: Train) -> None:
        write(project, "child.py", self.PROGRAM)
        train(f"""
            import glob, signal, subprocess, sys, time

            child = subprocess.Popen([sys.executable, "child.py"])
            for _ in range(1200):
                if glob.glob("{PROFILE}.parts/*.sqlite"):
                    break
                time.sleep(0.05)
            child.kill()
            child.wait()
            """)
        assert recorded(project, "train.py").returncode == 0
        assert '{"name":"str"}' in types_at(saved(project), "join", "words")


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """The command in a process group of its own, as a terminal makes one."""
    return subprocess.Popen(
        [sys.executable, *command(folder, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for(happened: Any) -> None:
    limit = time.monotonic() + WAIT
    while not happened():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.02)

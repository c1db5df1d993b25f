"""`pdt-annotate run` on real programs, at the end with torch: state that does not change, and observed processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path

import pytest
from recorded_program import PROFILE, WAIT, command, places, plainly, recorded, saved, seen, types_at, write

from pdt_annotate import profiles
from pdt_annotate.profiles.profile import Profile


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
        assert [file.name for file in project.glob(f"{PROFILE}*")] == [PROFILE], "the parts are gone after the merge"

    def test_a_traceback_of_the_program_and_a_signal_that_ended_it(self, project: Path, train: Train) -> None:
        train("import helpers, nonesuch\n")
        plain, done = plainly(project, "train.py"), recorded(project, "train.py")
        assert done.returncode == plain.returncode == 1
        assert "nonesuch" in plain.stderr and done.stderr.startswith(plain.stderr)
        assert "recording" not in done.stderr
        train("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n")
        assert recorded(project, "train.py").returncode == 128 + signal.SIGTERM

    def test_its_own_sitecustomize(self, project: Path, train: Train, tmp_path: Path) -> None:
        write(tmp_path, "site/sitecustomize.py", "import sys\nsys.mark = 'was here'\n")
        train("import sys, sitecustomize\nprint(sys.mark, sitecustomize.__file__)\n")
        done = recorded(project, "train.py", env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
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
        assert done.stderr.count("set its own profile function") == 1
        assert types_at(saved(project), "join", "words") == {'{"name":"str"}'}

    def test_a_process_without_code_of_the_project(self, project: Path) -> None:
        done = recorded(project, "-c", "import sys, json; print(sys.getprofile(), 'pdt_annotate' in sys.modules)")
        assert done.stdout == "None False\n"
        assert "no function in a file below" in done.stderr
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

    def test_errors_of_ours(self, project: Path, train: Train) -> None:
        """A process that cannot load the recorder reports this in one line, and runs."""
        train("import helpers\nprint(helpers.join(['a']))\n")
        write(project, "mock/monkeytype/__init__.py", "raise OSError('no luck')")
        code = "import os; os.environ['PYTHONPATH'] = 'mock'; from pdt_annotate.__main__ import main; main()"
        done = plainly(project, "-c", code, *command(project, ("train.py",))[2:])
        assert (done.returncode, done.stdout) == (0, "a\n")
        assert done.stderr.count("this process is not observed: OSError: no luck") == 1
        assert "Traceback" not in done.stderr

    def test_an_environment_inside_the_project(self, project: Path, train: Train) -> None:
        """Its packages run and their classes are observed. Its files never belong to the project, even once removed."""
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

    def test_our_own_package_below_the_root(self, project: Path, train: Train) -> None:
        """Loading the code that tests whether a file is observed triggers this test again."""
        train("import helpers\nprint(helpers.join(['a']))\n")
        root = os.path.commonpath((project, os.path.realpath(profiles.__file__)))
        done = plainly(project, "-m", "pdt_annotate", "run", "--root", root, "--", "train.py")
        assert done.stdout == "a\n" and "Traceback" not in done.stderr and "saved in" in done.stderr


@pytest.mark.parametrize("word", ["missing.py", "no-such-program"])
def test_a_program_that_is_not_there_is_an_error_of_the_users(project: Path, word: str) -> None:
    done = recorded(project, word)
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no") and word in done.stderr
    assert not list(project.glob(f"{PROFILE}*"))


def test_no_program_runs_where_the_profile_would_replace_something_else(project: Path) -> None:
    write(project, PROFILE, "mine")
    done = recorded(project, "-c", "print('ran')")
    assert (done.returncode, done.stdout) == (2, "")


class TestPrograms:
    def test_a_script_has_the_names_that_an_import_gives_and_a_module(self, project: Path, train: Train) -> None:
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
        write(project, "pkg/tool.py", "import sys\ndef f(n):\n    return n\nprint(sys.argv[1:], f(1))\n")
        assert recorded(project, "-m", "pkg.tool", "--flag", "-m").stdout == "['--flag', '-m'] 1\n"
        (recording,) = saved(project).recordings
        assert (recording.label, recording.sources[0].module) == ("pkg.tool", "pkg.tool")

    def test_pytest(self, project: Path) -> None:
        write(project, "tests/test_join.py", "import helpers\ndef test_it():\n    assert helpers.join(['a']) == 'a'\n")
        write(project, "conftest.py", "")  # adds its directory to the import path
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


MULTIPROCESSING = "multiprocessing.get_context('{}').Process(target=work, args=(1.5,))"
CHILDREN = {
    "subprocess": "subprocess.run([sys.executable, '-c', 'import helpers; helpers.join({1: 2})'], check=False)",
    **{way: MULTIPROCESSING.format(way) for way in ("fork", "spawn", "forkserver")},
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
        assert recorded(project, "train.py").returncode == (3 if "_exit" in end else 0)
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

        end = time.monotonic() + 60
        while time.monotonic() < end:
            helpers.join("b")
    """

    def test_can_be_read_when_all_was_killed(self, project: Path, train: Train) -> None:
        train(self.PROGRAM)
        parts = project / f"{PROFILE}.parts"
        with start(project, "train.py") as process:
            limit = time.monotonic() + WAIT
            while not list(parts.glob("*.sqlite")) and time.monotonic() < limit:
                time.sleep(0.02)
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
    """The command in a separate process group, as in a terminal."""
    started = [sys.executable, *command(folder, words)]
    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    return subprocess.Popen(started, cwd=folder, stdout=pipe, stderr=none, start_new_session=True)


LOADER = """
    import sys
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Numbers(Dataset):
        def __len__(self):
            return 8
        def __getitem__(self, index):
            return make(index, None if index % 2 else 2.0)

    def make(index, scale=None):
        return torch.full((3,), index * (scale or 1.0)), index

    class Net(torch.nn.Module):
        def __init__(self, size=2):
            super().__init__()
            self.size = prepare(size)
        def forward(self, x, extras):
            return double(x)

    def prepare(size):
        return size

    def double(x, mask=None):
        return x * 2

    net = Net()
    for x, index in DataLoader(Numbers(), batch_size=2, num_workers=int(sys.argv[1])):
        net(x, [index])
"""

RANKS = """
    import os
    import torch
    import torch.distributed as dist

    class Net(torch.nn.Module):
        def forward(self, x, rank, extras=None):
            return shift(x, [rank])

    def shift(x, by):
        return x + by[0]

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    Net()(torch.ones(2), rank, None if rank else {"rank": rank})
    dist.barrier()
    dist.destroy_process_group()
"""

RESTING = """
    import sys, warnings

    def early(x):
        return x

    for _ in range(400_000):
        early(1)
    idle = sys.getprofile() is None

    import torch

    warnings.simplefilter("error", UserWarning)  # torch.compile warns of hooks

    class Net(torch.nn.Module):
        def forward(self, x, extras=None):
            return x

    class Inner(torch.nn.Module):
        def forward(self, x):
            return x

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
        def forward(self, x):
            return self.inner(x) + 1

    net, x, slept = Net(), torch.ones(2), False
    for _ in range(30_000):
        net(x)
        slept = slept or sys.getprofile() is None
    for _ in range(20):
        net(x, "text")
    outer = Outer()
    compiled = torch.compile(outer, backend="eager", fullgraph=True)
    ways = compiled, torch.jit.script(outer), torch.jit.trace(outer, (x,)), torch.fx.symbolic_trace(outer)
    print(idle, slept, [way(x).tolist() for way in ways])
    net.train(False)
    for _ in range(20):
        net(x, 1)
"""


def in_forward(profile: Profile) -> set[str]:
    return {place.qualname for recording in profile.recordings for place in recording.in_forward}


def types(profile: Profile) -> dict[str, set[str]]:
    """The names of the observed types, by function and parameter."""
    found: dict[str, set[str]] = {}
    for place, _, name, type_ in seen(profile):
        if name not in ("self", "return"):
            found.setdefault(f"{place.qualname} {name}", set()).add(json.loads(type_)["name"])
    return found


def test_what_workers_run_is_seen(tmp_path: Path) -> None:
    write(tmp_path, "load.py", LOADER)
    done = recorded(tmp_path, "load.py", "2")
    assert done.returncode == 0, done.stderr
    assert "in 3 process" in done.stderr
    profile = saved(tmp_path)
    assert types(profile) == {
        "Net.forward x": {"torch.Tensor"},
        "Net.forward extras": {"list"},
        "Numbers.__getitem__ index": {"int"},
        "double x": {"torch.Tensor"},
        "double mask": {"None"},
        "make index": {"int"},
        "make scale": {"None", "float"},
        "prepare size": {"int"},
    }
    assert in_forward(profile) == {"Net.forward", "double"}
    assert not types_at(profile, "Net.__init__", "size")  # the compiler does not compile a module's constructor


def test_what_ranks_run_is_seen(tmp_path: Path) -> None:
    write(tmp_path, "ranks.py", RANKS)
    done = recorded(tmp_path, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py")
    assert done.returncode == 0, done.stderr
    assert "in 2 process" in done.stderr
    profile = saved(tmp_path)
    assert types(profile) == {
        "Net.forward x": {"torch.Tensor"},
        "Net.forward rank": {"int"},
        "Net.forward extras": {"dict", "None"},
        "shift x": {"torch.Tensor"},
        "shift by": {"list"},
    }
    assert in_forward(profile) == {"Net.forward", "shift"}


def test_a_program_that_rests_wakes_for_new_classes_and_modes_and_compilers_answer_as_ever(tmp_path: Path) -> None:
    write(tmp_path, "train.py", RESTING)
    done = recorded(tmp_path, "train.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"True True {[[2.0, 2.0]] * 4}\n"
    extras = types_at(saved(tmp_path), "Net.forward", "extras")
    assert extras == {'{"name":"None"}', '{"name":"str"}', '{"name":"int"}'}


NET = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self, channels, classes=10):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, channels, 3)
            self.head = torch.nn.Linear(channels, classes)
        def forward(self, image, mask=None, gain=1.0):
            x = self.conv(image).mean((2, 3))
            return self.head(x if mask is None else x * mask) * gain
"""
TRAIN = """
    import torch
    from net import Net

    for net in (Net(4), Net(4, classes=2)):
        net(torch.rand(2, 3, 9, 9))
        net(torch.rand(2, 3, 9, 9), torch.ones(2, 4, dtype=torch.bool), gain=0.5)
"""


def test_a_draft_from_what_ran_runs_as_it_is(tmp_path: Path) -> None:
    for name, text in {"net.py": NET, "train.py": TRAIN}.items():
        write(tmp_path, name, text)
    assert recorded(tmp_path, "train.py").returncode == 0
    done = plainly(tmp_path, "-m", "pdt_annotate", "init", "net:Net", "--from-profile", PROFILE)
    assert "to be filled in" not in done.stderr
    shapes = "*inputs.model()(*call.args, **call.kwargs).shape, *call.kwargs"
    write(tmp_path, "use.py", f"import inputs\nfor call in inputs.calls():\n    print({shapes})\n")
    assert plainly(tmp_path, "-B", "use.py").stdout.splitlines() == ["2 10", "2 10 mask gain", "2 10"]

"""User code in child processes: results, and effects that do not reach the tool.

The processes are real. One zygote has imported torch. New interpreters have a fake torch, whose import takes no time.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import user_code_tasks
from ended import is_alive, is_gone_soon
from repository import HELPERS, ROOT

from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.errors import SpecError, UserCodeError, UserError
from pdt_annotate.values.slots import Place

pytestmark = pytest.mark.spawned

TASKS = "user_code_tasks:"
BOTH_WAYS = [pytest.param(True, marks=pytest.mark.forks), False]


def set_can_fork(monkeypatch: pytest.MonkeyPatch, can_fork: bool) -> None:
    """Run with fork or without it."""
    monkeypatch.setattr("pdt_annotate.processes.zygote.CAN_FORK", can_fork)


HERE = os.pathsep.join(map(str, (HELPERS, ROOT)))


@pytest.fixture(scope="module", autouse=True)
def importable() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", HERE)
        yield


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake torch for processes that are started from now on."""
    folder = tmp_path / "stand_in"
    folder.mkdir()
    (folder / "torch.py").write_text("def set_num_threads(count):\n    pass\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(folder), HERE)))


@pytest.fixture(scope="module")
def zygote(importable: None) -> Iterator[Zygote]:
    with Zygote(timeout=30) as zygote:
        yield zygote


@pytest.fixture(scope="module")
def session(zygote: Zygote) -> Session:
    return zygote.session(TASKS + "set_up", "state")


class TestSession:
    def test_every_task_gets_the_same_state_and_its_arguments(self, session: Session, zygote: Zygote) -> None:
        assert session.run(TASKS + "answer", {"a": 1}) == [["state"], [["a", 1]]]
        session = zygote.session(TASKS + "set_up_in_place")
        assert [session.run(TASKS + "increment") for _ in range(3)] == [[1, 1]] * 3
        assert session.run(TASKS + "count_threads") == 1

    @pytest.mark.forks
    def test_a_task_is_a_fork_of_its_session(self, session: Session, zygote: Zygote) -> None:
        one, two = (session.run(TASKS + "process_ids") for _ in range(2))
        other = zygote.session(TASKS + "set_up").run(TASKS + "process_ids")
        assert one[1] == two[1] != other[1]
        assert os.getpid() not in (*one, *two, *other)

    @pytest.mark.forks
    def test_a_task_makes_a_state_again_if_no_fork_can_use_it(self, capfd: pytest.CaptureFixture[str]) -> None:
        with Zygote(timeout=30) as zygote:
            for heard in (True, False):
                session = zygote.session(TASKS + "set_up_on_device", heard=heard)
                assert [session.run(TASKS + "use_device", heard=True) for _ in range(2)] == [0, 0]
            with pytest.raises(UserCodeError, match="ValueError: no"):
                zygote.session(TASKS + "set_up_badly", "be blamed")
            assert zygote.session(TASKS + "set_up", "state").run(TASKS + "answer", 1) == [["state"], 1]
        assert capfd.readouterr().err == "set up\n"

    @pytest.mark.parametrize("value", ["x" * 3_000_000, b"x" * 3_000_000])
    def test_large_values_pass(self, session: Session, value: Any) -> None:
        assert session.run(TASKS + "give", value, gives=type(value)) == value


class TestUserCode:
    """A task may do this, and the session is not affected."""

    @pytest.fixture(autouse=True)
    def _still_good(self, session: Session) -> Iterator[None]:
        yield
        assert session.run(TASKS + "answer", 1) == [["state"], 1]

    @pytest.mark.parametrize(
        ("how", "message"),
        [
            ("exit at once", "^your code ended its process with exit status 3$"),
            ("exit at once with 0", "^your code ended its process with exit status 0$"),
            ("crash", r"^your code crashed its process \(SIGSEGV\)$"),
            ("be blamed", "^running your code failed: ValueError: no$"),
            ("raise", "at an unexpected place: .*list index out of range"),
            ("exit", r"at an unexpected place: .*sys.exit\(3\)"),
            ("interrupt", "at an unexpected place: .*KeyboardInterrupt"),
        ],
    )
    def test_is_at_fault(self, session: Session, how: str, message: str) -> None:
        with pytest.raises(UserCodeError) as raised:
            session.run(TASKS + "behave", how)
        assert re.search(message, raised.value.message)
        assert "expected" not in message or raised.value.file == user_code_tasks.__file__

    def test_our_errors_pass_whole_and_what_nobody_expects_has_its_traceback(self, session: Session) -> None:
        with pytest.raises(SpecError) as said:
            session.run(TASKS + "behave", "say no")
        error = said.value
        assert (error.message, error.place, error.hint) == ("no call", Place("spec.py", 3), "add one")
        with pytest.raises(UserCodeError, match="could not be observed") as raised:
            session.run(TASKS + "behave", "return a lambda")
        assert "no data" in raised.value.message
        assert "Traceback" in str(raised.value.__cause__)
        with pytest.raises(UserCodeError, match="has no attribute 'nothing'"):
            session.run(TASKS + "nothing")

    @pytest.mark.parametrize("how", ["sleep", "loop without descriptors"])
    def test_is_stopped_when_time_is_up(self, zygote: Zygote, session: Session, how: str) -> None:
        hasty = zygote.session(TASKS + "set_up")
        hasty.timeout = 0.5
        with pytest.raises(UserCodeError, match=r"did not finish within 0\.5 s") as raised:
            hasty.run(TASKS + "behave", how)
        assert "--timeout" in raised.value.hint

    @pytest.mark.forks  # a worker without fork has no log
    @pytest.mark.parametrize(
        ("how", "told"),
        [
            ("freeze clocks", r"did not finish within 0\.7 s and was stopped, while running call 7"),
            ("crash in a phase", r"\(SIGSEGV\), while running call 7"),
        ],
    )
    def test_where_it_ended_is_told(self, zygote: Zygote, session: Session, how: str, told: str) -> None:
        hasty = zygote.session(TASKS + "set_up")
        hasty.timeout = 0.7
        with pytest.raises(UserCodeError, match=told) as raised:
            hasty.run(TASKS + "behave", how)
        assert raised.value.file == user_code_tasks.__file__ and raised.value.line > 0

    def test_has_spoiled_its_own_answer_at_most(self, session: Session) -> None:
        with pytest.raises(UserCodeError):
            session.run(TASKS + "behave", "scribble")
        assert session.run(TASKS + "behave", "raise in flush") is None

    @pytest.mark.forks
    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux adopts orphans")
    def test_a_daemon_ends_with_it(self, session: Session, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        session.run(TASKS + "leave_daemon", str(file))
        assert is_gone_soon(int(file.read_text()))

    @pytest.mark.forks
    @pytest.mark.parametrize("task", ["start_survivor", "hang_with_survivor"])
    def test_its_own_children_end_with_it(self, zygote: Zygote, session: Session, tmp_path: Path, task: str) -> None:
        hasty = zygote.session(TASKS + "set_up")
        hasty.timeout = 1.5
        file = tmp_path / "pid"
        if task == "start_survivor":
            hasty.run(TASKS + task, str(file))
        else:
            with pytest.raises(UserCodeError, match="did not finish"):
                hasty.run(TASKS + task, str(file))
        assert is_gone_soon(int(file.read_text()))


@pytest.mark.usefixtures("quick")
class TestWhatIsPrinted:
    PRINTED = ("printed by python", "printed by write", "printed by a child")

    @pytest.mark.parametrize("heard", [True, False])
    @pytest.mark.parametrize("can_fork", BOTH_WAYS)
    def test_is_heard_on_stderr_where_that_is_asked_for(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], can_fork: bool, heard: bool
    ) -> None:
        set_can_fork(monkeypatch, can_fork)
        with Zygote(timeout=30) as zygote:
            zygote.session(TASKS + "set_up", heard=heard).run(TASKS + "behave", "print", heard=heard)
        told = capfd.readouterr()
        assert told.out == ""
        assert sorted(told.err.splitlines()) == (sorted(("set up", *self.PRINTED)) if heard else [])

    def test_errors_and_crashes_are_told_all_the_same(self, capfd: pytest.CaptureFixture[str]) -> None:
        with Zygote(timeout=30) as zygote:
            session = zygote.session(TASKS + "set_up")
            with pytest.raises(UserCodeError, match="ValueError: no"):
                session.run(TASKS + "behave", "be blamed")
            with pytest.raises(UserCodeError, match="SIGSEGV"):
                session.run(TASKS + "behave", "crash")
        told = capfd.readouterr().err
        assert told.startswith("Fatal Python error: Segmentation fault") and "user_code_tasks.py" in told


class TestSetup:
    @pytest.mark.parametrize(
        ("how", "kind", "message"),
        [("say no", SpecError, "no call"), ("crash", UserCodeError, "SIGSEGV"), ("raise", UserCodeError, "list index")],
    )
    def test_failures_are_told_at_once(self, zygote: Zygote, how: str, kind: type[Exception], message: str) -> None:
        with pytest.raises(kind, match=message):
            zygote.session(TASKS + "set_up_badly", how)
        assert zygote.session(TASKS + "set_up").run(TASKS + "answer", 1) == [[], 1]

    def test_is_stopped_when_time_is_up(self, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(zygote, "timeout", 0.5)
        with pytest.raises(UserCodeError, match="did not finish"):
            zygote.session(TASKS + "set_up_badly", "sleep")

    @pytest.mark.forks
    def test_may_say_that_children_are_to_be_ignored(self, zygote: Zygote) -> None:
        session = zygote.session(TASKS + "set_up_badly", "ignore children")
        assert session.run(TASKS + "answer", 1) == [None, 1]
        with pytest.raises(UserCodeError, match="ended its process"):
            session.run(TASKS + "behave", "crash")


@pytest.mark.usefixtures("quick")
class TestEnd:
    @pytest.mark.forks
    def test_no_process_is_left(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        with Zygote(timeout=30) as zygote:
            task, session = zygote.session(TASKS + "set_up").run(TASKS + "process_ids")
            zygote.session(TASKS + "start_survivor", str(file))
            assert is_alive(session) and is_alive(int(file.read_text()))
        assert all(map(is_gone_soon, (task, session, int(file.read_text()))))

    @pytest.mark.forks
    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux has files of shared memory")
    @pytest.mark.parametrize("task", ["", "share", "share_and_hang"])
    def test_no_shared_memory_is_left(self, tmp_path: Path, capfd: pytest.CaptureFixture[str], task: str) -> None:
        file = tmp_path / "name"
        with Zygote(timeout=30) as zygote, contextlib.suppress(UserCodeError):
            session = zygote.session(TASKS + ("set_up" if task else "share"), str(file), heard=not task)
            if task:
                session.timeout = 2
                session.run(TASKS + task, str(file), heard=True)
            else:
                assert Path("/dev/shm", file.read_text()).exists()
        assert not Path("/dev/shm", file.read_text()).exists()
        assert capfd.readouterr().err == ""

    def test_an_error_before_the_first_session_waits_for_nothing(self, capfd: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SpecError), Zygote(timeout=30):
            raise SpecError("at once")
        assert capfd.readouterr().err == ""

    def test_the_compiler_cannot_be_turned_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTORCH_JIT", "0")
        with Zygote(timeout=30) as zygote:
            assert zygote.session(TASKS + "set_up").run(TASKS + "variable", "PYTORCH_JIT") is None

    @pytest.mark.forks
    def test_a_session_that_is_gone_says_so(self) -> None:
        with Zygote(timeout=30) as zygote:
            session = zygote.session(TASKS + "set_up")
            os.kill(session.run(TASKS + "process_ids")[1], signal.SIGKILL)
            with pytest.raises(UserCodeError, match="SIGKILL"):
                session.run(TASKS + "answer", 1)

    @pytest.mark.forks
    def test_children_end_with_the_tool(self, tmp_path: Path) -> None:
        script = tmp_path / "tool.py"
        script.write_text(
            dedent("""
                import sys
                from pathlib import Path
                from pdt_annotate.processes.zygote import Zygote
                with Zygote(timeout=60) as zygote:
                    session = zygote.session("user_code_tasks:set_up")
                    pids = session.run("user_code_tasks:process_ids")
                    Path(sys.argv[1]).write_text(f"{pids[1]} {zygote._process.pid}")
                    session.run("user_code_tasks:hang_with_survivor", sys.argv[2])
            """)
        )
        ours, theirs = tmp_path / "ours", tmp_path / "theirs"
        tool = subprocess.Popen([sys.executable, str(script), str(ours), str(theirs)], stderr=subprocess.DEVNULL)
        while not (theirs.exists() and theirs.read_text()):
            assert tool.poll() is None
            time.sleep(0.05)
        tool.kill()
        tool.wait(10)
        assert all(map(is_gone_soon, [*map(int, ours.read_text().split()), int(theirs.read_text())]))


@pytest.mark.forks
@pytest.mark.usefixtures("quick")
class TestLibraries:
    """The second zygote has imported modules that the first has not. No test needs these modules."""

    def test_sessions_are_forked_from_where_they_are(self) -> None:
        with Zygote(timeout=30) as zygote:
            assert not zygote.has_libraries
            early = zygote.session(TASKS + "set_up", with_libraries=True)
            zygote.import_libraries(("wave",))
            assert zygote.has_libraries
            without, within = (zygote.session(TASKS + "set_up", with_libraries=each) for each in (False, True))
            for session, has_wave in ((early, False), (without, False), (within, True)):
                assert session.run(TASKS + "are_imported", "wave", "torch") == [has_wave, True]
            zygote.import_libraries(("chunk",))
            further = zygote.session(TASKS + "set_up", with_libraries=True)
            assert further.run(TASKS + "are_imported", "wave", "chunk") == [True, True]
            assert within.run(TASKS + "are_imported", "wave", "chunk") == [True, False]
            zygote.import_libraries(("wave", "chunk"))
            assert len(zygote._connections) == 3  # no module is tried twice

    def test_a_library_that_fails_or_exits_is_left_to_who_needs_it(self, tmp_path: Path) -> None:
        (tmp_path / "stand_in" / "leaving.py").write_text("raise SystemExit(3)\n")
        with Zygote(timeout=30) as zygote:
            zygote.import_libraries(("no_such_library", "leaving", "wave"))
            session = zygote.session(TASKS + "set_up", with_libraries=True)
            assert session.run(TASKS + "are_imported", "no_such_library", "leaving", "wave") == [False, False, True]

    def test_nobody_waits_for_one_that_hangs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "stand_in" / "hanging.py").write_text("import time\ntime.sleep(60)\n")
        monkeypatch.setattr("pdt_annotate.processes.zygote.PATIENCE", 0.1)
        with Zygote(timeout=30) as zygote:
            zygote.import_libraries(("hanging",))
            session = zygote.session(TASKS + "set_up", with_libraries=True)
            assert session.run(TASKS + "are_imported", "hanging", "torch") == [False, True]
            assert not zygote.has_libraries

    def test_what_is_imported_for_long_ends_with_the_tool(self, tmp_path: Path) -> None:
        file = tmp_path / "pid"
        slow = f"import os, time\nopen({str(file)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
        (tmp_path / "stand_in" / "slow.py").write_text(slow)
        with Zygote(timeout=30) as zygote:
            zygote.session(TASKS + "set_up")
            zygote.import_libraries(("slow",))
            while not (file.exists() and file.read_text()):
                time.sleep(0.02)
        assert is_gone_soon(int(file.read_text()))


@pytest.mark.forks
def test_what_a_library_that_needs_the_users_code_imports_of_torch_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needy = tmp_path / "needy"
    needy.mkdir()
    (needy / "__init__.py").write_text("import registered_by_the_user\nfrom needy import inner\n")
    (needy / "inner.py").write_text("import click.shell_completion\nimport torch.utils.show_pickle\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), HERE)))
    with Zygote(timeout=30) as zygote:
        zygote.import_libraries(("needy", "needy.inner"))
        session = zygote.session(TASKS + "set_up", with_libraries=True)
        modules = ("needy", "click.shell_completion", "torch.utils.show_pickle")
        assert session.run(TASKS + "are_imported", *modules) == [False, False, True]


def test_ctrl_c_ends_the_command_and_its_children(tmp_path: Path) -> None:
    model, file = tmp_path / "model.py", tmp_path / "pid"
    model.write_text(
        "import os, time\n\n\ndef hang(n):\n"
        f"    open({str(file)!r}, 'w').write(str(os.getpid()))\n    time.sleep(60)\n    return n\n"
    )
    before = model.read_bytes()
    command = [sys.executable, "-m", "pdt_annotate", f"{model}:hang", "-a", "3"]
    tool = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (file.exists() and file.read_text()):
        assert tool.poll() is None
        time.sleep(0.05)
    tool.send_signal(signal.SIGINT)
    out, error = tool.communicate(timeout=20)
    assert (tool.returncode, out) == (130, b"")
    assert b"Traceback" not in error
    assert is_gone_soon(int(file.read_text()))
    assert model.read_bytes() == before


@pytest.mark.parametrize("fault", ["raise ImportError('broken wheel')", "import os; os._exit(9)"])
@pytest.mark.parametrize("can_fork", BOTH_WAYS)
def test_without_torch_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, can_fork: bool) -> None:
    (tmp_path / "torch.py").write_text(fault)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), HERE)))
    set_can_fork(monkeypatch, can_fork)
    with Zygote(timeout=30) as zygote, pytest.raises(UserError) as raised:
        zygote.session(TASKS + "set_up").run(TASKS + "answer", 1)
    assert "broken wheel" in raised.value.message or "ended" in raised.value.message

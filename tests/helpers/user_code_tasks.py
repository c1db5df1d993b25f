"""Tasks for child processes. Each task does what user code may do."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.slots import Place
from pdt_annotate.values.user_code import phase, user_code

count = 0


def set_up(*args: Any) -> tuple[Any, ...]:
    print("set up", flush=True)
    return args


def set_up_on_device() -> tuple[Any, ...]:
    """A fake CUDA: after the process has used it, no fork of the process can use it."""
    torch = sys.modules["torch"]
    torch.cuda._initialized = True
    print("set up", flush=True)
    return os.getpid(), []


def use_device(state: tuple[int, list[int]]) -> int:
    """The number of earlier uses of this state. Raises in a fork of the process that made it."""
    user, uses = state
    assert user == os.getpid(), "Cannot re-initialize CUDA in forked subprocess"
    uses.append(1)
    return len(uses) - 1


def set_up_badly(how: str) -> None:
    BEHAVIOURS[how]()


def set_up_in_place() -> list[int]:
    return []


def answer(state: Any, value: Any) -> tuple[Any, Any]:
    return state, value


def give(state: Any, value: Any) -> Any:
    return value


def increment(state: list[int]) -> tuple[int, int]:
    """Change everything that the next task would see if it ran in the same process."""
    global count
    count += 1
    state.append(count)
    return count, len(state)


def process_ids(state: Any) -> tuple[int, int]:
    return os.getpid(), os.getppid()


def count_threads(state: Any) -> int:
    torch = sys.modules["torch"]
    threads: int = torch.get_num_threads()
    return threads


def are_imported(state: Any, *names: str) -> list[bool]:
    return [name in sys.modules for name in names]


def variable(state: Any, name: str) -> str | None:
    return os.environ.get(name)


def behave(state: Any, how: str) -> Any:
    return BEHAVIOURS[how]()


def start_survivor(*args: Any) -> None:
    """As a set-up or a task: leave a process, and write its number to the file that is the last argument."""
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    Path(args[-1]).write_text(str(pid))


def hang_with_survivor(state: Any, file: str) -> None:
    start_survivor(file)
    time.sleep(60)


def leave_daemon(state: Any, file: str) -> None:
    """Return, while a process still runs that has left its session and its parent."""
    if os.fork() == 0:
        os.setsid()
        start_survivor(file)
        os._exit(0)
    while not Path(file).exists():
        time.sleep(0.01)


def share(*args: Any) -> None:
    """As a set-up or a task: leave shared memory, and write its name to the file that is the last argument."""
    shared = shared_memory.SharedMemory(create=True, size=1)
    Path(args[-1]).write_text(shared.name)


def share_and_hang(state: Any, file: str) -> None:
    """Use the memory while a child process may use it, too."""
    share(file)
    start_survivor(os.devnull)
    time.sleep(60)


def _say_no() -> None:
    raise SpecError("no call", place=Place("spec.py", 3), hint="add one")


def _sleep_without_descriptors() -> None:
    os.closerange(3, 256)
    time.sleep(60)


def _print() -> None:
    print("printed by python")
    os.write(1, b"printed by write\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)


def _freeze_clocks() -> None:
    for name in ("monotonic", "time", "perf_counter"):
        setattr(time, name, lambda: 0.0)
    while True:
        pass


def _scribble() -> None:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\xff" * 64)
        except OSError:
            continue


def _raise_in_flush() -> None:
    class Stream:
        def flush(self) -> None:
            raise SystemExit(5)

    sys.stdout = sys.stderr = Stream()


def _in_a_phase(act: Any) -> Any:
    def behave() -> None:
        with phase("running call 7"):
            act()

    return behave


def _blamed() -> None:
    with user_code("running your code failed"):
        raise ValueError("no")


BEHAVIOURS: dict[str, Any] = {
    "raise": lambda: [][1],
    "say no": _say_no,
    "exit": lambda: sys.exit(3),
    "exit at once": lambda: os._exit(3),
    "exit at once with 0": lambda: os._exit(0),
    "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "sleep": lambda: time.sleep(60),
    "loop without descriptors": _sleep_without_descriptors,
    "print": _print,
    "return a lambda": lambda: lambda: 0,
    "be blamed": _blamed,
    "freeze clocks": _in_a_phase(_freeze_clocks),
    "crash in a phase": _in_a_phase(lambda: os.kill(os.getpid(), signal.SIGSEGV)),
    "scribble": _scribble,
    "raise in flush": _raise_in_flush,
    "ignore children": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN) and None,
    "interrupt": lambda: os.kill(os.getpid(), signal.SIGINT) or time.sleep(5),
}

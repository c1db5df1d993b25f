"""Starts a program to observe, and joins the observations of its processes into one profile."""

import contextlib
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pdt_annotate import profiles
from pdt_annotate.interpreters.interpreter import Interpreter, places_of
from pdt_annotate.profiles.outdated import list_unseen
from pdt_annotate.profiles.profile import Profile, sum_up
from pdt_annotate.profiles.recording.running import PREFIX, Order
from pdt_annotate.values.errors import UserError

STARTUP = str(Path(__file__).resolve().parent / "startup")
PARTS = ".parts"  # the suffix, after the profile's name, of the directory of its parts
LENT_TO_PROGRAMS = ("monkeytype", "mypy_extensions")  # the packages that the recorder imports
DIED = 128  # added to a signal's number for the exit code of a program that it ended, as in shells
KEYBOARD = ("SIGINT", "SIGQUIT")  # signals that a terminal sends to the program as well as to us
FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")  # signals that only we get, and that are meant for the program
HINT = "pdt-annotate run -- train.py …, -- -m package.module …, or -- torchrun … train.py"


def make_order(label: str, root: str, file: str) -> Order:
    """The order for the processes of a program. Raises UserError if the profile would replace another kind of file.

    Functions in files below `root` are observed. The parts of the profile are next to it until they are merged.
    """
    profiles.check_replaceable(file)
    return Order(root, os.path.abspath(file + PARTS), uuid.uuid4().hex[:8], label)


@contextlib.contextmanager
def parts(order: Order) -> Iterator[None]:
    """Make the directory of the parts. This program's parts are removed once they are merged; others are left."""
    try:
        os.makedirs(order.parts, exist_ok=True)
    except OSError as error:
        message = f"cannot make a directory next to the profile: {error.strerror}"
        raise UserError(message, file=order.parts) from error
    try:
        yield
        for pattern in (f"{order.session}-*", f".{order.session}-*"):
            for part in Path(order.parts).glob(pattern):
                part.unlink(missing_ok=True)
    finally:
        with contextlib.suppress(OSError):  # it may contain the parts of other programs
            os.rmdir(order.parts)


def gather(order: Order, file: str) -> tuple[Profile, int]:
    """Merge and save the parts; return the profile, and how many processes had observations. Raises UserError."""
    found = sorted(Path(order.parts).glob(f"{order.session}-*.sqlite"))
    profile = profiles.load([str(part) for part in found])
    if found:
        # One recording of all processes, so that the profile does not grow with their number.
        profile = list_unseen(Profile((sum_up(profile, uuid.uuid4().hex, order.label),)), order.root)
        try:
            profiles.save(file, profile)
        except UserError as error:
            hint = f"the observations are in {order.parts}: pass this directory to --profile"
            raise UserError(error.message, file=error.file, hint=hint) from error
    return profile, len(found)


def environment(order: Order, present: Mapping[str, str]) -> dict[str, str]:
    """The variables that let every Python process below the program be observed."""
    return {**lending(present), **order.variables()}


def lending(present: Mapping[str, str]) -> dict[str, str]:
    """The variables that lend our package, and the packages that it imports, to a Python that lacks them."""
    path = os.pathsep.join(filter(None, (STARTUP, present.get("PYTHONPATH"))))
    lent = places_of(("pdt_annotate", *LENT_TO_PROGRAMS)).items()
    return {"PYTHONPATH": path, f"{PREFIX}PACKAGES": os.pathsep.join(f"{name}={place}" for name, place in lent)}


def record_program(words: Sequence[str], root: str, file: str, interpreter: Interpreter) -> tuple[int, Profile, int]:
    """Run a program to its end, by `interpreter` if it is a module or a Python file, and save its observations, if any.

    Returns its exit code, the profile, and how many of its processes had observations. Raises UserError if the program
    cannot be started, or the profile cannot be saved.
    """
    command = find_program(words, interpreter.executable)
    named = words[1] if words[0] == "-m" and len(words) > 1 else words[0]
    order = make_order(os.path.basename(named), root, file)
    with parts(order):
        variables = {**os.environ, **environment(order, os.environ)}
        with _signals() as receivers:
            try:
                process = subprocess.Popen(command, env=variables, close_fds=False)
            except OSError as error:
                raise UserError(f"cannot start {command[0]}: {error.strerror}", hint=HINT) from error
            receivers.append(process)
            code = process.wait()
        profile, processes = gather(order, file)
    return code if code >= 0 else DIED - code, profile, processes


def find_program(words: Sequence[str], python: str) -> list[str]:
    """The command for a program: the interpreter for `-m` and Python files, else a program next to it or on PATH."""
    if not words:
        raise UserError("no program to run", hint=HINT)
    first = words[0]
    if first.endswith(".py") and not os.path.exists(first):
        raise UserError(f"there is no file {first}", hint=HINT)
    if first.startswith("-") or first.endswith(".py"):
        return [python, *words]
    found = shutil.which(first, path=os.path.dirname(python)) or shutil.which(first)
    if found is None:
        raise UserError(f"there is no program {first} on PATH", hint=HINT)
    return [found, *words[1:]]


@contextlib.contextmanager
def _signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Forward signals to the processes in the yielded list. Ignored signals stay ignored, for the program too."""
    receivers: list[subprocess.Popen[bytes]] = []

    def forward(number: int, frame: object) -> None:
        for process in receivers:
            process.send_signal(number)

    handlers = {**dict.fromkeys(KEYBOARD, lambda number, frame: None), **dict.fromkeys(FORWARDED, forward)}
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    heard = {number: handler for number, handler in numbers.items() if signal.getsignal(number) is not signal.SIG_IGN}
    before = {number: signal.signal(number, handler) for number, handler in heard.items()}
    try:
        yield receivers
    finally:
        for number, original in before.items():
            signal.signal(number, original)

"""What runs in the children: the zygote, the sessions that it forks, and a task in an interpreter of its own."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import pickle
import socket
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import Any

from pdt_annotate.overlays import kept_overlay
from pdt_annotate.processes import tree
from pdt_annotate.processes.channel import LENGTH, Channel, read_message, wait_for
from pdt_annotate.processes.fork import FAILED, Fork, flush, fork_with, silence
from pdt_annotate.processes.notes import Notes, leave, note_error
from pdt_annotate.processes.supervisor import ANSWERED, NUMBER, POLL, STARTED, Serve, fork_session, tell_end
from pdt_annotate.processes.wire import MARK, READY, AnotherZygote, Reply, Task, Unexpected
from pdt_annotate.values.errors import PdtError, UserCodeError, UserError
from pdt_annotate.values.installed import PACKAGES
from pdt_annotate.values.torch_releases import DEPRECATION
from pdt_annotate.values.user_code import OURS, describe_error, is_user_file, place_of

LEAKED = "ignore:resource_tracker:UserWarning"
"""A warning of `multiprocessing` for processes that end without their exit handlers, as ours do."""

STANDARD = os.path.dirname(os.path.abspath(os.__file__))
FINDERS = os.path.join(OURS, "overlays", "")
ASKED_BY_NAME = importlib.import_module.__code__  # what looks up a name that is a value, of the user's as likely as not


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end; never returns."""
    os.dup2(2, 1)  # whatever user code prints must not mix with the diff on the tool's stdout
    faulthandler.enable(os.dup(2))  # a crash is told where all else is dropped
    tool = Channel(socket.socket(fileno=descriptor))
    reply = _import_torch()
    tool.send(reply.encoded())
    if reply.error is None:
        _serve_sessions(tool)
    flush()
    leave()  # torch takes a second to take down


def _serve_sessions(tool: Channel) -> None:
    """Fork a session, or a second zygote, for every request until the tool closes its end."""
    while request := tool.receive():
        asked = pickle.loads(request)
        if isinstance(asked, AnotherZygote):
            _, end = fork_with(partial(_serve_ahead, asked.modules), tool, leads_group=False)
        else:
            setup, timeout = asked
            _, end = fork_session(tool.close, serving(setup, setup.heard), timeout)
        tool.send_end(end)
        end.close()
        tree.reap()


def _serve_ahead(modules: Sequence[str], tool: Channel) -> None:
    """A second zygote, which imports modules first. If one cannot be imported, or leaves, whoever needs it says so."""
    kept_overlay.start()
    sys.dont_write_bytecode = sys.dont_write_bytecode or not sys.pycache_prefix
    with silence():
        for name in modules:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
    with contextlib.suppress(OSError):  # the tool has gone meanwhile
        tool.send(READY)
    _serve_sessions(tool)


def main_spawned(descriptor: int = -1) -> None:
    """A spawned interpreter: import torch, then run a setup, and one task on what that has left; never returns.

    It is asked on its stdin and answers on its stdout, of which the user's code knows nothing. It keeps notes in the
    file of the descriptor, where there is one.
    """
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    faulthandler.enable(os.dup(2))
    state: list[Any] = []

    def answer(reply: Reply) -> None:
        message = reply.encoded()
        answers.write(LENGTH.pack(len(message)) + message)
        answers.flush()

    answers.write(MARK)
    answer(_import_torch())
    if descriptor >= 0:
        Notes(descriptor).keep()
    status = FAILED
    try:
        setup = pickle.loads(read_message(asked.read))
        answer(_reply_to(lambda: state.append(setup()), setup.heard))
        task = pickle.loads(read_message(asked.read))
        answer(_reply_to(lambda: task(*state), task.heard))
        status = 0
    except BaseException as error:
        note_error(error)
    finally:
        leave(status)


def begin_fork() -> None:
    """What `main` does for a zygote, in a fork of a process that is not ours."""
    os.dup2(2, 1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # the threads of a pool have not come along


def _import_torch() -> Reply:
    os.environ.pop("PYTORCH_JIT", None)  # with it torch would compile nothing, and every judge would say yes
    kept_overlay.withdraw()  # until a session's setup knows whether packages are to be read as they are installed
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # neither torch nor we need it
            import torch  # noqa: PLC0415  (the zygote's only job)
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        message = f"torch cannot be imported: {error}"
        return Reply(error=UserError(message, hint=f"does `{sys.executable} -c 'import torch'` work?"))
    places = (index for index, finder in enumerate(sys.meta_path) if finder is PathFinder)
    sys.meta_path.insert(next(places, len(sys.meta_path)), LibraryFirst())
    warnings.filterwarnings("ignore", DEPRECATION)  # the tool tells of it once
    sys.warnoptions.append(LEAKED)
    # An OpenMP pool does not survive a fork; with one thread none is ever made.
    torch.set_num_threads(1)
    return Reply()


def serving(make: Callable[[], Any], heard: bool) -> Serve:
    """What makes a state, says so, and then forks for every task.

    Args:
        make: makes the state there.
        heard: what making it prints goes to our stderr.
    """

    def serve(watch: Channel, notes: Notes) -> None:
        state: list[Any] = []
        watch.send(ANSWERED + _reply_to(lambda: state.append(make()), heard).encoded())
        with contextlib.suppress(OSError):  # who watches has gone
            while state and (request := watch.receive()):
                _run_forked(watch, state[0], pickle.loads(request), notes)
        # With what the user's modules may have started on import.
        tree.kill_group(0)

    return serve


def _run_forked(watch: Channel, state: Any, task: Task, notes: Notes) -> None:
    """Run a task in a fork, and pass on what it says. Whoever watches ends it when its time is up."""

    def work(answers: Channel) -> None:
        tree.end_with_parent()
        answers.send(_reply_to(lambda: task(state), task.heard).encoded())

    child, answers = fork_with(work, watch)
    watch.send(STARTED + NUMBER.pack(child.pid))
    answer = _await(child, answers) or tell_end(child.returncode or 0, notes)
    child.end()
    answers.close()
    watch.send(ANSWERED + answer)


def _await(child: Fork, answers: Channel) -> bytes:
    """What a child says; empty where it ends without a word."""
    while True:
        code = child.returncode
        if wait_for((answers,), POLL if code is None else 0):
            answer = answers.receive()
            while not answer and child.returncode is None:  # it has closed its end, and goes on
                wait_for((), POLL)
            return answer
        if code is not None:
            return b""


def _reply_to(work: Callable[[], Any], heard: bool) -> Reply:
    """Do some work here, and catch whatever becomes of it.

    Where the user's code was called and raised, and nobody expected that it could, it is at fault still.
    """
    try:
        with contextlib.nullcontext() if heard else silence():
            return Reply(work())
    except PdtError as error:
        return Reply(error=error)
    except BaseException as error:
        if place := place_of(error):
            message = f"your code raised where nothing was expected to: {describe_error(error)}"
            return Reply(error=UserCodeError(message, place=place))
        return Reply(unexpected=Unexpected.of(error))
    finally:
        flush()  # whoever has the answer may end this process


class LibraryFirst:
    """A finder that gives installed code the top-level modules that it was installed with.

    The folders of the project come first on the path in a session, as they do for the user's own programs. What torch
    imports late, or we do, may then have the name of a file in one of them.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not _is_asked_by_installed(sys._getframe(1)):
            return None
        texts = (entry for entry in sys.path if isinstance(entry, str))
        installed = [each for each in texts if each.startswith(STANDARD) or os.path.basename(each) in PACKAGES]
        return PathFinder.find_spec(name, installed)


def _is_asked_by_installed(frame: FrameType | None) -> bool:
    while frame is not None:
        file = frame.f_code.co_filename
        if frame.f_code is ASKED_BY_NAME:
            return False
        if not file.startswith(("<frozen importlib", FINDERS)):
            return not file.startswith("<") and not is_user_file(file)
        frame = frame.f_back
    return False

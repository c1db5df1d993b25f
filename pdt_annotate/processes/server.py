"""The programs of the children: the zygote, the sessions that it forks, and a task in a new interpreter."""

import contextlib
import faulthandler
import functools
import gc
import importlib
import importlib.util
import itertools
import os
import pickle
import signal
import socket
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import Any

from pdt_annotate.overlays import kept_overlay
from pdt_annotate.processes import process_tree, wire
from pdt_annotate.processes.fork import FAILED, Fork, can_fork, flush, fork_with, silence
from pdt_annotate.processes.notes import Notes, leave, open_nameless
from pdt_annotate.processes.supervisor import ANSWERED, NUMBER, STARTED, Serve, fork_session, tell_end
from pdt_annotate.processes.wire import Channel, Reply, Task, read_message, write_message
from pdt_annotate.source.imported_libraries import libraries_of
from pdt_annotate.source.imports import Sources
from pdt_annotate.values.errors import PdtError, UserCodeError, UserError
from pdt_annotate.values.installed import PACKAGES
from pdt_annotate.values.torch_releases import DEPRECATION
from pdt_annotate.values.user_code import OURS, describe_error, is_user_file, place_of

STANDARD = os.path.dirname(os.path.abspath(os.__file__))
FINDERS = os.path.join(OURS, "overlays", "")
ASKED_BY_NAME = importlib.import_module.__code__  # it imports a name from a value, perhaps a module of the user's


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end; never returns."""
    os.dup2(2, 1)  # user output must not mix with the diff on the tool's stdout
    faulthandler.enable(os.dup(2))  # crashes are printed even while other output is dropped
    tool = Channel(socket.socket(fileno=descriptor))
    gc.disable()  # modules that are imported leave hardly any garbage
    reply = _import_torch()
    tool.send(reply.encoded())
    if reply.error is None:
        from pdt_annotate.processes.bytecode import share_bytecode  # noqa: PLC0415 - only systems with forks can

        share_bytecode()
        warm_up()
        gc.enable()
        _serve_sessions(tool)
    flush()
    leave()  # unloading torch would take a second


def _serve_sessions(tool: Channel) -> None:
    while request := tool.receive():
        setup, timeout, repeats = pickle.loads(request)
        if not isinstance(setup, Task):  # modules for a second zygote
            _, end = fork_with(partial(_serve_ahead, setup), tool, leads_group=False)
        else:
            _, end = fork_session(tool.close, serving(setup, setup.heard, repeats), timeout)
        tool.send_end(end)
        end.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # let the system forget the sessions that have ended
                pass


def _serve_ahead(modules: Sequence[str], tool: Channel) -> None:
    """Import modules, and then be a second zygote. If an import fails, the session that needs the module reports it.

    A library may need code of the user's first. Then at least the modules of torch that it imports are imported: others
    may start threads, or never be reached.
    """
    kept_overlay.start()
    sys.dont_write_bytecode = sys.dont_write_bytecode or not sys.pycache_prefix
    gc.disable()
    with silence():
        failed = {name.partition(".")[0] for name in modules if not _imports(name)}
        for name in itertools.chain.from_iterable(map(_imported_by, sorted(failed))):
            _imports(name)
    gc.enable()
    with contextlib.suppress(OSError):  # the tool has gone meanwhile
        tool.send(wire.READY)
    _serve_sessions(tool)


def _imports(name: str) -> bool:
    with contextlib.suppress(BaseException):
        importlib.import_module(name)
        return True
    return False


@functools.cache  # a further zygote has the answers of the one before it
def _imported_by(package: str) -> tuple[str, ...]:
    """The modules of torch that a package imports at the top."""
    spec = None
    with contextlib.suppress(Exception):  # it may be looked up by code of its own
        spec = importlib.util.find_spec(package)
    if spec is None or not spec.origin or not spec.parent:
        return ()
    found = libraries_of([spec.origin], Sources(os.path.dirname(spec.origin)))
    return tuple(name for name in found if name.startswith("torch."))


def main_spawned() -> None:
    """A spawned interpreter: import torch, run a setup, then one task on its state; it talks by stdin and stdout."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    faulthandler.enable(os.dup(2))
    state: list[Any] = []

    answers.write(wire.MARK)
    write_message(answers, _import_torch().encoded())
    status = FAILED
    try:
        setup = pickle.loads(read_message(asked.read))
        write_message(answers, _reply_to(lambda: state.append(setup()), setup.heard).encoded())
        task = pickle.loads(read_message(asked.read))
        write_message(answers, _reply_to(lambda: task(*state), task.heard).encoded())
        status = 0
    finally:
        leave(status)


def begin_fork() -> None:
    """Set up a fork of another process as `main` sets up a zygote."""
    os.dup2(2, 1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # a fork does not have the threads of the pool


def _import_torch() -> Reply:
    os.environ.pop("PYTORCH_JIT", None)  # with it torch would compile nothing, and every judge would say yes
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # so that forks can use CUDA after `is_available()`
    kept_overlay.withdraw()  # a session's setup decides whether packages are read as installed
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # neither torch nor we need it
            import torch  # noqa: PLC0415  (the zygote's only job)
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        message = f"torch cannot be imported: {error}"
        return Reply(error=UserError(message, hint=f"check that `{sys.executable} -c 'import torch'` works"))
    places = (index for index, finder in enumerate(sys.meta_path) if finder is PathFinder)
    sys.meta_path.insert(next(places, len(sys.meta_path)), LibraryFirst())
    warnings.filterwarnings("ignore", DEPRECATION)  # the tool warns once
    # `multiprocessing` warns of processes that end without their exit handlers, as ours do.
    sys.warnoptions.append("ignore:resource_tracker:UserWarning")
    # An OpenMP pool does not survive a fork; with one thread it is never made.
    torch.set_num_threads(1)
    return Reply()


def warm_up() -> None:
    """Import the tasks of every run, and compile the derivatives of torch's operators, once for all sessions."""
    with contextlib.suppress(Exception):  # a fork says better what is wrong
        for name in ("prepared", "observe_target", "attempt"):
            importlib.import_module(f"pdt_annotate.processes.child.{name}")
        import torch  # noqa: PLC0415

        torch.jit.CompilationUnit("def f(x):\n    return torch.softmax(x, 0)\n").f(torch.ones(1))


def serving(make: Callable[[], Any], heard: bool, repeats: bool = False) -> Serve:
    """A session: it makes a state, reports that, and forks for every task. If `heard`, `make` prints to our stderr.

    It reports `UNFORKABLE` if no fork can use the state. If `repeats`, every fork makes the state itself.
    """

    def serve(watch: Channel, notes: Notes) -> None:
        state: list[Any] = []

        def set_up() -> str | None:
            state.append(make())
            return None if repeats or can_fork() else wire.UNFORKABLE

        if repeats:
            _run_forked(watch, set_up, heard, notes)
        else:
            watch.send(ANSWERED + _reply_to(set_up, heard).encoded())
        with contextlib.suppress(OSError):  # the supervisor is gone
            while request := watch.receive():
                task: Task = pickle.loads(request)
                work = partial(task, *state) if state else partial(_repeat, make, task)
                code = _run_forked(watch, work, task.heard, notes)
                if code == 0:  # the next fork has the module already, which is imported while the tool thinks
                    with contextlib.suppress(BaseException), silence():
                        importlib.import_module(task.module)
        process_tree.kill_group(0)  # including processes that the user's modules started on import

    return serve


def _repeat(make: Callable[[], Any], task: Task) -> Any:
    with silence():  # its output was heard once
        state = make()
    return task(state)


def _run_forked(watch: Channel, work: Callable[[], Any], heard: bool, notes: Notes) -> int:
    """Do some work in a fork, pass on its reply, and return its exit code. The supervisor kills it when time is up.

    The fork answers in a file: if an orphan of the user's kept a socket open, a crash of the fork would go unnoticed.
    """
    with open_nameless() as answers:

        def begin() -> None:
            watch.close()
            process_tree.control(process_tree.SIGNAL_AT_PARENTS_END, signal.SIGKILL)
            write_message(answers, _reply_to(work, heard).encoded())

        child = Fork(begin)
        watch.send(NUMBER.pack(STARTED, child.pid))
        code = child.wait() or 0
        if not process_tree.LISTS_CHILDREN:  # no supervisor can find its children
            process_tree.kill_group(child.pid)
        answers.seek(0)
        watch.send(ANSWERED + (read_message(answers.read) or tell_end(code, notes.read())))
    return code


def _reply_to(work: Callable[[], Any], heard: bool) -> Reply:
    """Do some work here, and catch any exception. If the user's code raised unexpectedly, it gets the blame."""
    try:
        with contextlib.nullcontext() if heard else silence():
            return Reply(work())
    except PdtError as error:
        return Reply(error=error)
    except BaseException as error:
        if place := place_of(error):
            message = f"your code raised at an unexpected place: {describe_error(error)}"
            return Reply(error=UserCodeError(message, place=place))
        return Reply(error=wire.unexpected(error))
    finally:
        flush()  # this process may be ended as soon as it has answered


class LibraryFirst:
    """A finder for imports by installed code, which looks up top-level modules among the installed ones first.

    In a session the folders of the project come first on the path, as they do for the user's own programs. A module
    that torch or we import late may have the name of a file in one of these folders.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        asking: FrameType | None = sys._getframe(1)
        while asking is not None and asking.f_code.co_filename.startswith(("<frozen importlib", FINDERS)):
            asking = asking.f_back
        if path is not None or asking is None or asking.f_code is ASKED_BY_NAME:
            return None
        file = asking.f_code.co_filename
        if file.startswith("<") or is_user_file(file):
            return None
        texts = (entry for entry in sys.path if isinstance(entry, str))
        installed = [each for each in texts if each.startswith(STANDARD) or os.path.basename(each) in PACKAGES]
        return PathFinder.find_spec(name, installed)

"""Interpreters with imported modules, which are forked when a test starts a new interpreter.

A command of the tool needs a second to import itself, and its zygote needs two to import torch. Hundreds of tests start
both. While `install` is active, `subprocess.Popen` requests a fork from a server that has imported these modules.
Otherwise the fork is like a new interpreter: it has the arguments, directory, environment and descriptors of the call,
and it ends as an interpreter does. If a call sets interpreter options, or would import other modules, the system starts
the process.

All workers of a test run share the servers of one folder. The first request starts a server. All servers end when
`open_folder` ends.
"""

import contextlib
import inspect
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import warm_server
from repository import HELPERS
from warm_server import receive_number

WORDS = {
    "tool": re.compile(r"-m\0pdt_annotate(\0.*)?", re.DOTALL),
    "zygote": re.compile(
        r"-P\0-c\0.*\nfrom pdt_annotate\.processes\.server import (main|main_spawned); \1\(\d*\)", re.DOTALL
    ),
    "library": re.compile(r"-B\0\w+\.py"),
}
"""For each server, the arguments of the interpreters that it replaces."""

READ_AT_START = re.compile(
    "PYTHON(?!PATH$|UNBUFFERED$|DONTWRITEBYTECODE$)|LANG|LC_|OMP_|MKL_|TORCH(?!INDUCTOR_CACHE_DIR$)|PDT_ANNOTATE_OVERLAY"
)
"""The variables that an interpreter or torch reads only once. The server sets the other variables in each fork.

torch itself sets TORCHINDUCTOR_CACHE_DIR in a process that compiles, and our children do not read it.
"""
DEFAULTS = {"executable": None, "close_fds": True, "shell": False, "umask": -1}
"""If `Popen` has other values of these arguments, the system starts the process."""
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


ALIVE = "alive"
"""A pipe in the folder, which is the stdin of all servers. It is closed when the process that made the folder ends."""


class Servers:
    """The servers in a folder, one for each entry of `WORDS`. Each starts at its first request."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._environment = dict(os.environ)
        self._settings = settings(self._environment)
        self.running: list[subprocess.Popen[bytes]] = []

    def ask(self, named: Mapping[str, Any]) -> socket.socket | None:
        """A connection to the server that forks the process, and first sends its number; None if no server can.

        Args:
            named: the arguments after `subprocess.Popen` has processed them.
        """
        name = find_server(named)
        environment = os.environ if named["env"] is None else named["env"]
        if name is None or settings(environment) != self._settings:
            return None
        streams = {0: named["p2cread"], 1: named["c2pwrite"], 2: named["errwrite"]}
        sent = {number: number if given == -1 else given for number, given in streams.items()}
        sent |= {number: number for number in named["pass_fds"]}
        start = {
            "words": list(map(os.fspath, named["args"][1:])),
            "cwd": os.path.abspath(named["cwd"] or os.curdir),
            "environment": dict(environment),
            "descriptors": list(sent),
            "own_session": named["start_new_session"],
            "first": name_of(named["preexec_fn"]),
        }
        return self._request(name, json.dumps(start).encode(), list(sent.values()))

    def _request(self, name: str, request: bytes, descriptors: list[int]) -> socket.socket | None:
        self.launch(name)
        connection = socket.socket(warm_server.AF_UNIX)
        connection.connect(os.path.join(self.folder, name))
        socket.send_fds(connection, [warm_server.NUMBER.pack(len(request))], descriptors)
        connection.sendall(request)
        if receive_number(connection):
            return connection
        connection.close()
        return None

    def launch(self, name: str) -> None:
        """Start a server. If another thread or process has started it, wait until it listens."""
        place = os.path.join(self.folder, name)
        try:
            os.mkdir(f"{place}.begun")
        except FileExistsError:
            while not os.path.exists(place):
                time.sleep(0.01)
            return
        # The server listens before it imports modules and before its socket has its name, so early clients wait.
        # A test may wait for the end of this process's streams, so the server must not inherit them.
        with (
            socket.socket(warm_server.AF_UNIX) as listener,
            open(os.path.join(self.folder, ALIVE), "rb") as alive,
            open(f"{place}.log", "wb") as log,
        ):
            listener.bind(f"{place}.new")
            listener.listen(64)
            number = listener.fileno()
            command = [sys.executable, warm_server.__file__, str(number), self.folder, name]
            streams: dict[str, Any] = {"stdin": alive, "stdout": log, "stderr": log}
            server = SystemPopen(command, env=self._environment, pass_fds=[number], start_new_session=True, **streams)
        self.running.append(server)
        os.rename(f"{place}.new", place)


SystemPopen = subprocess.Popen


def settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The values of variables that are read only once. Without a language, Python uses C.UTF-8."""
    read = {name: value for name, value in environment.items() if READ_AT_START.match(name)}
    return read if read.get("LANG") != "C.UTF-8" else {name: read[name] for name in read.keys() - {"LANG"}}


def find_server(named: Mapping[str, Any]) -> str | None:
    """The server that replaces an interpreter with these arguments."""
    args = named["args"]
    if any(named[name] != value for name, value in DEFAULTS.items()) or not isinstance(args, (list, tuple)):
        return None
    if named["preexec_fn"] and not name_of(named["preexec_fn"]):
        return None
    if args[0] != sys.executable:
        return None
    words = "\0".join(map(os.fspath, args[1:]))
    return next((name for name, pattern in WORDS.items() if pattern.fullmatch(words)), None)


def name_of(function: Callable[[], object] | None) -> tuple[str, str] | None:
    """The module and name of a helper's function, which a server can import."""
    if function is None or not (Path(HELPERS) / f"{function.__module__}.py").exists():
        return None
    return (function.__module__, function.__name__) if function.__name__.isidentifier() else None


class WarmPopen(SystemPopen[Any]):
    """A process that may be a fork of a server. The server returns its exit status."""

    servers: Servers
    _connection: socket.socket | None = None

    def _execute_child(self, *given: Any) -> None:
        execute = super()._execute_child  # type: ignore[misc]
        named = inspect.signature(execute).bind(*given).arguments
        self._connection = self.servers.ask(named)
        if self._connection is None:
            execute(*given)
            return
        self.pid = receive_number(self._connection)
        self._child_created = True
        self._close_pipe_fds(*(named[pipe] for pipe in PIPES))  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._connection is None:
            return super()._try_wait(wait_flags)  # type: ignore[misc, no-any-return]
        if wait_flags & os.WNOHANG and not select.select([self._connection], [], [], 0)[0]:
            return 0, 0
        with self._connection:
            return self.pid, receive_number(self._connection)

    def _internal_poll(self, *given: Any, **more: Any) -> int | None:
        if self._connection is None:
            return super()._internal_poll(*given, **more)  # type: ignore[misc, no-any-return]
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(0)  # type: ignore[attr-defined]
        return self.returncode


COMMAND = f"""\
#!{sys.executable}
import subprocess, sys
sys.path.insert(0, {str(HELPERS)!r})
from warm_interpreters import serve_from
serve_from(%r)
sys.exit(subprocess.run([sys.executable, "-m", "pdt_annotate", *sys.argv[1:]]).returncode)
"""


def make_command(directory: Path) -> Path:
    """A directory that contains the tool's command, for shells. The command uses the same servers."""
    command = directory / "pdt-annotate"
    command.write_text(COMMAND % WarmPopen.servers.folder)
    command.chmod(0o755)
    return directory


def serve_from(folder: str) -> Servers:
    """Make `subprocess.Popen` use the servers in a folder."""
    WarmPopen.servers = Servers(folder)
    subprocess.Popen = WarmPopen  # type: ignore[misc]
    return WarmPopen.servers


@contextlib.contextmanager
def open_folder() -> Iterator[str]:
    """A folder for servers, which end with the block or with this process."""
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        alive = os.path.join(folder, ALIVE)
        os.mkfifo(alive)
        with open(alive, "r+b", 0):
            yield folder


@contextlib.contextmanager
def install(folder: str = "") -> Iterator[None]:
    """Make `subprocess.Popen` use servers inside the block: those of a folder, or new ones. Nested calls do nothing."""
    if subprocess.Popen is WarmPopen:
        yield
        return
    with contextlib.nullcontext(folder) if folder else open_folder() as place:
        serve_from(place)
        try:
            yield
        finally:
            subprocess.Popen = SystemPopen  # type: ignore[misc]

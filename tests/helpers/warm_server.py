"""A server of `warm_interpreters`: imports modules, then forks an interpreter for every request.

    python warm_server.py DESCRIPTOR FOLDER NAME

It listens at the descriptor for requests of a `Servers` object of the folder, and ends when its stdin is closed.
"""

import contextlib
import ctypes
import gc
import importlib
import io
import itertools
import json
import os
import re
import runpy
import select
import signal
import socket
import struct
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

MODULES = {
    "tool": (
        "cattrs",
        "concurrent.futures.thread",
        "jsonschema",
        "pdt_annotate.cli.annotate",
        "pdt_annotate.flows.preflight",
        "pdt_annotate.flows.annotate",
        "pdt_annotate.flows.beyond_examples",
        "pdt_annotate.flows.from_files",
        "pdt_annotate.flows.observe",
        "pdt_annotate.flows.verify",
        "pdt_annotate.inputs.specs.yaml_document",
        "pdt_annotate.mends.judge",
        "pdt_annotate.profiles.recording.running",
        "pdt_annotate.emit.files.overlay_dir",
        "pdt_annotate.emit.html",
        "pdt_annotate.emit.machine.github",
        "pdt_annotate.emit.machine.junit",
        "pdt_annotate.emit.machine.sarif",
        "pdt_annotate.emit.stubs",
        "pdt_annotate.emit.terminal.report",
        "libcst.native",
        "rich.console",
        "rich.live",
        "rich.table",
    ),
    "zygote": (
        "torch",
        "numpy.random",
        "hypothesis",
        "jsonschema",
        "torch.utils.serialization",
        "pdt_annotate.blame.modules",
        "pdt_annotate.flows.live_session",
        "pdt_annotate.inputs.specs.yaml_spec",
        "pdt_annotate.processes.server",
        "pdt_annotate.processes.child.attempt",
        "pdt_annotate.processes.child.behaviour",
        "pdt_annotate.processes.child.observe_target",
        "pdt_annotate.processes.child.prepared",
        "pdt_annotate.processes.child.probe",
    ),
    "library": ("torch", "numpy.random", "pdt_annotate.flows.script", "pdt_annotate.inputs.resolve", "libcst.native"),
}
"""The modules that each server imports."""

HERE = str(Path(__file__).resolve().parent)
OURS = (HERE, str(Path(HERE).parent.parent), str(Path(HERE, "without_fork")))
HYPOTHESIS = Path(HERE).parent.parent / ".hypothesis"
"""The folder in which hypothesis stores the constants of all modules. Processes that generate calls store nothing."""
NUMBER = struct.Struct("=q")
MOST_DESCRIPTORS = 16
KILLED = 9
"""The exit status of a process whose server has ended."""

REMOVED: Mapping[str, Any] = getattr(sys.modules.get("sitecustomize"), "removed", {})
"""The functions that forked interpreters must not have, but that this server needs (`without_fork`)."""
fork, setsid = (REMOVED.get(name) or getattr(os, name) for name in ("fork", "setsid"))
AF_UNIX: Any = REMOVED.get("AF_UNIX") or socket.AF_UNIX

STREAMS = (("stdin", "rb", "strict"), ("stdout", "wb", "strict"), ("stderr", "wb", "backslashreplace"))

Start = Mapping[str, Any]


def main() -> None:
    _, descriptor, folder, name = sys.argv
    path = [place for place in sys.path if place not in ("", *OURS)]
    if name != "zygote":
        import warm_interpreters  # noqa: PLC0415  (it imports this module)

        warm_interpreters.serve_from(folder)
    for module in MODULES[name]:
        if find_spec(module.partition(".")[0]):  # numpy may be missing
            importlib.import_module(module)
    if hypothesis := sys.modules.get("hypothesis"):
        draw_once(hypothesis)
    know_once()
    make_forks_cheap()
    start, sent = serve(socket.socket(fileno=int(descriptor)))
    become(start, sent, path)


def know_once() -> None:
    """Compute and cache data that each process needs in its first run: the catalogue, or derivatives and real paths."""
    if "torch" in sys.modules:
        importlib.import_module("pdt_annotate.processes.server").warm_up()
        importlib.import_module("pdt_annotate.observers.files").imported_elsewhere(HERE)
    else:
        importlib.import_module("pdt_annotate.findings.catalogue").entries()


def make_forks_cheap() -> None:
    """Exclude all existing objects from garbage collection, and use huge pages: a fork takes 8 ms instead of 15."""
    gc.collect()
    gc.freeze()  # objects that are not visited are not copied for a fork
    huge, collapse = 2**21, 25  # since Linux 6.1
    with contextlib.suppress(OSError, AttributeError):  # other systems
        for line in Path("/proc/self/maps").read_text().splitlines():
            if found := re.fullmatch(r"(\w+)-(\w+) rw-p \w+ \S+ 0 *(\[heap\])?", line):
                first, end = -(-int(found[1], 16) // huge) * huge, int(found[2], 16) // huge * huge
                if first < end:
                    ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(end - first), collapse)


def draw_once(hypothesis: ModuleType) -> None:
    """Make hypothesis read the constants of all modules, as each process does when it first generates values."""
    strategies, configuration = hypothesis.strategies, hypothesis.configuration
    configuration.set_hypothesis_home_dir(HYPOTHESIS)
    settings = hypothesis.settings(database=None, phases=[hypothesis.Phase.generate])
    hypothesis.find(strategies.lists(strategies.floats(), min_size=99), any, settings=settings, random=Random(0))
    configuration.set_hypothesis_home_dir(os.devnull)


def serve(listener: socket.socket) -> tuple[Start, list[int]]:
    """Fork for every request. Returns only in the forks, with the request."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    bell, rung = socket.socketpair(AF_UNIX)
    for end in (bell, rung):
        end.setblocking(False)
    signal.set_wakeup_fd(rung.fileno())
    clients: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([0, bell.fileno(), listener.fileno()], [], [])
        if 0 in ready:
            os._exit(0)
        if bell.fileno() in ready:
            bell.recv(4096)
            tell_ends(clients)
        if listener.fileno() in ready:
            client, _ = listener.accept()
            request = receive(client)
            if request is None or is_shadowed(request[0]):
                tell(client, False)
                client.close()
            elif pid := fork():
                clients[pid] = client
                tell(client, True, pid)
            else:
                return request
            for descriptor in request[1] if request else ():
                os.close(descriptor)


def tell_ends(clients: dict[int, socket.socket]) -> None:
    """Reap every fork that has ended, and send its status to the client."""
    for pid in list(clients):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            with clients.pop(pid) as client:
                tell(client, status)


def tell(client: socket.socket, *numbers: int) -> None:
    """Send numbers to a client, which a test may have killed."""
    with contextlib.suppress(OSError):
        client.sendall(b"".join(map(NUMBER.pack, numbers)))


def receive(client: socket.socket) -> tuple[Start, list[int]] | None:
    """A request, with its descriptors; None if the client has closed the connection."""
    try:
        size, sent, _, _ = socket.recv_fds(client, NUMBER.size, MOST_DESCRIPTORS)
        return json.loads(receive_bytes(client, *NUMBER.unpack(size))), sent
    except (OSError, ValueError, struct.error):
        return None


def receive_number(connection: socket.socket) -> int:
    answer = receive_bytes(connection, NUMBER.size)
    return int(NUMBER.unpack(answer)[0]) if answer else KILLED


def receive_bytes(connection: socket.socket, size: int) -> bytes:
    """This number of bytes; none if the other end is closed."""
    received = b""
    while len(received) < size:
        more = connection.recv(size - len(received))
        if not more:
            return b""
        received += more
    return received


def search_path(start: Start) -> list[str]:
    """The directories that an interpreter searches before its own."""
    given = start["environment"].get("PYTHONPATH", "")
    how, what, *_ = start["words"]
    first = {"-P": [], "-c": [""], "-m": [start["cwd"]]}.get(how, [os.path.dirname(what)])
    return [*first, *filter(None, given.split(os.pathsep))]


def is_shadowed(start: Start) -> bool:
    """Whether such an interpreter would import another module than one that is imported here."""
    names = {name.partition(".")[0] for name in sys.modules} | {"sitecustomize", "usercustomize"}
    places = {place or start["cwd"] for place in search_path(start)}
    return any(names & names_in(place) for place in places.difference(OURS))


def names_in(place: str) -> set[str]:
    """The names of the modules that may be in a directory."""
    found = os.listdir(place) if os.path.isdir(place) else []
    return {name.removesuffix(".py") for name in found if name.endswith(".py") or "." not in name}


def become(start: Start, sent: list[int], path: list[str]) -> None:
    """Become the requested interpreter, and run its program."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if start["own_session"]:
        setsid()
    os.chdir(start["cwd"])
    os.environ.clear()
    os.environ.update(start["environment"])
    sys.dont_write_bytecode = start["words"][0] == "-B" or bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    place_descriptors(start["descriptors"], sent)
    if start["first"]:
        module, name = start["first"]
        getattr(importlib.import_module(module), name)()
    open_streams()
    sys.path[:] = [*search_path(start), *path]
    sys.path_importer_cache.clear()
    run(start["words"])


def place_descriptors(wanted: list[int], sent: list[int]) -> None:
    """Assign the requested numbers to the received descriptors, and close all others."""
    above = max(*wanted, *sent) + 1
    for place, descriptor in enumerate(sent):
        os.dup2(descriptor, above + place)
    for place, number in enumerate(wanted):
        os.dup2(above + place, number)
    for low, high in itertools.pairwise([-1, *sorted(wanted), os.sysconf("SC_OPEN_MAX")]):
        if low + 1 < high:
            os.closerange(low + 1, high)


def open_streams() -> None:
    """Open the standard streams as an interpreter does at its start."""
    unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    for number, (name, mode, errors) in enumerate(STREAMS):
        raw = open(number, mode, 0 if unbuffered and number else -1, closefd=False)  # noqa: SIM115  (to the end)
        encoding = getattr(sys, f"__{name}__").encoding
        by_line = number == 2 or os.isatty(number)
        stream = io.TextIOWrapper(raw, encoding, errors, line_buffering=by_line, write_through=unbuffered)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run(words: list[str]) -> None:
    how, what, *arguments = words[words[0] == "-P" :]
    sys.argv[:] = [what if how == "-B" else how, *arguments]
    if how == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    elif how == "-B":
        runpy.run_path(os.path.abspath(what), run_name="__main__")
    else:
        scope = sys.modules["__main__"] = ModuleType("__main__")
        exec(what, vars(scope))


if __name__ == "__main__":
    main()

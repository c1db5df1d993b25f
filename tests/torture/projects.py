"""What several classes of attacks need: projects to run the tool in, the tool as a stranger starts it, what it leaves.

Standard library only, and nothing of the package is imported here.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tally import BUG, LEFT

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures"
TOOL = str(REPOSITORY)
"""Where an attack finds the package; the stubs are elsewhere."""
MARK = "TORTURE_RUN"
"""In the environment of every run, and so of all that it starts: what is left of it can be found."""
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "COVERAGE_PROCESS_START")
TIMEOUT = 120
BUG_CODES = (70, 120)

PART = """\
from torch import nn


class Part{n}(nn.Module):
    def forward(self, x, scale, mask=None):
        if mask is not None:
            x = x + mask
        return x * scale
"""
NET = """\
from torch import nn

{imports}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([{parts}])

    def forward(self, x, mask=None):
        for index, part in enumerate(self.parts):
            x = part(x, index + 1, mask)
        return x
"""
INPUTS = "import torch\n\nexample_inputs = [(torch.ones(2),), (torch.ones(2), torch.ones(2))]\n"


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory of the class's own, gone afterwards, whatever modes were set in it."""
    folder = Path(tempfile.mkdtemp(prefix="pdt-torture-")).resolve()
    try:
        yield folder
    finally:
        for directory, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                os.chmod(directory, 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def write_project(folder: Path, files: int = 12) -> Path:
    """A project of many small modules, of which a run of `pkg.net:Net` on `inputs.py` annotates every one."""
    package = folder / "pkg"
    package.mkdir(parents=True)
    numbers = range(files - 1)
    for number in numbers:
        (package / f"part{number}.py").write_text(PART.format(n=number))
    imports = "\n".join(f"from pkg.part{number} import Part{number}" for number in numbers)
    parts = ", ".join(f"Part{number}()" for number in numbers)
    (package / "net.py").write_text(NET.format(imports=imports, parts=parts))
    (package / "__init__.py").write_text("")
    (folder / "inputs.py").write_text(INPUTS)
    (folder / "pyproject.toml").write_text('[project]\nname = "attacked"\n')
    return folder


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Of a run: nothing of ours but the way to the package, and a home of its own."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"PYTHONPATH": TOOL, "HOME": str(home), "COLUMNS": "120", MARK: uuid.uuid4().hex}
    return {**kept, **own, **(more or {})}


@dataclass(frozen=True)
class Ran:
    """How a run ended: the exit code, negative for a signal, and what it said."""

    words: tuple[str, ...]
    code: int
    out: bytes
    err: bytes
    left: tuple[str, ...] = ()
    """The processes that outlived it."""

    @property
    def said(self) -> str:
        return (self.out + self.err).decode("utf-8", "backslashreplace")

    def faults(self) -> list[tuple[str, str]]:
        """What no run may end with, for `Tally.count`."""
        found = [(LEFT, f"processes: {each}") for each in self.left]
        if self.code in BUG_CODES or "Traceback (most recent call last)" in self.said:
            found.append((BUG, f"{self.words}: exit {self.code}: {self.said[-600:]}"))
        return found


def start(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start the tool in a session of its own, with the words of a command line."""
    command = [sys.executable, "-m", "pdt_annotate", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, start_new_session=True
    )


def finish(process: subprocess.Popen[bytes], env: Mapping[str, str], timeout: float = TIMEOUT) -> Ran:
    """Wait for a started tool; one that takes too long is killed, with all that it started, and left processes."""
    try:
        out, err = process.communicate(timeout=timeout)
        left = left_processes(env)
    except subprocess.TimeoutExpired:
        left = [f"the run itself, after {timeout} s", *left_processes(env)]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    words = [str(word) for word in process.args] if isinstance(process.args, list) else []
    return Ran(tuple(words[words.index("pdt_annotate") + 1 :]), process.returncode, out, err, tuple(left))


def run_tool(words: Sequence[str], folder: Path, env: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> Ran:
    """Run the tool in a folder, by default with a home beside it."""
    env = environment(folder.parent / f"{folder.name}-home") if env is None else env
    return finish(start(words, folder, env), env, timeout)


def prepare(words: Sequence[str], folder: Path) -> Ran:
    """Run what an attack needs before it is made, by the tool itself whatever is attacked."""
    ran = run_tool(words, folder, environment(folder.parent / "prepared-home", {"PYTHONPATH": str(REPOSITORY)}))
    if ran.code:
        raise RuntimeError(ran.said)
    return ran


def left_processes(env: Mapping[str, str], seconds: float = 2) -> list[str]:
    """The processes that a run started and that are there still, after a moment in which to end; where /proc has them.

    They are killed. Zombies, which nobody has waited for yet, count as ended.
    """
    deadline = time.monotonic() + seconds
    while (found := _marked(env[MARK])) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return [f"{process} {command}" for process, command in found.items()]


def _marked(mark: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is not ours
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found


Entries = Mapping[str, tuple[str, bytes, int]]


def entries(folder: Path) -> Entries:
    """What lies below a folder, but for Python's own cache: by path, the content and mode, or where a link leads."""
    found = {}
    for directory, names, files in os.walk(folder):
        names[:] = [name for name in names if name != "__pycache__"]
        for name in (*names, *files):
            path = os.path.join(directory, name)
            found[os.path.relpath(path, folder)] = _describe(path)
    return found


def _describe(path: str) -> tuple[str, bytes, int]:
    status = os.lstat(path)
    if os.path.islink(path):
        return "link", os.fsencode(os.readlink(path)), 0
    if os.path.isfile(path):
        with open(path, "rb") as stream:
            return "file", stream.read(), status.st_mode
    return "other", b"", status.st_mode

"""A module may do anything: the output describes it in our words, and no file or process is lost or left.

A file of tests/hostile contains modules of one kind. Each module begins with its name and a description of its attack.
These optional comments follow:

    # === exits: ends its process in a call
    # exit: 2                       the exit code, or several if it depends on threads (default: 0)
    # says: your code raised        words in the output, without regard to white space; may be repeated
    # target: make                  default: Net
    # arg: 3                        an argument of the one call, as for `--arg`; default: f32[2,3] and 2
    # timeout: 5                    seconds for one run of its code; default: 20
    # leaves: notes.txt             a file that the module itself writes into its folder
    # prints: control characters    characters that a terminal would obey, and that the module prints itself
    # bytes: latin-1                the encoding of its file; default: utf-8
    # forward: sys.exit(3)          a line of `Net.forward(self, x, times)`; default: return x * times
    # init: self.n = 3              a line of `Net.__init__`, after the line that calls the base class
    # may change its source         the module writes to its own file

`IMPORTS` come before each module. A module without a `Net` and without another target has one of those methods. The
output must name the line that ends with the comment `# here`. A run that ends with 0 has written the types of the call
and reports this. A run that ends with 2 names the file or the phase, unless `says` has other words. A run that ends
with 3 names the target and a finding. Runs that end with 2 or 3 have written nothing.
"""

import ast
import contextlib
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from projects import REPOSITORY
from tally import BUG, LEFT, LOST, WRONG, Means, Tally, side_by_side

from pdt_annotate.source.text import parse_module

sys.path.insert(0, str(REPOSITORY / "tests" / "helpers"))

import warm_interpreters

LEAST = 90
FOLDER = REPOSITORY / "tests" / "hostile"
PATIENCE = 60
"""The time limit of a run, in seconds. A normal run takes less than a tenth of it."""
PR_SET_CHILD_SUBREAPER = 36

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|^::", re.MULTILINE)
OURS = re.compile(
    r'^Traceback \(most recent call last\):\n(?:[ \t].*\n)*?  File "[^"\n]*[/\\]pdt_annotate[/\\]', re.MULTILINE
)
PHASES = "importing|reading|building|moving the module|call 1|compiling"
"""The phases in the messages of runs that the user's code ended."""
REWRITES = "may change its source"
KNOWN = {"exit", "says", "target", "arg", "timeout", "leaves", "prints", "bytes", "forward", "init", REWRITES}
MODULE = re.compile(r"^# === (?P<name>\w+): (?P<what>.*)\n(?P<said>(?:# .+\n)*)", re.MULTILINE)
IMPORTS = "import builtins, ctypes, functools, os, signal, subprocess, sys, threading, time, warnings\nimport torch\n"
NET = """
class Net(torch.nn.Module):
    def __init__(self):
        {}

    def forward(self, x, times):
        {}

"""


@dataclass(frozen=True)
class Module:
    """A hostile module, and the expected result."""

    name: str
    text: str
    said: dict[str, list[str]] = field(hash=False)

    @property
    def file(self) -> str:
        return f"{self.name.partition('/')[2]}.py"

    @property
    def source(self) -> bytes:
        return self.text.encode(self.said.get("bytes", ["utf-8"])[0])

    @property
    def target(self) -> str:
        return self.said.get("target", ["Net"])[0]

    def words(self) -> list[str]:
        calls = [word for arg in self.said.get("arg", ["f32[2,3]", "2"]) for word in ("--arg", arg)]
        timeout = self.said.get("timeout", ["20"])[0]
        return [f"{self.file}:{self.target}", *calls, "--timeout", timeout, "--no-probe"]

    def expected(self, code: int) -> Iterator[str]:
        """Patterns of the output of a run with this exit code."""
        yield from (re.escape(" ".join(words.split())) for words in self.said.get("says", ()))
        name = re.escape(self.file)
        line = next((n for n, line in enumerate(self.text.split("\n"), 1) if line.endswith("  # here")), 0)
        yield from [rf"{name}:{line}\b"] * bool(line)
        if code == 0:
            yield r"wrote \d+ annotations? into 1 file"
        elif code == 2:
            yield from ["error: ", *([] if "says" in self.said else [rf"{name}\b|{PHASES}"])]
        elif code == 3:
            yield from (rf"{name}:{re.escape(self.target)} ", r"PDT\d{3}", "nothing was written")


def run(means: Means, tally: Tally) -> None:
    """Run each module of tests/hostile once, or as many of them as there is time for."""
    with contextlib.suppress(OSError, AttributeError):  # orphaned processes become children of this process
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    every = [module for file in sorted(FOLDER.glob("*.py")) for module in _read(file)]
    modules = means.random("modules").sample(every, min(len(every), means.times(len(every))))
    try:
        with warm_interpreters.install():
            for server in warm_interpreters.WORDS:  # otherwise a module's run starts it, in its folder
                warm_interpreters.WarmPopen.servers.launch(server)
            side_by_side(lambda module: _attack(module, folder / module.name, tally), modules)
            orphans = list(_orphans())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for pid, words in orphans:
        tally.count("after all modules", (LEFT, f"process {pid}: {words}"))


def _read(file: Path) -> Iterator[Module]:
    text = file.read_text("utf-8")
    heads = list(MODULE.finditer(text))
    for head, after in zip_longest(heads, heads[1:]):
        said: dict[str, list[str]] = defaultdict(list)
        for line in head["said"].splitlines():
            key, _, value = line.removeprefix("# ").partition(": ")
            if key not in KNOWN:
                raise ValueError(f"{file}: what does {line!r} say of {head['name']}?")
            said[key].append(value if key in ("forward", "init") else value.strip())
        body = text[head.end() : after.start() if after else None].strip("\n")
        init, forward = ["super().__init__()", *said["init"]], said.get("forward", ["return x * times"])
        net = (
            ""
            if "target" in said or re.search(r"^(class Net\b|Net = |from zipped)", body, re.MULTILINE)
            else NET.format(*map("\n        ".join, (init, forward)))
        )
        yield Module(f"{file.stem}/{head['name']}", f"{IMPORTS}{net}\n{body}\n", dict(said))


def _attack(module: Module, place: Path, tally: Tally) -> None:
    """Run the tool on a module in an empty folder, which is the project, the home and the temporary directory."""
    project, home, temporary = place / "project", place / "home", place / "tmp"
    for each in (project, home, temporary):
        each.mkdir(parents=True)
    file = project / module.file
    file.write_bytes(module.source)
    code, output = _run(module.words(), project, home, temporary)
    made = {module.file, "__pycache__", *module.said.get("leaves", ())}
    kept = [path.name for path in (*project.iterdir(), *temporary.iterdir()) if path.name not in made]
    fell = [(LEFT, name) for name in kept if not name.startswith("torchinductor_")]  # the cache of torch
    fell += [*_judge(module, code, output), *_judge_source(module, code, file.read_bytes() if file.is_file() else b"")]
    fell += [(LEFT, f"process {pid} in {cwd}") for pid, cwd in _processes_in(place)]
    tally.count(module.name, *fell)
    shutil.rmtree(place, ignore_errors=True)


def _run(words: list[str], project: Path, home: Path, temporary: Path) -> tuple[int, str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PDT_", "GITHUB_"))}
    environment |= {"HOME": str(home), "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(home / ".cache")}
    with subprocess.Popen(
        [sys.executable, "-m", "pdt_annotate", *words],
        cwd=project,
        env=environment | {"COLUMNS": "400"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += b"\nnever ended"
        return process.returncode, output.decode("utf-8", "backslashreplace")


def _judge(module: Module, code: int, output: str) -> Iterator[tuple[str, str]]:
    told = " ".join(output.split())
    if code in (70, 120) or OURS.search(output):
        yield BUG, f"exit {code}: {told[-300:]}"
        return
    exits = set(map(int, " ".join(module.said.get("exit", ["0"])).split()))
    if code not in exits:
        yield WRONG, f"exit {code}, not {exits}: {told[-300:]}"
    if missing := [words for words in module.expected(code) if not re.search(words, told)]:
        yield WRONG, f"exit {code}, and it does not say {missing}: {told[-300:]}"
    if "prints" not in module.said and (found := CONTROL.search(output)):
        yield WRONG, f"it prints {found[0]!r}"


def _judge_source(module: Module, code: int, after: bytes) -> Iterator[tuple[str, str]]:
    """A written file parses, has the annotation of the call, and is otherwise unchanged. If not, nothing is written."""
    if REWRITES in module.said:
        return
    if (after != module.source) is not (code == 0):
        yield LOST, f"exit {code}, and the source has{'' if after != module.source else ' not'} changed"
    if code:
        return
    try:
        if _without_annotations(module.source) != _without_annotations(after):
            yield LOST, "what was written is another program"
    except SyntaxError as error:
        yield LOST, f"what was written does not parse: {error}"
    if "arg" not in module.said and b"times: int" not in after:
        yield WRONG, f"`times` is not annotated: {after[-300:]!r}"


def _without_annotations(source: bytes) -> str:
    """The functions and statements of a source, without annotations and imports."""
    tree = parse_module(source)  # modules are tested in threads
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.dump(tree)


def _processes_in(place: Path) -> Iterator[tuple[int, str]]:
    """Find the processes whose working directory is in a folder, and end them."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            cwd = os.readlink(entry / "cwd")
            if Path(cwd).is_relative_to(place):
                yield int(entry.name), cwd
                os.kill(int(entry.name), signal.SIGKILL)


def _orphans() -> Iterator[tuple[int, str]]:
    """Find children that were not started here, and end them."""
    known = {server.pid for server in warm_interpreters.WarmPopen.servers.running}
    for pid in map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
        if pid not in known:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                if state != "Z":
                    yield pid, words

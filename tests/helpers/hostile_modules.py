"""The modules of tests/hostile: what each says of itself in its first comments, a run of the tool on it, and what fell.

A file there holds modules of one kind. Each begins with its name and what it does that is nasty. Comments follow, each
optional:

    # === exits: ends its process in a call
    # exit: 2                       the exit code; several, where threads decide (default: 0)
    # says: your code raised        words that the output has, white space aside; may stand several times
    # target: make                  default: Net
    # arg: 3                        an argument of the one call, as `--arg` has it; default: f32[2,3] and 2
    # timeout: 5                    seconds for one run of its code; default: 20
    # leaves: notes.txt             a file that the module itself makes in its folder
    # prints: control characters    what a terminal would obey, and the module has printed itself
    # bytes: latin-1                how it is written into its file; default: utf-8
    # may change its source         the module writes to its own file

Behind `import torch`, a module without a `Net` and without another target has one that returns `x * times`. The output
names the line that ends in the comment `# here`. A run that ends with 0 has written the types of the call and says so;
one with 2 names the file or what was being done, unless `says` has other words; one with 3 names the target and a
finding. The last two have written nothing.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from repository import ROOT

from pdt_annotate.source.text import parse_module

FOLDER = ROOT / "tests" / "hostile"
PATIENCE = 60
"""Seconds after which a run is one that never ends; none takes a tenth of it."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
OURS = re.compile(
    r'^Traceback \(most recent call last\):\n(?:[ \t].*\n)*?  File "[^"\n]*[/\\]pdt_annotate[/\\]', re.MULTILINE
)
COMMAND = re.compile(r"^::", re.MULTILINE)
WROTE = r"wrote \d+ annotations? into 1 file"
PHASES = "importing|reading|building|moving the module|call 1|compiling"
"""What was being done when the user's code ended a run."""
KNOWN = {"exit", "says", "target", "arg", "timeout", "leaves", "prints", "bytes"}
REWRITES = "may change its source"
MODULE = re.compile(r"^# === (?P<name>\w+): (?P<what>.*)\n(?P<said>(?:# .+\n)*)", re.MULTILINE)
NET = """
class Net(torch.nn.Module):
    def forward(self, x, times):
        return x * times

"""


@dataclass(frozen=True)
class Module:
    """A hostile module, and what has to come of it."""

    kind: str
    stem: str
    text: str
    said: dict[str, list[str]] = field(hash=False)

    @property
    def name(self) -> str:
        return f"{self.kind}/{self.stem}"

    @property
    def file(self) -> str:
        return f"{self.stem}.py"

    @property
    def source(self) -> bytes:
        return self.text.encode(self.said.get("bytes", ["utf-8"])[0])

    @property
    def exits(self) -> set[int]:
        return set(map(int, " ".join(self.said.get("exit", ["0"])).split()))

    @property
    def line(self) -> int:
        """The line that has to be named; 0 where none has to."""
        return next((n for n, line in enumerate(self.text.split("\n"), 1) if line.endswith("  # here")), 0)

    @property
    def target(self) -> str:
        return self.said.get("target", ["Net"])[0]

    def arguments(self) -> list[str]:
        calls = [word for arg in self.said.get("arg", ["f32[2,3]", "2"]) for word in ("--arg", arg)]
        timeout = self.said.get("timeout", ["20"])[0]
        return [f"{self.file}:{self.target}", *calls, "--timeout", timeout, "--no-probe"]


@dataclass(frozen=True)
class Ran:
    """What came of a run: its exit code and output, and what it left in its folders."""

    code: int
    output: str
    source: bytes
    left: tuple[str, ...]


def hostile_modules() -> list[Module]:
    return [module for file in sorted(FOLDER.glob("*.py")) for module in _read(file)]


def _read(file: Path) -> Iterator[Module]:
    text = file.read_text("utf-8")
    heads = list(MODULE.finditer(text))
    for head, after in zip_longest(heads, heads[1:]):
        said: dict[str, list[str]] = defaultdict(list)
        for line in head["said"].splitlines():
            key, _, value = line.removeprefix("# ").partition(": ")
            if key not in KNOWN and key != REWRITES:
                raise ValueError(f"{file}: what does {line!r} say of {head['name']}?")
            said[key].append(value.strip())
        body = text[head.end() : after.start() if after else None].strip("\n")
        net = "" if "target" in said or re.search(r"\bNet\b", body) else NET
        yield Module(file.stem, head["name"], f"import torch\n{net}\n{body}\n", dict(said))


def run_hostile(module: Module, folder: Path) -> Ran:
    """Run the tool on a module in an empty folder, which is the project, the home and the temporary place."""
    project, home, temporary = folder / "project", folder / "home", folder / "tmp"
    for place in (project, home, temporary):
        place.mkdir(parents=True)
    file = project / module.file
    file.write_bytes(module.source)
    code, output = _run(module.arguments(), project, home, temporary)
    made = {module.file, "__pycache__", *module.said.get("leaves", ())}
    kept = [path.name for path in (*project.iterdir(), *temporary.iterdir()) if path.name not in made]
    names = [name for name in kept if not name.startswith("torchinductor_")]  # torch's own cache
    return Ran(code, output, file.read_bytes() if file.is_file() else b"", tuple(names))


def _run(words: list[str], project: Path, home: Path, temporary: Path) -> tuple[int, str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PDT_", "GITHUB_"))}
    environment |= {"HOME": str(home), "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(home / ".cache")}
    environment["COLUMNS"] = "400"
    with subprocess.Popen(
        [sys.executable, "-m", "pdt_annotate", *words],
        cwd=project,
        env=environment,
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


LOST, BUG, LEFT, WRONG = "lost", "exit 70", "left behind", "wrong"


def what_fell(module: Module, ran: Ran) -> Iterator[tuple[str, str]]:
    """By kind, as in tests/torture/tally.py, what of a run should not be."""
    told = " ".join(ran.output.split())
    if ran.code in (70, 120) or OURS.search(ran.output):
        yield BUG, f"exit {ran.code}: {told[-300:]}"
        return
    if ran.code not in module.exits:
        yield WRONG, f"exit {ran.code}, not {module.exits}: {told[-300:]}"
    missing = [words for words in module.said.get("says", ()) if " ".join(words.split()) not in told]
    if module.line:
        missing += [f"{module.file}:{module.line}"] * (f"{module.file}:{module.line}" not in told)
    if missing := [*missing, *_unsaid(module, ran.code, told)]:
        yield WRONG, f"exit {ran.code}, and it does not say {missing}: {told[-300:]}"
    if found := [] if "prints" in module.said else [*CONTROL.findall(ran.output), *COMMAND.findall(ran.output)]:
        yield WRONG, f"it prints {found[0]!r}"
    if ran.left:
        yield LEFT, ", ".join(ran.left)
    yield from _judge_source(module, ran)


def _unsaid(module: Module, code: int, told: str) -> Iterator[str]:
    """What every run says that ends with this code, and this one does not."""
    name = re.escape(module.file)
    target = rf"{name}:{re.escape(module.target)} "
    expected = {
        0: [WROTE],
        2: ["error: ", *([] if "says" in module.said else [rf"{name}\b|{PHASES}"])],
        3: [target, r"PDT\d{3}", "nothing was written"],
    }
    yield from (words for words in expected.get(code, ()) if not re.search(words, told))


def _judge_source(module: Module, ran: Ran) -> Iterator[tuple[str, str]]:
    """What is written parses, has the annotation that the call shows, and is otherwise what it was; else nothing is."""
    before = module.source
    if REWRITES in module.said:
        return
    if (ran.source != before) is not (ran.code == 0):
        yield LOST, f"exit {ran.code}, and the source has{'' if ran.source != before else ' not'} changed"
    if ran.code:
        return
    try:
        same = _without_annotations(before) == _without_annotations(ran.source)
    except SyntaxError as error:
        yield LOST, f"what was written does not parse: {error}"
        return
    if not same:
        yield LOST, "what was written is another program"
    if "arg" not in module.said and b"times: int" not in ran.source:
        yield WRONG, f"`times` is not annotated: {ran.source[-300:]!r}"


def _without_annotations(source: bytes) -> str:
    """The functions and statements of a source, but for annotations and imports."""
    tree = parse_module(source)  # modules are judged in threads
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
    tree.body = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.dump(tree)

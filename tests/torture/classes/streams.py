"""With any streams, directory and environment, a command ends with a message and one of our exit codes."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from projects import TIMEOUT, Ran, environment, run_tool, scratch
from tally import BUG, WRONG, Means, Tally, side_by_side

LEAST = 130
TIMES = 110
INTERRUPTS = 30
INTERRUPTED = 130

Words = tuple[str, ...]
QUICK: Sequence[Words] = (
    ("--help",),
    ("--version",),
    ("explain",),
    ("--show-settings",),
    ("init", "m:Net", "-o", "-"),
    ("clean",),
    ("hook", "none.py"),
    ("m.py:Net", "-i", "no.py"),
    ("m.py:Nott", "-i", "inputs.py"),
    ("--no-such-option",),
)
WHOLE: Sequence[Words] = (
    ("m.py:Net", "-i", "inputs.py", "--diff"),
    ("m.py:Net", "-i", "inputs.py", "--check", "--json", "-"),
    ("m.py:Evil", "-i", "inputs.py", "--diff"),
)
DONE_ALWAYS, SILENT, REFUSED_ALWAYS = ("--version",), ("clean",), ("--no-such-option",)
"""Commands that always succeed, that succeed even if stdout is lost, and that always fail."""
Expected = Mapping[Words, Ran]
"""The result of each command without a fault."""
EVIL = r"\x1b]0;owned\x07\n::set-env name=OWNED::1\n ##[set-env]1\u202e"
MODEL = f"""\
from torch import nn


class Net(nn.Module):
    def forward(self, x, n):
        return x * n


class Evil(nn.Module):
    def forward(self, x, n):
        raise ValueError("{EVIL}")
"""
INPUTS = f"""\
import torch
from pdt_annotate import Call

example_inputs = [Call(args=(torch.ones(2), 3), name="{EVIL}")]
"""
BEGIN = "import os, pdt_annotate.__main__ as entry; os.write(int(os.environ['BEGUN']), b'x'); entry.main()"
"""The tool, which signals its start: before it, an interrupt is not handled by our code."""


@dataclass(frozen=True)
class Fault:
    """A fault for a command: a redirection of the shell, the environment, and commands that run before.

    `refused` is the message of a command that is refused because of the fault.
    """

    name: str
    redirect: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    is_lossy: bool = False
    """Whether output to stdout is lost. A command that would have succeeded must then report this."""
    before: str = ""
    refused: str = ""


FAULTS = (
    Fault("stdout is full", ">/dev/full", is_lossy=True),
    Fault("stdout is closed", ">&-", is_lossy=True),
    Fault("stderr is full", "2>/dev/full"),
    Fault("stderr is closed", "2>&-"),
    Fault("all are closed", "<&- >&- 2>&-", is_lossy=True),
    Fault("stdin is closed", "<&-"),
    Fault("stdout is for reading", "1</dev/null", is_lossy=True),
    Fault("a reader leaves at once", "| true"),
    Fault("a reader leaves after a line", "| head -n 1 >/dev/null"),
    Fault("a reader of both leaves", "2>&1 | head -c 1 >/dev/null"),
    Fault("warnings are errors", more={"PYTHONWARNINGS": "error"}),
    Fault("locale C", more={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    Fault("ASCII alone", more={"PYTHONIOENCODING": "ascii"}),
    Fault("no home", without=("HOME",)),
    Fault("a home that is none", more={"HOME": "/dev/null", "XDG_CACHE_HOME": "relative"}),
    Fault("columns that are no number", more={"COLUMNS": "many", "NO_COLOR": "", "FORCE_COLOR": "1"}),
    Fault("on GitHub's runner", more={"GITHUB_ACTIONS": "true"}),
    Fault(
        "settings that are no text",
        more={"PDT_ANNOTATE_TIMEOUT": "\udcff", "PDT_ANNOTATE_ROOT": "\udcff\x1b[31m"},
        refused="PDT_ANNOTATE_TIMEOUT must be a number",
    ),
    Fault(
        "no working directory", before='cd "$(mktemp -d)"; rmdir "$PWD";', refused="working directory no longer exists"
    ),
)
NAMES = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
NAMES += ["torch", "cuda", "nn", "numpy", "sympy", "networkx", "jinja2", "libcst", "click", "rich", "yaml", "packaging"]
DONE, REFUSED = 0, 2


def run(means: Means, tally: Tally) -> None:
    with scratch() as folder:
        project = folder / "project"
        project.mkdir()
        (project / "m.py").write_text(MODEL)
        (project / "inputs.py").write_text(INPUTS)
        (project / "pyproject.toml").write_text('[project]\nname = "attacked"\n')
        sound = environment(folder / "sound-home")
        attacks = [(words, fault) for words in (*QUICK, *WHOLE) for fault in FAULTS]
        drawn = means.random("streams").sample(attacks, min(len(attacks), means.times(TIMES)))
        interrupted = [
            WHOLE[0] if number % 4 == 3 else QUICK[number % len(QUICK)] for number in range(means.times(INTERRUPTS))
        ]
        needed = {*(words for words, _ in drawn), *interrupted, DONE_ALWAYS, SILENT, REFUSED_ALWAYS}
        expected = {words: run_tool(words, project, sound) for words in sorted(needed)}
        side_by_side(lambda attack: _attack(project, *attack, expected, tally), drawn)
        delays = [(words, means.random("interrupt", number).random()) for number, words in enumerate(interrupted)]
        side_by_side(lambda item: _interrupt(project, *item, expected, tally), delays)
        for place in (project, folder):
            _stand_in_the_way(project, place, sound, tally)


def _stand_in_the_way(project: Path, here: Path, env: Mapping[str, str], tally: Tally) -> None:
    """Run the tool in a project whose files have the names of modules that the tool imports."""
    mark = project.parent / "imported"
    for name in NAMES:
        (project / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write('{name} ')\nraise ImportError\n")
    (project / "add.py").write_text("def add(x, n):\n    return x + n\n")
    ran = run_tool((f"{project}/add.py:add", "-a", "3", "-a", "4", "--diff", "--root", str(project)), here, env)
    fell = [(WRONG, f"imported: {mark.read_text()}")] if mark.exists() else []
    fell += [] if ran.code == 0 and "+def add(x: int, n: int):" in ran.said else [(WRONG, ran.said[-300:])]
    tally.count(f"{len(NAMES)} files with the names of modules, run in {here.name}", *ran.faults(), *fell)


def _attack(project: Path, words: Words, fault: Fault, expected: Expected, tally: Tally) -> None:
    """Run a command, and as a control another command that must have another result."""
    after = _meet(project, words, fault)
    control = REFUSED_ALWAYS if after.code != REFUSED else SILENT if fault.is_lossy else DONE_ALWAYS
    fell = [*_judge(after, expected[words], fault)]
    fell += _judge(_meet(project, control, fault), expected[control], replace(fault, refused=""))
    tally.count(f"{' '.join(words)}: {fault.name}", *fell)


def _meet(project: Path, words: Words, fault: Fault) -> Ran:
    env = environment(project.parent / "home", fault.more)
    env = {name: value for name, value in env.items() if name not in fault.without}
    # The exit code is written to a file, because the shell's own streams are broken.
    handle, said = tempfile.mkstemp(dir=project.parent)
    os.close(handle)
    script = f'set -o pipefail; {fault.before} {{ "$@"; echo $? >"{said}"; }} {fault.redirect}'
    command = ["bash", "-c", script, "bash", sys.executable, "-m", "pdt_annotate", *words]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, timeout=TIMEOUT, check=False)
    return Ran(int(Path(said).read_text()), done.stdout, done.stderr)


def _judge(after: Ran, ran: Ran, fault: Fault) -> Iterator[tuple[str, str]]:
    yield from after.faults()
    code = REFUSED if fault.is_lossy and ran.code == DONE and ran.out else ran.code
    is_refused = fault.refused and after.code == REFUSED and fault.refused in after.said
    if after.code != code and not is_refused:
        yield WRONG, f"exit {after.code}, and {code} was due: {after.said[-300:]}"
    # The output must not contain controls for a terminal or a runner, except the tool's own colours and commands.
    if found := re.search(r"\x1b]|\x07|\u202e|##\[set|^\s*::set-env", after.said, re.MULTILINE):
        yield WRONG, f"raw: {found[0]!a}"


def _interrupt(project: Path, words: Words, share: float, expected: Expected, tally: Tally) -> None:
    """Ctrl-C at a random time between the start and the end of the tool. A run that has ended is a normal run."""
    reader, writer = os.pipe()
    env = environment(project.parent / "home", {"BEGUN": str(writer)})
    command = [sys.executable, "-c", BEGIN, *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=project, env=env, stdout=pipe, stderr=pipe, pass_fds=[writer], start_new_session=True
    )
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    time.sleep(share * (4 if words == WHOLE[0] else 0.4))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT)
    ran, due = Ran(process.returncode, out, err), expected[words]
    if ran.code == -signal.SIGINT and "pdt_annotate" not in ran.said:
        return  # the signal came before the first line of the tool
    is_told = ran.code == INTERRUPTED or (ran.code, ran.out) == (due.code, due.out)
    wrong = [] if is_told else [(BUG, f"exit {ran.code}: {ran.said[-500:]}")]
    tally.count(f"{' '.join(words)}: Ctrl-C after {share:.3f}", *ran.faults(), *wrong)

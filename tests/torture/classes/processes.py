"""Time is up when it is; no process outlives a run; what ends a child is named."""

import contextlib
import os
import sys
import time
from pathlib import Path

import behaviours
import projects
from tally import BUG, LEFT, WRONG, Means, Tally
from workers import Fell

from pdt_annotate.processes.tasks import PREPARE
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.runs import Candidate, Observed, SpecSource, Target
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import Trial

LEAST = 120
HERE = Path(__file__).resolve().parent.parent
PACKAGE = HERE.parent.parent
TIMEOUT = 1.0
SLOW = 6.0
"""Seconds after which a task that may take one has not been watched."""

SHADOWED = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
OTHERS = ("torch", "cuda", "nn", "numpy", "sympy", "networkx", "jinja2", "libcst", "click", "rich", "yaml", "packaging")


def run(means: Means, tally: Tally) -> None:
    with projects.scratch() as place, open(os.devnull, "wb") as nothing:
        _stand_in_the_way(tally, place)
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (HERE, PACKAGE)))  # where children find the tasks
        with Zygote(timeout=TIMEOUT, output=nothing.fileno()) as zygote:
            with contextlib.suppress(PdtError):
                zygote.session("behaviours:set_up")  # which waits for torch
            _misbehave(zygote, means, tally, place)
            _end_badly(zygote, tally, place)


# --- files that have the name of a module


def _stand_in_the_way(tally: Tally, folder: Path) -> None:
    names = [*SHADOWED, *OTHERS]
    for where in ("here", "project"):
        place, mark = folder / where, folder / f"imported-{where}"
        place.mkdir()
        for name in names:
            text = f"with open({str(mark)!r}, 'a') as file:\n    file.write('{name}\\n')\n"
            (place / f"{name}.py").write_text(f"{text}raise ImportError('of the project')\n")
        (place / "model_here.py").write_text("def add(x, n):\n    return x + n\n")
        words = [f"{place}/model_here.py:add", "-a", "3", "-a", "4", "--diff", "--root", str(place)]
        ran = projects.run_tool(words, place if where == "here" else folder, projects.environment(folder / "home"))
        imported = mark.read_text().split() if mark.exists() else []
        is_done = ran.code == 0 and "+def add(x: int, n: int):" in ran.said
        fell = ran.faults() + [(WRONG, f"{ran.code}: {ran.said[-200:]}")] * (not is_done)
        fell += [(WRONG, f"imported: {imported}")] if imported else []
        tally.count(f"{len(names)} files in {where} with the names of modules", *fell)


# --- user code that harms its process


def _misbehave(zygote: Zygote, means: Means, tally: Tally, folder: Path) -> None:
    every = [(how, when) for how in behaviours.DO for when in ("setup", "task")]
    drawn = means.random("behaviours").sample(every, min(len(every), means.times(len(every))))
    for number, (how, when) in enumerate(drawn):
        begun = time.monotonic()
        fell = _harm(zygote, how, when, folder / f"pid-{number}")
        if (took := time.monotonic() - begun) > SLOW:
            fell.append((WRONG, f"it took {took:.1f} s"))
        tally.count(f"{how} in a {when}", *fell)


def _harm(zygote: Zygote, how: str, when: str, file: Path) -> Fell:
    fell = _tell(zygote, how, when, file)
    if not file.with_suffix(behaviours.BEGUN).exists():
        fell.append((WRONG, "it was never asked to"))
    if how.startswith("leave"):
        fell += [] if file.exists() and _is_gone(int(file.read_text() or 1)) else [(LEFT, "its process")]
    try:
        assert zygote.session("behaviours:set_up").run("behaviours:answer") == "as good as before"
    except Exception as error:
        fell.append((WRONG, f"afterwards: {error!r}"))
    return fell


def _tell(zygote: Zygote, how: str, when: str, file: Path) -> Fell:
    session = None
    try:
        if when == "setup":
            session = zygote.session("behaviours:set_up_badly", how, str(file))
        else:
            session = zygote.session("behaviours:set_up")
            session.run("behaviours:do", how, str(file))
    except UserError as error:
        is_told = not how.startswith("hang") or "did not finish" in error.message
        return [] if is_told else [(WRONG, error.message)]
    except BaseException as error:
        return [(BUG, repr(error)[-300:])]
    finally:
        if session is not None:
            session.close()
            session.await_end(time.monotonic() + SLOW)
    return [(WRONG, "it came back")] if how.startswith("hang") else []


def _is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid}/status")
        with contextlib.suppress(OSError):
            if not status.exists() or "\nState:\tZ" in status.read_text():
                return True
        time.sleep(0.01)
    return False


# --- endings, and what is told of them

ENDINGS = {
    "hang": ("while True: pass", "did not finish"),
    "abort": ("os.abort()", "SIGABRT"),
    "segfault": ("ctypes.string_at(0)", "SIGSEGV"),
    "leave": ("os._exit(6)", "exit status 6"),
    "exit": ("sys.exit(5)", "sys.exit(5)"),
    "lock": ("[lock.acquire() for lock in [threading.Lock()] * 2]", "did not finish"),
}
PHASES = {
    "import": ("{act}", "importing"),
    "build": ("class Net(torch.nn.Module):\n    def __init__(self):\n        {act}", "Net"),
    "call": ("class Net(torch.nn.Module):\n    def forward(self, x):\n        if x == 2:\n            {act}", "call 2"),
    "compile": (
        "class Net(torch.nn.Module):\n    @property\n    def odd(self):\n        {act}\n"
        "    def forward(self, x):\n        return x",
        "compiling",
    ),
}
HEAD = "import ctypes, os, sys, threading, time\nimport torch\n"


def _end_badly(zygote: Zygote, tally: Tally, folder: Path) -> None:
    spec = folder / "two_calls.py"
    spec.write_text("example_inputs = [(1,), (2,)]\n")
    for ending, (act, says) in ENDINGS.items():
        for phase, (body, doing) in PHASES.items():
            if (ending, phase) == ("exit", "compile"):
                continue  # what a compilation came to, as any exception there
            file = folder / f"{ending}_in_{phase}.py"
            file.write_text(HEAD + body.format(act=act) + "\n")
            line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if act in text)
            message, place = _told(zygote, file, spec)
            is_told = says in message and doing in message and (place.file, place.line) == (str(file), line)
            fell = [] if is_told else [(WRONG, f"{message!r} at {place}, not {says!r}, {doing!r}, line {line}")]
            tally.count(f"{ending} in {phase}", *fell)


def _told(zygote: Zygote, file: Path, spec: Path) -> tuple[str, Place]:
    target = Target(f"{file}:Net", "", str(file), "Net")
    try:
        session = zygote.session(PREPARE, target, SpecSource(str(spec)), str(file.parent), {})
        session.run("pdt_annotate.processes.child.observe_target:observe", as_scripted=False, gives=Observed)
        session.run("pdt_annotate.processes.child.attempt:attempt", Candidate(), gives=Trial)
    except UserError as error:
        return error.message, error.place
    return "nothing", NO_PLACE

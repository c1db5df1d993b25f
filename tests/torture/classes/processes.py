"""What a child answers is data; time is up when it is; no process outlives a run; what ends a child is named."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, get_origin

import behaviours
import projects
from tally import BUG, LEFT, WRONG, Means, Tally

from pdt_annotate.processes.tasks import PREPARE
from pdt_annotate.processes.wire import GARBLED, Reply
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.runs import Candidate, Closure, Observed, SpecSource, Target
from pdt_annotate.values.slots import Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

LEAST = 1000
HERE = Path(__file__).resolve().parent.parent
PACKAGE = HERE.parent.parent
TIMEOUT = 1.0
SLOW = 6.0
"""Seconds after which a task that may take one has not been watched."""

SHADOWED = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
OTHERS = ("torch", "cuda", "nn", "numpy", "sympy", "networkx", "jinja2", "libcst", "click", "rich", "yaml", "packaging")

Fell = list[tuple[str, str]]


def run(means: Means, tally: Tally) -> None:
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as nothing:
        place = Path(folder)
        _forge(means, tally, place)
        _stand_in_the_way(tally, place)
        with _importable(), Zygote(timeout=TIMEOUT, output=nothing.fileno()) as zygote:
            with contextlib.suppress(PdtError):
                zygote.session("behaviours:set_up")  # which waits for torch
            _misbehave(zygote, tally, place)
            _end_badly(zygote, tally, place)


# --- forged replies


def _forge(means: Means, tally: Tally, folder: Path) -> None:
    random, mark = means.random("replies"), folder / "ran"
    for index, (type_, message) in enumerate(_messages(random, means.times(2000), mark, tally)):
        fell: Fell = []
        begun = time.monotonic()
        try:
            fell += _misread(message, type_)
        except BaseException as error:
            fell.append((BUG, repr(error)))
        if mark.exists():
            fell.append((WRONG, "code ran"))
            mark.unlink()
        if time.monotonic() - begun > SLOW:
            fell.append((WRONG, "it took for ever"))
        tally.count(f"reply {index} {message[:60]!r}", *fell)


def _misread(message: bytes, type_: Any, due: object = None) -> Fell:
    """What is wrong with how a reply is read: what is forged is refused, or is an error or a value of the type."""
    try:
        value = Reply.read(message, type_).unwrap()
    except PdtError as error:
        is_sent = message.startswith(b'[["error"') and str(error).rpartition(": ")[2][:20].encode() in message
        is_refused = due is None and (str(error) == GARBLED or is_sent)
        return [] if is_refused else [(WRONG, f"refused by {error!s:.300}")]
    is_read = isinstance(value, get_origin(type_) or type_) if due is None else value == due
    return [] if is_read else [(WRONG, f"read as {value!r:.300}")]


def _messages(random: Random, times: int, mark: Path, tally: Tally) -> Iterator[tuple[Any, bytes]]:
    owner = Owner("model.py", "Net.forward", 3)
    slot = Slot(owner, SlotKind.PARAMETER, "x", 3)
    seen = Observation(slot, TypeExpr("List", (TypeExpr("torch.Tensor"),)), 2, ("call 1",))
    real: list[tuple[Any, Any]] = [
        (Observed, Observed((seen, seen), (), ("call 1",), (), Closure(frozenset("a"), frozenset(), frozenset()))),
        (Trial, Trial((Verdict("scripts", False, Failure("no", place=Place("model.py", 3))),), (owner,), ())),
        (bytes, b"what a child saved"),
        (dict[Owner, str], {owner: "Tensor"}),
        (tuple[float | None, ...], (2.5, None)),
    ]
    for type_, value in real:  # the controls
        tally.count(f"a reply of {type_}", *_misread(Reply(value).encoded(), type_, value))
    yield from ((type_, each) for each in _malicious(mark) for type_, _ in real)
    for _ in range(times):
        type_, value = random.choice(real)
        yield type_, _mutated(random, Reply(value).encoded())


class _Runs:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.mark), "w")


def _malicious(mark: Path) -> Iterator[bytes]:
    texts = [
        *(b"[" * n + b"]" * n for n in (50, 900, 1100, 10**5, 10**6)),
        *(b'[[1, ' * n + b"]]" * n for n in (500, 10**5)),
        b"9" * 5000, b"-", b"1e999", b"NaN", b'"\\ud800"', b"{}", b"[]", b"[[]]", b"[null]", b'[1, "x"]',
        b'["os.system", "true"]', b'{"file": 1}', b'{"kind": "SystemExit", "message": "", "place": {}, "hint": ""}',
        b'{"__class__": "Owner", "__init__": 3}', b'{"name": "x", "args": [{"name": "y", "args": 3}]}', b"\xff\xfe",
    ]  # fmt: skip
    for text in texts:
        yield text
        yield from (b'[["' + kind + b'", ' + text + b"]]" for kind in (b"value", b"error", b"unexpected", b"other"))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for value in (_Runs(mark), [_Runs(mark)], {"value": _Runs(mark)}):
            yield pickle.dumps(value, protocol)
    yield from (b"", b"V", b"\0" * 100)


def _mutated(random: Random, message: bytes) -> bytes:
    changed = message
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        at = random.randrange(len(changed) + 1)
        drawn = bytes(random.randrange(256) for _ in range(random.randrange(1, 9)))
        token = random.choice((b"[", b"]", b"null", b"{", b'"', b"1e400", b"-", b'["Owner"', b"true", b"0"))
        gone = random.randrange(9)
        new = random.choice((drawn, token, b"", changed[at : at + 30] * 2))
        changed = changed[:at] + new + changed[at + gone :]
    return changed


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
        code, said = _tool(words, place if where == "here" else folder)
        imported = mark.read_text().split() if mark.exists() else []
        is_done = code == 0 and "+def add(x: int, n: int):" in said
        fell = [] if is_done else [(BUG if code == 70 else WRONG, f"{code}: {said[-200:]}")]
        for name in names:
            tally.count(f"{name}.py in {where}", *fell, *([(WRONG, "it was imported")] if name in imported else []))


def _tool(words: list[str], cwd: Path) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": projects.TOOL}
    command = [sys.executable, "-m", "pdt_annotate", *words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


# --- user code that harms its process


@contextlib.contextmanager
def _importable() -> Iterator[None]:
    """Have children find the tasks."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (HERE, PACKAGE)))
    try:
        yield
    finally:
        del os.environ["PYTHONPATH"]
        os.environ.update({"PYTHONPATH": before} if before else {})


def _misbehave(zygote: Zygote, tally: Tally, folder: Path) -> None:
    for number, how in enumerate(behaviours.DO):
        for when in ("setup", "task"):
            begun = time.monotonic()
            file = folder / f"pid-{number}-{when}"
            fell = _harm(zygote, how, when, file)
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
    "help": (
        "def help(x):\n    {act}\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        help(x)",
        "call 1",
    ),
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
        session.run("pdt_annotate.processes.child.observe:observe", as_scripted=False, gives=Observed)
        session.run("pdt_annotate.processes.child.attempt:attempt", Candidate(), gives=Trial)
    except UserError as error:
        return error.message, error.place
    return "nothing", NO_PLACE

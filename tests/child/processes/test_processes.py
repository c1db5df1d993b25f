"""The types of tasks are equal on both sides. The error if the model's code ends a process: phase, call and line."""

import inspect
import itertools
import os
import typing
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import BuiltinFunctionType
from typing import Any

import pytest

import pdt_annotate
from pdt_annotate.captures.saved_file import FileAndCalls
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes import tasks
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.runs import Candidate

PACKAGE = Path(pdt_annotate.__file__).parent
DOORS = {"processes/tasks.py", "processes/session.py", "processes/zygote.py"}


def answering(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def parameters_of(function: Callable[..., Any]) -> tuple[type, list[tuple[object, ...]]]:
    """The type of the first parameter; the names, kinds, defaults and types of the others."""
    types = typing.get_type_hints(function)
    first, *others = inspect.signature(function).parameters.values()
    return types[first.name], [(p.name, p.kind, p.default, types[p.name]) for p in others if p.name != "heard"]


@pytest.mark.parametrize("name", tasks.declared)
def test_a_task_is_declared_as_it_is_defined(name: str) -> None:
    declared, defined = tasks.declared[name], answering(name)
    (session, asked), (state, answered) = parameters_of(declared), parameters_of(defined)
    assert session is Session
    assert state in (Prepared, FileAndCalls)  # returned by `prepare` and by `prepare_file`
    assert asked == answered
    assert typing.get_type_hints(declared)["return"] == typing.get_type_hints(defined)["return"]


def test_the_setup_leaves_what_tasks_start_from_and_nobody_else_names_them() -> None:
    assert typing.get_type_hints(answering(tasks.PREPARE))["return"] is Prepared
    # Only the declarations may use the untyped methods of `Session` and `Zygote`.
    names = {name.encode() for name in (*tasks.declared, tasks.PREPARE)}
    for file in PACKAGE.rglob("*.py"):
        text = file.read_bytes()
        if file.relative_to(PACKAGE).as_posix() not in DOORS:
            assert not any(name in text for name in names), file
            assert b"session.run(" not in text and b"zygote.session(" not in text, file


MODEL = """
    import atexit, builtins, ctypes, linecache, os, signal, sys, threading, time, types
    import torch

    def bad(*args, **kwargs):
        raise RuntimeError("bad")  # bad

    def replace(module, *names):
        for name in names:
            setattr(module, name, bad)

    def start(function, *args):
        threading.Thread(target=function, args=args).start()
        time.sleep(0.2)

    def act(now):
        if now == WHEN:
            ACT  # act

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = 2
            act("building")
        def forward(self, x, times: int):
            act("running")
            return x * times * self.scale
        @property
        def __jit_unused_properties__(self):
            act("compiling")
            return ["__jit_unused_properties__"]

    act("importing")
"""
OURS = "the process that runs your code"
FAILED = f"{OURS} has failed, "
WHEN = {
    "importing": "while importing model",
    "building": "while calling Net()",
    "running": "while running call 1",
    "compiling": "while compiling it",
}
"""The phase in the error, by the time at which the model acts."""

CLOSES = "os.closerange(0, 4096)"
ENDS = {
    "os._exit(6)": ("your code ended its process with exit status 6, ", "act"),
    "start(os._exit, 7)": ("your code ended its process with exit status 7, ", ""),
    "start(os._exit, 1)": (f"{OURS} ended with exit status 1, ", ""),
    "os.kill(os.getpid(), signal.SIGKILL)": ("your code crashed its process (SIGKILL), ", ""),
    "os.kill(os.getpid(), signal.SIGTERM)": ("your code crashed its process (SIGTERM), ", "act"),
    "ctypes.string_at(0)": ("your code crashed its process (SIGSEGV), ", "act"),
    CLOSES: (f"{OURS} ended with exit status 1, ", ""),
    f"start({CLOSES.replace('(', ', ', 1)}": (f"{OURS} ended with exit status 1, ", ""),
}
"""The code that ends the process, with the error and the line."""


def ends(tmp_path: Path, zygote: Zygote, act: str, when: str) -> UserCodeError:
    """The error if a model that does something is observed, and then compiled."""
    source = dedent(MODEL).replace("WHEN", repr(when)).replace("ACT", act)
    file = tmp_path / "model.py"
    file.write_text(source)
    target = parse(f"{file}:Net")
    options = Options(targets=(target,), spec=spec_source("", ("f32[2,3]", "2")), root=str(tmp_path))
    with pytest.raises(UserCodeError) as raised:
        session = tasks.open_session(options, zygote, target)
        tasks.observe(session, as_scripted=False)
        tasks.attempt(session, Candidate())
    return raised.value


def line_of(tmp_path: Path, mark: str) -> int:
    lines = (tmp_path / "model.py").read_text().splitlines()
    return next((number for number, line in enumerate(lines, 1) if mark and line.endswith(f"# {mark}")), 0)


@pytest.mark.parametrize(
    ("when", "act"),
    [("importing", "os._exit(6)"), ("running", "os._exit(6)"), *itertools.product(("building", "compiling"), ENDS)],
)
def test_what_ends_a_process_is_said_with_phase_and_line(tmp_path: Path, zygote: Zygote, act: str, when: str) -> None:
    if "start(os._exit" in act and not isinstance(os._exit, BuiltinFunctionType):
        pytest.skip("coverage replaces os._exit: run without COVERAGE")
    said, mark = ENDS[act]
    error = ends(tmp_path, zygote, act, when)
    assert error.message.startswith(f"{said}{WHEN[when]}")
    assert error.line == line_of(tmp_path, mark)


@pytest.mark.parametrize("when", ["importing", "building"])
def test_lines_that_cannot_be_looked_up_are_missed_by_the_compiler(tmp_path: Path, zygote: Zygote, when: str) -> None:
    error = ends(tmp_path, zygote, "replace(linecache, 'getline', 'getlines', 'checkcache')", when)
    assert error.message == f"{FAILED}after compiling it: RuntimeError: bad"
    assert error.line == line_of(tmp_path, "bad")

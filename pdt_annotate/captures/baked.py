"""What a trace took for good from the call it was made from: where, and in which module.

The tracer warns where a tensor becomes a Python value. It says nothing of sizes: those show where traces of several
calls differ.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import torch
from torch.jit._trace import TracerWarning

from pdt_annotate.captures.examine import as_called, subject_of
from pdt_annotate.captures.reasons import reason_of
from pdt_annotate.captures.subject import Capturable
from pdt_annotate.captures.ways import trace
from pdt_annotate.processes.child.prepared import Prepared, in_mode
from pdt_annotate.source.survey import read_survey
from pdt_annotate.values.captures import Baked, Baking
from pdt_annotate.values.places import Place

FRAME = re.compile(r"^(.+)\((\d+)\): ", re.MULTILINE)
"""A line of the Python stack that a node of a trace keeps, the innermost first."""

REGISTERED = "results are registered as constants"
"""The warning for `torch.tensor(2)`, which is nothing bad: where that holds what varies, traces differ."""

LARGE = 64
"""Of a constant with more elements the sum alone is compared."""

Build = Callable[[Any], Any]
"""What is done to a fresh copy of what is traced, before it is."""


def find_baked(prepared: Prepared) -> Baking:
    """What a trace of the target would take for good from the call it is made from.

    Raises:
        UserError: there is nothing to trace, or no call to trace it from.
    """
    subject = subject_of(prepared)
    try:
        with as_called(prepared, subject):
            return Baking(baked_into(subject))
    except Exception as error:  # whatever torch, or the user's code under it, raises
        return Baking(failure=reason_of(error, prepared.root))


def baked_into(subject: Capturable, build: Build = lambda callee: callee) -> tuple[Baked, ...]:
    """The same of anything that can be captured; nothing is known of what cannot be traced at all.

    Raises:
        Exception: whatever torch, or the user's code under it, raises where the first call cannot be traced.
    """
    first = _trace(subject, 0, build)
    others = list(_further(subject, build))
    warned = (each for traced in (first, *others) for each in traced.warned)
    differing = (each for other in others for each in _differing(first, other))
    found = {(each.frames, each.path): each for each in (*warned, *differing)}
    return tuple(each for each in found.values() if not (each.frames and _is_checked(each.frames[0])))


@dataclass(frozen=True)
class _Node:
    """One node of a trace: what it does and where, apart from what it is called."""

    frames: tuple[Place, ...]
    path: str
    kind: str
    constant: str


@dataclass(frozen=True)
class _Traced:
    """The trace of one call, as data.

    Args:
        wires: by node, which nodes its inputs come from; what the graph gives back comes last.
    """

    call: str
    nodes: tuple[_Node, ...]
    wires: tuple[tuple[int, ...], ...]
    warned: tuple[Baked, ...]


def _further(subject: Capturable, build: Build) -> Iterator[_Traced]:
    for index in range(1, len(subject.calls)):
        with contextlib.suppress(Exception):  # what cannot be traced shows nothing
            yield _trace(subject, index, build)


def _trace(subject: Capturable, index: int, build: Build) -> _Traced:
    call, callee = subject.calls[index], subject.renew()
    warned: list[Baked] = []
    built = build(callee)
    with _hearing(warned, callee, subject.root), in_mode(built, call.mode):
        captured = trace.capture(replace(subject, callee=built, calls=(call,)))
    graphs = captured.graphs()  # held, as nodes die with their graph
    found = [node for graph in graphs for node in _walk(graph)]
    nodes = tuple(_read(node, subject.root) for node in found)
    return _Traced(call.name, nodes, tuple(_wires(graphs, found)), tuple(warned))


def _walk(block: Any) -> Iterator[Any]:
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from _walk(inner)


def _read(node: Any, root: str) -> _Node:
    stack = ((file, int(line)) for file, line in FRAME.findall(node.sourceRange()))
    frames = tuple(Place(file, line) for file, line in stack if _is_own(file, root))
    path = node.scopeName().rpartition("/")[2].removeprefix("__module").removeprefix(".")
    return _Node(frames, path, node.kind(), _constant_of(node))


def _constant_of(node: Any) -> str:
    if node.kind() == "prim::GetAttr":
        return str(node.s("name"))
    if node.kind() != "prim::Constant" or node.output().type().kind() == "FunctionType":
        return ""
    value = node.output().toIValue()
    if not isinstance(value, torch.Tensor):
        return repr(value)
    held = value.double().sum() if value.numel() > LARGE else value
    return f"{tuple(value.shape)} {value.dtype} {held.tolist()}"


def _wires(graphs: tuple[Any, ...], nodes: list[Any]) -> Iterator[tuple[int, ...]]:
    made: dict[Any, int] = {}
    inputs = (each for graph in graphs for each in graph.inputs())
    for number, value in enumerate(itertools.chain(inputs, (out for node in nodes for out in node.outputs()))):
        made[value.unique()] = number
    for each in (*nodes, *(graph.return_node() for graph in graphs)):
        yield tuple(made.get(value.unique(), -1) for value in each.inputs())


def _differing(one: _Traced, other: _Traced) -> Iterator[Baked]:
    """Where two traces of one program are not the same."""
    message = f"the traces of {one.call} and {other.call} differ here"
    mine, others = Counter(one.nodes), Counter(other.nodes)
    apart = [*(mine - others), *(others - mine)]
    if not apart and one.wires != other.wires:
        pairs = zip(one.wires, other.wires, one.nodes, strict=False)
        apart = next(([node] for left, right, node in pairs if left != right), list(one.nodes[-1:]))
    known = [node for node in apart if node.frames]  # the tracer sees no line where attributes are read
    yield from (Baked(node.frames, node.path, message, differs=True) for node in known or apart[:1])


@contextlib.contextmanager
def _hearing(warned: list[Baked], callee: Any, root: str) -> Iterator[None]:
    """Note what the tracer warns of, with the stack at that moment, which the warning itself does not tell."""
    paths = {id(module): path for path, module in _modules_of(callee)}

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, TracerWarning) and REGISTERED not in str(message):
            stack = list(_stack(sys._getframe(1)))
            places = (Place(each.f_code.co_filename, each.f_lineno) for each in stack)
            frames = tuple(place for place in places if _is_own(place.file, root))
            path = next((paths[id(me)] for f in stack if id(me := f.f_locals.get("self")) in paths), "")
            if frames:
                warned.append(Baked(frames, path, str(message).partition(". ")[0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TracerWarning)
        warnings.showwarning = show
        yield


def _is_own(file: str, root: str) -> bool:
    """Whether a file is the user's: environments may lie below the root, too."""
    return file.startswith(f"{root}/") and "/site-packages/" not in file


def _modules_of(callee: Any) -> Iterator[tuple[str, torch.nn.Module]]:
    yield from callee.named_modules() if isinstance(callee, torch.nn.Module) else ()


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames from one on, the innermost first, up to that of the tracer."""
    while frame is not None and frame.f_code is not trace.capture.__code__:
        yield frame
        frame = frame.f_back


def _is_checked(place: Place) -> bool:
    """Whether all that stands there is a check, which leaves nothing in a trace: `assert`, or `if …: raise`."""
    survey = read_survey(place.file)
    around = [n for n in ast.walk(survey.tree) if isinstance(n, ast.stmt) and _holds(n, place.line)] if survey else []
    innermost = max(around, key=lambda node: node.lineno, default=None)
    if isinstance(innermost, ast.If) and not innermost.orelse:
        return all(isinstance(each, ast.Raise) for each in innermost.body)
    return isinstance(innermost, ast.Assert)


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)

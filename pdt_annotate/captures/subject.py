"""What is captured and what capturing makes, as the ways in `ways` see them; which operators it has; why a way failed.

Ways that take modules alone, and those that read signatures, get a module whose `forward` calls what is captured. One
with `*args` will not do: to most ways that is another signature.
"""

from __future__ import annotations

import inspect
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

import torch

from pdt_annotate.findings.messages.refused import refusal
from pdt_annotate.findings.messages.said import read_failure, read_places
from pdt_annotate.observers.files import make_file_filter
from pdt_annotate.values.live import function_of
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.user_code import frames_of
from pdt_annotate.values.verdicts import Failure

SILENT = ("prim::Constant", "prim::GetAttr")  # nodes that compute nothing


@dataclass(frozen=True)
class Capturable:
    """Something that is called as `callee(*args, **kwargs)`, and what it is captured from.

    Args:
        callee: a module that was never run, a method of one, or a function.
        calls: the example calls that are not held back, one at least; whoever makes one copies its tensors first.
        root: the directory whose files are the user's.
        renew: a second callee in the state in which this one was built, each time it is asked.
    """

    callee: Any
    calls: tuple[Call, ...]
    root: str
    renew: Callable[[], Any]

    @property
    def first(self) -> Call:
        """The call of which the ways that record one call make their record."""
        return self.calls[0]


@dataclass(frozen=True)
class Captured:
    """What a way made.

    Args:
        run: called as the callee is.
        graphs: the graphs, `torch._C.Graph`, `torch.fx.Graph` or `CountedGraph`; asked for once all calls were made, as
            some ways capture on the way.
        whole: asked then as well, whether they are all of the program.
        holders: the modules that it runs on, for a call to put them into its mode.
        findings: what is suspicious; asked for at the end, since looking takes longer than capturing.
        made_from: the names of the calls that it was made from; none where it was made from the source.
    """

    run: Callable[..., Any]
    graphs: Callable[[], tuple[Any, ...]]
    whole: Callable[[], bool] = lambda: True
    holders: tuple[Any, ...] = ()
    findings: Callable[[], tuple[Finding, ...]] = tuple
    made_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountedGraph:
    """A graph that torch keeps to itself: how often each operator stands in it."""

    operators: Mapping[str, int]


class AbsentError(Exception):
    """This torch, or this machine, has no such way; the message says why, for people."""


def count_operators(graphs: Iterable[Any]) -> dict[str, int]:
    """How often each operator occurs in graphs of any kind, by name, the most frequent first."""
    counts: Counter[str] = Counter()
    for graph in graphs:
        if isinstance(graph, CountedGraph):
            counts.update(graph.operators)
        else:
            counts.update(_of_fx(graph) if isinstance(graph, torch.fx.Graph) else _of_script(graph))
    return dict(counts.most_common())


def _of_fx(graph: torch.fx.Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.op == "call_module":
            yield _module_name(graph.owning_module, str(node.target))
        elif node.op == "call_function":
            yield _function_name(node.target)
        elif node.op == "call_method":
            yield f"Tensor.{node.target}"


def _module_name(owner: Any, path: str) -> str:
    """The class of a module in a graph: "nn.Conv2d", or the user's."""
    cls = type(owner.get_submodule(path)) if owner is not None else None
    if cls is None:
        return path
    return f"nn.{cls.__name__}" if cls.__module__.startswith("torch.nn.") else cls.__qualname__


def _function_name(target: Any) -> str:
    """ "aten.conv2d.default" of an operator; of a function, where people import it from: "torch.relu"."""
    if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None) or str(target)
    module = str(getattr(target, "__module__", None) or "").lstrip("_")
    return f"{_PUBLIC.get(module, module)}.{name.rpartition('.')[2]}".lstrip(".")


_PUBLIC = {
    "torch.nn.functional": "F",
    "torch._C._nn": "F",
    "torch._C": "torch",
    "_VariableFunctionsClass": "torch",
    "": "torch",
}


def _of_script(block: Any) -> Iterator[str]:
    for node in block.nodes():
        if not node.kind().startswith(SILENT):
            yield node.kind()
        for inner in node.blocks():
            yield from _of_script(inner)


EMPTY = inspect.Parameter.empty
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
DEFAULT = "default_of_"
FUNCTION = "wrapped_function"


class Wrapper(torch.nn.Module):
    """Holds the module that a method is of, so that its parameters are those of the wrapper; or none.

    It does not hold the function: what modules hold, the tracer may compile.
    """

    def __init__(self, module: torch.nn.Module | None) -> None:
        super().__init__()
        self.module = module


def as_module(callee: Any) -> torch.nn.Module:
    """The callee itself where it is a module; a module that calls it, with its signature, where it is none."""
    if isinstance(callee, torch.nn.Module):
        return callee
    module = callee.__self__ if isinstance(callee, MethodType) else None
    if isinstance(module, torch.nn.Module):
        return _wrapper_class(callee, callee.__func__, ["self.module"])(module)
    return _wrapper_class(callee, callee, [])(None)


def _wrapper_class(callee: Any, function: Any, first: list[str]) -> type[Wrapper]:
    """A wrapper with the signature of the callee, which calls the function with `first` before the arguments."""
    parameters = inspect.signature(callee).parameters.values()
    taken = ", ".join(["self", *_taken(parameters)])
    passed = ", ".join([*first, *map(_passed, parameters)])
    names: dict[str, Any] = {DEFAULT + each.name: each.default for each in parameters} | {FUNCTION: function}
    exec(f"def forward({taken}):\n    return {FUNCTION}({passed})\n", names)
    return type("Wrapper", (Wrapper,), {"forward": names["forward"]})


def _taken(parameters: Any) -> Iterator[str]:
    """The parameters as a `def` spells them, with `/` and `*` where they stand."""
    last = None
    for each in parameters:
        if last is inspect.Parameter.POSITIONAL_ONLY is not each.kind:
            yield "/"
        if each.kind is inspect.Parameter.KEYWORD_ONLY and last not in (each.kind, inspect.Parameter.VAR_POSITIONAL):
            yield "*"
        yield STARS.get(each.kind, "") + each.name + ("" if each.default is EMPTY else f"={DEFAULT}{each.name}")
        last = each.kind
    if last is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"


def _passed(parameter: inspect.Parameter) -> str:
    named = f"{parameter.name}=" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else ""
    return f"{named}{STARS.get(parameter.kind, '')}{parameter.name}"


TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "")
"""Where this tool is installed, which may be below the user's root."""

QUOTED_STACK = re.compile(
    r"from user code:|The following call raised this error:|User Stack \(most recent call last\):"
)
"""The words before a stack of user code in messages, outermost first."""

TRACED_FRAME = re.compile(r"^\s*(.+)\((\d+)\): ", re.MULTILINE)
"""A line of the Python stack of a node, as the tracer prints it, innermost first."""


def reason_of(error: BaseException, root: str, callee: Any = None) -> Failure:
    """The first reason, in one sentence; the text has all of it.

    Args:
        root: the directory whose files are the user's.
        callee: what was to be captured, whose definition is the place where the error names none of the user's.
    """
    failure = read_failure(error)
    is_users = make_file_filter(root)

    def is_own(place: Place) -> bool:
        return is_users(place.file) and not place.file.startswith(TOOL)

    place = next(filter(is_own, _places(error, failure)), None) or definition_of(callee)
    chain = tuple(filter(is_own, failure.chain))
    return replace(failure, message=refusal(failure), place=place, chain=chain)


def definition_of(callee: Any) -> Place:
    """Where the function is defined that a callee runs; nowhere where nobody wrote it in Python."""
    function = function_of(callee) or function_of(getattr(type(callee), "forward", None))
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno) if function else NO_PLACE


def _places(error: BaseException, failure: Failure) -> Iterator[Place]:
    """Where it may have gone wrong, the most telling first."""
    yield from _of_stack(getattr(error, "real_stack", None) or ())
    for quoted in QUOTED_STACK.split(failure.text)[1:]:
        yield from reversed(list(read_places(quoted)))
    yield from filter(lambda place: bool(place.file), (failure.place, *failure.chain))
    yield from (Place(file, int(line)) for file, line in TRACED_FRAME.findall(failure.text))
    yield from _of_stack(frames_of(error))


def _of_stack(frames: Any) -> Iterator[Place]:
    return (Place(frame.filename, frame.lineno or 0) for frame in reversed(frames))

"""The program that a way of `ways` captures, the captured program with its operators, and why a way failed."""

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from types import MethodType
from typing import Any

import torch

from pdt_annotate.findings.messages.capture_refusals import refusal
from pdt_annotate.findings.messages.said import read_failure, read_places
from pdt_annotate.observers.files import make_file_filter
from pdt_annotate.values.live import function_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.user_code import OURS, frames_of
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.traps.graph_facts import nodes_of

SILENT = ("prim::Constant", "prim::GetAttr")  # nodes that compute nothing
_PUBLIC = {"torch.nn.functional": "F", "torch._C._nn": "F", "torch._C": "torch", "": "torch"}
Parameter = inspect.Parameter
FUNCTION = "wrapped_function"
# The words before a stack of user code in messages, outermost first.
QUOTED_STACK = re.compile(r"from user code:|The following call raised this error:|User Stack \(most recent call last\)")
# A line of the Python stack of a node, as the tracer prints it, innermost first.
TRACED_FRAME = re.compile(r"^\s*(.+)\((\d+)\): ", re.MULTILINE)


@dataclass(frozen=True)
class Capturable:
    """A callee, `callee(*args, **kwargs)`, and the data to capture it from."""

    callee: Any  # a module that was never run, a method of one, or a function
    # The example calls that are not held back, at least one; copy the tensors before you make a call.
    calls: tuple[Call, ...]
    root: str  # the directory whose files are the user's
    renew: Callable[[], Any]  # makes another callee in the state in which this one was built
    held_back: tuple[Call, ...] = ()  # further calls that the callee accepts, and that no way records

    @property
    def first(self) -> Call:
        """The call that a way records if it records one."""
        return self.calls[0]


@dataclass(frozen=True)
class Captured:
    """The result of a way."""

    run: Callable[..., Any]  # called as the callee is
    # Returns each graph: `torch._C.Graph`, `torch.fx.Graph`, or a dict that counts the operators of a graph that
    # torch keeps to itself. Call it after all calls were made, since some ways capture during calls.
    graphs: Callable[[], tuple[Any, ...]]
    whole: Callable[[], bool] = lambda: True  # returns whether they are all of the program; call it then, too
    holders: tuple[Any, ...] = ()  # the modules that it runs on, for a call to put them into its mode
    # Returns suspicious differences; call it at the end, since looking takes longer than capturing.
    findings: Callable[[], tuple[Finding, ...]] = tuple
    # The names of the calls that it was made from; empty if it was made from the source.
    made_from: tuple[str, ...] = ()

    @property
    def modules(self) -> torch.nn.Module:
        """The modules among its holders, as one."""
        return torch.nn.ModuleList(each for each in self.holders if isinstance(each, torch.nn.Module))


class AbsentError(Exception):
    """This torch, or this machine, has no such way; the message says why, for people."""


def count_operators(graphs: Iterable[Any]) -> dict[str, int]:
    """How often each operator occurs in graphs of any kind, by name, the most frequent first."""
    counts: Counter[str] = Counter()
    for graph in graphs:
        if isinstance(graph, dict):
            counts.update(graph)
        elif isinstance(graph, torch.fx.Graph):
            counts.update(_of_fx(graph))
        else:
            counts.update(node.kind() for node in nodes_of(graph) if not node.kind().startswith(SILENT))
    return dict(counts.most_common())


def _of_fx(graph: torch.fx.Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.op == "call_module":
            path, owner = str(node.target), graph.owning_module
            cls = type(owner.get_submodule(path)) if owner is not None else None
            is_torchs = cls is not None and cls.__module__.startswith("torch.nn.")
            yield path if cls is None else f"nn.{cls.__name__}" if is_torchs else cls.__qualname__
        elif node.op == "call_function":
            target = node.target
            if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
                yield str(target)  # "aten.conv2d.default"
                continue
            # The public name of a function: "torch.relu".
            name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None) or str(target)
            module = str(getattr(target, "__module__", None) or "").lstrip("_")
            yield f"{_PUBLIC.get(module, module)}.{name.rpartition('.')[2]}".lstrip(".")
        elif node.op == "call_method":
            yield f"Tensor.{node.target}"


def module_of(callee: Any) -> torch.nn.Module | None:
    """The module that a callee is, or is a method of; None for a function."""
    holder = callee.__self__ if isinstance(callee, MethodType) else callee
    return holder if isinstance(holder, torch.nn.Module) else None


class Name(str):
    """The name of a value, which a signature spells without quotes."""

    __repr__ = str.__str__


class Wrapper(torch.nn.Module):
    """Holds the module of a method, if any, and its parameters; not the function: the tracer may compile attributes."""

    def __init__(self, module: torch.nn.Module | None) -> None:
        super().__init__()
        self.module = module


def as_module(callee: Any, keywords: Iterable[str] = ()) -> torch.nn.Module:
    """The callee if it is a module; else a module that calls it, with its signature, because most ways read that.

    Keywords that `**kwargs` takes become parameters: torch.jit.trace and sizes of torch.export need a name for each.
    """
    if isinstance(callee, torch.nn.Module):
        if inspect.signature(callee.forward).parameters.keys() >= set(keywords):
            return callee
        callee = callee.forward
    module = module_of(callee)
    names: dict[str, Any] = {FUNCTION: callee if module is None else callee.__func__}
    taken = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    passed = [] if module is None else ["self.module"]
    parameters = inspect.signature(callee).parameters
    extra = [name for name in keywords if name not in parameters]
    for each in parameters.values():
        if extra and each.kind is Parameter.VAR_KEYWORD:
            passed += [f"{name}={name}" for name in extra]
            # The tracer passes no keyword-only argument. A parameter before these may have a default.
            is_last = {each.kind for each in taken} & {Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY}
            kind = Parameter.KEYWORD_ONLY if is_last else Parameter.POSITIONAL_OR_KEYWORD
            taken += [Parameter(name, kind, default=None) for name in extra]
            continue
        bare = each.replace(annotation=Parameter.empty, default=Parameter.empty)
        passed.append(f"{each.name}={each.name}" if each.kind is Parameter.KEYWORD_ONLY else str(bare))
        if each.kind is Parameter.POSITIONAL_ONLY:
            taken[0] = taken[0].replace(kind=each.kind)  # no other parameter may come before one of these
        if each.default is not Parameter.empty:
            default = Name(f"default_of_{each.name}")
            names[default] = each.default
            bare = bare.replace(default=default)
        taken.append(bare)
    exec(f"def forward{inspect.Signature(taken)}:\n    return {FUNCTION}({', '.join(passed)})\n", names)
    wrapper: torch.nn.Module = type("Wrapper", (Wrapper,), {"forward": names["forward"]})(module)
    return wrapper


def reason_of(error: BaseException, root: str, callee: Any = None) -> Failure:
    """The first reason, in one sentence; the text has all of it. Files below `root` are the user's.

    If the error names no line of the user's, the definition of `callee`, the program to capture, is the place.
    """
    failure = read_failure(error)
    is_users = make_file_filter(root)
    # The possible places of the error, the most informative first.
    stack = getattr(error, "real_stack", None) or ()
    places = [Place(frame.filename, frame.lineno or 0) for frame in reversed(stack)]
    for quoted in QUOTED_STACK.split(failure.text)[1:]:
        places += reversed(list(read_places(quoted)))
    places += [place for place in (failure.place, *failure.chain) if place.file]
    places += [Place(file, int(line)) for file, line in TRACED_FRAME.findall(failure.text)]
    places += [Place(frame.filename, frame.lineno or 0) for frame in reversed(frames_of(error))]

    def is_own(place: Place) -> bool:
        return is_users(place.file) and not place.file.startswith(OURS)  # the tool may be below the user's root

    place = next(filter(is_own, places), None) or definition_of(callee)
    return replace(failure, message=refusal(failure), place=place, chain=tuple(filter(is_own, failure.chain)))


def definition_of(callee: Any) -> Place:
    """The definition of the function that a callee runs; no place if it is not written in Python."""
    function = function_of(callee) or function_of(getattr(type(callee), "forward", None))
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno) if function else NO_PLACE

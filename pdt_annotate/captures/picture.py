"""The task that returns the graph of a target as captured in one way, with the shapes of one call."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured, module_of, reason_of
from pdt_annotate.captures.examine import as_called, find_capture, subject_of
from pdt_annotate.captures.saved_file import FileAndCalls, load_file
from pdt_annotate.captures.table import FROZEN, GRAPHED, find_way
from pdt_annotate.findings.messages.said import last_line
from pdt_annotate.graphs.node_names import below, relative
from pdt_annotate.graphs.read.compiled import read_program
from pdt_annotate.graphs.read.plain_nodes import dtype_name, literal
from pdt_annotate.graphs.read.programs import program_of
from pdt_annotate.graphs.read.recorded import read_recorded
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.capture_results import Wraps
from pdt_annotate.values.errors import SpecError, TargetError, UserError
from pdt_annotate.values.graphs import Graph, GraphState
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone

OTHERS = "`pdt-annotate captures` shows which ways can capture this target"


def picture(prepared: Prepared, of: str, call: str = "") -> Graph:
    way = find_way(of, "--of", GRAPHED)
    subject = subject_of(prepared)
    calls = {each.name: each for each in subject.calls}
    if call and call not in calls:
        hint = did_you_mean(call, calls) or f"the example calls are {', '.join(calls)}"
        raise SpecError(f"--call: no example call of the target is named {call!r}", hint=hint)
    shown = calls[call] if call else subject.first
    module = module_of(subject.callee)
    if of in FROZEN and module is not None:
        module.eval()
    try:
        with _refusing(prepared, of), as_called(prepared, subject):
            captured = find_capture(way)(subject)
    except AbsentError as absent:
        raise UserError(f"{way.title} is not available: {absent}", hint=OTHERS) from absent
    wraps_this = way.wraps is Wraps.METHODS and module is not subject.callee
    wrapper = "module" if wraps_this or way.wraps is Wraps.ALL else ""
    state = {below(wrapper, path): tensor for path, tensor in _tensors(module)}
    with _refusing(prepared, of):
        read = _read(prepared, subject, captured, of, state, shown)
    if wrapper:  # paths begin at the target
        values = {name: replace(value, path=relative(value.path, wrapper)) for name, value in read.values.items()}
        attributes = tuple(replace(each, path=relative(each.path, wrapper)) for each in read.state)
        body = read.body.mapped(lambda node: replace(node, module=relative(node.module, wrapper)))
        read = replace(read, body=body, values=values, state=attributes)
    return _described(of, read, module)


def picture_file(given: FileAndCalls) -> Graph:
    try:
        loaded, _ = load_file(given.file)
        state = {path: tensor for path, tensor in _tensors(loaded) if isinstance(tensor, torch.Tensor)}
        if isinstance(loaded, torch.fx.GraphModule):
            read = read_recorded((loaded.graph,), "", state, lambda run: None)
        else:
            read = read_program(program_of(loaded, "forward"), "", state, lambda run: None)
    except Exception as error:  # torch may raise anything
        raise TargetError(f"{given.file} has no graph to show: {last_line(str(error))}") from error
    graph = _described("saved", read, loaded)
    names = {path: getattr(each, "original_name", "") for path, each in loaded.named_modules()}
    return replace(graph, modules={path: names.get(path) or name for path, name in graph.modules.items()})


@contextlib.contextmanager
def _refusing(prepared: Prepared, of: str) -> Iterator[None]:
    """Turn torch's errors into `TargetError`, with the reason in the user's files."""
    try:
        yield
    except (AbsentError, UserError):
        raise
    except Exception as error:  # torch, or the user's code under it, may raise anything
        reason = reason_of(error, prepared.root)
        raise TargetError(f"--of {of}: {reason.message}", place=reason.place, hint=OTHERS) from error


def _read(
    prepared: Prepared, subject: Capturable, captured: Captured, of: str, state: Mapping[str, torch.Tensor], shown: Call
) -> Graph:
    def make(run: Callable[..., Any]) -> None:
        args, kwargs = clone((shown.args, dict(shown.kwargs)))
        # The values that a call made before it raised have shapes, too.
        with as_called(prepared, subject), contextlib.suppress(Exception):
            run(*args, **kwargs)

    run: Any = captured.run
    graphs = (run.graph,) if isinstance(run, torch.fx.GraphModule) else captured.graphs()
    if graphs and isinstance(graphs[0], torch._C.Graph):
        if isinstance(run, torch._C.ScriptMethod):
            program = program_of(captured.holders[0], run.name, freeze=of in FROZEN)
        else:  # a function that wraps a trace, for rich arguments, is itself no program
            compiled = isinstance(run, (torch.jit.ScriptModule, torch.jit.ScriptFunction))
            program = program_of(run if compiled else captured.holders[0], "forward", freeze=of in FROZEN)
        return read_program(program, prepared.root, state, make)
    if not all(isinstance(graph, torch.fx.Graph) for graph in graphs):
        raise UserError(f"--of {of}: torch cannot show the graph of this way of capturing", hint=OTHERS)
    if not graphs:
        raise UserError(f"--of {of}: this way of capturing has captured no graph", hint=OTHERS)
    return read_recorded(graphs, prepared.root, state, make)


def _described(of: str, read: Graph, module: torch.nn.Module | None) -> Graph:
    """A graph that was read, with the modules and the state of the target, if it has some."""
    if module is None:
        return replace(read, of=of, state=())
    named = module.named_modules(remove_duplicate=False)
    modules = {path: f"{type(each).__module__}.{type(each).__qualname__}" for path, each in named}
    saved, state = module.state_dict(keep_vars=True), list[GraphState]()
    for path, tensor in dict(_tensors(module)).items():
        parameter = isinstance(tensor, torch.nn.Parameter)
        constant = literal(tensor) if path not in saved else ""
        state.append(GraphState(path, tuple(tensor.shape), dtype_name(tensor), constant, parameter, path in saved))
    return replace(read, of=of, modules=modules, state=(*state, *read.state))


def _tensors(module: torch.nn.Module | None) -> Iterator[tuple[str, torch.Tensor]]:
    """Parameters and buffers by path, in the order of `state_dict()`; the ones that it leaves out come last."""
    if module is not None:
        saved = module.state_dict(keep_vars=True).items()
        yield from ((path, value) for path, value in saved if isinstance(value, torch.Tensor))
        yield from module.named_buffers(remove_duplicate=False)

"""The task of `save` that captures a program, and writes it with its calls.

The file is judged in a process without the project (`saved_file`). So the calls and the model's answers go there as
data: tensors, numbers, strings, and tuples, lists and dicts of them.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.captures.adapter import TracingAdapter
from pdt_annotate.captures.capturable import AbsentError, Capturable, reason_of
from pdt_annotate.captures.examine import as_called, find_capture, perform_eager, subject_of, why_apart
from pdt_annotate.captures.flattened import arguments_of, is_tensor
from pdt_annotate.captures.merge import trace_whole
from pdt_annotate.captures.saved_file import RecordedCall
from pdt_annotate.captures.table import BY_NAME
from pdt_annotate.captures.unsound.suspects import Trace
from pdt_annotate.captures.untaken import counting_lines, find_untaken
from pdt_annotate.captures.ways import jit
from pdt_annotate.captures.ways.trace_mixed import parts_to_script, with_scripted
from pdt_annotate.observers.sites import describe
from pdt_annotate.processes.child.isolation import keep
from pdt_annotate.processes.child.prepared import (
    Prepared,
    calls_target,
    copy_built,
    is_comparable,
    method_of,
)
from pdt_annotate.values.capture_results import CallFate, Fate, Way
from pdt_annotate.values.errors import TargetError, TraceError
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call
from pdt_annotate.values.saves import METADATA, NONE, SIZES, VALUES, SaveAttempt, SaveRequest
from pdt_annotate.values.user_code import phase
from pdt_annotate.verify.judges.clones import clone, leaves_of
from pdt_annotate.verify.judges.saved import plain
from pdt_annotate.verify.judges.scripts import compile_methods

SCALARS = (bool, int, float, complex, str, bytes, type(None), torch.Size, torch.dtype, torch.device, torch.layout)
CLASS = "the calls construct objects of a class, and a file holds a module or a function"
TRAINING = (
    "the program is in training mode, as the model is; for inference, call `.eval()` where the model is made, or put "
    "`mode: eval` into a YAML spec"
)
NEEDS_EVAL = (
    "--freeze and --optimize need a module in eval mode: call `.eval()` where it is made, or put `mode: eval` into a "
    "YAML spec"
)
jit_module: Any = torch.jit


@dataclass(frozen=True)
class Program:
    """A captured program, before it is saved."""

    compiled: Any
    arguments: Callable[[Call], tuple[tuple[Any, ...], dict[str, Any]]]  # the arguments that it takes for a call
    answer: Callable[[Any], Any] = lambda result: result  # what it returns where the model returns this
    apart: Callable[[Call], str] = lambda call: ""  # why it cannot make a call
    made_from: tuple[Call, ...] = ()
    note: str = ""


Maker = Callable[[Prepared, Capturable, Way, SaveRequest], Program]


def save_program(prepared: Prepared, way: Way, request: SaveRequest) -> SaveAttempt:
    """Capture the target in one way, and write it with its calls.

    Raises `UserError` for a target without a program, or without a call for one.
    """
    faulthandler.disable()  # a crash is an answer here
    if isinstance(prepared.built, type):
        raise TargetError(CLASS)
    subject = subject_of(prepared)
    eager, put_back = copy_built(prepared), keep(subject.callee)
    make = MAKERS.get(way.name, _trace)
    try:
        with phase(f"capturing it with {way.name}"), as_called(prepared, subject):
            program = make(prepared, subject, way, request)
            put_back()  # a trace runs the model
            compiled = _frozen(prepared, program, request)
            with counting_lines(prepared.root) as counts:
                calls, apart = _record(prepared, eager, program)
        with phase("saving it"), warnings.catch_warnings(action="ignore"):
            metadata = {**request.metadata, "calls": [_described(call) for call in calls]}
            torch.save([vars(call) for call in calls], request.calls)
            extra = {METADATA: json.dumps(metadata)}
            if is_a(compiled, torch.export.ExportedProgram):
                torch.export.save(compiled, request.file, extra_files=extra)
            elif isinstance(compiled, torch.jit.ScriptModule):
                jit_module.save(compiled, request.file, _extra_files=extra)
            else:
                compiled.save(request.file, _extra_files=extra)
    except TargetError:
        raise
    except AbsentError as absent:
        return SaveAttempt(absent=str(absent))
    except (Exception, SystemExit) as error:  # torch, or the user's code under it, may raise anything
        return SaveAttempt(failure=reason_of(error, subject.root, subject.callee))
    is_training = isinstance(prepared.built, torch.nn.Module) and getattr(compiled, "training", False)
    in_training = is_training and subject.first.mode != "eval"
    return SaveAttempt(
        apart=tuple(apart),
        made_from=tuple(call.name for call in program.made_from),
        **_variety(prepared, subject, program, {call.name for call in calls}),
        findings=tuple(find_untaken(counts)),
        notes=(*filter(None, (program.note,)), *((TRAINING,) if in_training else ())),
    )


def _script(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    built = prepared.built
    scripted: Any = jit_module.script(built)
    if not isinstance(built, torch.nn.Module):
        return Program(scripted, lambda call: _bound(built, call), lambda result: result)
    compile_methods(scripted, built, dict.fromkeys((*prepared.methods, *request.methods)))

    def apart(call: Call) -> str:
        return "" if is_comparable(prepared, scripted, call) else f"the program has no `{method_of(prepared, call)}`"

    return Program(scripted, lambda call: (call.args, dict(call.kwargs)), apart=apart)


def _frozen(prepared: Prepared, program: Program, request: SaveRequest) -> Any:
    """The compiled program, frozen or optimized if that is asked for."""
    compiled = program.compiled
    if not isinstance(compiled, torch.jit.ScriptModule) or not (request.freeze or request.optimize):
        return compiled
    is_training = isinstance(prepared.built, torch.nn.Module) and prepared.built.training
    if any(call.mode == "train" or (is_training and call.mode != "eval") for call in prepared.calls):
        raise TargetError(NEEDS_EVAL)
    kept = [name for name in (*prepared.methods, *request.methods) if "." not in name and not program.made_from]
    frozen = jit_module.freeze(compiled.eval(), preserved_attrs=kept)
    return jit_module.optimize_for_inference(frozen, other_methods=kept) if request.optimize else frozen


def _bound(function: Any, call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments of a call: a saved function has no defaults."""
    bound = arguments_of(function, call.args, call.kwargs)
    return bound.args, bound.kwargs


def _trace(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    captured = find_capture(way)(subject)
    method = method_of(prepared, subject.first)
    return Program(
        captured.holders[0],
        lambda call: (call.args, dict(call.kwargs)),
        apart=lambda call: why_apart(prepared, call, method),
        made_from=(subject.first,),
    )


def _trace_adapted(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    """A trace with the model's arguments and results, or with tensors alone if TorchScript has no types for them."""
    callee, first = subject.callee, subject.first
    method = method_of(prepared, first)
    adapter: Any = TracingAdapter(callee, *clone((first.args, dict(first.kwargs))))

    def apart(call: Call) -> str:
        return why_apart(prepared, call, method)

    try:
        whole, interface = trace_whole(callee, first)

        def named(call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
            adapter.flatten(*call.args, **call.kwargs)  # raises if more than tensors differs
            return (), interface.arguments(callee, call)

        return Program(whole, named, apart=apart, made_from=(first,))
    except TraceError as error:
        adapted = jit.tracing(subject)(callee, first)
        return Program(
            adapted.traced,
            lambda call: (adapted.adapter.flatten(*call.args, **call.kwargs), {}),
            adapted.adapter.flatten_result,
            apart,
            (first,),
            f"the file takes and returns tensors alone, in the order of the arguments and results: {error.message}",
        )


def _trace_mixed(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    """Script the parts in which a trace would keep values of its call, and trace the rest."""
    make: Maker = _trace
    tracing: Trace = jit.trace
    try:
        tracing(subject.renew(), subject.first)
    except Exception:  # torch may raise anything
        make, tracing = _trace_adapted, jit.tracing(subject)
    paths, _ = parts_to_script(subject, tracing)
    mixed = replace(subject, callee=with_scripted(subject.callee, paths))
    program = make(prepared, mixed, BY_NAME["trace"], request)
    return replace(program, note="; ".join(filter(None, (f"scripted inside: {', '.join(paths)}", program.note))))


def _export(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    """Export from all arguments of a call: the program takes those that it was exported from."""
    ways = importlib.import_module("pdt_annotate.captures.ways.export")
    bound = {call.name: _bound(subject.callee, call) for call in subject.calls}
    calls = tuple(replace(call, args=bound[call.name][0], kwargs=bound[call.name][1]) for call in subject.calls)
    whole = replace(subject, calls=calls)
    is_free = way.name == "export-dynamic"
    program = ways.export_free(whole) if is_free else ways.export_fixed(whole)
    call = ways.most_general(whole) if is_free else whole.first
    method = method_of(prepared, subject.first)
    return Program(
        program,
        lambda call: _bound(subject.callee, call),
        apart=lambda call: why_apart(prepared, call, method),
        made_from=(call,),
    )


MAKERS: Mapping[str, Maker] = {
    "script": _script,
    "trace-adapted": _trace_adapted,
    "trace-mixed": _trace_mixed,
    "export": _export,
    "export-dynamic": _export,
}


def _record(prepared: Prepared, eager: Any, program: Program) -> tuple[list[RecordedCall], list[CallFate]]:
    """The calls as data, with the answers of eager mode; and the calls that cannot be made of the program."""
    recorded: list[RecordedCall] = []
    apart: list[CallFate] = []
    for seed, call in enumerate(prepared.calls, start=prepared.spec.settings.seed):
        if not calls_target(prepared, call):
            continue
        why = program.apart(call)
        try:
            args, kwargs = ((), {}) if why else program.arguments(call)
            args, kwargs = clone((args, kwargs))
            args = tuple(_portable(each, f"argument {number}") for number, each in enumerate(args, start=1))
            kwargs = {name: _portable(each, f"`{name}`") for name, each in kwargs.items()}
        except TraceError as error:  # a trace was made from another call, or an argument is no data
            why = error.message
        if why:
            apart.append(CallFate(call.name, Fate.NOT_COMPARED, call.held_back, message=why))
            continue
        done = perform_eager(prepared, eager, call, seed)
        try:
            answer = None if done.error is not None else plain(program.answer(done.answer))
        except TraceError as error:
            apart.append(CallFate(call.name, Fate.DIFFERS, call.held_back, message=error.message))
            continue
        recorded.append(
            RecordedCall(
                call.name,
                method_of(prepared, call) if not program.made_from else "forward",
                args,
                kwargs,
                call.mode,
                call.held_back,
                seed,
                call.name in {each.name for each in program.made_from},
                not prepared.spec.settings.no_grad,
                answer,
                done.error is not None,
            )
        )
    return recorded, apart


def _portable(value: Any, where: str) -> Any:
    """The same as data that a process without the project can load; raises `TraceError` for an object of a class."""
    if is_a(value, torch.Tensor):
        return value.detach().as_subclass(torch.Tensor).requires_grad_(value.requires_grad)
    if type(value) in SCALARS:
        return value
    if is_a(value, list, tuple):
        found = [_portable(each, f"{where}[{index}]") for index, each in enumerate(value)]
        return found if is_a(value, list) else tuple(found)
    if is_a(value, Mapping):
        return {_portable(key, where): _portable(each, f"{where}[{key!r}]") for key, each in value.items()}
    raise TraceError(f"{where} is a {type(value).__qualname__}, which a process without the project cannot make")


def _described(call: RecordedCall) -> dict[str, object]:
    arguments = {**{str(index): each for index, each in enumerate(call.args)}, **call.kwargs}
    described = {name: describe(value) for name, value in arguments.items()}
    return {"name": call.name, "method": call.method, "held_back": call.held_back, "arguments": described}


def _variety(prepared: Prepared, subject: Capturable, program: Program, recorded: set[str]) -> dict[str, Any]:
    """By call, the respects in which it differs from the call that the program was made from."""
    if not program.made_from:
        return {}
    shapes = {call.name: _shapes(subject, call) for call in prepared.calls if call.name in recorded}
    name = program.made_from[0].name
    first = shapes[name]
    optional = {path for each in shapes.values() for path, shape in each.items() if shape is None}
    varied: dict[str, tuple[str, ...]] = {}
    for other, each in shapes.items():
        sizes = any(shape and each.get(path, shape) not in (shape, None) for path, shape in first.items())
        nones = any((each.get(path) is None) != (first.get(path) is None) for path in optional)
        respects = {SIZES: sizes, VALUES: other != name, NONE: nones}
        varied[other] = tuple(respect for respect, differs in respects.items() if differs)
    return {"varied": varied, "respects": (SIZES, VALUES, *([NONE] if optional else []))}


def _shapes(subject: Capturable, call: Call) -> dict[str, tuple[int, ...] | None]:
    """The shapes of tensors, and Nones, among the arguments of a call, defaults too, by path."""
    bound = arguments_of(subject.callee, call.args, call.kwargs).arguments
    leaves = ((path, leaf) for path, leaf in leaves_of(bound) if leaf is None or is_tensor(leaf))
    return {path: None if leaf is None else tuple(leaf.shape) for path, leaf in leaves}

"""The task of `save` that captures a program, and writes it with its calls.

The file is judged in a process without the project (`saved_file`). So the calls and the model's answers go there as
data: tensors, numbers, strings, and tuples, lists and dicts of them.
"""

import faulthandler
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import torch

from pdt_annotate.captures.adapter import TracingAdapter
from pdt_annotate.captures.capturable import AbsentError, Capturable, reason_of
from pdt_annotate.captures.examine import as_called, perform_eager, remove_backward_hooks, subject_of, why_apart
from pdt_annotate.captures.flattened import arguments_of, is_tensor
from pdt_annotate.captures.merge import TENSOR, Interface, calls_with_flags, trace_whole, variants_of
from pdt_annotate.captures.saved_file import RecordedCall
from pdt_annotate.captures.table import BY_NAME
from pdt_annotate.captures.unsound.suspects import Trace
from pdt_annotate.captures.untaken import counting_lines, find_untaken
from pdt_annotate.captures.ways import jit
from pdt_annotate.captures.ways.trace_mixed import parts_to_script, with_scripted
from pdt_annotate.observers.sites import describe
from pdt_annotate.processes.child.isolation import keep
from pdt_annotate.processes.child.prepared import Prepared, calls_target, copy_built, is_comparable, method_of
from pdt_annotate.values.capture_results import METADATA, CallFate, Fate, SaveAttempt, SaveRequest, Way
from pdt_annotate.values.errors import SpecError, TargetError, TraceError
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import phase
from pdt_annotate.verify.judges.clones import clone, leaves_of
from pdt_annotate.verify.judges.saved import plain
from pdt_annotate.verify.judges.scripts import compile_methods

SCALARS = (bool, int, float, complex, str, bytes, type(None), torch.Size, torch.dtype, torch.device, torch.layout)
CLASS = "the example calls construct objects of a class, but only a module or a function can be saved"
IN_EVAL = "call `.eval()` where {} is constructed, or write `mode: eval` in a YAML spec"
TRAINING = f"the saved program is in training mode, like the model; for inference, {IN_EVAL.format('the model')}"
NEEDS_EVAL = f"--freeze and --optimize need a module in eval mode: {IN_EVAL.format('it')}"
NO_HOOKS = "the program has no backward hooks: only Python calls them"
SIZES, VALUES, NONE = "sizes", "values", "None"  # the respects in which a call may differ from the recorded one


@dataclass(frozen=True)
class Passing:
    """How a call of the model becomes one of a saved program; `kind` is its name in the metadata of a file."""

    kind: str
    arguments: Callable[[Call], tuple[tuple[Any, ...], dict[str, Any]]]
    answer: Callable[[Any], Any] = lambda result: result  # what the program returns where the model returns this


@dataclass(frozen=True)
class Program:
    """A captured program, before it is saved."""

    compiled: Any
    passing: Passing
    made_from: tuple[Call, ...] = ()
    flags: tuple[str, ...] = ()  # a trace was made for each combination of their values
    note: str = ""


Maker = Callable[[Prepared, Capturable, Way, SaveRequest], Program]


def save_program(prepared: Prepared, way: Way, request: SaveRequest) -> SaveAttempt:
    faulthandler.disable()  # a crash is an answer here
    if isinstance(prepared.built, type):
        raise TargetError(CLASS)
    eager = copy_built(prepared)
    had_hooks = remove_backward_hooks(prepared.built)
    subject = subject_of(prepared)
    put_back = keep(subject.callee)
    make = MAKERS.get(way.name, _trace)
    try:
        with phase(f"capturing it with {way.name}"), as_called(prepared, subject):
            program = make(prepared, subject, way, request)
            put_back()  # a trace runs the model
            compiled = _frozen(prepared, program, request)
            with counting_lines(prepared.root) as counts:
                traced = subject if program.made_from else None
                calls, apart = _record(prepared, eager, program.passing, program, traced)
        with phase("saving it"), warnings.catch_warnings(action="ignore"):
            facts = {"passing": program.passing.kind, "traced": traced is not None}
            described = [_described(call) for call in calls]
            metadata = {"torch": str(torch.__version__), **request.metadata, **facts, "calls": described}
            torch.save([vars(call) for call in calls], request.calls)
            extra = {METADATA: json.dumps(metadata)}
            if is_a(compiled, torch.export.ExportedProgram):
                torch.export.save(compiled, request.file, extra_files=extra)
            else:
                compiled.save(request.file, _extra_files=extra)
    except (TargetError, SpecError):
        raise
    except AbsentError as absent:
        return SaveAttempt(absent=str(absent))
    except (Exception, SystemExit) as error:  # torch, or the user's code under it, may raise anything
        return SaveAttempt(failure=reason_of(error, subject.root, subject.callee))
    is_module = isinstance(prepared.built, torch.nn.Module)
    in_training = is_module and getattr(compiled, "training", False) and subject.first.mode != "eval"
    return SaveAttempt(
        apart=tuple(apart),
        **_variety(prepared, subject, program, {call.name for call in calls}),
        findings=tuple(find_untaken(counts)),
        notes=tuple(filter(None, (program.note, TRAINING if in_training else "", NO_HOOKS if had_hooks else ""))),
    )


def record_calls(prepared: Prepared, passing: str, file: str, *, traced: bool) -> tuple[CallFate, ...]:
    subject = subject_of(prepared)
    eager = copy_built(prepared)
    with as_called(prepared, subject):
        known = AS_CALLED if passing == AS_CALLED.kind else PASSINGS[passing](subject)
        calls, apart = _record(prepared, eager, known, None, subject if traced else None)
    torch.save([vars(call) for call in calls], file)
    return tuple(apart)


def _script(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    scripted: Any = torch.jit.script(prepared.built)
    if not isinstance(prepared.built, torch.nn.Module):
        return Program(scripted, _bound(subject))
    compile_methods(scripted, prepared.built, dict.fromkeys((*prepared.methods, *request.methods)))
    return Program(scripted, AS_CALLED)


def _frozen(prepared: Prepared, program: Program, request: SaveRequest) -> Any:
    """The compiled program, frozen or optimized if that is asked for."""
    compiled = program.compiled
    if not isinstance(compiled, torch.jit.ScriptModule) or not (request.freeze or request.optimize):
        return compiled
    is_training = isinstance(prepared.built, torch.nn.Module) and prepared.built.training
    if any(call.mode == "train" or (is_training and call.mode != "eval") for call in prepared.calls):
        raise TargetError(NEEDS_EVAL)
    kept = [name for name in (*prepared.methods, *request.methods) if "." not in name and not program.made_from]
    frozen = torch.jit.freeze(compiled.eval(), preserved_attrs=kept)
    return torch.jit.optimize_for_inference(frozen, other_methods=kept) if request.optimize else frozen


def _trace(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    return Program(jit.capture(subject, for_file=True).holders[0], AS_CALLED, (subject.first,))


def _trace_adapted(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    """A trace with the model's arguments and results, or with tensors alone if TorchScript has no types for them."""
    try:
        whole, interface = trace_whole(subject.callee, calls_with_flags(subject))
        flags = tuple(flag for flag in interface.types if flag in interface.flags)
        listed = ", ".join(f"`{flag}`" for flag in flags)
        note = f"the file has a trace for each value of {listed} in the calls; another value raises an error"
        return Program(whole, _named(subject, interface), interface.made_from, flags, note if flags else "")
    except TraceError as error:
        adapted = jit.tracing(subject, for_file=True)(subject.callee, subject.first)
        note = f"the file accepts and returns only tensors, in the order of the arguments and results: {error.message}"
        return Program(adapted.traced, _flat(subject, adapted.adapter), (subject.first,), note=note)


AS_CALLED = Passing("as called", lambda call: (call.args, dict(call.kwargs)))


def _bound(subject: Capturable) -> Passing:
    """Pass all arguments: a saved function has no defaults, and an export fixes the number of its arguments."""
    pass_all = attrgetter("args", "kwargs")
    return Passing("bound", lambda call: pass_all(arguments_of(subject.callee, call.args, call.kwargs)))


def _named(subject: Capturable, interface: Interface | None = None) -> Passing:
    """The arguments that hold tensors, and flags, by name."""
    known = interface or Interface.of(variants_of(subject.callee, calls_with_flags(subject)))
    return Passing("named", lambda call: ((), known.arguments(subject.callee, call)))


def _flat(subject: Capturable, adapter: TracingAdapter | None = None) -> Passing:
    """The tensors of the arguments, in order."""
    known = adapter or jit.tracing(subject, for_file=True)(subject.callee, subject.first).adapter
    return Passing("flat", lambda call: (known.flatten(*call.args, **call.kwargs), {}), known.flatten_result)


PASSINGS: Mapping[str, Callable[[Capturable], Passing]] = {"bound": _bound, "named": _named, "flat": _flat}


def _trace_mixed(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    """Script the parts in which a trace would keep values of its call, and trace the rest."""
    make: Maker = _trace
    tracing: Trace = jit.trace_for_file
    try:
        tracing(subject.renew(), subject.first)
    except Exception:  # torch may raise anything
        make, tracing = _trace_adapted, jit.tracing(subject, for_file=True)
    paths, _ = parts_to_script(subject, tracing)
    mixed = replace(subject, callee=with_scripted(subject.callee, paths))
    program = make(prepared, mixed, BY_NAME["trace"], request)
    return replace(program, note="; ".join(filter(None, (f"scripted inside: {', '.join(paths)}", program.note))))


def _export(prepared: Prepared, subject: Capturable, way: Way, request: SaveRequest) -> Program:
    from pdt_annotate.captures.ways import fx  # noqa: PLC0415 - its imports take a second

    passing = _bound(subject)
    bound = ((call, *passing.arguments(call)) for call in subject.calls)
    whole = replace(subject, calls=tuple(replace(call, args=args, kwargs=kwargs) for call, args, kwargs in bound))
    program, call = fx.exported(whole, free=way.name == "export-dynamic")
    return Program(program, passing, (call,))


MAKERS: dict[str, Maker] = {"script": _script, "trace-adapted": _trace_adapted, "trace-mixed": _trace_mixed}
MAKERS |= {"export": _export, "export-dynamic": _export}


def _record(
    prepared: Prepared, eager: Any, passing: Passing, program: Program | None, traced: Capturable | None
) -> tuple[list[RecordedCall], list[CallFate]]:
    """The calls as data, with the answers of eager mode; and the calls that cannot be made of the program.

    `program` is None for a file that was saved before; `traced` is the subject, if the program has one method.
    """
    recorded: list[RecordedCall] = []
    apart: list[CallFate] = []
    made_from = {each.name for each in program.made_from} if program else set()
    only = method_of(prepared, traced.first) if traced else ""
    for seed, call in enumerate(prepared.calls, start=prepared.spec.settings.seed):
        if not calls_target(prepared, call):
            continue
        fate = Fate.NOT_COMPARED
        try:
            why = why_apart(prepared, call, only) if only else ""
            if program and not only and not is_comparable(prepared, program.compiled, call):
                why = f"the saved program has no `{method_of(prepared, call)}`"
            if why:
                raise TraceError(why)
            args, kwargs = clone(passing.arguments(call))
            args = tuple(_portable(each, f"argument {number}") for number, each in enumerate(args, start=1))
            kwargs = {name: _portable(each, f"`{name}`") for name, each in kwargs.items()}
            done = perform_eager(prepared, eager, call, seed)
            fate = Fate.DIFFERS
            answer = None if done.error is not None else plain(passing.answer(done.answer))
        except TraceError as error:  # the trace was made from another call, or a value is no data
            apart.append(CallFate(call.name, fate, call.held_back, message=error.message))
            continue
        method = "forward" if only else method_of(prepared, call)
        plain_call = vars(replace(call, args=args, kwargs=kwargs, method=method, callee=None))
        known = RecordedCall(**plain_call, seed=seed, answer=answer, raised=done.error is not None)
        gradients = not prepared.spec.settings.no_grad
        recorded.append(replace(known, made_from=call.name in made_from, with_gradients=gradients))
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
    raise TraceError(f"{where} is a {type(value).__qualname__}, which a process without the project cannot construct")


def _described(call: RecordedCall) -> dict[str, object]:
    arguments = {**{str(index): each for index, each in enumerate(call.args)}, **call.kwargs}
    described = {name: describe(value) for name, value in arguments.items()}
    return {"name": call.name, "method": call.method, "held_back": call.held_back, "arguments": described}


def _variety(prepared: Prepared, subject: Capturable, program: Program, recorded: set[str]) -> dict[str, Any]:
    """By call, the respects in which it differs from the call that its trace was made from."""
    known = {call.name: _shapes(subject, call) for call in prepared.calls if call.name in recorded}
    optional = {path for each in known.values() for path, shape in each.items() if shape is None} - {*program.flags}
    varied: dict[str, tuple[str, ...]] = {}
    respects: list[str] = []
    for made in program.made_from:
        first, flags = _shapes(subject, made), _flags(subject, program, made)
        where = f" where {' and '.join(f'{flag} = {value!r}' for flag, value in flags.items())}" if flags else ""
        respects += (f"{respect}{where}" for respect in (SIZES, VALUES, *([NONE] if optional else [])))
        for call in prepared.calls:
            if call.name not in recorded or _flags(subject, program, call) != flags:
                continue
            shapes = known[call.name]
            sizes = any(shape and shapes.get(path, shape) not in (shape, None) for path, shape in first.items())
            nones = any((shapes.get(path) is None) != (first.get(path) is None) for path in optional)
            differs = {SIZES: sizes, VALUES: call.name != made.name, NONE: nones}
            varied[call.name] = tuple(f"{respect}{where}" for respect, does in differs.items() if does)
    return {"varied": varied, "respects": tuple(respects)}


def _flags(subject: Capturable, program: Program, call: Call) -> dict[str, Any]:
    bound = arguments_of(subject.callee, call.args, call.kwargs).arguments
    return {flag: TENSOR if is_tensor(bound[flag]) else bound[flag] for flag in program.flags}


def _shapes(subject: Capturable, call: Call) -> dict[str, tuple[int, ...] | None]:
    """The shapes of tensors, and Nones, among the arguments of a call, defaults too, by path."""
    bound = arguments_of(subject.callee, call.args, call.kwargs).arguments
    leaves = ((path, leaf) for path, leaf in leaves_of(bound) if leaf is None or is_tensor(leaf))
    return {path: None if leaf is None else tuple(leaf.shape) for path, leaf in leaves}

"""`merge_traces`: one scripted module of a trace for each value of a flag, or of several.

    merged = merge_traces(model, [(x, False), (x, True)])
    merged(x, True)

All traces are methods of one module, so its parameters and buffers are there once and are those of the model.
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.captures import flattened, sizes
from pdt_annotate.captures.adapter import RESULT, RichCall, as_held
from pdt_annotate.captures.capturable import Capturable
from pdt_annotate.captures.flattened import Expressed, Flattened, arguments_of, is_tensor
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.findings.messages.said import last_line, read_failure
from pdt_annotate.processes.child.isolation import PutBack, keep
from pdt_annotate.values.errors import PdtWarning, TraceError
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import Difference, compare

TENSOR = "a tensor"
FLAGS = (type(None), bool, int, float, str)
"""The types of values that can select a trace."""

KINDS = "a flag can be None, a bool, an int, a float, a str, or a tensor that may be None"
ONE_RESULT = "a TorchScript function returns values of one type: let the model return the same structure for every flag"
SCRIPT = "script the model instead; pdt-annotate writes the annotations that scripting needs"
TORCH = os.path.join(os.path.dirname(torch.__file__), "")


@dataclass(frozen=True)
class Variant:
    """The trace of one call, for one value of each flag."""

    values: Mapping[str, Any]  # by flag; `TENSOR` for any tensor
    call: Call
    rich: RichCall
    method: str  # the name of the trace in the merged module

    @property
    def label(self) -> str:
        """The values: "double = True, mask = None"."""
        return ", ".join(f"{flag} = {v if v is TENSOR else repr(v)}" for flag, v in self.values.items())


def merge_traces(
    module: Callable[..., Any], calls: Iterable[Any], flags: str | Iterable[str] = (), *, held_back: Iterable[Any] = ()
) -> torch.jit.ScriptModule:
    """Trace a model once for each combination of its flags in the example calls, and join the traces in one module.

    The result takes the tensors and the flags, under the model's names. Other arguments must be the same in all calls;
    the traces keep them. For a value of a flag without a trace, the result raises an error.

    Args:
        module: a module, a method of one or a function.
        calls: `Call`s or tuples of arguments. The first one with its values is traced; all are verified.
        flags: the names of the flags, each None, a bool, an int, a float or a str, or a tensor that may be None; by
            default, the arguments in which the calls differ by more than the contents of tensors.
        held_back: further calls, which are not traced.

    Warns:
        PdtWarning: a tensor decides a branch or loop in Python; each trace keeps the decision of its call (PDT082).

    Raises:
        TypeError: a call does not fit the model.
        TraceError: the calls differ in more than tensors and the flags, the traces cannot be merged, or the merged
            module returns other results than the model.
    """
    examples, further = (
        [each if isinstance(each, Call) else Call(each if isinstance(each, tuple) else (each,)) for each in given]
        for given in (calls, held_back)
    )
    put_back = keep(module)
    try:
        merged, interface = trace_whole(module, examples, (flags,) if isinstance(flags, str) else flags)
        for number, call in enumerate((*examples, *further), start=1):
            put_back()
            _verify(module, merged, interface.arguments(module, call), call, call.name or f"call {number}", put_back)
    finally:
        put_back()
    return merged  # type: ignore[no-any-return]


def trace_whole(module: Any, calls: Sequence[Call], flags: Iterable[str] = ()) -> tuple[Any, Interface]:
    """Trace calls into a module that takes the model's arguments with tensors, and returns its whole result.

    Raises `TraceError` if TorchScript has no type for an argument or the result, the calls differ too much, or the
    compiler refuses the code that calls the traces.
    """
    variants = variants_of(module, calls, flags)
    interface = Interface.of(variants)

    def make(rich: RichCall) -> Callable[..., Any]:
        return lambda self, *tensors: rich.run(self.module, tensors)

    holder: Any = type("Merged", (torch.nn.Module,), {each.method: make(each.rich) for each in variants})()
    holder.module = as_held(module)
    inputs = {each.method: each.rich.inputs for each in variants}
    with listening(lambda file: not file.startswith(TORCH)) as heard, _same_draws(), sizes.sizes_as_numbers(module):
        merged = torch.jit.trace_module(holder, inputs, check_trace=False)
    for each in dict.fromkeys(heard):
        warnings.warn(PdtWarning(f"PDT082: {each.places[0]}: {each.words}", "PDT082"), stacklevel=2)
    try:
        merged.define(interface.source(variants))
    except RuntimeError as error:
        raise TraceError(f"the traces cannot be merged: {read_failure(error).message}", hint=SCRIPT) from error
    return merged, interface


def calls_to_trace(module: Any, calls: Sequence[Call], flags: Iterable[str] = ()) -> dict[tuple[Any, ...], Call]:
    """The first call with each combination of values of the flags, by the types and values.

    Raises `TraceError` if the model has no such flag, or if a value cannot select a trace.
    """
    names = flattened.signature_of(module).parameters
    bound = [arguments_of(module, call.args, call.kwargs).arguments for call in calls]
    if not bound:
        raise TraceError("there is no call to trace")
    flat = [{name: Flattened.of({name: value}) for name, value in each.items()} for each in bound]
    flags = tuple(flags) or [name for name in flat[0] if any(flat[0][name].difference(each[name]) for each in flat)]
    found: dict[tuple[Any, ...], Call] = {}
    for call, passed in zip(calls, bound, strict=True):
        key: list[tuple[str, type, Any]] = []
        for flag in flags:
            if flag not in names:
                raise TraceError(f"the model has no parameter {flag!r}", hint=f"its parameters are {', '.join(names)}")
            value = TENSOR if is_tensor(passed[flag]) else passed[flag]
            if type(value) not in FLAGS or (type(value) is float and not math.isfinite(value)):
                raise TraceError(f"{flag} is {value!r}, which cannot select a trace", hint=KINDS)
            key.append((flag, type(value), value))
        found.setdefault(tuple(key), call)
    return found


def calls_with_flags(subject: Capturable) -> tuple[Call, ...]:
    """The calls, and the first one with the flags of each held-back call, whose tensors are not used."""
    first, made = subject.first, list[Call]()
    for call in subject.held_back:
        bound = arguments_of(subject.callee, first.args, first.kwargs)
        passed = arguments_of(subject.callee, call.args, call.kwargs).arguments
        bound.arguments.update({name: value for name, value in passed.items() if type(value) in FLAGS})
        made.append(replace(first, args=bound.args, kwargs=bound.kwargs))
    return (*subject.calls, *made)


def variants_of(module: Any, calls: Sequence[Call], flags: Iterable[str] = ()) -> tuple[Variant, ...]:
    """One variant for each combination of values; raises `TraceError` if calls differ in more than the flags."""
    variants: list[Variant] = []
    put_back = keep(module)
    for key, call in calls_to_trace(module, calls, flags).items():
        rich = RichCall(module, *clone((call.args, dict(call.kwargs))))
        with _same_draws():
            rich.run(module, rich.inputs)
        variants.append(Variant({flag: value for flag, _, value in key}, call, rich, f"trace_{len(variants)}"))
        put_back()
    first = _without_flags(variants[0])
    for variant in variants[1:]:
        difference = first.difference(_without_flags(variant))
        if difference:
            message = f"calls with {variants[0].label} and {variant.label} differ in more than the flag: {difference}"
            raise TraceError(message, hint=SCRIPT)
    several = variants if len(variants) > 1 else ()
    results = {v.label: flattened.type_of(_result(v), f"the result with {v.label}") for v in several}
    if len(set(results.values())) > 1:
        message = ", ".join(f"with {flag} it is {type_}" for flag, type_ in results.items())
        raise TraceError(f"the type of the result varies: {message}", hint=ONE_RESULT)
    return tuple(variants)


def _without_flags(variant: Variant) -> Flattened:
    passed = variant.rich.bound.arguments
    return Flattened.of({name: value for name, value in passed.items() if name not in variant.values})


def _result(variant: Variant) -> Any:
    """The result, with an expression in place of each tensor that a trace returns."""
    flat = variant.rich.result
    assert flat is not None  # it was run
    tensors = [Expressed(f"t[{index}]") for index in range(len(flat.tensors))]
    for index, path in enumerate(flat.tensors):
        if number := variant.rich.sized.get(path):
            tensors[index] = Expressed(f"{number.__name__}(t[{index}])", number.__name__)
    return flattened.put_together(flat, tensors)[RESULT]


@dataclass(frozen=True)
class Interface:
    """The arguments of a merged module, and its source."""

    flags: frozenset[str]
    types: Mapping[str, str]  # of all arguments, by name, in the order of the model
    defaults: Mapping[str, str]  # of the last flags, as source
    baked_in: Flattened  # the arguments without flags
    made_from: tuple[Call, ...]  # the traced calls

    @classmethod
    def of(cls, variants: Sequence[Variant]) -> Interface:
        """Raises `TraceError` if TorchScript has no type for an argument."""
        flags, bound = variants[0].values, variants[0].rich.bound
        signature, passed = bound.signature, bound.arguments
        names = [name for name in passed if name in flags or Flattened.of({name: passed[name]}).tensors]
        types: dict[str, str] = {}
        for name in names:
            parameter, paths = signature.parameters[name], Flattened.of({name: passed[name]}).tensors
            message = ""
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                message = f"{parameter} contains tensors, but a TorchScript function has a fixed number of arguments"
            elif any("." in each.partition("[")[0] for each in paths):
                message = f"{name} is a {type(passed[name]).__qualname__}, a class that TorchScript may not support"
            if message:
                raise TraceError(message, hint=SCRIPT)
            types[name] = _type_of_flag(name, variants) if name in flags else flattened.type_of(passed[name], name)
        defaults: dict[str, str] = {}
        for name in reversed(names):
            default = signature.parameters[name].default
            if name not in flags or not any(default is variant.values[name] for variant in variants):
                break
            defaults[name] = repr(default)
        made_from = tuple(variant.call for variant in variants)
        return cls(frozenset(flags), types, defaults, _without_flags(variants[0]), made_from)

    def arguments(self, module: Any, call: Call) -> dict[str, Any]:
        """The arguments of a call that the merged module takes; raises `TraceError` if the call differs in others."""
        passed = clone(dict(arguments_of(module, call.args, call.kwargs).arguments))
        rest = {name: value for name, value in passed.items() if name not in self.flags}
        difference = self.baked_in.difference(Flattened.of(rest))
        if difference:
            raise TraceError(f"this trace was made from another call: {difference}", hint=SCRIPT)
        return {name: passed[name] for name in self.types}

    def source(self, variants: Sequence[Variant]) -> str:
        """The method that chooses a trace."""
        defaults = {name: f" = {default}" for name, default in self.defaults.items()}
        taken = ", ".join(f"{name}: {type_}{defaults.get(name, '')}" for name, type_ in self.types.items())
        lines = [f"def forward(self, {taken}):"]
        for variant in variants:
            conditions: list[str] = []
            for flag, value in variant.values.items():
                if self.types[flag].startswith("Optional"):
                    conditions.append(f"{flag} is None" if value is None else f"{flag} is not None")
                if value is not None and value is not TENSOR:
                    conditions.append(f"{flag} == {value!r}")
            lines += [f"    if {' and '.join(conditions)}:"] if conditions else []
            indent = "        " if conditions else "    "
            lines.append(f"{indent}t = self.{variant.method}({', '.join(variant.rich.passed.tensors)})")
            lines.append(f"{indent}return {flattened.spell(_result(variant), RESULT)}")
        if not variants[0].values:
            return "\n".join((*lines, ""))
        said = repr(f"there are traces only for {'; '.join(variant.label for variant in variants)}")
        shown = [flag for flag in variants[0].values if self.types[flag] != "Optional[Tensor]"]
        if shown:
            said = f"'{{}}, none for {', '.join('{}' for _ in shown)}'.format({said}, {', '.join(shown)})"
        return "\n".join((*lines, f"    raise ValueError({said})", ""))


def _type_of_flag(flag: str, variants: Sequence[Variant]) -> str:
    values = [variant.rich.bound.arguments[flag] for variant in variants]
    found = sorted({flattened.type_of(each, flag) for each in values if each is not None})
    if len(found) > 1:
        raise TraceError(f"{flag} has several types: {', '.join(found)}", hint=KINDS)
    is_optional = any(each is None for each in values)
    if not found or (found == ["Tensor"] and not is_optional):
        only = "a tensor" if found else "None"
        raise TraceError(f"{flag} is {only} in all calls, so one trace is enough")
    return f"Optional[{found[0]}]" if is_optional else found[0]


def _verify(module: Any, merged: Any, arguments: Mapping[str, Any], call: Call, name: str, put_back: PutBack) -> None:
    """Raise `TraceError` if the merged module answers a call differently than the model."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    with _same_draws():
        expected = module(*args, **kwargs)
    put_back()
    try:
        with _same_draws():
            compare(expected, merged(**arguments))
    except Difference as difference:
        raise TraceError(f"{name}: the merged traces differ from the model: {difference}", hint=SCRIPT) from None
    except (RuntimeError, torch.jit.Error) as error:
        raise TraceError(f"{name}: the merged traces raise: {last_line(str(error))}", hint=SCRIPT) from error


@contextlib.contextmanager
def _same_draws() -> Iterator[None]:
    """Draw the same random numbers inside each such block, and leave the generator as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield

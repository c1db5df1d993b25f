"""`merge_traces`: one scripted module of a trace for each value of a flag, or for each combination of several.

    merged = merge_traces(model, [(x, False), (x, True)], "double")
    merged(x, True)

All traces are methods of one module, so its parameters and buffers are there once and are those of the model.
"""

from __future__ import annotations

import contextlib
import math
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.captures.adapter import RESULT, RichCall, as_held
from pdt_annotate.captures.flattened import (
    Expressed,
    Flattened,
    arguments_of,
    is_tensor,
    put_together,
    signature_of,
    spell,
    type_of,
)
from pdt_annotate.captures.unsound.lines import listening
from pdt_annotate.findings.messages.said import last_line, read_failure
from pdt_annotate.processes.child.isolation import PutBack, keep
from pdt_annotate.values.errors import PdtWarning, TraceError
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import Difference, compare

TENSOR = "a tensor"

KINDS = "a flag is None, a bool, an int, a float or a str, or a tensor that may be None"
ONE_RESULT = "a TorchScript function returns one type: let the model return the same structure for every flag"
SCRIPT = "script the model instead: pdt-annotate writes the types that it needs"

TORCH = os.path.join(os.path.dirname(torch.__file__), "")
_jit: Any = torch.jit


@dataclass(frozen=True)
class Variant:
    """The trace of one call, for one value of each flag."""

    values: Mapping[str, Any]  # by flag; `TENSOR` for any tensor
    label: str  # "double = True"
    rich: RichCall
    method: str  # the name of the trace in the merged module


def merge_traces(
    module: Callable[..., Any], calls: Iterable[Any], argument: str | Sequence[str], *, held_back: Iterable[Any] = ()
) -> torch.jit.ScriptModule:
    """Trace a model once for each value that its example calls have for a flag, and put these into one scripted module.

    The result is called with the tensors of a call and the flag, under the names that the model has for them. Other
    values must be the same in all calls, and are baked in. A value of the flag that no call had raises an error.

    Args:
        module: a module, a method of one or a function.
        calls: `Call`s or tuples of arguments. The first one with a value is traced; all are verified.
        argument: the name of the flag: None, a bool, an int, a float or a str, or a tensor that may be None. If there
            are several, a sequence of names: each combination of values in the calls gets a trace.
        held_back: further calls, which are not traced.

    Warns:
        PdtWarning: a tensor decides a branch or loop in Python; each trace keeps the decision of its call (PDT082).

    Raises:
        TypeError: a call does not fit the model.
        TraceError: the calls differ in more than tensors and the flag, the traces cannot be merged, or the merged
            module answers differently than the model.
    """

    def as_call(value: Any) -> Call:
        return value if isinstance(value, Call) else Call(value if isinstance(value, tuple) else (value,))

    examples, further = tuple(map(as_call, calls)), tuple(map(as_call, held_back))
    put_back = keep(module)
    try:
        flags = (argument,) if isinstance(argument, str) else tuple(argument)
        variants = _variants(module, examples, flags, put_back)
        interface = Interface.of(variants, flags)
        merged = _merge(module, variants, interface)
        for number, call in enumerate((*examples, *further), start=1):
            put_back()
            _verify(module, merged, interface.arguments(module, call), call, call.name or f"call {number}", put_back)
    finally:
        put_back()
    return merged  # type: ignore[no-any-return]


def trace_whole(module: Callable[..., Any], call: Call) -> tuple[Any, Interface]:
    """Trace one call into a module that takes the model's arguments with tensors, and returns its whole result.

    Raises `TraceError` if TorchScript has no type for an argument or the result.
    """
    variants = (_only_variant(module, call),)
    interface = Interface.of(variants)
    return _merge(module, variants, interface), interface


def interface_of(module: Callable[..., Any], call: Call) -> Interface:
    """The arguments of the module that `trace_whole` makes; raises as it does."""
    return Interface.of((_only_variant(module, call),))


def _only_variant(module: Callable[..., Any], call: Call) -> Variant:
    rich = RichCall(module, *clone((call.args, dict(call.kwargs))))
    with _same_draws():
        rich.run(module, rich.inputs)
    return Variant({}, call.name, rich, "trace")


def _variants(module: Any, calls: Sequence[Call], flags: Sequence[str], put_back: PutBack) -> tuple[Variant, ...]:
    """One variant for each combination of values; raises `TraceError` if calls differ in more than the flags."""
    names = signature_of(module).parameters
    for flag in flags:
        if flag not in names:
            raise TraceError(f"the model has no parameter {flag!r}", hint=f"it has {', '.join(names)}")
    found: dict[tuple[tuple[type, Any], ...], Variant] = {}
    for call in calls:
        passed = arguments_of(module, call.args, call.kwargs).arguments
        values = {flag: TENSOR if is_tensor(passed[flag]) else passed[flag] for flag in flags}
        for flag, value in values.items():
            is_endless = type(value) is float and not math.isfinite(value)
            if type(value) not in (type(None), bool, int, float, str) or is_endless:
                raise TraceError(f"{flag} is {value!r}, which cannot select a trace", hint=KINDS)
        key = tuple((type(value), value) for value in values.values())
        if key not in found:
            label = ", ".join(f"{flag} = {each if each is TENSOR else repr(each)}" for flag, each in values.items())
            rich = RichCall(module, *clone((call.args, dict(call.kwargs))))
            with _same_draws():
                rich.run(module, rich.inputs)
            found[key] = Variant(values, label, rich, f"trace_{len(found)}")
            put_back()
    _check_alike(tuple(found.values()))
    return tuple(found.values())


def _check_alike(variants: Sequence[Variant]) -> None:
    """Raise `TraceError` if the calls of variants differ in more than tensors and the flags."""
    if not variants:
        raise TraceError("there is no call to trace")
    rest = (
        {name: value for name, value in each.rich.bound.arguments.items() if name not in each.values}
        for each in variants
    )
    first, *others = map(Flattened.of, rest)
    for variant, other in zip(variants[1:], others, strict=True):
        difference = first.difference(other)
        if difference:
            message = f"calls with {variants[0].label} and {variant.label} differ in more than the flag: {difference}"
            raise TraceError(message, hint=SCRIPT)
    results = {variant.label: type_of(_result(variant), f"the result with {variant.label}") for variant in variants}
    if len(set(results.values())) > 1:
        message = ", ".join(f"with {flag} it is {type_}" for flag, type_ in results.items())
        raise TraceError(f"the type of the result varies: {message}", hint=ONE_RESULT)


def _result(variant: Variant) -> Any:
    """The result, with an expression in place of each tensor that a trace returns."""
    flat = variant.rich.result
    assert flat is not None  # it was run
    tensors = [Expressed(f"t[{index}]") for index in range(len(flat.tensors))]
    for index, path in enumerate(flat.tensors):
        if number := variant.rich.sized.get(path):
            tensors[index] = Expressed(f"{number.__name__}(t[{index}])", number.__name__)
    return put_together(flat, tensors)[RESULT]


def _merge(module: Any, variants: Sequence[Variant], interface: Interface) -> Any:
    """Make the traces and the scripted module; raises `TraceError` if the compiler refuses the code that calls them."""

    def make(rich: RichCall) -> Callable[..., Any]:
        return lambda self, *tensors: rich.run(self.module, tensors)

    holder: Any = type("Merged", (torch.nn.Module,), {each.method: make(each.rich) for each in variants})()
    holder.module = as_held(module)
    inputs = {each.method: each.rich.inputs for each in variants}
    with listening(lambda file: not file.startswith(TORCH)) as heard, _same_draws():
        merged = _jit.trace_module(holder, inputs, check_trace=False)
    for each in dict.fromkeys(heard):
        warnings.warn(PdtWarning(f"PDT082: {each.places[0]}: {each.words}", "PDT082"), stacklevel=3)
    try:
        merged.define(interface.source(variants))
    except RuntimeError as error:
        raise TraceError(f"the traces cannot be merged: {read_failure(error).message}", hint=SCRIPT) from error
    return merged


@dataclass(frozen=True)
class Interface:
    """The arguments of a merged module, and its source."""

    flags: Sequence[str]  # the names of the arguments that choose a trace; none if there is one trace
    types: Mapping[str, str]  # of all arguments, by name, in the order of the model
    defaults: Mapping[str, str]  # of the last flags, as source

    @classmethod
    def of(cls, variants: Sequence[Variant], flags: Sequence[str] = ()) -> Interface:
        """Raises `TraceError` if TorchScript has no type for an argument."""
        signature, passed = variants[0].rich.bound.signature, variants[0].rich.bound.arguments
        names = [name for name in passed if name in flags or Flattened.of({name: passed[name]}).tensors]
        for name in names:
            parameter, paths = signature.parameters[name], Flattened.of({name: passed[name]}).tensors
            message = ""
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                message = f"{parameter} holds tensors, and TorchScript takes a fixed number of arguments"
            elif any("." in each.partition("[")[0] for each in paths):
                message = f"{name} is a {type(passed[name]).__qualname__}, whose class TorchScript may not know"
            if message:
                raise TraceError(message, hint=SCRIPT)
        types: dict[str, str] = {}
        defaults: dict[str, str] = {}
        for name in names:
            if name not in flags:
                types[name] = type_of(passed[name], name)
                defaults.clear()  # a parameter without default follows
                continue
            values = [variant.rich.bound.arguments[name] for variant in variants]
            found = sorted({type_of(each, name) for each in values if each is not None})
            if len(found) > 1:
                raise TraceError(f"{name} has several types: {', '.join(found)}", hint=KINDS)
            is_optional = any(each is None for each in values)
            if not found or (found == ["Tensor"] and not is_optional):
                only = "a tensor" if found else "None"
                raise TraceError(f"{name} is {only} in all calls, so one trace is enough")
            types[name] = f"Optional[{found[0]}]" if is_optional else found[0]
            default = signature.parameters[name].default
            if any(default is each for each in values):
                defaults[name] = repr(default)
            else:
                defaults.clear()
        return cls(flags, types, defaults)

    def arguments(self, module: Any, call: Call) -> dict[str, Any]:
        """The arguments of a call that the merged module takes."""
        passed = clone(dict(arguments_of(module, call.args, call.kwargs).arguments))
        return {name: passed[name] for name in self.types}

    def source(self, variants: Sequence[Variant]) -> str:
        """The method that chooses a trace."""
        defaults = {name: f" = {default}" for name, default in self.defaults.items()}
        taken = ", ".join(f"{name}: {type_}{defaults.get(name, '')}" for name, type_ in self.types.items())
        lines = [f"def forward(self, {taken}):"]
        if not self.flags:
            (only,) = variants
            lines.append(f"    t = self.{only.method}({', '.join(only.rich.passed.tensors)})")
            return "\n".join((*lines, f"    return {spell(_result(only), RESULT)}", ""))
        for variant in variants:
            lines += [
                f"    if {' and '.join(self._conditions(variant))}:",
                f"        t = self.{variant.method}({', '.join(variant.rich.passed.tensors)})",
                f"        return {spell(_result(variant), RESULT)}",
            ]
        said = repr(f"there are traces only for {'; '.join(variant.label for variant in variants)}")
        shown = [flag for flag in self.flags if self.types[flag] != "Optional[Tensor]"]
        if shown:
            said = f"'{{}}, none for {', '.join(['{}'] * len(shown))}'.format({said}, {', '.join(shown)})"
        return "\n".join((*lines, f"    raise ValueError({said})", ""))

    def _conditions(self, variant: Variant) -> Iterator[str]:
        for flag, value in variant.values.items():
            if value is None:
                yield f"{flag} is None"
                continue
            if value is TENSOR or self.types[flag].startswith("Optional"):
                yield f"{flag} is not None"
            if value is not TENSOR:
                yield f"{flag} == {value!r}"


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
    except (RuntimeError, _jit.Error) as error:
        raise TraceError(f"{name}: the merged traces raise: {last_line(str(error))}", hint=SCRIPT) from error


@contextlib.contextmanager
def _same_draws() -> Iterator[None]:
    """Draw the same random numbers inside each such block, and leave the generator as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield

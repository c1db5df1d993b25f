"""The content of a spec in any format, and the example calls in it, which must fit the signatures of their callees."""

import inspect
import linecache
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal

from pdt_annotate.inputs.resolve import is_instance
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.live import qualname_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Place, column_at

EXAMPLE = "torch.randn(2, 3)"  # the value that an error suggests if nothing shows another type


@dataclass(frozen=True)
class RunSettings:
    """The settings of the whole run.

    `dtype` is the name of a floating dtype for the model and for tensors that name none; with `mode` None the model
    keeps the mode in which it was constructed. Gradients are recorded unless `no_grad` is set, since a model may
    differentiate inside `forward`.
    """

    seed: int = 0
    device: str = "cpu"
    dtype: str | None = None
    mode: Literal["eval", "train"] | None = None
    no_grad: bool = False


@dataclass(frozen=True)
class Recipe:
    """A description of a spec's `build`, from which it can be written as code."""

    name: str = ""  # an expression for the definition in the spec's module: "model()"; "" if the class is called
    # Makes the arguments of that call, new ones each time.
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]] = lambda: ((), {})
    state: str = ""  # the file of a state dict to load afterwards, and `key` its key in that file; "" for none
    key: str | None = None
    unsaid: str = ""  # further effects of `build`


@dataclass(frozen=True)
class Spec:
    """Example calls, and the construction of the model (`build`; None if the spec has none), which `recipe` describes.

    If the spec has a function or a class's arguments, `build` constructs a fresh model on every call. It seeds nothing:
    a caller who wants equal models calls `seed_generators` before each.
    """

    calls: tuple[Call, ...] = ()
    build: Callable[[], object] | None = None
    settings: RunSettings = field(default_factory=RunSettings)
    language: Literal["python", "yaml"] = "python"  # of its file
    recipe: Recipe | None = None


def seed_generators(seed: int) -> None:
    """Seed every random number generator that a model or a spec is likely to draw from."""
    import torch  # noqa: PLC0415 - checking a spec needs no torch

    random.seed(seed)
    try:
        accelerator = torch.accelerator.current_accelerator()
    except RuntimeError:  # from torch 2.6; later versions return None
        accelerator = None
    if accelerator is None:
        torch.default_generator.manual_seed(seed)  # `manual_seed` keeps a stack trace for each missing device
    else:
        torch.manual_seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)


def fill_in(name: str, example: str = EXAMPLE) -> Any:
    """A placeholder for a value that `pdt-annotate init` could not know; it raises, whatever its return type says.

    Args:
        name: the parameter that needs the value.
        example: a possible value, as source text.

    Raises:
        SpecError: always, with the place of the call.
    """
    frame = sys._getframe(1)
    file, line = frame.f_code.co_filename, frame.f_lineno
    # The column of the expression that the frame evaluates, if Python knows it.
    _, _, offset, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    place = Place(file, line, 0 if offset is None else column_at(linecache.getline(file, line), offset))
    raise SpecError(f"{name} has no value yet", place=place, hint=f"replace fill_in(…) by a value, such as {example}")


FORMS = "a call is a tuple of positional arguments, a dict of keyword arguments, or a pdt_annotate.Call"
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def read_calls(value: object) -> Iterator[Call]:
    """The calls in a list, in a mapping of callables to lists (as of `torch.jit.script(example_inputs=)`), or alone."""
    if isinstance(value, Mapping) and value and all(map(callable, value)):
        for callee, calls in value.items():
            try:
                yield from (replace(call, callee=callee) for call in read_calls(calls))
            except SpecError as error:
                raise SpecError(f"{error.message} (of {qualname_of(callee)})", hint=error.hint) from None
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield read_call(item, f"call {number}")
    elif isinstance(value, tuple) and value and all(isinstance(item, tuple | Mapping | Call) for item in value):
        hint = "write a list: [(…), (…)] for several calls, [((…), (…))] for one call with tuples as arguments"
        raise SpecError("a tuple of tuples may be one call or several", hint=hint)
    elif value is not None and not (isinstance(value, Mapping) and not value):
        yield read_call(value, "the only call")


def read_call(value: object, label: str) -> Call:
    """One call; a value that is not one, such as a bare tensor, is a SpecError with `label`: torch would unpack it."""
    if isinstance(value, Call):
        return _check_fields(value, label)
    if isinstance(value, tuple):
        return Call(args=value)
    if isinstance(value, Mapping):
        return _check_fields(Call(kwargs=value), label)
    hint = "write (x,) for a call with one argument" if not isinstance(value, list) else "write a tuple: (…)"
    raise SpecError(f"{label} is {describe(value)}; {FORMS}", hint=hint)


def _check_fields(call: Call, label: str) -> Call:
    args: Any = call.args
    if isinstance(args, list):
        call = replace(call, args=tuple(args))
    elif not isinstance(args, tuple):
        raise SpecError(f"{label}: `args` is {describe(args)}, not a tuple", hint="write Call((x,)) for one argument")
    if not (isinstance(call.kwargs, Mapping) and all(isinstance(key, str) for key in call.kwargs)):
        raise SpecError(f"{label}: keyword arguments must be a dict with parameter names as keys")
    if call.mode not in ("", "train", "eval"):
        raise SpecError(f"{label}: `mode` is {call.mode!r}", hint='write "train" or "eval", or remove `mode`')
    return call


def describe(value: object) -> str:
    name = "a tensor" if is_instance(value, "torch.Tensor") else f"a value of type {type(value).__qualname__!r}"
    return "None" if value is None else name


def label(call: Call, index: int) -> str:
    """The name of a call in messages and reports: its own, or its number; `index` counts from 0."""
    return call.name or f"call {index + 1}"


def check_binding(call: Call, signature: inspect.Signature, label: str, file: str = "") -> None:
    """Raise SpecError if the arguments of a call do not fit a signature without `self`."""
    try:
        signature.bind(*call.args, **call.kwargs)
    except TypeError as error:
        message = str(error)
        if "too many positional" in message:  # Python's message says no more
            names = [p.name for p in signature.parameters.values() if p.kind in BY_POSITION]
            wanted = f"{len(names)} parameters ({', '.join(names) or 'none'})"
            message = f"{len(call.args)} positional arguments for {wanted}"
        raise SpecError(f"{label}: {message}", file=file, hint=_advise(call, signature)) from None


def _advise(call: Call, signature: inspect.Signature) -> str:
    names = [p.name for p in signature.parameters.values() if p.kind not in VARIADIC]
    unknown = [name for name in call.kwargs if name not in names]
    if unknown and (near := did_you_mean(unknown[0], names)):
        return near
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return f"the parameters are {signature.replace(parameters=plain, return_annotation=signature.empty)}"

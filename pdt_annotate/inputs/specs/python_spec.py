"""Specs in Python: a file that defines the calls, under one of the usual names or under the user's."""

import re
from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from functools import partial
from types import ModuleType

from pdt_annotate.inputs.import_target import load_file
from pdt_annotate.inputs.resolve import MODULE, call_without_arguments, is_instance
from pdt_annotate.inputs.specs.spec import Recipe, Spec, describe, read_calls, seed_generators
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.source.identifiers import bound_names
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.slots import Place
from pdt_annotate.values.user_code import user_code

# In order of preference, if a file defines several.
NAMES = ("example_inputs", "calls", "inputs", "load_data", "get_module")
NEARLY = 0.8  # the similarity, by `difflib`, from which another name counts as a typing error
MODEL_AND_INPUTS = "get_module"
_UNDEFINED = "the file does not define it"


def read_python(file: str, name: str, target_object: object | None) -> Spec:
    """Import a spec and read the calls under `name`, or the first of `NAMES` that it defines; it makes its own model.

    Raises SpecError, or UserCodeError if its code raised.
    """
    seed_generators(Spec().settings.seed)
    module = load_file(file)
    source = name or next((n for n in NAMES if _get(module, n) is not None), "")
    build, said = _read_build(module, file)
    recipe = Recipe(said)
    if not source:
        return Spec(build=build, recipe=recipe)
    try:
        return Spec(tuple(read_calls(_evaluate(module, source))), build, recipe=recipe)
    except SpecError as error:
        place = error.place if error.file else _place_of(source, file)
        raise SpecError(f"{source}: {error.message}", place=place, hint=error.hint) from None


def _place_of(name: str, file: str) -> Place:
    """The line that first defines a name at the top of a file."""
    starts = re.compile(rf"(async |def |class )*{re.escape(name)}\b")
    with open(file, encoding="utf-8", errors="replace") as stream:
        return Place(file, next((number for number, line in enumerate(stream, 1) if starts.match(line)), 0))


def check_python(file: str, name: str) -> None:
    """Raise SpecError if the file does not define the name, as far as its text shows."""
    bound = bound_names(file) if name else None
    if bound is not None and name not in bound:
        raise SpecError(f"{name}: {_UNDEFINED}", file=file, hint=_nearest(name, bound))


def _nearest(name: str, bound: Collection[str]) -> str:
    usual = (f"did you mean {each}?" for each in NAMES if each in bound)
    return did_you_mean(name, bound) or next(usual, "")


def explain_no_call(file: str, name: str) -> str:
    """Advice on a file without a call under the name, or under any of `NAMES`."""
    bound = bound_names(file) or frozenset()
    found = name or next((each for each in NAMES if each in bound), "")
    if found:
        return f"`{found}` contains no calls; [(torch.randn(2, 3),)] is a list of one call with one tensor"
    near = ((each, meant) for each in bound for meant in get_close_matches(each, NAMES, 1, NEARLY))
    mistyped = next((f"`{each}` is not used; did you mean `{meant}`?" for each, meant in near), "")
    usual = f"define {NAMES[0]} = [(torch.randn(2, 3),)], or {', '.join(NAMES[1:-1])} or {NAMES[-1]};\n"
    return mistyped or f"{usual}or use another name with FILE:NAME; `pdt-annotate init` drafts a file"


def _get(module: ModuleType, name: str) -> object | None:
    """The object that a module defines under a name; None for an imported module of that name."""
    value = vars(module).get(name)
    return None if isinstance(value, ModuleType) else value


def _evaluate(module: ModuleType, name: str) -> object:
    """The value of a name; a function is called, and a generator is run to its end."""
    if name not in vars(module):
        raise SpecError(_UNDEFINED, hint=_nearest(name, vars(module)))
    value = vars(module)[name]
    value = _call(value, name) if callable(value) else value
    if name == MODEL_AND_INPUTS:
        return _split(value)[1]
    if isinstance(value, Iterator):
        with user_code(f"running {name}"):
            return list(value)
    return value


def _call(function: Callable[..., object], name: str) -> object:
    try:
        return call_without_arguments(function, name)
    except TargetError as error:
        raise SpecError(f"{error.message}; functions of a spec are called without arguments") from None


def _split(value: object) -> tuple[object, object]:
    if not (isinstance(value, tuple) and len(value) == 2):
        raise SpecError(f"it returns {describe(value)}, not a model and its inputs", hint="return (model, (x, y))")
    return value


def _read_build(module: ModuleType, file: str) -> tuple[Callable[[], object] | None, str]:
    """The function that constructs the spec's model, and the same as an expression; None and "" if it has none."""
    model = _get(module, "model")
    if is_instance(model, MODULE):
        return (lambda: model), "model"
    if callable(model):
        return partial(_call, model, "model"), "model()"
    if model is not None:
        raise SpecError(f"`model` is {describe(model)}", file=file, hint="give an nn.Module, or a function for one")
    get_module = _get(module, MODEL_AND_INPUTS)
    if callable(get_module):
        return (lambda: _split(_call(get_module, MODEL_AND_INPUTS))[0]), f"{MODEL_AND_INPUTS}()[0]"
    return None, ""

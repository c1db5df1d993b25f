"""Specs in YAML, and in JSON, which is a subset of YAML."""

import enum
import importlib
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any

import torch

from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.resolve import look_up
from pdt_annotate.inputs.specs.args import NoDtype
from pdt_annotate.inputs.specs.spec import Recipe, RunSettings, Spec, seed_generators
from pdt_annotate.inputs.specs.tensors import make_tensor, parse_dtype
from pdt_annotate.inputs.specs.yaml_document import Document, load_checked
from pdt_annotate.inputs.target import did_you_mean, parse
from pdt_annotate.values.documents import KeyPath
from pdt_annotate.values.errors import TargetError, line_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import advise, user_code

# Errors of torch and the loaders for a bad shape, dtype or file; AssertionError: torch was built without CUDA.
FORM_ERRORS = (ValueError, TypeError, RuntimeError, LookupError, OSError, ImportError, AssertionError)


class Values:
    """Makes the values of one document, with the device and dtype of its settings."""

    def __init__(self, document: Document, settings: RunSettings) -> None:
        self.document = document
        self.device = torch.device(settings.device)
        self.floating = parse_dtype(settings.dtype) if settings.dtype else torch.get_default_dtype()

    def file(self, name: str) -> str:
        """The path of a file that is named relative to the spec."""
        return os.path.join(os.path.dirname(os.path.abspath(self.document.file)), name)

    def make(self, value: Any, path: KeyPath) -> Any:
        """A fresh value from its description at a path. Raises SpecError with the key and line, or UserCodeError."""
        if isinstance(value, list):
            return [self.make(item, (*path, index)) for index, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        head = next((head for head in FORMS if head in value), None)
        if head is None:
            return self.make_map(value, path)
        try:
            return FORMS[head](self, value, path)
        except FORM_ERRORS as error:
            said, place = line_of(error), (*path, "dtype" if isinstance(error, NoDtype) else head)
            raise self.document.error(place, said, advise(said, self.document.place(place))) from None

    def make_map(self, value: dict[Any, Any], path: KeyPath) -> dict[Any, Any]:
        return {key: self.make(item, (*path, key)) for key, item in value.items()}

    def make_args(self, owner: dict[str, Any], path: KeyPath) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args = self.make(owner.get("args", []), (*path, "args"))
        return tuple(args), self.make_map(owner.get("kwargs", {}), (*path, "kwargs"))

    def make_tensor(self, form: dict[str, Any], path: KeyPath) -> torch.Tensor:
        dtype = parse_dtype(form["dtype"]) if "dtype" in form else None
        if "tensor" in form:
            tensor = make_tensor(form["tensor"], dtype, form.get("fill"), self.floating)
        else:
            tensor = torch.tensor(form["data"], dtype=dtype)
            tensor = tensor.to(self.floating) if dtype is None and tensor.is_floating_point() else tensor
        return tensor.to(self.device).requires_grad_(form.get("requires_grad", False))

    def make_loaded(self, form: dict[str, Any], path: KeyPath) -> Any:
        file = self.file(form["load"])
        loader = LOADERS.get(os.path.splitext(file)[1])
        if loader is None:
            raise ValueError(f"{form['load']!r} is not one of {', '.join(LOADERS)}")
        loaded, key = loader(file, self.device), form.get("key")
        if key is None:
            return loaded
        if not isinstance(loaded, dict):
            raise ValueError("the file contains a single value, so `key` cannot select one")
        if key not in loaded:
            known = list(map(str, loaded))
            hint = did_you_mean(key, known) or f"its keys are {', '.join(known)}"
            raise ValueError(f"the file has no {key!r}; {hint}")
        return loaded[key]

    def make_parameter(self, form: dict[str, Any], path: KeyPath) -> torch.nn.Parameter:
        tensor = self.make(form["parameter"], (*path, "parameter"))
        if not isinstance(tensor, torch.Tensor):
            raise TypeError("a parameter must be made from a tensor")
        return torch.nn.Parameter(tensor.detach(), requires_grad=tensor.is_floating_point() or tensor.is_complex())

    def make_namedtuple(self, form: dict[str, Any], path: KeyPath) -> Any:
        cls = self.import_name(form["namedtuple"], (*path, "namedtuple"))
        fields = self.make_map(form["fields"], (*path, "fields"))
        if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
            raise TypeError(f"{form['namedtuple']} is not a namedtuple class")
        return cls(**fields)

    def make_enum(self, form: dict[str, Any], path: KeyPath) -> Any:
        member = self.import_name(form["enum"], (*path, "enum"))
        if not isinstance(member, enum.Enum):
            raise TypeError(f"{form['enum']} is not a member of an Enum")
        return member

    def make_call(self, form: dict[str, Any], path: KeyPath) -> Any:
        function = self.import_name(form["call"], (*path, "call"))
        args, kwargs = self.make_args(form, path)
        with user_code(f"calling {form['call']}"):
            return function(*args, **kwargs)

    def import_name(self, text: str, path: KeyPath) -> Any:
        """The object named by "pkg.module:name" or "file.py:name"."""
        try:
            name = parse(text)
            name = replace(name, file=self.file(name.file)) if name.file else name
            return look_up(load_module(name), name.qualname)
        except TargetError as error:
            raise self.document.error(path, error.message, error.hint) from None


# The order decides if a map has several of the keys: `dtype` also qualifies a tensor.
FORMS: dict[str, Callable[[Values, dict[str, Any], KeyPath], Any]] = {
    "tensor": Values.make_tensor,
    "data": Values.make_tensor,
    "load": Values.make_loaded,
    "tuple": lambda values, form, path: tuple(values.make(form["tuple"], (*path, "tuple"))),
    "size": lambda values, form, path: torch.Size(form["size"]),
    "parameter": Values.make_parameter,
    "generator": lambda values, form, path: torch.Generator(values.device).manual_seed(form["generator"]),
    "namedtuple": Values.make_namedtuple,
    "enum": Values.make_enum,
    "call": Values.make_call,
    "dict": lambda values, form, path: values.make_map(form["dict"], (*path, "dict")),
    "dtype": lambda values, form, path: parse_dtype(form["dtype"]),
    "device": lambda values, form, path: torch.device(form["device"]),
}


def _load_pt(file: str, device: torch.device) -> Any:
    try:
        return torch.load(file, map_location=device, weights_only=True)
    except (pickle.UnpicklingError, EOFError) as error:
        message = f"{os.path.basename(file)} is not a file of tensors and plain containers"
        raise ValueError(f"{message}: {line_of(error)}") from None


LOADERS: dict[str, Callable[[str, torch.device], Any]] = {
    ".npy": lambda file, device: torch.from_numpy(_import_optional("numpy").load(file, allow_pickle=False)).to(device),
    ".pt": _load_pt,
    ".pth": _load_pt,
    ".safetensors": lambda file, device: _import_optional("safetensors.torch").load_file(file, device=str(device)),
}


def _import_optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ImportError(f"the file needs {name.partition('.')[0]}, which is not installed") from None


def read_yaml(file: str, name: str, target_object: object | None) -> Spec:
    """Read a spec, checked against `schema.json`. Raises SpecError with the key and the line, or UserCodeError.

    `name` must be empty: only a Python spec has names to pick from. `model:` constructs `target_object`, a class.
    """
    document = load_checked(file, name)
    settings = _read_settings(document)
    seed_generators(settings.seed)
    values = Values(document, settings)
    build = recipe = None
    model = document.data.get("model")
    if model is not None:
        if not isinstance(target_object, type):
            message = "constructs an nn.Module class, but the target is not one"
            raise document.error(("model",), message, hint="remove `model`, or name the class as the target")
        build = partial(_build, target_object, model, document, values)
        source = model.get("state_dict", "")
        form = {"load": source} if isinstance(source, str) else source
        state = values.file(form["load"]) if form.get("load") else ""
        unsaid = "" if state or not source else "`state_dict` of the spec is not a file"
        recipe = Recipe("", lambda: values.make_args(model, ("model",)), state, form.get("key"), unsaid)
    return Spec(tuple(_read_calls(document, values)), build, settings, "yaml", recipe)


def _read_settings(document: Document) -> RunSettings:
    given = {f.name: document.data[f.name] for f in fields(RunSettings) if f.name in document.data}
    settings = RunSettings(**given)
    for key, read in (("dtype", parse_dtype), ("device", torch.device)):
        try:
            found: Any = read(given.get(key, "cpu" if key == "device" else "float32"))
        except (ValueError, RuntimeError) as error:
            raise document.error((key,), line_of(error)) from None
        if isinstance(found, torch.dtype) and not found.is_floating_point:
            raise document.error((key,), f"`dtype` of the run must be a floating-point type, and {given[key]} is not")
    return settings


def _build(cls: type, model: dict[str, Any], document: Document, values: Values) -> object:
    args, kwargs = values.make_args(model, ("model",))
    with user_code(f"constructing {cls.__qualname__}, as `model` in the spec says"):
        instance = cls(*args, **kwargs)
    if "state_dict" in model:
        source, path = model["state_dict"], ("model", "state_dict")
        state = values.make({"load": source} if isinstance(source, str) else source, path)
        try:
            instance.load_state_dict(state)
        except (RuntimeError, TypeError, AttributeError) as error:
            raise document.error(path, str(error)) from None
    return instance


def _read_calls(document: Document, values: Values) -> Iterator[Call]:
    for index, example in enumerate(document.data.get("calls", ())):
        name, repeat = example.get("name", ""), example.get("repeat", 1)
        fixed = {key: example[key] for key in ("method", "held_back", "raises", "mode") if key in example}
        for number in range(1, repeat + 1):
            args, kwargs = values.make_args(example, ("calls", index))
            yield Call(args, kwargs, name=f"{name}[{number}]" if name and repeat > 1 else name, **fixed)

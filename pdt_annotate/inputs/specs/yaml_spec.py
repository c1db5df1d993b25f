"""Specs in YAML, and in JSON, which is a subset of YAML."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from typing import Any

import torch

from pdt_annotate.inputs.specs.schema import load_checked
from pdt_annotate.inputs.specs.spec import Recipe, RunSettings, Spec, seed_generators
from pdt_annotate.inputs.specs.tensors import parse_dtype
from pdt_annotate.inputs.specs.yaml_document import Document
from pdt_annotate.inputs.specs.yaml_values import Values
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import user_code


def read_yaml(file: str, name: str, target_object: object | None) -> Spec:
    """Read a spec, checked against `schema.json`. Raises SpecError with the key and the line, or UserCodeError.

    Args:
        name: must be empty: only a Python spec has names to pick from.
        target_object: the class that `model:` constructs.
    """
    document = load_checked(file, name)
    settings = _read_settings(document)
    seed_generators(settings.seed)
    values = Values(document, settings)
    build = recipe = None
    model = document.data.get("model")
    if model is not None:
        if not isinstance(target_object, type):
            message = "says how a class is constructed, and the target is not an nn.Module class"
            raise document.error(("model",), message, hint="remove `model`, or name the class as the target")
        build = partial(_build, target_object, model, document, values)
        source = model.get("state_dict", "")
        form = {"load": source} if isinstance(source, str) else source
        state = os.path.join(os.path.dirname(os.path.abspath(file)), form["load"]) if form.get("load") else ""
        unsaid = "" if state or not source else "`state_dict` of the spec is no file"
        recipe = Recipe("", lambda: values.make_args(model, ("model",)), state, form.get("key"), unsaid)
    return Spec(tuple(_read_calls(document, values)), build, settings, "yaml", recipe)


def _read_settings(document: Document) -> RunSettings:
    given = {f.name: document.data[f.name] for f in fields(RunSettings) if f.name in document.data}
    settings = RunSettings(**given)
    for key, read in (("dtype", parse_dtype), ("device", torch.device)):
        try:
            found: Any = read(given.get(key, "cpu" if key == "device" else "float32"))
        except (ValueError, RuntimeError) as error:
            raise document.error((key,), str(error).partition("\n")[0]) from None
        if isinstance(found, torch.dtype) and not found.is_floating_point:
            raise document.error((key,), f"the run's dtype is a floating one, and {given[key]} is not")
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
        repeat = example.get("repeat", 1)
        name = example.get("name", "")
        for number in range(1, repeat + 1):
            args, kwargs = values.make_args(example, ("calls", index))
            yield Call(
                args=args,
                kwargs=kwargs,
                method=example.get("method", "forward"),
                name=f"{name}[{number}]" if name and repeat > 1 else name,
                held_back=example.get("held_back", False),
                raises=example.get("raises", False),
                mode=example.get("mode", ""),
            )

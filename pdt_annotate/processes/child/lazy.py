"""Lazy modules: their parameters are made by the first call, and the compiler takes them only then."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, run_call
from pdt_annotate.processes.fork import silence
from pdt_annotate.values.live import qualname_of
from pdt_annotate.values.user_code import user_code


def lazy_modules(model: Any) -> tuple[str, ...]:
    """The modules that wait for a first call, each with its class: "proj (LazyLinear)"."""
    return tuple(_waiting(model)) if isinstance(model, torch.nn.Module) else ()


def _waiting(model: torch.nn.Module) -> Iterator[str]:
    for path, module in model.named_modules():
        held = chain(module.parameters(recurse=False), module.buffers(recurse=False))
        if any(map(torch.nn.parameter.is_lazy, held)):
            yield f"{path or 'the model'} ({qualname_of(module)})"


def fill_lazy(prepared: Prepared) -> tuple[str, ...]:
    """Make example calls until every lazy module has its parameters, as a person does who scripts such a model.

    Returns:
        the modules that had none.

    Raises:
        UserCodeError: a call raised.
    """
    waiting = lazy_modules(prepared.built)
    if waiting:
        specs.seed_generators(prepared.spec.settings.seed)
    for call in prepared.calls:
        if not lazy_modules(prepared.built):
            break
        with silence(), user_code(f"{call.name} raised"):
            run_call(prepared, prepared.built, call)
    return waiting

"""The task that asks the compiler what functions return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.verify.judges.scripts import Compilation


def return_types(prepared: Prepared, candidate: Candidate) -> dict[Owner, str]:
    """The result types, as the compiler spells them, of every function that it compiled."""
    apply(candidate)
    compilation = Compilation()
    compilation.run(prepared.built)
    found = dict(_method_returns(prepared.built, compilation.scripted))
    for function, name in list(torch.jit._state._jit_caching_layer.items()):
        compiled: Any = torch.jit._state._python_cu.find_function(name)
        if compiled is not None and hasattr(function, "__code__"):
            found[Owner.of(function.__code__)] = compiled.schema.returns[0].type.annotation_str
    return found


def _method_returns(built: Any, scripted: Any) -> Iterator[tuple[Owner, str]]:
    if not isinstance(built, torch.nn.Module):
        return
    compiled = dict(scripted.named_modules())
    for path, module in built.named_modules():
        native: Any = getattr(compiled.get(path), "_c", None)
        for name in native._method_names() if native is not None else ():
            method: Any = getattr(type(module), name, None)
            if hasattr(method, "__code__"):
                yield Owner.of(method.__code__), native._get_method(name).schema.returns[0].type.annotation_str

"""A target that was built and never run: the state from which every task of its session starts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.resolve import Subject
from pdt_annotate.observers import Store
from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.objects import Objects

CONSTRUCTION = "construction"


@dataclass
class Prepared:
    """A target built from its spec and never run. `constructed` is what building it showed."""

    root: str
    subject: Subject
    built: Any
    spec: specs.Spec
    constructed: Store
    third_party: bool = False

    @property
    def calls(self) -> Iterator[Call]:
        """The example calls, each with the name by which reports tell of it."""
        return (replace(call, name=specs.label(call, index)) for index, call in enumerate(self.spec.calls))


def configure(built: Any, settings: specs.Settings) -> None:
    """Put a module on the device, of the dtype and in the mode that a spec asks for."""
    if not isinstance(built, torch.nn.Module):
        return
    if settings.device or settings.dtype:
        built.to(device=settings.device or None, dtype=getattr(torch, settings.dtype) if settings.dtype else None)
    if settings.mode:
        built.train(settings.mode == "train")


def export_method(prepared: Prepared) -> None:
    """A method that is the target is compiled beside `forward`, as if it were exported."""
    if prepared.subject.method not in ("", "forward"):
        torch.jit.export(getattr(type(prepared.built), prepared.subject.method))


def copy_built(prepared: Prepared) -> Any:
    """A second instance in the same state, for the eager answers; of a class, those that calls will construct."""
    if isinstance(prepared.built, type):
        return Objects(prepared.built)
    if not isinstance(prepared.built, torch.nn.Module):
        return prepared.built
    try:
        return copy.deepcopy(prepared.built, _copies_of_results(prepared.built))
    except (RuntimeError, TypeError):  # a member that cannot be copied
        specs.seed_generators(prepared.spec.settings.seed)
        built = prepared.subject.make()
        configure(built, prepared.spec.settings)
        return built


def _copies_of_results(module: torch.nn.Module) -> dict[int, Any]:
    """What `deepcopy` refuses to copy, by identity for its memo: the results of operations that modules keep."""
    kept = (value for each in module.modules() for value in vars(each).values())
    return {id(v): v.detach().clone() for v in kept if isinstance(v, torch.Tensor) and not v.is_leaf}

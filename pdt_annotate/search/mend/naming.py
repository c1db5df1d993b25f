"""What a dotted name that a mend needs means to the one who looks for it in a file, and the import that brings it."""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.rewrite.names import NOWHERE, Import, ModuleNames, Qualified

TORCH = Import("torch", "", "torch")


def qualified(dotted: str) -> Qualified:
    """What a dotted name means; of torch, and of a module that is in no package, the outermost name is imported."""
    module, _, name = dotted.rpartition(".")
    return Qualified(module, name, whole="." not in module or module.startswith("torch."))


def plan_import(names: ModuleNames, dotted: str, planned: Sequence[Import] = ()) -> Import | None:
    """The import that brings a name: of torch itself for what is in it, as its own documentation writes it."""
    if dotted.startswith("torch.") and names.is_free(TORCH.bound, TORCH.target):
        return TORCH
    return names.plan(qualified(dotted), NOWHERE, planned)

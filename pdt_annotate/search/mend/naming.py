"""What a dotted name that a mend needs means to the one who looks for it in a file."""

from __future__ import annotations

from pdt_annotate.rewrite.names import Qualified


def qualified(dotted: str) -> Qualified:
    """What a dotted name means; of torch, and of a module that is in no package, the outermost name is imported."""
    module, _, name = dotted.rpartition(".")
    return Qualified(module, name, whole="." not in module or module.startswith("torch."))

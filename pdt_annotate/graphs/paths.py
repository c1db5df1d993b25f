"""Paths of modules and tensors, as Python says them."""

from __future__ import annotations

import keyword


def accessed(path: str) -> str:
    """How a method of a module reads what lies at a path.

    >>> accessed("blocks.0.conv.weight")
    'self.blocks[0].conv.weight'
    """
    return "self" + "".join(map(_step, filter(None, path.split("."))))


def _step(name: str) -> str:
    if name.isdigit():
        return f"[{name}]"
    return f".{name}" if name.isidentifier() and not keyword.iskeyword(name) else f"[{name!r}]"


def is_below(path: str, module: str) -> bool:
    """Whether a path is that of a module, or of anything inside it."""
    return not module or path == module or path.startswith(f"{module}.")


def cut(path: str, depth: int) -> str:
    """The path of the module that many steps below the target: of "layer1.0.conv", 1 gives "layer1"."""
    return ".".join(path.split(".")[:depth])

"""Paths of modules and tensors, and how Python says them."""

from __future__ import annotations

import keyword
from collections.abc import Collection


def accessed(path: str, lists: Collection[str] = ()) -> str:
    """How a method of a module reads what lies at a path.

    Args:
        lists: the paths of the modules that can be indexed.

    >>> accessed("blocks.0.conv.weight", ["blocks"])
    'self.blocks[0].conv.weight'
    """
    said, before = "self", ""
    for name in filter(None, path.split(".")):
        if name.isidentifier() and not keyword.iskeyword(name):
            said = f"{said}.{name}"
        else:
            said = f"{said}[{name}]" if before in lists else f"getattr({said}, {name!r})"
        before = below(before, name)
    return said


def below(path: str, name: str) -> str:
    """The path of what a module at a path holds by a name."""
    return f"{path}.{name}" if path else name


def parent_of(path: str) -> str:
    return path.rpartition(".")[0]


def cut(path: str, depth: int) -> str:
    """The path of the module that many steps below the target: of "layer1.0.conv", 1 gives "layer1"."""
    return ".".join(path.split(".")[:depth])

"""Measure `pdt_annotate.script()` in a running process, compared with `torch.jit.script` of the same annotated code.

Both start with empty caches of the compiler.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

import pdt_annotate
from pdt_annotate.processes.child.isolation import remembering_nothing

FUNCTION = """\
def scale(x, n{int}):
    x = x + n
    return x * n
"""

HEAD = """\
import torch
from torch import nn

"""

BLOCK = """
class Block{number}(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.norm, self.conv = nn.Linear(8, 8), nn.LayerNorm(8), nn.Conv1d(8, 8, 1)

    def forward(self, x, scale{float}=1.0, times{int}=2):
        y = self.conv(self.norm(self.linear(x)).unsqueeze(-1)).squeeze(-1)
        for _ in range(times):
            y = y * scale + {number}
        return torch.relu(y) + x

"""

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([{blocks}])

    def forward(self, x, scale{float}, times{int}=2):
        for block in self.blocks:
            x = block(x, scale, times)
        return x
"""

BLOCKS = 80
"""The number of classes. The compiler needs about a second for them."""

ANNOTATED = {"int": ": int", "float": ": float"}
PLAIN = dict.fromkeys(ANNOTATED, "")

Ways = dict[str, Callable[[], object]]


def small(folder: Path) -> Ways:
    """A function of three lines."""
    plain, annotated = _modules(folder, "small", FUNCTION.format)
    return _ways(plain.scale, [(torch.ones(2), 2)], annotated.scale)


def large(folder: Path) -> Ways:
    """A model for which the compiler needs about a second."""

    def write(**types: str) -> str:
        blocks = [BLOCK.format(number=number, **types) for number in range(BLOCKS)]
        made = ", ".join(f"Block{number}()" for number in range(BLOCKS))
        return HEAD + "".join(blocks) + NET.format(blocks=made, **types)

    plain, annotated = _modules(folder, "large", write)
    return _ways(plain.Net(), [(torch.rand(2, 8), 0.5)], annotated.Net())


def _modules(folder: Path, name: str, write: Callable[..., str]) -> list[ModuleType]:
    """Import the source without and with annotations."""
    return [_load(folder / f"{name}_{way}.py", write(**types)) for way, types in (("a", PLAIN), ("b", ANNOTATED))]


def _load(file: Path, source: str) -> ModuleType:
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _ways(obj: Any, calls: list[tuple[Any, ...]], annotated: Any) -> Ways:
    def plainly() -> object:
        with remembering_nothing():
            return torch.jit.script(annotated)

    return {"script()": lambda: pdt_annotate.script(obj, calls), "torch.jit.script": plainly}

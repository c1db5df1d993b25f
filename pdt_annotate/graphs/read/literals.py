"""Values as Python says them."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch

LARGEST = 64
"""Elements of a tensor that is still written out."""

_C: Any = torch._C

MEMORY_FORMATS = ("torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d")


def literal(value: Any) -> str:
    """How Python says a value; "" where that takes more than a line."""
    if value is None or isinstance(value, (bool, int, str, complex)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    return _container(value)


def enumerated(value: Any, role: str) -> str:
    """How Python says a number that stands for a dtype, a layout or a memory format in a compiled program.

    Args:
        role: "ScalarType", "Layout" or "MemoryFormat"; any other leaves the number alone.
    """
    if isinstance(value, list):
        return f"[{', '.join(enumerated(each, role) for each in value)}]"
    if isinstance(value, int) and role in numbers():
        return numbers()[role].get(value, literal(value))
    return literal(value)


@functools.cache
def numbers() -> dict[str, dict[int, str]]:
    """By role, what numbers stand for."""
    known = [value for value in vars(torch).values() if isinstance(value, (torch.dtype, torch.layout))]
    graph = _C.Graph()
    tables: dict[str, dict[int, str]] = {"MemoryFormat": dict(enumerate(MEMORY_FORMATS))}
    for each in known:
        role = "ScalarType" if isinstance(each, torch.dtype) else "Layout"
        tables.setdefault(role, {})[graph.insertConstant(each).toIValue()] = str(each)
    return tables


def _tensor(value: torch.Tensor) -> str:
    if value.numel() > LARGEST or value.is_sparse or value.is_quantized or value.is_nested or value.is_meta:
        return ""
    device = "" if value.device.type == "cpu" else f", device={str(value.device)!r}"
    shaped = f".reshape({tuple(value.shape)})" if value.numel() == 0 and value.dim() > 1 else ""
    listed = literal(value.detach().cpu().tolist())
    return listed and f"torch.tensor({listed}, dtype={value.dtype}{device}){shaped}"


def _container(value: Any) -> str:
    if isinstance(value, slice):
        return f"slice({', '.join(map(literal, (value.start, value.stop, value.step)))})"
    if isinstance(value, dict):
        items = [(literal(key), literal(each)) for key, each in value.items()]
        return f"{{{', '.join(f'{key}: {each}' for key, each in items)}}}" if all(k and v for k, v in items) else ""
    if not isinstance(value, list) and type(value) not in (tuple, torch.Size):
        return ""
    inner = [literal(each) for each in value]
    if not all(inner):
        return ""
    listed = ", ".join(inner)
    return f"[{listed}]" if isinstance(value, list) else f"({listed}{',' if len(inner) == 1 else ''})"

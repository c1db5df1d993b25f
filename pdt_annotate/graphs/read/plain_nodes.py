"""Values and nodes of torch as plain data: literals, dtypes, places."""

import functools
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import torch

from pdt_annotate.values.installed import is_own
from pdt_annotate.values.slots import NO_PLACE, Place

MakeCall = Callable[[Callable[..., Any]], Any]  # makes the call whose shapes are shown, of its argument
LARGEST = 64  # elements of a tensor that is still written out
FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)|^(?P<traced>.+)\((?P<at>\d+)\): ', re.MULTILINE)
"""A stack frame as the compiler prints it, and as the tracer does."""


def literal(value: Any, other: Callable[[Any], str] = lambda value: "") -> str:
    """A value in Python, with `other` for parts of unknown classes; "" if that takes more than a line."""
    if value is None or isinstance(value, (bool, int, str, complex)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, torch.Tensor):
        if value.numel() > LARGEST or value.is_sparse or value.is_quantized or value.is_nested or value.is_meta:
            return ""
        device = "" if value.device.type == "cpu" else f", device={str(value.device)!r}"
        shaped = f".reshape({tuple(value.shape)})" if value.numel() == 0 and value.dim() > 1 else ""
        listed = literal(value.detach().cpu().tolist())
        return listed and f"torch.tensor({listed}, dtype={value.dtype}{device}){shaped}"
    if isinstance(value, dict):
        items = [(literal(key), literal(each, other)) for key, each in value.items()]
        return f"{{{', '.join(f'{key}: {each}' for key, each in items)}}}" if all(k and v for k, v in items) else ""
    parts = (value.start, value.stop, value.step) if isinstance(value, slice) else value
    if not isinstance(value, (slice, list)) and type(value) not in (tuple, torch.Size):
        return other(value)
    inner = [literal(each, other) for each in parts]
    listed = f"{', '.join(inner)}{',' if isinstance(value, tuple) and len(inner) == 1 else ''}"
    begin, end = ("[", "]") if isinstance(value, list) else ("slice(", ")") if isinstance(value, slice) else ("(", ")")
    return f"{begin}{listed}{end}" if all(inner) else ""


def dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def place_of(ranges: Iterable[str], root: str) -> Place:
    """The innermost line of a file below the root; if there is no such line, the innermost of all.

    The source ranges are as torch prints them, the innermost first. A range of the tracer holds a stack.
    """
    places = [place for each in ranges for place in frames_in(each) if not place.file.startswith("<")]
    return next((place for place in places if is_own(place.file, root)), next(iter(places), NO_PLACE))


@functools.lru_cache(maxsize=4096)
def frames_in(text: str) -> tuple[Place, ...]:
    """The lines in a stack, or in a source range of a node, in its order."""
    found = FRAME.finditer(text)
    return tuple(Place(each["file"] or each["traced"], int(each["line"] or each["at"])) for each in found)

"""Tensors from a shape, a dtype and a fill."""

import ast
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from pdt_annotate.inputs.specs.args import SHORT, NoDtype
from pdt_annotate.values.errors import line_of

DTYPES = {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)}
DTYPES |= {short: DTYPES[name] for short, name in SHORT.items()}

FILL = re.compile(r"(?P<name>[a-z]+)(?:\((?P<args>.*)\))?\Z", re.DOTALL)


def _fill_eye(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    if len(shape) not in (1, 2):
        raise ValueError(f"eye creates a matrix, but the shape is {list(shape)}")
    return torch.eye(*shape, dtype=dtype)


# By fill: a function that makes it, and its number of arguments.
FILLS: dict[str, tuple[Callable[..., Tensor], int]] = {
    **{"rand": (torch.rand, 0), "randn": (torch.randn, 0), "zeros": (torch.zeros, 0), "ones": (torch.ones, 0)},
    "arange": (lambda shape, dtype: torch.arange(math.prod(shape), dtype=dtype).reshape(shape), 0),
    "eye": (_fill_eye, 0),
    "full": (torch.full, 1),
    "randint": (lambda shape, low, high, dtype: torch.randint(low, high, shape).to(dtype), 2),
}
CONTINUOUS = ("rand", "randn")
INTEGRAL = ("randint",)


def parse_dtype(name: str) -> torch.dtype:
    """The dtype with a name. Raises NoDtype with near names."""
    dtype = DTYPES.get(name.removeprefix("torch."))
    if dtype is None:
        raise NoDtype(name, DTYPES)
    return dtype


def make_tensor(shape: Sequence[int], dtype: torch.dtype | None, fill: str | None, floating: torch.dtype) -> Tensor:
    """A tensor on the CPU. Raises ValueError if the fill is unknown, or does not fit the shape or the dtype.

    Args:
        dtype: if it is None, the fill decides: int64 for randint, `floating` for the others.
        fill: one of `FILLS`, with its arguments. By default normal if the dtype is floating or complex; otherwise 0
            and 1, which are valid indices nearly everywhere.
        floating: the dtype of a floating tensor that names none.
    """
    is_floating = dtype is None or dtype.is_floating_point or dtype.is_complex
    text = fill or ("randn" if is_floating else "randint(0, 2)")
    match = FILL.match(text.strip())
    if match is None or match["name"] not in FILLS:
        raise ValueError(f"unknown fill {text!r}; the fills are {', '.join(FILLS)}")
    name = match["name"]
    make, wanted = FILLS[name]
    args = tuple(_parse_number(arg) for arg in match["args"].split(",")) if match["args"] else ()
    if len(args) != wanted:
        raise ValueError(f"the fill {name} takes {wanted} arguments, not {len(args)}")
    dtype = dtype or (torch.int64 if name in INTEGRAL else floating)
    if name in CONTINUOUS and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"{name} creates floating-point values; for {dtype} use randint(lo, hi)")
    try:
        return make(tuple(shape), *args, dtype=dtype)
    except TypeError as error:  # a size that 64 bits cannot hold, or a number that the fill does not take
        raise ValueError(f"torch cannot create this tensor: {line_of(error)}") from error


def _parse_number(text: str) -> Any:
    """A number or bool in a fill: "3", "-0.5", "1e-3", "inf", "true"."""
    word = text.strip()
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return float(word)

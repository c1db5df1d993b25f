"""The names of dtypes: torch's own, with or without "torch.", and the short ones of compilers ("f32")."""

from __future__ import annotations

import torch

from pdt_annotate.inputs.target import did_you_mean

SHORT = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c64": torch.complex64,
    "c128": torch.complex128,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
}
DTYPES = {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)} | SHORT


def parse_dtype(name: str) -> torch.dtype:
    """The dtype of a name.

    Raises:
        ValueError: there is none; the message says which are near.
    """
    dtype = DTYPES.get(name.removeprefix("torch."))
    if dtype is None:
        near = did_you_mean(name.removeprefix("torch."), DTYPES) or f"for example {', '.join(SHORT)}"
        raise ValueError(f"there is no dtype {name!r}; {near}")
    return dtype

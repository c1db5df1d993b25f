"""The names of dtypes: torch's own, with or without "torch.", and short names as in compilers ("f32")."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from pdt_annotate.inputs.target import did_you_mean

SHORT = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "bool": "bool",
}

DECLARED = re.compile(r"^(\w+): dtype = ", re.MULTILINE)
UNDECLARED = re.compile(r"bit|u?int\d")  # dtypes of torch that its stubs do not list


def check_dtype(name: str, torch: str) -> None:
    """Raise NoDtype for a name that is not a dtype of the torch in a directory; its stubs list most dtypes."""
    plain = name.removeprefix("torch.")
    if plain in SHORT or UNDECLARED.fullmatch(plain):
        return
    stubs = os.path.join(torch, "_C", "__init__.pyi")
    declared: list[str] = []
    if os.path.isfile(stubs):
        with open(stubs, encoding="utf-8") as file:
            declared = DECLARED.findall(file.read())
    if declared and plain not in declared:
        raise no_dtype(name, declared)


class NoDtype(ValueError):
    """There is no dtype with a name."""


def no_dtype(name: str, known: Iterable[str]) -> NoDtype:
    near = did_you_mean(name.removeprefix("torch."), {*known, *SHORT}) or f"for example {', '.join(SHORT)}"
    return NoDtype(f"there is no dtype {name!r}; {near}")

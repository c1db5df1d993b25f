"""One call from the texts of `--arg`: 'f32[2,3]', '3', 'mask=None', '[1, 2]', "'text'"; tensors, and dtypes.

These are torch's own, with or without "torch.", and short names as in compilers ("f32").
"""

from __future__ import annotations

import ast
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.source.identifiers import normal
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import place_of

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

DTYPES = {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)}
DTYPES |= {short: DTYPES[name] for short, name in SHORT.items()}

FILL = re.compile(r"(?P<name>[a-z]+)(?:\((?P<args>.*)\))?\Z", re.DOTALL)


def _fill_eye(shape: Sequence[int], dtype: torch.dtype) -> Tensor:
    if len(shape) not in (1, 2):
        raise ValueError(f"eye makes a matrix, and the shape {list(shape)} is not one")
    return torch.eye(*shape, dtype=dtype)


# By fill: a function that makes it, and its number of arguments.
FILLS: dict[str, tuple[Callable[..., Tensor], int]] = {
    "rand": (lambda shape, dtype: torch.rand(tuple(shape), dtype=dtype), 0),
    "randn": (lambda shape, dtype: torch.randn(tuple(shape), dtype=dtype), 0),
    "zeros": (lambda shape, dtype: torch.zeros(tuple(shape), dtype=dtype), 0),
    "ones": (lambda shape, dtype: torch.ones(tuple(shape), dtype=dtype), 0),
    "arange": (lambda shape, dtype: torch.arange(math.prod(shape), dtype=dtype).reshape(tuple(shape)), 0),
    "eye": (_fill_eye, 0),
    "full": (lambda shape, dtype, value: torch.full(tuple(shape), value, dtype=dtype), 1),
    "randint": (lambda shape, dtype, low, high: torch.randint(low, high, tuple(shape)).to(dtype), 2),
}
CONTINUOUS = ("rand", "randn")
INTEGRAL = ("randint",)


def parse_dtype(name: str) -> torch.dtype:
    """The dtype with a name. Raises NoDtype with near names."""
    dtype = DTYPES.get(name.removeprefix("torch."))
    if dtype is None:
        raise no_dtype(name, DTYPES)
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
        raise ValueError(f"{name} makes floating values; for {dtype} use randint(lo, hi)")
    return make(shape, dtype, *args)


def _parse_number(text: str) -> Any:
    """A number or bool in a fill: "3", "-0.5", "1e-3", "inf", "true"."""
    word = text.strip()
    if word.lower() in ("true", "false"):
        return word.lower() == "true"
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return float(word)


HINT = "an argument is a tensor such as f32[2,3], a Python literal, or a text; NAME=… passes it by keyword"
KEYWORD = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)(.*)\Z", re.DOTALL)
# "f32[]", a tensor without dimensions, is not Python; "f32[()]" is.
SCALAR_TENSOR = re.compile(r"(?<=\w)\[\s*\]")
WORDS: dict[str, Any] = {"None": None, "none": None, "True": True, "true": True, "False": False, "false": False}
WORDS |= {"inf": float("inf"), "nan": float("nan")}
# A text with any of these was meant as an expression; other texts that do not parse are strings.
BRACKETS = frozenset("[](){}'\"")

DECLARED = re.compile(r"^(\w+): dtype = ", re.MULTILINE)
UNDECLARED = re.compile(r"bit|u?int\d")  # dtypes of torch that its stubs do not list

MakeTensor = Callable[[tuple[int, ...], str], Any]
"""Makes a tensor from a shape and the name of a dtype; raises a ValueError with the fault."""


def _make_tensor(shape: tuple[int, ...], dtype: str) -> Any:
    from pdt_annotate.inputs.specs.args import make_tensor, parse_dtype  # noqa: PLC0415 - it imports torch

    named = parse_dtype(dtype)
    return make_tensor(shape, named, None, named)


def parse_args(texts: Sequence[str], make: MakeTensor = _make_tensor) -> Call:
    """The call that passes these arguments, in order. `make` makes the tensors; only they need torch."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        keyword = KEYWORD.match(text)
        if keyword is None:
            args.append(parse_value(text, make))
        elif (name := normal(keyword[1])) in kwargs:
            raise SpecError(f"--arg gives {name!r} twice")
        else:
            kwargs[name] = parse_value(keyword[2], make)
    return Call(args=tuple(args), kwargs=kwargs)


def parse_value(text: str, make: MakeTensor = _make_tensor) -> Any:
    """The value of one argument. Raises SpecError if the text looks like an expression and is not a valid one."""
    text = text.strip()
    try:
        tree = parse_expression(SCALAR_TENSOR.sub("[()]", text))
        if isinstance(tree, ast.Name) and tree.id not in WORDS:
            return text
        return _evaluate(tree, make)
    except (SyntaxError, ValueError, RuntimeError) as error:
        if place_of(error):  # the user's code has left a hook on that runs for every tensor
            raise
        if BRACKETS.isdisjoint(text):
            return text
        reason = " is not a value" if isinstance(error, SyntaxError) else f": {error}"
        raise SpecError(f"--arg {text!r}{reason}", hint=HINT) from None


def _evaluate(node: ast.expr, make: MakeTensor) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            if node.id not in WORDS:
                raise ValueError(f"{node.id} is not a value; quote a text")
            return WORDS[node.id]
        case ast.List() | ast.Tuple():
            items = [_evaluate(item, make) for item in node.elts]
            return items if isinstance(node, ast.List) else tuple(items)
        case ast.Dict() if None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {_evaluate(key, make): _evaluate(value, make) for key, value in pairs if key is not None}
        case ast.UnaryOp():
            number = _evaluate(node.operand, make)
            is_signed = isinstance(node.op, ast.USub | ast.UAdd) and not isinstance(number, bool)
            if is_signed and isinstance(number, int | float):
                return -number if isinstance(node.op, ast.USub) else number
        case ast.BinOp():
            return ast.literal_eval(node)  # only complex numbers are valid here
        case ast.Subscript():
            sizes = _evaluate(node.slice, make)
            shape = sizes if isinstance(sizes, tuple) else (sizes,)
            if not all(type(size) is int and size >= 0 for size in shape):
                raise ValueError("the sizes of a tensor are integers from 0 on")
            return make(shape, ast.unparse(node.value))
    raise ValueError(f"{ast.unparse(node)} is not a value")


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

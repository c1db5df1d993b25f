"""One call from the texts of `--arg`: 'f32[2,3]', '3', 'mask=None', '[1, 2]', "'text'"; and the names of dtypes.

These are torch's own, with or without "torch.", and short names as in compilers ("f32").
"""

import ast
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.source.identifiers import normal
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import place_of

HINT = "an argument is a tensor such as f32[2,3], a Python literal, or a string; NAME=… passes it by keyword"
KEYWORD = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)(.*)\Z", re.DOTALL)
# "f32[]", a tensor without dimensions, is not Python; "f32[()]" is.
SCALAR_TENSOR = re.compile(r"(?<=\w)\[\s*\]")
WORDS: dict[str, Any] = {"None": None, "none": None, "True": True, "true": True, "False": False, "false": False}
WORDS |= {"inf": float("inf"), "nan": float("nan")}
# A text with any of these was meant as an expression; other texts that do not parse are strings.
BRACKETS = frozenset("[](){}'\"")

SHORT = {
    **{"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64"},
    **{"c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8"},
    "bool": "bool",
}
DECLARED = re.compile(r"^(\w+): dtype = ", re.MULTILINE)
UNDECLARED = re.compile(r"bit|u?int\d")  # dtypes of torch that its stubs do not list

MakeTensor = Callable[[tuple[int, ...], str], Any]
"""Makes a tensor from a shape and the name of a dtype; raises a ValueError with the fault."""


def _make_tensor(shape: tuple[int, ...], dtype: str) -> Any:
    from pdt_annotate.inputs.specs.tensors import make_tensor, parse_dtype  # noqa: PLC0415 - it imports torch

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
            raise SpecError(f"--arg sets {name!r} twice")
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
                raise ValueError(f"{node.id} is not a value; put quotes around a string")
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
                raise ValueError("the sizes of a tensor must be integers of at least 0")
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
        raise NoDtype(name, declared)


class NoDtype(ValueError):
    def __init__(self, name: str, known: Iterable[str]) -> None:
        near = did_you_mean(name.removeprefix("torch."), {*known, *SHORT}) or f"for example {', '.join(SHORT)}"
        super().__init__(f"there is no dtype {name!r}; {near}")

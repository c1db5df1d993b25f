"""One call from the texts of `--arg`: 'f32[2,3]', '3', 'mask=None', '[1, 2]', "'text'"."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from pdt_annotate.source.identifiers import normal
from pdt_annotate.source.parsing import parse_expression
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import place_of

HINT = "an argument is a tensor such as f32[2,3], a Python literal, or a text; NAME=… passes it by keyword"
KEYWORD = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)(.*)\Z", re.DOTALL)
# "f32[]", a tensor without dimensions, is not Python; "f32[()]" is.
SCALAR_TENSOR = re.compile(r"(?<=\w)\[\s*\]")
WORDS: dict[str, Any] = {"None": None, "none": None, "True": True, "true": True, "False": False, "false": False}
WORDS |= {"inf": float("inf"), "nan": float("nan")}
# A text that holds any of these was meant as an expression; other texts that do not parse are strings.
BRACKETS = frozenset("[](){}'\"")

MakeTensor = Callable[[tuple[int, ...], str], Any]
"""Makes a tensor of a shape and the name of a dtype; a ValueError says what is wrong with them."""


def _make_tensor(shape: tuple[int, ...], dtype: str) -> Any:
    from pdt_annotate.inputs.specs.tensors import make_named  # noqa: PLC0415 - it imports torch

    return make_named(shape, dtype)


def parse_args(texts: Sequence[str], make: MakeTensor = _make_tensor) -> Call:
    """The call that passes these arguments, in order.

    Args:
        make: makes the tensors; without them, no torch is needed.

    Raises:
        SpecError: a text is no argument, or a keyword comes twice.
    """
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
    """The value of one argument.

    Raises:
        SpecError: the text looks like an expression and is not one of ours.
    """
    text = text.strip()
    try:
        tree = parse_expression(SCALAR_TENSOR.sub("[()]", text))
        if isinstance(tree, ast.Name) and tree.id not in WORDS:
            return text
        return _evaluate(tree, make)
    except (SyntaxError, ValueError, RuntimeError) as error:
        if place_of(error):  # the user's code has left something on that hears of every tensor
            raise
        if BRACKETS.isdisjoint(text):
            return text
        reason = " is not a value" if isinstance(error, SyntaxError) else f": {error}"
        raise SpecError(f"--arg {text!r}{reason}", hint=HINT) from None


def _evaluate(node: ast.expr, make: MakeTensor) -> Any:
    evaluate = _NODES.get(type(node))
    if evaluate is None:
        raise ValueError(f"{ast.unparse(node)} is not a value")
    return evaluate(node, make)


def _evaluate_name(node: ast.Name, make: MakeTensor) -> Any:
    if node.id not in WORDS:
        raise ValueError(f"{node.id} is not a value; quote a text")
    return WORDS[node.id]


def _evaluate_sign(node: ast.UnaryOp, make: MakeTensor) -> Any:
    value = _evaluate(node.operand, make)
    if not isinstance(node.op, ast.USub | ast.UAdd) or isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{ast.unparse(node)} is not a value")
    return -value if isinstance(node.op, ast.USub) else value


def _evaluate_dict(node: ast.Dict, make: MakeTensor) -> dict[Any, Any]:
    if None in node.keys:
        raise ValueError(f"{ast.unparse(node)} is not a value")
    items = zip(node.keys, node.values, strict=True)
    return {_evaluate(k, make): _evaluate(v, make) for k, v in items if k is not None}


def _evaluate_tensor(node: ast.Subscript, make: MakeTensor) -> Any:
    shape = _evaluate(node.slice, make)
    shape = shape if isinstance(shape, tuple) else (shape,)
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("the sizes of a tensor are integers from 0 on")
    return make(shape, ast.unparse(node.value))


_NODES: dict[type[ast.expr], Callable[[Any, MakeTensor], Any]] = {
    ast.Constant: lambda node, make: node.value,
    ast.Name: _evaluate_name,
    ast.List: lambda node, make: [_evaluate(item, make) for item in node.elts],
    ast.Tuple: lambda node, make: tuple(_evaluate(item, make) for item in node.elts),
    ast.Dict: _evaluate_dict,
    ast.UnaryOp: _evaluate_sign,
    ast.BinOp: lambda node, make: ast.literal_eval(node),  # a complex number, and nothing else
    ast.Subscript: _evaluate_tensor,
}

"""Tests that configuration settles and that decide if a line runs, and names for the constants that they become."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator
from types import SimpleNamespace

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.settled import Settled, attributes
from pdt_annotate.mends.kit.spelled import tests
from pdt_annotate.values.mends import HeldValue

SIGNS = {"==": "is", "!=": "is not", ">=": "from", "<=": "up to", ">": "above", "<": "below"}
COMBINATIONS = 1000
FOREVER = object()


class _Unknown:
    """Replaces an object that is not None; nothing else about it is known."""

    def __bool__(self) -> bool:
        raise TypeError

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        raise TypeError


class _Sized(_Unknown):
    """Replaces a list, tuple or dict. Only its length is known."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __bool__(self) -> bool:
        return self.length > 0


UNKNOWN = _Unknown()
CONTAINERS = ("builtins.list", "builtins.tuple", "builtins.dict")
LONGEST = 40  # characters of a name


def deciding(site: FunctionContext) -> Iterator[list[ast.expr]]:
    """The places of each settled test that decides if the failing line runs, if the compiler reads both arms."""
    met: set[str] = set()
    line = site.failing_line
    for guard in ast.walk(site.node) if site.failure else ():
        if not isinstance(guard, (ast.If, ast.IfExp)):
            continue
        # A choice decides if a line runs: the line is inside it, or after a branch that may return.
        may_leave = isinstance(guard, ast.If) and isinstance(guard.body[-1], ast.Return)
        if not _spans(guard, line) and not (may_leave and guard.lineno < line):
            continue
        # If all instances take the branch with the line, no constant hides it from the compiler.
        arms = ((guard.body, True), (guard.orelse, False))
        parts = ((part, value) for arm, value in arms for part in (arm if isinstance(arm, list) else [arm]))
        taken = {value for part, value in parts if _spans(part, line)}
        if guard.lineno < line and taken == _outcomes(site, guard.test):
            continue
        for test in _settled(site, guard.test):
            text = ast.unparse(test)
            if text not in met:
                met.add(text)
                asked = (asked for node in ast.walk(site.node) for asked in tests(node))
                yield [part for each in asked for part in _parts(each, text)]


def _spans(node: ast.expr | ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _settled(site: FunctionContext, test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test that are settled, with known outcomes, and that the compiler does not fold."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _settled(site, test.operand)
        return
    parts = [part for value in test.values for part in _settled(site, value)] if isinstance(test, ast.BoolOp) else []
    if parts or _outcomes(site, test) is None:
        yield from parts
    elif not _is_folded(site, test):
        yield test


def _is_folded(site: FunctionContext, test: ast.expr) -> bool:
    """Whether the compiler decides a test already: a comparison with None, or a flag, which can be `Final` itself."""
    if isinstance(test, ast.BoolOp):
        return all(_is_folded(site, value) for value in test.values)
    values = site.held(site.self_attribute(test.left if isinstance(test, ast.Compare) else test)).values
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.IsNot)) and not any(value.name for value in values)
    return all(value.type == "builtins.bool" for value in values) or any(value.always_true for value in values)


def _outcomes(site: FunctionContext, test: ast.expr) -> set[bool] | None:
    """The possible results of a settled test, by the values of its attributes; None if unknown, or if it may raise."""
    names = attributes(site, test)
    if not names or any(isinstance(node, ast.Call) for node in ast.walk(test)) or not Settled(site).holds(test):
        return None
    values = [[_value(each) for each in site.held(name).values] for name in names]
    if math.prod(map(len, values)) > COMBINATIONS:
        return None
    code = compile(ast.Expression(test), "<test>", "eval")
    try:
        receivers = (SimpleNamespace(**dict(zip(names, each, strict=True))) for each in itertools.product(*values))
        return {bool(eval(code, {site.function.receiver: receiver})) for receiver in receivers} or None
    except Exception:
        return None


def decided(site: FunctionContext, test: ast.expr) -> bool | None:
    """The result that configuration alone gives a test in all modules of the class; None if inputs may decide."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        result = decided(site, test.operand)
        return None if result is None else not result
    if isinstance(test, ast.BoolOp):
        results = {decided(site, value) for value in test.values}
        decides = isinstance(test.op, ast.Or)
        return decides if decides in results else None if None in results else not decides
    outcomes = _outcomes(site, test) or ()
    return next(iter(outcomes)) if len(outcomes) == 1 else None


def _value(value: HeldValue) -> object:
    """A value, or an object in its place; only its identity is known if its class may compare or be false."""
    if value.type in CONTAINERS and value.length >= 0:
        return _Sized(value.length)
    is_known = value.name or value.always_true
    return ast.literal_eval(value.literal) if value.literal else FOREVER if is_known else UNKNOWN


def _parts(test: ast.expr, text: str) -> Iterator[ast.expr]:
    if ast.unparse(test) == text:
        yield test
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _parts(value, text)


def name_of_test(test: ast.expr) -> str:
    """`self.skip is not None` → _has_skip, `self.norm == "batch"` → _norm_is_batch."""
    match test:
        case ast.Attribute(attr=name) | ast.Compare(ast.Attribute(attr=name), [ast.IsNot()], [ast.Constant(None)]):
            return f"_has_{name.lstrip('_')}"
    return f"_{word(test)}"


def word(node: ast.expr, receiver: str = "self.") -> str:
    text = ast.unparse(node).replace(receiver, "").replace("-", "minus ")
    for sign, said in SIGNS.items():
        text = text.replace(sign, said)
    return re.sub(r"\W+", "_", text).strip("_")[:LONGEST].strip("_").lower()

"""Tests that configuration settles or that examples show, and names for the constants that they become."""

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.settled import Settled, attributes
from pdt_annotate.mends.kit.spelled import is_negation, joined, tests
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.mends import HeldValue

SIGNS = {"==": "is", "!=": "is not", ">=": "from", "<=": "up to", ">": "above", "<": "below"}
COMBINATIONS = 1000
UNREAD = ("builtins.function", "builtins.method", "functools.partial")  # the compiler reads no such attribute, perhaps
FOREVER = object()


class _Unknown:
    """Replaces an object that is not None; nothing else about it is known, except perhaps its length."""

    def __init__(self, length: int = -1) -> None:
        self.length = length

    def __bool__(self) -> bool:
        if self.length < 0:
            raise TypeError
        return self.length > 0

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        raise TypeError


LONGEST = 40  # characters of a name


def deciding(site: FunctionContext) -> Iterator[list[ast.expr]]:
    """The places of each settled test that decides if the failing line runs, if the compiler reads both arms."""
    guards = [node for node in ast.walk(site.node) if isinstance(node, (ast.If, ast.IfExp))]
    texts = (ast.unparse(test) for guard in guards if _decides(site, guard) for test in _settled(site, guard.test))
    for text in dict.fromkeys(texts):
        asked = (asked for node in ast.walk(site.node) for asked in tests(node))
        yield [part for each in asked for part in _parts(each, text)]


def _decides(site: FunctionContext, guard: ast.If | ast.IfExp) -> bool:
    """Whether a choice decides if the failing line runs: the line is inside it, or after a branch that may return."""
    may_leave = isinstance(guard, ast.If) and isinstance(guard.body[-1], ast.Return)
    is_behind = guard.lineno < site.failing_line
    if not site.fails_in(guard) and not (may_leave and is_behind):
        return False
    # If all instances take the branch with the line, no constant hides it from the compiler.
    arms = (arm if isinstance(arm, list) else [arm] for arm in (guard.body, guard.orelse))
    taken = {value for arm, value in zip(arms, (True, False), strict=True) if site.fails_in(*arm)}
    return not is_behind or taken != _outcomes(site, guard.test)


def _settled(site: FunctionContext, test: ast.expr) -> list[ast.expr]:
    """The smallest parts of a test that are settled, with known outcomes, and that the compiler does not fold."""
    parts = [part for each in joined(test) for part in _settled(site, each)]
    is_known = not parts and not is_negation(test) and _outcomes(site, test) is not None
    return [test] if is_known and not _is_folded(site, test) else parts


def _is_folded(site: FunctionContext, test: ast.expr) -> bool:
    """Whether the compiler decides a test already: a comparison with None, or a flag, which can be `Final` itself."""
    if isinstance(test, ast.BoolOp):
        return all(_is_folded(site, value) for value in test.values)
    values = site.held(site.self_attribute(test.left if isinstance(test, ast.Compare) else test)).values
    if any(value.type in UNREAD for value in values):
        return False
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

    def decided_part(part: ast.expr) -> bool | None:
        outcomes = _outcomes(site, part) or ()
        return next(iter(outcomes)) if len(outcomes) == 1 else None

    return result_of(test, decided_part)


def is_surely_true(site: FunctionContext, test: str) -> bool:
    """Whether configuration alone makes a test true in all modules of the class."""
    return _outcomes(site, parse_expression(test)) == {True}


def result_of(test: ast.expr, result_of_part: Callable[[ast.expr], bool | None]) -> bool | None:
    """The result of a test from the results of the parts that `and`, `or` and `not` join; None if it is not known."""
    if is_negation(test):
        result = result_of(test.operand, result_of_part)
        return None if result is None else not result
    if not isinstance(test, ast.BoolOp):
        return result_of_part(test)
    results, decisive = {result_of(value, result_of_part) for value in test.values}, isinstance(test.op, ast.Or)
    return decisive if decisive in results else None if None in results else not decisive


def _value(value: HeldValue) -> object:
    """A value, or an object in its place; only its identity is known if its class may compare or be false."""
    if value.literal:
        return ast.literal_eval(value.literal)
    is_container = value.type.startswith("builtins.")  # a class of a library may have a truth of its own
    is_known = value.name or value.always_true or value.type in UNREAD
    return FOREVER if is_known else _Unknown(value.length if is_container else -1)


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


def is_untaken(site: FunctionContext, test: ast.expr, truth: bool) -> bool:
    """Whether a test was never of this truth in the calls of the examples; they may not have reached it.

    Examples do not show what a test for the scripted model is there.
    """
    is_known = site.is_entered() and site.is_recorded and "is_scripting()" not in ast.unparse(test)
    return is_known and all(_truth(value) is (not truth) for value in site.values(test))


def _truth(value: HeldValue) -> bool | None:
    if value.literal:
        return bool(ast.literal_eval(value.literal))
    return value.length > 0 if value.length >= 0 else True if value.always_true or value.is_module else None

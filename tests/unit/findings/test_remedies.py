"""What to do about a fault: the general advice, or what its message asks for."""

from __future__ import annotations

import ast

import pytest

from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure, Fault, Part

FLOAT = TypeExpr("float")
APPEND = "Could not match type List[Tensor] to t\naten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)"


def advice(code: str, message: str) -> str:
    (first, *_) = remedies(Fault(code, Failure(message)), Part("", "Net"), None, is_entered=True)
    return first


@pytest.mark.parametrize("code", ["PDT041", "PDT045", "PDT055"])
def test_the_advice_of_a_code_stays_where_the_message_only_mentions_a_list(code: str) -> None:
    assert advice(code, APPEND) == entry(code).advice


@pytest.mark.parametrize(
    ("code", "message", "word"),
    [
        ("PDT040", APPEND, "write `a: List[int] = []`"),
        ("PDT040", "aten::_set_item.str(Dict(str, t)(a!) l)", "write `a: List[int] = []`"),
        ("PDT041", "Expected type hint for result of tolist()", "= t.tolist()`"),
    ],
)
def test_a_message_that_asks_for_more_is_answered(code: str, message: str, word: str) -> None:
    assert word in advice(code, message)


@pytest.mark.parametrize(
    ("parameter", "wanted", "seen", "said"),
    [
        ("n: int = 1.0", "int", {}, "`n: float`"),
        ("n: int = 1.0", "int", {"n": FLOAT}, "`n: float`, so that the default fits: that is what the examples pass"),
        ("*, n: int = 1.0", "int", {"n": FLOAT}, "`n: float`"),
        ("n: int = SIZE", "int", {"n": FLOAT}, "`n: float`"),
        ("n: int = None", "int", {"n": NONE}, "`n: Optional[int]`"),
        ("n: int = 1.0", "int", {"n": TypeExpr("int")}, "such as Optional[int]"),
        ("n: int = SIZE", "int", {}, "such as Optional[int]"),
        ("n=1.0", "Tensor (inferred)", {"n": FLOAT}, "`n: float`"),
    ],
)
def test_a_default_fits_the_type_that_was_seen(
    parameter: str, wanted: str, seen: dict[str, TypeExpr], said: str
) -> None:
    definition = ast.parse(f"def f(x, {parameter}): ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    fault = Fault("PDT046", Failure(f'Expected a default value of type {wanted} on parameter "n".'))
    assert said in remedies(fault, Part("", "Net"), definition, is_entered=True, seen=seen)[0]


def test_an_empty_list_inside_another_becomes_a_variable_first() -> None:
    assert "`row: List[int] = []`" in advice("PDT055", APPEND)

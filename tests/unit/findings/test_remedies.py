"""What to do about a fault: the general advice, or what its message asks for."""

from __future__ import annotations

import pytest

from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.values.verdicts import Failure, Fault, Part

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


def test_an_empty_list_inside_another_becomes_a_variable_first() -> None:
    assert "`row: List[int] = []`" in advice("PDT055", APPEND)

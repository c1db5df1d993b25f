"""Methods that only raise: which they are."""

from __future__ import annotations

import ast

import pytest

from pdt_annotate.search.repair.abstract import is_abstract
from pdt_annotate.source.survey import survey

RETURNS = [
    "return x",
    "pass",
    "if x is None:\n        raise ValueError\n    return x",
    "if x is None:\n        return x\n    raise ValueError",
    "raise ValueError\n    return x",
]
ONLY_RAISES = [
    "raise NotImplementedError",
    '"""What overrides must do."""\n    raise NotImplementedError("override me")',
    "if x is None:\n        return\n    raise NotImplementedError",
]


@pytest.mark.parametrize(
    ("body", "expected"), [*((body, False) for body in RETURNS), *((body, True) for body in ONLY_RAISES)]
)
def test_what_ends_in_raise_without_a_value_is_abstract(body: str, expected: bool) -> None:
    (function,) = survey("model.py", f"def f(self, x):\n    {body}\n".encode()).functions
    assert isinstance(function.node, ast.FunctionDef)
    assert is_abstract(function) is expected

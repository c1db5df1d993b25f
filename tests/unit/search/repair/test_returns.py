"""Methods that only raise: which they are."""

import pytest

from pdt_annotate.search.repair.returns import is_abstract
from pdt_annotate.source.module import read_module


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x", False),
        ("pass", False),
        ("if x is None:\n        raise ValueError\n    return x", False),
        ("if x is None:\n        return x\n    raise ValueError", False),
        ("raise ValueError\n    return x", False),
        ("raise NotImplementedError", True),
        ('"""What overrides must do."""\n    raise NotImplementedError("override me")', True),
        ("if x is None:\n        return\n    raise NotImplementedError", True),
    ],
)
def test_what_ends_in_raise_without_a_value_is_abstract(body: str, expected: bool) -> None:
    (function,) = read_module("model.py", f"def f(self, x):\n    {body}\n".encode()).functions
    assert is_abstract(function) is expected

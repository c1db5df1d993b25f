"""How a body uses a name."""

import ast
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.source.definitions import Definition
from pdt_annotate.source.syntax import assignments
from pdt_annotate.source.uses import (
    is_only_iterated,
    is_only_told_apart,
    is_open,
    is_passed_as_device,
    wanted_locals,
)
from pdt_annotate.values.slots import Owner


def function(source: str) -> Definition:
    (node,) = ast.parse(dedent(source)).body
    assert isinstance(node, Definition)
    return node


BODIES: list[tuple[Callable[[Definition, str], bool], bool, str]] = [
    (
        is_only_iterated,
        False,
        "pass; return x[0]; a, b = x; x = list(x); for i in range(len(x)): x[i]; for i in y: x; return f(x); "
        "return sum(y, x) + x; for v in x: pass\n    return x.count(1)",
    ),
    (
        is_only_iterated,
        True,
        "for v in x: pass; return [v for v in x]; return len(x); return sum(x) + max(v for v in x); "
        "for i, v in enumerate(x): pass",
    ),
    (
        is_only_told_apart,
        False,
        "pass; return isinstance(x, int); if isinstance(x, int):\n        return 1\n    return x; "
        "if isinstance(x, int) or y:\n        return x; if not isinstance(x, int):\n        return x; "
        "if isinstance(y, int):\n        return x; if x:\n        return 1; "
        "if isinstance(x, int):\n        return x\n    assert x is not None; "
        "x = y\n    if isinstance(x, int):\n        return x",
    ),
    (
        is_only_told_apart,
        True,
        "if isinstance(x, int):\n        return x + 1\n    return -1; return x if isinstance(x, (int, float)) else -1; "
        "if isinstance(x, int) and y:\n        return x\n    elif isinstance(x, float):\n        return -x; "
        "assert not isinstance(x, bool)\n    if isinstance(x, int):\n        return x",
    ),
    (
        is_passed_as_device,
        False,
        "return x; return f(x); return f(device=y); return y.to(torch.float, x); return y.of(x); "
        "return f(device=x) if isinstance(x, str) else y",
    ),
    (is_passed_as_device, True, "return torch.zeros(2, device=x); return y.to(x); return y.to(device=x)"),
]


@pytest.mark.parametrize(
    ("question", "expected", "body"), [(ask, said, body) for ask, said, bodies in BODIES for body in bodies.split("; ")]
)
def test_uses(question: Callable[[Definition, str], bool], expected: bool, body: str) -> None:
    assert question(function(f"def f(x, y):\n    {body}"), "x") is expected


OPEN = {
    False: "1; 'a'; x; f(); torch.zeros(1); x + 1; a if b else c; f'{x}'",
    True: "None; []; {}; [x]; (); [0] * n; [[] for _ in x]; {k: v for k in x}; list(); None if x else y",
}


@pytest.mark.parametrize(
    ("value", "expected"), [(value, said) for said, values in OPEN.items() for value in values.split("; ")]
)
def test_values_that_leave_their_type_open(value: str, expected: bool) -> None:
    assert is_open(ast.parse(value, mode="eval").body) is expected


def test_open_locals_are_those_whose_first_assignment_is_open(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    source = """
        def f(x):
            a = 1
            a = []
            b = []
            b = 1
            c, d = [], {}
            e: list = []
            g = h = []
            if x:
                k = None
            self.m = []
            b[0] = []
    """
    file.write_text(dedent(source))
    assert list(wanted_locals(Owner(str(file), "f", 2))) == [("b", 5), ("k", 11)]


def test_every_local_is_read_where_that_is_asked_for_and_assignments_are_in_source_order(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    a = []\n    for b in x:\n        a += b\n    return a\n")
    assert list(wanted_locals(Owner(str(file), "f", 1), every=True)) == [("a", 2), ("b", 0)]
    assert list(wanted_locals(Owner(str(file), "g", 1), every=True)) == []
    node = function("def f(x):\n    if x:\n        a = 2\n    a = 3\n    a += 1\n")
    assert [each.lineno for each in assignments(node, "a")] == [3, 4]
    assert assignments(node, "b") == []

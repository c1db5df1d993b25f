"""The types of a parameter, dealt out to the stubs of an overload."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

import pytest

from pdt_annotate.choose.overloads import find_stubs, is_stub
from pdt_annotate.source.survey import survey
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

INT, FLOAT, STR = (TypeExpr(name) for name in ("int", "float", "str"))
LIST, EMPTY = TypeExpr("list", (TENSOR,)), TypeExpr("list")

NO_OVERLOADS = """
    def f(x): ...

    @other.overloaded
    def g(x): ...

    @torch.jit._overload
    def without_implementation(x): ...

    class A:
        @torch.jit._overload_method
        def f(self, x): ...

    class B:
        def f(self, x): ...
"""


@pytest.mark.parametrize("name", ["_overload", "overload", "torch.jit._overload", "typing.overload"])
def test_a_stub_under_whatever_name_it_was_imported(name: str) -> None:
    source = f"@{name}\ndef f(x): ...\ndef f(x): return x\n"
    stub, implementation = survey("model.py", source.encode()).functions
    assert is_stub(stub) and not is_stub(implementation)


def test_what_has_no_stubs() -> None:
    functions = survey("model.py", dedent(NO_OVERLOADS).encode()).functions
    assert find_stubs(functions) == {}
    assert [f.owner.qualname for f in functions if is_stub(f)] == ["without_implementation", "A.f"]


def deal(annotations: Sequence[str], types: Sequence[TypeExpr]) -> list[list[TypeExpr]]:
    """What each stub gets of the types of `x`; the stubs have these annotations, "" where there is none."""
    parameters = [f"x: {text}" if text else "x" for text in annotations]
    stubs = "".join(f"    @torch.jit._overload_method\n    def f(self, {x}): ...\n" for x in parameters)
    source = f"class A:\n{stubs}    def f(self, x): return x\n"
    found = find_stubs(survey("model.py", source.encode()).functions)
    assert len(found) == len(annotations) and len({stub.implementation.owner for stub in found.values()}) == 1
    return [stub.deal("x", types) for stub in found.values() if not stub.function.parameters[0].annotation]


@pytest.mark.parametrize(
    ("annotations", "types", "dealt"),
    [
        (["", ""], [], [[], []]),
        (["", ""], [TENSOR], [[TENSOR], [TENSOR]]),
        (["", ""], [TENSOR, LIST], [[TENSOR], [LIST]]),
        (["", ""], [TENSOR, LIST, STR], [[TENSOR], [LIST, STR]]),
        (["", "", ""], [TENSOR, LIST], [[TENSOR], [LIST], [LIST]]),
        (["Tensor", ""], [TENSOR, LIST], [[LIST]]),
        (["", "List[Tensor]"], [TENSOR, LIST], [[TENSOR]]),
        (["", "Tensor"], [TENSOR], [[TENSOR]]),
        (["", ""], [NONE, TENSOR, LIST], [[NONE, TENSOR], [NONE, LIST]]),
        (["", ""], [INT, TENSOR, FLOAT], [[INT, FLOAT], [TENSOR]]),
        (["", ""], [EMPTY, TENSOR, LIST], [[EMPTY, LIST], [TENSOR]]),
    ],
)
def test_deal(annotations: Sequence[str], types: Sequence[TypeExpr], dealt: list[list[TypeExpr]]) -> None:
    assert deal(annotations, types) == dealt

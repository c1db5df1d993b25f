"""Returns that no example takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.untaken_returns import RULE
from pdt_annotate.values.types import TENSOR, TypeExpr

HEAD = "import torch\n\n\ndef f(x, flag: bool = False){}:\n    "
PAIR = TypeExpr("tuple", (TENSOR, TENSOR))
LIST = TypeExpr("list", (TENSOR,))
ASSERTED = 'assert not torch.jit.is_scripting(), "left out of the scripted model"'


def mended(folder: Path, body: str, *returned: TypeExpr, said: str = "", **locals_: tuple[TypeExpr, ...]) -> str:
    types = {"f": {"return": returned, **locals_}}
    return Mended(folder, HEAD.format(said) + body, types=types).apply(RULE).removeprefix(HEAD.format(""))


@pytest.mark.parametrize(
    ("body", "returned"),
    [
        ("if flag:\n        return x, x\n    return x", ()),
        ("if flag:\n        return x, x\n    return x", (TENSOR, PAIR)),
        ("if flag:\n        return [x]\n    return x", (TENSOR, LIST)),
        ("if flag:\n        return (*x,)\n    return x", (TENSOR, PAIR)),
        ("if flag:\n        return h(x)\n    return x", (TENSOR,)),
        ("if flag: return x, x\n    return x", (TENSOR,)),
        ("if not torch.jit.is_scripting():\n        return x, x\n    return x", (TENSOR,)),
        ("def g():\n        return x, x\n    return x", (TENSOR,)),
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str, returned: tuple[TypeExpr, ...]) -> None:
    assert mended(tmp_path, body, *returned) == body


@pytest.mark.parametrize(
    ("value", "returned"),
    [
        ("x, x", (TENSOR,)),
        ("[x, x]", (TENSOR, PAIR)),
        ("(x, x, x)", (PAIR,)),
        ("{}", (TENSOR,)),
    ],
)
def test_a_return_of_what_was_never_returned(tmp_path: Path, value: str, returned: tuple[TypeExpr, ...]) -> None:
    head, tail = "if flag:\n        ", f"return {value}\n    return x"
    assert mended(tmp_path, head + tail, *returned) == f"{head}{ASSERTED}\n        {tail}"


def test_a_local_of_another_type_than_was_returned(tmp_path: Path) -> None:
    body = "y = h(x)\n    if flag:\n        return x, y\n    {}return y"
    assert mended(tmp_path, body.format(""), PAIR, y=(TENSOR,)) == body.format(ASSERTED + "\n    ")
    assert mended(tmp_path, body.format(""), PAIR, y=(TENSOR, PAIR)) == body.format("")


def test_a_wrong_annotation_goes_with_it(tmp_path: Path) -> None:
    body = "if flag:\n        {}return [x]\n    return x"
    after = mended(tmp_path, body.format(""), TENSOR, said=" -> List[Tensor]")
    assert after == body.format(ASSERTED + "\n        ")


def test_it_looks_into_what_is_called(tmp_path: Path) -> None:
    called = "def g(x, flag):\n    if flag:\n        return x, x\n    return x\n"
    source = f"{called}\n\ndef f(x):\n    return g(x, False) + 1\n"
    module = Mended(tmp_path, source, types={"g": {"return": (TENSOR,)}})
    assert {mend.owner.qualname for mend in module.find(RULE)} == {"g"}

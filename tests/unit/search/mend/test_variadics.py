"""`*args` and `**kwargs` of one's own def."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.variadics import RULE
from pdt_annotate.values.mends import Held, HeldValue, MendKind, Variadic

PRENORM = """\
class PreNorm(Module):
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Attention(Module):
    def forward(self, x, context=None, mask=None):
        return x


class FeedForward(Module):
    def forward(self, x):
        return x
"""


def holds(*classes: str) -> dict[str, dict[str, Held]]:
    return {"PreNorm": {"fn": Held(tuple(HeldValue(f"model.{cls}") for cls in classes))}}


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, y=2):\n    return g(x, *y)\n",
        "def f(x, **kwargs):\n    return kwargs\n",
        "def f(x, **kwargs):\n    return x * kwargs['scale']\n",
        "def f(x, **kwargs):\n    return g(x, {**kwargs})\n",
        "def f(x, *args):\n    return x + len(args)\n",
        "def f(x, *args):\n    return g(x, args)\n",
        "def f(x, *args):\n    return g(x, [*args])\n",
        "def f(x, **kwargs):\n    kwargs = {}\n    return g(x, **kwargs)\n",
        "def f(x):\n    def g(**kwargs):\n        return x\n    return g()\n",
        "def f(\n    x,  # the input, a Tensor\n    # and more\n    **kwargs,\n):\n    return x\n",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, source: str) -> None:
    assert Mended(tmp_path, source).apply(RULE) == source


@pytest.mark.parametrize("classes", [("FeedForward",), ("Attention", "Unknown"), ("Unknown",), ()])
def test_a_name_that_not_all_callees_take_is_left_alone(tmp_path: Path, classes: tuple[str, ...]) -> None:
    mended = Mended(tmp_path, PRENORM, holds(*classes), {"PreNorm.forward": Variadic(names=("mask",))})
    assert mended.apply(RULE) == PRENORM


def test_names_go_to_those_that_take_them(tmp_path: Path) -> None:
    init = "    def __init__(self, fn):\n        self.fn = fn\n"
    source = PRENORM.replace("(Module):\n", f"(Module):\n{init}\n", 1)
    held = holds("Attention", "FeedForward")
    mended = Mended(tmp_path, source, held, {"PreNorm.forward": Variadic(names=("mask",))})
    [mend] = mended.find(RULE)
    assert mend.kind is MendKind.FROZEN
    assert (
        mended.apply(RULE).partition("\n\n\nclass Attention")[0]
        == """\
from typing import Final


class PreNorm(Module):
    _takes_mask: Final[bool]

    def __init__(self, fn):
        self.fn = fn
        self._takes_mask = isinstance(self.fn, Attention)

    def forward(self, x, mask=None):
        assert self._takes_mask or mask is None
        return self.fn(self.norm(x), mask=mask) if self._takes_mask else self.fn(self.norm(x))"""
    )


def test_names_go_through_what_passes_them_on(tmp_path: Path) -> None:
    outer = "\n\nclass Residual(Module):\n    def forward(self, x, **kwargs):\n"
    outer += "        return self.fn(x, **kwargs) + x\n"
    held = {**holds("Attention"), "Residual": {"fn": Held((HeldValue("model.PreNorm"),))}}
    variadic = {f"{cls}.forward": Variadic(names=("mask",)) for cls in ("PreNorm", "Residual")}
    after = Mended(tmp_path, PRENORM + outer, held, variadic).apply(RULE)
    assert after == (PRENORM + outer).replace("x, **kwargs):", "x, mask=None):").replace("**kwargs", "mask=mask")


def test_values_by_position_are_left_alone(tmp_path: Path) -> None:
    source = "def f(x, *args):\n    return g(x, *args)\n"
    assert Mended(tmp_path, source, variadic={"f": Variadic(2)}).apply(RULE) == source


def test_what_nobody_passes_goes(tmp_path: Path) -> None:
    mended = Mended(tmp_path, PRENORM, holds("FeedForward", "Attention"))
    assert {mend.kind for mend in mended.find(RULE)} == {MendKind.EXACT}
    assert mended.apply(RULE) == PRENORM.replace(", **kwargs", "")


def test_what_asks_for_them_goes_where_nobody_passes_any(tmp_path: Path) -> None:
    check = "    if len(args) > 0 or kwargs.get('scale', None) is not None:\n        warn('no use', *args)\n\n"
    source = f"def f(x, *args, **kwargs):\n{check}    return x\n"
    passing = {"f": Variadic(names=("scale",))}
    assert Mended(tmp_path, source).apply(RULE) == "def f(x):\n    return x\n"
    assert Mended(tmp_path, source, variadic=passing).apply(RULE) == source
    assert Mended(tmp_path, source, entered=[]).apply(RULE) == source


def test_names_come_with_the_default_of_all_callees(tmp_path: Path) -> None:
    mended = Mended(tmp_path, PRENORM, holds("Attention"), {"PreNorm.forward": Variadic(names=("mask",))})
    after = PRENORM.replace("x, **kwargs):", "x, mask=None):").replace("**kwargs", "mask=mask")
    assert mended.apply(RULE) == after


def test_names_that_are_ignored_stay_names(tmp_path: Path) -> None:
    mended = Mended(tmp_path, "def f(x, **kw):\n    return x\n", variadic={"f": Variadic(names=("a", "b"))})
    assert mended.apply(RULE) == "def f(x, a=None, b=None):\n    return x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(*args, **kwargs):\n    return g(*args, **kwargs)\n", "def f():\n    return g()\n"),
        ("def f(x, *args):\n    return g(*args, x)\n", "def f(x):\n    return g(x)\n"),
        ("def f(x, *args, n=2):\n    return x\n", "def f(x, n=2):\n    return x\n"),
        ("def f(x, *args, n):\n    return x\n", "def f(x, *, n):\n    return x\n"),
        ("def f(x=(1, 2), ** kw: int):\n    return x\n", "def f(x=(1, 2)):\n    return x\n"),
        ("def f(\n    x,\n    **kw,\n):\n    return g((x), **kw)\n", "def f(\n    x,\n):\n    return g((x))\n"),
        ("def f(\n    *args,\n):\n    return g(*args,)\n", "def f(\n    \n):\n    return g()\n"),
    ],
)
def test_layout_stays(tmp_path: Path, before: str, after: str) -> None:
    assert Mended(tmp_path, before).apply(RULE) == after


def test_it_is_frozen_where_a_call_in_the_project_may_pass_more(tmp_path: Path) -> None:
    source = PRENORM + "\n\nclass Block(Module):\n    def forward(self, x, m):\n        return self.attn(x, mask=m)\n"
    [mend] = Mended(tmp_path, source, holds("FeedForward")).find(RULE)
    assert mend.kind is MendKind.FROZEN


@pytest.mark.parametrize("call", ["x.sum(dim=1)", "torch.cat([x], dim=1)", "print(x, end='')", "Other(x, mask=None)"])
def test_it_is_exact_where_calls_mean_others(tmp_path: Path, call: str) -> None:
    other = f"\n\nclass Other:\n    def forward(self, x):\n        return {call}\n"
    [mend] = Mended(tmp_path, "import torch\n" + PRENORM + other, holds("FeedForward")).find(RULE)
    assert mend.kind is MendKind.EXACT


NAMES = st.lists(st.sampled_from(["mask", "scale", "bias"]), unique=True, max_size=3)


@settings(max_examples=25, deadline=None)
@given(passed=NAMES, values=st.lists(st.integers(), min_size=3, max_size=3), data=st.data())
def test_calls_as_observed_answer_the_same(
    tmp_path_factory: pytest.TempPathFactory, passed: list[str], values: list[int], data: st.DataObject
) -> None:
    source = (
        "def g(x, mask=3, scale=None, bias=-1):\n    return x, mask, scale, bias\n\n\n"
        "def f(x, *args, **kwargs):\n    return g(x, *args, **kwargs)\n"
    )
    variadic = {"f": Variadic(names=tuple(passed))}
    after = Mended(tmp_path_factory.mktemp("a"), source, variadic=variadic).apply(RULE)
    chosen = data.draw(st.lists(st.sampled_from(passed), unique=True)) if passed else []
    arguments = dict(zip(chosen, values, strict=False))
    old, new = defined(source), defined(after)
    assert "*" not in after
    assert old(0, **arguments) == new(0, **arguments)

"""Whether a call fits a signature: real calls of real functions are the reference."""

from __future__ import annotations

import inspect

import pytest

from pdt_annotate.inputs.specs import check_binding, label
from pdt_annotate.inputs.specs.calls import read_calls
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call


def forward(x, mask=None, /, scale=1.0, *rest, bias: int, **options):
    return None


def plain(x, mask=None, *, bias=0):
    return None


@pytest.mark.parametrize(
    "call",
    [
        Call((1,), {"bias": 2}),
        Call((1, 2, 3, 4, 5), {"bias": 2, "anything": 3}),
        Call((1,), {"bias": 2, "scale": 3}),
    ],
)
def test_what_binds_is_left_alone(call: Call) -> None:
    forward(*call.args, **call.kwargs)
    check_binding(call, inspect.signature(forward), "call 1")


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (Call(), "call 2: missing a required argument: 'x'", "the parameters are (x, mask=None, *, bias=0)"),
        (Call((1, 2, 3)), "call 2: 3 positional arguments for 2 parameters (x, mask)", "the parameters are"),
        (Call((1,), {"maks": 2}), "'maks'", "did you mean mask?"),
        (Call((1,), {"zzz": 2}), "'zzz'", "the parameters are"),
        (Call((1,), {"x": 2}), "multiple values for argument 'x'", "the parameters are"),
    ],
)
def test_what_does_not_bind(call: Call, message: str, hint: str) -> None:
    with pytest.raises(TypeError):
        plain(*call.args, **call.kwargs)
    with pytest.raises(SpecError) as caught:
        check_binding(call, inspect.signature(plain), "call 2")
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_missing_keyword_only_parameter_is_named() -> None:
    with pytest.raises(SpecError, match="'bias'"):
        check_binding(Call((1,)), inspect.signature(forward), "call 1")


def test_label() -> None:
    assert label(Call(), 0) == "call 1"
    assert label(Call(name="long"), 0) == "long"


def test_a_mode_is_one_of_two() -> None:
    (call,) = read_calls([Call((1,), mode="eval")])
    assert call.mode == "eval"
    with pytest.raises(SpecError, match="`mode` is 'training'"):
        list(read_calls([Call((1,), mode="training")]))

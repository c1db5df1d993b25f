"""The texts of --arg."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pdt_annotate.inputs.specs.args import parse_args, parse_value
from pdt_annotate.values.errors import SpecError


@pytest.mark.parametrize("text", ["text", "en-de", "a.b", "hello world", "-x", "f32", "a==b", "50%", "x/y.txt"])
def test_a_plain_text_stays_text(text: str) -> None:
    assert parse_args([text]).args == (text,)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-3", 0.001),
        ("-inf", float("-inf")),
        ("1+2j", 1 + 2j),
        ("true", True),
        ("False", False),
        ("None", None),
        ("'3'", "3"),
        ('"a=b"', "a=b"),
        ("[1, 2]", [1, 2]),
        ("(1, -2.5)", (1, -2.5)),
        ("(1,)", (1,)),
        ("[]", []),
        ("{'a': [None, true]}", {"a": [None, True]}),
    ],
)
def test_values(text: str, value: Any) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("text", "shape", "dtype"),
    [
        ("f32[2,3]", (2, 3), torch.float32),
        ("f16[4]", (4,), torch.float16),
        ("bf16[4]", (4,), torch.bfloat16),
        ("f64[1, 2, 3]", (1, 2, 3), torch.float64),
        ("i8[2]", (2,), torch.int8),
        ("i16[2]", (2,), torch.int16),
        ("i32[2]", (2,), torch.int32),
        ("i64[2]", (2,), torch.int64),
        ("u8[2]", (2,), torch.uint8),
        ("bool[2]", (2,), torch.bool),
        ("c64[2]", (2,), torch.complex64),
        ("float32[2]", (2,), torch.float32),
        ("torch.long[2]", (2,), torch.int64),
        ("f32[]", (), torch.float32),
        ("f32[0,2]", (0, 2), torch.float32),
    ],
)
def test_tensors(text: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    tensor = parse_value(text)
    assert (tuple(tensor.shape), tensor.dtype) == (shape, dtype)


def test_tensors_in_containers() -> None:
    value = parse_value("{'boxes': [f32[2,4], f32[0,4]], 'size': (i64[], None)}")
    assert [tuple(t.shape) for t in value["boxes"]] == [(2, 4), (0, 4)]
    assert value["size"][1] is None


def test_keywords() -> None:
    call = parse_args(["f32[2]", "mask=None", "n = 3", "mode=a=b"])
    assert len(call.args) == 1
    assert call.kwargs == {"mask": None, "n": 3, "mode": "a=b"}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["f33[2]"], "there is no dtype 'f33'; did you mean f32"),
        (["f32[2,"], "is not a value"),
        (["f32[-1]"], "sizes"),
        (["f32[2.5]"], "sizes"),
        (["[a, b]"], "quote a text"),
        (["__import__('os')"], "is not a value"),
        (["'open"], "is not a value"),
        (["n=1", "n=2"], "'n' twice"),
    ],
)
def test_what_is_no_argument(texts: list[str], message: str) -> None:
    with pytest.raises(SpecError, match="--arg") as caught:
        parse_args(texts)
    assert message in caught.value.message

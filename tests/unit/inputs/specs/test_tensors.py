"""Tensors from fills."""

from __future__ import annotations

import pytest
import torch

from pdt_annotate.inputs.specs.tensors import FILLS, make_tensor

F32, I64 = torch.float32, torch.int64


@pytest.mark.parametrize(
    ("fill", "dtype", "wanted"),
    [
        ("zeros", None, torch.zeros(2, 3)),
        ("ones", I64, torch.ones(2, 3, dtype=I64)),
        ("arange", None, torch.arange(6.0).reshape(2, 3)),
        ("arange", I64, torch.arange(6).reshape(2, 3)),
        ("eye", torch.bool, torch.eye(2, 3, dtype=torch.bool)),
        ("full(2.5)", None, torch.full((2, 3), 2.5)),
        ("full(-inf)", None, torch.full((2, 3), float("-inf"))),
        ("full(true)", torch.bool, torch.ones(2, 3, dtype=torch.bool)),
        ("randint(4, 5)", None, torch.full((2, 3), 4)),
        ("randint(4,5)", torch.float16, torch.full((2, 3), 4.0, dtype=torch.float16)),
    ],
)
def test_fills(fill: str, dtype: torch.dtype | None, wanted: torch.Tensor) -> None:
    tensor = make_tensor((2, 3), dtype, fill, F32)
    assert tensor.dtype == wanted.dtype
    assert torch.equal(tensor, wanted)


def test_random_fills_vary_and_repeat_with_the_seed() -> None:
    for fill in ("rand", "randn", None):
        torch.manual_seed(0)
        first, second = make_tensor((4,), None, fill, F32), make_tensor((4,), None, fill, F32)
        torch.manual_seed(0)
        assert not torch.equal(first, second)
        assert torch.equal(first, make_tensor((4,), None, fill, F32))


def test_the_default_fill_suits_the_dtype() -> None:
    assert make_tensor((2,), None, None, torch.float64).dtype == torch.float64
    assert make_tensor((2,), torch.complex64, None, F32).dtype == torch.complex64
    for dtype in (torch.bool, torch.uint8, I64):
        tensor = make_tensor((64,), dtype, None, F32)
        assert set(tensor.tolist()) == {0, 1}
        assert tensor.dtype == dtype


@pytest.mark.parametrize(
    ("shape", "dtype", "fill", "message"),
    [
        ((2,), None, "rnd", "unknown fill 'rnd'; the fills are rand, randn"),
        ((2,), None, "full", "takes 1 arguments, not 0"),
        ((2,), None, "randint(3)", "takes 2 arguments, not 1"),
        ((2,), None, "zeros(1)", "takes 0 arguments, not 1"),
        ((2,), None, "full(x)", "could not convert"),
        ((2,), I64, "randn", r"use randint\(lo, hi\)"),
        ((2, 2, 2), None, "eye", "not one"),
    ],
)
def test_fills_that_do_not_go(shape: tuple[int, ...], dtype: torch.dtype | None, fill: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_tensor(shape, dtype, fill, F32)


def test_every_fill_makes_an_empty_tensor() -> None:
    arguments = {"full": "(1)", "randint": "(0, 2)"}
    for fill in FILLS:
        assert make_tensor((0,), None, fill + arguments.get(fill, ""), F32).numel() == 0

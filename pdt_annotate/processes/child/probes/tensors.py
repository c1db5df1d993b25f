"""Tensors that are drawn: known by how they are made, so that they can be shrunk, spelled and made again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

SHORT = 12
"""A tensor of at most so many elements is spelled with its values, which are rounded therefore."""

WHOLE = {"zeros": 0, "ones": 1, "nan": math.nan}
"""Fills of one value."""


@dataclass(frozen=True)
class Fill:
    """A tensor by how it is made.

    `how` is one of `WHOLE`, "rand", "randn" or "randint", the last from `low` to `high`. Without a seed it is spelled
    alone, and as whatever is drawn.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    how: str
    low: int = 0
    high: int = 1
    seed: int | None = 0
    requires_grad: bool = False

    @property
    def is_short(self) -> bool:
        return math.prod(self.shape) <= SHORT

    @property
    def drawn_in(self) -> torch.dtype:
        """The dtype in which random values are drawn."""
        return self.dtype if self.dtype in (torch.float64, torch.complex64, torch.complex128) else torch.float32

    def make(self, device: str) -> torch.Tensor:
        """The tensor, the same one each time."""
        return self._values().to(self.dtype).to(device).requires_grad_(self.requires_grad)

    def _values(self) -> torch.Tensor:
        if self.how in WHOLE:
            return torch.full(self.shape, WHOLE[self.how], dtype=self.dtype)
        generator = torch.Generator().manual_seed(self.seed or 0)
        if self.how == "randint":
            return torch.randint(self.low, self.high + 1, self.shape, generator=generator)
        draw: Any = getattr(torch, self.how)
        drawn: torch.Tensor = draw(self.shape, generator=generator, dtype=self.drawn_in)
        return (drawn * 100).round() / 100 if self.is_short else drawn


def is_drawable(value: Any) -> bool:
    """Whether a tensor is plain enough for others to be made like it."""
    if type(value) is not torch.Tensor or value.layout is not torch.strided:
        return False
    return not (value.is_quantized or value.is_meta or value.is_nested)


def like(tensor: torch.Tensor, shape: tuple[int, ...], seed: int | None) -> Fill:
    """A tensor of another shape whose values are as those of this one; indices stay within what was seen."""
    dtype, grad = tensor.dtype, tensor.requires_grad
    if tensor.numel() == 0:
        return Fill(shape, dtype, "zeros", requires_grad=grad)
    if dtype.is_complex:
        return Fill(shape, dtype, "randn", seed=seed, requires_grad=grad)
    low, high = (each.item() for each in torch.aminmax(tensor.detach().to(torch.float64)))
    if not dtype.is_floating_point:
        return Fill(shape, dtype, "randint", int(low), int(high), seed)
    return Fill(shape, dtype, "rand" if low >= 0 and high <= 1 else "randn", seed=seed, requires_grad=grad)

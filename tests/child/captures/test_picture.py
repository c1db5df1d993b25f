"""What cannot be pictured is refused with the reason in the user's file, and what might help."""

from __future__ import annotations

import pytest
import torch
from pictured import ROOT, Gate, picture_of
from torch import nn

from pdt_annotate.values.errors import SpecError, TargetError, UserError


class Unscriptable(nn.Module):
    def forward(self, x: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
        return x


def test_an_unknown_way_has_a_near_one() -> None:
    with pytest.raises(UserError, match="'scrpt'") as caught:
        picture_of(Gate(), (torch.ones(3),), of="scrpt")
    assert caught.value.hint == "did you mean script?"


def test_an_unknown_call_names_those_that_are() -> None:
    with pytest.raises(SpecError, match="'x'") as caught:
        picture_of(Gate(), (torch.ones(3),), call="x")
    assert "call 1" in caught.value.hint


def test_a_way_that_cannot_says_why_and_where() -> None:
    with pytest.raises(TargetError, match="--of fx: ") as caught:
        picture_of(Gate(), (torch.ones(3),), of="fx")
    assert caught.value.file.startswith(ROOT) and caught.value.line
    assert "captures" in caught.value.hint


def test_a_graph_that_torch_keeps_to_itself() -> None:
    with pytest.raises(UserError, match="--of lazy"):
        picture_of(Gate(), (torch.ones(3),), of="lazy")

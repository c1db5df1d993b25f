"""Sizes and numbers that an export leaves free."""

from __future__ import annotations

from typing import Any

import torch

from pdt_annotate.captures.subject import Capturable
from pdt_annotate.captures.ways import export
from pdt_annotate.values.runs import Call
from pdt_annotate.values.torch_releases import FREE_INTS, release_of


class Net(torch.nn.Module):
    def forward(self, batch: Any, *rest: Any, times: Any = 2) -> Any:
        return {"y": batch["x"] * times + sum(rest)}


def subject(*calls: Call) -> Capturable:
    return Capturable(Net(), calls, "", Net)


def of_rows(rows: int, name: str = "", **kwargs: Any) -> Call:
    return Call(({"x": torch.ones(rows, 3)}, torch.ones(3)), kwargs, name=name)


def test_dynamic_sizes_are_free_in_dicts_and_behind_stars_and_numbers_too() -> None:
    captured = export.capture_dynamic(subject(of_rows(2, times=3)))
    times = 7 if release_of(torch.__version__) >= FREE_INTS else 3
    asked = of_rows(5, times=times)
    assert torch.equal(captured.run(*asked.args, **asked.kwargs)["y"], torch.full((5, 3), times + 1.0))


def test_the_call_is_taken_whose_sizes_torch_does_not_take_for_fixed() -> None:
    calls = (of_rows(1, "one"), of_rows(4, "four"), of_rows(5, "named", times=3))
    assert export.capture_dynamic(subject(*calls)).made_from == ("four",)
    assert export.capture(subject(*calls)).made_from == ("one",)

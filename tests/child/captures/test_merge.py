"""Traces of several values of a flag, merged into one scripted module."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pdt_annotate import Call, PdtWarning, merge_traces
from pdt_annotate.errors import TraceError


class Moded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(4, 2), nn.BatchNorm1d(2)

    def forward(self, batch: Any, mask: Any = None, *, times: int = 1, mode: str = "plain") -> Any:
        x = self.norm(self.layer(batch["x"])) * times
        if mask is not None:
            x = x.masked_fill(mask, 0.0)
        if mode == "shifted":
            x = x + batch["shift"]
        return {"x": x, "summed": x.sum(0)}


def batch(rows: int = 3) -> dict[str, Tensor]:
    return {"x": torch.randn(rows, 4), "shift": torch.randn(2)}


MASK = torch.tensor([True, False])


def test_the_model_stays_as_it_was_and_its_parameters_are_those_of_the_result_once() -> None:
    module = Moded()
    before = {name: each.clone() for name, each in module.state_dict().items()}
    calls = [Call((batch(),), {"mode": mode}) for mode in ("plain", "shifted")]
    random = torch.get_rng_state()
    merged = merge_traces(module, calls, "mode")
    assert torch.equal(torch.get_rng_state(), random)
    for name, each in module.state_dict().items():
        assert torch.equal(each, before[name])
    assert [each.data_ptr() for each in merged.parameters()] == [each.data_ptr() for each in module.parameters()]
    assert list(merged.state_dict()) == [f"module.{name}" for name in module.state_dict()]


@pytest.mark.parametrize(
    ("flag", "values"),
    [("mode", ("plain", "shifted")), ("times", (1, 3)), ("mask", (None, MASK)), ("mask", (MASK, None))],
    ids=["a text", "a number", "None or a tensor", "a tensor or None"],
)
def test_a_flag_chooses_its_trace(flag: str, values: tuple[Any, ...]) -> None:
    module = Moded().eval()
    merged = merge_traces(module, [Call((batch(),), {flag: value}) for value in values], flag)
    for value in values:
        given = batch(5)
        torch.testing.assert_close(merged(given, **{flag: value}), module(given, **{flag: value}))


def test_the_default_of_the_flag_stays() -> None:
    module, given = Moded().eval(), batch()
    merged = merge_traces(module, [Call((given,)), Call((given,), {"mode": "shifted"})], "mode")
    torch.testing.assert_close(merged(given), module(given))


def test_a_flag_that_may_be_none_or_a_text_and_a_merged_module_that_is_saved() -> None:
    def scale(x: Tensor, how: Any) -> Tensor:
        return x if how is None else x * len(how)

    merged = merge_traces(scale, [(torch.ones(2), "abc"), (torch.ones(2), None)], "how")
    file = io.BytesIO()
    torch.jit.save(merged, file)
    file.seek(0)
    loaded: Any = torch.jit.load(file)
    assert loaded(torch.ones(1), "abc").tolist() == [3.0]
    assert loaded(torch.ones(1), None).tolist() == [1.0]
    with pytest.raises(torch.jit.Error, match="there are traces for how = 'abc', how = None alone, none for ab"):
        loaded(torch.ones(1), "ab")


def flagged(x: Tensor, flag: Any) -> Any:
    if flag is None:
        return x, x
    if flag and (x.sum() > 0):
        return x * 2
    return x


ONES = torch.ones(2)


@pytest.mark.filterwarnings("ignore::pdt_annotate.errors.PdtWarning")
@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([(ONES, [1])], r"flag is \[1\], which cannot tell traces apart"),
        ([(ONES, True), (ONES, 1)], "flag is of several types: bool, int"),
        ([(ONES, None)], "flag is None in all calls"),
        (
            [(ONES, None), (ONES, True)],
            r"with flag = None it is Tuple\[Tensor, Tensor\], with",
        ),
        ([(ONES, True), (-ONES, True)], "call 2: merged traces answer otherwise than the model: the result differs"),
        ([], "there is no call to trace"),
    ],
)
def test_what_cannot_be_merged_is_told(calls: list[Any], told: str) -> None:
    with pytest.raises(TraceError, match=told):
        merge_traces(flagged, calls, "flag")


def test_calls_that_differ_in_more_than_the_flag_are_told() -> None:
    calls = [Call((batch(),), {"mode": "plain"}), Call((batch(),), {"mode": "shifted", "times": 2})]
    with pytest.raises(TraceError, match="mode = 'plain' and mode = 'shifted' differ in more: times is 2, not 1"):
        merge_traces(Moded(), calls, "mode")
    with pytest.raises(TraceError, match="the model has no argument 'kind'"):
        merge_traces(Moded(), calls, "kind")


def test_held_back_calls_are_verified_and_what_the_tracer_warns_of_is_told() -> None:
    with (
        pytest.warns(PdtWarning, match="PDT082: .*test_merge.py:.*a tensor decides"),
        pytest.raises(TraceError, match="call 3: merged traces answer otherwise"),
    ):
        merge_traces(flagged, [(ONES, True), (ONES, False)], "flag", held_back=[(-ONES, True)])
    with pytest.raises(TraceError, match=r"call 2: merged traces raise: .*for flag = False alone, none for True"):
        merge_traces(flagged, [(ONES, False)], "flag", held_back=[(-ONES, True)])

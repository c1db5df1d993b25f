"""Models traced through TracingAdapter, merged traces for several values of a flag, and models without a graph."""

import io
import math
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from pictured import ROOT, Gate, picture_of
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch_differences import holds

from pdt_annotate import Call, PdtWarning, TracingAdapter, merge_traces
from pdt_annotate.errors import TraceError
from pdt_annotate.values.errors import SpecError, TargetError, UserError

Scored = namedtuple("Scored", ["scores", "rows", "rank"])


class Rich(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, rich_batch: Any, mask: Any = None, *, mode: str = "plain", **options: Any) -> dict[str, Any]:
        scores = self.layer(rich_batch["x"]) + rich_batch["shifts"][0]
        if mask is not None:
            scores = scores.masked_fill(mask, 0.0)
        if mode == "scaled":
            scores = scores * options["scale"]
        return {"scored": Scored(scores, scores.shape[0], scores.dim()), "mask": mask, "parts": [scores, scores]}


def rich_batch(rows: int) -> dict[str, Any]:
    return {"x": torch.randn(rows, 4), "shifts": [torch.randn(2)]}


def traced(module: Any, *args: Any, result: Any = None, **kwargs: Any) -> tuple[TracingAdapter, Any]:
    known = {} if result is None else {"result": result}
    adapter = TracingAdapter(module, args, kwargs, **known)
    trace: Any = torch.jit.trace
    return adapter, trace(adapter, adapter.inputs)


def test_a_rich_call_answers_as_the_module_does_and_what_is_no_tensor_is_listed() -> None:
    module, seen, other = Rich(), rich_batch(2), rich_batch(5)
    how = {"mode": "scaled", "scale": 3.0}
    adapter, trace = traced(module, seen, result=module(seen, **how), **how)
    answer, expected = adapter.wrap(trace)(other, None, **how), module(other, **how)
    assert pytree.tree_structure(answer) == pytree.tree_structure(expected)
    torch.testing.assert_close(answer["scored"].scores, expected["scored"].scores)
    assert answer["scored"][1:] == (5, 2)  # the first comes from a size; the second is baked in
    assert type(answer["scored"].rows) is int
    adapter, _ = traced(Rich(), rich_batch(2), mode="scaled", scale=3.0)
    assert list(map(str, adapter.baked_in)) == [
        *("mask = None", "mode = 'scaled'", "options['scale'] = 3.0", "the result['scored'].rank = 2"),
        "the result['mask'] = None",
    ]


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"mode": "other"}, "mode is 'other', not 'plain'"),
        ({"mask": torch.tensor([True, False])}, "mask is a tensor, not None"),
        ({"scale": 1.0}, "options['scale'] is 1.0, but was not passed"),
    ],
)
def test_another_call_is_refused(kwargs: dict[str, Any], told: str) -> None:
    adapter, trace = traced(Rich(), rich_batch(2))
    with pytest.raises(TraceError, match="made from another call: ") as raised:
        adapter.wrap(trace)(rich_batch(2), **kwargs)
    assert str(raised.value).endswith(told)


def test_a_dict_in_another_order_is_refused() -> None:
    adapter, trace = traced(Rich(), rich_batch(2))
    with pytest.raises(TraceError, match="or another order"):
        adapter.wrap(trace)(dict(reversed(rich_batch(2).items())))


def test_functions_and_methods_are_traced_as_modules_are_and_a_trace_is_saved() -> None:
    adapter, trace = traced(lambda x, times=1: (x * times, times), torch.ones(2), times=4)
    assert adapter.wrap(trace)(torch.ones(3), 4)[1] == 4
    module = nn.Linear(2, 2)
    adapter, trace = traced(module.forward, torch.ones(1, 2))
    torch.testing.assert_close(adapter.wrap(trace)(torch.ones(3, 2)), module(torch.ones(3, 2)))
    adapter, trace = traced(Rich(), rich_batch(2))
    file = io.BytesIO()
    torch.jit.save(trace, file)
    file.seek(0)
    loaded: Any = torch.jit.load(file)
    assert loaded(*adapter.inputs)[0].shape == (2, 2)
    assert set(dict(trace.named_buffers())) == set()


def test_a_traced_module_is_adapted_as_it_is() -> None:
    x = torch.ones(1, 2)
    net: Any = torch.jit.trace(nn.Linear(2, 2), (x,))
    (answer,) = TracingAdapter(net, (x,))(x)
    assert torch.equal(answer, net(x))


def test_where_there_is_no_tensor_and_no_known_result_nothing_is_traced() -> None:
    with pytest.raises(TraceError, match="does not know the structure of the result"):
        TracingAdapter(Rich(), rich_batch(2)["x"]).rebuild(())
    with pytest.raises(TraceError, match="passes no tensor"):
        TracingAdapter(lambda n: n, (1,))
    with pytest.raises(TraceError, match="the result contains no tensor"):
        traced(lambda x: x.dim(), torch.ones(2))


@dataclass
class Batch:
    x: Tensor
    n: int


def test_tensors_in_an_object_are_seen_once_its_class_is_registered() -> None:
    def double(batch: Any) -> Tensor:
        return batch.x * batch.n

    with pytest.raises(TraceError, match="batch is a SimpleNamespace that contains tensors, which torch"):
        TracingAdapter(double, (SimpleNamespace(x=torch.ones(2), n=2),))
    torch.export.register_dataclass(Batch)
    are_attributes = holds("names the fields of a registered dataclass as attributes")
    adapter, trace = traced(double, Batch(torch.ones(2), 2))
    assert adapter.wrap(trace)(Batch(torch.ones(3), 2)).tolist() == [2.0] * 3
    assert list(map(str, adapter.baked_in)) == ["batch.n = 2" if are_attributes else "batch['n'] = 2"]


class Output(dict[str, Any]):
    """The results of a model, by name."""


def test_a_result_of_a_class_that_pytree_knows_without_names_is_traced() -> None:
    pytree.register_pytree_node(
        Output, lambda it: (list(it.values()), list(it)), lambda v, k: Output(zip(k, v, strict=True))
    )
    adapter, trace = traced(lambda x: Output(y=x + 1, z=x), torch.ones(2))
    assert adapter.wrap(trace)(torch.zeros(3))["y"].tolist() == [1.0] * 3


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
    with pytest.raises(torch.jit.Error, match="there are traces only for how = 'abc'; how = None, none for ab"):
        loaded(torch.ones(1), "ab")


def sized(x: Tensor) -> tuple[Tensor, Tensor]:
    """Computes with sizes as if they were numbers."""
    half: float
    rows = half = x.size(0)
    half /= 2
    rows *= 3
    rows += math.ceil(half) + round(half) + math.floor(half)
    attended = nn.functional.scaled_dot_product_attention(x, x, x, is_causal=x.size(1) > 1)
    odd = torch.arange(x.size(0)) < x.size(0)  # a tensor, on which no branch depends
    return x.new_ones(rows, x.size(0)) * odd * torch.tensor([x.size(1), 1])[0], attended


def test_a_trace_computes_with_sizes_as_eager_mode_does() -> None:
    merged = merge_traces(sized, [(torch.rand(2, 3),)], held_back=[(torch.rand(5, 4),)])
    ones, _ = merged(torch.rand(7, 2))
    assert (*ones.shape, ones[0, 0]) == (21 + 4 + 4 + 3, 7, 2)
    assert not hasattr(Tensor, "__ceil__")


def numbered(x: Tensor) -> Tensor:
    """Converts tensors to numbers."""
    side, most = int(math.sqrt(x.numel())), max(len(x), 2)
    half, odd = divmod(x.size(1), 2)
    assert isinstance(side, int) and not torch.is_tensor(side) and int("3") == max([3, 2])
    total: Any = most
    total += x.float().sum()  # in eager mode, this is a new tensor
    assert total.dtype is torch.float32 and most is not total
    assert (x.float().sum() / (half + 0.5)).dtype is torch.float32
    return x.as_strided([most, half], [x.stride(0), 1]).new_ones(
        side, most, half + odd, int(x.max()), int(x.sum().item())
    )


def test_a_trace_keeps_no_number_that_comes_from_a_tensor() -> None:
    def ones(*size: int) -> Tensor:
        return torch.ones(size, dtype=torch.int64)

    merged = merge_traces(numbered, [(2 * ones(2, 2),)], held_back=[(ones(5, 4),)])
    assert merged(3 * ones(3, 7)).shape == (4, 3, 4, 3, 63)
    assert math.sqrt(4) == 2 and "int" not in globals()


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
        ([(ONES, [1])], r"flag is \[1\], which cannot select a trace"),
        ([(ONES, True), (ONES, 1)], "flag has several types: bool, int"),
        ([(ONES, None)], "flag is None in all calls"),
        ([(ONES, None), (ONES, True)], r"with flag = None it is Tuple\[Tensor, Tensor\], with"),
        ([(ONES, True), (-ONES, True)], "call 2: the merged traces differ from the model: the result differs"),
        ([], "there is no call to trace"),
    ],
)
def test_what_cannot_be_merged_is_told(calls: list[Any], told: str) -> None:
    with pytest.raises(TraceError, match=told):
        merge_traces(flagged, calls, "flag")


def two_flags(x: torch.Tensor, how: str | None = None, twice: bool = False) -> torch.Tensor:
    y = x + 1 if how is None else x - len(how)
    return y * 2 if twice else y


def test_each_combination_of_several_flags_has_a_trace() -> None:
    calls = [(ONES, how, twice) for how in (None, "ab") for twice in (False, True)]
    merge_traces(two_flags, calls[:3], ("how", "twice"))
    merged = merge_traces(two_flags, calls[:3])  # the arguments in which the calls differ are the flags
    for call in calls[:3]:
        assert torch.equal(merged(*call), two_flags(*call))
    assert torch.equal(merged(ONES), two_flags(ONES))
    with pytest.raises(torch.jit.Error, match="how = 'ab', twice = False, none for ab, True"):
        merged(*calls[3])
    with pytest.raises(TraceError, match="differ in more than the flag: twice is True, not False"):
        merge_traces(two_flags, [(ONES, None, False), (ONES, "ab", True)], "how")


def test_calls_that_differ_in_more_than_the_flag_are_told() -> None:
    calls = [Call((batch(),), {"mode": "plain"}), Call((batch(),), {"mode": "shifted", "times": 2})]
    with pytest.raises(TraceError, match="mode = 'shifted' differ in more than the flag: times is 2"):
        merge_traces(Moded(), calls, "mode")
    with pytest.raises(TraceError, match="the model has no parameter 'kind'"):
        merge_traces(Moded(), calls, "kind")


def test_held_back_calls_are_verified_and_what_the_tracer_warns_of_is_told() -> None:
    with (
        pytest.warns(PdtWarning, match="PDT082: .*test_captures.py:.*this branch depends on a tensor"),
        pytest.raises(TraceError, match="call 3: the merged traces differ"),
    ):
        merge_traces(flagged, [(ONES, True), (ONES, False)], "flag", held_back=[(-ONES, True)])
    with pytest.raises(TraceError, match=r"call 2: the merged traces raise: .*only for flag = False, none for True"):
        merge_traces(flagged, [(ONES, False)], "flag", held_back=[(-ONES, True)])


def test_what_cannot_be_pictured_says_why_and_what_can() -> None:
    with pytest.raises(UserError, match="'scrpt'") as caught:
        picture_of(Gate(), (torch.ones(3),), of="scrpt")
    assert caught.value.hint == "did you mean script?"
    with pytest.raises(SpecError, match="'x'") as caught:
        picture_of(Gate(), (torch.ones(3),), call="x")
    assert "call 1" in caught.value.hint
    with pytest.raises(TargetError, match="--of fx: ") as caught:
        picture_of(Gate(), (torch.ones(3),), of="fx")
    assert caught.value.file.startswith(ROOT) and caught.value.line
    assert "captures" in caught.value.hint
    with pytest.raises(UserError, match="--of lazy"):
        picture_of(Gate(), (torch.ones(3),), of="lazy")

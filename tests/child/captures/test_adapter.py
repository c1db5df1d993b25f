"""Models with rich arguments and results, traced through `TracingAdapter`."""

from __future__ import annotations

import io
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree
from torch_differences import holds

from pdt_annotate import TracingAdapter
from pdt_annotate.errors import TraceError

Scored = namedtuple("Scored", ["scores", "rows", "rank"])


class Rich(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, batch: Any, mask: Any = None, *, mode: str = "plain", **options: Any) -> dict[str, Any]:
        scores = self.layer(batch["x"]) + batch["shifts"][0]
        if mask is not None:
            scores = scores.masked_fill(mask, 0.0)
        if mode == "scaled":
            scores = scores * options["scale"]
        return {"scored": Scored(scores, scores.shape[0], scores.dim()), "mask": mask, "parts": [scores, scores]}


def batch(rows: int) -> dict[str, Any]:
    return {"x": torch.randn(rows, 4), "shifts": [torch.randn(2)]}


def traced(module: Any, *args: Any, result: Any = None, **kwargs: Any) -> tuple[TracingAdapter, Any]:
    known = {} if result is None else {"result": result}
    adapter = TracingAdapter(module, args, kwargs, **known)
    trace: Any = torch.jit.trace
    return adapter, trace(adapter, adapter.inputs)


def test_a_module_of_tensors_alone_is_traced_as_without() -> None:
    layer, x = nn.Linear(4, 2), torch.randn(3, 4)
    adapter, trace = traced(layer, x)
    assert adapter.baked_in == ()
    torch.testing.assert_close(adapter.wrap(trace)(x), layer(x))
    assert {name: id(each) for name, each in trace.named_parameters()}.keys() == {"module.weight", "module.bias"}


def test_a_rich_call_answers_as_the_module_does_on_other_tensors() -> None:
    module, seen, other = Rich(), batch(2), batch(5)
    how = {"mode": "scaled", "scale": 3.0}
    adapter, trace = traced(module, seen, result=module(seen, **how), **how)
    answer, expected = adapter.wrap(trace)(other, None, **how), module(other, **how)
    assert pytree.tree_structure(answer) == pytree.tree_structure(expected)
    torch.testing.assert_close(answer["scored"].scores, expected["scored"].scores)
    assert answer["scored"][1:] == (5, 2)  # the one is recorded, as it comes of a size, and the other is baked in
    assert type(answer["scored"].rows) is int


def test_what_is_no_tensor_is_listed_with_its_path() -> None:
    adapter, _ = traced(Rich(), batch(2), mode="scaled", scale=3.0)
    assert list(map(str, adapter.baked_in)) == [
        "mask = None",
        "mode = 'scaled'",
        "options['scale'] = 3.0",
        "the result['scored'].rank = 2",
        "the result['mask'] = None",
    ]


@pytest.mark.parametrize(
    ("kwargs", "told"),
    [
        ({"mode": "other"}, "mode is 'other', not 'plain'"),
        ({"mask": torch.tensor([True, False])}, "mask is a tensor, not None"),
        ({"scale": 1.0}, "options['scale'] is 1.0, and was not passed"),
    ],
)
def test_another_call_is_refused(kwargs: dict[str, Any], told: str) -> None:
    adapter, trace = traced(Rich(), batch(2))
    with pytest.raises(TraceError, match="made from another call: ") as raised:
        adapter.wrap(trace)(batch(2), **kwargs)
    assert str(raised.value).endswith(told)


def test_a_dict_in_another_order_is_refused() -> None:
    adapter, trace = traced(Rich(), batch(2))
    with pytest.raises(TraceError, match="in another order"):
        adapter.wrap(trace)(dict(reversed(batch(2).items())))


def test_functions_and_methods_are_traced_as_modules_are() -> None:
    adapter, trace = traced(lambda x, times=1: (x * times, times), torch.ones(2), times=4)
    assert adapter.wrap(trace)(torch.ones(3), 4)[1] == 4
    module = nn.Linear(2, 2)
    adapter, trace = traced(module.forward, torch.ones(1, 2))
    torch.testing.assert_close(adapter.wrap(trace)(torch.ones(3, 2)), module(torch.ones(3, 2)))


def test_a_trace_holds_nothing_of_the_adapter_and_is_saved() -> None:
    adapter, trace = traced(Rich(), batch(2))
    file = io.BytesIO()
    torch.jit.save(trace, file)
    file.seek(0)
    loaded: Any = torch.jit.load(file)
    assert loaded(*adapter.inputs)[0].shape == (2, 2)
    assert set(dict(trace.named_buffers())) == set()


def test_a_result_is_not_rebuilt_before_anybody_knows_it() -> None:
    with pytest.raises(TraceError, match="does not know what a result is like"):
        TracingAdapter(Rich(), batch(2)["x"]).rebuild(())


def test_where_there_is_no_tensor_nothing_is_traced() -> None:
    with pytest.raises(TraceError, match="no tensor is passed"):
        TracingAdapter(lambda n: n, (1,))
    with pytest.raises(TraceError, match="the result holds no tensor"):
        traced(lambda x: x.dim(), torch.ones(2))


@dataclass
class Batch:
    x: Tensor
    n: int


def test_tensors_in_an_object_are_seen_once_its_class_is_registered() -> None:
    def double(batch: Any) -> Tensor:
        return batch.x * batch.n

    with pytest.raises(TraceError, match="batch is a SimpleNamespace that holds tensors, which no trace sees"):
        TracingAdapter(double, (SimpleNamespace(x=torch.ones(2), n=2),))
    torch.export.register_dataclass(Batch)
    are_attributes = holds("names the fields of a registered dataclass as attributes")
    adapter, trace = traced(double, Batch(torch.ones(2), 2))
    assert adapter.wrap(trace)(Batch(torch.ones(3), 2)).tolist() == [2.0] * 3
    assert list(map(str, adapter.baked_in)) == ["batch.n = 2" if are_attributes else "batch['n'] = 2"]

"""In which respects drawn calls differ from an example."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pdt_annotate.processes.child.probes.space import Knowledge, aspects_of, make
from pdt_annotate.values.runs import Call


def telling(call: Call, schema: Any = None, known: Knowledge = Knowledge()) -> dict[Any, tuple[Any, ...]]:  # noqa: B008
    return {aspect.name: aspect.telling for aspect in aspects_of(call, schema, known)}


UNKNOWN = (None, object(), torch.Size([2]), b"x", torch.device("cpu"))


@pytest.mark.parametrize("value", UNKNOWN, ids=lambda value: type(value).__name__)
def test_of_what_is_unknown_nothing_is_drawn(value: Any) -> None:
    assert not telling(Call((value,)))


def test_the_example_itself_is_not_drawn() -> None:
    for value in (0, 0.0, "", True):
        (told,) = telling(Call((value,))).values()
        assert all((type(each), each) != (type(value), value) for each in told)


def test_numbers_stay_near_those_that_were_seen() -> None:
    (told,) = telling(Call((3,))).values()
    assert {0, -1, 63, 64} <= set(told) and all(-12 <= each <= 64 for each in told)


def test_texts_of_the_source_are_passed() -> None:
    (told,) = telling(Call(("mean",)), known=Knowledge(("sum",))).values()
    assert "sum" in told and "" in told and "MEAN" in told


def test_types_that_the_signature_takes_are_passed() -> None:
    @torch.jit.script
    def compiled(a: int | None, b: float, c: int | str):
        return a, b, c

    schema: Any = compiled.schema
    found = telling(Call((1, 0.5, 2)), schema)
    assert found["args", 0, "type"] == (None,)
    assert found["args", 1, "type"] == (2,)
    assert found["args", 2, "type"] == ("abc",)


def test_a_size_changes_in_all_tensors_together() -> None:
    call = Call((torch.zeros(2, 5), [torch.ones(5, 3)]))
    (aspect,) = (each for each in aspects_of(call, None, Knowledge()) if each.name == ("size", 5))
    assert aspect.telling == (1, 6, 10, 4)
    one, (other,) = make(aspect.put(call, 6), "cpu").args
    assert one.shape == (2, 6) and other.shape == (6, 3)


def test_indices_stay_within_those_that_were_seen() -> None:
    call = Call((torch.tensor([3, 5, 4]),))
    (aspect,) = (each for each in aspects_of(call, None, Knowledge()) if each.name == ("size", 3))
    for size in (1, 50):
        (drawn,) = make(aspect.put(call, size), "cpu").args
        assert drawn.shape == (size,) and drawn.min() >= 3 and drawn.max() <= 5
    zeros = next(each for each in aspects_of(call, None, Knowledge()) if each.name == ("fill",))
    assert make(zeros.put(call, "zeros"), "cpu").args[0].min() >= 3


def test_a_module_with_parameters_keeps_its_dtype() -> None:
    call = Call((torch.zeros(2),))
    assert ("dtype",) in telling(call)
    assert ("dtype",) not in telling(call, known=Knowledge(is_module=True, has_parameters=True))


def test_a_module_is_put_into_the_other_mode_once() -> None:
    known = Knowledge(is_module=True, training=True)
    assert telling(Call(), known=known)["mode",] == ("eval",)
    assert not telling(Call(mode="eval"), known=known)

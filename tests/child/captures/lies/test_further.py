"""Calls like an example and unlike it."""

from __future__ import annotations

import torch

from pdt_annotate.captures.lies.suspects import draw
from pdt_annotate.values.runs import Call

X = torch.tensor([[1.0, 0.0, -2.0]])


def test_what_is_no_tensor_stays() -> None:
    call = Call(("text", {"n": 3, "x": X}), {"flag": True}, name="first")
    for drawn in draw(call):
        assert drawn.call.args[0] == "text"
        assert drawn.call.args[1]["n"] == 3
        assert drawn.call.kwargs == {"flag": True}


def test_the_first_has_another_value_in_every_element() -> None:
    mask, index = torch.tensor([True, False]), torch.tensor([0, 4])
    first = next(draw(Call((X, mask, index), name="first")))
    assert first.thorough
    assert first.call.name == "'first' with other values"
    assert [each.tolist() for each in first.call.args] == [[[-1.0, 1.0, 2.0]], [False, True], [1, 5]]


def test_indices_that_cannot_be_shifted_are_left_and_that_is_known() -> None:
    _, second, *_ = draw(Call((X, torch.tensor([0, 4]))))
    assert second.call.args[1].tolist() == [0, 4]
    assert not second.thorough


def test_every_size_is_changed_where_it_stands_and_never_to_one() -> None:
    call = Call((torch.ones(2, 3), torch.ones(3, 4)), name="first")
    sizes = [(each.respect, [tuple(value.shape) for value in each.call.args]) for each in draw(call)][3:]
    assert ("size 3", [(2, 4), (4, 4)]) in sizes
    assert {respect for respect, _ in sizes} == {"size 2", "size 3", "size 4"}
    assert not any(1 in shape for _, shapes in sizes for shape in shapes)


def test_without_tensors_nothing_is_thorough() -> None:
    assert not any(each.thorough for each in draw(Call((3,))))

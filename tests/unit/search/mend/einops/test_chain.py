"""Calls one behind the other, with the axes between them."""

from __future__ import annotations

from pdt_annotate.search.mend.einops.chain import Chain


def test_dimensions_behind_the_ellipsis_are_counted_from_the_back() -> None:
    chain = Chain(["a", "...", "b", "c"])
    assert [chain.dim(axis) for axis in "abc"] == [0, -2, -1]


def test_what_changes_nothing_is_not_called() -> None:
    chain = Chain(["a", "b"])
    chain.permute(["a", "b"])
    chain.squeeze([])
    chain.insert(["a", "b"])
    chain.flatten(["a"])
    assert chain.calls == []


def test_beside_an_ellipsis_as_few_axes_move_as_can() -> None:
    for axes, call in (
        (["b", "a", "...", "c"], ".transpose(0, 1)"),
        (["c", "a", "b", "..."], ".movedim(-1, 0)"),
        (["b", "...", "c", "a"], ".movedim(0, -1)"),
        (["...", "c", "b", "a"], ".movedim((0, 1), (-1, -2))"),
    ):
        chain = Chain(["a", "b", "...", "c"])
        chain.permute(axes)
        assert (chain.calls, chain.axes) == ([call], axes)


def test_later_calls_count_what_earlier_ones_made() -> None:
    chain = Chain(["a b", "c", "d"])
    chain.unflatten("a b", ["a", "b"], ["2", "-1"])
    chain.flatten(["c", "d"])
    chain.flatten(["a", "b"])
    chain.insert(["a b", "1@0", "c d"])
    assert chain.calls == [".unflatten(0, (2, -1))", ".flatten(2)", ".flatten(0, 1)", ".unsqueeze(1)"]


def test_several_new_axes_are_one_index() -> None:
    chain = Chain(["a", "b"])
    chain.insert(["x", "a", "y", "b"])
    beside = Chain(["a", "...", "b"])
    beside.insert(["a", "...", "x", "b", "y"])
    assert [*chain.calls, *beside.calls] == ["[None, :, None, :]", "[..., None, :, None]"]

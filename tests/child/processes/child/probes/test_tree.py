"""The arguments of a call as a tree."""

from __future__ import annotations

from typing import Any

import torch

from pdt_annotate.processes.child.probes.tree import changed, leaves, mapped, spots_of
from pdt_annotate.values.runs import Call


@torch.jit.script
def compiled(x, sizes: list[float], k: int = 3):
    return x * sizes[0] * k


schema: Any = compiled.schema


def test_every_value_has_its_path_and_type() -> None:
    spots = {spot.path: (spot.value, str(spot.type)) for spot in spots_of(Call(("x",), {"sizes": [0.5]}), schema)}
    assert spots == {
        ("args", 0): ("x", "Tensor"),
        ("kwargs", "sizes"): ([0.5], "List[float]"),
        ("kwargs", "sizes", 0): (0.5, "float"),
        ("kwargs", "k"): (3, "int"),
    }


def test_a_change_leaves_the_call_as_it_was() -> None:
    call = Call(([1, {"a": (2, 3)}],), {"n": 1})
    assert changed(call, ("args", 0, 1, "a", 0), 9).args == ([1, {"a": (9, 3)}],)
    assert changed(call, ("kwargs", "more"), 9).kwargs == {"n": 1, "more": 9}
    assert call == Call(([1, {"a": (2, 3)}],), {"n": 1})


def test_leaves_are_mapped_in_their_order() -> None:
    call = Call(([1, (2,)], torch.Size([3])), {"n": 4})
    assert leaves(call) == [1, 2, torch.Size([3]), 4]
    assert mapped(str, call) == Call((["1", ("2",)], "torch.Size([3])"), {"n": "4"})

"""Objects of a class that is the target, against the real compiler."""

from __future__ import annotations

import pytest
import torch

from pdt_annotate.values.errors import SpecError
from pdt_annotate.verify.judges.objects import Objects, ScriptedObjects


class Meter:
    def __init__(self, n: int, step: int = 2):
        self.n = n
        self.step = step

    def add(self, by: int):
        self.n = self.n + by * self.step

    def total(self, scale: float):
        return self.n * scale


class Pair:
    def __init__(self, x: float):
        self.meter = Meter(2)
        self.x = x

    def half(self, x: float):
        return Pair(x / 2)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    torch.jit.script(Pair)


def both(cls: type) -> tuple[Objects, ScriptedObjects]:
    eager = Objects(cls)
    return eager, ScriptedObjects(cls, eager)


def test_a_class_that_is_not_compiled_has_no_objects() -> None:
    assert both(int)[1].type is None


def test_a_method_needs_an_object() -> None:
    for objects in both(Meter):
        with pytest.raises(SpecError, match="no example call constructs a Meter to call 'add' of"):
            objects.run("add")


def test_both_answer_alike() -> None:
    for objects in both(Meter):
        assert objects.run("forward")(3) == {"n": 3, "step": 2}
        assert objects.run("add")(by=2) == {"n": 7, "step": 2}
        assert objects.run("total")(0.5) == 3.5
        assert objects.run("forward")(1, step=5) == {"n": 1, "step": 5}
        assert objects.run("total")(1.0) == 1.0


def test_the_scripted_one_is_compiled() -> None:
    eager, scripted = both(Meter)
    for objects in (eager, scripted):
        objects.run("forward")(1)
    assert isinstance(eager.run("total")(2), int)
    assert isinstance(scripted.run("total")(2), float)
    with pytest.raises(RuntimeError, match="Expected a value of type 'int'"):
        scripted.run("add")("a")


def test_objects_in_attributes_and_results() -> None:
    eager, scripted = both(Pair)
    for objects in (eager, scripted):
        held = objects.run("forward")(3.0)
        assert (held["x"], held["meter"].n) == (3.0, 2)
        assert objects.run("half")(3.0).x == 1.5

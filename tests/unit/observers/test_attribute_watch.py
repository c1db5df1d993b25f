"""Module attributes: first the attributes that are not observed."""

import os
from typing import Any

import pytest
import torch
from torch import nn

from pdt_annotate.observers.attribute_watch import AttributeWatch
from pdt_annotate.observers.sites import Store
from pdt_annotate.values.slots import SlotKind

Found = dict[tuple[str, str], list[str]]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(1, 1)
        self.size = 3


class Net(nn.Module):
    constant = 5

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.shared = self.blocks[0]
        self.state = None
        self.items: list[int] = []
        self.act = torch.relu
        self.kind = Block
        self.hidden_in_a_list = [Block()]
        self.register_buffer("mean", torch.ones(1))
        self.register_buffer("nothing", None)
        self.register_parameter("bias", None)
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        self.state = x
        self.items.append(1)
        return x


class Constants(Block):
    width = 5
    scales = (1, 0.5)
    kind = Block
    act = torch.relu
    __constants__ = ("width",)

    @property
    def area(self) -> int:
        return self.width

    @staticmethod
    def double(x: Any) -> Any:  # type: ignore[override]
        return x


class Table:
    def __init__(self) -> None:
        self.sizes: list[int] = []


class Slotted:
    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 1


class Hostile(nn.Module):
    is_armed = False

    def __init__(self) -> None:
        super().__init__()
        self.size = 1

    def __getattribute__(self, name: str) -> Any:
        if Hostile.is_armed and name in ("__dict__", "_modules", "_buffers", "children", "named_modules", "size"):
            raise AssertionError("the user's code was called")
        return super().__getattribute__(name)


def record(model: Any, is_wanted: Any = lambda file: file == __file__) -> Found:
    store = Store()
    AttributeWatch(store, is_wanted).record(model)
    return read(store)


def read(store: Store) -> Found:
    found: Found = {}
    for o in store.observations():
        assert o.slot.kind is SlotKind.ATTRIBUTE and o.slot.owner.line == 0
        found.setdefault((o.slot.owner.qualname, o.slot.name), []).append(str(o.type))
    return found


def test_types_of_modules_are_found_and_modules_functions_classes_parameters_and_internals_passed_over() -> None:
    found = record(Net())
    names = {name for cls, name in found if cls == "Net"}
    assert names == {"state", "items", "mean", "nothing", "bias", "hidden_in_a_list", "constant"}
    assert (found["Block", "size"], found["Net", "mean"]) == (["int"], ["Tensor"])
    assert found["Net", "nothing"] == found["Net", "bias"] == found["Net", "state"] == ["None"]


def test_classes_outside_the_root_and_objects_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert record(nn.Linear(1, 1)) == record(Net(), lambda file: False) == {}
    assert record(3) == record(None) == record(Net) == {}
    model = Hostile()
    monkeypatch.setattr(Hostile, "is_armed", True)
    assert record(model) == {("Hostile", "size"): ["int"], ("Hostile", "is_armed"): ["bool"]}


def test_what_a_class_body_holds_is_of_that_class_and_its_file() -> None:
    found = record(Constants())
    assert {name: types for (cls, name), types in found.items() if cls == "Constants"} == {
        "width": ["int"],
        "scales": ["Tuple[int, float]"],
        "size": ["int"],
    }
    assert ("Block", "width") not in found
    model = Block()
    vars(model).update(table=Table(), slotted=Slotted())
    found = record(model)
    assert found["Table", "sizes"] == ["List"]
    assert ("Slotted", "size") not in found
    store = Store()
    AttributeWatch(store, lambda file: True).record(Net())
    assert [o.count for o in store.observations() if o.slot.owner.qualname == "Block"] == [2]
    files = {o.slot.owner.file for o in store.observations()}
    assert os.path.realpath(__file__) in map(os.path.realpath, files)


def test_what_a_call_makes_of_them() -> None:
    store, net = Store(), Net()
    watch = AttributeWatch(store, lambda file: file == __file__)
    watch.record(net)
    net(torch.ones(1))
    watch.record(net)
    found = read(store)
    assert found["Net", "state"] == ["None", "Tensor"]
    assert found["Net", "items"] == ["List", "List[int]"]


class Box:
    def __init__(self, held: Any) -> None:
        self.held = held


def held_by(value: Any, is_wanted: Any = lambda file: file == __file__) -> Found:
    store = Store()
    AttributeWatch(store, is_wanted).record_held(value)
    return read(store)


def test_what_the_objects_of_plain_classes_hold() -> None:
    for value in (3, "a", torch.ones(1), None, [1, 2], Block(), Box, [Box], {"a": 1}):
        assert held_by(value) == {}
    for boxes in (Box(3), [(Box(3),)], {"a": [Box(3)]}):
        assert held_by(boxes) == {("Box", "held"): ["int"]}
        assert held_by(boxes, lambda file: False) == {}
    box = Box([Table()])
    box.held.append(box)
    assert {("Box", "held"), ("Table", "sizes")} == held_by(box).keys()

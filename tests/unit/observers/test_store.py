"""The store: counts by slot, type and call."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pdt_annotate.observers import Store
from pdt_annotate.values.slots import Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

INT, STR = TypeExpr("int"), TypeExpr("str")


def slot(line: int, name: str) -> Slot:
    return Slot(Owner("model.py", "f", line), SlotKind.PARAMETER, name)


def test_an_empty_store() -> None:
    assert list(Store().observations()) == []


def test_counts_and_calls() -> None:
    store = Store()
    for call, type_, count in (("first", INT, 2), ("second", INT, 1), ("second", STR, 1), ("first", INT, 1)):
        store.call = call
        store.add(slot(1, "x"), type_, count)
    assert [(o.type, o.count, o.calls) for o in store.observations()] == [
        (INT, 4, ("first", "second")),
        (STR, 1, ("second",)),
    ]


def test_slots_come_in_source_order_and_types_as_seen() -> None:
    store = Store()
    for line, type_ in ((9, STR), (1, STR), (1, INT)):
        store.add(slot(line, "x"), type_)
    assert [(o.slot.owner.line, o.type) for o in store.observations()] == [(1, STR), (1, INT), (9, STR)]


def test_observations_cross_a_process() -> None:
    store = Store()
    store.add(slot(1, "x"), INT)
    found = list(store.observations())
    assert pickle.loads(pickle.dumps(found)) == found


def test_it_takes_no_traces_of_monkeytypes() -> None:
    trace: Any = None
    with pytest.raises(TypeError):
        Store().log(trace)

"""Types as MonkeyType encodes them; what is not known first."""

from __future__ import annotations

import collections
import sqlite3
from typing import Any

import pytest
import torch
from monkeytype.db.sqlite import SQLiteStore, create_call_trace_table
from monkeytype.encoding import type_to_dict
from monkeytype.tracing import CallTrace
from monkeytype.typing import get_type

from pdt_annotate.observers.traces import read_traces, read_type
from pdt_annotate.values.types import TypeExpr

Point = collections.namedtuple("Point", "x y")


def f(x: Any, n: Any = 3) -> Any:
    return x


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "List"),
        ({}, "Dict"),
        ([[]], "List[List]"),
        ((), "Tuple[()]"),
        (None, "None"),
        (len, "Callable"),
        (int, "type"),
        ({"a": (1, "b")}, "Dict[str, Tuple[int, str]]"),
        (collections.defaultdict(list, a=[1]), "defaultdict[str, List[int]]"),
        (torch.ones(1).shape, "Size"),
        (torch.float32, "dtype"),
        (Point(1, 2), "Point"),
    ],
)
def test_a_type_is_what_it_encodes(value: Any, expected: str) -> None:
    assert str(read_type(type_to_dict(get_type(value, max_typed_dict_size=0)))) == expected


@pytest.mark.parametrize(
    ("value", "members"), [([1, 2.5], {"int", "float"}), ([None, torch.ones(1)], {"None", "Tensor"})]
)
def test_monkeytype_lists_the_members_of_a_union_in_any_order(value: Any, members: set[str]) -> None:
    found = read_type(type_to_dict(get_type(value, max_typed_dict_size=0)))
    assert found.name == "list" and set(map(str, found.args[0].args)) == members


def test_a_typed_dict_is_a_dict() -> None:
    encoded = type_to_dict(get_type({"a": 1, "b": 2}, max_typed_dict_size=4))
    assert encoded["is_typed_dict"] and str(read_type(encoded)) == "Dict[str, int]"


def test_a_parameter_is_known_to_be_a_tensor() -> None:
    encoded = type_to_dict(get_type(torch.nn.Parameter(torch.ones(1)), max_typed_dict_size=0))
    assert read_type(encoded).inherits("torch.Tensor")


def test_traces_are_read_by_the_store_that_wrote_them() -> None:
    connection = sqlite3.connect(":memory:")
    create_call_trace_table(connection)
    traces = [CallTrace(f, {"x": int}, int), CallTrace(f, {"x": int}, int), CallTrace(f, {"x": str})]
    SQLiteStore(connection).add([*traces, CallTrace(f, {"x": int}, None, yield_type=int)])
    found = {(each.qualname, str(each.arguments["x"]), each.result) for each in read_traces(connection)}
    assert found == {("f", "int", TypeExpr("int")), ("f", "str", None), ("f", "int", None)}

"""The code that is observed, the recorded examples of calls, and types in the encoding of MonkeyType."""

import collections
import functools
import inspect
import json
import os
import sqlite3
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Any

import click
import monkeytype
import numpy
import pytest
import torch
from monkeytype.db.sqlite import SQLiteStore, create_call_trace_table
from monkeytype.encoding import type_to_dict
from monkeytype.tracing import CallTrace
from monkeytype.typing import get_type
from torch import nn

import pdt_annotate
from pdt_annotate.observers.files import make_code_filter, make_file_filter
from pdt_annotate.observers.sites import LONGEST, MOST, Examples, describe
from pdt_annotate.observers.traces import read_traces, read_type
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import TypeExpr

NEVER_READ = (torch, torch.nn.functional, numpy, monkeytype, pdt_annotate, functools)


@pytest.mark.parametrize(
    ("file", "is_own", "is_third_party"),
    [
        ("{root}/model.py", True, False),
        ("{root}/pkg/model.py", True, False),
        ("{root}/env/lib/site-packages/pkg/model.py", False, True),
        ("{root}_other/model.py", False, True),
        ("{root}/../elsewhere.py", False, True),
        ("<string>", False, False),
        ("_ops.py", False, False),
        ("/lib/native.so", False, False),
        ("{root}/no\0/file.py", False, False),
        ("/no\0/file.py", False, False),
        (click.__file__, False, True),
        *((module.__file__, False, False) for module in NEVER_READ),
    ],
)
def test_files(file: str, is_own: bool, is_third_party: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root, path = str(tmp_path), file.format(root=tmp_path)
    assert make_file_filter(root)(path) is is_own
    assert make_file_filter(root, True)(path) is (is_own or is_third_party)


def test_what_the_root_is_in_and_links_decide_which_files_are_observed(tmp_path: Path) -> None:
    is_wanted = make_file_filter("/")
    assert is_wanted("/model.py")
    assert not is_wanted(functools.__file__)
    assert not is_wanted(torch.__file__)
    package = tmp_path / "site-packages/pkg"
    assert make_file_filter(str(package))(str(package / "model.py"))
    installed = os.path.join(sysconfig.get_path("purelib"), "torch")
    assert make_file_filter(installed)(os.path.join(installed, "__init__.py"))
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert make_file_filter(str(tmp_path / "link"))(str(tmp_path / "real/model.py"))
    assert make_code_filter(str(tmp_path), True)(click.echo.__code__)
    assert not make_code_filter(str(tmp_path))(click.echo.__code__)
    assert not make_code_filter(str(tmp_path), True)(torch.nn.Linear.forward.__code__)


class Secret:
    def __repr__(self) -> str:
        raise AssertionError("nothing of the program's is called")

    __eq__ = __len__ = __hash__ = __repr__  # type: ignore[assignment]


@pytest.mark.parametrize("value", ["text", b"bytes", Secret(), float("nan"), [0] * (LONGEST + 1), {"a key": 1}, {1: 1}])
def test_of_text_and_objects_only_the_class_is_kept(value: Any) -> None:
    assert set(describe(value)) == {"type"} and "text" not in json.dumps(describe(value))


def test_while_torch_traces_no_shape_is_asked_for() -> None:
    seen = []

    def f(x: torch.Tensor) -> torch.Tensor:
        seen.append(describe(x))
        return x + 1

    traced = torch.jit.trace(f, torch.ones(2, 3))
    assert seen[0] == {"type": "torch.Tensor"} and "size" not in str(traced.graph)
    assert "shape" in describe(torch.ones(2, 3))


@pytest.mark.parametrize(
    ("value", "described"),
    [
        (None, None),
        (True, True),
        (0.5, 0.5),
        (torch.ones(2, 3), {"tensor": "float32", "shape": [2, 3]}),
        (nn.Parameter(torch.ones((), dtype=torch.float64)), {"tensor": "float64", "shape": []}),
        ([1, (None,)], {"list": [1, {"tuple": [None]}]}),
        ({"name": torch.ones(1, dtype=torch.long)}, {"dict": [["name", {"tensor": "int64", "shape": [1]}]]}),
    ],
)
def test_shapes_dtypes_and_numbers_are_kept(value: Any, described: Any) -> None:
    assert json.loads(json.dumps(describe(value))) == described


def frame_of_a_call() -> FrameType:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back


def test_calls_are_bounded_and_know_how_their_module_was_made() -> None:
    examples, owner = Examples(), Owner("/net.py", "f", 1)

    class Base(nn.Module):
        def __init__(self, size: int) -> None:
            examples.note_construction(frame_of_a_call())
            super().__init__()

    class Net(Base):
        def __init__(self, width: int, *, deep: bool = False) -> None:
            examples.note_construction(frame_of_a_call())
            super().__init__(2 * width)

        def forward(self, x: int, *rest: int) -> None:
            examples.note_call(owner, frame_of_a_call(), is_method=True)

    net = Net(3)
    net(1, 2)  # more arguments than named parameters
    examples.call = "test_it"
    for number in range(MOST + 1):
        net(number)
    assert [json.loads(each.arguments) for each in examples.all()] == [{"x": number} for number in range(MOST)]
    assert {(each.call, json.loads(each.made)["width"]) for each in examples.all()} == {("test_it", 3)}
    assert all(each.cls.endswith(".Net") for each in examples.all())


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


def test_unions_typed_dicts_and_parameters_and_traces_of_a_store() -> None:
    members = {("int", "float"): [1, 2.5], ("None", "Tensor"): [None, torch.ones(1)]}
    for names, value in members.items():
        found = read_type(type_to_dict(get_type(value, max_typed_dict_size=0)))
        assert found.name == "list" and set(map(str, found.args[0].args)) == set(names)
    encoded = type_to_dict(get_type({"a": 1, "b": 2}, max_typed_dict_size=4))
    assert encoded["is_typed_dict"] and str(read_type(encoded)) == "Dict[str, int]"
    encoded = type_to_dict(get_type(torch.nn.Parameter(torch.ones(1)), max_typed_dict_size=0))
    assert read_type(encoded).inherits("torch.Tensor")
    connection = sqlite3.connect(":memory:")
    create_call_trace_table(connection)
    traces = [CallTrace(f, {"x": int}, int), CallTrace(f, {"x": int}, int), CallTrace(f, {"x": str})]
    SQLiteStore(connection).add([*traces, CallTrace(f, {"x": int}, None, yield_type=int)])
    read = {(each.qualname, str(each.arguments["x"]), each.result) for each in read_traces(connection)}
    assert read == {("f", "int", TypeExpr("int")), ("f", "str", None), ("f", "int", None)}

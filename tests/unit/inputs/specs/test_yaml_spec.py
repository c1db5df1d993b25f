"""Specs in YAML and JSON, with real files in separate projects."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from pdt_annotate.inputs.specs import RunSettings, Spec, read
from pdt_annotate.inputs.specs.yaml_document import SCHEMA
from pdt_annotate.inputs.specs.yaml_spec import FORMS
from pdt_annotate.values.errors import SpecError, UserCodeError
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Place

pytestmark = pytest.mark.usefixtures("project")

OBJECTS = """
    import collections, enum
    from typing import NamedTuple
    class Point(NamedTuple):
        x: int
        y: int = 0
    Old = collections.namedtuple("Old", "a b")
    class Color(enum.Enum):
        RED = 1
    def add(a, b=0):
        return a + b
    def fail():
        raise KeyError("weights")
"""


def read_text(text: str, target: object | None = None) -> Spec:
    Path("spec.yaml").write_text(dedent(text))
    return read(SpecSource("spec.yaml"), target)


def read_value(text: str, head: str = "") -> Any:
    return read_text(f"{head}\ncalls:\n- args: [{text}]\n").calls[0].args[0]


def build_of(text: str) -> Callable[[], Any]:
    build = read_text(f"calls: [{{}}]\n{text}", torch.nn.Linear).build
    assert build is not None
    return build


def refuse(text: str, target: object | None = None) -> SpecError:
    with pytest.raises(SpecError) as caught:
        read_text(text, target)
    return caught.value


LITERALS = {
    "3": 3,
    "0.5": 0.5,
    "1e-3": 0.001,
    "1.5E3": 1500.0,
    "true": True,
    "null": None,
    "text": "text",
    "'1e-3'": "1e-3",
    "[1, [a, null]]": [1, ["a", None]],
    "{a: 1, b: {c: [2]}}": {"a": 1, "b": {"c": [2]}},
    "{1: a}": {1: "a"},
    "[]": [],
    "{}": {},
    "{tuple: [1, {tuple: []}]}": (1, ()),
    "{size: [2, 3]}": torch.Size([2, 3]),
    "{dtype: float32}": torch.float32,
    "{device: cpu}": torch.device("cpu"),
    "{dict: {tensor: 1, size: [2]}}": {"tensor": 1, "size": [2]},
    "{call: 'torch:add', args: [1], kwargs: {other: 2}}": torch.tensor(3),
}


def test_values() -> None:
    made = read_text("calls:\n- args:\n" + "".join(f"  - {text}\n" for text in LITERALS)).calls[0].args
    assert list(made) == list(LITERALS.values())
    assert list(map(type, made)) == list(map(type, LITERALS.values()))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{tensor: [2, 3], fill: zeros}", torch.zeros(2, 3)),
        ("{tensor: [], fill: ones, dtype: int32}", torch.tensor(1, dtype=torch.int32)),
        ("{tensor: [2], fill: full(2.5), dtype: torch.float64}", torch.full((2,), 2.5, dtype=torch.float64)),
        ("{tensor: [2], fill: 'randint(3, 4)'}", torch.tensor([3, 3])),
        ("{data: [[1, 2]]}", torch.tensor([[1, 2]])),
        ("{data: [[1, 2]], dtype: float16}", torch.tensor([[1, 2]], dtype=torch.float16)),
        ("{data: 2.5}", torch.tensor(2.5)),
        ("{data: true}", torch.tensor(True)),
        ("{parameter: {data: [1.0]}}", torch.nn.Parameter(torch.tensor([1.0]))),
        ("{parameter: {data: [1]}}", torch.nn.Parameter(torch.tensor([1]), requires_grad=False)),
        ("{data: [1.0], requires_grad: true}", torch.tensor([1.0], requires_grad=True)),
    ],
)
def test_tensors(text: str, wanted: torch.Tensor) -> None:
    tensor = read_value(text)
    assert type(tensor) is type(wanted)
    assert (tensor.dtype, tensor.requires_grad) == (wanted.dtype, wanted.requires_grad)
    assert torch.equal(tensor, wanted)
    assert read_value("{generator: 5}").initial_seed() == 5


def test_the_users_own_objects_and_a_function_that_raises() -> None:
    Path("objects.py").write_text(dedent(OBJECTS))
    sys.path.insert(0, str(Path.cwd()))
    point = read_value("{namedtuple: 'objects:Point', fields: {x: {tuple: [1]}}}")
    objects = sys.modules["objects"]
    assert point == objects.Point((1,), 0)
    assert isinstance(read_value("{namedtuple: 'objects:Old', fields: {a: 1, b: 2}}"), objects.Old)
    assert read_value("{enum: 'objects:Color.RED'}") is objects.Color.RED
    assert read_value("{enum: 'objects.py:Color.RED'}") is objects.Color.RED
    assert read_value("{call: 'objects:add', args: [1], kwargs: {b: 2}}") == 3
    with pytest.raises(UserCodeError, match="weights") as caught:
        read_value("{call: 'objects:fail'}")
    assert Path(caught.value.file).name == "objects.py"


def test_files_are_relative_to_the_spec() -> None:
    Path("data").mkdir()
    array = np.arange(4.0)
    np.save("data/x.npy", array)
    torch.save({"w": torch.ones(2), "n": 3}, "data/x.pt")
    save_file({"w": torch.zeros(2)}, "data/x.safetensors")
    Path("data/spec.yaml").write_text(
        "calls:\n- args: [{load: x.npy}, {load: x.pt, key: w}, {load: x.pt}, {load: x.safetensors, key: w}]\n"
    )
    npy, picked, whole, safe = read(SpecSource("data/spec.yaml")).calls[0].args
    assert torch.equal(npy, torch.from_numpy(array))
    assert torch.equal(picked, torch.ones(2))
    assert whole["n"] == 3
    assert torch.equal(safe, torch.zeros(2))


def test_calls_and_anchors_that_repeat_a_description() -> None:
    full = "{name: long, method: encode, args: [1], kwargs: {size: 2, dtype: 3}, held_back: true, raises: true}"
    first, second = read_text(f"calls:\n- {{}}\n- {full}").calls
    assert (first.args, first.kwargs, first.method, first.name, first.held_back) == ((), {}, "forward", "", False)
    assert (second.args, second.kwargs) == ((1,), {"size": 2, "dtype": 3})
    assert (second.method, second.name, second.held_back) == ("encode", "long", True)
    assert (first.raises, second.raises) == (False, True)
    spec = read_text("calls:\n- {name: x, repeat: 2, args: [{tensor: [4]}]}\n- {repeat: 2, args: [1]}")
    assert [call.name for call in spec.calls] == ["x[1]", "x[2]", "", ""]
    assert not torch.equal(spec.calls[0].args[0], spec.calls[1].args[0])
    head = "tensors:\n  image: &image {tensor: [1, 3], fill: ones}\n"
    first, second = read_text(f"{head}calls:\n- args: [*image, {{<<: *image, fill: zeros}}]\n- args: [*image]\n").calls
    assert torch.equal(first.args[0], torch.ones(1, 3))
    assert torch.equal(first.args[1], torch.zeros(1, 3))
    assert torch.equal(second.args[0], torch.ones(1, 3))
    assert second.args[0] is not first.args[0]


def test_settings() -> None:
    assert read_text("calls: [{args: [1]}]").settings == RunSettings()
    head = "version: 1\nseed: 3\ndevice: cpu\ndtype: float64\nmode: train\nno_grad: true\n"
    arguments = "{tensor: [2]}, {data: [1.5]}, {data: [1]}, {tensor: [2], dtype: float32}"
    spec = read_text(f"{head}calls:\n- args: [{arguments}]")
    assert spec.settings == RunSettings(seed=3, device="cpu", dtype="float64", mode="train", no_grad=True)
    assert [t.dtype for t in spec.calls[0].args] == [torch.float64, torch.float64, torch.int64, torch.float32]
    torch.manual_seed(3)
    assert torch.equal(spec.calls[0].args[0], torch.randn(2, dtype=torch.float64))


def test_a_model_and_one_that_cannot_be_constructed() -> None:
    torch.save(torch.nn.Linear(2, 3).state_dict(), "weights.pt")
    build = build_of("model: {args: [2], kwargs: {out_features: 3}, state_dict: weights.pt}")
    first, second = build(), build()
    assert first is not second
    assert torch.equal(first.weight, torch.load("weights.pt")["weight"])
    torch.save({"model": torch.nn.Linear(2, 3).state_dict()}, "weights.pt")
    build = build_of("model: {args: [2, 3], state_dict: {load: weights.pt, key: model}}")
    assert isinstance(build(), torch.nn.Linear)
    with pytest.raises(UserCodeError, match="constructing Linear"):
        build_of("model: {args: [2]}")()
    torch.save({"other": torch.ones(1)}, "weights.pt")
    with pytest.raises(SpecError, match=r"^model\.state_dict: ") as caught:
        build_of("model:\n  args: [2, 2]\n  state_dict: weights.pt")()
    assert caught.value.line == 4
    assert "class" in refuse("calls: [{}]\nmodel: {args: [2]}", None).message


def test_json_and_the_forms_that_the_schema_knows() -> None:
    Path("spec.json").write_text('{"seed": 1, "calls": [{"args": [{"tensor": [2]}, 1e-07, null]}]}')
    assert read(SpecSource("spec.json")).calls[0].args[1:] == (1e-7, None)
    assert set(SCHEMA["$defs"]["map"]["dependentSchemas"]) == set(FORMS)
    heads = SCHEMA["$defs"]["map"]["if"]["not"]["anyOf"]
    assert {required["required"][0] for required in heads} == set(FORMS)


# The text, the start of the message, the line, a part of the hint.
VIOLATIONS = [
    ("calls: 3", "calls: must be a list, not 3", 1, ""),
    ("seed: x\ncalls: []", 'seed: must be an integer, not "x"', 1, ""),
    ("seed: -1\ncalls: []", "seed: must be 0 or more, not -1", 1, ""),
    ("calls: []\nmode: evel", 'mode: must be eval or train, not "evel"', 2, ""),
    ("calls: []\nversion: 2", "version: must be 1, not 2", 2, ""),
    ("seeds: 3\ncalls: []", "seeds: unknown key", 1, "did you mean seed?"),
    ("- 1", "must be a mapping, not a list", 1, ""),
    ("calls:\n- null", "calls[0]: must be a mapping, not null", 2, ""),
    ("calls:\n- args: []\n  held: true", "calls[0].held: unknown key", 3, "the keys here are name, method"),
    ("calls:\n- repeat: 0", "calls[0].repeat: must be 1 or more, not 0", 2, ""),
    ("calls:\n- args: 3", "calls[0].args: must be a list, not 3", 2, ""),
    (
        "calls:\n- args:\n  - 1\n  - {tensor: [2],\n     dtyp: float32}",
        "calls[0].args[1].dtyp: unknown key",
        5,
        "did you mean dtype?; the keys here are tensor, dtype, fill, requires_grad; write {dict: {…}}",
    ),
    ("calls:\n- kwargs:\n    x: {tensor: [a]}", 'calls[0].kwargs.x.tensor[0]: must be an integer, not "a"', 3, ""),
    ("calls:\n- args: [{tensor: [-1]}]", "calls[0].args[0].tensor[0]: must be 0 or more, not -1", 2, ""),
    ("calls:\n- args: [{a: {b: {size: 3}}}]", "calls[0].args[0].a.b.size: must be a list, not 3", 2, ""),
    ("calls:\n- args: [{namedtuple: 'a:B'}]", "calls[0].args[0]: the key 'fields' is missing", 2, ""),
    ("calls:\n- args: [{call: f}]", "calls[0].args[0].call: must be a name such as pkg.module:Name", 2, ""),
    ("calls: []\ntensors:\n  a: {size: 1}", "tensors.a.size: must be a list", 3, ""),
    ("x: &a {tensor: 1}\ncalls: [{args: [*a]}]", "x: unknown key", 1, ""),
    ("calls: [{}]\ndtype: flaot32", "dtype: there is no dtype 'flaot32'", 2, ""),
    ("calls: [{}]\ndtype: int64", "dtype: `dtype` of the run must be a floating-point type, and int64 is not", 2, ""),
    ("calls: [{}]\ndevice: gpu", "device: ", 2, ""),
    ("seed: 1", "the spec has no example call", 0, "`calls:`"),
    ("calls: []", "the spec has no example call", 0, "`calls:`"),
    ("", "the spec is empty", 0, ""),
    ("calls: [", "not valid YAML: ", 1, ""),
    ("seed: 1\nseed: 2", "not valid YAML: the key 'seed' is given twice", 2, ""),
    ("calls:\n- args: &a [*a]", "not valid YAML: &a contains itself", 2, ""),
    ("calls: !!python/object:os.system x", "not valid YAML: could not determine a constructor", 1, ""),
    ("seed: 1\n---\nseed: 2", "not valid YAML: but found another document", 2, ""),
    ("seed: 2024-99-99", "not valid YAML: ", 0, ""),
    ("calls: *nowhere", "not valid YAML: found undefined alias", 1, ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "line", "hint"), VIOLATIONS)
def test_violations_name_the_key_and_the_line(text: str, message: str, line: int, hint: str) -> None:
    error = refuse(text)
    assert error.message.startswith(message)
    assert (error.file, error.line) == ("spec.yaml", line)
    assert hint in error.hint


def test_the_column_is_that_of_the_key() -> None:
    texts = {
        "calls:\n- args: [{call: f}]": (2, 11),
        "calls:\n- {name: 'äö🦆', argz: []}": (2, 17),
        "calls: []\ntensors:\n  a: {size: 1}": (3, 7),
        "calls: [": (1, 9),
    }
    assert {text: refuse(text).place for text in texts} == {text: Place("spec.yaml", *at) for text, at in texts.items()}


# Errors that the schema cannot find: the text of an argument, and a part of the message.
FAULTS = [
    ("{tensor: [2], dtype: flaot32}", "dtype: there is no dtype 'flaot32'; did you mean float32"),
    ("{tensor: [2], fill: rnd}", "tensor: unknown fill 'rnd'"),
    ("{data: [[1], [2, 3]]}", "data: expected sequence of length"),
    ("{data: [1], requires_grad: true}", "data: only Tensors of floating point"),
    ("{dtype: flaot32}", "dtype: there is no dtype"),
    ("{device: gpu}", "device: "),
    ("{parameter: 3}", "parameter: a parameter must be made from a tensor"),
    ("{load: x.txt}", "load: 'x.txt' is not one of .npy"),
    ("{load: x.npy}", "load: [Errno 2] No such file"),
    ("{load: bad.pt}", "load: bad.pt is not a file of tensors"),
    ("{load: evil.pt}", "load: evil.pt is not a file of tensors"),
    ("{load: w.pt, key: weihgt}", "load: the file has no 'weihgt'; did you mean weight?"),
    ("{load: t.pt, key: a}", "load: the file contains a single value"),
    ("{enum: 'objects:Colour.RED'}", "enum: the module 'objects' has no 'Colour'"),
    ("{enum: 'objects:Color'}", "enum: objects:Color is not a member of an Enum"),
    ("{enum: 'nowhere:Color.RED'}", "enum: there is no module 'nowhere'"),
    ("{namedtuple: 'objects:Color', fields: {}}", "namedtuple: objects:Color is not a namedtuple class"),
    ("{namedtuple: 'objects:Point', fields: {z: 1}}", "namedtuple: "),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_values_that_cannot_be_made_name_the_key_and_the_line(text: str, message: str) -> None:
    Path("objects.py").write_text(dedent(OBJECTS))
    Path("bad.pt").write_bytes(b"\x80\x02nothing")
    torch.save({"weight": torch.ones(1)}, "w.pt")
    torch.save(torch.ones(1), "t.pt")
    torch.save({"weight": Path}, "evil.pt")
    error = refuse(f"calls:\n- args:\n  - 1\n  - {text}")
    assert f"calls[0].args[1].{message}" in error.message
    assert (error.file, error.line) == ("spec.yaml", 4)


def test_a_name_is_for_python_specs_alone() -> None:
    Path("spec.yaml").write_text("calls: [{}]")
    with pytest.raises(SpecError, match="only a Python spec"):
        read(SpecSource("spec.yaml", "more"))

"""Specs in every format, the texts of --arg, fills of tensors, and whether a call fits a signature."""

import inspect
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pdt_annotate.inputs.specs import FORMATS, check_binding, label, read, seed_generators
from pdt_annotate.inputs.specs.args import parse_args, parse_value
from pdt_annotate.inputs.specs.spec import read_calls
from pdt_annotate.inputs.specs.tensors import FILLS, make_tensor
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call, SpecSource

pytestmark = pytest.mark.usefixtures("project")
F32, I64 = torch.float32, torch.int64


def test_args_make_one_call_alone_and_add_one_to_those_of_a_file_and_values_repeat_with_the_seed() -> None:
    spec = read(SpecSource(args=("f32[2]", "3", "mask=None")))
    (call,) = spec.calls
    assert (len(call.args), call.kwargs, spec.build) == (2, {"mask": None}, None)
    Path("spec.py").write_text("import torch\nmodel = torch.nn.Linear(1, 1)\ncalls = [(1,)]\n")
    spec = read(SpecSource("spec.py", args=("2",)))
    assert [call.args for call in spec.calls] == [(1,), (2,)]
    assert spec.build is not None
    first, second = (read(SpecSource(args=("f32[4]",))).calls[0].args[0] for _ in range(2))
    assert torch.equal(first, second)
    drawn = []
    for _ in range(2):
        seed_generators(2**40)
        drawn.append((torch.rand(1).item(), random.random(), np.random.rand()))
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_says_how_to_give_calls(suffix: str) -> None:
    Path(f"empty{suffix}").write_text("{}")
    with pytest.raises(SpecError, match="no example call") as caught:
        read(SpecSource(f"empty{suffix}"))
    assert caught.value.hint == FORMATS[suffix].explain(f"empty{suffix}", "")


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        (SpecSource(), "there is no example call", "--arg"),
        (SpecSource("spec.txt"), "this is not a file of example inputs", ".yaml"),
        (SpecSource("spce.py"), "there is no file spce.py", "did you mean spec.py?"),
        (SpecSource("nowhere/spec.py"), "there is no file", ""),
    ],
)
def test_no_spec(source: SpecSource, message: str, hint: str) -> None:
    Path("spec.py").write_text("calls = [(1,)]")
    with pytest.raises(SpecError) as caught:
        read(source)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_plain_text_stays_text_and_keywords_are_known() -> None:
    texts = ["text", "en-de", "a.b", "hello world", "-x", "f32", "a==b", "50%", "x/y.txt"]
    assert [parse_args([text]).args for text in texts] == [(text,) for text in texts]
    call = parse_args(["f32[2]", "mask=None", "n = 3", "mode=a=b"])
    assert len(call.args) == 1
    assert call.kwargs == {"mask": None, "n": 3, "mode": "a=b"}


LITERALS = """3; -3; 0.5; 1e-3; 1+2j; False; None; '3'; "a=b"; [1, 2]; (1, -2.5); (1,); []"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, eval(text)) for text in LITERALS.split("; ")),
        ("-inf", float("-inf")),
        ("true", True),
        ("{'a': [None, true]}", {"a": [None, True]}),
    ],
)
def test_values(text: str, value: Any) -> None:
    parsed = parse_value(text)
    assert parsed == value
    assert type(parsed) is type(value)


DTYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f64": torch.float64,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
    "c64": torch.complex64,
    "float32": torch.float32,
    "torch.long": torch.int64,
}


def test_tensors_have_the_dtype_and_the_shape() -> None:
    assert {name: parse_value(f"{name}[4]").dtype for name in DTYPES} == DTYPES
    shapes = {"f32[2,3]": (2, 3), "f32[1, 2, 3]": (1, 2, 3), "f32[]": (), "f32[0,2]": (0, 2)}
    assert {text: tuple(parse_value(text).shape) for text in shapes} == shapes
    value = parse_value("{'boxes': [f32[2,4], f32[0,4]], 'size': (i64[], None)}")
    assert [tuple(t.shape) for t in value["boxes"]] == [(2, 4), (0, 4)]
    assert value["size"][1] is None


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["f33[2]"], "there is no dtype 'f33'; did you mean f32"),
        (["f32[2,"], "is not a value"),
        (["f32[-1]"], "sizes"),
        (["f32[2.5]"], "sizes"),
        (["[a, b]"], "put quotes around a string"),
        (["__import__('os')"], "is not a value"),
        (["'open"], "is not a value"),
        (["n=1", "n=2"], "'n' twice"),
    ],
)
def test_what_is_no_argument(texts: list[str], message: str) -> None:
    with pytest.raises(SpecError, match="--arg") as caught:
        parse_args(texts)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("fill", "wanted"),
    [
        ("zeros", torch.zeros(2, 3)),
        ("ones", torch.ones(2, 3, dtype=I64)),
        ("arange", torch.arange(6.0).reshape(2, 3)),
        ("arange", torch.arange(6).reshape(2, 3)),
        ("eye", torch.eye(2, 3, dtype=torch.bool)),
        ("full(2.5)", torch.full((2, 3), 2.5)),
        ("full(-inf)", torch.full((2, 3), float("-inf"))),
        ("full(true)", torch.ones(2, 3, dtype=torch.bool)),
        ("randint(4,5)", torch.full((2, 3), 4.0, dtype=torch.float16)),
    ],
)
def test_fills(fill: str, wanted: torch.Tensor) -> None:
    tensor = make_tensor((2, 3), wanted.dtype if wanted.dtype != F32 else None, fill, F32)
    assert tensor.dtype == wanted.dtype
    assert torch.equal(tensor, wanted)
    assert torch.equal(make_tensor((2, 3), None, "randint(4, 5)", F32), torch.full((2, 3), 4))


def test_fills_suit_the_dtype_vary_and_repeat_with_the_seed() -> None:
    for fill in ("rand", "randn", None):
        torch.manual_seed(0)
        first, second = make_tensor((4,), None, fill, F32), make_tensor((4,), None, fill, F32)
        torch.manual_seed(0)
        assert not torch.equal(first, second)
        assert torch.equal(first, make_tensor((4,), None, fill, F32))
    assert make_tensor((2,), None, None, torch.float64).dtype == torch.float64
    assert make_tensor((2,), torch.complex64, None, F32).dtype == torch.complex64
    for dtype in (torch.bool, torch.uint8, I64):
        tensor = make_tensor((64,), dtype, None, F32)
        assert (set(tensor.tolist()), tensor.dtype) == ({0, 1}, dtype)
    arguments = {"full": "(1)", "randint": "(0, 2)"}
    for fill in FILLS:
        assert make_tensor((0,), None, fill + arguments.get(fill, ""), F32).numel() == 0


@pytest.mark.parametrize(
    ("shape", "dtype", "fill", "message"),
    [
        ((2,), None, "rnd", "unknown fill 'rnd'; the fills are rand, randn"),
        ((2,), None, "full", "takes 1 arguments, not 0"),
        ((2,), None, "randint(3)", "takes 2 arguments, not 1"),
        ((2,), None, "zeros(1)", "takes 0 arguments, not 1"),
        ((2,), None, "full(x)", "could not convert"),
        ((2,), I64, "randn", r"use randint\(lo, hi\)"),
        ((2, 2, 2), None, "eye", "the shape is"),
        ((2**64,), None, "zeros", "torch cannot create this tensor"),
        ((2,), None, "randint(0.5, 2)", "torch cannot create this tensor"),
    ],
)
def test_fills_that_do_not_go(shape: tuple[int, ...], dtype: torch.dtype | None, fill: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_tensor(shape, dtype, fill, F32)


def forward(x, mask=None, /, scale=1.0, *rest, bias: int, **options):
    return None


def plain(x, mask=None, *, bias=0):
    return None


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (Call(), "call 2: missing a required argument: 'x'", "the parameters are (x, mask=None, *, bias=0)"),
        (Call((1, 2, 3)), "call 2: 3 positional arguments for 2 parameters (x, mask)", "the parameters are"),
        (Call((1,), {"maks": 2}), "'maks'", "did you mean mask?"),
        (Call((1,), {"zzz": 2}), "'zzz'", "the parameters are"),
        (Call((1,), {"x": 2}), "multiple values for argument 'x'", "the parameters are"),
    ],
)
def test_what_does_not_bind(call: Call, message: str, hint: str) -> None:
    with pytest.raises(TypeError):
        plain(*call.args, **call.kwargs)
    with pytest.raises(SpecError) as caught:
        check_binding(call, inspect.signature(plain), "call 2")
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_what_binds_is_left_alone_and_a_call_has_a_label_and_a_mode() -> None:
    for args, more in (((1,), {}), ((1, 2, 3, 4, 5), {"anything": 3}), ((1,), {"scale": 3})):
        call = Call(args, {"bias": 2, **more})
        forward(*call.args, **call.kwargs)
        check_binding(call, inspect.signature(forward), "call 1")
    with pytest.raises(SpecError, match="'bias'"):
        check_binding(Call((1,)), inspect.signature(forward), "call 1")
    assert [label(Call(), 0), label(Call(name="long"), 0)] == ["call 1", "long"]
    (call,) = read_calls([Call((1,), mode="eval")])
    assert call.mode == "eval"
    with pytest.raises(SpecError, match="`mode` is 'training'"):
        list(read_calls([Call((1,), mode="training")]))

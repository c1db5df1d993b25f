"""Specs in Python, with real files in separate projects."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch

from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.specs import RunSettings, Spec, read, seed_generators
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import SpecError, UserCodeError
from pdt_annotate.values.runs import SpecSource

pytestmark = pytest.mark.usefixtures("project")


def read_text(text: str, name: str = "", args: tuple[str, ...] = ()) -> Spec:
    Path("spec.py").write_text("import torch\nfrom pdt_annotate import Call\n" + dedent(text))
    return read(SpecSource("spec.py", name, args))


def build_of(text: str) -> Callable[[], Any]:
    build = read_text(f"{text}\ncalls = [(1,)]" if "get_module" not in text else text).build
    assert build is not None
    return build


def plain_calls(spec: Spec) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    return [(call.args, dict(call.kwargs)) for call in spec.calls]


SEVERAL = [
    *("example_inputs = [(1, 2), (3, 4)]", "def example_inputs(): return [(1, 2), (3, 4)]"),
    *("def calls():\n    yield (1, 2)\n    yield (3, 4)", "def inputs(): return [(1, 2), (3, 4)]"),
    *("inputs = [(1, 2), (3, 4)]", "def load_data(): return [(1, 2), (3, 4)]"),
    "def get_module(): return torch.nn.Linear(1, 1), [(1, 2), (3, 4)]",
    "from torch import nn as example_inputs\ncalls = [(1, 2), (3, 4)]",
]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *((text, [((1, 2), {}), ((3, 4), {})]) for text in SEVERAL),
        ("def inputs(): return 1, 'a'", [((1, "a"), {})]),
        ("def inputs(): return {'x': 1}", [((), {"x": 1})]),
        ("inputs = Call((1,))", [((1,), {})]),
        ("def get_module(): return torch.nn.Linear(1, 1), (1, 2)", [((1, 2), {})]),
    ],
)
def test_the_usual_names_of_calls_and_of_one_alone(text: str, wanted: object) -> None:
    assert plain_calls(read_text(text)) == wanted


@pytest.mark.parametrize(
    "text", ["more = [(7,)]", "def more():\n    yield (7,)", "class more(list): pass\nmore = more([(7,)])"]
)
def test_another_name(text: str) -> None:
    assert plain_calls(read_text(f"calls = [(1,)]\n{text}", name="more")) == [((7,), {})]


def test_the_forms_of_a_call() -> None:
    full = 'Call((1,), {"y": 2}, method="encode", name="long", held_back=True, raises=True)'
    spec = read_text(f'calls = [(1,), (), ([1], (2, 3)), {{"x": 1}}, {full}, Call([1])]')
    assert plain_calls(spec) == [
        ((1,), {}), ((), {}), (([1], (2, 3)), {}), ((), {"x": 1}), ((1,), {"y": 2}), ((1,), {})
    ]  # fmt: skip
    call = spec.calls[4]
    assert (call.method, call.name, call.held_back, call.callee) == ("encode", "long", True, None)
    assert call.raises


def test_calls_of_other_callables_keep_them() -> None:
    spec = read_text(
        """
        class Net(torch.nn.Module):
            def forward(self, x): return x
            def encode(self, x): return x
        net = Net()
        def helper(x): return x
        example_inputs = {net: [(1,)], net.encode: [(2,)], helper: [(3,), {"x": 4}]}
        """
    )
    module = sys.modules["spec"]
    assert [call.callee for call in spec.calls] == [module.net, module.net.encode, module.helper, module.helper]
    assert plain_calls(spec) == [((1,), {}), ((2,), {}), ((3,), {}), ((), {"x": 4})]


def test_classes_of_the_target_and_of_the_spec_are_one() -> None:
    Path("models").mkdir()
    Path("models/net_file.py").write_text("class Net:\n    pass\n")
    module = load_module(parse("models/net_file.py:Net"))
    assert type(read_text("from net_file import Net\ncalls = [(Net(),)]").calls[0].args[0]) is module.Net
    Path("both.py").write_text("class Net: pass\ncalls = [(Net(),)]\n")
    module = load_module(parse("both.py:Net"))
    assert isinstance(read(SpecSource("both.py")).calls[0].args[0], module.Net)


def test_a_spec_repeats_and_needs_neither_a_model_nor_settings() -> None:
    text = "import random\nx = torch.rand(3)\ndef calls(): yield (x, torch.rand(3), random.random())"
    first = read_text(text).calls[0].args
    del sys.modules["spec"]
    second = read_text(text).calls[0].args
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])
    assert first[2] == second[2]
    spec = read_text("calls = [(1,)]")
    assert spec.build is None
    assert spec.settings == RunSettings(seed=0, device="cpu", dtype=None, mode=None, no_grad=False)
    del sys.modules["spec"]
    assert build_of("model = torch.nn.Linear(2, 2)")() is sys.modules["spec"].model


@pytest.mark.parametrize(
    "text",
    [
        "def model(): return torch.nn.Linear(2, 2)",
        "model = lambda: torch.nn.Linear(2, 2)",
        "def get_module(): return torch.nn.Linear(2, 2), (1,)",
    ],
)
def test_model_as_a_function_is_fresh(text: str) -> None:
    build, made = build_of(text), []
    for _ in range(2):
        seed_generators(3)
        made.append(build())
    assert made[0] is not made[1]
    assert torch.equal(made[0].weight, made[1].weight)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("calls = [torch.ones(2)]", "calls: call 1 is a tensor", "write (x,)"),
        ("calls = torch.ones(2)", "calls: the only call is a tensor", "write (x,)"),
        ("calls = [(1,), 3]", "calls: call 2 is a value of type 'int'", "write (x,)"),
        ("calls = [[1, 2]]", "call 1 is a value of type 'list'", "write a tuple"),
        ("calls = [Call(torch.ones(2))]", "call 1: `args` is a tensor, not a tuple", "Call((x,))"),
        ("calls = [{1: 2}]", "call 1: keyword arguments", ""),
        ("calls = ((1,), (2,))", "may be one call or several", "[((…), (…))]"),
        ("calls = {print: [3]}", "call 1 is a value of type 'int'; a call is", "(x,)"),
        ("def calls(n): return n", "calls takes arguments (n)", ""),
        ("def get_module(): return 3", "get_module: it returns a value of type 'int'", "(model, (x, y))"),
        ("model = 3\ncalls = [(1,)]", "`model` is a value of type 'int'", "an nn.Module"),
        ("class N(torch.nn.Module): pass\nexample_inputs = {N(): [torch.ones(2)]}", "(of N)", ""),
        ("", "no example call", "define example_inputs = "),
        ("calls = []", "no example call", "`calls` contains no calls"),
        ("def calls(): pass", "no example call", "`calls` contains no calls"),
        ("def calls():\n    yield from ()", "no example call", "`calls` contains no calls"),
        ("inputs = {}", "no example call", "`inputs` contains no calls"),
        ("input = 1", "no example call", "`input` is not used; did you mean `inputs`?"),
    ],
)
def test_what_is_no_call(text: str, message: str, hint: str) -> None:
    with pytest.raises(SpecError) as caught:
        read_text(text)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.file.endswith("spec.py")
    assert caught.value.line or "model = 3" in text or "no example call" in message


def test_a_name_that_is_not_there() -> None:
    for name, hint in (("moer", "did you mean more?"), ("x", "did you mean calls?")):
        with pytest.raises(SpecError, match=f"{name}: the file does not define it") as caught:
            read_text("more = [(1,)]\ncalls = more", name=name)
        assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1 / 0", 3),
        ("def calls():\n    return 1 / 0", 4),
        ("def calls():\n    yield (1,)\n    yield 1 / 0", 5),
        ("def calls():\n    raise SystemExit", 4),
        ("def calls():\n    return torch.ones(2) @ torch.ones(3)", 4),
        ("calls = [(1,)]\ndef model(): raise KeyError('weights')", 4),
    ],
)
def test_a_spec_that_raises_is_located(text: str, line: int) -> None:
    with pytest.raises(UserCodeError) as caught:
        build = read_text(text).build
        assert build is not None and build()
    assert (Path(caught.value.file).name, caught.value.line) == ("spec.py", line)

"""Rules whose results with the real compiler need more than a table, and tables of rules compared with torch."""

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from mend_cases import IMPORTS, RULES
from mended import Mended, held
from mended_module import load, recover, same
from torch import nn

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.mends.moves.inline.inline_layers import FUNCTIONS
from pdt_annotate.values.mends import Held, HeldValue
from pdt_annotate.values.types import NONE, TENSOR
from pdt_annotate.values.verdicts import Failure

DEAD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = False
    def forward(self, x, mask: Optional[torch.Tensor] = None):
        n, y = 2, x + 1
        if {test}:
            {body}
            x = max([x, y], key=lambda each: each.sum())
        return x * n + y
"""
TESTS = ("mask is not None", "self.deep", "mask is not None or self.deep")
BODIES = ("pass", "y = y * 2", "y, z = x, y", "n = n + 1; x += n", "y = mask or y", "z = [n for n in x]")


def refusal(rule: str, subject: Any, match: str) -> Failure:
    """The failure of the compiler, which the rule handles."""
    with pytest.raises(Exception, match=match) as refused:
        torch.jit.script(subject)
    failure = read_failure(refused.value)
    assert RULES[rule].is_asked_for(failure)
    return failure


def without_dead_branch(folder: Path, source: str, failure: Failure) -> torch.nn.Module:
    shown = {"Net.forward": {"x": (TENSOR,), "y": (TENSOR,)}}
    values = {"Net.forward": {test: held("False").values for test in TESTS}}
    mended = Mended(folder, source, types=shown, failures={"Net.forward": failure}, values=values)
    (mend,) = mended.find(RULES["dead_branches"])
    return load(folder, mended.files.add([mend], mended.project).project.source(mended.file).decode()).Net()


@settings(max_examples=12, deadline=None)
@given(test=st.sampled_from(TESTS), body=st.sampled_from(BODIES))
def test_without_a_dead_branch_it_answers_alike(tmp_path_factory: pytest.TempPathFactory, test: str, body: str) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    source = IMPORTS + DEAD.format(test=test, body=body)
    before = load(folder, source).Net()
    after = without_dead_branch(folder, source, refusal("dead_branches", before, "Lambda aren't supported"))
    x = torch.randn(3)
    assert torch.equal(before(x), after(x))
    if "n = n" not in body:  # this number needs an annotation, which only the search adds
        scripted = torch.jit.script(after)
        assert torch.equal(scripted(x), before(x))
        if "mask" in test:
            with pytest.raises(torch.jit.Error):
                scripted(x, x)
    before.deep = True
    after.deep = True  # type: ignore[assignment]
    one, other = (_answer(net, x) for net in (before, after))
    assert one == other


def _answer(net: torch.nn.Module, x: torch.Tensor) -> str:
    try:
        return repr(net(x.clone()))
    except Exception as error:
        return type(error).__name__


def test_without_a_dead_branch_that_returns_it_scripts(tmp_path: Path) -> None:
    source = IMPORTS + DEAD.format(test="self.deep", body="y = x").replace("x = max(", "return max(")
    failure = refusal("dead_branches", load(tmp_path, source).Net(), "Lambda aren't supported")
    after = without_dead_branch(tmp_path, source, failure)
    assert torch.equal(torch.jit.script(after)(torch.ones(2)), after(torch.ones(2)))


@pytest.mark.parametrize("other", ["x, x", "[x]", "(x, x, x)"])
@pytest.mark.parametrize("said", ["", " -> List[torch.Tensor]"])
def test_a_scripted_function_refuses_what_it_never_returned(tmp_path: Path, other: str, said: str) -> None:
    source = f"{IMPORTS}def f(x, full: bool = False){said}:\n    if full:\n        return {other}\n    return x + 1\n"
    before = load(tmp_path, source)
    refusal("dead_branches", before.f, "")
    after = load(tmp_path, Mended(tmp_path, source, types={"f": {"return": (TENSOR,)}}).apply(RULES["dead_branches"]))
    scripted, x = torch.jit.script(after.f), torch.randn(3)
    for full in (False, True):
        assert same(after.f(x, full), before.f(x, full))
    assert same(scripted(x), before.f(x))
    with pytest.raises(torch.jit.Error, match="left out of the scripted model"):
        scripted(x, True)


PRENORM = (
    IMPORTS
    + '''class Attention(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None):
        return x if mask is None else x + mask

class FeedForward(nn.Module):
    def forward(self, x):
        return x * 2

class PreNorm(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn
    def forward(self, x, **kwargs):
        """Normalized first."""
        x = x.tanh()
        return self.fn(x, **kwargs)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = PreNorm(Attention())
        self.ff = PreNorm(FeedForward())
    def forward(self, x):
        return {}
'''
)


def test_variadics_that_nobody_passes_go(tmp_path: Path) -> None:
    source = PRENORM.format("self.ff(self.attn(x))")
    found = recover(tmp_path, source, [RULES["variadics"]], torch.ones(2))
    assert found.scripts and found.answers_alike, found.messages
    assert found.source == source.replace(", **kwargs", "")


@pytest.mark.parametrize("mask", ["None", "x"])
def test_names_go_to_modules_that_take_them(tmp_path: Path, mask: str) -> None:
    source = PRENORM.format(f"self.ff(self.attn(x, mask={mask}))")
    after = recover(tmp_path, source, [RULES["variadics"]], torch.ones(2)).source
    annotated = after.replace('mask=None):\n        """', 'mask: Optional[torch.Tensor] = None):\n        """')
    found = recover(tmp_path, annotated, [], torch.ones(2))
    assert found.scripts and found.answers_alike, found.messages
    before, mended = load(tmp_path, source), load(tmp_path, after)
    for module in (before, mended):
        with pytest.raises((TypeError, AssertionError)):
            module.PreNorm(module.FeedForward())(torch.ones(2), mask=torch.ones(2))


@settings(max_examples=20, deadline=None)
@given(st.integers(-3, 5), st.sampled_from([torch.float32, torch.float64, torch.int64]))
def test_a_point_changes_no_answer(number: int, dtype: torch.dtype) -> None:
    x = torch.arange(6).reshape(1, 2, 3).to(dtype)
    for call in (
        lambda n: F.pad(x, (1, 0), value=n),
        lambda n: F.hardtanh(x, n, n + 1),
        lambda n: F.threshold(x, n, 2),
        lambda n: F.leaky_relu(x.double(), n),
        lambda n: F.normalize(x.double(), n),
        lambda n: F.interpolate(x.double(), scale_factor=abs(n) + 1),
        lambda n: F.huber_loss(x.double(), x * 2.0, delta=abs(n) + 1),
    ):
        assert same(call(number), call(float(number)))


SETTINGS: dict[str, list[Any]] = {
    "inplace": [True, False],
    **{name: [0.5, 1.0] for name in ("alpha", "beta", "negative_slope", "eps")},
    **{"threshold": [20.0], "min_val": [-1.0], "max_val": [0.5], "approximate": ["tanh", "none"], "dim": [0, 1]},
    **{"p": [0.0, 1.0], "start_dim": [0, 1], "end_dim": [-1], "size": [4], "scale_factor": [2.0], "mode": ["nearest"]},
    **{"upscale_factor": [2], "kernel_size": [1, 2], "stride": [1, 2], "padding": [0], "dilation": [1]},
    **{"ceil_mode": [True, False], "count_include_pad": [False], "divisor_override": [3], "output_size": [1, 2]},
    **{"return_indices": [False], "reduction": ["sum", "none", "mean"], "downscale_factor": [2], "groups": [2]},
}
REQUIRED = {
    **{"PixelShuffle": "upscale_factor", "PixelUnshuffle": "downscale_factor", "Unfold": "kernel_size"},
    **dict.fromkeys(("Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"), "scale_factor"),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Softmin"), "dim"),
    **dict.fromkeys((name for name in FUNCTIONS if "Pad" in name), "padding"),
    **dict.fromkeys((name for name in FUNCTIONS if "Pool" in name), "kernel_size"),
    **dict.fromkeys((name for name in FUNCTIONS if "Adaptive" in name), "output_size"),
    **{"ChannelShuffle": "groups", "LocalResponseNorm": "size", "Threshold": "threshold"},
}
MORE: dict[str, dict[str, object]] = {
    **{"Threshold": {"value": 1.5}, "Fold": {"output_size": (2, 2), "kernel_size": 1}},
    **{
        f"{name}{n}d": {more: 2}
        for n in (1, 2, 3)
        for name, more in (("ConstantPad", "value"), ("LPPool", "norm_type"))
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_table_of_layers_is_what_torch_says(name: str) -> None:
    parameters = tuple(inspect.signature(getattr(nn, name)).parameters)
    known = tuple(FUNCTIONS[name].parameters.split())
    assert known == parameters[: len(known)] and (known or parameters in ((), ("args", "kwargs")))
    assert not list(getattr(nn, name)(**_made(name)).state_dict())
    alike = [f"{name[:-2]}{n}d" for n in (1, 2, 3)] if name[-2:] in ("1d", "2d", "3d") else []
    assert {each for each in alike if hasattr(nn, each)} <= FUNCTIONS.keys()


def _made(name: str) -> dict[str, object]:
    required = {REQUIRED[name]: SETTINGS[REQUIRED[name]][0]} if name in REQUIRED else {}
    return {**required, **MORE.get(name, {})}


SHAPELESS = [
    n
    for n, each in FUNCTIONS.items()
    if each.inputs < 3 and n not in ("Fold", "MultiMarginLoss", "MultiLabelMarginLoss")
]


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from(SHAPELESS))
def test_functions_answer_as_their_layers(tmp_path_factory, data: st.DataObject, name: str) -> None:
    known = [parameter for parameter in FUNCTIONS[name].parameters.split() if parameter in SETTINGS]
    drawn = data.draw(st.sets(st.sampled_from(known or ["none"])))
    made = _made(name) | {p: data.draw(st.sampled_from(SETTINGS[p])) for p in sorted(drawn) if p in SETTINGS}
    made.pop("scale_factor" if "size" in made else "none", None)
    layer = f"nn.{name}({', '.join(f'{key}={value!r}' for key, value in made.items())})"
    inputs = ["x", "y"][: FUNCTIONS[name].inputs]
    source = f"{IMPORTS}def f(x, y):\n    return {layer}({', '.join(inputs)})\n"
    mended = Mended(tmp_path_factory.mktemp("net"), source).apply(RULES["inline_layers"])
    assert "nn." not in mended.partition("def f")[2].replace("torch.nn.", "")
    shape = {"1d": (4, 4, 4), "3d": (1, 2, 4, 4, 4)}.get(name[-2:], (2, 4, 4, 4))
    answers = []
    for each in (source, mended):
        names: dict[str, object] = {}
        exec(each, names)
        torch.manual_seed(0)
        target = torch.rand(shape).argmax(1) if name == "NLLLoss" else torch.rand(shape)
        answers.append(names["f"](torch.rand(shape), target))  # type: ignore[operator]
    assert same(*answers)


def test_an_annotation_that_a_call_contradicts_is_replaced(tmp_path: Path) -> None:
    source = IMPORTS + "class Net(nn.Module):\n    def forward(self, xs: List[torch.Tensor]):\n        return xs[0]\n"
    scripted, call = torch.jit.script(load(tmp_path, source).Net()), torch.randn(2)
    with pytest.raises(RuntimeError, match="for argument 'xs'") as refused:
        scripted(call)
    failure = read_failure(refused.value)
    assert RULES["wide_annotations"].is_asked_for(failure)
    shown = {"Net.forward": {"xs": (TENSOR,)}}
    mended = Mended(tmp_path, source, types=shown, failures={"Net.forward": failure})
    assert "def forward(self, xs):" in mended.apply(RULES["wide_annotations"])


CALLS_PART = """
class Part(nn.Module):
    def forward(self, x, mask: torch.Tensor):
        return x if mask is None else x * mask

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
    def forward(self, x, mask: Optional[torch.Tensor] = None):
        return self.part(x, mask)
"""


def test_an_annotation_of_a_layer_that_is_called_with_none_is_replaced(tmp_path: Path) -> None:
    source = IMPORTS + CALLS_PART
    failure = refusal("wide_annotations", load(tmp_path, source).Net(), "argument 'mask'")
    shown, failures = {"Part.forward": {"mask": (NONE,)}}, {"Net.forward": failure}
    found = []
    for layers in ({}, {"Net": {"part": Held((HeldValue("model.Part"),))}}):
        mended = Mended(tmp_path, source, types=shown, failures=failures, held=layers)
        found.append([mend.summary for mend in mended.find(RULES["wide_annotations"])])
    at_part = ["annotate `mask: torch.Tensor` as optional: calls pass None"]
    assert found == [2 * at_part, 2 * at_part]  # the mend is also found from the caller, even if its layer is not known
    # A scripted model that runs may fail in another function than the one that takes None for a Tensor.
    failures = {"Net.forward": Failure("a tensor without a value", call="call 1")}
    mended = Mended(tmp_path, source, types=shown, failures=failures)
    assert "def forward(self, x, mask: Optional[torch.Tensor]):" in mended.apply(RULES["wide_annotations"])


def test_no_plain_arm_is_left_out_if_the_compiler_stopped_in_a_function_that_the_test_calls(tmp_path: Path) -> None:
    source = IMPORTS + "def f(x):\n    return x if torch.cuda.is_available() else x\n"
    failure = refusal("type_tests", load(tmp_path, source).f, "attribute lookup")
    failure = replace(failure, place=failure.chain[-1])
    values = {"f": {"torch.cuda.is_available()": held("False").values}}
    mended = Mended(tmp_path, source, values=values, failures={"f": failure})
    assert [len(list(mended.find(RULES[rule]))) for rule in ("untaken_branches", "type_tests")] == [0, 1]


@pytest.mark.parametrize(
    "made", ["lambda x: x * n", "lambda x, n=n: x * n", "lambda x, *n: x", "lambda x: (lambda: n)"]
)
def test_a_lambda_that_reads_what_is_around_it_stays(made: str, tmp_path: Path) -> None:
    source = f"{IMPORTS}def make(n):\n    return {{'a': {made}}}['a']\n\n\n"
    source += "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.f = make(2)\n\n"
    source += "    def forward(self, x):\n        return self.f(x)\n"
    assert recover(tmp_path, source, [RULES["kept_functions"]], torch.ones(2)).source == source

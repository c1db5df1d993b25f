"""What a source does in Python, next to what another does that stands in its place."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.tasks import PREPARE, judge_behaviour, record_behaviour
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.runs import SpecSource

MODEL = """
    import inspect
    from typing import NamedTuple, Optional, get_type_hints

    import torch
    from torch import nn

    class Parameter(NamedTuple):
        name: str
        type: type
        spelling: str

    def describe(method):
        given = inspect.signature(method).parameters.values()
        return [Parameter(each.name, each.annotation, str(each.annotation)) for each in given]

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            signature = inspect.signature(self.forward)
            self.signature = signature
            self.shown = str(signature)
            self.hints = get_type_hints(self.forward)
            self.hint_of_x = self.hints.get("x")
            self.types = {"forward": list(self.hints.values())}
            self.kinds = list(signature.parameters.items())
            self.described = {"forward": describe(self.forward)}
            self.source = inspect.getsource(type(self).forward)
            self.count = 0
            self.mode = "mean"
            self.activation = (nn.ReLU, "relu")
            self.norm = nn.BatchNorm1d(2)
            self.seen = []
        def forward(self, x, found):
            self.seen.append(len(found))
            found.append(1)
            if x.sum() < 0:
                raise ValueError("negative")
            return {"out": self.norm(x), "pair": (x, [2.5])}
"""

SPEC = """
    import torch

    example_inputs = [(torch.ones(3, 2), []), (-torch.ones(3, 2), [0])]
"""

Judge = Callable[[str, str], list[str]]


@pytest.fixture(scope="module")
def judge(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Judge:
    """What is said of the model with one text in place of another; nothing where it behaves as before."""
    folder = tmp_path_factory.mktemp("behaviour")
    file = folder / "model.py"
    file.write_text(dedent(MODEL))
    (folder / "inputs.py").write_text(dedent(SPEC))
    target, spec = parse(f"{file}:Net"), SpecSource(file=str(folder / "inputs.py"))
    recorded = record_behaviour(zygote.session(PREPARE, target, spec, str(folder), {}))

    def judge(old: str, new: str) -> list[str]:
        sources = {str(file): dedent(MODEL).replace(old, new).encode()}
        verdicts = judge_behaviour(zygote.session(PREPARE, target, spec, str(folder), sources), recorded)
        assert len(verdicts) == 2
        return [verdict.failure.message for verdict in verdicts if verdict.failure]

    return judge


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return {", "return {  # the same\n            "),
        ("self.seen = []", "self.seen = []\n        self.more = 1"),
        ('"negative"', '"less than nothing"'),
        ("(self, x, found)", "(self, x: torch.Tensor, found: list[int])"),
        ("(self, x, found)", "(self, x: torch.Tensor, found: Optional[list]) -> dict"),
        ("def forward", "attribute: int\n\n    def forward"),
    ],
)
def test_what_nobody_sees_is_no_difference(judge: Judge, old: str, new: str) -> None:
    assert judge(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[2.5]", "[2.75]", "the answer"),
        ("(x, [2.5])", "[x, [2.5]]", "the answer"),
        ('"pair"', '"two"', "the keys"),
        ("found.append(1)", "pass", "the arguments"),
        ("found.append(1)", "found.append(1)\n        x.zero_()", "the answer"),
        ("self.seen.append(len(found))", "self.seen.append(0)", "`seen`"),
        ("self.norm(x)", "self.norm(x + 1)", "norm.running_mean"),
        ("ValueError", "TypeError", "raises TypeError with the changes, ValueError before"),
        ("self.seen = []", "self.had = self.seen = []\n        del self.had", None),
        ("self.seen", "self.had", "`seen` is gone"),
        ("self.count = 0", "self.count = len(self.hints) + 1", "`count`"),
        ('"mean"', '"sum"', "`mode`"),
        ('"relu"', '"gelu"', "`activation`"),
        ("self.hints.get", "len(self.hints) and self.hints.get", "`hint_of_x`"),
        ("inspect.getsource(type(self).forward)", "inspect.getsource(describe)", "`source`"),
    ],
)
def test_what_a_caller_sees_is_one(judge: Judge, old: str, new: str, said: str | None) -> None:
    messages = judge(old, new)
    assert bool(messages) is (said is not None)
    assert said is None or any(said in message for message in messages), messages
    assert not any("scripted" in message or "eager" in message for message in messages)

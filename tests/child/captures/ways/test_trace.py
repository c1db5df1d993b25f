"""Traces of the models of tests/helpers/data/captured, with and without an adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from loaded import load
from repository import ROOT

from pdt_annotate.captures.subject import Capturable
from pdt_annotate.captures.ways import trace, trace_adapted
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding

pytestmark = pytest.mark.usefixtures("one_thread")

MODELS = ROOT / "tests" / "helpers" / "data" / "captured"


def subject(name: str, calls: slice) -> Capturable:
    """The last module class of a file, with some of the calls in it that are not held back."""
    module = load(MODELS / f"{name}.py")
    classes = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
    shown: list[Call] = [call for call in module.example_inputs if not call.held_back][calls]

    def build() -> Any:
        torch.manual_seed(0)
        return classes[-1]().eval()

    return Capturable(build(), tuple(shown), str(MODELS), build)


def told(findings: tuple[Finding, ...]) -> set[tuple[str, str]]:
    """The codes, with the line of each."""
    return {
        (each.code, Path(each.place.file).read_text().splitlines()[each.place.line - 1].strip()) for each in findings
    }


ROUNDS = ("PDT082", 'while x.abs().max() > options.get("limit", 1.0):')


@pytest.mark.forks
@pytest.mark.parametrize("calls", [slice(1), slice(None)], ids=["one call", "all calls"])
def test_a_branch_that_is_compiled_is_not_suspected(calls: slice) -> None:
    assert trace.capture(subject("script_if", calls)).findings() == ()


def test_positions_and_keywords_are_traced_by_name() -> None:
    traced = trace.trace(torch.nn.Bilinear(2, 3, 4), Call((torch.ones(1, 2),), {"input2": torch.ones(1, 3)}))
    assert traced(torch.ones(5, 2), torch.ones(5, 3)).shape == (5, 4)


def test_rich_results_are_traced_through_an_adapter() -> None:
    captured = trace_adapted.capture(subject("dict_in_out", slice(None)))
    batch = {"x": torch.randn(7, 4), "weight": torch.rand(7, 1)}
    assert {name: each.shape for name, each in captured.run(batch).items()} == {"low": (7, 2), "high": (7, 3)}
    assert captured.findings() == ()


def test_what_is_no_tensor_is_told_and_that_the_examples_differ_in_it() -> None:
    first, second, third = trace_adapted.capture(subject("kwargs_while", slice(None))).findings()
    assert told((first, second, third)) == {ROUNDS, ("PDT086", "def forward(self, x, **options):")}
    assert second.message.endswith("in 'four rounds' options['limit'] is 2.0, and was not passed")
    assert third.message.startswith("baked in of the arguments: options['shift'] = 0.5; the adapter refuses others")

"""Captures of a target as it is and as annotated, in the ways that are asked for."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from pdt_annotate.flows.captures import captures
from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.captures import Captures, Fate
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import SpecSource

MODEL = """
    import ctypes
    import torch
    from torch import nn

    class Scale(nn.Module):
        def forward(self, x, n=2):
            return x * n

    class Plain(nn.Module):
        def forward(self, x: torch.Tensor):
            return x * 2

    class Named(nn.Module):
        def forward(self, x, **options):
            return x * 2

    class Crashing(nn.Module):
        def forward(self, x):
            if torch.jit.is_tracing():
                ctypes.string_at(0)
            return x + 1

    example_inputs = [(torch.ones(2),)]
    none = []
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.py"
    file.write_text(dedent(MODEL))
    return file


def run(zygote: Zygote, model: Path, name: str, *ways: str, said: list[str] | None = None) -> tuple[Captures, ...]:
    options = Options((parse(f"{model}:{name}"),), SpecSource(str(model)), str(model.parent), ways=ways)
    return captures(options, zygote, lambda text: said.append(text) if said is not None else None)


def test_what_does_not_script_as_it_is_may_do_so_annotated(zygote: Zygote, model: Path) -> None:
    said: list[str] = []
    before = model.read_bytes()
    as_it_is, annotated = run(zygote, model, "Scale", "script", "fx", said=said)
    assert (as_it_is.version, annotated.version) == ("as it is", "annotated")
    assert [each.fate for each in as_it_is.captures] == [Fate.REFUSED, Fate.SAME]
    assert [each.fate for each in annotated.captures] == [Fate.SAME, Fate.SAME]
    assert "capturing as it is with torch.jit.script" in said
    assert any(each.startswith("annotating: ") for each in said)
    assert model.read_bytes() == before


def test_what_needs_no_annotation_has_one_version(zygote: Zygote, model: Path) -> None:
    (as_it_is,) = run(zygote, model, "Plain", "script")
    assert as_it_is.note == "no annotation is needed, so there is one version"
    assert as_it_is.captures[0].fate is Fate.SAME


def test_what_cannot_be_annotated_is_captured_all_the_same_and_told_why(zygote: Zygote, model: Path) -> None:
    (as_it_is,) = run(zygote, model, "Named", "script", "trace")
    assert [each.fate for each in as_it_is.captures] == [Fate.REFUSED, Fate.SAME]
    assert as_it_is.note.startswith(
        "there is no annotated version: no annotations verify; Compiled functions can't take"
    )
    assert f"{model.name}:15" in as_it_is.note


def test_a_way_that_crashes_is_a_row_that_says_so(zygote: Zygote, model: Path) -> None:
    as_it_is, *_ = run(zygote, model, "Crashing", "trace", "fx")
    crashed, other = as_it_is.captures
    assert crashed.failure is not None and "SIGSEGV" in crashed.failure.message
    assert other.fate is Fate.SAME


def test_the_user_hears_of_a_way_that_is_not_there_and_of_a_spec_without_calls(zygote: Zygote, model: Path) -> None:
    with pytest.raises(UserError) as raised:
        run(zygote, model, "Plain", "scirpt")
    assert raised.value.hint == "did you mean script?"
    options = Options((parse(f"{model}:Plain"),), SpecSource(str(model), "none"), str(model.parent), ways=("fx",))
    with pytest.raises(UserError, match="no example call"):
        captures(options, zygote)

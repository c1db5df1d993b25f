"""The placeholder of drafted specs."""

from __future__ import annotations

import inspect
import pickle

import pytest

import pdt_annotate
from pdt_annotate.inputs.placeholder import fill_in
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.places import Place


def test_it_stops_and_names_the_place() -> None:
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(SpecError) as stopped:
        ("äö", fill_in("mask"))
    error = stopped.value
    assert error.place == Place(__file__, line, 16)
    assert error.message == "mask is still to be filled in"
    assert "such as torch.randn(2, 3)" in error.hint


def test_the_example_is_what_the_hint_suggests() -> None:
    with pytest.raises(SpecError) as stopped:
        fill_in("width", "16")
    assert stopped.value.hint.endswith("such as 16")


def test_the_error_crosses_a_process() -> None:
    with pytest.raises(SpecError) as stopped:
        fill_in("x")
    assert pickle.loads(pickle.dumps(stopped.value)).line == stopped.value.line


def test_specs_import_it_from_the_package() -> None:
    assert pdt_annotate.fill_in is fill_in
    assert "fill_in" in pdt_annotate.__all__

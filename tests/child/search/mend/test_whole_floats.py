"""Whole numbers for floats, by the signatures of torch and before the real compiler."""

from __future__ import annotations

import inspect

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import same

from pdt_annotate.search.mend.whole_floats import FLOATS


@pytest.mark.parametrize("name", FLOATS)
def test_the_table_is_what_torch_says(name: str) -> None:
    parameters = list(inspect.signature(getattr(F, name)).parameters.values())
    for parameter, index in FLOATS[name].items():
        assert parameters[index].name == parameter
        assert "float" in str(parameters[index].annotation) or name == "interpolate"


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

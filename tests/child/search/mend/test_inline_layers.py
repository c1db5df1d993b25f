"""The table of layers against torch, and what becomes of them before the real compiler."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended
from mended_module import HEAD, same
from torch import nn

from pdt_annotate.search.mend.inline_layers import FUNCTIONS, RULE

SETTINGS: dict[str, list[Any]] = {
    "inplace": [True, False],
    **{name: [0.5, 1.0] for name in ("alpha", "beta", "negative_slope", "eps")},
    **{"threshold": [20.0], "min_val": [-1.0], "max_val": [0.5], "approximate": ["tanh", "none"], "dim": [0, 1]},
    **{"p": [0.0, 1.0], "start_dim": [0, 1], "end_dim": [-1], "size": [4], "scale_factor": [2.0], "mode": ["nearest"]},
    **{"upscale_factor": [2], "kernel_size": [1, 2], "stride": [1, 2], "padding": [0], "dilation": [1]},
    **{"ceil_mode": [True, False], "count_include_pad": [False], "divisor_override": [3], "output_size": [1, 2]},
    **{"return_indices": [False], "reduction": ["sum", "none", "mean"]},
}
REQUIRED = {
    **{"Upsample": "scale_factor", "PixelShuffle": "upscale_factor", "Unfold": "kernel_size"},
    **dict.fromkeys(("Softmax", "LogSoftmax"), "dim"),
    **dict.fromkeys((name for name in FUNCTIONS if "Pool" in name), "kernel_size"),
    **dict.fromkeys((name for name in FUNCTIONS if "Adaptive" in name), "output_size"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_table_is_what_torch_says(name: str) -> None:
    parameters = tuple(inspect.signature(getattr(nn, name)).parameters)
    known = FUNCTIONS[name].parameters
    assert known == parameters[: len(known)] and (known or parameters in ((), ("args", "kwargs")))
    assert not list(getattr(nn, name)(**_made(name)).state_dict())


def _made(name: str) -> dict[str, object]:
    if name == "Fold":
        return {"output_size": (2, 2), "kernel_size": 1}
    return {REQUIRED[name]: SETTINGS[REQUIRED[name]][0]} if name in REQUIRED else {}


@settings(max_examples=60, deadline=None)
@given(data=st.data(), name=st.sampled_from([name for name in FUNCTIONS if name != "Fold"]))
def test_functions_answer_as_their_layers(tmp_path_factory, data: st.DataObject, name: str) -> None:
    drawn = data.draw(st.sets(st.sampled_from([p for p in FUNCTIONS[name].parameters if p in SETTINGS] or ["none"])))
    made = _made(name) | {p: data.draw(st.sampled_from(SETTINGS[p])) for p in sorted(drawn) if p in SETTINGS}
    made.pop("scale_factor" if "size" in made else "none", None)
    layer = f"nn.{name}({', '.join(f'{key}={value!r}' for key, value in made.items())})"
    inputs = ["x", "y"][: FUNCTIONS[name].inputs]
    source = f"{HEAD}def f(x, y):\n    return {layer}({', '.join(inputs)})\n"
    mended = Mended(tmp_path_factory.mktemp("net"), source).apply(RULE)
    assert "nn." not in mended.partition("def f")[2].replace("torch.nn.", "")
    shape = {"1d": (4, 4, 4), "3d": (1, 2, 4, 4, 4)}.get(name[-2:], (2, 4, 4, 4))
    answers = []
    for each in (source, mended):
        names: dict[str, object] = {}
        exec(each, names)
        torch.manual_seed(0)
        answers.append(names["f"](torch.randn(shape), torch.randn(shape)))  # type: ignore[operator]
    assert same(*answers)

"""Live objects where there is no fork: what another process can make, and what it cannot."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from pdt_annotate import script
from pdt_annotate.errors import SpecError, UserError
from pdt_annotate.flows.live_session import send

pytestmark = pytest.mark.spawned

NUMBERS = itertools.count()
MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.calls = []

    def forward(self, x, scale=None):
        self.calls.append(x.size(0))
        x = self.norm(x)
        return x if scale is None else x * scale


def make():
    def made(x, n):
        return x * n

    return made


def typed_in(x, n):
    return x * n
"""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    name = f"sent_models_{next(NUMBERS)}"
    (tmp_path / f"{name}.py").write_text(MODEL)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        return importlib.import_module(name)  # whose folder is on no path from here on


def test_an_object_is_as_it_was_and_scripts(models: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in ("flows.live_session", "flows.live_object", "processes.zygote"):
        monkeypatch.setattr(f"pdt_annotate.{user}.CAN_FORK", False)
    net = models.Net()
    scripted = script(net, {net: [(torch.randn(4, 3),), (torch.randn(4, 3), 2.0)]}, probe=False)
    assert str(scripted.forward.schema).endswith("Tensor x, float? scale=None) -> Tensor")
    assert (net.calls, net.norm.num_batches_tracked.item()) == ([], 0)
    assert scripted.norm.weight.data_ptr() == net.norm.weight.data_ptr()
    with pytest.raises(SpecError, match="no example call"):
        script(net, [])


@pytest.mark.parametrize("name", ["made", "typed_in", "inputs"])
def test_what_cannot_be_sent(name: str, models: ModuleType) -> None:
    models.typed_in.__module__ = "__main__"
    objects: dict[str, Any] = {"made": models.make(), "typed_in": models.typed_in, "inputs": models.Net()}
    inputs = [(lambda: 3,)] if name == "inputs" else [(torch.ones(1), 2)]
    with pytest.raises(UserError) as caught:
        send(objects[name], inputs)
    assert "put that into a module" in caught.value.hint

"""What a module holds, put back into the same objects."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
import torch

from pdt_annotate.processes.child.aside import keep


class Box:
    def __init__(self) -> None:
        self.count = 0


class Keeping(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
        self.seen: list[Any] = [[1], {"a": 2}]
        self.alias = self.seen
        self.last = deque([1], maxlen=2)
        self.names = {"x"}
        self.pair = ([0], 1)
        self.box = Box()
        self.last_shape: Any = None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(x.shape)
        self.seen[0].append(3)
        self.seen[1]["b"] = 3
        self.last.extend([2, 3])
        self.names.add("y")
        self.pair[0].append(1)
        self.box.count += 1
        self.last_shape = x.shape
        self.new = True
        return self.norm(x)


def test_a_module_that_no_call_changed_is_not_written_to() -> None:
    module = Keeping()
    version = module.norm.weight._version
    keep(module)()
    assert module.norm.weight._version == version


def test_everything_that_a_call_changes_is_put_back_in_place() -> None:
    module = Keeping()
    seen, inner, mean = module.seen, module.seen[0], module.norm.running_mean
    put_back = keep(module)
    module(torch.randn(3, 2)).sum().backward()
    put_back()
    assert module.seen is seen is module.alias and seen[0] is inner
    assert seen == [[1], {"a": 2}]
    assert (list(module.last), module.names, module.pair, module.box.count) == ([1], {"x"}, ([0], 1), 0)
    assert module.last_shape is None and not hasattr(module, "new")
    assert module.norm.running_mean is mean and mean is not None and mean.eq(0).all()
    assert module.norm.num_batches_tracked is not None and int(module.norm.num_batches_tracked) == 0
    assert module.norm.weight.grad is None


def test_it_can_be_put_back_again() -> None:
    module = Keeping()
    put_back = keep(module)
    for _ in range(2):
        module(torch.randn(3, 2))
        put_back()
        assert len(module.seen) == 2


@pytest.mark.parametrize("callee", [len, lambda x: x])
def test_a_function_holds_nothing(callee: object) -> None:
    keep(callee)()


def test_a_method_stands_for_its_module() -> None:
    module = Keeping()
    put_back = keep(module.forward)
    module(torch.randn(3, 2))
    put_back()
    assert module.box.count == 0

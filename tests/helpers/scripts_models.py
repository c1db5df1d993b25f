"""Models for the tests of verify.scripts. Each test imports them again: the compiler reads a function only once."""

# mypy: disable-error-code="list-item, name-defined"

import dataclasses
import functools
import typing
from typing import Any

import torch
from torch import Tensor, nn


def double(x: Tensor) -> Tensor:
    return x * 2


def count_up(n):
    return range(n)


def calls_star(x):
    return star(x)


def calls_another(x):
    return calls_star(x)


def calls_count_up(x):
    return count_up(x)


def fails_when_run(x: Tensor) -> Tensor:
    return x.view(7)


def calls_fails_when_run(x: Tensor) -> Tensor:
    return fails_when_run(x)


def with_default(x: Tensor, n=3):
    return x * n


def unknown(x: "Nope") -> Tensor:  # noqa: F821
    return x


def star(*xs):
    return xs


def wraps(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


@wraps
def wrapped(x: Tensor) -> Tensor:
    return double(x)


@torch.jit._overload
def over(x: int) -> int: ...


@torch.jit._overload
def over(x: Tensor) -> Tensor: ...  # noqa: F811


def over(x):  # noqa: F811
    return x


def uses_over(x: Tensor) -> Tensor:
    return over(x) * over(2)


class Inner(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return double(x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.other = Inner()

    def forward(self, x: Tensor) -> Tensor:
        return self.helper(self.inner(x)) + self.other(x)

    def helper(self, x: Tensor) -> Tensor:
        return x

    @torch.jit.export
    def exported(self, x: Tensor) -> Tensor:
        return self.helper(x)

    def unused(self, *xs):
        return xs


class Annotated(nn.Module):
    items: "list[int]"

    def __init__(self) -> None:
        super().__init__()
        self.items = [1]

    def forward(self, x: Tensor) -> Tensor:
        return x * self.items[0]


def bad_hook(module: nn.Module, inputs: Any, output: Any) -> None:
    return None


class Late(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x

    def other(self, x: Tensor) -> Tensor:
        return x + 1


class Sums:
    def __init__(self, first: int) -> None:
        self.first = first

    def of(self, values: typing.Dict[str, int]) -> typing.List[int]:  # noqa: UP006  (spelled like this)
        found: typing.List[int] = [self.first]  # noqa: UP006
        for value in values.values():
            found.append(value)
        return found


@dataclasses.dataclass
class Size:
    width: int

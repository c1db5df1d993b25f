"""`pdt_annotate.script` and calls of another kind than its examples: where the scripted answer differs, it warns."""

from __future__ import annotations

import copy
import enum
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from compiler_messages import load

from pdt_annotate import PdtWarning, script

Case = tuple[str, list[tuple[Any, ...]], tuple[Any, ...], str]


class Level(enum.IntEnum):
    LOW = 1


NUMBERS = itertools.count()
X = torch.arange(6.0).reshape(2, 3)
WHOLE = torch.arange(6).reshape(2, 3)
HALF = torch.tensor(2.5)
LEARNT = torch.tensor(2.5, requires_grad=True)

DIFFERING: dict[str, Case] = {
    # A tensor without dimensions where a number was seen.
    "int times": ("def f(x, n):\n    return x * n\n", [(X, 2)], (X, HALF), "PDT122"),
    "int in a chain": ("def f(x, n):\n    m = 2 * n + 1\n    return x + m\n", [(X, 2)], (X, HALF), "PDT122"),
    "int of a helper": (
        "def add(x, n):\n    return x + n\n\n\ndef f(x, n):\n    return add(x, n)\n", [(X, 2)], (X, HALF), "PDT122",
    ),
    "int in a loop": (
        "def f(x, n):\n    total = 0\n    for _ in range(3):\n        total = total + n\n    return x + total\n",
        [(X, 2)], (X, HALF), "PDT122",
    ),
    "int that decides": (
        "def f(x, n):\n    if n > 2:\n        return x * 2\n    return x\n", [(X, 2), (X, 3)], (X, HALF), "PDT122",
    ),
    "int as a truth": ("def f(x, n):\n    return x * 2 if n else x\n", [(X, 2)], (X, torch.tensor(0.5)), "PDT122"),
    "int of a method": (
        """
        class Net(torch.nn.Module):
            def forward(self, x, n=1):
                return x / n


        f = Net()
        """,
        [(X, 2)], (X, HALF), "PDT122",
    ),
    "int that is filled in": (
        "def f(x, n):\n    return torch.full([2], n, dtype=torch.float32)\n", [(X, 2)], (X, HALF), "PDT122",
    ),
    "int to a power": ("def f(x, n):\n    return x ** n\n", [(X, 2)], (X, HALF), "PDT122"),
    "optional int": (
        "def f(x, n=None):\n    if n is None:\n        return x\n    return x - n\n",
        [(X, 2), (X,)], (X, HALF), "PDT122",
    ),
    "int compared with a tensor": ("def f(x, n):\n    return x > n\n", [(X, 2)], (X - 0.75, HALF), "PDT122"),
    "float times": ("def f(x, s):\n    return x * s\n", [(X, 0.5)], (X, LEARNT), "PDT122"),
    "float of a module": (
        """
        class Net(torch.nn.Module):
            def forward(self, x, temperature):
                return torch.softmax(x / temperature, -1)


        f = Net()
        """,
        [(X, 0.5)], (X, LEARNT), "PDT122",
    ),
    "float clamps": ("def f(x, s):\n    return x.clamp(min=s)\n", [(X, 0.5)], (X, LEARNT), "PDT122"),
    "floats of a list": (
        "def f(x, weights):\n    y = x\n    for w in weights:\n        y = y + x * w\n    return y\n",
        [(X, [0.5, 1.5])], (X, [LEARNT, LEARNT]), "PDT122",
    ),
    "floats of a tuple": (
        "def f(x, pair):\n    low, high = pair\n    return x * low + high\n", [(X, (0.5, 1.5))], (X, (LEARNT, LEARNT)),
        "PDT122",
    ),
    "floats of a dict": (
        "def f(x, weights):\n    return x * weights['a']\n", [(X, {"a": 0.5})], (X, {"a": LEARNT}), "PDT122",
    ),
    # A bool, an int or a member of an Enum where another number was seen.
    "a bool comes back": ("def f(x, n):\n    return x, n\n", [(X, 2)], (X, True), "PDT122"),
    "a bool in a dict": ("def f(x, n):\n    return {'x': x.size(0), 'n': n}\n", [(X, 2)], (X, True), "PDT122"),
    "a bool in a list": (
        "def f(x, n):\n    found = [1]\n    found.append(n)\n    return found\n", [(X, 2)], (X, True), "PDT122",
    ),
    "a bool as text": ("def f(x, n):\n    return f'{n}'\n", [(X, 2)], (X, True), "PDT122"),
    "a bool as index": ("def f(x, which):\n    return x[which]\n", [(X, 0), (X, 1)], (X, True), "PDT122"),
    "a bool as index beside another": ("def f(x, which):\n    return x[which, 1:]\n", [(X, 0)], (X, True), "PDT122"),
    "a bool as index to set": (
        "def f(x, which):\n    y = x.clone()\n    y[which] = 7.0\n    return y\n", [(X, 0)], (X, True), "PDT122",
    ),
    "bools as indices": ("def f(x, which):\n    return x[which]\n", [(X, [0, 1])], (X, [True, False]), "PDT122"),
    "a bool of a full tensor": ("def f(x, n):\n    return torch.full([2], n)\n", [(X, 2)], (X, True), "PDT122"),
    "a member of an Enum": ("def f(x, n):\n    return n\n", [(X, 2)], (X, Level.LOW), "PDT122"),
    "isinstance of a bool": (
        "def f(x, n):\n    if isinstance(n, bool):\n        return -x\n    return x[:n]\n",
        [(X, 2)], (X, True), "PDT122",
    ),
    "an int for a bool comes back": ("def f(x, flag):\n    return flag\n", [(X, True)], (X, 2), "PDT122"),
    "an int for a bool in arithmetic": ("def f(x, flag):\n    return x * flag\n", [(X, True)], (X, 2), "PDT122"),
    "an int for a bool compared": (
        "def f(x, flag):\n    return x if flag == True else -x\n", [(X, True)], (X, 2), "PDT122",
    ),
    "an int for a float comes back": ("def f(x, s):\n    return s\n", [(X, 0.5)], (X, 2), "PDT122"),
    "an int for a float with whole tensors": ("def f(x, s):\n    return x * s\n", [(X, 0.5)], (WHOLE, 2), "PDT122"),
    "isinstance of an int for a float": (
        "def f(x, s):\n    return x if isinstance(s, float) else -x\n", [(X, 0.5)], (X, 2), "PDT122",
    ),
    "a number for a complex": ("def f(x, z):\n    return x * z\n", [(X, 1 + 2j)], (X, 2.0), "PDT122"),
    "a number for a complex comes back": ("def f(x, z):\n    return z\n", [(X, 1 + 2j)], (X, 2), "PDT122"),
    "the absolute value of a complex": ("def f(x, z):\n    return abs(z)\n", [(X, 1 + 2j)], (X, -2), "PDT122"),
    # A container of another class.
    "a list for a tuple": ("def f(x, size):\n    return size\n", [(X, (2, 3))], (X, [2, 3]), "PDT122"),
    "a list for a tuple of tensors": ("def f(x, state):\n    return x, state\n", [(X, (X, X))], (X, [X, X]), "PDT122"),
    "a list for a tuple that is compared": (
        "def f(x, size):\n    return x if size == (2, 3) else -x\n", [(X, (2, 3))], (X, [2, 3]), "PDT122",
    ),
    "isinstance of a list for a tuple": (
        "def f(x, size):\n    return x * 2 if isinstance(size, tuple) else x\n", [(X, (2, 3))], (X, [2, 3]), "PDT122",
    ),
    "a tuple for a list": ("def f(x, sizes):\n    return sizes\n", [(X, [1, 2]), (X, [1])], (X, (1, 2)), "PDT122"),
    "a part of a tuple for a list": (
        "def f(x, sizes):\n    return sizes[1:]\n", [(X, [1, 2]), (X, [1])], (X, (1, 2)), "PDT122",
    ),
    "a tuple as index for a list": ("def f(x, which):\n    return x[which]\n", [(X, [0, 1])], (X, (0, 1)), "PDT122"),
    "a range for a list": ("def f(x, sizes):\n    return x, sizes\n", [(X, [1, 2])], (X, range(2)), "PDT122"),
    "a shape that is compared with a list": (
        "def f(x, sizes):\n    return x if x.shape == sizes else -x\n", [(X, X.shape)], (X, [2, 3]), "PDT122",
    ),
    "a text for a device": ("def f(x, device):\n    return device\n", [(X, X.device)], (X, "cpu"), "PDT122"),
    "a text for a device that is compared": (
        "def f(x, device):\n    return x if x.device == device else -x\n", [(X, X.device)], (X, "cpu"), "PDT122",
    ),
    # Values of two classes, compared.
    "a shape and a list": ("def f(x):\n    return -x if x.shape == [2, 3] else x\n", [(X[:1],)], (X,), "PDT114"),
    "a shape and a list in a variable": (
        "def f(x):\n    want = [2, 3]\n    shape = x.size()\n    return -x if want == shape else x\n", [(X[:1],)], (X,),
        "PDT114",
    ),
    "a part of a shape and a list": (
        "def f(x):\n    return -x if x.shape[1:] != [3] else x\n", [(X[:, :1],)], (X,), "PDT114",
    ),
    "a shape and a list of a helper": (
        "def fits(x, want):\n    return x.shape == want\n\n\ndef f(x):\n    return -x if fits(x, [2, 3]) else x\n",
        [(X[:1],)], (X,), "PDT114",
    ),
    "a tuple and a list": (
        "def f(x):\n    pair = (x.size(0), 3)\n    return -x if pair == [2, 3] else x\n", [(X[:1],)], (X,), "PDT114",
    ),
    # What asks whether it is scripted.
    "is_scripting in a helper": (
        """
        def eager():
            return not torch.jit.is_scripting()


        def f(x, n):
            if eager() and n > 2:
                x = x * 2
            return x
        """,
        [(X, 2)], (X, 3), "PDT107",
    ),
    "is_scripting by another name": (
        """
        scripting = torch.jit.is_scripting


        def f(x, n: int):
            if not scripting() and n > 2:
                x = x * 2
            return x
        """,
        [(X, 2)], (X, 3), "PDT107",
    ),
    "is_scripting in a variable": (
        """
        def f(x, n):
            scripting = torch.jit.is_scripting()
            if n > 2 and not scripting:
                x = x * 2
            return x
        """,
        [(X, 2)], (X, 3), "PDT107",
    ),
    "is_scripting in an expression": (
        "def f(x, n):\n    scale = 2 if torch.jit.is_scripting() else 1\n    return x * scale if n > 2 else x\n",
        [(X, 2)],
        (X, 3),
        "PDT107",
    ),
    "is_scripting in a method": (
        """
        class Net(torch.nn.Module):
            def is_exported(self):
                return torch.jit.is_scripting()

            def forward(self, x, n):
                if n > 2 and not self.is_exported():
                    x = x * 2
                return x


        f = Net()
        """,
        [(X, 2)], (X, 3), "PDT107",
    ),
    # Numbers.
    "min of an int and a float": ("def f(x, n, s):\n    return min(n, s)\n", [(X, 3, 2.5)], (X, 2, 2.5), "PDT118"),
    "max of an int and a float": ("def f(x, s):\n    return max(1, s)\n", [(X, 2.5)], (X, 0.5), "PDT118"),
    "min of an int and a float, as a factor": (
        "def f(x, n, s):\n    return x * min(n, s)\n", [(X, 3, 2.5)], (WHOLE, 2, 2.5), "PDT118",
    ),
    "a large float": ("def f(x, s):\n    return int(s)\n", [(X, 2.5)], (X, 1e30), "PDT121"),
    "a large float in arithmetic": ("def f(x, s):\n    return int(s * 2) % 7\n", [(X, 2.5)], (X, 1e30), "PDT121"),
    "a large float that decides": (
        "def f(x, s):\n    return x if int(s) > 3 else -x\n", [(X, 2.5)], (X, 1e30), "PDT121",
    ),
}  # fmt: skip

ALIKE: dict[str, tuple[str, list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {
    "an int as a size": (
        "def f(x, n):\n    return x.reshape(n, -1)\n", [(X, 2)], [(X, torch.tensor(3)), (X, HALF), (X, True)],
    ),
    "an int in arithmetic of sizes": (
        "def f(x, n):\n    return x.reshape(n * 2 // 2, x.numel() // n)\n", [(X, 2)], [(X, torch.tensor(3)), (X, HALF)],
    ),
    "an int that counts": (
        "def f(x, n):\n    for i in range(n):\n        x = x + i\n    return x\n",
        [(X, 2)], [(X, torch.tensor(3)), (X, HALF)],
    ),
    "an int as a dimension": ("def f(x, dim):\n    return x.sum(dim)\n", [(X, 1)], [(X, torch.tensor(0)), (X, HALF)]),
    "an int that slices": ("def f(x, n):\n    return x[n:]\n", [(X, 1)], [(X, True), (X, HALF), (X, torch.tensor(1))]),
    "an int that is an index of a list": (
        "def f(x, n):\n    return [x, -x][n]\n", [(X, 1)], [(X, True), (X, HALF), (X, torch.tensor(1))],
    ),
    "an int that is checked": (
        "def f(x, n):\n    if n < 1:\n        raise ValueError('too small')\n"
        "    assert n < 9\n    return x.expand(n, 2, 3)\n",
        [(X, 2)], [(X, HALF), (X, torch.tensor(0.5))],
    ),
    "an int that is converted": (
        "def f(x, n):\n    n = int(n)\n    return x * n, n\n", [(X, 2)], [(X, HALF), (X, True)],
    ),
    "an int that is converted where it is used": (
        "def f(x, n):\n    return x * int(n)\n", [(X, 2)], [(X, HALF), (X, True)],
    ),
    "an int that is only said": (
        "def f(x, n):\n    if x.dim() > 5:\n        raise ValueError(f'not with {n}')\n    return x\n",
        [(X, 2)], [(X, HALF)],
    ),
    "a float that is a probability": (
        "def f(x, p):\n    return torch.nn.functional.dropout(x, p, training=False)\n",
        [(X, 0.5)], [(X, HALF / 5), (X, 1)],
    ),
    "a float that decides": (
        "def f(x, s):\n    return x if s > 0.5 else -x\n", [(X, 0.5)], [(X, HALF), (X, LEARNT), (X, 2), (X, True)],
    ),
    "a float that is converted": (
        "def f(x, s):\n    s = float(s)\n    return x * s, s\n", [(X, 0.5)], [(X, HALF), (X, LEARNT), (X, 2)],
    ),
    "a float for a size": (
        "def f(x, s):\n    return x[: int(s * x.size(0))]\n", [(X, 0.5)], [(X, torch.tensor(0.5)), (X, 1)],
    ),
    "a bool that decides": (
        "def f(x, flag, other):\n    if flag and not other:\n        return x * 2\n    return x\n",
        [(X, True, False)], [(X, 2, 0), (X, HALF, 0.0), (X, None, 1)],
    ),
    "a bool that keeps dimensions": ("def f(x, keep):\n    return x.sum(0, keepdim=keep)\n", [(X, True)], [(X, 2)]),
    "a tuple of sizes": (
        "def f(x, size):\n    h, w = size\n    return x.reshape(size).reshape(h * w) + len(size)\n",
        [(X, (2, 3))], [(X, [3, 2]), (X, torch.Size([3, 2]))],
    ),
    "a tuple of states": (
        "def f(x, state):\n    h, c = state\n    return x + h, (h, state[1] * c)\n", [(X, (X, X))], [(X, [X, X])],
    ),
    "a list of tensors": (
        "def f(xs):\n    y = torch.cat(xs)\n    for x in xs:\n        y = y + x.sum()\n    return y / len(xs)\n",
        [([X, X],), ([X],)], [((X, X, X),)],
    ),
    "a list that is copied": (
        "def f(xs):\n    found = list(xs)\n    found.append(xs[0])\n    return found\n", [([X, X],), ([X],)], [((X,),)],
    ),
    "a word": (
        "def f(x, mode):\n    return x.sum() if mode == 'sum' else x.mean()\n", [(X, "sum")], [(X, "mean")],
    ),
    "a device": ("def f(x, device):\n    return x.to(device)\n", [(X, X.device)], [(X, "cpu")]),
    "a shape and a tuple": (
        "def f(x, other):\n    return -x if x.shape == (2, 3) and other.shape == x.shape else x\n",
        [(X, X)], [(X[:1], X)],
    ),
    "a shape as a list": (
        "def f(x):\n    return -x if list(x.shape) == [2, 3] and x.size(0) == 2 else x\n", [(X,)], [(X[:1],)],
    ),
    "a helper that asks and a branch that checks": (
        """
        def eager():
            return not torch.jit.is_scripting()


        def f(x):
            if eager():
                if x.dim() > 3:
                    raise ValueError("too many")
            return x
        """,
        [(X,)], [(WHOLE,)],
    ),
    "min of two ints": ("def f(x, n):\n    return x[: min(n, x.size(0))]\n", [(X, 3)], [(X, 1), (X, torch.tensor(1))]),
    "min of two floats": ("def f(x):\n    return x * max(0.5, x.size(0) / 3)\n", [(X,)], [(WHOLE,)]),
    "min of an int and a float for a size": (
        "def f(x, s):\n    return x[: int(min(2, s))]\n", [(X, 1.5)], [(X, 3), (X, 0.5)],
    ),
    "what no argument decides": (
        "def f(x):\n    n = 2\n    scale = 0.5\n    return x * n * scale + int(x.size(0) * scale), n\n",
        [(X,)], [(WHOLE,)],
    ),
}  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Callable[[str], Any]:
    """`f` of a module with a name of its own, since a place is warned of once a process."""

    def make(source: str) -> Any:
        folder = tmp_path / f"silent_{next(NUMBERS)}"
        folder.mkdir()
        return load(dedent(source), folder).f

    return make


def shown(value: Any) -> Any:
    """An answer as what a caller can see of it."""
    if isinstance(value, torch.Tensor):
        return value.tolist(), value.dtype, value.requires_grad
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value), [shown(each) for each in value]
    return type(value), value


def answer(function: Any, args: tuple[Any, ...]) -> Any:
    """What a call answers; None where it raises."""
    try:
        return shown(function(*(each if isinstance(each, torch.Tensor) else copy.copy(each) for each in args)))
    except Exception:
        return None


def scripted_with(
    live: Callable[[str], Any], source: str, examples: list[Any], *, probe: bool
) -> tuple[Any, Any, list[str]]:
    """The object, what `script` makes of it, and the codes of which that warns."""
    f = live(source)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scripted = script(f, examples, probe=probe)
    return f, scripted, [each.message.code for each in caught if isinstance(each.message, PdtWarning)]


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_on_a_call_of_another_kind_is_said(name: str, live: Callable[[str], Any]) -> None:
    source, examples, further, code = DIFFERING[name]
    f, scripted, codes = scripted_with(live, source, examples, probe=False)
    differs = answer(f, further) is not None and answer(f, further) != answer(scripted, further)
    assert (differs, code in codes) == (True, True), codes


@pytest.mark.parametrize("name", ALIKE)
def test_what_answers_alike_on_calls_of_another_kind_is_not_said(name: str, live: Callable[[str], Any]) -> None:
    source, examples, further = ALIKE[name]
    f, scripted, codes = scripted_with(live, source, examples, probe=False)
    assert codes == []
    for args in further:
        told = answer(f, args)
        assert told is None or told == answer(scripted, args), args


@pytest.mark.forks
def test_calls_are_drawn_where_they_are_wanted(live: Callable[[str], Any]) -> None:
    """`<<` by 64 bits is 0 in TorchScript: what differs for odd numbers alone is said where a call shows it."""
    source = "def f(x, n):\n    return x.reshape(-1)[: (1 << n) % 5]\n"
    assert scripted_with(live, source, [(X, 1)], probe=False)[2] == []
    assert "PDT120" in scripted_with(live, source, [(X, 1)], probe=True)[2]

"""Calls with other types than the annotations: if the scripted result differs, there is a trap."""

import copy
import enum
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from compiler_messages import load

from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps.border import CODE
from pdt_annotate.verify.traps.compiled_view import look_at


class Level(enum.IntEnum):
    LOW = 1


X = torch.arange(6.0).reshape(2, 3)
WHOLE = torch.arange(6).reshape(2, 3)
HALF = torch.tensor(2.5)
LEARNT = torch.tensor(2.5, requires_grad=True)

# By name: a source, arguments of another type, and the code of the trap, if it is not `CODE`.
DIFFERING: dict[str, tuple[Any, ...]] = {
    "floats of a tuple": (
        "def f(x, pair: Tuple[float, float]):\n    low, high = pair\n    return x * low + high\n",
        (X, (LEARNT, LEARNT)),
    ),
    "int times": ("def f(x, n: int):\n    return x * n\n", (X, HALF)),
    "int in a loop": ("def f(n: int):\n    s = 0\n    for _ in range(3):\n        s = s + n\n    return s\n", (HALF,)),
    "int that decides": ("def f(x, n: int):\n    if n > 2:\n        return x * 2\n    return x\n", (X, HALF)),
    "int as a truth": ("def f(x, n: int):\n    return x * 2 if n else x\n", (X, torch.tensor(0.5))),
    "int that is filled in": ("def f(x, n: int):\n    return torch.full([2], n, dtype=torch.float32)\n", (X, HALF)),
    "optional int": (
        "def f(x, n: Optional[int] = None):\n    if n is None:\n        return x\n    return x - n\n", (X, HALF),
    ),
    "int compared with a tensor": ("def f(x, n: int):\n    return x > n\n", (X - 0.75, HALF)),
    "float times": ("def f(x, s: float):\n    return x * s\n", (X, LEARNT)),
    "float clamps": ("def f(x, s: float):\n    return x.clamp(min=s)\n", (X, LEARNT)),
    "floats of a dict": ("def f(x, weights: Dict[str, float]):\n    return x * weights['a']\n", (X, {"a": LEARNT})),
    "a bool comes back": ("def f(x, n: int):\n    return x, n\n", (X, True)),
    "a bool in a list": ("def f(x, n: int):\n    found = [1]\n    found.append(n)\n    return found\n", (X, True)),
    "a bool as text": ("def f(x, n: int):\n    return f'{n}'\n", (X, True)),
    "a bool as index": ("def f(x, which: int):\n    return x[which]\n", (X, True)),
    "bools as indices": ("def f(x, which: List[int]):\n    return x[which]\n", (X, [True, False])),
    "a bool of a full tensor": ("def f(x, n: int):\n    return torch.full([2], n)\n", (X, True)),
    "a member of an Enum": ("def f(x, n: int):\n    return n\n", (X, Level.LOW)),
    "an int for a bool comes back": ("def f(x, flag: bool):\n    return flag\n", (X, 2)),
    "an int for a bool in arithmetic": ("def f(x, flag: bool):\n    return x * flag\n", (X, 2)),
    "an int for a float comes back": ("def f(x, s: float):\n    return s\n", (X, 2)),
    "an int for a float with whole tensors": ("def f(x, s: float):\n    return x * s\n", (WHOLE, 2)),
    "a number for a complex": ("def f(x, z: complex):\n    return x * z\n", (X, 2.0)),
    "the absolute value of a complex": ("def f(x, z: complex):\n    return abs(z)\n", (X, -2)),
    "a number for a complex comes back": ("def f(x, z: complex):\n    return z\n", (X, 2)),
    "a list for a tuple": ("def f(x, size: Tuple[int, int]):\n    return size\n", (X, [2, 3])),
    "a list for a tuple that is compared": ("def f(size: Tuple[int, int]):\n    return size == (2, 3)\n", ([2, 3],)),
    "isinstance of a bool": ("def f(x, n: int):\n    return -x if isinstance(n, bool) else x[:n]\n", (X, True)),
    "a tuple for a list": ("def f(x, sizes: List[int]):\n    return sizes\n", (X, (1, 2))),
    "a tuple as index for a list": ("def f(x, which: List[int]):\n    return x[which]\n", (X, (0, 1))),
    "a text for a device": ("def f(x, device: torch.device):\n    return device\n", (X, "cpu")),
    "a text for a device, compared": ("def f(x, d: torch.device):\n    return x.device == d\n", (X, "cpu")),
    "a shape and a list": ("def f(x):\n    return -x if x.shape == [2, 3] else x\n", (X,), "PDT114"),
    "a shape and a list of a helper": (
        "def fits(x, a: List[int]):\n    return x.shape == a\ndef f(x):\n    return -x if fits(x, [2, 3]) else x\n",
        (X,), "PDT114",
    ),
    "a tuple and a list": (
        "def f(x):\n    pair = (x.size(0), 3)\n    return -x if pair == [2, 3] else x\n", (X,), "PDT114",
    ),
    "is_scripting in a variable": (
        "def f(x):\n    s = torch.jit.is_scripting()\n    if x.dim() > 1 and not s:\n        x = x * 2\n    return x\n",
        (X,), "PDT107",
    ),
    "is_scripting in a helper and an expression": (
        "def eager():\n    return not torch.jit.is_scripting()\ndef f(x):\n    return x * (2 if eager() else 1)\n",
        (X,), "PDT107",
    ),
    "min of an int and a float as text": ("def f(n: int, s: float):\n    return str(min(n, s))\n", (2, 2.5), "PDT118"),
    "min of an int and a float, doubled": ("def f(n: int, s: float):\n    return min(n, s) * n\n", (2, 2.5), "PDT118"),
    "min of an int and a float": ("def f(x, n: int, s: float):\n    return min(n, s)\n", (X, 2, 2.5), "PDT118"),
    "min of an int and a float, as a factor": (
        "def f(x, n: int, s: float):\n    return x * min(n, s)\n", (WHOLE, 2, 2.5), "PDT118",
    ),
    "a large float": ("def f(x, s: float):\n    return int(s)\n", (X, 1e30), "PDT121"),
    "a large float that decides": ("def f(x, s: float):\n    return x if int(s) > 3 else -x\n", (X, 1e30), "PDT121"),
}  # fmt: skip

ALIKE: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "an int that slices": ("def f(x, n: int):\n    return x[n:]\n", [(X, True), (X, HALF), (X, torch.tensor(1))]),
    "an int that is converted": ("def f(x, n: int):\n    n = int(n)\n    return x * n, n\n", [(X, HALF), (X, True)]),
    "a float that decides": (
        "def f(x, s: float):\n    return x if s > 0.5 else -x\n", [(X, HALF), (X, LEARNT), (X, 2), (X, True)],
    ),
    "a bool that decides": (
        "def f(x, flag: bool, other: bool):\n    if flag and not other:\n        return x * 2\n    return x\n",
        [(X, 2, 0), (X, HALF, 0.0), (X, None, 1)],
    ),
    "a bool that keeps dimensions": ("def f(x, keep: bool):\n    return x.sum(0, keepdim=keep)\n", [(X, 2)]),
    "min of an int and a float": ("def f(x):\n    s = min(2, len(x) / 4)\n    return x[: int(s)], s * 0.5\n", [(X,)]),
    "min of two floats": ("def f(x):\n    return x * max(0.5, x.size(0) / 3)\n", [(WHOLE,)]),
    "what no argument decides": (
        "def f(x):\n    n = 2\n    scale = 0.5\n    return x * n * scale + int(x.size(0) * scale), n\n", [(WHOLE,)],
    ),
}  # fmt: skip


def looked_at(source: str, folder: Path) -> tuple[Any, Any, list[str]]:
    """The subject, its scripted version, and the codes of its certain traps."""
    subject = load(dedent(source), folder).f
    compilation = Compilation()
    compilation.run(subject)
    assert compilation.verdict.ok, compilation.verdict.failure
    view = look_at(subject, compilation, lambda code: code.co_filename.startswith(str(folder)), {"forward"})
    return subject, compilation.scripted, [trap.code for trap in traps.find(view) if not trap.doubtful]


def shown(value: Any) -> Any:
    """A result as a caller sees it."""
    if isinstance(value, torch.Tensor):
        return value.tolist(), value.dtype, value.requires_grad
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value), [shown(each) for each in value]
    return type(value), value


def answer(function: Any, args: tuple[Any, ...]) -> Any:
    """The result of a call; None if it raises."""
    try:
        return shown(function(*(each if isinstance(each, torch.Tensor) else copy.copy(each) for each in args)))
    except Exception:
        return None


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_on_a_call_of_another_kind_is_said(name: str, tmp_path: Path) -> None:
    source, further, code = (*DIFFERING[name], CODE)[:3]
    f, scripted, codes = looked_at(source, tmp_path)
    differs = answer(f, further) is not None and answer(f, further) != answer(scripted, further)
    assert (differs, code in codes) == (True, True), codes


@pytest.mark.parametrize("name", ALIKE)
def test_what_answers_alike_on_calls_of_another_kind_is_not_said(name: str, tmp_path: Path) -> None:
    source, further = ALIKE[name]
    f, scripted, codes = looked_at(source, tmp_path)
    assert codes == []
    for args in further:
        told = answer(f, args)
        assert told is None or told == answer(scripted, args), args

"""Traps, each with a program whose results really differ, and programs without traps, with the real compiler."""

import copy
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch
from compiler_messages import load

from pdt_annotate.findings.catalogue import entries
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps import border
from pdt_annotate.verify.traps.compiled_view import look_at

HEAD = "import contextlib\nimport functools\nimport math\nimport types\nimport warnings\n"
MARK = "# here"

ONE = (torch.ones(1),)

QUIET = {
    "a product of sizes": """
        def f(x):
            n = 1
            for s in x.shape:
                n *= s
            stride = 1
            for _ in range(3):
                stride = stride * 2
            h = 7
            for i in range(9):
                h = (h ^ i) * 31 % 65521
            return x.reshape(n) * stride * h
    """,
    "arithmetic": """
        def f(x, n: int):
            w, h = x.shape[-2:]
            s = 0
            for i in range(n):
                s += i
            return x * (w / h) + s // 2 + int(w * 0.5) + math.sqrt(w)
    """,
    "truth": "def f(a: bool, b: bool, n: int):\n    flag = bool(n and 1) and (a or not b)\n    return flag\n",
    "no gradient to lose": """
        @torch.no_grad()
        @functools.lru_cache
        def sizes(n: int):
            return [n, n]
        def f(x, n: int):
            return x * len(sizes(n))
    """,
    "texts that are raised, warned of and printed": """
        def f(x, scale: float):
            if scale < 0:
                raise ValueError(f"a scale of {scale} for {x.dtype}")
            assert scale < 9, "not " + str(scale)
            if scale > 8:
                warnings.warn("{} is much".format(scale))
                print("scale", scale, f"{scale}")
            text = told(scale)
            if scale > 7:
                text += f" or {x.dtype}"
            if scale > 6:
                raise ValueError(text)
            return check(x * scale, f"{scale}")

        def told(scale: float) -> str:
            return f"{scale}"

        def check(x, message: str):
            if len(x) == 7:
                raise ValueError(message)
            return x
    """,
    "wrappers that look on": """
        def logged(function):
            calls = []
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                calls.append(len(args))
                result = function(*args, **kwargs)
                print("done")
                return result
            return wrapper

        def renamed(message):
            def around(function):
                @functools.wraps(function)
                def wrapper(*args, **kwargs):
                    warnings.warn(message)
                    return function(*args, **kwargs)
                return wrapper
            return around

        def doubled(function):
            def wrapper(x):
                return function(x) * 2
            return wrapper

        def g(x):
            return x + 1

        @logged
        @renamed("old")
        def f(x):
            return x + 2
    """,
    "one method of two names": """
        class Net(torch.nn.Module):
            def forward(self, x):
                return x * 2

            __call__ = forward

        f = Net()
    """,
    "overrides that pass on": """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 2
                self.layers = Layers([torch.nn.ReLU(), torch.nn.Sigmoid()])
            def __call__(self, *args, **kwargs):
                return super().__call__(*args, **kwargs)
            def __setattr__(self, name, value):
                super().__setattr__(name, value)
            def __getattr__(self, name):
                try:
                    return super().__getattr__(name)
                except AttributeError:
                    return getattr(self.layers, name)
            def train(self, mode=True):
                return super().train(mode)
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x * self.n

        class Layers(torch.nn.ModuleList):
            def __iter__(self):
                return iter(self._modules.values())

        f = Net()
    """,
    "branches that check": """
        def f(x, n: int):
            if not torch.jit.is_scripting():
                if not isinstance(x, Tensor):
                    raise TypeError(f"{type(x)}")
                kind = type(x)
                warnings.warn(f"{kind}")
            if not torch.jit.is_scripting():
                if n > 3:
                    return x * 1
                if isinstance(x, tuple):
                    x = x[0]
            if torch.jit.is_scripting():
                x = x.abs()
                return x.abs()
            flag = False
            if not torch.jit.is_scripting():
                flag = n > 3
            if flag:
                x = x * 1
            if torch.jit.is_scripting() and n > 5:
                raise ValueError("not when scripted")
            return x
    """,
    "a list that is copied before it is changed": """
        def f(x, sizes: Optional[List[int]] = None):
            if sizes is not None:
                copied: List[int] = []
                for size in sizes:
                    copied.append(size)
                sizes = copied
            if sizes is not None:
                sizes.append(3)
            return x * (len(sizes) if sizes is not None else 1)
    """,
}

DIFFERING = {
    "PDT100 checks": """
        def checked(limit):
            def around(function):
                @functools.wraps(function)
                def wrapper(x, n: int):
                    if n > limit:
                        raise ValueError("too much")
                    return function(x, n)
                return wrapper
            return around

        @checked(3)  # here
        def f(x, n: int):
            return x * n
    """,
    "PDT102 getattr": """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0
                self.scale = torch.nn.Parameter(torch.ones(1))
            def __getattr__(self, name):
                if name == "scale":
                    return super().__getattr__(name) * self.calls
                return super().__getattr__(name)
            def forward(self, x):
                self.calls += 1
                return x * self.scale  # here

        f = Net()
    """,
    "PDT102 in several ways": """
        class Layers(torch.nn.ModuleList):
            def __getitem__(self, index):  # here
                return super().__getitem__(-1 - index)
            def __iter__(self):  # here
                raise LookupError

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 2
                self.layers = Layers([torch.nn.ReLU(), torch.nn.Sigmoid()])
            def __setattr__(self, name, value):
                super().__setattr__(name, value * 10 if name == "n" else value)
            def train(self, mode=True):  # here
                return super().train(False)
            def forward(self, x):
                self.n = 3  # here
                return self.layers[0](x) * self.n

        f = Net()
    """,
    "PDT103 forward": """
        class Part(torch.nn.Module):
            def forward(self, x):
                return x * 2

        def tripled(self, x):  # here
            return x * 3

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = Part(), Part()
                self.two.forward = types.MethodType(tripled, self.two)
            def forward(self, x):
                return self.one(x) + self.two(x)

        f = Net()
    """,
    "PDT105 element": "def f(x, found: Dict[str, List[int]]):\n    found['a'].append(3)  # here\n    return x\n",
    "PDT110 union": "def f(x, a: Union[str, List[int]]):\n    return x * len(a)  # here\n",
    "PDT111 element": "def f(x, a: List[Any]):\n    return x if a[0] is None else -x  # here\n",
    "PDT111 default": "def f(x, mask=None):\n    return x if mask is None else x * 2  # here\n",
    "PDT112 sums": "def f(x, n: int):\n    return x * ((n + 1) or (n - 1))  # here\n",
    "PDT113 tensor": "def f(x, n: float):\n    return x * n if isinstance(n, Tensor) else -x * n  # here\n",
    "PDT114 device": "def f(x):\n    return x if x.device == 'cpu' else -x  # here\n",
    "PDT115 format": "def f(x, n: int):\n    return {'{:04d}'.format(n): x}  # here\n",
    "PDT117 rsplit": "def f(word: str):\n    return word.rsplit()  # here\n",
    "PDT120 hash": "def f(a: List[int]):\n    h = 7\n    for n in a:\n        h = h * 31 + n  # here\n    return h\n",
}
"""Programs with a trap of the code before them, on the marked line."""

DOUBTFUL = {
    "PDT107 doubtful": (
        "def f(x, n: int):\n    if torch.jit.is_scripting():  # here\n        return x * min(n, 3)\n    return x * n\n"
    ),
    "PDT116 doubtful": "def f(word: str):\n    return [c for c in word], word.upper()  # here\n",
    "PDT117 doubtful": "def f(word: str):\n    return word.zfill(4)  # here\n",
    "PDT118 doubtful": "def f(x, n: float):\n    return torch.full([2], n)  # here\n",
    "PDT120 doubtful": "def f(x, n: int):\n    return 1 << n  # here\n",
    "PDT121 doubtful": "def f(x, a: float, b: float):\n    return x * (a / b)  # here\n",
}
"""Programs whose results only differ for unusual values."""

ADVICE = {
    "PDT100": (
        "def g(x):\n    return x + 1\ndef doubled(x):\n    return x * 2\ndef f(x):\n    return doubled(g(x))\n", ONE,
    ),
    "PDT105": ("def f(x, seen: List[int]):\n    seen = seen + [3]\n    return x, seen\n", (ONE[0], [1])),
    "PDT112": ("def f(x, n: int, m: int):\n    return x * (n if n else 5) * (m if n else n)\n", (ONE[0], 3, 4)),
    "PDT113": ("def f(x, b: bool):\n    return x if isinstance(b, (bool, int)) else -x\n", (ONE[0], True)),
    "PDT114": ("def f(x):\n    return x if x.device.type == 'cpu' and x.shape == (1,) else -x\n", ONE),
    "PDT119": ("def f(x):\n    a = [1, 2]\n    for n in a[:]:\n        a.append(n)\n    return x * len(a)\n", ONE),
}  # fmt: skip

CALLS: dict[str, tuple[Any, ...]] = {
    **{"PDT101": (torch.ones(1, requires_grad=True),), "PDT105": (torch.ones(3), []), "PDT107": (torch.ones(1), 3)},
    **{"PDT110": (torch.ones(1), [1, 2]), "PDT111": (torch.ones(1), None), "PDT112": (torch.ones(1), 3)},
    **{"PDT113": (torch.ones(1), True), "PDT115": (torch.ones(1), 1.0), "PDT116": (torch.ones(1), "é")},
    **{"PDT117": (torch.ones(1), {"a": 1, "b": 2}), "PDT120": (torch.ones(1), 21)},
    **{"PDT121": (torch.ones(1), float("inf")), "PDT122": (torch.ones(1), torch.tensor(2.5))},
    **{"PDT100 checks": (torch.ones(1), 4), "PDT120 hash": ([1] * 20,), "PDT105 element": (ONE[0], {"a": [1]})},
    **{"PDT112 sums": (ONE[0], 3), "PDT113 tensor": (ONE[0], torch.tensor(2.0)), "PDT110 union": (ONE[0], "abc")},
    **{"PDT111 element": (ONE[0], [None]), "PDT115 format": (ONE[0], 3), "PDT117 rsplit": ("a  b",)},
    **{"PDT107 doubtful": (torch.ones(1), 4), "PDT116 doubtful": ("ä",), "PDT117 doubtful": ("-1",)},
    **{"PDT118 doubtful": (torch.ones(1), 2), "PDT120 doubtful": (torch.ones(1), 64)},
    "PDT121 doubtful": (torch.ones(1), 1.0, 0.0),
}
"""The arguments of programs and of the catalogue's examples, if they are not `torch.ones(1)` alone."""

TRAPS = [each for code, each in entries().items() if code >= "PDT100"]


def looked_at(source: str, folder: Path) -> tuple[Any, Any, tuple[Trap, ...]]:
    """The subject in Python, its scripted version, and the traps in it."""
    source = HEAD + dedent(source)
    subject = load(source, folder).f
    compilation = Compilation()
    compilation.run(subject)
    assert compilation.verdict.ok, compilation.verdict.failure
    found = traps.find(
        look_at(subject, compilation, lambda code: code.co_filename.startswith(str(folder)), {"forward"})
    )
    return load(source, folder).f, compilation.scripted, found


def shown(value: Any) -> Any:
    """A result as a caller sees it."""
    if isinstance(value, torch.Tensor):
        return value.tolist(), value.dtype, value.requires_grad
    if isinstance(value, dict):
        return {shown(key): shown(each) for key, each in value.items()}
    return [shown(each) for each in value] if isinstance(value, (list, tuple)) else (type(value), value)


def answer(function: Any, args: tuple[Any, ...]) -> Any:
    """The result of a call, its effects on the arguments, and the gradient of an input, if it has one."""
    own = [each if isinstance(each, torch.Tensor) else copy.deepcopy(each) for each in args]
    try:
        result = function(*own)
    except (ArithmeticError, RuntimeError, ValueError) as error:
        return type(error)
    return shown(result), shown(own)


def gradient(function: Any) -> Any:
    x = torch.ones(1, requires_grad=True)
    function(x).sum().backward()
    return shown(x.grad)


def sure(found: tuple[Trap, ...]) -> list[str]:
    """The traps of a program, except those for arguments of another type, which `test_border.py` tests."""
    return [trap.code for trap in found if not trap.doubtful and trap.code != border.CODE]


@pytest.mark.parametrize("name", QUIET)
def test_programs_without_a_trap(name: str, tmp_path: Path) -> None:
    _, _, found = looked_at(QUIET[name], tmp_path)
    assert sure(found) == []


@pytest.mark.parametrize("name", [*DIFFERING, *DOUBTFUL])
def test_programs_that_differ_have_a_trap_at_the_line(name: str, tmp_path: Path) -> None:
    eager, scripted, found = looked_at((DIFFERING | DOUBTFUL)[name], tmp_path)
    args = CALLS.get(name, ONE)
    assert answer(eager, args) != answer(scripted, args)
    told = [trap for trap in found if trap.code == name.partition(" ")[0]]
    lines = Path(told[0].place.file).read_text().splitlines()
    assert {trap.place.line for trap in told} == {at for at, line in enumerate(lines, 1) if line.endswith(MARK)}
    assert all(trap.place.column and trap.doubtful == (name in DOUBTFUL) for trap in told)
    assert name in DIFFERING or sure(found) == []


@pytest.mark.parametrize("each", TRAPS, ids=[each.code for each in TRAPS])
def test_the_examples_of_the_catalogue_differ(each: Any, tmp_path: Path) -> None:
    eager, scripted, found = looked_at(each.example, tmp_path)
    assert each.code in {trap.code for trap in found}
    for trap in found:  # the message has both behaviours and the remedy, but not the place
        assert "TorchScript" in trap.message and ("Python" in trap.message or trap.code in ("PDT110", "PDT111"))
        assert not re.search(r"\.py|[.;]$|  ", trap.message)
    if each.code == "PDT104":
        assert gradient(eager) != gradient(scripted)
    else:
        args = CALLS.get(each.code, ONE)
        assert answer(eager, args) != answer(scripted, args)


@pytest.mark.parametrize("code", ADVICE)
def test_what_is_advised_helps(code: str, tmp_path: Path) -> None:
    source, args = ADVICE[code]
    eager, scripted, found = looked_at(source, tmp_path)
    assert answer(eager, args) == answer(scripted, args)
    assert sure(found) == []

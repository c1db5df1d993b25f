"""Every advice is followed, as it is said: then what the compiler said of the fault is gone."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest
from compiler_messages import load

from pdt_annotate.blame.faults import FaultsFound, Hunt
from pdt_annotate.blame.front_end import NOT_ANNOTATED
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.processes.child.aside import aside
from pdt_annotate.values.verdicts import Fault, Part

PRELUDE = "from torch import nn\nfrom torch.nn import functional as F\n\n\n"

NOT_OF_THE_COMPILER = {NOT_ANNOTATED, "PDT052"}
"""Codes of the compiler's range that need examples, or a process that compiled before."""

Advise = Callable[..., list[dict[Fault, str]]]


@dataclass(frozen=True)
class Case:
    """A source that fails, and edits of it that follow the advice; `says` are words in that advice."""

    code: str
    says: str
    source: str
    edits: tuple[tuple[str, str], ...]

    @property
    def followed(self) -> str:
        text = self.source
        for old, new in self.edits:
            assert old in text, old
            text = text.replace(old, new)
        return text


def case(code: str, says: str, source: str, *edits: tuple[str, str]) -> Case:
    return Case(code, says, dedent(source).lstrip("\n"), edits)


def module(init: str, forward: str, before: str = "", body: str = "") -> str:
    """A module with one line in `__init__` and one in `forward`; "; " parts further lines of that."""
    lines = forward.replace("; ", "\n        ")
    return (
        f"{before}class M(nn.Module):\n    {body or 'pass'}\n\n    def __init__(self):\n        super().__init__()\n"
        f"        {init or 'pass'}\n\n    def forward(self, x):\n        {lines}\n\n\nf = M()\n"
    )


CASES = (
    # The function.
    case("PDT001", "Name the parameters", "def f(x, *args):\n    return x\n", (", *args", "")),
    case("PDT001", "Name the parameters", "def f(x, **kwargs):\n    return x\n", ("**kwargs", "scale: float = 1.0")),
    case("PDT002", "Remove the bare `*`", "def f(x, *, n: int = 2):\n    return x * n\n", (" *,", "")),
    case("PDT002", "or the default", "def f(x, *, n: int = 2):\n    return x * n\n", (" = 2", "")),
    case("PDT003", "Remove the `/`", "def f(x, /, y):\n    return x + y\n", (" /,", "")),
    case(
        "PDT003", "Give `y` a value before the loop",
        "def f(x, n: int):\n    for i in range(n):\n        y = x.relu()\n    return y\n",
        ("    for", "    y = x\n    for"),
    ),
    case(
        "PDT003", "before the branch, or in both", "def f(x, n: int):\n    if n > 2:\n        y = x\n    return y\n",
        ("    return", "    else:\n        y = x + 1\n    return"),
    ),
    case(
        "PDT003", "write in each what is done with `act`",
        "def f(x, n: int):\n    if n > 2:\n        act = F.relu\n    else:\n        act = F.gelu\n    return act(x)\n",
        ("act = F.relu", "x = F.relu(x)"), ("act = F.gelu", "x = F.gelu(x)"), ("return act(x)", "return x"),
    ),
    case(
        "PDT003",
        "write in each what is done with `part`",
        "def f(x, n: int):\n    if n > 2:\n        part = slice(0, 1)\n    else:\n        part = slice(0, 2)\n"
        "    return x[part]\n",
        ("part = slice(0, 1)", "x = x[0:1]"),
        ("part = slice(0, 2)", "x = x[0:2]"),
        ("return x[part]", "return x"),
    ),
    case(
        "PDT003", "at the top of the file", "def f(x):\n    return twice(x)\n",
        ("def f", "def twice(x):\n    return x * 2\n\n\ndef f"),
    ),
    case(
        "PDT004", "plain statements",
        "def f(x):\n    try:\n        return x + 1\n    except ValueError:\n        return x\n",
        ("    try:\n        return x + 1\n    except ValueError:\n        return x\n", "    return x + 1\n"),
    ),
    case(
        "PDT004", "if not torch.jit.is_scripting():", "def f(x):\n    global last\n    last = x\n    return x\n",
        ("    global last\n    last = x\n", "    if not torch.jit.is_scripting():\n        remember(x)\n"),
    ),
    case(
        "PDT004", "@torch.jit.ignore",
        "def g(x):\n    with open('a') as file:\n        file.read()\n    return x\n\n\ndef f(x):\n    return g(x)\n",
        ("def g", "@torch.jit.ignore\ndef g"),
    ),
    case(
        "PDT004", "index or slice", "def f(x):\n    n, *rest = x.shape\n    return rest\n",
        ("n, *rest = x.shape", "n, rest = x.shape[0], x.shape[1:]"),
    ),
    case(
        "PDT004", "join lists", "def f(x):\n    return x.view(*x.shape[:-1], 1)\n",
        ("*x.shape[:-1], 1", "list(x.shape[:-1]) + [1]"),
    ),
    case("PDT004", "the list `a` serves", "def f(x):\n    return f'{tuple(x.shape)}'\n", ("tuple(x.shape)", "x.shape")),
    case(
        "PDT004", "in its place", "def f(x):\n    g = lambda t: t * 2\n    return g(x)\n", ("g = lambda t: t * 2", ""),
        ("g(x)", "x * 2"),
    ),
    case(
        "PDT004", "instead of `map`, a comprehension",
        "def f(x):\n    q, k = map(lambda t: t * 2, x.chunk(2))\n    return q, k\n",
        ("map(lambda t: t * 2, x.chunk(2))", "[t * 2 for t in x.chunk(2)]"),
    ),
    case(
        "PDT004", "Name the arguments",
        "def g(x, scale: float):\n    return x * scale\n\n\ndef f(x):\n    return g(x, **{'scale': 2.0})\n",
        ("**{'scale': 2.0}", "scale=2.0"),
    ),
    case(
        "PDT004",
        "a loop with an `if`",
        "def f(a: List[int]):\n    b = [i for i in a if i > 1]\n    return b\n",
        (
            "b = [i for i in a if i > 1]",
            "b: List[int] = []\n    for i in a:\n        if i > 1:\n            b.append(i)",
        ),
    ),
    case("PDT004", "a list or a tuple", "def f(n: int):\n    return n in {1, 2}\n", ("{1, 2}", "(1, 2)")),
    case(
        "PDT004", "top of the file", "def f(x):\n    import math\n    return x * math.pi\n", ("    import math\n", ""),
        ("def f", "import math\n\n\ndef f"),
    ),
    case(
        "PDT004", "becomes a parameter", "def f(x, n: int):\n    def g(t):\n        return t * n\n    return g(x)\n",
        ("    def g(t):\n        return t * n\n", ""), ("def f", "def g(t, n: int):\n    return t * n\n\n\ndef f"),
        ("g(x)", "g(x, n)"),
    ),
    case("PDT004", "out of the f-string", "def f(n: int):\n    return f'{n!r} {n:03d}'\n", ("!r", ""), (":03d", "")),
    case(
        "PDT004", "`update` it", "def f(a: Dict[str, int], b: Dict[str, int]):\n    c = {**a, **b}\n    return c\n",
        ("{**a, **b}", "dict(a)\n    c.update(b)"),
    ),
    case(
        "PDT004", "`F.relu(x)` for `nn.ReLU()(x)`", "def f(x):\n    return nn.ReLU()(x)\n",
        ("nn.ReLU()(x)", "F.relu(x)"),
    ),
    case(
        "PDT004", "make the layer in `__init__`", module("pass", "return nn.ReLU()(x)"),
        ("        pass", "        self.act = nn.ReLU()"), ("nn.ReLU()(x)", "self.act(x)"),
    ),
    case(
        "PDT004", "Leave the class out",
        "import warnings\n\n\ndef f(x):\n    warnings.warn('old', UserWarning)\n    return x\n", (", UserWarning", ""),
    ),
    case(
        "PDT004",
        "in an `if` and its `else`",
        "def f(x, n: int):\n    g = torch.relu if n > 1 else torch.tanh\n    return g(x)\n",
        (
            "    g = torch.relu if n > 1 else torch.tanh\n    return g(x)",
            "    if n > 1:\n        return torch.relu(x)\n    else:\n        return torch.tanh(x)",
        ),
    ),
    case(
        "PDT005", "a loop with a list", "def f(x, n: int):\n    if n == 0:\n        return x\n    return f(x, n - 1)\n",
        ("    if n == 0:\n        return x\n    return f(x, n - 1)", "    while n > 0:\n        n -= 1\n    return x"),
    ),
    case(
        "PDT006", "without lambda or decorator",
        "import functools\n\n\n@functools.lru_cache\ndef f(x):\n    return x\n", ("@functools.lru_cache\n", ""),
    ),
    case(
        "PDT006", "without lambda", module("self.act = lambda x: x * 2", "return self.act(x)"),
        ("        self.act = lambda x: x * 2\n", ""),
        ("    def forward", "    def act(self, x):\n        return x * 2\n\n    def forward"),
    ),
    case(
        "PDT007", "an argument or a default", "N = 3\n\n\ndef f(x):\n    return x * N\n", ("(x)", "(x, n: int = N)"),
        ("* N", "* n"),
    ),
    case(
        "PDT007", "on the module", module("pass", "return x * N", "N = 3\n\n\n"),
        ("        pass", "        self.n = N"), ("x * N", "x * self.n"),
    ),
    case("PDT008", "a TorchScript type", "def f(x: Sequence[int]):\n    return x\n", ("Sequence", "List")),
    case(
        "PDT008", "a TorchScript type", "T = TypeVar('T')\n\n\ndef f(x: Union[T, List[T]]):\n    return x\n",
        ("Union[T, List[T]]", "Tensor"),
    ),
    case("PDT008", "a TorchScript type", "def f(d: dict):\n    return len(d)\n", ("dict", "Dict[str, int]")),
    # Types of values.
    case(
        "PDT010", "choose by a string", "def f(x, act: Callable[[Tensor], Tensor]):\n    return act(x)\n",
        ("Callable[[Tensor], Tensor]", "str"),
        ("return act(x)", "if act == 'relu':\n        return F.relu(x)\n    return F.gelu(x)"),
    ),
    case(
        "PDT011", "a List, or a Dict", "def f(seen: Set[int]):\n    return 1 in seen\n", ("Set[int]", "Dict[int, bool]")
    ),
    case(
        "PDT012", "torch.from_numpy before the call", "import numpy as np\n\n\ndef f(x: np.ndarray):\n    return x\n",
        ("np.ndarray", "Tensor"),
    ),
    case(
        "PDT013",
        "a submodule",
        "def f(x, layer: torch.nn.Linear):\n    return layer(x)\n",
        (
            "def f(x, layer: torch.nn.Linear):\n    return layer(x)\n",
            module("self.layer = nn.Linear(1, 1)", "return self.layer(x)"),
        ),
    ),
    case("PDT014", "pass a str", "def f(x: bytes):\n    return x\n", ("bytes", "str")),
    case(
        "PDT015", "the ends of the slice", "def f(x, part: slice):\n    return x[part]\n",
        ("part: slice", "a: int, b: int"), ("[part]", "[a:b]"),
    ),
    case(
        "PDT016", "a str or an int", "def f(x: Dict[Tuple[int, int], Tensor]):\n    return x\n",
        ("Tuple[int, int]", "int"),
    ),
    case(
        "PDT018", "@torch.jit.script above",
        "@dataclasses.dataclass\nclass Box:\n    a: int\n\n\ndef f(box: Box):\n    return box.a\n",
        ("@dataclasses", "@torch.jit.script\n@dataclasses"),
    ),
    case(
        "PDT018", "a NamedTuple",
        "@dataclasses.dataclass\nclass Box:\n    a: int\n\n\ndef f(box: Box):\n    return box.a\n",
        ("@dataclasses.dataclass\nclass Box", "class Box(NamedTuple)"),
    ),
    case(
        "PDT019",
        "a plain class",
        "class Base:\n    def g(self) -> int:\n        return 1\n\n\nclass Box(Base):\n"
        "    def __init__(self, a: int):\n        self.b = a\n\n\ndef f(box: Box):\n    return box.g()\n",
        ("class Base:\n    def g(self) -> int:\n        return 1\n\n\n", ""),
        ("class Box(Base):\n", "class Box:\n    def g(self) -> int:\n        return 1\n\n"),
    ),
    case(
        "PDT019",
        "`F.layer_norm(…)` for a LayerNorm",
        """
        class M(nn.LayerNorm):
            def forward(self, x):
                return super().forward(x.float())


        f = M(2)
        """,
        (
            "super().forward(x.float())",
            "F.layer_norm(x.float(), self.normalized_shape, self.weight, self.bias, self.eps)",
        ),
    ),
    case(
        "PDT019", "method of another name",
        """
        class Base(nn.Module):
            def forward(self, x):
                return x + 1


        class M(Base):
            def forward(self, x):
                return super().forward(x) * 2


        f = M()
        """,
        ("        return x + 1\n", "        return self.add(x)\n\n    def add(self, x):\n        return x + 1\n"),
        ("super().forward(x)", "self.add(x)"),
    ),
    case(
        "PDT019", "method of another name",
        """
        class Base(nn.Module):
            def scale(self, x):
                return x + 1


        class M(Base):
            def scale(self, x):
                y = super().scale(x)
                return y * 2

            def forward(self, x):
                return self.scale(x)


        f = M()
        """,
        ("        return x + 1\n", "        return self.add(x)\n\n    def add(self, x):\n        return x + 1\n"),
        ("super().scale(x)", "self.add(x)"),
    ),
    case(
        "PDT019", "in `__init__`", module("self.box = Box()", "return x * self.box.a", "class Box:\n    a = 1\n\n\n"),
        ("    a = 1", "    def __init__(self):\n        self.a = 1"),
    ),
    case(
        "PDT020", "Refine with isinstance", "def f(x: Union[Tensor, str]):\n    return x * 2\n",
        ("    return x * 2", "    if isinstance(x, Tensor):\n        return x * 2\n    return torch.ones(1)"),
    ),
    case(
        "PDT021", "one of these types",
        "class Mode(enum.Enum):\n    A = 1\n    B = 'b'\n\n\ndef f(mode: Mode):\n    return mode == Mode.A\n",
        ("'b'", "2"),
    ),
    case(
        "PDT022", "a TorchScript type", "class Out(NamedTuple):\n    a: Any\n\n\ndef f(out: Out):\n    return out.a\n",
        ("Any", "int"),
    ),
    # What the compiler says of the body.
    case(
        "PDT040", "float(n)", "def g(x: float):\n    return x\n\n\ndef f(n: int):\n    return g(n)\n",
        ("g(n)\n", "g(float(n))\n"),
    ),
    case("PDT040", "2.0", "def f(x):\n    return F.normalize(x, p=2, dim=1)\n", ("p=2", "p=2.0")),
    case(
        "PDT040", "change the callee's annotation",
        "def g(x: float):\n    return x\n\n\ndef f(n: int):\n    return g(n)\n", ("x: float", "x: int"),
    ),
    case(
        "PDT040", "`a: List[int] = []`", "def f(n: int):\n    a = []\n    a.append(n)\n    return a\n",
        ("a = []", "a: List[int] = []"),
    ),
    case(
        "PDT040", "`a: Dict[int, Tensor] = {}`", "def f(x, n: int):\n    a = {}\n    return a[n]\n",
        ("a = {}", "a: Dict[int, Tensor] = {}"),
    ),
    case(
        "PDT040", "as the signature in the message has it", "def f(x):\n    return x.sum(dim=0, keepdims=True)\n",
        ("keepdims", "keepdim"),
    ),
    case("PDT040", "and no more", "def g(x):\n    return x\n\n\ndef f(x):\n    return g(x, 1)\n", ("g(x, 1)", "g(x)")),
    case(
        "PDT041", "Annotate the first assignment",
        "def f(x):\n    a = None\n    for i in range(2):\n        a = x\n    return a\n",
        ("a = None", "a: Optional[Tensor] = None"),
    ),
    case(
        "PDT041", "a value of the final type",
        "def f(x):\n    a = 0\n    for i in range(2):\n        a = 0.5\n    return a\n", ("a = 0\n", "a = 0.0\n"),
    ),
    case("PDT041", "t.tolist()", "def f(t):\n    a = t.tolist()\n    return a\n", ("a =", "a: List[int] =")),
    case(
        "PDT041", "`torch.tensor(1.0)` beside a Tensor",
        "def f(x, n: int):\n    if n > 2:\n        a = x.std()\n    else:\n        a = 1\n    return x / a\n",
        ("a = 1\n", "a = torch.tensor(1.0)\n"),
    ),
    case("PDT041", "Drop the line", "def f(x):\n    n: int\n    n = x.size(0)\n    return n\n", ("    n: int\n", "")),
    case(
        "PDT042", "Return one type", "def f(x, n: int):\n    if n > 2:\n        return x\n    return 1\n",
        ("return 1", "return x + 1"),
    ),
    case(
        "PDT042", "a Union or Optional", "def f(x, n: int):\n    if n > 2:\n        return x\n    return 1\n",
        ("n: int)", "n: int) -> Union[Tensor, int]"),
    ),
    case("PDT042", "one type", "def f(x, n: int):\n    return x if n > 2 else 1\n", ("else 1", "else torch.ones(1)")),
    case(
        "PDT042", "with a `return` or a `raise`", "def f(x, n: int) -> Tensor:\n    if n > 2:\n        return x\n",
        ("        return x\n", "        return x\n    raise ValueError('n')\n"),
    ),
    case(
        "PDT043", "in the class body", module("self.state = None", "self.state = x; return x"),
        ("    pass\n\n", "    state: Optional[Tensor]\n\n"),
    ),
    case(
        "PDT043", "in the class body", module("self.sizes = []", "self.sizes.append(1); return x"),
        ("    pass\n\n", "    sizes: List[int]\n\n"),
    ),
    case(
        "PDT043", "`K: Final[int] = 3`", module("pass", "return x * self.K", body="K = 3"),
        ("K = 3", "K: Final[int] = 3"),
    ),
    case(
        "PDT043", "whatever the configuration",
        """
        class M(nn.Module):
            def __init__(self, wide=False):
                super().__init__()
                self.wide = wide
                if wide:
                    self.layer = nn.Linear(2, 2)

            def forward(self, x):
                if self.wide:
                    x = self.layer(x)
                return x


        f = M()
        """,
        ("if wide:\n            self.layer = nn.Linear(2, 2)", "self.layer = nn.Linear(2, 2) if wide else None"),
        ("if self.wide", "if self.layer is not None"),
    ),
    case("PDT043", "one underscore", module("self.__n = 2", "return x * self.__n"), ("__n", "_n")),
    case(
        "PDT043", "attributes of their own", module("self.config = slice(2)", "return x * self.config.stop"),
        ("self.config =", "self.stop = 2\n        self.config ="), ("self.config.stop", "self.stop"),
    ),
    case(
        "PDT044", "Set it in __init__", module("pass", "self.y = x; return x"),
        ("        pass", "        self.y = torch.ones(1)"),
    ),
    case("PDT044", "one underscore", module("self.__n = 2", "self.__n = 3; return x"), ("__n", "_n")),
    case(
        "PDT045", "if y is not None", "def f(x, y: Optional[Tensor]):\n    return x + y\n",
        ("    return x + y", "    if y is not None:\n        x = x + y\n    return x"),
    ),
    case(
        "PDT045", "if y is not None else z", "def f(y: Optional[float]):\n    return y or 1.0\n",
        ("y or 1.0", "y if y is not None else 1.0"),
    ),
    case(
        "PDT045", "copy an attribute to a local",
        module("self.y = None", "if self.y is not None:; \tx = x + self.y; return x", body="y: Optional[Tensor]"),
        ("if self.y", "y = self.y\n        if y"), ("x + self.y", "x + y"),
    ),
    case("PDT046", "`n: Optional[int]`", "def f(x, n: int = None):\n    return x\n", ("int", "Optional[int]")),
    case("PDT046", "`n: float`", "def f(x, n: int = 1.0):\n    return x * n\n", ("int", "float")),
    case("PDT047", "a tuple for a List", "def f(x, sizes: List[int] = []):\n    return x\n", ("[]", "()")),
    case(
        "PDT048", "by an annotation", "def f(x):\n    a = []  # type: List[int]\n    return a\n",
        ("a = []  # type: List[int]", "a: List[int] = []"),
    ),
    case(
        "PDT049", "write that line otherwise", "def f(x, name: str):\n    return getattr(x, name)\n",
        ("getattr(x, name)", "x.T"),
    ),
    case(
        "PDT050",
        "Loop over the ModuleList",
        module(
            "self.layers = nn.ModuleList([nn.Linear(2, 2)])", "for i in range(1):; \tx = self.layers[i](x); return x"
        ),
        ("for i in range(1)", "for i, layer in enumerate(self.layers)"),
        ("self.layers[i](x)", "layer(x)"),
    ),
    case(
        "PDT050",
        "Unpack by literal index",
        module(
            "self.layers = nn.ModuleList([nn.ModuleList([nn.ReLU(), nn.ReLU()])])",
            "for a, b in self.layers:; \tx = b(a(x)); return x",
        ),
        ("for a, b in", "for pair in"),
        ("b(a(x))", "pair[1](pair[0](x))"),
    ),
    case(
        "PDT051", "Annotate the hook",
        module("pass", "return x", "def hook(self, input, output):\n    return output\n\n\n")
        + "f.register_forward_hook(hook)\n",
        ("input, output)", "input: Tuple[Tensor], output: Tensor)"),
    ),
    case(
        "PDT051",
        "`remove_weight_norm`",
        module("self.conv = nn.utils.weight_norm(nn.Conv1d(1, 1, 1))", "return self.conv(x)"),
        (
            "nn.utils.weight_norm(nn.Conv1d(1, 1, 1))",
            "nn.utils.remove_weight_norm(nn.utils.weight_norm(nn.Conv1d(1, 1, 1)))",
        ),
    ),
    case(
        "PDT053", "Simplify the annotation", "def f(x: Union[int, torch.dtype]):\n    return 1\n",
        ("Union[int, torch.dtype]", "int"),
    ),
    case(
        "PDT054", "annotate it where it gets its name", "def f(x):\n    return x.items()\n",
        ("(x)", "(x: Dict[str, int])"),
    ),
    case("PDT054", "write what this type can do", "def f(x):\n    return x.items()\n", ("x.items()", "x.unbind()")),
    case(
        "PDT054", "`is not None`", module("self.act = None", "if self.act:; \tx = self.act(x); return x"),
        ("if self.act:", "if self.act is not None:"),
    ),
    case(
        "PDT054", "if self.act is not None:", module("self.act = None", "x = self.act(x); return x"),
        ("x = self.act(x)", "if self.act is not None:\n            x = self.act(x)"),
    ),
    case(
        "PDT054",
        "attributes of their own",
        module(
            "self.config = Config(2)", "return x * self.config.width", "class Config(NamedTuple):\n    width: int\n\n\n"
        ),
        ("self.config = Config(2)", "config = Config(2)\n        self.width = config.width"),
        ("self.config.width", "self.width"),
    ),
    case(
        "PDT055", "an annotated local first",
        "def f(n: int):\n    rows: List[List[int]] = []\n    rows.append([])\n    rows[0].append(n)\n    return rows\n",
        ("    rows.append([])", "    row: List[int] = []\n    rows.append(row)"),
    ),
    case(
        "PDT056", "a class of `typing.NamedTuple` at the top of the file",
        "import collections\n\n\ndef f(x):\n    point = collections.namedtuple('point', ['x'])\n    return point(x)\n",
        ("    point = collections.namedtuple('point', ['x'])\n", ""),
        ("def f", "class point(NamedTuple):\n    x: Tensor\n\n\ndef f"),
    ),
    case(
        "PDT056", "functions that TorchScript has",
        "import statistics\n\n\ndef f(x: List[float]):\n    return statistics.mean(x)\n",
        ("statistics.mean(x)", "torch.tensor(x).mean()"),
    ),
    case(
        "PDT059", "give the module its sizes", module("self.proj = nn.LazyLinear(2)", "return self.proj(x)"),
        ("nn.LazyLinear(2)", "nn.Linear(3, 2)"),
    ),
    case(
        "PDT056", "if not torch.jit.is_scripting()",
        module("self.rnn = nn.LSTM(2, 2)", "self.rnn.flatten_parameters(); return self.rnn(x)[0]"),
        ("self.rnn.flat", "if not torch.jit.is_scripting():\n            self.rnn.flat"),
    ),
)  # fmt: skip


@pytest.fixture
def advise(tmp_path: Path) -> Advise:
    """What is found in each of some sources, each fault with what to do about it first."""

    def search(modules: list[ModuleType]) -> list[FaultsFound]:
        return [Hunt({}, lambda file, own=module.__file__: file == own).search(module.f) for module in modules]

    def run(*sources: str) -> list[dict[Fault, str]]:
        modules = [load(PRELUDE + source, tmp_path) for source in sources]
        found = aside(search, modules)
        assert found is not None
        return [
            {fault: remedies(fault, Part("", "f"), _definition(module, fault), is_entered=True)[0] for fault in faults}
            for module, faults in zip(modules, (each.faults for each in found), strict=True)
        ]

    return run


def _definition(loaded: ModuleType, fault: Fault) -> ast.FunctionDef | None:
    tree = ast.parse(inspect.getsource(loaded))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return next((node for node in found if fault.owner and node.lineno == fault.owner.line), None)


@pytest.mark.parametrize("each", CASES, ids=lambda each: f"{each.code} {each.says}")
def test_what_is_done_as_said_ends_the_message(each: Case, advise: Advise) -> None:
    said, after = advise(each.source, each.followed)
    assert {fault.code for fault in said} == {each.code}
    assert any(each.says in advice for advice in said.values()), said.values()
    assert after == {}


def test_every_code_that_a_tree_can_give_is_followed() -> None:
    given = {code for code in entries() if "PDT001" <= code <= "PDT022" or "PDT040" <= code <= "PDT056"} | {"PDT059"}
    shown_before = {"PDT017"}  # the evidence knows better, and the compiler gives another code
    assert given - NOT_OF_THE_COMPILER - shown_before == {each.code for each in CASES}


HINTS = [(code, hint.advice) for code, entry in entries().items() for hint in entry.hints if code != "PDT060"]
"""Those about messages of the compiler."""


@pytest.mark.parametrize(("code", "advice"), HINTS)
def test_every_hint_is_followed(code: str, advice: str) -> None:
    assert any(each.code == code and each.says in advice for each in CASES)


LEFT_OUT = {
    "function": "@torch.jit.unused\ndef g(x):\n    return {x}\n\n\n"
    "def f(x):\n    return g(x) if x.size(0) > 9 else x\n",
    "method with another result": """
        class M(nn.Module):
            @torch.jit.unused
            def g(self, x) -> int:
                return len({1})

            def forward(self, x):
                return self.g(x) if x.size(0) > 9 else 1


        f = M()
    """,
    "property": """
        class M(nn.Module):
            @property
            @torch.jit.unused
            def g(self):
                return {1}

            def forward(self, x):
                return x


        f = M()
    """,
    "call under a guard": "def g(*x):\n    print(x)\n\n\n"
    "def f(x):\n    if not torch.jit.is_scripting():\n        g(x)\n    return x\n",
}


@pytest.mark.parametrize("source", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_no_example_enters_can_be_left_out(source: str, advise: Advise) -> None:
    without = source.replace("@torch.jit.unused", "").replace("not torch.jit.is_scripting()", "x.size(0) > 9")
    left_out, found = advise(dedent(source), dedent(without))
    assert left_out == {} and found != {}

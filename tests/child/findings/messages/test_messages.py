"""classify: real messages of the real compiler, each provoked by a small source."""

import sys

import pytest
import torch
from compiler_messages import compile_failure, load
from torch_differences import holds

from pdt_annotate.findings.catalogue import entries
from pdt_annotate.findings.messages import PATTERNS, UNKNOWN, classify, code_of
from pdt_annotate.values.judges import ALSO_RUNS, BEHAVES, CALLS, PUBLIC, UNDONE
from pdt_annotate.values.verdicts import Failure, Verdict

MODULE = "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"


@pytest.mark.parametrize(
    "message",
    ["", "disk full", "KeyError: 'x'", "getattr's second argument must be a string literal: \n  File 'a.py', line 3"],
)
def test_leaves_other_messages_unexplained(message):
    assert classify(message) == UNKNOWN


def f(body, parameters="x", before=""):
    return before + f"def f({parameters}):\n    {body}\n"


def m(init, forward, parameters="x", body="", after="f = M()\n"):
    head = MODULE.replace("Module):\n", f"Module):\n    {body}\n", 1) if body else MODULE
    return head + f"        {init}\n\n    def forward(self, {parameters}):\n        {forward}\n\n\n{after}"


HOOK = "def h(self, input{}, output{}){}:\n    return output\n\n\nf = M()\nf.register_forward_hook(h)\n"
PRE_HOOK = "def h(self, input: Tuple[Tensor]):\n    return input\n\n\nf = M()\nf.register_forward_pre_hook(h)\n"

SUBMODULE = "class Sub(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n\n" + m(
    "self.sub = Sub()", "return self.sub(x)", body="sub: {}"
)

MESSAGES = {
    "PDT001": [f("return x", "x, *args"), f("return x", "x, **kw"), f("return x", "a,*args, x: int")],
    "PDT002": [f("return x * n", "x, *, n: int = 2"), f("return x * n", "\n    x,\n    *,\n    n: int = 2,\n")],
    "PDT003": [
        f("return x + y", "x, /, y"),
        f("for i in range(3):\n        y = i\n    return y"),
        f("if x.sum() > 0:\n        y = x\n    return y"),
    ],
    "PDT004": [
        f("yield x"),
        f("try:\n        return x\n    except ValueError:\n        return x"),
        f("s = {1, 2}\n    return x"),
        f("g = lambda y: y\n    return g(x)"),
        f("if (n := x.size(0)) > 1:\n        return n\n    return 0"),
        f("match x.dim():\n        case 1:\n            return x\n    return x"),
        f("d = {'a': x}\n    e = {**d}\n    return e"),
        f("d = {'a': x}\n    return g(**d)", before="def g(a):\n    return a\n\n\n"),
        f("import math\n    return x"),
        f("with open('a') as h:\n        return x"),
        f("def g(y):\n        return y\n    return g(x)"),
        f("return f'{x:03d}'", "x: int"),
        f("return vars(x)"),
        f("global q\n    q = x\n    return x"),
        f("return [j for i in x for j in i]", "x: List[List[int]]"),
        f("for i in range(2):\n        pass\n    else:\n        x = x + 1\n    return x"),
        f("a, *b = x\n    return b", "x: List[int]"),
        f("class A:\n        pass\n    return x"),
        f("return {k: v for k, v in x.items() if v}", "x: Dict[str, int]"),
        f("print(x, sep='')\n    return x"),
        f("x @= x\n    return x"),
        f("return b'a'"),
        f("return hasattr(x, 'a')"),
        f("return sorted(x, key=len)", "x: List[str]"),
        "@torch.jit._overload\n" + f("...", "x: int") + "\n\n" + f("return x"),
    ],
    "PDT005": [f("return x if n == 0 else f(x, n - 1)", "x, n: int")],
    "PDT006": [
        f("return x", before="import functools\n\n\n@functools.lru_cache\n"),
        "f = lambda x: x\n",
        f("return g(x)", before="g = lambda x: x\n\n\n"),
        m("self.act = lambda x: x", "return self.act(x)"),
    ],
    "PDT007": [
        f("return x * N", before="N = 3\n\n\n"),
        f("return x * N[0]", before="N = [3]\n\n\n"),
        f("return x + T", before="T = torch.ones(1)\n\n\n"),
    ],
    "PDT008": [
        f("return x", "x: Sequence[int]"),
        f("return x", "x: Tuple[int, ...]"),
        f("return x", "x: List"),
        f("return x", "x: 'Nope'"),
        f("return isinstance(x, dict)"),
        f("return x", "x: Dict"),
        f("return x", "x: dict"),
        f("return x", "x: 'int | None'"),
        f("return x", "x: type(None)"),
        "def f(x) -> (Tensor, int):\n    return x, 1\n",
        f("return x", "x: torch.Size"),
        f("return x", "x: Literal['a']"),
        f("return p.a", "p: P", before="class P(NamedTuple):\n    a: set\n\n\n"),
    ],
    "PDT010": [
        f("return act(x)", "x, act: Callable"),
        f("return act(x)", "x, act: Callable[[Tensor], Tensor]"),
        "import functools\n\n\n" + m("self.act = functools.partial(torch.clamp, min=0)", "return self.act(x)"),
    ],
    "PDT011": [f("return x", "x, s: Set[int]"), f("return x", "x, s: set"), f("return x", "x, s: FrozenSet[int]")],
    "PDT012": [
        f("return x", "x: np.ndarray", before="import numpy as np\n\n\n"),
        m("self.a = torch.zeros(1).numpy()", "return x", body="import numpy\n    a: numpy.ndarray"),
    ],
    "PDT013": [f("return m(x)", "x, m: torch.nn.Module"), f("return m(x)", "x, m: torch.nn.Bilinear")],
    "PDT014": [f("return x", "x: bytes")],
    "PDT015": [f("return x[s]", "x, s: slice"), f("return x", "x, s: range"), f("return x", "x, s: type")],
    "PDT016": [f("return x", "x: Dict[Tuple[int, int], Tensor]"), f("return x", "x: Dict[Optional[int], int]")],
    "PDT018": [
        f("return d.a", "d: D", before="import dataclasses\n\n\n@dataclasses.dataclass\nclass D:\n    a: int\n\n\n")
    ],
    "PDT019": [
        "class B:\n    def __init__(self, a: int):\n        self.a = a\n\n\nclass C(B):\n"
        "    def __init__(self, a: int):\n        super().__init__(a)\n\n\n" + f("return 1", "c: C"),
        "class B:\n    def g(self) -> int:\n        return 1\n\n\nclass C(B):\n"
        "    def __init__(self, a: int):\n        self.b = a\n\n\n" + f("return c.g()", "c: C"),
        m(
            "pass",
            "return x",
            after="class N(M):\n    def forward(self, x):\n        return super().forward(x)\n\n\nf = N()\n",
        ),
    ],
    "PDT020": [f("return x * 2", "x: Union[Tensor, float]"), f("return x.sum()", "x: Union[Tensor, int]")],
    "PDT021": [
        f("return c == C.A", "c: C", before="class C(enum.Enum):\n    A = 1\n    B = 'b'\n\n\n"),
        f("return c == C.A", "c: C", before="class C(enum.Enum):\n    A = (1,)\n\n\n"),
    ],
    "PDT022": [f("return c.a", "c: C", before="class C(NamedTuple):\n    a: Any\n\n\n")],
    "PDT040": [
        f("a: List[List[int]] = []\n    a.append([x])\n    return a"),
        f("a: Dict[str, int] = {}\n    a['b'] = x\n    return a, {}"),
        f("return g(n)", "n: int", before="def g(x: float):\n    return x\n\n\n"),
        f("a = []\n    a.append(n)\n    return a", "n: int"),
        f("a = {}\n    a[n] = n\n    return a", "n: int"),
        f("return x.split(',')"),
        f("return g([1, 2])", before="def g(x: List[float]):\n    return x\n\n\n"),
        f("return g(x.chunk(2))", before="def g(x: Tuple[Tensor, Tensor]):\n    return x\n\n\n"),
        f("return g(n)", "n: int", before="def g(x):\n    return x\n\n\n"),
        f("return g(x, b=1)", before="def g(a):\n    return a\n\n\n"),
        f("return g()", before="def g(a):\n    return a\n\n\n"),
    ],
    "PDT041": [
        f("a = None\n    for i in range(2):\n        a = x\n    return a"),
        f("s = 0\n    for i in range(3):\n        s = s + x\n    return s", "x: float"),
        f("s: float = 0\n    return s"),
        f("a: Tensor\n    a = x\n    return a"),
        f("a: List[Optional[Tensor]] = [None] * n\n    return a", "n: int"),
        f("a = x.tolist()\n    return a"),
        f("a: List[List[int]] = [[x] for i in range(3)]\n    return a"),
        f("a: List[int] = {}\n    return a"),
        f("s = 0\n    for i in range(3):\n        s = s + 0.5\n    return s"),
    ],
    "PDT042": [
        f("if b:\n        return x\n    return 1", "x, b: bool"),
        f("if b:\n        return x, 1\n    return x", "x, b: bool"),
        "def f(x, b: bool) -> Tensor:\n    if b:\n        return x\n    return 1\n",
        "def f(x, b: bool) -> Tensor:\n    if b:\n        return x\n",
        f("return x if b else 1", "x, b: bool"),
        "def f(x: float) -> float:\n    return 1\n",
    ],
    "PDT043": [
        m("self.x = None", "self.x = x"),
        m("self.items = []", "return len(self.items)"),
        m("self.n = 0", "self.n = 0.5"),
        m("self.n = 0.5", "return x * self.n", body="n: int"),
        m("self.n = {1}", "return x", body="n: Set[int]"),
        m("self.n = 1", "return x", body="n: 'int'"),
        m("pass", "return x * self.K", body="K = 3"),
        m("self.n = 1", "return x", body="n: Optional[Set[int]]"),
        m("self.n = 'a'", "return x", body="n: int"),
    ],
    "PDT044": [m("pass", "self.y = x")],
    "PDT045": [
        f("return x + y", "x, y: Optional[Tensor]"),
        f("return y.sum()", "x, y: Optional[Tensor]"),
        f("if y:\n        return x\n    return x", "x, y: Optional[Tensor]"),
        f("n = n or 3\n    return x * n", "x, n: Optional[int]"),
        f("return n[0]", "n: Optional[List[int]]"),
        f("for i in n:\n        print(i)", "n: Optional[List[int]]"),
        "def f(n: Optional[int]) -> int:\n    return n\n",
        f("return x + mask", "x, mask: None"),
        m("self.b = None", "return x if self.b is None else x + self.b", body="b: Optional[Tensor]"),
    ],
    "PDT046": [
        f("return x * n", "x, n=3"),
        f("return x", "x, n: int = None"),
        f("return x", "x, n='a'"),
        f("return g(x)", before="def g(x, mask: Tensor = None):\n    return x\n\n\n"),
    ],
    "PDT047": [f("return x", "x, n: List[int] = []")],
    "PDT048": [
        f("a = []  # type: List[int]\n    return a"),
        f("# type: (int, int) -> int\n    return x"),
        f("#type: (int) -> int\n    return x"),
        "def f(x):\n    # type: (Tensor, int) -> Tensor\n    return x\n",
    ],
    "PDT050": [
        m("self.ls = torch.nn.ModuleList([torch.nn.ReLU()])", "return self.ls[i](x)", "x, i: int"),
        m("self.ls = torch.nn.ModuleDict({'a': torch.nn.ReLU()})", "return self.ls[i](x)", "x, i: str"),
        SUBMODULE.format("Sub"),
        SUBMODULE.format("Optional[Sub]"),
    ],
    "PDT051": [
        m("pass", "return x", after=HOOK.format("", "", "")),
        m("pass", "return x", after=HOOK.format(": Tuple[int]", ": Tensor", "")),
        m("pass", "return x", after=PRE_HOOK),
    ],
    "PDT053": [
        f("return x", "x: Union[Tensor, torch.nn.Parameter]"),
        f("return 1", "x: Union[int, torch.dtype]"),
        f("return 1", "x: Union[int, Any]"),
    ],
    "PDT054": [
        f("return x.items()"),
        f("return act(x)", "x, act"),
        f("a, b = x\n    return a"),
        f("return [i for i in x]", "x: int"),
        f("return x[0]", "x: bool"),
        f("return x['a']"),
        f("for i in range(n):\n        x = x + i\n    return x", "x, n"),
        f("x.a = y\n    return x", "x, y"),
        f("return x[0]", "x: Any"),
        f("return x.a", "x: Any"),
        f("return torch.nope(x)"),
        m("self.p = P(1)", "return x * self.p.a").replace("class M", "class P(NamedTuple):\n    a: int\n\n\nclass M"),
    ],
    "PDT055": [
        f("a: List[List[int]] = [[], []]\n    return a"),
        f("a: List[List[int]] = [[] for i in range(3)]\n    return a"),
        f("a: List[List[int]] = [[]] * 3\n    return a"),
        f("a: Dict[str, List[int]] = {'a': []}\n    return a"),
        f("a: Dict[int, List[int]] = {}\n    a[0] = []\n    return a"),
        f("a: List[Dict[str, int]] = []\n    a.append({})\n    return a"),
        f("a: List[List[int]] = [\n        [],\n    ]\n    return a"),
    ],
    "PDT059": [m("self.p = torch.nn.LazyLinear(2)", "return self.p(x)")],
}


if holds("refuses a module of torch's as the annotation of an attribute"):
    MESSAGES["PDT050"] += [
        m("self.l = torch.nn.ReLU()", "return self.l(x)", body="l: torch.nn.ReLU"),
        m("self.ls = torch.nn.ModuleList([])", "return x", body="ls: torch.nn.ModuleList"),
    ]

if sys.version_info < (3, 14):  # there it is a function with `*`, which is said first
    MESSAGES["PDT006"].append(f("return os.path.join(x, 'a')", "x: str", before="import os\n\n\n"))


def compiler_message(source, folder):
    failure = compile_failure(load(source, folder).f)
    return failure.text if failure else ""


@pytest.mark.parametrize("code", MESSAGES)
def test_compiler_messages(code, tmp_path):
    said = {source: compiler_message(source, tmp_path) for source in MESSAGES[code]}
    assert all(said.values()), "every source must fail to compile"
    assert {source: classify(text) for source, text in said.items()} == dict.fromkeys(said, code)


def test_a_class_whose_compilation_failed_before(tmp_path):
    module = load(m("pass", "return self.g(x)", after="    def g(self, x):\n        return x + 'a'\n"), tmp_path)
    said = []
    for _ in range(2):
        with pytest.raises(RuntimeError) as caught:
            torch.jit.script(module.M())
        said.append(classify(str(caught.value)))
    assert said == ["PDT040", "PDT052"]


@pytest.mark.parametrize(
    ("source", "arguments", "code"),
    [
        (f("return n", "n: int"), (2.5,), "PDT061"),
        (f("return n", "n: int"), (), "PDT061"),
        (f("return n", "n: int"), (1, 2), "PDT061"),
        (f("return x", "x: Any"), (slice(1),), "PDT061"),
        (f("return x[3]", "x: List[int]"), ([1],), "PDT061"),
        (f("return n", "n: Union[int, float]"), (True,), "PDT064"),
        (f("return n", "n: Union[int, float]"), ("a",), "PDT061"),
    ],
)
def test_messages_of_a_scripted_call(source, arguments, code, tmp_path):
    scripted = torch.jit.script(load(source, tmp_path).f)
    with pytest.raises(Exception) as caught:
        scripted(*arguments)
    assert classify(str(caught.value)) == code


def test_every_code_in_the_table_is_in_the_catalogue():
    assert {code for _, code in PATTERNS} | {UNKNOWN} <= set(entries())


@pytest.mark.parametrize("judge", [UNDONE, PUBLIC, CALLS, BEHAVES, ALSO_RUNS])
def test_a_judge_of_mends_has_a_code_whatever_it_says(judge):
    code = code_of(Verdict(judge, ok=False, failure=Failure("Set aren't supported")))
    assert code == ("PDT095" if judge == ALSO_RUNS else "PDT094")

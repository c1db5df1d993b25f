"""Functions, their parameters and their locals."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from mend_cases import IMPORTS, NET, Alike, Case, Form
from mended import held

from pdt_annotate.values.mends import Held, HeldValue, MendKind, Variadic
from pdt_annotate.values.types import TypeExpr

CASES: dict[str, list[Case]] = {}
ALIKE: dict[str, Alike] = {}

OWN_GRADIENT = """\
import torch
from torch import nn
from torch.autograd import Function


class Double(Function):
    @staticmethod
    def forward(ctx, x, n: int = 2):
        ctx.save_for_backward(x)
        ctx.n = n
        {}

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.n, None


{}double = Double.apply


class Net(nn.Module):
    def forward(self, x):
        ys = {}
        return ys[0] + ys[1]
"""
OWN_FORWARD = """\
def _double_forward(x, n: int=2):
    if torch.jit.is_scripting():
        return x, x * n
    else:
        return Double.apply(x, n)


"""
RETURNED = "return x, x * n"
OF_CLASS = OWN_GRADIENT.replace("@staticmethod\n    def forward(", "@classmethod\n    def forward(cls, ")

INSIDE = """\
import torch
from torch import nn


class Swish(nn.Module):
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

    def forward(self, x):
        return {}


{}"""
INSIDE_AFTER = """\
def _swish_f_forward(x):
    if torch.jit.is_scripting():
        return x * 2
    else:
        return Swish.F.apply(x)


class Net:
    pass
"""
CASES["autograd_functions"] = [
    *Form().mends(
        (
            INSIDE.format("self.F.apply(x)", "class Net:\n    pass\n"),
            INSIDE.format("_swish_f_forward(x)", INSIDE_AFTER),
        )
    ),
    *Form().alone(
        INSIDE.format("self.G.apply(x)", ""),
        INSIDE.format("self.F.apply(x)", "class Heir(Swish):\n    class F:\n        pass\n"),
    ),
    *Form().alone(
        *(
            OWN_GRADIENT.format(*each)
            for each in (
                ("return x, x * ctx.n", "", "double(x, 2)"),
                ("return helper(ctx, x)", "", "double(x, 2)"),
                ("ctx.y = torch.rand(2)\n        return x, x", "", "double(x, 2)"),
                ("if n:\n            ctx.y = n\n        return x, x", "", "double(x, 2)"),
                (RETURNED, "", "double(x)"),
                (RETURNED, "", "Net.apply(x, 2)"),
                (RETURNED, "", "double(*x)"),
            )
        ),
        OWN_GRADIENT.format(RETURNED, "", "double(x, 2)").replace("(Function)", "(Other)"),
    ),
    *Form().mends(
        *(
            (OWN_GRADIENT.format(RETURNED, "", f"{name}(x, 3)"), after)
            for after in [OWN_GRADIENT.format(RETURNED, OWN_FORWARD, "_double_forward(x, 3)")]
            for name in ("double", "Double.apply")
        )
    ),
    *Form().mends(
        (
            OF_CLASS.format(RETURNED, "", "double(x, 3)"),
            OF_CLASS.format(RETURNED, OWN_FORWARD, "_double_forward(x, 3)"),
        ),
    ),
    *Form().alone(OF_CLASS.format("return cls.f(x)", "", "double(x, 2)")),
    *Form(
        IMPORTS + "class Double(torch.autograd.Function):\n    @classmethod\n    def forward(cls, ctx, x, n: int):\n"
        "        ctx.n = n\n        return x * n\n\n    @staticmethod\n    def backward(ctx, grad):\n"
        "        return grad * ctx.n, None\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return {}\n"
    ).compiles("Double.apply(x, 2)"),
]

GLOBALS = """\
from typing import Final

{}


class Net(Module):
    {}

    def forward(self, x):
        return x if {} else x + 1
"""
WIDE, SWITCH = "wide = True", "def slow():\n    Net.wide = False"
TRIED = "try:\n    FAST = True\nexcept ImportError:\n    FAST = False"

FLAG = "{}\n\n\ndef f({}):\n    return fast\n"
TRIED_IMPORT = "try:\n    from other import fast\nexcept ImportError:\n    fast = {}"

POSTPONED = (
    f"from __future__ import annotations\n{IMPORTS}"
    + """\
from math import inf, pi

WIDE = 3
SLOW = False


class Net(nn.Module):
    {}
    def more(self, x):
        return x.clamp(max=inf) * pi if SLOW else x + WIDE

    def forward(self, x):
        return x if SLOW else self.more(x.clamp(-inf, inf)) * WIDE
"""
)
KEPT = '__constants__ = ("old",)\n    _inf = inf\n'
OF_NET = (
    POSTPONED.partition("class Net")[0]
    + """\
class Net(nn.Module):
    {}fast = True

    def forward(self, x):
        return x * 2 if {}.fast else (x, x)
"""
)

OF_TYPE = "{}from torch import float32, int64 as whole, tanh\n\n\ndef f(x):\n    return {}\n"

ON_DEVICE = """\
import torch as t

gpu = t.device("cuda" if t.cuda.is_available() else "cpu")


class Net(t.nn.Module):{declared}
    def forward(self, x):
        return moved(x).to({own})


def moved(x{parameter}):
    return x.to(gpu)
"""
DEVICE = Held((HeldValue("torch.device", "device(type='cpu')"),))

CASES["global_constants"] = [
    *Form(values={"Net.forward: gpu": DEVICE, "moved: gpu": DEVICE}).mends(
        (
            ON_DEVICE.format(declared="", own="gpu", parameter=""),
            "from typing import Final\n\n"
            + ON_DEVICE.format(declared="\n    _gpu: Final[t.device] = gpu\n", own="self._gpu", parameter=", gpu=gpu"),
        ),
    ),
    *Form(values={"moved: gpu": Held((*DEVICE.values, HeldValue("builtins.str", "'cpu'")))}).alone(
        ON_DEVICE.format(declared="", own="x", parameter="")
    ),
    *Form().compiles(ON_DEVICE.format(declared="", own="gpu", parameter="").replace("return moved(x)", "return x")),
    *Form().alone(
        *(OF_TYPE.format(*each) for each in (("", "x.to(float32)"), ("import torch\n", "tanh(x)"))),
        OF_TYPE.format("import torch\n", "[x.to(float32) for float32 in x]"),
        OF_TYPE.format("import torch\n", "[x.to(float32) for torch in x]"),
        OF_TYPE.format("from torch import nn as torch\n", "x.to(float32)"),
    ),
    *Form().mends(
        (
            OF_TYPE.format("import torch as t\n", "x.to(float32).sum(dtype=whole)"),
            OF_TYPE.format("import torch as t\n", "x.to(t.float32).sum(dtype=t.int64)"),
        ),
    ),
    *Form().compiles(OF_TYPE.format("import torch\n", "x.to(float32).to(whole) + 1")),
    *Form().alone(POSTPONED.format(KEPT), OF_NET.format('__constants__ = ("old",)\n    ', "Net")),
    *Form(POSTPONED).compiles("", "n: int = 3\n", '__constants__ = ["n"]\nn = 3\n', '"""é"""\n'),
    *Form().mends((OF_NET.format("", "Net"), OF_NET.format('__constants__ = ["fast"]\n\n    ', "self"))),
    *Form(values={"f: fast": held("True")}).mends(
        *((FLAG.format(each, ""), FLAG.format(each, "fast=fast")) for each in ("fast = make()", "fast, slow = make()")),
        (FLAG.format("fast = make()", "x"), FLAG.format("fast = make()", "x, fast=fast")),
        *(
            (FLAG.format(each, ""), FLAG.format(each, "fast=fast"))
            for each in ("from other import fast", TRIED_IMPORT.format("False"))
        ),
    ),
    *Form(values={"f: fast": held("True")}).alone(
        FLAG.format(TRIED_IMPORT.format("1"), ""), FLAG.format("from other import fast\n\nfast = make()", "")
    ),
    *Form(values={"f: fast": Held((HeldValue("builtins.list"),))}).alone(FLAG.format("from other import fast", "")),
    *Form(values={"f: fast": held("True")}).alone(
        *(FLAG.format(each, "") for each in ("fast = make()\nfast = other()", "with make() as fast:\n    pass")),
    ),
    *Form(values={"f: fast": held("True", "2")}).alone(FLAG.format("fast = make()", "")),
    *Form().alone(
        *(
            GLOBALS.format(*each)
            for each in (
                ("FAST = make()", WIDE, "FAST"),
                ("FAST = [1]", WIDE, "FAST"),
                ("FAST = True\n\n\ndef slow():\n    global FAST\n    FAST = False", WIDE, "FAST"),
                ("for FAST in (1, 2):\n    pass", WIDE, "FAST"),
                ("from other import FAST", WIDE, "FAST"),
                ("FAST = True", WIDE, "self.wide"),
                ("def set(net):\n    net.wide = False", WIDE, "Net.wide"),
                ("class Other:\n    wide = False", WIDE, "Net.wide"),
                ("", "wide = make()", "Net.wide"),
                ("class C:\n    k = make()\n    k = 2", WIDE, "C.k"),
                ("class C:\n    k = 1\n\n\nC.k = 2", WIDE, "C.k"),
            )
        ),
        "FAST = True\n\n\ndef f(x, *args):\n    return x if FAST else 0\n",
        "FAST = True\n\n\ndef f(x, fast):\n    return x if FAST else fast\n",
        "FAST = True\n\n\ndef f(x):\n    FAST = x\n    return FAST\n",
        "def f(x):\n    return x if FAST else 0\n\n\nFAST = True\n",
        "from math import sqrt\n\n\ndef f(x):\n    return sqrt(x)\n",
        "from math import pi\n\n\ndef f(x):\n    pi = x\n    return pi\n",
    ),
    *Form().mends(
        (
            "from math import pi\n\n\ndef f(x):\n    return x * pi\n",
            "from math import pi\n\n\ndef f(x, pi=pi):\n    return x * pi\n",
        ),
        ("eps = 1e-6\n\n\ndef f(x):\n    return x + eps\n", "eps = 1e-6\n\n\ndef f(x, eps=eps):\n    return x + eps\n"),
    ),
    *Form().mends(
        (
            GLOBALS.format(TRIED, WIDE, "FAST and not FAST"),
            GLOBALS.format(TRIED, f"_fast: Final[bool] = FAST\n\n    {WIDE}", "self._fast and not self._fast"),
        ),
        (
            GLOBALS.format("class C:\n    k = 1", WIDE, "C.k"),
            GLOBALS.format("class C:\n    k = 1", f"_c_k: Final[int] = C.k\n\n    {WIDE}", "self._c_k"),
        ),
        (GLOBALS.format("", WIDE, "Net.wide"), GLOBALS.format("", "wide: Final[bool] = True", "self.wide")),
        (
            "EPSILON = 1e-8\n\n\ndef f(x, y=(1, 2)):\n    return x + EPSILON * EPSILON\n",
            "EPSILON = 1e-8\n\n\ndef f(x, y=(1, 2), epsilon=EPSILON):\n    return x + epsilon * epsilon\n",
        ),
    ),
    *Form(values={"Net.forward: Net": Held((HeldValue("builtins.type"),))}, kind=MendKind.SCRIPTED).mends(
        (GLOBALS.format(SWITCH, WIDE, "Net.wide"), GLOBALS.format(SWITCH, "wide: Final[bool] = True", "self.wide"))
    ),
]

STATIC = """\
class Base(nn.Module):
    def forward(self, x):
        {}

    @staticmethod
    def g(x, n: int = 1):
        return x + n

    def plain(x):
        return Base.g(x, 2)

    @classmethod
    def of(cls, x):
        return x


"""

CALLED = "class L({}):\n    def __call__(self, x):\n        return x * 2\n\n\n"
USED = NET.text.removeprefix(IMPORTS).replace("self.n = 2", "self.layers = nn.ModuleList([L()])")

NO_FORWARD: dict[str, Any] = {"says": "_forward_unimplemented", "stops": (0, 0)}

CASES["forwards"] = [
    *Form("from torch import nn\n\n\n" + CALLED, **NO_FORWARD).alone("object"),
    *Form("from torch import nn\n\n\n" + CALLED).alone("nn.Module"),
    *Form("from torch import nn\n\n\n" + CALLED.format("nn.Module") + "class M(L):\n{}\n", **NO_FORWARD).alone(
        "    def forward(self, x):\n        return 1"
    ),
    *Form(IMPORTS + CALLED.format("nn.Module") + USED).compiles("for layer in self.layers:\n    x = layer(x)"),
]

SWISH = """\
class Swish(nn.Module):
    {}
    def forward({}):
        return {}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = Swish()

    def forward(self, x):
        return {}
"""
CASES["forwards"] += [
    *Form(IMPORTS + "{}").alone(
        SWISH.format("@staticmethod", "x", "x", "Swish.forward(x)"),
        SWISH.format("@staticmethod", "self", "self", "self.act(x)"),
        SWISH.format("@staticmethod\n    @torch.no_grad()", "x", "x", "self.act(x)"),
        SWISH.format("@classmethod", "cls, x", "x", "self.act(x)"),
        SWISH.format("@staticmethod", "x", "x", "self.act(x)").replace("Swish(nn.Module)", "Swish"),
        SWISH.format("@staticmethod", "x", "x", "self.act(x)").replace("nn.Module", "torch.autograd.Function", 1),
    ),
    *Form(IMPORTS + "{}").compiles(
        *(
            SWISH.format("@staticmethod", "x", body, "self.act(x)")
            for body in ("x * torch.sigmoid(x)", "F.relu(input=x)")
        ),
        SWISH.format("@staticmethod  # no state", "", "torch.ones(2)", "x + self.act()"),
    ),
]

CASES["class_functions"] = [
    *Form(STATIC, stops="return Base").alone(
        *("return Base.forward(self, x)", "return Base.of(x)", "return Base.g", "return Base.g.h(x)")
    ),
    *Form(STATIC + "_base_g = Base.g\n", stops="return Base").mends(
        ("return Base.g(x)  # ours", "return _base_g(x)  # ours")
    ),
    *Form(
        IMPORTS
        + STATIC
        + "class Util:\n    def __init__(self, *x):\n        pass\n\n    def g(x):\n        return x"
        + "\n\n\nclass Net(Base):\n    pass\n"
    ).compiles("return Base.plain(x) + Base.g(x, n=3) + Util.g(x)"),
]

FORM = Form("def f(x, n):\n    {}\n")

CASES["inner_functions"] = [
    *FORM.alone(
        *("g = lambda t: t + 1\nreturn g", "g = lambda t: t + 1", "g = lambda t: t + 1\nif n:\n    g = h\nreturn g(x)"),
        *("if n:\n    g = lambda t: t\nreturn g(x)", "g = lambda t, u=n: t + u\nreturn g(x, 2)"),
        *("g = lambda t, u=n: t + u\nreturn g(x, u=2)", "g = lambda t, u=n: t + u\nreturn g(*x)"),
        "g = lambda t, *, u=n: t + u\nreturn g(x)",
        "g = lambda t: t + n\nreturn [g(x) for n in y]",
        *("def g(t):\n    u = t\n    return u\nreturn g", "def g(t):\n    u = t\n    return g(u)\nreturn x"),
        *(
            "def g(t, k):\n    t = t\n    return g(t, k - 1) if k else t\nreturn g(x, 2)",
            "g = lambda t: g(t)\nreturn g(x)",
        ),
        *("def g(t, *u):\n    u = t\n    return u\nreturn g(x)", "def g(t):\n    nonlocal n\n    n = t\nreturn g(x)"),
        "@h\ndef g(t):\n    u = t\n    return u\nreturn g(x)",
        *("def g(t):\n    u = t + n\n    return u\nreturn [g(n) for n in x]", "def g(t):\n    yield t\nreturn g(x)"),
        "def g(t):\n    u = t + n\n    return u\nreturn g(t=x) + h(g)",
        "g = n\ndef g(t):\n    u = t\n    return u\nreturn g(x)",
    ),
    *NET.compiles(
        "def scaled(t):\n    u = t * y\n    return u / self.n\n\ny = x + 1\nreturn scaled(x) - scaled(x * 3)"
    ),
    *Form("{}").mends(
        (
            "def f(x):\n    def g(t):\n        u = t\n        return u\n    return h(x, by=g) + g(x)\n",
            "def _g(t):\n    u = t\n    return u\n\n\ndef f(x):\n    return h(x, by=_g) + _g(x)\n",
        ),
    ),
    *NET.compiles("f = lambda t: t * 2 + self.n\nx = f(x) + f(x)", "f = lambda: x + 1\nx = f()"),
    *NET.compiles(
        "def g(t, n: int = 2, m=x / self.n):\n    u = t * n\n    return u / m\n\nx = g(x) + g(t=x, n=3)",
        "y = x + 1\ng = lambda t, y=y: t * y + 2\ny = x\nx = g(x) + y",
    ),
    *NET.compiles("def shifted(t):\n    u = t + x\n    return u * 2\n\nreturn shifted(x) - shifted(x * 3)"),
    *NET.compiles(
        "def g(t, n: int = 2, m: float = 1.0):\n    u = t * n\n    return u / m + y\n\n"
        "y = x + 1\nx = g(x, m=3.0) + g(t=x)"
    ),
    *Form().mends(
        (
            (
                "class Block(Module):\n    def forward(self, x, n):\n        x = x\n\n        def scaled(t, u):\n"
                "            # by n\n            v = t * n\n\n            return v + u + x\n\n        n = n + 1\n"
                "        return scaled(x, 2) + scaled(n, self.bias)\n"
            ),
            (
                "def _scaled(n, x, t, u):\n    # by n\n    v = t * n\n\n    return v + u + x\n\n\n"
                "class Block(Module):\n    def forward(self, x, n):\n        x = x\n\n        n = n + 1\n"
                "        return _scaled(n, x, x, 2) + _scaled(n, x, n, self.bias)\n"
            ),
        ),
        (
            (
                "class Block(Module):\n    def forward(self, x):\n        def scaled(t, eps=self.eps, k=2):\n"
                "            u = t * k\n            return u + eps\n\n        return scaled(x)\n"
            ),
            (
                "def _scaled(eps, t, k=2):\n    u = t * k\n    return u + eps\n\n\n"
                "class Block(Module):\n    def forward(self, x):\n        eps_1 = self.eps\n\n"
                "        return _scaled(eps_1, x)\n"
            ),
        ),
        (
            (
                "class Block(Module):\n    def forward(self, x, n):\n        def _inner(t):\n"
                "            u = self.conv(t)\n            return u\n\n"
                "        return self.run(_inner, x) if n else _inner(x)\n"
            ),
            (
                "class Block(Module):\n    def _inner(self, t):\n        u = self.conv(t)\n        return u\n\n"
                "    def forward(self, x, n):\n        return self.run(self._inner, x) if n else self._inner(x)\n"
            ),
        ),
    ),
]

TWICE = (
    "def f(x, n):\n    g = lambda t: t * n\n    return g(x)\n\n\ndef h(x):\n    g = lambda t: t + 1\n    return g(x)\n"
)
METHODS = """\
class Net(Module):
    def f(self, x):
        g = lambda t: t * self.n
        return g(x)

    def h(self, x):
        g = lambda t: t + self.n
        return g(x)
"""
CASES["inner_functions"] += Form().mends(
    *(
        (
            f"{first}def f(x):\n    def _g(t):\n        u = t\n        return u\n    return _g(x)\n{last}",
            f"{first}def {name}(t):\n    u = t\n    return u\n\n\ndef f(x):\n    return {name}(x)\n{last}",
        )
        for first, name, last in (
            ("", "_g", ""),
            ("from other import _g\n\n\n", "_g_1", ""),
            ("", "_g_1", "\n\ndef h(x):\n    return _g(x)\n"),
        )
    ),
    (
        TWICE,
        "def _f_g(n, t):\n    return t * n\n\n\ndef f(x, n):\n    return _f_g(n, x)\n\n\n"
        "def _h_g(t):\n    return t + 1\n\n\ndef h(x):\n    return _h_g(x)\n",
    ),
    (
        METHODS,
        "class Net(Module):\n    def _net_f_g(self, t):\n        return t * self.n\n\n    def f(self, x):\n"
        "        return self._net_f_g(x)\n\n    def _net_h_g(self, t):\n        return t + self.n\n\n"
        "    def h(self, x):\n        return self._net_h_g(x)\n",
    ),
)

FORM = Form("import collections\nfrom collections import namedtuple\n\n\ndef f(x, y):\n    {}\n")
FORM_2 = Form("""\
{}
    out = namedtuple("Out", "a b")
    return out(x, y)
""")
FORM_3 = Form("import collections\nfrom collections import namedtuple\n\n\n{}\n")

CASES["inner_functions"] += [
    *FORM.alone(
        *('out = namedtuple("Out", x)\nreturn out(x, y)', 'out = namedtuple(x, "a b")\nreturn out(x, y)'),
        'out = namedtuple("Out", ["a", "b"], defaults=[1])\nreturn out(x)',
        *('out = namedtuple("Out", "a b")\nreturn out', 'out = namedtuple("Out", "a b")\nout = out(x, y)\nreturn out'),
        'if x: out = namedtuple("Out", "a b")\nreturn out(x, y)',
        *('z = out(x, y) if x else y; out = namedtuple("Out", "a b")', 'out = other("Out", "a b")\nreturn out(x, y)'),
        'namedtuple = x\nout = namedtuple("Out", "a b")\nreturn out(x, y)',
        *('out = namedtuple("f", "a b")\nreturn out(x, y)', 'return namedtuple("Out", "a b")'),
    ),
    *FORM_2.alone(
        *("def f(x, y):", "from other import namedtuple\ndef f(x, y):"),
        "def g():\n    try:\n        from collections import namedtuple\n    finally:\n        pass\ndef f(x, y):",
    ),
    *FORM_3.mends(
        (
            (
                'def f(x, y):\n    out = namedtuple("Out", ["a", "b"])  # both\n    z = out(x, y)\n'
                "    return z if x else out(y, x)"
            ),
            (
                'Out = namedtuple("Out", ["a", "b"])\n\n\ndef f(x, y):\n    z = Out(x, y)\n'
                "    return z if x else Out(y, x)"
            ),
        )
    ),
    *Form("from collections import namedtuple\n" + NET.text).compiles(
        'out = namedtuple("Out", ["a", "b"])\ny = out(x, x * 2)\nx = y.a + y.b',
        'out = namedtuple("Out", ["a"])\nx = out(x).a + out(x * 2)[0]',
    ),
]

FORM = Form("import numpy\n\n\ndef f(x, n):\n    {}\n")
FORM_2 = Form("from torch.nn import *\n\n\ndef f(x):\n    {}\n    return x\n\n\ndef g(x):\n    return x + pi\n")

CASES["imports"] = [
    *FORM.alone(
        *("import scipy.stats\nreturn n", "from . import math\nreturn n", "from math import *\nreturn n", "import f"),
        *("try:\n    import math\nexcept ImportError:\n    pass", "import math; n = 1", "if n:\n    import math"),
        *("with n:\n    import math", "from math import (\n    pi\n); n = 1"),
        *(
            "import math\ntry:\n    pass\nexcept ValueError as math:\n    pass",
            "import math\nmatch n:\n    case math: pass",
        ),
        *("from math import pow\nreturn n", "import math as n", "from math import e\nfrom cmath import e"),
        *("import math\nmath = n", "import math\ndef g():\n    math = 1", "def math():\n    return n\nimport math"),
    ),
    *FORM_2.alone("from math import pi\nx = x * pi", "from math import *"),
    *FORM.mends(
        ("import numpy\n\nreturn n", "return n"),
        ("if n:\n    import numpy\nreturn n", "if n:\n    pass\nreturn n"),
    ),
    *Form("import numpy as np\n{}").mends(
        (
            (
                "\n\ndef f(x):\n    import math  # ours\n    from numpy.linalg import norm as size, det\n"
                "    return size(x) * math.pi * det(x)\n\n\ndef g(x):\n    import math\n    return x + math.pi\n"
            ),
            (
                "import math\nfrom numpy.linalg import norm as size\nfrom numpy.linalg import det\n\n\ndef f(x):\n"
                "    return size(x) * math.pi * det(x)\n\n\ndef g(x):\n    return x + math.pi\n"
            ),
        ),
    ),
    *Form().mends(
        (
            "def f(x):\n    import math\n    return x * math.pi\n",
            "import math\n\n\ndef f(x):\n    return x * math.pi\n",
        )
    ),
    *NET.compiles(
        "import math\nx = x * math.sqrt(2)", "import torch.nn.functional as G\nif self.n:\n    x = G.relu(x)"
    ),
]

FORM = Form("{}\n    return x\n")
FORM_2 = Form("{}\n    return n * 2\n")

COMPILED = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def g(self, x, *, n: int = 2):
        return x * n

    def forward(self, x):
        return {}
"""
)

CASES["plain_parameters"] = [
    *FORM.alone(
        *("def f(x, n=2):", "def f(x, *, n):", "def f(x, *args, n=2):"),
        *("def f(x, **kwargs):", "def f(x, *,  # by name\n    n=2):"),
        "def f(x, *, n=2,  # wide\n    m):",
        *("def f(x, m=[n]):", "def f(x=[]):", "def f(m=[1]):\n    m.append(1)"),
        *("def f(m=[1]):\n    n = n if m else 2", "def f(m=[]):\n    n = m or 2", "def f(m=[]):\n    n = [m]"),
    ),
    *FORM_2.mends(
        ("def f(x, *, n=2):", "def f(x, n=2):"),
        ("def f(m=[1] * 2):\n    n = m[0]", "def f(m=None):\n    if m is None:\n        m = [1] * 2\n    n = m[0]"),
        ("def f(m=[1]):\n    n = m[0]", "def f(m=None):\n    if m is None:\n        m = [1]\n    n = m[0]"),
        *(
            (f"def f(m=[1]):\n    {use}", f"def f(m=None):\n    if m is None:\n        m = [1]\n    {use}")
            for use in ("n = [0, *m]", "n = g(*m)", "n = m + [2]", "n = []\n    n += m")
        ),
        *(
            (f"def f(m={one}):\n    {use}", f"def f(m=None):\n    if m is None:\n        m = {one}\n    {use}")
            for one, use in (("{}", "n = g(**m)"), ("[]", "if not m and n:\n        n = 2"))
        ),
        ("def f(*, n=2):", "def f(n=2):"),
        ("def f(x, *, m, n: int = 2):", "def f(x, m, n: int = 2):"),
        ("def f(x, *, n=2, m):", "def f(x, n=2, *, m):"),
        ("def f(x=1, *, m, k: int, n = 2):", "def f(x=1, n = 2, *, m, k: int):"),
        ("def f(x, /, *, n=2, **kwargs):", "def f(x, /, n=2, **kwargs):"),
        ("def f(\n    x=3 * 2,\n    *,\n    n=2,\n):", "def f(\n    x=3 * 2,\n    n=2,\n):"),
    ),
    *COMPILED.compiles("self.g(x, n=3) + self.g(x)"),
]

FORM = Form("def f(x, a, n):\n    {}\n")

B_AND_C = HeldValue("builtins.dict", length=2, keys=("b", "c"))
LIKE = """\
def like(t):
    return {"dtype": t.dtype, "device": t.device}


def other(t):
    return {"dtype": kind}


def late(t):
    t = t + 1
    return {"dtype": t.dtype}


def part(t):
    return t


def f(x, y):
    return g(x, {})
"""

CASES["passed_dicts"] = [
    *FORM.alone(
        *(
            *("return g(**a)", "return g(**{x: n})", "return g(b=1, **{'b': n})", "return g(**{'from': n})"),
            *(
                "k = dict(a)\nreturn g(**k)",
                "k = {'b': 1}\nk[n] = 2\nreturn g(**k)",
                "k = {}\nk['b'] = k\nreturn g(**k)",
                "k = {}\nk.update(b=1)\nreturn g(**k)",
            ),
            *(
                "k = {'b': 1}\nreturn g(k, **k)",
                "k = {'b': 1}\nh(k)\nreturn g(**k)",
                "k = a\nk['b'] = 1\nreturn g(**k)",
            ),
            "k = {'b': 1}\nif n:\n    h(k)\nreturn g(**k)",
            "if a:\n    k = {'b': 1}\nreturn g(**k)",
            "if a:\n    k = {'b': 1}\nelif n:\n    x = n\nelse:\n    return n\nreturn g(**k)",
            "k = {'b': 1}\nfor n in a:\n    x = g(**k)\n    k = {'c': 1}\nreturn x",
            "k = {'b': 1}\nwhile n:\n    k['c'] = 1\nreturn g(**k)",
            "try:\n    k = {'b': h(x)}\nexcept ValueError:\n    k = {}\nreturn g(**k)",
            "k = {'b': 1}\ny = lambda x: g(**k)\nk = {}\nreturn y",
            "k = {'b': 1}\nif (k := a):\n    return g(**k)",
            "k = {}; k['b'] = 1\nreturn g(**k)",
            "k = {}\nif a: k['b'] = 1\nreturn g(**k)",
            "k = {}\nif a:\n    k['b'] = 1\nx = '''\none\n'''\nreturn g(x, **k)",
            "k = {}\nif a:\n    k['b'] = 1\ndef h():\n    return n\nreturn g(h, **k)",
            "k = {}\nif a:\n    k['b'] = 1\n" + 20 * "x = h(x)\n" + "return g(x, **k)",
        ),
    ),
    *FORM.alone(
        "k = {'b': 1}\ny = g(**k)\ndef h(**k):\n    return g(**k)\nreturn h(c=y)",
        "k = {'b': 1}\ny = g(**k)\nreturn (lambda **k: g(**k))(c=y)",
        "global k\nk = {'b': 1}\nreturn g(**k)",
    ),
    *FORM.mends(
        ("k = {'b': 1, 'c': n}\nreturn g(x, **k) + g(a, **k)", "return g(x, b=1, c=n) + g(a, b=1, c=n)"),
        ("return g(x, **dict(b=a))", "return g(x, b=a)"),
        ("return g(x, **{'b': h(x), 'c': a if n else x})", "return g(x, b=h(x), c=a if n else x)"),
        ("k = {}\nreturn g(x, **k) + g(**k)", "return g(x) + g()"),
        ("k = {'b': h(x)}\nreturn g(**k) + g(n, **k)", "b = h(x)\nreturn g(b=b) + g(n, b=b)"),
        ("k = {'n': n + 1}\nreturn g(**k) + g(n, **k)", "n_1 = n + 1\nreturn g(n=n_1) + g(n, n=n_1)"),
        ("k = {'b': n}\ny = lambda: g(**k)\nn = 2\nreturn y()", "b = n\ny = lambda: g(b=b)\nn = 2\nreturn y()"),
        ("k = {'b': n}\nn = 2\nreturn g(**k)", "b = n\nn = 2\nreturn g(b=b)"),
        ("k = {'b': a.b}\na.b = 2\nreturn g(**k)", "b = a.b\na.b = 2\nreturn g(b=b)"),
        ("k = {'b': 1}\nk['c'] = 2\nreturn g(**k)", "return g(b=1, c=2)"),
        (
            "k = {'b': 1}\nk['c'] = 2\nif n:\n    return g(**k)\nreturn x",
            "if n:\n    return g(b=1, c=2)\nreturn x",
        ),
        ("k = {'b': 1}\nx = g(**k)\nk = dict(c=2)\nreturn g(x, **k)", "x = g(b=1)\nreturn g(x, c=2)"),
        (
            "k = {}\nif a:\n    k['b'] = 1\nreturn g(x, **k)",
            "if a:\n    return g(x, b=1)\nelse:\n    return g(x)",
        ),
        (
            "k = {}\nif a:\n    k['b'] = 1\n    # and more\nreturn g(x, **k)",
            "if a:\n    # and more\n    return g(x, b=1)\nelse:\n    return g(x)",
        ),
        (
            "k = {'b': n} if h(a) else {}\n\nx = h(x)\nreturn g(x, **k)",
            "if h(a):\n    x = h(x)\n    return g(x, b=n)\nelse:\n    x = h(x)\n    return g(x)",
        ),
        (
            "if a:\n    k = {'b': n}\nelif n:\n    raise ValueError(n)\nelse:\n    k = {}\n\n"
            "x = g(  # twice\n    x, **k\n)\n\nreturn x",
            "if a:\n    x = g(  # twice\n        x, b=n\n    )\nelif n:\n    raise ValueError(n)\nelse:\n"
            "    x = g(  # twice\n        x\n    )\n\nreturn x",
        ),
        (
            "k = {}\nif a:\n    k['b'] = 1\nelif n:\n    return x\nif n:\n    k['c'] = h(n)\nreturn g(x, **k)",
            "if a:\n    if n:\n        c = h(n)\n        return g(x, b=1, c=c)\n    else:\n        return g(x, b=1)\n"
            "elif n:\n    return x\nelse:\n    if n:\n        c_1 = h(n)\n        return g(x, c=c_1)\n"
            "    else:\n        return g(x)",
        ),
        (
            "for n in a:\n    if n:\n        f = F.relu\n        k = {}\n    else:\n        f = F.elu\n"
            "        k = {'b': 1}\n    x = f(x, **k)\n    # once more\n    x = x + 1\nreturn x",
            "for n in a:\n    if n:\n        f = F.relu\n        x = f(x)\n    else:\n        f = F.elu\n"
            "        x = f(x, b=1)\n    # once more\n    x = x + 1\nreturn x",
        ),
    ),
    *Form("def f(x, a, **k):\n    {}\n").alone(
        "if a:\n    k['b'] = 1\nreturn g(x, **k)", "k['b'] = 1\nreturn g(x, **k)"
    ),
    *Form("class N:\n    def forward(self, x):\n        {}\n\n    def turn(self):\n        self.b = 1\n").mends(
        ("k = {'b': self.b}\nself.turn()\nreturn g(x, **k)", "b = self.b\nself.turn()\nreturn g(x, b=b)"),
        ("k = {'c': self.c}\nself.turn()\nreturn g(x, **k)", "c = self.c\nself.turn()\nreturn g(x, c=c)"),
    ),
    *NET.compiles(
        'k = {"dim": 1}\nif x.size(0) > 2:\n    f = torch.sum\n    k["keepdim"] = x.size(1) > 1\n'
        "else:\n    f = torch.mean\nx = f(x, **k)"
    ),
    *FORM.alone(
        *("return g(**n)", "if x: return g(**a)", "return x and g(**a)", "return [g(**a) for a in x]", "g(h(a), **a)"),
        *("return g(b=x, **a)", "return dict(**a)", "while g(**a):\n    pass", "return g(**x.a)", "return g(**self.a)"),
        values={f"f: {text}": Held((B_AND_C,)) for text in ("**a", "**x.a", "**self.a")},
    ),
    *(
        case
        for seen in (
            [B_AND_C, HeldValue("builtins.dict")],
            [HeldValue("builtins.dict", length=2)],
            [replace(B_AND_C, keys=("b", "if"))],
            [replace(B_AND_C, type="collections.OrderedDict")],
            [HeldValue("builtins.dict", length=17, keys=tuple(f"b{n}" for n in range(17)))],
        )
        for case in FORM.alone("return g(**a)", values={"f: **a": Held(tuple(seen))})
    ),
    *Form("def f(x, **kwargs):\n    {}\n").alone("return g(**kwargs)", values={"f: **kwargs": Held((B_AND_C,))}),
    *FORM.mends(
        ("return g(x, **a)", 'assert len(a) == 2\nreturn g(x, b=a["b"], c=a["c"])'),
        values={"f: **a": Held((B_AND_C,))},
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        ("for a in n:\n    x = g(x, **a)", "for a in n:\n    assert len(a) == 0\n    x = g(x)"),
        ("return g(**a)", "assert len(a) == 0\nreturn g()"),
        values={"f: **a": Held((HeldValue("builtins.dict", length=0),))},
        kind=MendKind.FROZEN,
    ),
    *NET.compiles(
        "ys = {'input': x + 1, 'other': x}\nx = torch.add(**ys)",
        "ys = {'other': x.relu()}\nx = torch.mul(x, **ys)",
    ),
    *Form(LIKE).alone(
        *("**like(*y)", "**like(y + 1)", "**like(y, 1)", "**other(y)", "**late(y)", "**part(y)"),
    ),
    *Form(LIKE).mends(("**like(x.data)", "dtype=x.data.dtype, device=x.data.device")),
    *Form(IMPORTS + LIKE.replace("(x, y)", "(x)").replace("g(x, {})", "torch.zeros(2, {}) + x[0]")).compiles(
        "**like(x)"
    ),
]

OPTIONS = """\
class Net:
    def __init__(self, a, mode):
        super().__init__()
        {}

    def forward(self, x):
        return g(x, **{})
"""
OF_WORDS = {"Net.k": Held((HeldValue("builtins.dict", items=("builtins.str", "builtins.bool")),))}
CASES["passed_dicts"] += [
    *Form(held=OF_WORDS).alone(
        *(
            OPTIONS.format(stored, "self.k")
            for stored in (
                "self.k = a",
                "self.k = dict(b=1)\n        self.k['c'] = mode",
                "self.k = dict(b=1)\n        self.k.update(c=2)",
                "self.k = dict(b=1)\n        other = self.k",
                "if a:\n            self.k = dict(b=1)\n        else:\n            self.k = dict(c=1)",
                "if a:\n            self.k = dict(b=1)\n        else:\n            self.k = mode",
            )
        ),
        OPTIONS.format("self.k = dict(b=1)", "self.k") + "\n    def swap(self):\n        self.k = {}\n",
        OPTIONS.format("self.k = dict(b=1)", "self.k") + "\n    def swap(self):\n        self.k['c'] = 1\n",
    ),
    *Form(held={"Net.k": Held((HeldValue("builtins.dict", items=("Linear",)),))}).alone(
        OPTIONS.format("self.k = dict(b=mode)", "self.k")
    ),
    *Form(held=OF_WORDS | {"Net._k_b": held("1")}).alone(OPTIONS.format("self.k = dict(b=mode)", "self.k")),
    *Form(held=OF_WORDS, kind=MendKind.FROZEN).mends(
        (OPTIONS.format("self.k = {}", "self.k"), OPTIONS.format("self.k = {}", "").replace(", **)", ")")),
        (
            OPTIONS.format("self.k = dict(b=1, c=mode + 'x')\n        g(self.k['b'], **self.k)", "self.k"),
            OPTIONS.format(
                "self.k = dict(b=1, c=mode + 'x')\n        self._k_c = self.k[\"c\"]\n        g(self.k['b'], **self.k)",
                "",
            ).replace("x, **)", "x, b=1, c=self._k_c)"),
        ),
        (
            OPTIONS.format(
                "if a:\n            self.k = {'b': 1}\n        else:\n            self.k = dict(b=2)", "self.k"
            ),
            OPTIONS.format(
                "if a:\n            self.k = {'b': 1}\n        else:\n            self.k = dict(b=2)\n"
                '        self._k_b = self.k["b"]',
                "",
            ).replace("x, **)", "x, b=self._k_b)"),
        ),
    ),
]

CASES["local_callables"] = [
    *FORM.alone(
        *("g = F.relu\nreturn g(x)", "g = F.relu if a else F.gelu\nreturn g"),
        "g = make() if a else F.gelu\nreturn g(x)",
        "g = F.relu if h(a) else F.gelu\nfrom other import F\nreturn g(x)",
        "global g\ng = F.relu if h(a) else F.gelu\nreturn g(x)",
        *("n.a()\ng = F.relu if h(a) else n.b\nreturn g(x)", "if a:\n    g = F.relu\nreturn g(x)"),
        "if a:\n    g = F.relu\nelse:\n    h = F.gelu\nreturn g(x)",
        "if a:\n    g = F.relu\n    n = 2\nelse:\n    x = n\nreturn g(x)",
        "if a:\n    g = F.relu\n    n = 2\nelse:\n    g = make()\nreturn g(x)",
        "if a:\n    g = F.relu\n    n = 2\nelse:\n    g = F.gelu\nreturn h(g, g(x))",
        "if a:\n    g = F.relu\nelse:\n    raise ValueError(n)\ng = n\nreturn g(x)",
        "g = F.relu if h(a) else F.gelu\nreturn [g(g) for g in x]",
        "g = F.relu if h(a) else F.gelu\nreturn (lambda g: g(x))(g(x))",
        "for F in a:\n    g = F.relu if h(a) else F.gelu\nreturn g(x)",
    ),
    *FORM.mends(
        (
            "if a:\n    g = F.relu\n    n = 2\nelse:\n    g = F.gelu\nx = g(x)\nreturn [g(y, n) for y in x] + 1",
            'if a:\n    g = "relu"\n    n = 2\nelse:\n    g = "gelu"\nx = F.relu(x) if g == "relu" else F.gelu(x)\n'
            'return [F.relu(y, n) if g == "relu" else F.gelu(y, n) for y in x] + 1',
        ),
        (
            "if a:\n    g = F.relu\nelif n:\n    x = h(x)\n    g = F.gelu if n > 2 else h.relu\n"
            "else:\n    return n\nx = g(x)\nreturn h(x)",
            'if a:\n    g = "F.relu"\nelif n:\n    x = h(x)\n    g = "F.gelu" if n > 2 else "h.relu"\n'
            "else:\n    return n\n"
            'x = F.relu(x) if g == "F.relu" else F.gelu(x) if g == "F.gelu" else h.relu(x)\nreturn h(x)',
        ),
        ("g = F.relu if a else F.gelu\nreturn g(x)", "return F.relu(x) if a else F.gelu(x)"),
        ("x = F.relu if a else F.gelu\nreturn x(n)", "return F.relu(n) if a else F.gelu(n)"),
        (
            "for a in n:\n    g = F.relu if a else F.gelu\n    x = g(x)",
            "for a in n:\n    x = F.relu(x) if a else F.gelu(x)",
        ),
        ("g = self.b if a > 1 else h\nreturn g(x) + 1", "return (self.b(x) if a > 1 else h(x)) + 1"),
        ("if a:\n    g = F.relu\nelse:\n    g = F.gelu\ny = g(x, n=2)", "y = F.relu(x, n=2) if a else F.gelu(x, n=2)"),
        (
            "if a:\n    g = F.relu\nelif n:\n    g = F.gelu\nelse:\n    g = h\nreturn g(x)",
            "return F.relu(x) if a else F.gelu(x) if n else h(x)",
        ),
        (
            (
                "if x.dim() == 3:  # once\n    g = F.relu\nelif len(x.shape) == 4:\n    g = F.gelu\nelse:\n"
                "    # what?\n    raise ValueError(x)\nfor y in n:\n    a += g(y)"
            ),
            (
                'if x.dim() == 3:  # once\n    g = "relu"\nelif len(x.shape) == 4:\n    g = "gelu"\nelse:\n'
                '    # what?\n    raise ValueError(x)\nfor y in n:\n    a += F.relu(y) if g == "relu" else F.gelu(y)'
            ),
        ),
        (
            "g = F.relu if x.dim() == 3 else F.gelu\nx.squeeze_(0)\nreturn g(x)",
            'g = "relu" if x.dim() == 3 else "gelu"\nx.squeeze_(0)\nreturn F.relu(x) if g == "relu" else F.gelu(x)',
        ),
        (
            "g = F.relu if h(a) else F.gelu\nreturn g(g(x) + 1)",
            'g = "relu" if h(a) else "gelu"\n'
            'return F.relu((F.relu(x) if g == "relu" else F.gelu(x)) + 1) if g == "relu"'
            ' else F.gelu((F.relu(x) if g == "relu" else F.gelu(x)) + 1)',
        ),
        (
            "g = F.relu if a else F.gelu\na = n\nreturn g(x)",
            'g = "relu" if a else "gelu"\na = n\nreturn F.relu(x) if g == "relu" else F.gelu(x)',
        ),
    ),
    *NET.compiles(
        "act = F.relu if self.n == 2 else F.gelu\nx = act(x)",
        "if self.n == 2:\n    act = F.relu\nelse:\n    act = F.gelu\nx = act(x)",
        "if x.dim() == 2:\n    act = F.relu\n    x = x + 1\nelse:\n    act = F.gelu\nx = act(x) + self.n",
        "if x.dim() == 2:\n    act = F.relu\nelif x.dim() == 3:\n    act = F.gelu\nelse:\n    raise ValueError('no')\n"
        "y = x\nfor _ in range(2):\n    y = y + act(x)\nreturn y",
        "act = F.relu if x.dim() == 2 else F.gelu\nfor _ in range(2):\n    x = act(x)",
    ),
]

WAVES = (
    "import torch\nfrom torch.nn import functional as F\n\n\n"
    "class N:\n    def f(self, x, xs):\n        {}\n        return xs\n"
)
LAYERS_HELD = HeldValue("builtins.list", length=2, items=("torch.nn.modules.linear.Linear",))
TWO = {"N.fs": Held((HeldValue("builtins.list", length=2, items=("builtins.builtin_function_or_method",)),))}
STAGES = {f"N.{name}": Held((HeldValue("torch.nn.modules.container.ModuleList", length=1),)) for name in "ab"}
CASES["local_callables"] += [
    *(form := Form(WAVES, held=TWO)).alone(
        *("for g in (F.relu, x):\n    xs += g(x)", "for g in (F.relu, F.gelu):\n    xs += g(x)\ng(x)"),
        *("for g in (F.relu,):\n    xs += g(x)", "for g in (F.relu, F.gelu):\n    xs.append(g)"),
        *("for g in (F.relu, F.gelu):\n    if g(x):\n        break", "for g in self.hs:\n    xs += g(x)"),
        *("for g in (F.relu, F.gelu):\n    xs += lambda: g(x)", "for g in (F.relu, F.gelu):  # all\n    xs += g(x)"),
        *(
            "for g in (F.relu, F.gelu):\n    xs += g(x)\nelse:\n    xs = x",
            "F = x\nfor g in (F.relu, F.gelu):\n    xs += g(x)",
        ),
        *("xs = [g(x) for g in (F.relu, F.gelu) if x]", "xs = (g(x) for g in (F.relu, F.gelu))"),
        *("for g in (F.relu, F.gelu):\n    xs += g(x)\ndel g", "for g in xs:\n    g(x)"),
    ),
    *form.alone("for g in self.fs:\n    xs += g(x)", held={"N.fs": Held((LAYERS_HELD,))}),
    *form.alone(
        *(
            "for g in (self.a, self.c):\n    for f in g:\n        x = f(x)",
            "for g in (self.a, self.b):\n    xs.append(g)",
        ),
        *(
            "for g in (self.a, self.b):\n    self.b = g\n    for f in g:\n        x = f(x)",
            "for g in (self.a, F.relu):\n    g(x)",
        ),
        held=STAGES,
    ),
    *form.mends(
        (
            "for g in (torch.sin, F.gelu):\n    xs += g(x) * g(xs)  # both",
            "xs += torch.sin(x) * torch.sin(xs)  # both\nxs += F.gelu(x) * F.gelu(xs)  # both",
        ),
        ("xs = [-g(x) for g in [torch.sin, F.gelu]]", "xs = [-torch.sin(x), -F.gelu(x)]"),
    ),
    *form.mends(
        (
            "for g in self.fs:\n    xs += g(x)",
            "if not torch.jit.is_scripting():\n    assert len(self.fs) == 2\nxs += self.fs[0](x)\nxs += self.fs[1](x)",
        ),
        (
            "xs = [g(x) for g in self.fs]",
            "if not torch.jit.is_scripting():\n    assert len(self.fs) == 2\nxs = [self.fs[0](x), self.fs[1](x)]",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(
        NET.text.replace("n = 2", "n, self.a, self.b = 2, nn.ModuleList([nn.ReLU()]), nn.Sequential(nn.Tanh())")
    ).compiles(
        "for layers in (self.a, self.b):\n    for layer in layers:\n        x = layer(x)\n    x = x * len(layers)",
    ),
    *NET.compiles(
        "for g in (torch.sin, F.relu):\n    x = x + g(x)",
        "x = torch.cat([x] + [g(x * 2) for g in [torch.sin, torch.cos]], -1)",
    ),
    *(form := Form("class N:\n    def f(self, x):\n        {}\n\n    def turn(self):\n        self.b = 1\n")).alone(
        *("g = F.relu if x.any() else self.b\nself.turn()\nreturn g(x)", "g = x.f if x.any() else F.relu\nreturn g(x)"),
        "g = self.c if x.any() else F.relu\nself.c = x\nreturn g(x)",
    ),
    *form.mends(
        (
            "g = F.relu if self.b else self.c\nself.turn()\nreturn g(x)",
            'g = "relu" if self.b else "c"\nself.turn()\nreturn F.relu(x) if g == "relu" else self.c(x)',
        )
    ),
]


CHOICES = st.recursive(
    st.sampled_from(["abs", "neg", "str"]),
    lambda inner: st.builds(
        "{} if {} else {}".format, inner, st.sampled_from(["a", "not n", "a > n", "a and n"]), inner
    ),
    max_leaves=4,
)
ALIKE["local_callables"] = Alike(
    st.builds(
        "from operator import neg\n\n\ndef f(x, a, n):\n    g = {}\n    return [{}, {}]\n".format,
        *(CHOICES, st.sampled_from(["g(x)", "[g(n)]"]), st.sampled_from(["(g(x), a)", "g(x) if n else g(a)"])),
    ),
    [f"f(-3, {a}, {n})" for a in range(3) for n in range(3)],
)

FORM = Form("def f(x, y, n):\n    {}\n")


CASES["local_functions"] = [
    *FORM.alone(
        *("g = lambda t: t + 1\nreturn g", "g = lambda t: t + 1", "g = lambda t: t + 1\nif n:\n    g = h\nreturn g(x)"),
        *("if n:\n    g = lambda t: t\nreturn g(x)", "return g(x)\ng = lambda t: t + 1"),
        *("g = lambda t, u=1: t + u\nreturn g(x)", "g = lambda *t: t\nreturn g(x)"),
        *("g = lambda t: t + 1\nreturn g(t=x)", "g = lambda t: t + 1\nreturn g(*x)"),
        *("g = lambda t: t + t\nreturn g(h(x))", "g = lambda t: h(y) + t\nreturn g(h(x))"),
        *("g = lambda t: t if y else n\nreturn g(h(x))", "g = lambda t: n\nreturn g(h(x))"),
        *("g = lambda t, u: t + u\nreturn g(h(x), h(y))", "g = lambda t: t + n\nreturn [g(x) for n in y]"),
        *("g = lambda t: [t + u for u in x]\nreturn [g(u) for u in y]", "g = lambda t: t + 1\nreturn g(g(x))"),
        *("g = lambda t: g(t)\nreturn g(x)", "def g(t):\n    t = t + 1\n    return t\nreturn g(x)"),
        "@h\ndef g(t):\n    return t\nreturn g(x)",
        "def g(t):\n    return t\ndef h(t):\n    u = t\n    return g(u)\nreturn h(x)",
        "g = lambda t: t + 1\nreturn g(x), [g(y) for g in n]",
    ),
    *FORM.mends(
        ("g = lambda t: t + 1\nreturn g(x) * g(y)", "return (x + 1) * (y + 1)"),
        ("g = lambda t: t * n\nreturn g(x + 1)", "return (x + 1) * n"),
        ("g = lambda t: t.view(n).sum()\nreturn g(h(x))", "return h(x).view(n).sum()"),
        ("def g(t):\n    return t + 1\nreturn g(x)", "return x + 1"),
        ("g = lambda: x\nreturn g()", "return x"),
        ("return list(filter(lambda t: t > n, x))", "return [t for t in x if t > n]"),
        ("return sum(filter(lambda t: t if n else y, x))", "return sum([t for t in x if (t if n else y)])"),
        ("return any(filter(h, x or y))", "return any(each for each in x or y if h(each))"),
        ("g = lambda t: t + n\na, b = map(g, x)\nreturn a", "a, b = [each + n for each in x]\nreturn a"),
        ("if n:\n    g = lambda t: t\n    x = g(y)\nreturn x", "if n:\n    x = y\nreturn x"),
    ),
    *NET.compiles(
        *("f = lambda t: t * 2 + self.n\nx = f(x) + f(x)", "def f(t):\n    return t + 1\nx = f(x.neg())"),
        "f = lambda: x + 1\nx = f()",
    ),
    *Form(f"{NET.text}\n    def double(self, x):\n        return x * self.n\n").compiles(
        "x = torch.stack(list(map(self.double, x.unbind(0))))"
    ),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.act = nn.ReLU()\n\n    def forward(self, x):\n        {}\n"
    ).compiles("q, k = map(self.act, (x, x + 1))\nreturn q * k"),
]


BODIES = st.sampled_from(["t + n", "(t, x)", "n if t else y", "[t for u in x]", "-t", "note(t) + t", "t - note(n)"])
ARGUMENTS = st.sampled_from(["g(x[0])", "g(y)", "g(y + 1)", "g(note(3))", "g(-n)", "g((lambda n: n)(2))"])
NOTE = "noted = []\n\n\ndef note(value):\n    noted.append(value)\n    return value\n\n\n"
MAPPED = ["a, b = {}\n    return a, b", "return list({})", "n = {}\n    return list(zip(n, x))"]
ALIKE["local_functions"] = Alike(
    st.one_of(
        st.builds(
            lambda body, calls: f"{NOTE}def f(x, y, n):\n    g = lambda t: {body}\n    return [{', '.join(calls)}]\n",
            *(BODIES, st.lists(ARGUMENTS, min_size=1, max_size=3)),
        ),
        st.builds(
            lambda shape, body: f"{NOTE}def f(x, y, n):\n    " + shape.format(f"map(lambda t: {body}, x)") + "\n",
            *(st.sampled_from(MAPPED), BODIES.filter(lambda body: "n" not in body)),
        ),
    ),
    ["(f([4, 5], 1, 2), noted)"],
)

PARTIAL = "def f(x, n):\n    q, k = map({}, x)\n    return q + k\n"

CASES["local_functions"] += [
    *Form(f"import functools\n\n\n{PARTIAL}").alone(
        *("functools.partial(g, h(n))", "functools.partial(g, *n)", "functools.partial(g, **n)", "partial(g, n)"),
    ),
    *Form("import functools\n\n\ndef f(x, n):\n    {}\n").alone(
        *("g = functools.partial(h, n)\nn = 2\nreturn g(x)", "g = functools.partial(h, k())\nreturn g(x)"),
        *("g = functools.partial(h, n)\nreturn [g(n) for n in x]", "g = functools.partial(h, n)\nreturn g(**x)"),
        "g = functools.partial(h, m=x.m)\nx.step()\nreturn g(x)",
        *("g = functools.partial(h, n)\nreturn g", "g = functools.partial(h, n)\nif x:\n    g = k\nreturn g(x)"),
    ),
    *Form("import functools\n\n\ndef f(x, n):\n    {}\n").mends(
        ("g = functools.partial(h, n, m=2)\nreturn g(x) + g(x, m=3)", "return h(n, x, m=2) + h(n, x, m=3)"),
        ("g = functools.partial(h, m=2)\nreturn g(x, k=x(1), m=x(2))", "return h(x, k=x(1), m=x(2))"),
        (
            "if n:\n    g = functools.partial(h, m=2)\n    x = g(x)\nelse:\n"
            "    g = functools.partial(h)\n    x = g(x)\nreturn x",
            "if n:\n    x = h(x, m=2)\nelse:\n    x = h(x)\nreturn x",
        ),
    ),
    *Form("import functools\n\n\ndef f(x, n):\n    q, k = {}\n").mends(
        ("map(functools.partial(g, n, m=2), x)", "[g(n, each, m=2) for each in x]"),
    ),
    *Form(f"import functools\n{IMPORTS}{PARTIAL.replace(', n)', ')').replace(', x)', ', ((x, x), (x, x)))')}").compiles(
        "functools.partial(torch.cat, dim=0)"
    ),
    *FORM.alone(
        *("return map(lambda t: t + 1, x)", "a, *b = map(lambda t: t + 1, x)", "a, b = map(*x)"),
        *("a, b = map(make(), x)", "a, b = map(lambda t, u=1: t + u, x)", "a, b = map(lambda *t: t, x)"),
        *("a, b = map(lambda: 1, x)", "map = n\na, b = map(lambda t: t, x)"),
        "a, b = map(lambda t: (t := t + 1), x)",
        *("return filter(lambda t: t, x)", "a, b = filter(lambda t, u: t, x, y)", "a, b = filter(None, x)"),
        *("filter = n\na, b = filter(lambda t: t, x)", "for t in filter(lambda t: t + n, x):\n    n += t"),
        *("a = map(lambda t: t + 1, x)\nreturn sum(a), sum(a)", "a = map(lambda t: t + n, x)\nn = 2\nreturn sum(a)"),
        *("a = map(lambda t: t + 1, x)\nreturn next(a)", "for t in map(lambda t: t + 1, x):\n    n += t"),
        *("return list(map(lambda t: t, x), 2)", "return len(map(lambda t: t, x))"),
        "a = map(lambda t: t + n, x)\nfor t in a:\n    n += t",
        "a = map(lambda t: t + 1, x)\nfor _ in y:\n    for t in a:\n        n += t",
        "a = map(lambda t: t + 1, x)\nreturn [sum(a) for _ in y]",
    ),
    *Form(FORM.text + "\n\ndef map(f, x):\n    return [f(x)]\n").alone("q, k = map(lambda t: t * n, (x, y))"),
    *Form(FORM.text + "\n\ndef list(x):\n    return x\n").alone("return list(map(lambda t: t * n, (x, y)))"),
    *Form(FORM.text + "\n\ndef sum(x):\n    return x\n").alone("return sum(map(lambda t: t * n, (x, y)))"),
    *FORM.mends(
        ("q, k = map(lambda t: t * n, (x, y))", "q, k = [t * n for t in (x, y)]"),
        ("q, k = map(lambda t, u: t * u, x, (1, 2))", "q, k = [t * u for t, u in zip(x, (1, 2))]"),
        ("q, k = map(F.relu, (x, y))", "q, k = [F.relu(each) for each in (x, y)]"),
        ("each = 2\nq, k = map(F.relu, x)", "each = 2\nq, k = [F.relu(each_1) for each_1 in x]"),
        ("return list(map(lambda t: t + 1, x))", "return [t + 1 for t in x]"),
        ("q, k = map(lambda t: t, x if n else y)", "q, k = [t for t in (x if n else y)]"),
        ("q, k = map(lambda t: g(t,\n    n), x)", "q, k = [g(t,\n    n) for t in x]"),
        ("a = map(g, x)\nreturn sum(a)", "a = [g(each) for each in x]\nreturn sum(a)"),
        ("return any(map(g, x))", "return any(g(each) for each in x)"),
        ("return tuple(map(g, x))", "return tuple(g(each) for each in x)"),
    ),
    *NET.compiles(
        *("q, k = map(lambda t: t * 2, (x, x))\nx = q + k", "x = torch.stack(list(map(F.relu, [x, x])))"),
        "a, b = map(lambda t, u: t + u, (x, x), (x, x))\nx = a - b",
    ),
]


SIGNATURE = "def f(x, size{} = None, *, n{}=None) -> int:\n    return x\n"
BOTH = SIGNATURE.format(": Optional[type]", ": dict")

CASES["unknown_annotations"] = [
    *Form().alone(BOTH),
    *Form().alone(BOTH, stops=(2, 5)),
    *Form().alone("def f(x, size=None):\n    return x\n", stops=(1, 10)),
    *Form().mends((BOTH, SIGNATURE.format("", ": dict")), stops=(1, BOTH.index("Optional") + 1)),
    *Form().mends((BOTH, SIGNATURE.format(": Optional[type]", "")), stops=(1, BOTH.index("dict") + 1)),
    *Form().mends((BOTH, SIGNATURE.format("", "")), stops=(1, 0)),
]

WIDE = "from collections.abc import Sequence\nimport typing\nfrom typing import List, Tuple\n\n\n{}"
CASES["unknown_annotations"] += [
    *Form(WIDE).alone(
        *("def f(x: List[int], y: Tuple[int, str]):\n    return x\n", "def f(x, Sequence):\n    return x\n"),
        *("def f(x):\n    y: Sequence[int]\n    return x\n", "@g.register\ndef f(x: Sequence[int]):\n    return x\n"),
        "def f(x):\n    (y): Sequence[int] = x\n    return y\n",
    ),
    *Form(WIDE).mends(
        ("def f(x: Sequence[int] = (1, 2)):\n    return x\n", "def f(x = (1, 2)):\n    return x\n"),
        ("def f(x, *, y: List[Tuple[int, ...]]):\n    return x\n", "def f(x, *, y):\n    return x\n"),
        ("def f(x, y: typing.Literal[1]):\n    return x\n", "def f(x, y):\n    return x\n"),
        ("def f(x, y: Optional[Float[Tensor, 'b']]):\n    return x\n", "def f(x, y):\n    return x\n"),
        ("def f(x) -> tuple[int, ...]:\n    return x\n", "def f(x):\n    return x\n"),
        ("def f(x, y: Tuple) -> typing.Optional[List]:\n    return x\n", "def f(x, y):\n    return x\n"),
        ("def f(x) -> (\n    Sequence[int]\n):\n    return x\n", "def f(x):\n    return x\n"),
        ("def f(x):\n    y: typing.Literal['a'] = x\n    return y\n", "def f(x):\n    y = x\n    return y\n"),
        says="Unknown type constructor Sequence",
        stops=(0, 0),
    ),
]

RETURNING = "def f(x: int) -> Iterable[int]:\n    return x\n"
CASES["unknown_annotations"] += [
    *Form(stops=(1, 6)).mends((RETURNING, "def f(x):\n    return x\n")),
    *Form(stops=(1, RETURNING.index("Iter") + 1)).mends((RETURNING, RETURNING.replace(" -> Iterable[int]", ""))),
    *Form(stops=(2, 11)).alone(RETURNING.replace("Iterable", "list")),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    def forward(self, x):\n        return self.scale(x, [2])[0]\n\n"
        "    def scale(self, x, {}:\n        return [x * n[0], x]\n"
    ).compiles("n: List[int]) -> Iterable[torch.Tensor]"),
]

DATACLASS = Form(
    "import torch\nfrom dataclasses import dataclass, field\nfrom typing import Dict, List, Optional\n\n\n{}"
    "class Output:\n    y: torch.Tensor\n    n: {}\n\n\ndef f(x):\n    return Output(x).y\n",
    says="Failed to get source for <function Output.__init__> using inspect.getsource",
    stops=(0, 0),
)


def of_dataclass(decorators: str, field: str, form: Form = DATACLASS) -> Form:
    head, _, tail = form.text.rpartition("{}")
    return Form(head.replace("{}", "{}" + decorators) + field + tail, **form.facts)


CASES["scripted_dataclasses"] = [
    *of_dataclass("", "int = 2").alone(""),
    *of_dataclass("@dataclass(frozen=True)\n", "int = 2").alone(""),
    *of_dataclass("@dataclass\n", "List[int] = field(default_factory=list)").alone(""),
    *of_dataclass("@dataclass\n", "dict = None").alone("", "@torch.jit.script\n", "class A:\n    pass\n\n"),
    *of_dataclass("@dataclass\n", "int | None = None").alone(""),
    *Form(of_dataclass("@dataclass\n", "int = 2").text, says="no").alone(""),
    *Form(of_dataclass("@dataclass\n", "int = 2").text.replace("Output:", "Output(dict):"), **DATACLASS.facts).alone(
        ""
    ),
    *of_dataclass("@dataclass\n", "Optional[Dict[str, torch.Tensor]] = None").mends(("", "@torch.jit.script\n")),
    *of_dataclass("@dataclass\n", "int = 2").compiles(""),
    *of_dataclass("@dataclass\n", "torch.Tensor = None").compiles(""),
    *[
        replace(case, before=case.before.replace(*given), after=str(case.after).replace(*given))
        for given in (("Output(x)", "Output(x, n=3)"), ("Output(x)", "Output(x, 3)"))
        for case in of_dataclass("@dataclass\n", "int = None").mends(("", "@torch.jit.script\n"))
    ],
]

CONFIG = "Failed to get source for <function Config.__init__> using inspect.getsource"
CONFIG_TYPE = TypeExpr("model.Config")
WITH_CONFIG = "def f(x, size{} = None, {other}):\n    return x\n"

CASES["unknown_annotations"] += [
    *Form(
        WITH_CONFIG.replace("{other}", "n: Other = None"), says=CONFIG, stops=(0, 0), types={"f.size": ("None",)}
    ).mends((": Optional[Config]", ""), (": base.Config", "")),
    *Form(WITH_CONFIG.replace("{other}", "n=None"), says=CONFIG, stops=(0, 0)).alone(": Optional[Config]", ": Config"),
    *Form("def f(x){}:\n    return x\n", says=CONFIG, stops=(0, 0), types={"f.return": ("Tensor",)}).mends(
        (" -> Union[Config, tuple]", "")
    ),
    *Form("def f(x) -> {}:\n    return x\n", says=CONFIG, stops=(0, 0)).alone("Config"),
    *Form(
        "def f(x) -> {}:\n    return x\n", says=CONFIG, stops=(0, 0), types={"f.return": ("Tensor", CONFIG_TYPE)}
    ).alone("Optional[Config]"),
]

TYPED = """\
from typing import TYPE_CHECKING


{}class Net(nn.Module):
    {}

    def forward(self, x):
        return self.act(x)
"""
TYPE = "Unknown type annotation: '<class 'torch.nn.modules.module.Module'>' at"
LAYERS = {
    "Net.act": Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),)),
    "Net.norm": held("None"),
    "Net.n": held("2"),
}

CASES["unknown_annotations"] += [
    *Form(says=TYPE, stops=(0, 0), held=LAYERS).alone(
        *(TYPED.format("", each) for each in ("act: nn.Module = None", "n: int", "other: nn.Module")),
        TYPED.format("@dataclass\n", "act: nn.Module"),
    ),
    *Form(says=TYPE, stops=(0, 0), held=LAYERS).mends(
        (
            TYPED.format("", "act: nn.Module  # any\n    n: int"),
            TYPED.format("", "if TYPE_CHECKING:\n        act: nn.Module  # any\n    n: int"),
        ),
        (
            TYPED.format("", "act: nn.Module\n\n    @traced"),
            TYPED.format("", "if TYPE_CHECKING:\n        act: nn.Module\n\n    @traced"),
        ),
        (
            TYPED.format("", "norm: Optional[nn.Module]\n    n: int"),
            TYPED.format("", "if TYPE_CHECKING:\n        norm: Optional[nn.Module]\n    n: int"),
        ),
    ),
    *Form(says=TYPE, stops=(0, 0), held=LAYERS).alone(TYPED.format("", "norm: Optional[int]")),
    *Form(says=TYPE, stops=(0, 0), held=LAYERS).mends(
        (TYPED.format("", "act: Any"), TYPED.format("", "if TYPE_CHECKING:\n        act: Any"))
    ),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    act: Optional[nn.Module]\n    norm: Optional[nn.Module]\n\n"
        "    def __init__(self):\n        super().__init__()\n        self.act, self.norm = nn.ReLU(), None\n\n"
        "    def forward(self, x):\n        assert self.act is not None\n        return {}\n"
    ).compiles("self.act(x) if self.norm is None else x"),
]

PRENORM = """\
class PreNorm(Module):
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)


class Attention(Module):
    def forward(self, x, context=None, mask=None):
        return x


class FeedForward(Module):
    def forward(self, x):
        return x
"""
RESIDUAL = "\n\nclass Residual(Module):\n    def forward(self, x, **kwargs):\n        return self.fn(x, **kwargs) + x\n"
BUILT = "class PreNorm(Module):\n{}    def __init__(self, fn):\n        self.fn = fn\n{}\n    def forward(self, x, {}"
REST = PRENORM[PRENORM.index("\n\n\n") :]
MASKED = {"PreNorm.forward": Variadic(names=("mask",))}
CHECK = (
    "def f(x, *args, **kwargs):\n    if len(args) > 0 or kwargs.get('scale', None) is not None:\n"
    "        warn('no use', *args)\n\n    return x\n"
)
CALLED, DEALT = (
    f"def g(x, mask=3, scale=None):\n    return x\n\n\ndef f(x, {head}):\n    return g(x, {passed})\n"
    for head, passed in (("*args, **kwargs",) * 2, ("scale=None, mask=3", "scale=scale, mask=mask"))
)
OTHER = "\n\nclass Other:\n    def forward(self, x):\n        return {}\n"


def holds(*classes: str, cls: str = "PreNorm") -> dict[str, Held]:
    return {f"{cls}.fn": Held(tuple(HeldValue(f"model.{each}") for each in classes))}


def masked(source: str) -> tuple[str, str]:
    return source, source.replace("x, **kwargs):", "x, mask=None):").replace("**kwargs", "mask=mask")


def bare(source: str) -> tuple[str, str]:
    return source, source.replace(", **kwargs", "")


CASES["plain_parameters"] += [
    *Form().alone(
        *("def f(x, y=2, *args):\n    return g(x, *args)\n", "def f(x, *args): return args\n"),
        passed={"f": Variadic(1, fewest=1)},
    ),
    *Form().alone("def f(*args):\n    return args\n", passed={"f": Variadic(2, fewest=1)}),
    *Form("def f(*args):\n    return args\n\n\n{}\n").alone(
        *("def g(x):\n    return f(x)", "class Net:\n    def __init__(self, x):\n        assert f(x, x, x)"),
        passed={"f": Variadic(2, fewest=2)},
    ),
    *Form("def f(*xs):\n    {}\n", passed={"f": Variadic(3, fewest=1)}).alone(
        *(
            "return xs[-1]",
            "return len(xs) in 3",
            "return len(xs)",
            "return xs[0] if len(xs) == 2 else 0",
            "return xs[0] if len(xs) > 0 else 0",
        ),
        *("for x in xs:\n    return x", "return xs[3]", "xs = xs[0]\nreturn xs"),
    ),
    *Form(passed={"f": Variadic(2, fewest=1)}, kind=MendKind.FROZEN).mends(
        (
            "def f(*xs):\n    y = xs[0]\n    if len(xs) == 2:\n        y = y + xs[1]\n"
            "    return y if len(xs) < 2 else -y\n",
            "def f(value_1, value_2=None):\n    y = value_1\n    if value_2 is not None:\n        y = y + value_2\n"
            "    return y if value_2 is None else -y\n",
        ),
    ),
    *Form().alone("def f(*args):\n    return args\n", entered=[]),
    *Form().alone("def f(*args):\n    return 1\n"),
    *Form().mends(
        ("def f(x, *args, n):\n    return g(x, *args)\n", "def f(x, arg_1, *, n):\n    return g(x, arg_1)\n"),
        (
            "def f(*args, **kwargs):\n    args = args[0]\n    return g(*args)\n",
            "def f(arg_1, **kwargs):\n    args = (arg_1,)\n    args = args[0]\n    return g(*args)\n",
        ),
        passed={"f": Variadic(1, fewest=1)},
        kind=MendKind.FROZEN,
    ),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    def forward(self, *xs):\n        {}\n",
        passed={"Net.forward": Variadic(1, fewest=1)},
    ).compiles("return torch.cat(xs) + len(xs) + xs[0]"),
]

FORM = Form("def f(x, **kwargs):\n    {}\n")
FORM_2 = Form("{}\n")

CASES["variadics"] = [
    *FORM.alone(
        "return kwargs[x]",
        *("return kwargs.get('a', x)", "return kwargs.get('a', 1) + kwargs.get('a', 2)", "return kwargs.get('x')"),
        *("a = kwargs.get('a') + 1\nreturn a", "return kwargs.pop('a') + kwargs.get('a', 1)"),
        *("a = kwargs.get('a')\nreturn g(a + kwargs['a'])", "a = kwargs.get('a')\na = 1\nreturn g(a, **kwargs)"),
        *("return kwargs.items()", "return kwargs['a b']", "y = g(**kwargs)\nreturn y + kwargs.pop('a', 1)"),
        *("a = kwargs.get('a', 1)\nkwargs['a'] = 5\nreturn g(a, **kwargs)", "return a(kwargs.get('a', 1))"),
        *("def h():\n    kwargs['a'] = 1\nh()\nreturn kwargs.get('a', 0)", "return kwargs.get('lambda')"),
        *("for _ in x:\n    y = kwargs.pop('a', 0)\nreturn y", "h = lambda: kwargs.get('a', 0)\nreturn h()"),
        *("if x:\n    x = kwargs.pop('a', 1)\nreturn g(x, **kwargs)", "kwargs.update(a=1, b=2)\nreturn kwargs['a']"),
    ),
    *Form().mends(
        (
            "def f(x, **kwargs):\n    if 'a' in kwargs:\n        x = x * kwargs['a']\n    return x",
            "def f(x, a=None):\n    if a is not None:\n        x = x * a\n    return x",
        ),
        ("def f(x, **kwargs):\n    return kwargs['a'] if x else 0", "def f(x, a=None):\n    return a if x else 0"),
        (
            "def f(x, **kwargs):\n    if x:\n        a = kwargs['a']\n        return a\n    return 0",
            "def f(x, a=None):\n    if x:\n        a = a\n        return a\n    return 0",
        ),
        (
            "def f(x, **kwargs):\n    kwargs['a'] = x + kwargs.get('a', 0)\n    return kwargs['a']",
            "def f(x, a=0):\n    a = x + a\n    return a",
        ),
        (
            "def f(x, **kwargs):\n    if x:\n        a = kwargs['a']\n        b = g(a)\n        kwargs.update(a=b)\n"
            "    return x",
            "def f(x, a=None):\n    if x:\n        a = a\n        b = g(a)\n        a = b\n    return x",
        ),
        passed={"f": Variadic(names=("a",))},
        kind=MendKind.FROZEN,
    ),
    *Form(passed={"f": Variadic(names=("a",))}).alone(
        "def f(x, **kwargs):\n    a = kwargs['a']\n    kwargs['a'] = x\n    return a, kwargs['a']",
        "def f(x, **kwargs):\n    for y in x:\n        a = kwargs['a']\n        g(a)\n        kwargs['a'] = y",
    ),
    *Form().alone(
        "def g(x, a):\n    return x + a\n\n\ndef f(x, **kwargs):\n    kwargs['a'] = x\n    return g(x, **kwargs)\n"
    ),
    *Form(passed={each: Variadic(names=("a",)) for each in "fg"}).mends(
        (
            "def g(x, **kwargs):\n    return x + kwargs['a'] if 'a' in kwargs else x\n\n\n"
            "def f(x, **kwargs):\n    return g(x, **kwargs)\n",
            "def g(x, a=None):\n    return x + a if a is not None else x\n\n\n"
            "def f(x, a=None):\n    return g(x, a=a)\n",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(passed={"f": Variadic()}).mends(
        (
            "def f(x, **kwargs):\n    a = kwargs.get('a')\n    return g(a, **kwargs)\n\n\n"
            "def h(x):\n    return f(x, a=x)\n",
            "def f(x, a=None):\n    return g(a)\n\n\ndef h(x):\n    return f(x, a=x)\n",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(passed={"f": Variadic()}).alone(
        "def f(x, **kwargs): return g(kwargs)", "def f(x, **kwargs):\n    return g(kwargs)", entered=["g"]
    ),
    *Form(passed={"f": Variadic(names=("a",))}).alone("def f(x, **kwargs):\n    return g(kwargs)"),
    *Form(passed={"f": Variadic(1)}).alone("def f(*x, **kwargs):\n    return g(x, kwargs)"),
    *Form(passed={"f": Variadic()}, kind=MendKind.FROZEN).mends(
        ("def f(x, **kwargs):\n    return g(kwargs)", "def f(x):\n    kwargs = {}\n    return g(kwargs)"),
        (
            'def f(x, *, n=2, **kwargs):\n    """It is."""\n    kwargs[x] = n\n    return g(**kwargs)',
            'def f(x, *, n=2):\n    """It is."""\n    kwargs = {}\n    kwargs[x] = n\n    return g(**kwargs)',
        ),
    ),
    *FORM_2.mends(
        ("def f(x, **kwargs):\n    a = kwargs.get('a', 2)\n    return x * a", "def f(x, a=2):\n    return x * a"),
        ("def f(x, **kwargs):\n    return x * kwargs.get('a', 2.0)", "def f(x, a=2.0):\n    return x * a"),
        ("def f(x, **kwargs):\n    return x * kwargs['a']", "def f(x, a):\n    return x * a"),
        ("def f(x, **kwargs):\n    return kwargs.pop('b', None), kwargs['a']", "def f(x, a, b=None):\n    return b, a"),
    ),
]


LOOKUPS = st.permutations(["kw.get('a')", "kw['c']", "kw.pop('d', -1)", "(kw.get('b', 3) if x else x)"])
ALIKE["variadics"] = Alike(
    LOOKUPS.map(lambda lookups: f"def f(x, **kw):\n    return [{', '.join(lookups)}]\n"),
    [f"f({x}{more})" for x in (0, 1) for more in ("", ", c=7", ", a=7, c=7", ", b=7, c=7, d=7")],
)

CALLING = "\n\ndef h(x):\n    return f(x, 1, 2)\n"
TAKING = "def g(x, {}):\n    return x\n\n\ndef f(x, *args):\n    return g({})\n"
CASES["variadics"] += [
    *Form().alone(
        *("def f(x, y=2):\n    return g(x, *y)\n", "def f(x, **kwargs):\n    return kwargs\n"),
        *("def f(x, **kwargs):\n    return g(x, {**kwargs})\n", "def f(x, *args):\n    return x + len(args)\n"),
        *("def f(x, *args):\n    return g(x, args)\n", "def f(x, *args):\n    return g(x, [*args])\n"),
        "def f(x, **kwargs):\n    kwargs = {}\n    return g(x, **kwargs)\n",
        "def f(x):\n    def g(**kwargs):\n        return x\n    return g()\n",
        "def f(\n    x,  # the input, a Tensor\n    # and more\n    **kwargs,\n):\n    return x\n",
    ),
    *(
        case
        for classes in (("FeedForward",), ("Attention", "Unknown"), ("Unknown",), ())
        for case in Form().alone(PRENORM, held=holds(*classes), passed=MASKED)
    ),
    *Form().alone("def f(x, *args):\n    return g(x, *args)\n", passed={"f": Variadic(2)}),
    *Form().alone("def f(x, *args):\n    return g(x, *args)\n", values={"h: x": held("1")}),  # no call ran it
    *Form(passed={"f": Variadic(2, fewest=1), "g": Variadic(1)}).alone(
        *(TAKING.format("a", "x, *args"), TAKING.format("a, *b", "x, *args"), TAKING.format("a, b", "*args, x")),
        TAKING.format("*, a, b", "x, *args"),
        TAKING.format("a, b", "x, *args").replace("f(x, ", "f(x, y=1, "),
    ),
    *Form(passed={"f": Variadic(2, ("c",), 1)}).mends(
        (
            TAKING.format("a, b=2, c=3", "x, *args, **kw").replace("*args)", "*args, **kw)"),
            TAKING.format("a, b=2, c=3", "x, a, b, c=c").replace("*args", "a, b=2, c=3"),
        ),
        (
            TAKING.format("a=1, b=2, c=3", "x, *args, **kw").replace("*args)", "*args, d=0, **kw)"),
            TAKING.format("a=1, b=2, c=3", "x, a, b, c=c").replace("*args", "a=1, b=2, d=0, c=3"),
        ),
    ),
    *Form(passed={"f": Variadic(2, fewest=1)}).mends(
        (TAKING.format("a, b=2", "x, *args"), TAKING.format("a, b=2", "x, a, b").replace("*args", "a, b=2")),
        (
            TAKING.format("a, b=2", "x, *args") + CALLING,
            TAKING.format("a, b=2", "x, a, b").replace("*args", "a, b=2") + CALLING,
        ),
        kind=MendKind.EXACT,
    ),
    *Form(passed={"f": Variadic(2, fewest=1)}, kind=MendKind.FROZEN).mends(
        (
            TAKING.format("a, b=2", "x, *args") + CALLING.replace("2)", "2, 3)"),
            TAKING.format("a, b=2", "x, a, b").replace("*args", "a, b=2") + CALLING.replace("2)", "2, 3)"),
        ),
    ),
    *Form().alone(CHECK, passed={"f": Variadic(names=("scale",))}),
    *Form().alone(CHECK, entered=[]),
    *Form().mends((CHECK, "def f(x):\n    return x\n"), kind=MendKind.EXACT),
    *Form().mends(
        (
            BUILT.format("", "", "**kwargs):\n        return self.fn(self.norm(x), **kwargs)") + REST,
            "from typing import Final\n\n\n"
            + BUILT.format(
                "    _takes_mask: Final[bool]\n\n",
                "        self._takes_mask = isinstance(self.fn, Attention)\n",
                "mask=None):\n        assert self._takes_mask or mask is None\n        return self.fn(self.norm(x),"
                " mask=mask) if self._takes_mask else self.fn(self.norm(x))",
            )
            + REST,
        ),
        held=holds("Attention", "FeedForward"),
        passed=MASKED,
        kind=MendKind.FROZEN,
    ),
    *Form().mends(
        (
            BUILT.format("", "", "**kwargs):\n        return self.fn(self.norm(x), **kwargs)")
            + REST.replace("(self, x):", "(self, x, mask=None):"),
            "from typing import Final\n\n\n"
            + BUILT.format(
                "    _takes_context: Final[bool]\n\n",
                "        self._takes_context = isinstance(self.fn, Attention)\n",
                "context=None, mask=None):\n        assert self._takes_context or context is None\n"
                "        return self.fn(self.norm(x), context=context, mask=mask) if self._takes_context else"
                " self.fn(self.norm(x), mask=mask)",
            )
            + REST.replace("(self, x):", "(self, x, mask=None):"),
        ),
        held=holds("Attention", "FeedForward"),
        passed={"PreNorm.forward": Variadic(names=("context", "mask"))},
        kind=MendKind.FROZEN,
    ),
    *Form().mends(
        masked(PRENORM + RESIDUAL),
        held={**holds("Attention"), **holds("PreNorm", cls="Residual")},
        passed={**MASKED, "Residual.forward": Variadic(names=("mask",))},
        kind=MendKind.EXACT,
    ),
    *Form().mends(masked(PRENORM), held=holds("Attention"), passed=MASKED, kind=MendKind.EXACT),
    *Form().mends(bare(PRENORM), held=holds("FeedForward", "Attention"), kind=MendKind.EXACT),
    *Form().mends(
        bare(PRENORM + OTHER.format("self.attn(x, mask=m)")), held=holds("FeedForward"), kind=MendKind.FROZEN
    ),
    *Form().mends(
        *(
            bare("import torch\n" + PRENORM + OTHER.format(call))
            for call in ("x.sum(dim=1)", "torch.cat([x], dim=1)", "print(x, end='')", "Other(x, mask=None)")
        ),
        held=holds("FeedForward"),
        kind=MendKind.EXACT,
    ),
    *Form().mends(
        ("def f(x, **kw):\n    return x\n", "def f(x, a=None, b=None):\n    return x\n"),
        passed={"f": Variadic(names=("a", "b"))},
        kind=MendKind.EXACT,
    ),
    *Form().mends(
        (
            "class Net:\n    def forward(self, **kw):\n        return self.act(**kw)\n",
            "class Net:\n    def forward(self, input):\n        return self.act(input=input)\n",
        ),
        held={"Net.act": Held((HeldValue("torch.nn.modules.activation.ReLU"),))},
        passed={"Net.forward": Variadic(names=("input",))},
        kind=MendKind.EXACT,
    ),
    *Form().mends((CALLED, DEALT), passed={"f": Variadic(names=("scale", "mask"))}, kind=MendKind.EXACT),
    *Form().mends(
        ("def f(*args, **kwargs):\n    return g(*args, **kwargs)\n", "def f():\n    return g()\n"),
        ("def f(x, *args):\n    return g(*args, x)\n", "def f(x):\n    return g(x)\n"),
        ("def f(x, *args, n=2):\n    return x\n", "def f(x, n=2):\n    return x\n"),
        ("def f(x, *args, n):\n    return x\n", "def f(x, *, n):\n    return x\n"),
        ("def f(x=(1, 2), ** kw: int):\n    return x\n", "def f(x=(1, 2)):\n    return x\n"),
        ("def f(\n    x,\n    **kw,\n):\n    return g((x), **kw)\n", "def f(\n    x,\n):\n    return g((x))\n"),
        ("def f(\n    *args,\n):\n    return g(*args,)\n", "def f(\n    \n):\n    return g()\n"),
        kind=MendKind.EXACT,
    ),
]

FORM = Form("def f(x, k{} = None):\n    a, b = k\n    return x\n", stops="a, b = k")
PAIR, FLOATS, ONE = {"f.k": ("Tuple[float, float]",)}, "Union[List[float], Tuple[float, float]]", "Tuple[float, float]"
RESULT = Form("{}\n\n\ndef f(x):\n    a, b = g(x)\n    return a\n", stops="a, b = g(x)")
REFUSED = "Expected a value of type 'Optional[str]' for argument 'v' but instead found type 'Device'."
DEVICES = dict.fromkeys(("g.u", "g.v"), (TypeExpr("torch.device"),))

CASES["wide_annotations"] = [
    *FORM.alone("", f": {ONE}", f": Optional[{ONE}]", ": Shape", types=PAIR),
    *FORM.alone(f": Optional[{ONE}]", types={"f.k": (ONE, "None")}),
    *FORM.alone(f": {FLOATS}"),
    *FORM.alone(f": {FLOATS}", types={"f.k": (ONE, "List[float]")}),
    *FORM.alone(": Optional[float]", types={"f.k": ("int", "None")}),
    *FORM.alone(": Optional[str]", types={"f.k": ("None",)}),
    *FORM.alone(f": {FLOATS}", types=PAIR, stops="return x"),
    *FORM.alone(": Any", types={"f.k": (ONE, TypeExpr("Any"))}),
    *FORM.mends((": Any", ""), (": Optional[Any]", ""), types=PAIR),
    *FORM.mends((f": {FLOATS}", ""), types=PAIR),
    *FORM.mends((": Union[List[float], Tuple[float, float], None]", ""), types={"f.k": (ONE, "None")}),
    *FORM.mends((": Optional[str]", ""), types={"f.k": (TypeExpr("torch.device"),)}),
    *FORM.mends((": int", ""), types={"f.k": ("float",)}),
    *FORM.mends((": List[int]", ""), types={"f.k": ("int",)}),
    *FORM.mends((": torch.Tensor", ""), types={"f.k": ("Tuple[float, float]", "List[int]")}),
    *FORM.mends((": List[Tensor]", ""), types={"f.k": ("Tensor",)}),
    *FORM.mends((": Tuple[Tensor, List[int]]", ""), types={"f.k": ("List[int]",)}),
    *FORM.alone(": Tuple[int, Tensor]", types={"f.k": ("List[int]",)}),
    *FORM.alone(": List[float]", types={"f.k": ("List[int]", "Tuple[int, int]")}),
    *RESULT.alone(
        "def g(x) -> Tuple[Tensor, Tensor]:\n    return x, x", f"def g(x) -> Union[Tensor, {ONE}]:\n    return h(x)"
    ),
    *RESULT.alone("def g(x) -> Optional[Tuple[float, float]]:\n    return h(x)", types={"g.return": (ONE,)}),
    *RESULT.mends(
        ("def g(x) -> Optional[Tuple[Tensor, Tensor]]:\n    return h(x)", "def g(x):\n    return h(x)"),
        types={"g.return": (ONE,)},
    ),
    *RESULT.alone(f"def g(x) -> Union[Tensor, {ONE}]:\n    return h(x)", types={"g.return": (ONE, "Tensor")}),
    *RESULT.mends(
        (f"def g(x) -> Union[Tensor, {ONE}]:\n    return h(x)", "def g(x):\n    return h(x)"),
        types={"g.return": (ONE,)},
    ),
    *RESULT.mends((f"def g(x) -> Union[Tensor, {ONE}]:\n    return x, x", "def g(x):\n    return x, x")),
    *RESULT.alone("def g(x, u: Optional[str] = None):\n    return h(x)", says=REFUSED, types=DEVICES),
    *RESULT.mends(
        ("def g(x, v: Optional[str] = None):\n    return h(x)", "def g(x, v = None):\n    return h(x)"),
        **{"says": REFUSED, "types": DEVICES},
    ),
    *RESULT.mends(
        ("def g(x) -> List[Tensor]:\n    return h(x)", "def g(x):\n    return h(x)"), types={"g.return": ("Tensor",)}
    ),
]

FORM = Form("def f(x, {}):\n    y = x in cache\n    return x\n", types={"f.cache": ("None",)}, stops="x in cache")

CASES["wide_annotations"] += [
    *FORM.alone("cache=None", types={"f.cache": ("Tensor",)}),
    *FORM.alone("cache=None", types={"f.cache": ("None", "Tensor")}),
    *FORM.alone("cache=None", types={}),
    *FORM.alone("cache", "cache=0"),
    *FORM.alone("cache=None", stops="return x"),
    *FORM.mends(("cache=None", "cache: None = None"), ("cache = None", "cache: None = None")),
]

WHOLE = Form("import torch\n\n\n{}", stops="return", types={"f.n": ("Tensor",)}, kind=MendKind.FROZEN)
SET = 'if n is None:\n        assert not torch.jit.is_scripting(), "left out of the scripted model"\n        n = '

CASES["wide_annotations"] += [
    *(
        case
        for types in ({}, {"f.n": ("int",)}, {"f.n": ("Tensor", "float")}, {"f.n": ("Tensor", "None")})
        for case in WHOLE.alone("def f(x, n=1):\n    return x * n\n", types=types)
    ),
    *WHOLE.alone(
        "def f(x, n=None):\n    return x * n\n",
        "def f(x, n=True):\n    return x * n\n",
        "def f(x, n: Scale = 1):\n    return x * n\n",
        "def f(x, n=1): return x * n\n",
        'def f(x, n=1):\n    """Does not return x * n."""\n',
        "def f(x, n=1):\n    return x * n if n is not None else x\n",
        "def f(x, n=1):\n    return x * (1 if n == None else n)\n",
    ),
    *WHOLE.alone("def f(x, n=1):\n    return x * n\n", stops="def"),
    *WHOLE.mends(
        (
            "def f(x, n=1):\n    # why\n    return x * n\n",
            f"def f(x, n=None):\n    # why\n    {SET}1\n    return x * n\n",
        ),
        (
            'def f(n=0.5, x=2):\n    """Twice."""\n    return x * n\n',
            f'def f(n=None, x=2):\n    """Twice."""\n    {SET}0.5\n    return x * n\n',
        ),
    ),
]

CACHES = "class Cache:\n    def __init__(self, n):\n        self.n = range(n)\n\n\n"
FORM = Form(CACHES + "{}\ndef f(x, cache: {} = None):\n    return x\n", stops="range")
REFUSED = "Expected a value of type 'Tensor' for argument 'mask' but instead found type 'NoneType'."
NONES = {"f.cache": ("None",)}

CASES["wide_annotations"] += [
    *Form(FORM.text.replace("{}\n", "", 1), stops="range").alone(
        "Optional[Cache]", types={"f.cache": ("None", "Tensor")}
    ),
    *Form(FORM.text.replace("{}\n", "", 1), stops="range").alone("Optional[Caches]", types=NONES),
    *Form(FORM.text.replace("{}\n", "", 1), stops="range").alone("Cache", types=NONES, held={"Cache.n": held("2")}),
    *Form(FORM.text.replace("{}\n", "@checked\n", 1), stops="range").alone("Cache", types=NONES),
    *Form(CACHES + "def f(x, cache{} = None):\n    return x\n", stops="range", types=NONES, kind=MendKind.EXACT).mends(
        (": Optional[Cache]", ""), (": 'Cache | None'", "")
    ),
    *Form(
        "from typing import *\n\n\nclass Net:\n    def forward(self, x):\n        return self.layer(x, None)\n\n\n"
        "class Layer:\n    def forward(self, x, mask{}=None):\n        return x\n",
        **{"stops": "self.layer", "says": REFUSED, "kind": MendKind.EXACT},
    ).mends((": torch.Tensor", ""), types={"Layer.forward.mask": ("None", "Tensor")}),
    *Form(
        "from typing import *\n\n\ndef f(x, mask{} = None):\n    return x\n",
        **{"says": "Unsupported value kind: Tensor", "kind": MendKind.EXACT, "types": {"f.mask": ("None",)}},
    ).mends(
        (": torch.Tensor", ": Optional[torch.Tensor]"),
        (": List[int]", ": Optional[List[int]]"),
    ),
    *Form("def f(n{} = None):\n    return n\n", says="Unsupported value kind: Tensor", kind=MendKind.EXACT).mends(
        (": int", ""), types={"f.n": ("None", "float")}
    ),
]

WRAPPED = Form(
    IMPORTS
    + """\
import functools


def halved(by):
    def outer(fn):
        def inner(self, *args, **kwargs):
            '''Half of it.'''
            return fn(self, *args, **kwargs) / by
        return inner
    return outer


def summed(fn):
    @functools.wraps(fn)
    def wrapper(x, mean: bool = False, **kwargs):
        loss = fn(x + 0, **kwargs)
        return loss.mean() if mean and fn.__name__ else loss.sum()
    return wrapper


def kept(fn):
    fn.kept = True
    return fn


def logged(fn, level=1):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return level, args, fn(*args, **kwargs)
    return wrapper


{}
"""
)
CASES["wrapped_functions"] = [
    *WRAPPED.alone(
        *(
            f"@{by}\ndef f(x):\n    return x"
            for by in ("kept", "logged", "torch.no_grad()", "halved(torch.e)", "halved")
        ),
        *(f"@summed\ndef f(x, {more}):\n    return x" for more in ("**more", "loss=1", "n=torch.e", "*, n=1")),
    ),
    *WRAPPED.mends(
        (
            "@kept\n@summed\ndef f(x, n=2):\n    return x * n",
            "def _f(x, n=2):\n    return x * n\n\n\n@kept\ndef f(x, mean: bool=False, n=2):\n"
            "    loss = _f(x + 0, n=n)\n    return loss.mean() if mean and 'f' else loss.sum()",
        )
    ),
    *WRAPPED.compiles(
        "@summed\ndef g(x, y):\n    return x * y\n\n\ndef f(x):\n    return g(x, mean=True, y=x)",
        "class Net(nn.Module):\n    @halved(2)\n    def more(self, x, n: int = 1):\n        return x * n\n\n"
        "    @halved(by=0.5)\n    def forward(self, x):\n        return self.more(x, 3) + self.more(x, n=2)",
    ),
]

DECORATED = Form("import functools\nimport torch\nfrom torch import autocast\n\n\n{}\n")
PLAIN = "{}\ndef f(x, dtype=None):\n    {}"

CASES["context_decorators"] = [
    *DECORATED.alone(
        *(PLAIN.format(each, "return x") for each in ("@functools.cache", "@torch.no_grad()\n@functools.cache")),
        *(PLAIN.format(f"@autocast({each})", "return x") for each in ("kind", "h()", "'cpu', dtype=dtype")),
        *(PLAIN.format("@torch.no_grad()", body) for body in ("yield x", 'return """\n"""')),
        "@torch.no_grad()\ndef f(torch):\n    return torch",
    ),
    *DECORATED.mends(
        *(
            (PLAIN.format(each, "return x"), "def f(x, dtype=None):\n    with torch.no_grad():\n        return x")
            for each in ("@torch.no_grad", "@torch.no_grad()")
        ),
        (
            PLAIN.format(
                "@functools.cache\n@autocast('cpu', dtype=torch.float16)  # half\n# ours",
                '"""Half."""\n    y = x\n\n    # end\n    return y',
            ),
            PLAIN.format(
                "@functools.cache\n# ours",
                '"""Half."""\n    with autocast(\'cpu\', dtype=torch.float16):  # half\n        y = x\n\n'
                "        # end\n        return y",
            ),
        ),
    ),
    *Form(IMPORTS + "{}\ndef f(x):\n    return F.relu(x)\n").compiles("@torch.autocast('cpu')"),
    *Form(IMPORTS + "{}\ndef g(x):\n    return F.relu(x)\n\n\ndef f(x):\n    return g(x)\n").compiles(
        "@torch.autocast('cpu')"
    ),
    *Form(IMPORTS + "class Net(nn.Module):\n    {}\n").compiles(
        "@torch.no_grad()\ndef forward(self, x):\n    return F.relu(x)",
        "@torch.no_grad()\ndef forward(self, x):\n    return nn.functional.gelu(x)",
    ),
]

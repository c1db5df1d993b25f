"""None: tests for it, helpers, parameters; and missing layers."""

from textwrap import indent

from hypothesis import strategies as st
from mend_cases import IMPORTS, NET, Alike, Case, Drawn, Form
from mended import held

from pdt_annotate.values.mends import Held, HeldValue, MendKind

CASES: dict[str, list[Case]] = {}
DRAWN: dict[str, Drawn] = {}
ALIKE: dict[str, Alike] = {}

INIT = "super().__init__()\nif wide:\n    self.up = nn.Linear(2, 2)"
ELSE = INIT + "\nelse:\n    self.up = None"
LATE = "if wide:\n    self.up = 1\nelse:\n    b()"
THERE = "assert self.up is not None\n"
LACKING = {"Net.up": Held(lacking=True), "Net.down": Held(lacking=True)}
SOME = {"Net.up": held("None", "1"), "Net.down": held("None", "1")}


def lacking(forward: str, init: str = INIT, body: str = "", after: str = "") -> str:
    text = "class Net(nn.Module):\n{}    def __init__(self, wide):\n{}\n    def forward(self, x):\n{}\n{}"
    return text.format(indent(body, "    "), indent(init, " " * 8), indent(forward, " " * 8), after)


CASES["missing_layers"] = [
    *Form(held=LACKING).alone(
        lacking("return self.other(x)"),
        lacking("return self.up(x)", init="super().__init__()"),
        lacking("return self.up(x) if hasattr(self, 'up') else x"),
        lacking("return self.up(x)", after="\n\nprint('up' in net.__dict__)\n"),
        lacking("return self.up(x)", body="up = None\n"),
        lacking("return self.up(x)", body="@property\ndef up(self): return 1\n"),
        lacking("y = x.sum() and self.up(x)\nreturn y"),
        lacking("return [self.up(y) for y in x]"),
        lacking("if x is not None:\n    assert self.up is not None\n    x = self.up(x)", ELSE),
    ),
    *Form().alone(lacking("return self.up(x)"), held={"Net.up": held("1")}),
    *Form(held=LACKING).mends(
        *(
            (lacking(before), lacking(after, ELSE))
            for before, after in (
                ("return self.up(x)", THERE + "return self.up(x)"),
                (
                    "if self.wide:\n    # grow\n    x = x + 1\n    x = self.up(x)\n    x = self.up(x)",
                    "if self.wide:\n    # grow\n    " + THERE + "    x = x + 1\n    x = self.up(x)\n    x = self.up(x)",
                ),
                (
                    "if not self.wide:\n    return x\nreturn self.up(x)",
                    "if not self.wide:\n    return x\n" + THERE + "return self.up(x)",
                ),
                (
                    "y = x if x.a else self.up(\n    x)  # up",
                    "if x.a:\n    y = x\nelse:\n    assert self.up is not None\n    y = self.up(\n    x)  # up",
                ),
                (
                    "return (\n    self.up(x)\n    + 1 if x.a else 2\n)",
                    "if x.a:\n    assert self.up is not None\n    return (self.up(x)\n    + 1)\nelse:\n    return 2",
                ),
                ("for _ in x:\n    self.up(x)", "for _ in x:\n    assert self.up is not None\n    self.up(x)"),
            )
        ),
        *(
            (lacking("self.up(x)", before), lacking(f"{THERE}self.up(x)", after))
            for before, after in (
                ("if wide:\n  self.up = 1", "if wide:\n  self.up = 1\nelse:\n  self.up = None"),
                (LATE, f"self.up = None\n{LATE}"),
                ("for _ in wide:\n    self.up = 1", "self.up = None\nfor _ in wide:\n    self.up = 1"),
            )
        ),
        (
            lacking("self.up(self.down(x))", "if wide:\n    self.up = self.down = 1"),
            lacking(
                f"{THERE}assert self.down is not None\nself.up(self.down(x))",
                "if wide:\n    self.up = self.down = 1\nelse:\n    self.up = None\n    self.down = None",
            ),
        ),
    ),
    *Form(held=SOME).alone(
        lacking("if self.up is not None:\n    x = self.up(x)"),
        lacking("if self.up:\n    x = self.up(x)"),
        lacking("return x, self.up, foo(self.up)"),
        lacking("return foo(x) if self.up == 3 else self.up(x)"),
    ),
    *Form(held=SOME).mends(
        (lacking("if self.wide:\n    x = self.up(x)"), lacking(f"if self.wide:\n    {THERE}    x = self.up(x)"))
    ),
]

DRAWN["missing_layers"] = Form(
    IMPORTS
    + """\
class Block(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        if kind > 0:
            self.up = nn.Linear(3, 3)
        if kind == 1:
            self.act = nn.ReLU()
        elif kind == 2:
            self.act = nn.Tanh()
            self.norm = nn.LayerNorm(3)
    def forward(self, x):
        {}
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*(Block(kind) for kind in range(4)))
    def forward(self, x):
        return self.blocks(x)
"""
).draws(
    "if self.kind > 0:\n    x = self.up(x)",
    "if self.kind > 0:\n    x = x + 1\n    if x.dim() == 2:\n        x = self.up(x)",
    *("x = self.norm(x) if self.kind == 2 else x", "x = x if self.kind in [0, 3] else self.act(x)"),
    "for _ in range(self.kind):\n    x = x * self.up.weight.sum()",
    "if self.kind == 0:\n    return x\nx = self.up(x)",
    "if self.kind == 2:\n    x = self.act(x)\n    x = self.norm(x)\nelse:\n    x = x * 2",
)

HELPERS = """\
def exists(val):
    return val is not None

def default(val, d):
    if {}:
        return val
    return d() if callable(d) else d

def first(a, b=0):
    \"\"\"The first of two.\"\"\"
    return a if a is not None else b

"""
OPEN = HELPERS.replace("{}", "val is not None")
FORM = Form(OPEN + "def f(x, m=None):\n    {}\n", types={"f.x": ("Tensor",)})

CASES["none_helpers"] = [
    *FORM.alone(
        "return exists(g(x))",  # asked once, but who knows
        "return default(m, g(x))",  # is always evaluated
        "return default(m, g)",  # may not be a function
        *("return default(m, lambda y: y)", "return default(*m)", "return default(m)", "return exists"),
        *("return first(m, a=x)", "exists = g\nreturn exists(m)", "return self.exists(m)"),
    ),
    *Form("{}\ndef f(x, m=None):\n    return exists(m)\n").alone(
        *("def exists(val):\n    return g(val) is not None\n", "def exists(val):\n    return val is not LIMIT\n"),
        *("def exists(val):\n    return val\n", "def exists(val):\n    print(val)\n    return val is not None\n"),
        *("@cache\ndef exists(val):\n    return val is not None\n", "def exists(*val):\n    return val is not None\n"),
        "def exists(val):\n    return exists(val) or val is None\n",
        "def exists(val):\n    return callable if val is None else val\n",
    ),
    *Form(HELPERS).mends(("exists(val)", "val is not None")),
    *Form(
        "def default(v, d):\n    return d if not (v is not None) else v\n\n\ndef f(x, m=None):\n    return {}\n"
    ).mends(("default(m, x)", "x if m is None else m")),
    *FORM.mends(
        ("return exists(m)", "return m is not None"),
        ("return not exists(m)", "return m is None"),
        ("return not exists(m) and x", "return m is None and x"),
        ("return exists(m) == x", "return (m is not None) == x"),
        ("return exists(self.m) or exists(x)", "return self.m is not None or x is not None"),
        ("m = default(m, x)", "m = m if m is not None else x"),
        ("m = default(m, 'a')", "m = m if m is not None else 'a'"),
        ("m = first(m)", "m = m if m is not None else 0"),
        ("m = first(b=x, a=m)", "m = m if m is not None else x"),
        ("m = 2 * default(m, 3)", "m = 2 * (m if m is not None else 3)"),
        ("m = default(m, lambda: g(x, exists(m)))", "m = m if m is not None else g(x, m is not None)"),
        ("m = default(m, x) if exists(m) else 1", "m = (m if m is not None else x) if m is not None else 1"),
        ("m = default(\n    m, lambda: g(\n        x))", "m = m if m is not None else g(x)"),
    ),
    *Form(
        IMPORTS
        + "def exists(v):\n    return v is not None\n\n\n"
        + NET.text.removeprefix(IMPORTS).replace("self.n = 2", "self.up = nn.ReLU()")
    ).compiles(
        "if exists(self.up) and exists(x):\n    x = x + 1",
        "y: Optional[torch.Tensor] = None\nif self.up.training:\n    y = x\nif exists(y):\n    x = torch.cat((x, y))",
    ),
]


ATOMS = st.sampled_from(["x", "m", "None", "0", "5"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("exists({})".format, ATOMS),
        st.builds("default({}, {})".format, ATOMS, st.sampled_from(["5", "lambda: x", "x"])),
        st.builds("first({}, {})".format, ATOMS, ATOMS),
        st.builds("not {}".format, inner),
        st.builds("({}) == ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
        st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
    ),
    max_leaves=6,
)
ALIKE["none_helpers"] = Alike(
    EXPRESSIONS.map(lambda text: f"{HELPERS.replace('{}', 'exists(val)')}def f(x, m=None):\n    return {text}\n"),
    [f"f({x}, {m})" for x in (None, 0, 3) for m in (None, 0, 3)],
    types={"f.x": ("Tensor",)},
)
DRAWN["none_helpers"] = Form(
    IMPORTS
    + """\
def exists(val):
    return val is not None

def default(val, d):
    return val if exists(val) else (d() if callable(d) else d)

class Net(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None, scale: Optional[float] = None):
        {}
        return x
"""
).draws(
    "if exists(mask):\n    x = x + mask",
    "if not exists(mask) or not exists(scale):\n    x = x + 1",
    *("if exists(mask) and exists(scale):\n    x = x * scale + mask", "x = x + default(mask, lambda: torch.ones(3))"),
    *("x = x * default(scale, 2.0)", "x = x.neg() if exists(scale) else x"),
    answers=[f"Net()(torch.ones(3), {m}, {s})" for m in ("None", "torch.ones(3)") for s in ("None", "0.5")],
)

FORM = Form("class Net(nn.Module):\n    def forward(self, x, scale=None):\n        {}\n        return x\n")
LAYER = HeldValue("torch.nn.modules.linear.Linear", always_true=True)
MODULE = HeldValue("torch.nn.modules.linear.Linear", always_true=True, is_module=True)
LAYERS = HeldValue("torch.nn.modules.container.ModuleList", length=2)
PAIR = HeldValue("builtins.tuple", length=2)
NOTHING = HeldValue("builtins.NoneType", literal="None")


def down(*values: HeldValue, lacking: bool = False) -> dict[str, Held]:
    return {"Net.down": Held(values, lacking)}


CASES["none_tests"] = [
    *FORM.alone("if self.down: pass", held={"Net.down": held("1", "0")}),
    *FORM.alone("if self.down: pass", held={"Net.down": held("None", "3")}),
    *FORM.alone("if self.down: pass", held=down(HeldValue("torch.Tensor"))),
    *FORM.alone("if self.down: pass", held=down(LAYER, lacking=True)),
    *FORM.alone("if self.down: pass", held=down(HeldValue("builtins.list", length=2))),
    *FORM.alone("if self.down: pass", held=down(LAYER, LAYERS)),
    *FORM.alone("if self.down: pass", held=down()),
    *FORM.alone("if self.other: pass", held=down(LAYER)),
    *FORM.alone("if self.down is None: pass", held=down(LAYER, NOTHING)),
    *FORM.mends(("x = self.down or x", "x = self.down if self.down is not None else x"), held=down(LAYER, NOTHING)),
    *FORM.alone(
        *("if x: pass", "if scale is not None and scale: pass", "if not (scale is not None and scale): pass"),
        "y = 1 if scale is not None and not (x and scale) else 2",
        held={"Net.down": held("1")},
    ),
    *FORM.mends(("if self.down: pass", "if self.down is not None: pass"), held=down(LAYER, NOTHING)),
    *FORM.mends(
        ("if self.down != None: pass", "if self.down is not None: pass"),
        ("return not self.down == None or x", "return not self.down is None or x"),
        held=down(MODULE, NOTHING),
    ),
    *FORM.alone("if self.down != None: pass", held=down(HeldValue("torch.Tensor"), NOTHING)),
    *FORM.alone("def __eq__(self, other): pass\nif self.down != None: pass", held=down(MODULE, NOTHING)),
    *FORM.alone("if self.other == None: pass", held=down(MODULE)),
    *FORM.mends(("if self.down: pass", "if self.down is not None: pass"), held=down(NOTHING)),
    *FORM.mends(
        ("if not self.down: pass", "if self.down is None: pass"),
        ("x = 1 if self.down and x else 2", "x = 1 if self.down is not None and x else 2"),
        held=down(LAYER),
    ),
    *FORM.mends(("while self.down or x: pass", "while len(self.down) > 0 or x: pass"), held=down(LAYERS)),
    *FORM.mends(("if not self.down: pass", "if not len(self.down) > 0: pass"), held=down(PAIR)),
    *FORM.mends(
        ("if not self.down and x: pass", "if not (self.down is not None and len(self.down) > 0) and x: pass"),
        held=down(PAIR, NOTHING),
    ),
    *FORM.mends(
        ("if scale: pass", "if scale is not None and scale: pass"),
        ("if x or scale: pass", "if x or scale is not None and scale: pass"),
        ("if not scale: pass", "if not (scale is not None and scale): pass"),
        ("y = g(bool(scale))", "y = g(bool(scale is not None and scale))"),
        ("y = [i for i in x if scale]", "y = [i for i in x if scale is not None and scale]"),
    ),
    *FORM.mends(
        ("x = x == self.down", "x = x == self.down if self.down is not None else False"),
        ("x = not self.down != x", "x = not (self.down != x if self.down is not None else True)"),
        ("y = 1 if x == self.down else 2", "y = 1 if (x == self.down if self.down is not None else False) else 2"),
        ("if 3 == self.down and x: pass", "if (3 == self.down if self.down is not None else False) and x: pass"),
        held={"Net.down": held("None", "3")},
        values={"Net.forward: x": held("2")},
    ),
    *FORM.alone(
        "y = self.down == x if self.down is not None else True",
        "if self.down is not None:\n    y = self.down == x",
        *(
            "y = self.down == None",
            "y = None != self.down",
            "y = x.n == self.down",
            "y = x() == self.down",
            "y = x < self.down",
            "y = self.down == scale",
        ),
        held={"Net.down": held("None", "3")},
        values={"Net.forward: x": held("2"), "Net.forward: x()": held("2"), "Net.forward: scale": held("2", "None")},
    ),
    *FORM.mends(
        (
            "if self.down is not None and x > self.down: pass",
            "if x > self.down if self.down is not None else False: pass",
        ),
        (
            "y = g(x) and self.down is not None and x and (self.down.n or 2)",
            "y = g(x) and (x and (self.down.n or 2) if self.down is not None else False)",
        ),
        (
            "y = (x if x else 2) or x and 3 or self.down is None or self.down > 3",
            "y = (x if x else 2) or (x and 3) or (True if self.down is None else self.down > 3)",
        ),
        held={"Net.down": held("None", "3")},
    ),
    *FORM.alone(
        *("y = self.down is not None or self.down", "y = self.down is not None and x", "y = self.down > 2 and x"),
        *("y = self.down is None and self.down.n", "y = self.down is not x and self.down.n"),
        "y = (self.down is not None  # set\n    and self.down > 2)",
        held={"Net.down": held("None", "3")},
    ),
    *FORM.alone("y = self.down is not None and self.down > 2", held={"Net.down": held("3")}),
    *FORM.alone("y = x == self.down", held={"Net.down": held("3")}, values={"Net.forward: x": held("2")}),
    *FORM.mends(
        ("if scale: pass", "if scale is not None and len(scale) > 0: pass"),
        types={"Net.forward.scale": ("None", "Tuple[int]")},
    ),
    *FORM.alone("if x: pass", types={"Net.forward.x": ("Tuple[int]", "int")}),
    *FORM.mends(("if x: pass", "if len(x) > 0: pass"), types={"Net.forward.x": ("Tuple[int]",)}, kind=MendKind.FROZEN),
    *Form("def f(*xs):\n    {}\n", types={"f.xs": ("Tuple[int]",)}).mends(
        ("if not xs: pass", "if not len(xs) > 0: pass")
    ),
    *FORM.mends(
        ("y = {}\nif not y: pass", "y = {}\nif not len(y) > 0: pass"),
        values={"Net.forward: y": Held((HeldValue("builtins.dict", length=0),))},
    ),
]

ENUM = f"{IMPORTS}import enum\n\n\nclass Mode(enum.Enum):\n    ONE = 1\n    TWO = 2\n\n\n"
BY_MODE = Form(ENUM + FORM.text)

ADDED = Form(
    IMPORTS + "class Net(nn.Linear):\n    def __init__(self):\n        super().__init__(2, 2)\n"
    "        self.weight.fast, self.bias.fast = None, None\n\n    def forward(self, x):\n        {}\n",
    values={"Net.forward: self.weight.fast": held("None")},
)
FAST = (
    "if self.weight.fast is not None and self.bias.fast is not None:\n    x = F.linear(x, self.weight.fast)\nreturn x"
)
CASES["none_tests"] += [
    *ADDED.alone(FAST, says="'Tensor' object has no attribute or method 'slow'."),
    *ADDED.alone(
        FAST, "return self.weight.fast == 2", says="'Tensor' object has no attribute or method 'fast'.", values={}
    ),
    *ADDED.compiles(FAST),
]

OWN_LAYERS = """\
class Layers(nn.ModuleDict):
    def forward(self, x):
        for layer in self.values():
            x = layer(x)
        return x


"""

CASES["none_tests"] += [
    *BY_MODE.alone("y = x == Mode.ONE", "y = x is self.mode", "Mode = x\ny = x is Mode.ONE", "y = x is Mode.ONE is x"),
    *BY_MODE.mends(
        ("y = 1 if self.mode is Mode.ONE else 2", "y = 1 if self.mode == Mode.ONE else 2"),
        ("y = not x is not Mode.ONE", "y = not x != Mode.ONE"),
    ),
    *(form := Form("class Net:\n    def f(self, x, s=None, n=1, b=True, t=()):\n        {}\n")).alone(
        *("return b or x", "return g(s) or x", "return s and n"),
        types={"Net.f.b": ("bool",), "Net.f.x": ("Tensor",), "Net.f.n": ("int",)},
    ),
    *form.mends(
        ("return -(n or x)", "return -(n if n else x)"),
        ("return t or s or 2", "return t if len(t) > 0 else s if s is not None and s else 2"),
        ("return self.k or b", "return self.k if (self.k if self.k is not None else False) else b"),
        types={"Net.f.n": ("int",), "Net.f.t": ("Tuple[int]",), "Net.f.s": ("str",)},
        held={"Net.k": held("None", "2")},
    ),
    *form.mends(("s = s or g(x)", "s = g(x) if s is None else s if s else g(x)")),
    *form.mends(
        ("s = self.k or g(x)", "s = self.k if self.k is not None else g(x)"),
        held={"Net.k": held("None")},
        kind=MendKind.FROZEN,
    ),
    *form.alone("s = g(x) if self.k is None else self.k if self.k else g(x)", held={"Net.k": held("None")}),
    *Form(NET.text.replace("self.n = 2", "self.scale = None")).compiles(
        "for i in range(3):\n    if i == self.scale or self.scale != 2:\n        x = x + i",
        "for i in range(3):\n    if i == 1 or self.scale is not None and i > self.scale:\n        x = x + i",
        "if x.size(1) > 1 and (self.scale is None or self.scale.dim() > 1):\n    x = x * 2",
        "y = (x, 1)\nif y:\n    x = x + 1\nz = {'a': x}\nx = x if not z else -x",
        "x = x * (self.scale or 1.0 / x.size(1))",
        "scale = self.scale or x.size(1)\nx = x * scale",
    ),
    *Form(
        NET.text.replace("class Net", OWN_LAYERS + "class Net").replace(
            "self.n = 2", "self.some, self.none = Layers({'a': nn.ReLU()}), Layers()"
        )
    ).compiles("if self.some:\n    x = self.some(x)\nif not self.none:\n    x = x * 2\nelse:\n    x = self.none(x)"),
    *Form(NET.text.replace("(self, x)", "(self, x, s: Optional[float] = None, n: float = 0.0)")).compiles(
        "x = x * (s or n or 3.0) + (self.n or 5)", "k: int = self.n or 3\nx = x * k", "s = s or 0.5\nx = x + s"
    ),
]

TESTS = st.recursive(
    st.sampled_from(["self.down", "self.layers", "self.pair", "scale", "sizes", "x.dim() == 2"]),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=4,
)
BLOCKS = Form(
    IMPORTS
    + """\
class Block(nn.Module):
    def __init__(self, down, layers, pair):
        super().__init__()
        self.down = down
        self.layers = layers
        self.pair = pair
    def forward(self, x, scale: Optional[float] = None, sizes: Optional[List[int]] = None):
        if {}:
            x = x + 1
        return x * 2

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(nn.ReLU(), nn.ModuleList(), (1, 2))
        self.second = Block(None, nn.ModuleList([nn.Tanh()]), None)
    def forward(self, x):
        return self.second(self.first(x, 2.0), None, [1])
"""
)
DRAWN["none_tests"] = Drawn(
    TESTS.map(BLOCKS.fill),
    answers=tuple(
        f"Block({down}, nn.ModuleList(), {pair})(torch.ones(2, 3), {scale}, {sizes})"
        for down, pair in (("None", "(1,)"), ("nn.ReLU()", "()"))
        for scale in ("None", "0.0", "1.5")
        for sizes in ("None", "[]", "[3]")
    ),
)

METHODS = "import torch\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n{}\n"
LATE_HELD = {"Net.y": Held((HeldValue("torch.Tensor"),), late=True)}
STORED = "if not torch.jit.is_scripting():\n    self.y = y"


def methods(*bodies: str, init: str = "") -> str:
    named = zip("fgh", bodies, strict=False)
    text = "".join(f"\n    def {name}(self, x):\n{indent(body, ' ' * 8)}\n" for name, body in named)
    return METHODS.format(f"        {init}\n{text}" if init else text)


HEIR = "\n\nclass Heir(Net):\n    def g(self, x):\n        self.y = x\n"
OTHER = "\n\nclass Other:\n    def g(self):\n        return hasattr(self, 'y')\n"
KEPT = "self.register_buffer('y', None, persistent=False)"
CASES["unset_attributes"] = [
    *Form(held={"Net.y": held("1")}).alone(methods("self.y = x")),
    *Form(held=LATE_HELD).alone(
        methods("return self.y"),
        methods("for self.y in x:\n    print(self.y)", "print('y' in self.__dict__)"),
        methods("self.y = x", "return self.y", "return getattr(self, 'y', 1)"),
    ),
    *Form(held={"Net.y": Held((HeldValue("builtins.dict"),), late=True)}, kind=MendKind.SCRIPTED).mends(
        (methods("self.y = x + 1"), methods("if not torch.jit.is_scripting():\n    self.y = x + 1")),
        (methods("self.y = self.up(x)"), methods("y = self.up(x)\n" + STORED)),
        (methods("self.y = x\nself.y += 1\nreturn self.y"), methods(f"y = x\n{STORED}\ny += 1\n{STORED}\nreturn y")),
    ),
    *Form(held=LATE_HELD).mends(
        (methods("self.y = x", "return self.y"), methods("self.y = x", "return self.y", init="self.y = None")),
        (methods("self.y = self.up(x)") + OTHER, methods("self.y = self.up(x)", init="self.y = None") + OTHER),
        (
            methods("self.y = x\nself.y += 1\nreturn self.y"),
            methods("y = x\nself.y = y\ny += 1\nself.y = y\nreturn y", init="self.y = None"),
        ),
        (
            methods(f"self.y = x + 1\n{STORED.replace('= y', '= x')}\nreturn self.y"),
            methods(f"self.y = x + 1\n{STORED.replace('= y', '= x')}\nreturn self.y", init="self.y = None"),
        ),
        (
            methods("if x > 1:\n    self.y = x\nreturn self.y"),
            methods("if x > 1:\n    self.y = x\nreturn self.y", init="self.y = None"),
        ),
        (
            methods("if not hasattr(self, 'y'):\n    self.y = x\nreturn self.y", "return getattr(self, 'y', None)"),
            methods("if self.y is None:\n    self.y = x\nreturn self.y", "return self.y", init="self.y = None"),
        ),
        (
            "class Net(Base):\n    def f(self, x):\n        self.y = x\n\n    def g(self):\n        return self.y\n",
            (
                "class Net(Base):\n    def __init__(self, *args, **kwargs):\n"
                "        super().__init__(*args, **kwargs)\n        self.y = None\n\n"
                "    def f(self, x):\n        self.y = x\n\n    def g(self):\n        return self.y\n"
            ),
        ),
    ),
    *Form().alone(
        methods("self.register_buffer(x, x)"),
        methods("self.register_buffer('y', x)", "return self.y"),
        methods("x = self.y\nself.register_buffer('y', x)"),
        methods("self.register_buffer('y', x, False)", "return self.y", init="self.register_buffer('y', None)"),
    ),
    *Form().mends(
        tuple(  # type: ignore[arg-type]
            head
            + methods(f"{register}\nreturn self.y", init=KEPT).replace("(nn.Module):\n", f"(nn.Module):\n{declared}")
            for head, declared, register in (
                ("", "", "self.register_buffer('y', x + 1, persistent=False)"),
                ("from typing import Optional\n\n", "    y: Optional[torch.Tensor]\n\n", "self.y = x + 1"),
            )
        )
    ),
    *NET.compiles(
        "self.y = [torch.relu(x)]\nx = self.y[0] + x",
        "self.register_buffer('y', torch.relu(x))\nself.register_buffer('z', x, persistent=False)\nx = self.y",
    ),
    *Form(NET.text.replace("self.n = 2", "self.register_buffer('y', None)")).compiles("self.y = torch.relu(x)"),
]

FORM = Form("import torch\nfrom typing import List, Optional\n\n\ndef f(x, n, past=None):\n    {}\n")
CASES["none_lists"] = [
    *FORM.alone("ys = [None, x]", "ys = []", "ys = None", "ys = [None] * n", types={"f.ys": ("List[Device]", "int")}),
    *FORM.mends(
        ("ys = [None] * n", "ys = torch.jit.annotate(List[Optional[torch.Tensor]], [None]) * n"),
        ("past = [None for _ in x]", "past = torch.jit.annotate(List[Optional[int]], [None for _ in x])"),
        types={"f.past": ("None", "List[Union[int, None]]")},
    ),
    # An element that is read before it is set, and an element that may remain None.
    *FORM.mends(
        (
            "ys = [None] * n\nif ys[0] is None:\n    ys[0] = x",
            "ys = torch.jit.annotate(List[Optional[torch.Tensor]], [None]) * n\nif ys[0] is None:\n    ys[0] = x",
        ),
        **{"types": {"f.ys": ("List[Tensor]",)}, "values": {"f: ys[0]": held("None")}},
    ),
    *Form(NET.text, types={"Net.forward.ys": ("List[Tensor]",)}).compiles(
        "ys = 2 * [None]\nfor i in range(2):\n    ys[i] = x + i\nx = torch.cat(ys)"
    ),
    *NET.compiles(
        "ys = [None] * 2\nfor i in range(2):\n    y = ys[i]\n    if y is not None:\n        x = x + y\n    ys[i] = x"
    ),
]

DECLARED = (
    "class Base:\n    k: Optional[int]\n\n\nclass Net(Base):\n    j: int\n\n    def f(self, x):\n        {}\n\n"
    "    def g(self):\n        self.k = None\n"
)
CHECKED = "if torch.jit.is_scripting():\n    assert k is not None\n"
OFTEN = {"Net.k": held("None", "2"), "Net.y": Held((HeldValue("builtins.NoneType"), HeldValue("torch.Tensor")))}
TENSOR, OUT = Held((HeldValue("torch.Tensor"),)), Held((HeldValue("model.Out"),))
PASSED = Form(
    "import torch\n\n\ndef g(x, k: Optional[Tensor], z=None):\n    return x\n\n\ndef h(k):\n    return k\n\n\n"
    "def f(x, k=None):\n    {}\n    return x.tan()\n",
    **{"types": {"f.k": ("Tensor", "None")}, "values": {"f: k": TENSOR}, "stops": "x.tan()", "kind": MendKind.SCRIPTED},
)
OF_OBJECT = Form(
    "class Out:\n    y: Optional[Tensor]\n    z: Tensor\n\n\ndef f(out, x):\n    {}\n",
    values={"f: out": OUT, "f: out.y": TENSOR, "f: out.z": TENSOR, "f: x": TENSOR, "f: x.y": TENSOR},
    stops="return",
)
CASES["refined_values"] = [
    *PASSED.alone("g(x, k)", "g(x, x, k)", "g(x, k=k)", "k = torch.relu(x)\nx = torch.cat([k, x])"),
    *PASSED.mends(
        *(
            (f"x = {call}", f"if torch.jit.is_scripting():\n    assert k is not None\nx = {call}")
            for call in ("h(k)", "g(k, x)", "other(k)", "torch.cat([k, x])")
        )
    ),
    *OF_OBJECT.alone("return out.z.sum()", "return x.y.sum()", "return out.y()"),
    *Form(OF_OBJECT.text, stops="return", values={"f: out": OUT, "f: out.y": held("3", "None")}).alone(
        "return out.y + 1"
    ),
    *OF_OBJECT.mends(
        ("return out.y.sum() + out.z", "y = out.y\nassert y is not None\nreturn y.sum() + out.z"),
        kind=MendKind.EXACT,
    ),
]
CASES["refined_values"] += [
    *NET.compiles(
        "y: Optional[torch.Tensor] = None\nfor _ in range(self.n):\n    if y is None:\n        y = x\n    else:\n"
        "        y = y + x\nx = y / self.n"
    ),
    *Form(held=OFTEN).alone(
        methods("if self.y is None:\n    return x\nreturn x"),
        methods("while self.k > 2:\n    x += 1"),
        methods("return self.k == x"),
        methods("return self.g(x) + self.k", "self.k = 3"),
        methods("return x if self.k is None or self.k == 2 else 1"),
        methods("return print(self.k)"),
    ),
    *Form(held={"Net.k": held("2")}).alone(methods("return self.k + 1")),
    *(declared := Form(DECLARED, held={"Net.j": held("2"), "Net.k": held("2")})).alone("return self.j + 1"),
    *Form(DECLARED.replace("Optional[int]", "Tuple[None, int]"), held={"Net.k": held("2")}).alone("return self.k + 1"),
    *declared.mends(("return self.k + 1", "k = self.k\nassert k is not None\nreturn k + 1")),
    *Form("def f(x, k=None, j=1):\n    {}\n", types={"f.k": ("int", "None")}, values={"f: n": held("2")}).mends(
        ("n = k\nreturn n + 1", "n = k\nassert n is not None\nreturn n + 1"),
        ("n = j\nn = k\nreturn n + x", "n = j\nn = k\nassert n is not None\nreturn n + x"),
    ),
    *Form("def f(x, k=None, j=1):\n    {}\n", types={"f.k": ("int", "None")}, values={"f: n": held("2")}).alone(
        "assert k is not None\nn = k\nreturn n + 1", "n = j\nreturn n + 1"
    ),
    *Form(held={"Net.k": held("None", "'a'", "False")}).alone(methods("return self.k == 'a'")),
    *Form(held={"Net.k": held("None")}, stops="2 + 1").mends(
        (
            methods("n = self.k if x else 3\nn = self.k\nreturn n * 2 + 1"),
            methods("n = self.k if x else 3\nn = self.k\nassert n is not None\nreturn n * 2 + 1"),
        )
    ),
    *Form(held={"Net.k": held("None")}, stops="2 + 1").alone(methods("n = self.k\nx = n * 2\nreturn x * 2 + 1")),
    *Form(held={"Net.k": held("2")}, stops="2 + 1").alone(methods("n = self.k\nreturn n * 2 + 1")),
    *Form(held=OFTEN).alone(methods("self.y += self.g(x)", "self.y = x")),
    *Form(held={"Net.k": Held((HeldValue("torch.nn.modules.conv.Conv2d", is_module=True),))}).mends(
        (methods("return self.k.bias[0]"), methods("bias = self.k.bias\nassert bias is not None\nreturn bias[0]"))
    ),
    *Form(held=OFTEN).mends(
        (methods("return self.y + 1"), methods("y = self.y\nassert y is not None\nreturn y + 1")),
        (
            methods("x = self.y + 1\nif x:\n    x = x * self.y\nreturn x, self.y, self.y is None"),
            methods("y = self.y\nassert y is not None\nx = y + 1\nif x:\n    x = x * y\nreturn x, y, self.y is None"),
        ),
        (
            methods("x = self.y + 1\nself.g(x)\nreturn x * self.y", "self.y = x"),
            methods(
                "y = self.y\nassert y is not None\nx = y + 1\nself.g(x)\n"
                "y_1 = self.y\nassert y_1 is not None\nreturn x * y_1",
                "self.y = x",
            ),
        ),
        (
            methods("x = self.y + 1\nself.g(x)\nreturn x * self.y", "return x") + HEIR,
            methods(
                "y = self.y\nassert y is not None\nx = y + 1\nself.g(x)\n"
                "y_1 = self.y\nassert y_1 is not None\nreturn x * y_1",
                "return x",
            )
            + HEIR,
        ),
        (
            methods("x = self.y + 1\nif x:\n    self.y = x\nreturn x * self.y"),
            methods(
                "y = self.y\nassert y is not None\nx = y + 1\nif x:\n    self.y = x\n"
                "y_1 = self.y\nassert y_1 is not None\nreturn x * y_1"
            ),
        ),
        (methods("self.y += x  # all"), methods("y = self.y\nassert y is not None\ny += x  # all\nself.y = y")),
        (methods("z = self.y\nreturn z + 1"), methods("z = self.y\nassert z is not None\nreturn z + 1")),
        (methods("return self.k == x.shape[0]"), methods("k = self.k\nreturn k is not None and k == x.shape[0]")),
        (
            methods("return self.k + 1 if self.k is not None else 0"),
            methods("k = self.k\nreturn k + 1 if k is not None else 0"),
        ),
    ),
    *Form(held={"Net.up": Held((HeldValue("torch.nn.Linear", is_module=True),))}, stops="y = ").alone(
        methods("y = self.up.score(x)\nreturn y")
    ),
    *Form(held={"Net.up": Held((HeldValue("torch.nn.Linear", is_module=True),))}, stops="y = ").mends(
        (
            methods("if self.up.bias is not None:\n    y = self.up.bias.view(-1)"),
            methods(
                "if self.up.bias is not None:\n    bias = self.up.bias\n    assert bias is not None\n"
                "    y = bias.view(-1)"
            ),
        )
    ),
    *Form(
        "import torch\n\n\ndef g(x):\n    return x\n\n\ndef f(x):\n    y = g(x)\n    {}\n",
        **{"stops": "x.add", "values": {"f: y": held("2")}, "kind": MendKind.SCRIPTED},
    ).mends(("x.add(y)", "if torch.jit.is_scripting():\n    assert y is not None\nx.add(y)")),
    *(
        case
        for layer, is_asserted in (("linear.Linear", True), ("linear.Identity", False), ("activation.ReLU", False))
        for case in Form(
            "import torch\n\n\nclass Net:\n    def forward(self, x=None):\n        {}return self.g(x)\n",
            **{
                "stops": "return",
                "held": {"Net.g": Held((HeldValue(f"torch.nn.modules.{layer}", is_module=True), NOTHING))},
            },
            **{"values": {"Net.forward: x": held("None", "2")}, "kind": MendKind.SCRIPTED if is_asserted else None},
        ).mends(("", "if torch.jit.is_scripting():\n    assert x is not None\n" * is_asserted))
    ),
    *Form(
        "import torch\nfrom typing import Optional\n\n\ndef f(x: Optional[torch.Tensor], g):\n    {}\n",
        values={"f: x": Held((HeldValue("torch.Tensor"),))},
    ).alone("return g(x)"),
    *Form(
        "import torch\nfrom typing import Optional\n\n\ndef f(x: Optional[torch.Tensor], g):\n    {}\n",
        **{"stops": "return", "values": {"f: x": Held((HeldValue("torch.Tensor"),))}, "kind": MendKind.SCRIPTED},
    ).mends(("return g(x)", "if torch.jit.is_scripting():\n    assert x is not None\nreturn g(x)")),
    *Form(
        "import torch\n\n\ndef f(xs, layers):\n    for g in layers:\n        x, y = g(xs)\n        {}\n",
        **{"stops": "xs.app", "values": {"f: y": held("2")}, "kind": MendKind.SCRIPTED},
    ).mends(("xs.append(y)", "if torch.jit.is_scripting():\n    assert y is not None\nxs.append(y)")),
    *Form("def f(xs, nested):\n    x, y = nested.decompose()\n    {}\n", stops="y.flatten").mends(
        ("return y.flatten()", "assert y is not None\nreturn y.flatten()")
    ),
    *Form(types={"f.k": ("Tensor", "None")}, values={"f: x": Held((HeldValue("torch.Tensor"),))}, stops="return").mends(
        (
            "def f(x, k=None):\n    return x.type_as(k)",
            "def f(x, k=None):\n    assert k is not None\n    return x.type_as(k)",
        )
    ),
    *Form(values={"f: ys": Held((HeldValue("builtins.list", items=("builtins.NoneType", "torch.Tensor")),))}).mends(
        (
            "def f(ys):\n    return ys[0].mean()\n",
            "def f(ys):\n    ys_0 = ys[0]\n    assert ys_0 is not None\n    return ys_0.mean()\n",
        )
    ),
    *(
        form := Form(values={"f: d": Held((HeldValue("builtins.dict", items=("builtins.NoneType", "torch.Tensor")),))})
    ).mends(
        (
            'def f(d):\n    return d["x"].mean()\n',
            'def f(d):\n    x = d["x"]\n    assert x is not None\n    return x.mean()\n',
        )
    ),
    *form.alone('def f(d):\n    return d["if"].mean()\n', 'def f(d):\n    return d["a b"].mean()\n'),
    *Form(types={"f.k": ("int", "None")}).mends(
        ("def f(x, k=None):\n    return x + k\n", "def f(x, k=None):\n    assert k is not None\n    return x + k\n")
    ),
    *Form("import torch\n\n\ndef f(x, k=None):\n    {}\n", values={"f: k": held("None")}).alone(
        "return x + k", "return g(x, k)"
    ),
    *Form(values={"f: k": held("2")}, kind=MendKind.SCRIPTED).mends(
        (
            "import torch\n\n\ndef f(x, k=None):\n    return g(x, k)\n",
            (
                "import torch\n\n\ndef f(x, k=None):\n    if torch.jit.is_scripting():\n"
                "        assert k is not None\n    return g(x, k)\n"
            ),
        )
    ),
    *Form("import torch\n\n\ndef f(x, k=None):\n    {}\n", **{"kind": MendKind.SCRIPTED}).mends(
        ("g(k)\nif x:\n    h(k)\nk = h(k)", f"{CHECKED}g(k)\nif x:\n    h(k)\nk = h(k)"),
        ("k = g(k)\nh(k)", f"{CHECKED}k = g(k)\n{CHECKED}h(k)"),
        ("for _ in g(k):\n    h(k)", f"{CHECKED}for _ in g(k):\n    h(k)"),
        ("g(k, '''a\nb''')\nh(k)", f"g(k, '''a\nb''')\n{CHECKED}h(k)"),
        (
            "g(k)\nfor _ in x:\n    k = h(k)",
            f"{CHECKED}g(k)\nfor _ in x:\n{indent(CHECKED, '    ')}    k = h(k)",
        ),
        values={"f: k": Held((HeldValue("torch.Tensor"),))},
    ),
    *Form("import torch\n\n\ndef f(x, k=None):\n    {}\n", **{"kind": MendKind.SCRIPTED}).mends(
        ("return g(k == 1)", "if torch.jit.is_scripting():\n    assert k is not None\nreturn g(k == 1)"),
        values={"f: k": Held((HeldValue("torch.Tensor"),))},
    ),
    *Form(
        "import torch\n\n\ndef f(x, k=None):\n    has_k = k is not None\n    {}\n",
        **{"kind": MendKind.EXACT, "types": {"f.k": ("int", "None")}, "stops": "x ="},
    ).mends(
        ("x = x + k if has_k else x", "x = x + torch.jit._unwrap_optional(k) if has_k else x"),
        ("x = x if has_k and k > 1 else x", "x = x if has_k and torch.jit._unwrap_optional(k) > 1 else x"),
        (
            "if has_k:\n    assert k is not None\nx = x + k if has_k else x",
            "if has_k:\n    assert k is not None\nx = x + torch.jit._unwrap_optional(k) if has_k else x",
        ),
    ),
    *Form("import torch\n\n\ndef f(x, k=None):\n    {}\n", **{"types": {"f.k": ("int", "None")}, "stops": "x ="}).alone(
        "x = x + torch.jit._unwrap_optional(k) if x.sum() else x",
        "x = x if k is not None and k > 1 else x",
        "assert k is not None\nif x:\n    x = x + k if x else x",
        "if torch.jit.is_scripting():\n    assert k is not None\nx = x + k if x else x",
    ),
    *Form(held={"Net.k": held("2")}, types={"Net.f.n": ("int", "None")}, stops="self.k = ").mends(
        (
            "import torch\n\n\n" + METHODS.format("\n    def f(self, x, n=None):\n        self.k = n\n"),
            "import torch\n\n\n"
            + METHODS.format(
                "\n    def f(self, x, n=None):\n        if torch.jit.is_scripting():\n"
                "            assert n is not None\n        self.k = n\n"
            ),
        ),
        kind=MendKind.SCRIPTED,
    ),
    *Form(held=OFTEN, values={"Net.f: n": held("2")}, kind=MendKind.FROZEN).mends(
        (
            METHODS.format("\n    def f(self, x, n=None):\n        if n != self.k:\n            g(x, n)\n"),
            METHODS.format(
                "\n    def f(self, x, n=None):\n        k = self.k\n        assert n is not None\n"
                "        if k is None or n != k:\n            g(x, n)\n"
            ),
        )
    ),
    *Form(held=OFTEN, types={"Net.f.n": ("int", "None")}, stops="self.k = ").alone(
        METHODS.format("\n    def f(self, x, n=None):\n        self.k = n\n")
    ),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    k: Optional[int]\n\n    def __init__(self):\n"
        "        super().__init__()\n        self.k = None\n\n    def forward(self, x):\n        {}\n        return x\n"
    ).compiles(
        "n = x.shape[0]\nif n != self.k:\n    self.k = n\nx = x + self.k",
        "y: Optional[torch.Tensor] = None\nfor i in range(2):\n    if y is None:\n        y = x\nx = F.relu(y)",
    ),
]

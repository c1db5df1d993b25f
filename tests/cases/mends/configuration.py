"""Values and tests that depend only on the configuration."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import strategies as st
from mend_cases import IMPORTS, Case, Drawn, Form
from mended import held

from pdt_annotate.values.mends import Held, HeldValue, MendKind

CASES: dict[str, list[Case]] = {}
DRAWN: dict[str, Drawn] = {}

FIELDS = "class Net:\n    def __init__(self, args):\n        super().__init__()\n        self.args = args\n{}"
CONFIG = {"Net.args": Held((HeldValue("model.Config"),))}
DICT = {"Net.args": Held((HeldValue("builtins.dict", length=2),))}
KINDS = Held((HeldValue("builtins.set", length=1, items=("builtins.str",)),))
FORM = Form(FIELDS.format("\n    def forward(self, x):\n        {}\n"))
READ = "return x * self.args.scale"
LATER = Form(FIELDS.format(f"\n    def forward(self, x):\n        {READ}\n{{}}"), held=CONFIG)
HEIR = "\nclass Wide(Net):\n    def __init__(self, args):\n        super().__init__({})\n        self.args = args\n"
TWO = "\n    def f(self):\n        return {}\n\n    def g(self, x):\n        return x * {} + {}\n"


def copied(read: str, held: Mapping[str, Held], kind: MendKind, rest: str = "") -> list[Case]:
    """Two functions read a field that the constructor copies once."""
    before, after = (TWO.format(*[each] * 3) for each in (f"self.args{read}", "self._args_scale"))
    mended = f"        self._args_scale = self.args{read}\n{after}{rest}"
    return Form(FIELDS).mends((before + "".join(rest), mended), held=held, kind=kind)


CASES["configuration"] = [
    *FORM.alone(READ, held={"Net.args": held("3")}),
    *FORM.alone(READ, held={"Net.args": Held((HeldValue("torch.nn.modules.linear.Linear"),))}),
    *FORM.alone(READ, held={"Net.args": Held((HeldValue("model.Layer", is_module=True),))}),
    *FORM.alone(READ, held={"Net.args": Held((HeldValue("model.Config"),), changes=True)}),
    *FORM.alone(READ, held={"Net.args": Held()}),
    *FORM.alone(
        *("return x * self.args.scale()", "self.args.scale = 3", "return x * self.args['scale']"),
        "return x * other.args.scale",
        held=CONFIG,
    ),
    *FORM.alone("return x * self.args['a b']", "return x * self.args.items", held=DICT),
    *LATER.alone("\ndef widen(args):\n    args.scale = 2\n", "\n    def swap(self, args):\n        self.args = args\n"),
    *LATER.alone(HEIR.format("other"), HEIR.format("args").replace("= args", "= wide(args)")),
    *FORM.alone(
        *(
            "found = dict()\nfound['a'] = x\nreturn found",
            "return self.kinds == x",
            "kinds = self.kinds\nreturn kinds | x",
            "kinds = self.kinds\nkinds |= x.kinds\nreturn x in kinds",
            "kinds = self.kinds\nothers = kinds\nkinds = others\nreturn x in others",
        ),
        held={"Net.kinds": KINDS},
        values={"Net.forward: dict()": Held((HeldValue("builtins.dict", length=0),)), "Net.forward: self.kinds": KINDS},
    ),
    *copied(".scale", {"Net.args": Held((HeldValue("builtins.type", name="model.Args"),))}, MendKind.FROZEN),
    *copied(".scale", CONFIG, MendKind.FROZEN),
    *copied(".scale", CONFIG, MendKind.FROZEN, HEIR.format("args")),
    *copied(".scale", CONFIG, MendKind.FROZEN, HEIR.format("args") + "        self.args.scale = 2\n"),
    *copied(".scale", {"Net.args": Held((HeldValue("model.Args", immutable=True),))}, MendKind.EXACT),
    *Form(FORM.text, held={"Net.mode": held("'a'", "'b'")}, stops="bad").alone(
        "if self.mode == 'a' and x.dim() > 2:\n    raise ValueError(x)\nreturn bad(x)"
    ),
    *copied('["scale"]', DICT, MendKind.FROZEN),
    *Form(FIELDS, held=CONFIG).mends(
        (
            "\n    def f(self, x):\n        return x[:, : self.args.scale]\n",
            "        self._args_scale = self.args.scale\n\n"
            "    def f(self, x):\n        return x[:, : self._args_scale]\n",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(
        FIELDS,
        held=CONFIG,
        values=dict.fromkeys(
            ("Net.f: [self.args.n, 2]", "Net.f: [*self.args.n, 2]"),
            Held((HeldValue("builtins.list", length=2, items=("builtins.int",)),)),
        ),
    ).mends(
        (
            "\n    def f(self, x):\n        return x.split([self.args.n, 2])\n",
            "        self._args_n = self.args.n\n\n    def f(self, x):\n        return x.split([self._args_n, 2])\n",
        ),
        (
            "\n    def f(self, x):\n        return x.split([*self.args.n, 2])\n",
            "        self._args_n_2 = [*self.args.n, 2]\n\n"
            "    def f(self, x):\n        return x.split(self._args_n_2.copy())\n",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(FIELDS, held=DICT, values={"Net.f: self.args.get('n', 1)": held("3")}).mends(
        (
            "\n    def f(self):\n        return self.args.get('n', 1)\n",
            "        self._args_get_n_1 = self.args.get('n', 1)\n\n"
            "    def f(self):\n        return self._args_get_n_1\n",
        ),
        kind=MendKind.FROZEN,
    ),
]

KEPT = """\
from lightning import Module

class Net(Module):
    def __init__(self, width, depth=1):
        super().__init__()
        self.save_hyperparameters()
{}
    def forward(self, x):
        return x * {}
"""
WIDTH = "self.hparams.width"
OBJECT = Held((HeldValue("lightning.Dict"),))
LIBRARY = {"values": {"Net.forward: self.hparams": OBJECT, f"Net.forward: {WIDTH}": held("3")}}
CASES["configuration"] += [
    *Form("{}", **LIBRARY).alone(
        KEPT.format("", "self.hparams.height"),
        KEPT.format("\n    def swap(self):\n        self.hparams = {}\n", WIDTH),
        KEPT.format("\n    def grow(self):\n        self.hparams.width = 9\n", WIDTH),
        KEPT.format("\n    @property\n    def hparams(self):\n        return self.last\n", WIDTH),
        KEPT.format("\n    def grow(self):\n        self.hparams.update(width=9)\n", WIDTH),
        KEPT.format("", "other.hparams.width"),
        KEPT.format("        if width:\n            return\n        self.n = 1\n", WIDTH),
    ),
    *Form("{}", values={"Net.forward: self.hparams": held("3"), f"Net.forward: {WIDTH}": held("3")}).alone(
        KEPT.format("", WIDTH)
    ),
    *Form("{}", **LIBRARY).mends(
        (
            KEPT.format("", WIDTH),
            KEPT.format("        self._hparams_width = self.hparams.width\n", "self._hparams_width"),
        ),
        kind=MendKind.FROZEN,
    ),
]

MADE = (
    "import numpy as np\nimport torch\n\nclass Net:\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.n = n\n{}\n    def forward(self, x):\n        {}\n        return x + eye\n"
)
HEIR = "\n\nclass Heir(Net):\n    def _eye(self, x):\n        return x\n"
EYE = "torch.from_numpy(np.eye(self.n))"
TENSOR = Held((HeldValue("torch.Tensor"),))
CASES["configuration"] += [
    case
    for read, name, written, *rest in (
        ("eye = {}.view(1, -1).repeat(2, 1)", "_eye", "self._eye"),
        ("eye = {}.view(1, -1)", "_eye", "self._eye.clone()"),
        ("eye = {}.add_(1).repeat(2, 1)", "_eye", "self._eye.clone()"),
        ("eye = {} * 2", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n"),
        ("eye = {}.tolist().pop() * 2", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()"),
        ("parameters = {}", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()"),
        ("eye = {}", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()", HEIR),
        ("e = {}.t()", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()"),
        ("eye = self._eye({}, x)", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()"),
        ("eye = {}\n        x = self._eye(x)", "_from_numpy_np_eye_n", "self._from_numpy_np_eye_n.clone()"),
    )
    for case in Form(held={"Net.n": held("3")}, values={f"Net.forward: {EYE}": TENSOR}).mends(
        (
            MADE.format("", read.format(EYE)) + "".join(rest),
            MADE.format(f"        self.{name} = {EYE}\n", read.format(written)) + "".join(rest),
        ),
        kind=MendKind.FROZEN,
    )
]

BINS = Form(
    "import math\n" + IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.bins = 16\n\n    def forward(self, x):\n        {}\n",
    values={"Net.forward: math.log2(self.bins)": held("4.0"), "Net.forward: math.sqrt(self.bins)": held("4.0")},
    stops="return x",
    says="Python builtin <built-in function log2> is currently not supported in Torchscript",
)
CASES["configuration"] += [
    *BINS.alone("return x * math.sqrt(self.bins)", "return x * math.log2(x.size(0))", "return x * log2(self.bins)"),
    *BINS.compiles("return x * math.log2(self.bins)"),
]

CASES["configuration"] += Form(
    IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.layers = dict()\n"
    "        for name in ('a', 'bc'):\n            self.layers[name] = nn.Linear(2, 2)\n\n"
    "    def forward(self, x):\n        {}\n        return x\n"
).compiles(
    "for name in self.layers:\n    x = x * len(name)",
    "for i, name in enumerate(self.layers.keys()):\n    x = x * len(name) * i",
    "for name in ['a', 'd']:\n    if name in self.layers:\n        x = x * len(self.layers)",
)

CASES["configuration"] += Form(
    IMPORTS
    + """\
class Args:
    scale = 2

class Net(nn.Module):
    def __init__(self, last="b"):
        super().__init__()
        self.args, self.ends = Args, dict()
        self.kinds = {"b", "c"}
        self.ends["a"] = nn.Linear(2, 2)
        if last == "a":
            return
        self.ends["b"] = nn.Linear(2, 2)

    def forward(self, x):
        {}
        return x
"""
).compiles(
    "for name in ['a', 'b', 'c']:\n    if name in self.ends:\n        x = x * self.args.scale",
    "kinds = self.kinds\nfor name in ['a', 'b', 'c']:\n    if name in kinds:\n        x = x * len(kinds)",
)

CASES["configuration"] += Form(
    IMPORTS + "class Step:\n    def __init__(self):\n        self.count = 2\n"
    "        self.scales = [torch.ones(2), torch.ones(1)]\n\n"
    "    def all(self, **options):\n        return options\n\n\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.step = Step()\n\n"
    "    def forward(self, x):\n        {}\n        return x\n"
).compiles("for i in range(self.step.count):\n    x = x * i", "for scale in self.step.scales:\n    x = x * scale")

FIELDS_DRAWN = Form(
    IMPORTS
    + """\
import collections
import dataclasses

Args = collections.namedtuple("Args", ["scale", "kernel"])

@dataclasses.dataclass
class Config:
    width: int = 3
    name: str = "a"

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._args = Args(2.5, [1, 3])
        self.config = Config()
        self.table = dict(a=1, b="c")
    def forward(self, x):
        {}
        return x
"""
).draws(
    "scale, kernel = self._args.scale, self._args.kernel\nx = x * scale + kernel[1]",
    *("x = x + self._args.kernel[0]", "x = x * self.config.width if self.config.name == 'a' else x"),
    "x = x + self.table['a'] if self.table['b'] == 'c' else x",
)

HOISTED = Form(
    "import math\nimport numbers\nimport numpy as np\n"
    + IMPORTS
    + """\
ACTIVATIONS = {"relu": F.relu, "tanh": torch.tanh}
SIZES = [2, 3]

def width(shape, n):
    total = np.prod(shape)
    return int(total) + n

def chosen(name):
    table = {"relu": F.relu, "tanh": torch.tanh}
    if name not in table:
        raise ValueError(name)
    return table[name]

def noise(n):
    return np.random.rand() * n

class Loss(nn.Module):
    def __init__(self, scale=1, **more):
        super().__init__()
        self.scale = scale
    def forward(self, x, y):
        return (x - y).abs().sum() * self.scale

class Counting(Loss):
    def forward(self, x, y):
        self.scale = 3
        return x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 4
        self.act = "tanh"
        self.shape = (2, 3)
        self.options = {"scale": 2}
        self.count = 0
        self.weight = nn.Parameter(torch.ones(2))
        self.kept = {1, 4}
        self.steps = range(2)
        self.width = np.prod(self.shape)
        self.acts = [F.relu, torch.tanh]
        self.order = np.array([1, 0])
    def forward(self, x):
        {}
    def grow(self):
        self.count += 1
"""
)
CASES["configuration"] += [
    *HOISTED.compiles(
        *("return x / np.sqrt(self.n)", "return x.view(-1, int(np.prod(self.shape)) // 3)"),
        "return x * width(self.shape, self.n)",
        "for i, k in enumerate(np.array(self.shape).tolist()):\n    x = x + i * k\nreturn x",
        "loss = Loss(**self.options)\nreturn loss(x, x + 1)",
        *("return nn.PairwiseDistance(p=float(len(self.shape)))(x, x + 1)", "return ACTIVATIONS[self.act](x)"),
        *("return x * SIZES[1] + sum(SIZES)", "return x * self.width if x.shape[0] in self.kept else x"),
        "return x.to('cuda' if torch.cuda.is_available() else 'cpu') if torch.cuda.device_count() < 1 else x",
        *("return self.acts[self.n - 3](x) * self.acts[0](x)", "return chosen(self.act)(x) * getattr(F, 'relu')(x)"),
        "acts = {'relu': F.relu, 'tanh': torch.tanh}\nreturn acts[self.act](x)",
        "return x[:, : int(np.sqrt(self.n))] if 'p' in self.options else x * self.options.get('p', 1)",
        "return x[:, self.order] * x[self.order].sum() + torch.tensor(self.order, dtype=x.dtype)",
        "for i in self.steps:\n    x = x + i\nreturn x * len(self.steps)",
        "if isinstance(self.n, numbers.Real):\n    return x * self.n\nreturn self.no(x)",
        "if not hasattr(self, 'no') or self.no is None:\n    return x\nreturn self.no(x)",
    ),
    *HOISTED.compiles("d = self.n\nreturn x / np.sqrt(d)"),
    *Form(
        HOISTED.text.replace("class Net(", "class Base(").replace("{}", "return x")
        + """
class Net(Base):
    def scaled(self, x):
        return x / np.sqrt(self.n) * np.log(self.n)
    def forward(self, x):
        {}
"""
    ).compiles("return self.scaled(x) * np.sqrt(self.n)"),
    *Form(
        IMPORTS + "import numpy as np\n\nargs = 4\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        {}\n"
    ).alone("return x * np.sqrt(args)", values={"Net.forward: np.sqrt(args)": held("2.0")}),
    *Form(
        IMPORTS + "class Net(nn.Linear):\n    def __init__(self):\n        super().__init__(2, 2)\n"
        "        self.weight.fast = None\n\n    def forward(self, x):\n        {}\n"
    ).compiles("if self.weight.fast is not None:\n    return x @ self.weight.fast\nreturn x @ self.weight"),
]

TESTED = '''\
class Net(nn.Module):
    """Doc."""
    def __init__(self, skip):
        super().__init__()
        self.skip = skip
        self.other = 1
    def forward(self, x):
        {}
            x = self.last(x)
        return x
'''
FORM = Form(TESTED, stops="self.last(x)")
FUTURE = "from __future__ import annotations\n"
SET = TESTED.replace("{}", "if self.skip:") + "{}"


def skip(*values: str, **more: bool) -> dict[str, Held]:
    return {"Net.skip": held(*values, **more), "Net.other": held("1", "2")}


def settled(test: str, held: Mapping[str, Held], name: str, value: str, read: str = "if self.{}:") -> list[Case]:
    """A test becomes a constant of the instance, which is set after the values that it needs."""
    after = TESTED.replace('Doc."""\n', f'Doc."""\n\n    {name}: Final[bool]\n')
    after = after.replace("self.skip = skip\n", f"self.skip = skip\n        self.{name} = {value}\n")
    after = "from typing import Final\n\n\n" + after.replace("{}", read.format(name))
    return Form().mends((TESTED.replace("{}", test), after), held=held, stops="self.last(x)")


DICT_SKIP = {"Net.skip": Held((HeldValue("builtins.dict", length=1),))}
LAMBDA_OR_NONE = {"Net.skip": Held((HeldValue("builtins.function"), *held("None").values))}
CASES["configuration"] += [
    *FORM.alone("if self.skip:", held=skip("True", "False")),
    *FORM.alone("if self.skip is not None:", held=skip("None", "3")),
    *FORM.alone("if self.skip:", held=skip("3", "4")),
    *FORM.alone("if self.skip == 'a':", held=skip("'a'")),
    *FORM.alone("if self.skip:", held=skip("3", "0", changes=True)),
    *FORM.alone("if self.skip:", held=skip("3", "0", lacking=True)),
    *FORM.alone("if self.skip > 1:", held=skip("None", "0")),
    *FORM.alone("if self.skip > x:", "if self.foo(self.skip):", "if x:", "while self.skip:", held=skip("1", "0")),
    *FORM.alone("if self.skip:", held=skip("1", "0"), stops="return x"),
    *Form(SET, stops="self.last(x)").alone(
        "\n    def reset(self):\n        self.skip = 0\n", "\ndef switch(net):\n    net.skip = 0\n", held=skip("1", "0")
    ),
    *settled("if self.skip:", skip("3", "0"), "_has_skip", "bool(self.skip)"),
    *settled("if not self.skip:", skip("3", "0"), "_has_skip", "bool(self.skip)", "if not self.{}:"),
    *settled("if self.skip is not None:", LAMBDA_OR_NONE, "_has_skip", "self.skip is not None"),
    *settled("if self.skip:", LAMBDA_OR_NONE, "_has_skip", "bool(self.skip)"),
    *settled(
        "if self.skip is not None:",
        {"Net.skip": Held((HeldValue("builtins.function", name="torch.relu"), *held("None").values))},
        *("_has_skip", "self.skip is not None"),
    ),
    *settled("if x and self.skip == 'a':", skip("'a'", "None"), "_skip_is_a", "self.skip == 'a'", "if x and self.{}:"),
    *(
        replace(case, values={f"Net.forward: {value}": held("True")})
        for value, name in (
            ("not self.skip['a']", "_not_skip_a"),
            ("isinstance(self.skip['a'], Net)", "_isinstance_skip_a_net"),
        )
        for case in settled(f"if {value}:", DICT_SKIP, name, value)
    ),
    *settled("if 2 == self.skip:", skip("2", "None"), "_2_is_skip", "2 == self.skip"),
    *settled("if self.skip != 2:", skip("2", "None"), "_skip_is_not_2", "self.skip != 2"),
    *settled("if 'a' == self.skip:", skip("'a'", "None"), "_a_is_skip", "'a' == self.skip"),
    *(
        case
        for second, named in (("1 < self.skip", "1_below_skip"), ("self.skip > 1", "skip_above_1"))
        for case in settled(
            f"if self.skip is not None and {second}:",
            skip("None", "3"),
            f"_skip_is_not_none_and_{named}",
            f"bool(self.skip is not None and {second})",
        )
    ),
    *Form(stops="self.last(x)").mends(
        (
            FUTURE + TESTED.replace("{}", "if self.skip:"),
            FUTURE
            + TESTED.replace("{}", "if self._has_skip:")
            .replace('Doc."""\n', 'Doc."""\n\n    __constants__ = ["_has_skip"]\n')
            .replace("self.skip = skip\n", "self.skip = skip\n        self._has_skip = bool(self.skip)\n"),
        ),
        held=skip("3", "0"),
    ),
]

TESTS = st.recursive(
    st.sampled_from(["self.kind == 'a'", "self.kind in ('b', 'c')", "self.act is None", "self.skip", "self.skip > 1"]),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=3,
)
DRAWN_FORM = Form(
    IMPORTS
    + """\
class Block(nn.Module):
    def __init__(self, kind, act, skip):
        super().__init__()
        self.kind = kind
        self.act = act
        self.skip = skip
    def forward(self, x):
        if {}:
            return x * 2
        return x, x + 1

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block("a", F.relu, 0), Block("b", None, 3)])
    def forward(self, x):
        return self.blocks[0](x), self.blocks[1](x)
"""
)
DRAWN["configuration"] = Drawn(st.one_of(FIELDS_DRAWN.sources, TESTS.map(DRAWN_FORM.fill)))

"""Attributes of modules, and inheritance."""

import re
from dataclasses import replace

from hypothesis import strategies as st
from mend_cases import IMPORTS, LEFT_OUT, NET, Case, Drawn, Form
from mended import held

from pdt_annotate.mends.kit.construction import LISTS
from pdt_annotate.values.mends import Held, HeldValue, MendKind

CASES: dict[str, list[Case]] = {}
DRAWN: dict[str, Drawn] = {}

THREE, ONE = (Held((HeldValue(LISTS[0], length=length, items=("Linear",)),)) for length in (3, 1))
INDEXED = """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.convs = make(n)

    def forward(self, x):
        {}
"""
WITH_NONE = Held((HeldValue(LISTS[0], length=3, items=("Linear", "builtins.NoneType")),))
HELD = {
    **{"Net.gaps": WITH_NONE, "Net.convs": THREE, "Net.norms": THREE, "Net.fewer": ONE},
    **{"Net.n": held("3"), "Net.m": held("2"), "Net.sizes": held("1")},
}
VARIED = {
    "Net.convs": Held((*THREE.values, *ONE.values, HeldValue("builtins.NoneType", "None"))),
    **{"Net.norms": Held((*THREE.values, *ONE.values)), "Net.n": held("3", "1")},
}
FORM = Form(INDEXED, held=HELD)
BY_N = "for i in range(self.n):\n            x = self.convs[i](x)"


LAYER, LIST = HeldValue("torch.nn.modules.linear.Linear"), HeldValue(LISTS[0], length=2, items=("Linear",))
GAPS = replace(LIST, items=("Linear", "builtins.NoneType"))
CHOSEN = Form(
    "import torch\n\n\nclass Net(nn.Module):\n    def forward(self, x, i, key):\n        {}\n",
    held={
        **{"Net.convs": Held((LIST,)), "Net.rows": Held((replace(LIST, items=(LISTS[0],)),))},
        **{"Net.gaps": Held(tuple(replace(GAPS, length=length) for length in (2, 3))), "Net.n": held("2")},
        **{"Net.named": Held((HeldValue("torch.nn.modules.container.ModuleDict", length=2),)), "Net.odd9": held("2")},
        **{"Net.conv1": Held((LAYER,)), "Net.conv2": Held((LAYER,)), "Net.odd1": Held((LAYER,))},
    },
    values={
        **{f"Net.forward: {each}": held("1") for each in ("i", "i - 1", "i + 1")},
        **{
            "Net.forward: key": held("'a'"),
            "Net.forward: f'conv{i}'": held("'conv1'"),
            "Net.forward: f'odd{i}'": held("'odd1'"),
        },
        "Net.forward: self.rows[i]": Held((LIST,)),
    },
)
BY_INDEX = """
    def _run_convs(self, index: int, x):
        for i, layer in enumerate(self.convs):
            if i == index or i - len(self.convs) == index:
                return layer(x)
        raise IndexError(index)
"""
LEVELS = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.levels = nn.ModuleList()
        for n in range(2):
            level = nn.Module()
            level.blocks = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
            level.extra = nn.ModuleList([nn.ReLU()] * n)
            level.rate = 0.5 * n
            if n:
                level.down = nn.ReLU()
            self.levels.append(level)

    def forward(self, x):
        for i in range(2):
            {}
        return x
"""
)
"""A module with layers in modules without a class of their own."""
BY_NAME = """
    def _run_conv(self, index: str, x):
        if not torch.jit.is_scripting():
            return getattr(self, index)(x)
        if index == "conv1":
            return self.conv1(x)
        if index == "conv2":
            return self.conv2(x)
        raise AttributeError(index)
"""

PARAMETER_DICT = "torch.nn.modules.container.ParameterDict"
PARAMETERS = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = nn.ParameterList([nn.Parameter(torch.ones(2) * n) for n in range(3)])
        self.layers = nn.ModuleList(nn.ReLU() for _ in range(3))
        self.ps = nn.ParameterDict({"a": nn.Parameter(torch.ones(2)), "b": nn.Parameter(torch.ones(2) / 3)})
        self.names = ["b", "a"]

    def forward(self, x):
        {}
        return x
"""
)
WRITTEN = Form(
    "import torch\n\n\nclass Net(Module):\n    def forward(self, x, i):\n        {}\n",
    held={
        "Net.ws": Held((HeldValue("torch.nn.modules.container.ParameterList", length=2),)),
        "Net.ps": Held((HeldValue(PARAMETER_DICT, length=1, keys=("a",), items=("torch.nn.parameter.Parameter",)),)),
        "Net.others": Held((HeldValue(PARAMETER_DICT, length=2, items=("torch.nn.parameter.Parameter",)),)),
        "Net.layers": Held((HeldValue("torch.nn.modules.container.ModuleList", length=2),)),
    },
)

CASES["parameters"] = [
    *WRITTEN.alone(
        *("return x * self.ws[0] * self.ws[-1]", "return x * self.ps['a']", "for w in self.ws:\n    x = x + w"),
        *("for w, f in zip(self.ws, self.layers):\n    x = f(x) + w", "for k, w in enumerate(self.ws):\n    x = x * w"),
        *(
            "self.ws[i] = x",
            "self.ws.append(x)",
            "return list(self.ws)",
            "ws = self.ws",
            "del self.ps[i]",
            "*self.ws, x = x",
        ),
        *("for k in self.others:\n    x = x + k", "if x:\n    x = 1\nelif i in self.ps:\n    x = 2"),
        "if not torch.jit.is_scripting():\n    x = x + self.ws[i]",
    ),
    *WRITTEN.mends(
        ("return x + self.ws[i]", "return x + list(self.ws)[i]"),
        ("for w in reversed(self.ws):\n    x = x + w", "for w in list(self.ws)[::-1]:\n    x = x + w"),
    ),
    *WRITTEN.mends(
        (
            "return sorted(self.ps)",
            'if not torch.jit.is_scripting():\n    assert list(self.ps) == ["a"]\n'
            'return sorted({"a": self.ps["a"]}.keys())',
        ),
        kind=MendKind.FROZEN,
    ),
    *PARAMETERS.compiles(
        "for i in range(2):\n    x = x * self.ws[i] + self.ws[i - 1] * self.ws[0]",
        "for w, y in zip(self.ws, [x, x + 1]):\n    x = w * x + y",
        "for i, (w, y) in enumerate(zip(self.ws, [x, x + 1])):\n    x = w * x + y * i",
        *("for i in range(len(self.ws)):\n    x = self.ws[i] + x", "for w in self.ws[1:]:\n    x = x * w"),
        *("for w in reversed(self.ws):\n    x = x * 2 + w", "a, b, c = self.ws\nx = a * x + b * c"),
        *("for k, p in self.ps.items():\n    x = x * len(k) + p", "for p in self.ps.values():\n    x = x + p"),
        *("for k in self.ps.keys():\n    x = x + self.ps['a']", "for k in self.ps:\n    x = x + self.ps[k]"),
        *("for k in self.names:\n    x = x * 2 + self.ps[k]", "if 'a' in self.ps:\n    x = x + len(self.ps)"),
        *("x = x + torch.stack(list(self.ps.values())).sum()", "x = x + {k: p * 2 for k, p in self.ps.items()}['a']"),
    ),
]

CASES["chosen_layers"] = [
    *CHOSEN.alone(
        *("return self.convs[0](x) + self.convs[-1](x)", "return self.convs[i](x, **key)"),
        *("return getattr(self, f'odd{i}')(x)", "conv = self.convs[i]\ni = 0\nreturn conv(x)"),
        *("if i:\n    conv = self.convs[i]\nreturn conv(x)", "return self.convs[i] == None"),
        "conv = self.convs[i]\nwhile key:\n    x = conv(x)\n    i += 1",
    ),
    *Form(**CHOSEN.facts).mends(
        (CHOSEN.fill("return self.convs[i - 1](x)"), CHOSEN.fill("return self._run_convs(i - 1, x)") + BY_INDEX)
    ),
    *Form(**CHOSEN.facts).mends(
        (
            CHOSEN.fill("conv = getattr(self, f'conv{i}')\nx = conv(x)\nreturn conv(x)"),
            CHOSEN.fill("x = self._run_conv(f'conv{i}', x)\nreturn self._run_conv(f'conv{i}', x)") + BY_NAME,
        )
    ),
    *(
        Form(
            IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 2\n"
            "        self.a = nn.ModuleList([nn.Linear(2, 3), nn.Linear(3, 2)])\n        self.conv0 = nn.ReLU()\n"
            "        self.conv0_of_x, self.conv1_of_x = nn.GELU(), nn.Sigmoid()\n"
            "        self.add_module('0_x', nn.GELU())\n        self.add_module('1_x', nn.Tanh())\n"
            "        self.w0, self.w1 = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(4, 1))\n"
            "        self.conv1 = nn.Tanh()\n        self.d = nn.ModuleDict({'x': nn.ReLU(), 'y': nn.Tanh()})\n"
            "        self.r = nn.ModuleList([nn.ModuleList([nn.ReLU(), nn.Tanh()]), nn.ModuleList([nn.GELU()])])\n"
            "        pairs = (None, nn.Tanh()), (nn.Sigmoid(), None)\n"
            "        self.gaps = nn.ModuleList(nn.ModuleList(pair) for pair in pairs)\n"
            "        self.uneven = nn.ModuleList(nn.ModuleList(row) for row in ((None, nn.Tanh()), (nn.Sigmoid(),)))\n"
            "        rows = ({'x': nn.ReLU()}, {'x': nn.Tanh(), 'y': nn.ReLU()})\n"
            "        self.ds = nn.ModuleList(nn.ModuleDict(row) for row in rows)\n"
            "        self.b, self.b_ = nn.ModuleList([nn.ReLU(), nn.Tanh()]), nn.ModuleList([nn.GELU(), nn.Tanh()])\n\n"
            "    def forward(self, x):\n        {}\n        return x\n"
        )
    ).compiles(
        "for i in range(self.n):\n    x = self.a[i - 2](input=x)",
        "for i in range(self.n):\n    x = getattr(self, f'conv{i}')(x)",
        "for i in range(self.n):\n    x = getattr(self, f'{i}_x')(x) + getattr(self, f'w{i}')",
        "for i in range(self.n):\n    w = getattr(self, f'w{i}')\n    x = x + w",
        "for i in range(self.n):\n    conv = getattr(self, 'conv{}'.format(i))\n    x = conv(x)",
        "for i in range(self.n):\n    x = self._modules['conv' + str(i)](x)",
        "for i in range(self.n):\n    x = getattr(self, f'conv{i}')(getattr(self, f'conv{i}_of_x')(x))",
        "for name in ['x', 'y']:\n    x = self.d[name](x)",
        "for i in range(self.n):\n    row = self.r[0][i]\n    x = row(x) + row(x)",
        "for i in range(self.n):\n    for j in range(self.n):\n        x = x if i == j else self.gaps[i][j](x)",
        "for i in range(1, self.n):\n    x = self.gaps[i][0](x) + self.gaps[i][-2](x)",
        "for i in range(self.n):\n    for j in range(self.n):\n"
        "        if not self.gaps[i][j] is None and self.gaps[i][j] is not None:\n            x = self.gaps[i][j](x)\n"
        "        if i == 1:\n            x = self.gaps[i][0](x)",
        "for i in range(self.n):\n    x = x if i == 0 else self.uneven[i][0](x)",
        "for i in range(self.n):\n    for j in range(self.n - i):\n        x = x if i == j else self.uneven[i][j](x)",
        "for i in range(self.n):\n    x = self.b[i](x) + self.b_[i](x)",
        "for i in range(self.n):\n    x = self.ds[i]['x'](x)",
        "for name in ['a', 'b', 'no']:\n    if name != 'no' and name != 'a':\n        x = getattr(self, name)[1](x)",
        "for i in range(self.n):\n    for name in ['b', 'b_']:\n        layer = getattr(self, name)[i]\n"
        "        x = layer(x)",
        "for name in ['conv0', 'conv9']:\n    if name == 'conv0':\n        x = self._modules[name](x)",
        "for i in range(self.n):\n    x = x + int(self.a[i] is None) + int(i > 0 and self.a[i] is not None)",
    ),
    *Form(
        IMPORTS + "class Block(nn.Module):\n    def __init__(self, word):\n        super().__init__()\n"
        "        self.word = word\n        self.add_module(word, nn.Tanh() if word == 'a1' else nn.ReLU())\n\n"
        "    def forward(self, x):\n        {}\n        return x\n\n\nclass Net(nn.Sequential):\n"
        "    def __init__(self):\n        super().__init__(Block('a1'), Block('a2'))\n"
    ).compiles("x = getattr(self, self.word)(x)"),
]

NAMED = Form(
    IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 2\n"
    "        for i in range(2):\n            self.register_buffer(f'u{i}', torch.ones(2) * i)\n"
    "            setattr(self, f'conv{i + 1}', nn.Linear(2, 2))\n\n"
    "    def forward(self, x):\n        {}\n        return x\n"
)
PLAIN = {
    "Net.ls": Held((HeldValue("builtins.list", length=2),)),
    "Net.ls[]": Held((HeldValue("", name=".a .bs[0]", keys=("0", "1")),)),
    **{"Net.a": Held((LAYER,)), "Net.bs": Held((LIST,))},
}
IN_FIELDS = {
    "Net.step[layer]": Held((HeldValue("torch.nn.modules.linear.Linear", name=".convs[0]"),)),
    "Net.step[net]": Held((HeldValue("model.Net", name="."),)),
}
KEYED = {
    **{f"Net.{name}": Held((HeldValue("builtins.dict", length=2),)) for name in ("d", "others")},
    "Net.d[]": Held((HeldValue("", name=".a .b", keys=("'a'", "'b'")),)),
}
BY_KEY = Form(
    IMPORTS + "class Block(nn.Module):\n    def __init__(self, *names):\n        super().__init__()\n"
    "        self.layers = dict()\n        for name in names:\n            self.layers[name] = nn.Linear(2, 2)\n"
    "            self.add_module('of_' + name, self.layers[name])\n\n"
    "    def forward(self, x):\n        {}\n        return x\n\n\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.one, self.other = Block('a', 'b'), Block('b', 'c')\n\n"
    "    def forward(self, x):\n        return self.one(x) + self.other(x)\n"
)
"""Two modules of a class whose layers are in plain dicts with different keys."""
STRIDES = Form(
    IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.steps = [4, 8]\n        self.convs = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])\n"
    "        self.of = dict(((4, self.convs[0]), (8, self.convs[1])))\n"
    "        self.last = self.convs[1], self.convs[0]\n\n"
    "    def forward(self, x):\n        {}\n        return x\n"
)
CASES["chosen_layers"] += [
    *LEVELS.compiles(
        "for j in range(2):\n    x = self.levels[i].blocks[j](x)\n    if len(self.levels[i].extra) > j:\n"
        "        x = self.levels[i].extra[j](x)",
        *("if i != 0:\n    x = self.levels[i].down(x)", "x = x * self.levels[i].rate"),
    ),
    *Form("class Net:\n    def forward(self, x):\n        return {} - 1\n", held=PLAIN, kind=MendKind.FROZEN).mends(
        ("len(self.ls)", "2")
    ),
    *Form("class Net:\n    def forward(self, x, i):\n{}\n", held=PLAIN, values={"Net.forward: i": held("1")}).mends(
        ("        return self.ls[-1](x)", "        return self.bs[0](x)"),
        kind=MendKind.FROZEN,
    ),
    *Form("import torch\n\n\nclass Net:\n    def forward(self, x, i):\n{}\n", held=PLAIN).mends(
        (
            "        return self.ls[i](x)",
            "        return self._run_ls(i, x)\n\n    def _run_ls(self, index: int, x):\n"
            "        if not torch.jit.is_scripting():\n            return self.ls[index](x)\n"
            "        if index == 0 or index == -2:\n            return self.a(x)\n"
            "        if index == 1 or index == -1:\n            return self.bs[0](x)\n        raise IndexError(index)",
        ),
        values={"Net.forward: i": held("1")},
        kind=MendKind.EXACT,
    ),
    *BY_KEY.compiles("for name in ['b']:\n    x = self.layers[name](x) + self.layers[name].weight.sum()"),
    *Form("class Net:\n    def forward(self, x):\n        {}\n", held=IN_FIELDS, kind=MendKind.FROZEN).mends(
        ("return self.step.layer(x)", "return self.convs[0](x)"),
        ("return self.step.net.encode(x)", "return self.encode(x)"),
    ),
    *Form("class Net:\n    def forward(self, x):\n        {}\n", held=IN_FIELDS).alone(
        *("return self.step.other(x)", "return self.steps.layer(x)", "return x.step.layer(x)"),
    ),
    *Form(
        "class Net:\n    def forward(self, x):\n        return self.step.layer(x)\n\n"
        "    def change(self, x):\n        {}\n",
        held=IN_FIELDS,
    ).alone("self.step = x", "x.layer = 1"),
    *STRIDES.compiles(
        "for step in self.steps:\n    x = self.of[step](x)",
        "for i in range(2):\n    x = self.last[i - 1](x)",
        "x = self.of[4](x) + self.last[-1](x)",
    ),
    *Form(
        "class Net:\n    def forward(self, x, i):\n        {}\n", held={"Net.u0": held("1"), "Net.n": held("1")}
    ).alone(
        *(
            "return [getattr(self, f'u{i}') for i in range(x)]",
            "return [getattr(self, f'v{i}') for i in range(self.n)]",
        ),
        *("return [getattr(self, x[i]) for i in range(self.n)]", "return [x * i for i in range(self.n)]"),
        values={"Net.forward: self.n": held("1")},
    ),
    *NAMED.compiles(
        "if x.dim() == 3:\n    x = x + torch.stack([getattr(self, 'u%d' % i) for i in range(self.n)]).sum()",
        "x = x + torch.stack([getattr(self, 'u%d' % i) * i for i in range(self.n)]).sum()",
        "x = torch.cat([getattr(self, 'conv' + str(i + 1))(x) for i in range(2)])",
    ),
    *Form(
        NET.text.replace(
            "self.n = 2",
            "self.noises = nn.Module()\n        for i in range(2):\n"
            "            self.noises.register_buffer(f'n{i}', torch.ones(1 + i))",
        )
    ).compiles("x = x + torch.cat([getattr(self.noises, f'n{i}') for i in range(2)]).sum()"),
]

CASES["walked_layers"] = [
    *FORM.alone(
        *("for i in range(len(x)):\n    x = self.convs[i](x)", "for i in range(4):\n    x = self.convs[i](x)"),
        "for i in range(1, len(self.convs)):\n    x = self.convs[i](x)\nx = x * i",
        "for i in range(1, len(self.convs)):\n    y = self.convs[i](x)\nx = y",
        "for i in range(0, 3, 2):\n    x = self.convs[i](x)",
        "for i in range(len(self.convs) - 1, -1, -1):\n    x = self.convs[i](x)",
        "x = [self.convs[i](x) for i in range(1, len(self.convs))]",
        "for i in range(len(self.convs)):\n    x = self.fewer[i](x)",
        "for i in range(len(self.convs)):\n    x = self.sizes[i] + x",
        "for i in range(len(self.convs)):\n    x = self.convs[i - 1](x)",
        "for i in range(len(self.convs)):\n    i = 0\n    x = self.convs[i](x)",
        "for i in range(len(self.convs)):\n    x = self.convs[i](x)\n    break",
        "for i in range(len(self.convs)):\n    self.convs[i] = self.convs[i](x)",
        "for i, conv in enumerate(self.convs):\n    conv = self.norms[i](conv(x))",
        "for i, conv in enumerate(self.convs):\n    x = conv(self.fewer[i](x))",
        "for i, conv in enumerate(self.convs):\n    x = conv(self.gaps[i](x))",
        *("for i in range(len(self.convs)):\n    self.convs.append(self.convs[i](x))", "x = self.convs[x](x)"),
    ),
    *FORM.mends(
        (
            "for i in range(0, self.n * self.m // 2):\n    conv = self.convs[i]\n    x = conv(x)",
            "assert len(self.convs) == self.n * self.m // 2\nfor conv in self.convs:\n    x = conv(x)",
        ),
        values={"Net.forward: self.n * self.m // 2": held("3")},
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        (
            "for i in range(len(self.convs)):\n    x = conv(x) if i else x\n    conv = self.convs[i]\n    x += 2",
            "for i, one_conv in enumerate(self.convs):\n    x = conv(x) if i else x\n    conv = one_conv\n    x += 2",
        ),
        kind=MendKind.EXACT,
    ),
    *FORM.mends(
        (
            "for i in range(1, self.n * self.m // 2):\n    x = self.convs[i](x)",
            "assert len(self.convs) == self.n * self.m // 2\n"
            "for i, conv in enumerate(self.convs):\n    if i >= 1:\n        x = conv(x)",
        ),
        (
            "for i in range(self.m):\n    if x:\n        x = self.convs[i](x)",
            "assert len(self.convs) >= self.m\n"
            "for i, conv in enumerate(self.convs):\n    if i < self.m:\n        if x:\n            x = conv(x)",
        ),
        (
            "x = [self.convs[i](x[i]) for i in range(len(self.norms))]",
            "assert len(self.convs) == len(self.norms)\nx = [conv(x[i]) for i, conv in enumerate(self.convs)]",
        ),
        (
            "for i, conv in enumerate(self.convs):\n    x = conv(x) if i else self.norms[i](conv(x))",
            "assert len(self.norms) >= len(self.convs)\n"
            "for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):\n"
            "    x = conv(x) if i else norm(conv(x))",
        ),
        values={"Net.forward: self.n * self.m // 2": held("3")},
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        (
            "y = x\nfor i in range(1, len(self.convs) - 1):\n    # all but two\n"
            "    conv = self.convs[i]\n    y = conv(y)",
            "y = x\nfor i, conv in enumerate(self.convs):\n    # all but two\n"
            "    if 1 <= i < len(self.convs) - 1:\n        y = conv(y)",
        ),
        kind=MendKind.EXACT,
    ),
    *FORM.alone(
        "for i in range(0, x.dim() - 1):\n    x = self.convs[i](x)",
        values={"Net.forward: self.n * self.m // 2": held("3"), "Net.forward: x.dim() - 1": held("3")},
    ),
    *FORM.alone(
        "for i in range(0, self.n * self.m // 2):\n    x = self.convs[i](x)",
        values={"Net.forward: self.n * self.m // 2": held("3", "2")},
    ),
    *Form(FORM.text, held=VARIED, values={"Net.forward: self.n": held("3", "1")}).mends(
        (
            "for i in range(self.n):\n    x = x + self.convs[i](x)",
            "assert len(self.convs) == self.n\nfor conv in self.convs:\n    x = x + conv(x)",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(FORM.text, held=VARIED, values={"Net.forward: self.n": held("3", "1")}).alone(
        "for i in range(2):\n    x = self.convs[i](x)",
        "for i in range(len(x)):\n    x = self.convs[i](x)",
        "for i in range(self.n // 2):\n    x = self.convs[i](x)",
    ),
    *Form(FORM.text, held=VARIED, values={"Net.forward: self.n": held("3", "1")}).mends(
        (
            "for i in range(self.n - 1):\n    x = self.convs[i](x)",
            "assert len(self.convs) >= self.n - 1\n"
            "for i, conv in enumerate(self.convs):\n    if i < self.n - 1:\n        x = conv(x)",
        ),
        (
            "for i in range(1, self.n):\n    x = self.convs[i](x)",
            "assert len(self.convs) >= self.n\n"
            "for i, conv in enumerate(self.convs):\n    if 1 <= i < self.n:\n        x = conv(x)",
        ),
        (
            "for i in range(len(self.norms)):\n    x = self.norms[i](self.convs[i](x))",
            "assert len(self.convs) >= len(self.norms)\n"
            "for norm, conv in zip(self.norms, self.convs):\n    x = norm(conv(x))",
        ),
        kind=MendKind.EXACT,
    ),
    *Form(FORM.text, held=VARIED).mends(
        (
            "for i in range(1, len(self.norms)):\n    x = self.norms[i](x)",
            "for i, norm in enumerate(self.norms):\n    if i >= 1:\n        x = norm(x)",
        ),
        kind=MendKind.EXACT,
    ),
    *Form(held=VARIED, values={"Net.forward: self.n": held("3", "1")}).alone(
        INDEXED.format(BY_N) + "\n    def grow(self):\n        self.n = 9\n"
    ),
    *Form(held=HELD).alone(INDEXED.format(BY_N) + "\n    def grow(self):\n        self.n = 9\n"),
    *FORM.mends(
        (
            "for i in range(len(self.convs)):\n    x = self.convs[i](x) * i",
            "for i, conv in enumerate(self.convs):\n    x = conv(x) * i",
        ),
        (
            "for i in range(len(self.convs)):\n    for j in range(len(self.convs)):\n"
            "        x = self.convs[i](self.convs[j](x))",
            "for conv in self.convs:\n    for one_conv in self.convs:\n        x = conv(one_conv(x))",
        ),
        (
            "for i in range(len(self.convs)):\n    for _ in x:\n        break\n    x = self.convs[i](x)",
            "for conv in self.convs:\n    for _ in x:\n        break\n    x = conv(x)",
        ),
        (
            "for i in range(len(self.convs)):\n    x = self.norms[i](self.convs[i](x))",
            "assert len(self.norms) >= len(self.convs)\n"
            "for norm, conv in zip(self.norms, self.convs):\n    x = norm(conv(x))",
        ),
        (
            "for i in range(self.m):\n    x = self.convs[i](x)",
            "assert len(self.convs) >= self.m\n"
            "for i, conv in enumerate(self.convs):\n    if i < self.m:\n        x = conv(x)",
        ),
        (
            "for i, conv in enumerate(self.convs):\n    x = self.norms[i](conv(x))\nx = x + i",
            "assert len(self.norms) >= len(self.convs)\n"
            "for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):\n"
            "    x = norm(conv(x))\nx = x + i",
        ),
        (
            "for i, conv in enumerate(self.norms):\n    x = self.norms[i](self.convs[i](conv(x)))",
            "assert len(self.convs) >= len(self.norms)\n"
            "for conv, one_conv in zip(self.norms, self.convs):\n    x = conv(one_conv(conv(x)))",
        ),
        (
            "for i in range(len(self.convs)):\n    x = self.convs[i](x)\nx = x + i",
            "for i, conv in enumerate(self.convs):\n    x = conv(x)\nx = x + i",
        ),
        kind=MendKind.EXACT,
    ),
    *FORM.mends(
        *(
            (
                f"for i in range({bound}):\n    x = self.convs[i](x)",
                f"assert len(self.convs) == {bound}\nfor conv in self.convs:\n    x = conv(x)",
            )
            for bound in ("self.n", "3")
        ),
        kind=MendKind.FROZEN,
    ),
]

LONG = Held((HeldValue("builtins.list", length=4),))
SEEN = {"Net.forward: x": Held((HeldValue("torch.Tensor"),)), "Net.forward: ys": Held((HeldValue("builtins.list"),))}
SCALES = Held((HeldValue("torch.nn.modules.container.ParameterList", length=3),))
ROWS = {**HELD, "Net.rows": Held((replace(THREE.values[0], items=(LISTS[0],)),))}
FORM = Form("class Net(nn.Module):\n    def forward(self, x, ys):\n        {}\n", held=ROWS, values=SEEN)

SOME = Form(FORM.text, held=FORM.facts["held"], values={"Net.forward: n": held("2", "-1")})
SHADOWED = "\n\ndef {}(x, y=1):\n    return x\n"
CASES["walked_layers"] += [
    *Form("from torch import min\n\n\n" + SOME.text, **SOME.facts).alone(
        "for conv in self.convs[:n]:\n    x = conv(x)"
    ),
    *Form("from six.moves import range\n\n\n" + FORM.text, **SOME.facts).mends(
        ("for conv in self.convs[:2]:\n    conv(x)", "for i in range(min(2, len(self.convs))):\n    self.convs[i](x)")
    ),
    *Form(SOME.text + SHADOWED.format("min"), **SOME.facts).alone("for conv in self.convs[:n]:\n    x = conv(x)"),
    *Form(SOME.text + SHADOWED.format("tuple"), **SOME.facts).alone("for conv in tuple(self.convs[:2]):\n    conv(x)"),
    *SOME.alone(
        *("for conv in self.convs[:m]:\n    x = conv(x)", "for conv in self.convs[n:]:\n    x = conv(x)"),
        *("for conv in self.convs[:n:2]:\n    x = conv(x)", "for conv in self.convs[1:][:n]:\n    x = conv(x)"),
        *("for conv in reversed(self.convs[:n]):\n    x = conv(x)", "for conv in self.convs[:n][1:]:\n    x = conv(x)"),
        "for conv in self.convs[:f(n)]:\n    x = conv(x)",
    ),
    *SOME.mends(
        (
            "for conv in self.convs[:n]:\n    n = 1\n    x = conv(x)",
            "for i in range(min(n, len(self.convs)) if n >= 0 else len(self.convs) + n):\n    n = 1\n"
            "    x = self.convs[i](x)",
        ),
        kind=MendKind.EXACT,
    ),
]

CASES["walked_layers"] += [
    *Form("class Net:\n    def forward(self, x):\n        {}\n        return x\n", held=KEYED).mends(
        (
            "for name, layer in self.d.items():\n    x = layer(x) * layer.scale",
            "for name in self.d:\n    x = self.d[name](x) * self.d[name].scale",
        ),
        ("x = sum(layer(x) for layer in self.d.values())", "x = sum(self.d[key](x) for key in self.d)"),
        (
            "for i, layer in enumerate(self.d.values()):\n    x = layer(x) * i",
            "for i, key in enumerate(self.d):\n    x = self.d[key](x) * i",
        ),
        kind=MendKind.EXACT,
    ),
    *Form("class Net:\n    def forward(self, x):\n        {}\n        return x\n", held=KEYED).alone(
        "for name, layer in self.d.items():\n    name = x\n    x = layer(x)",
        "for name, layer in self.d.items():\n    x = layer(x)\nx = layer(x)",
        "for layer in self.d.values():\n    x, layer = layer(x), 1",
        "for layer in self.others.values():\n    x = layer(x)",
    ),
    *Form("import torch\n\n\nclass Net:\n    def forward(self, x):\n        {}\n        return x\n", held=PLAIN).mends(
        (
            "for layer in self.ls:\n    x = layer(x)",
            "if not torch.jit.is_scripting():\n    assert len(self.ls) == 2\nfor i in range(2):\n    x = self.ls[i](x)",
        ),
        kind=MendKind.FROZEN,
    ),
    *FORM.alone(
        "for i in range(3):\n    for j in range(2):\n        x = self.rows[i][j](x)",
        "for conv in self.convs:\n    x = conv(x)",
        "for i, (conv, norm) in enumerate(zip(self.convs, self.norms)):\n    x = conv(norm(x)) * i",
        "for conv, y in zip(self.convs, self.ys):\n    x = conv(x) + y",
        "for conv, y in zip(self.convs, ys):\n    x = conv(x) + y\n    ys.append(x)",
        "for conv, y in zip(self.convs, ys):\n    ys = [x]\n    x = conv(x) + y",
        "for conv, y in zip(self.convs, ys):\n    x = conv(x) + y\nreturn conv(x)",
        "for conv, y in zip(self.convs, ys):\n    x = x * conv.weight + y\nreturn y",
        'for conv, y in zip(self.convs, ys):\n    x = conv(x) + g(y, """a\n    b""")\n    x = x * conv.weight',
        *("for y in reversed(ys):\n    x = x + y", "for conv in self.convs[:self.n]:\n    x = conv(x)"),
        "for conv in self.convs[-2:]:\n    x = conv(x)",
        "for conv in self.convs[1:]:\n    x = conv(x)\nelse:\n    x = conv(x)",
        "for i, conv in enumerate(self.convs[1:]):\n    i = 2\n    x = conv(x)",
        "for conv in self.convs[1:]:\n    if x:\n        x = g(conv, x)\n    x = conv(x)",
    ),
    *FORM.mends(
        ("y = [c(y) for c, y in zip(self.convs, [x, x * 2])]", "y = [c(y) for c, y in zip(self.convs, (x, x * 2))]"),
        (
            "for i, (conv, y) in enumerate(zip(self.convs, ys)):\n    x = conv(x) + y * i",
            "for i, conv in enumerate(self.convs):\n    if i < len(ys):\n"
            "        y = ys[i]\n        x = conv(x) + y * i",
        ),
        (
            f"for conv in self.convs[1:]:\n    if x:\n        {LEFT_OUT}\n        x = g(conv, x)\n    x = conv(x)",
            f"for i in range(len(self.convs) - 1):\n    if x:\n        {LEFT_OUT}\n"
            "        x = g(self.convs[i + 1], x)\n    x = self.convs[i + 1](x)",
        ),
        (
            "for conv in self.convs[1:-1]:\n    x = conv(x)",
            "for i in range(len(self.convs) - 2):\n    x = self.convs[i + 1](x)",
        ),
        (
            "for conv in reversed(self.convs):\n    x = conv(x)\n    break",
            "for i in range(len(self.convs)):\n    x = self.convs[len(self.convs) - 1 - i](x)\n    break",
        ),
        (
            "for conv in self.convs[::-1]:\n    x, y = conv.inverse(x)",
            "for i in range(len(self.convs)):\n    x, y = self.convs[len(self.convs) - 1 - i].inverse(x)",
        ),
        (
            "for conv in list(reversed(self.convs))[1:]:\n    x = conv(x)",
            "for i in range(len(self.convs) - 1):\n    x = self.convs[len(self.convs) - 1 - (i + 1)](x)",
        ),
        (
            "for (a, b), y in zip(self.rows, ys):\n    x = a(b(y))",
            "for i, row in enumerate(self.rows):\n    if i < len(ys):\n"
            "        a = row[0]\n        b = row[1]\n        y = ys[i]\n        x = a(b(y))",
        ),
        (
            "return [conv(y) for conv, y in zip(self.convs, ys)]",
            "return [self.convs[i](ys[i]) for i in range(min(len(self.convs), len(ys)))]",
        ),
        ("for conv in self.convs._modules.values():\n    x = conv(x)", "for conv in self.convs:\n    x = conv(x)"),
        (
            "for conv in self.convs:\n    if x:\n        continue\n\n    # why\n    x = conv(x)",
            "for conv in self.convs:\n    if not x:\n        # why\n        x = conv(x)",
        ),
        (
            "for conv, norm in zip(self.convs, self.norms):\n    if x:\n        continue\n    x = conv(x)\n"
            "    if x or ys:\n        y = 1\n        continue  # why\n    x = norm(x)\n    y = 2",
            "for conv, norm in zip(self.convs, self.norms):\n    if not x:\n        x = conv(x)\n"
            "        if x or ys:\n            y = 1\n        else:\n            x = norm(x)\n            y = 2",
        ),
        (
            "for conv in self.convs:\n    if x:\n        x = conv(x)\n    else:\n        continue\n    x = x + 1",
            "for i in range(len(self.convs)):\n    if x:\n        x = self.convs[i](x)\n    else:\n        continue\n"
            "    x = x + 1",
        ),
    ),
    *Form(FORM.text.replace("    ", "\t"), held=ROWS).mends(
        (
            "for conv in self.convs:\n\tif x:\n\t\tcontinue\n\tx = conv(x)",
            "for conv in self.convs:\n\tif not x:\n\t\tx = conv(x)",
        ),
    ),
    *Form(FORM.text, held=ROWS).alone(
        "for i, (conv, y) in enumerate(zip(self.convs, ys), start=1):\n    x = x * conv.weight + y * i",
        "for (i, conv), y in zip(enumerate(self.convs), ys):\n    x = x * conv.weight + y * i",
        values={"Net.forward: ys": LONG},
    ),
    *Form(FORM.text, held={**ROWS, "Net.scales": SCALES}).mends(
        (
            "for i, (a, (b, c)) in enumerate(self.rows, start=1):\n    x = c(b(a(x))) * i",
            "for i, row in enumerate(self.rows, start=1):\n    a = row[0]\n    b = row[1][0]\n    c = row[1][1]\n"
            "    x = c(b(a(x))) * i",
        ),
        (
            "for (a, b), scale in zip(self.rows, self.scales):\n    x = a(b(x)) * scale",
            "for row, scale in zip(self.rows, self.scales):\n    a = row[0]\n    b = row[1]\n    x = a(b(x)) * scale",
        ),
        kind=MendKind.EXACT,
    ),
    *Form(FORM.text, held=ROWS).mends(
        (
            "for i, (conv, y) in enumerate(zip(self.convs, ys)):\n    x = x * conv.weight + y",
            "for i, conv in enumerate(self.convs):\n    if i < len(ys):\n"
            "        y = ys[i]\n        x = x * conv.weight + y",
        ),
        (
            "for norm, (a, b), conv in zip(self.norms, ys[::-1], self.convs):\n    x = norm(conv(x)) + a + b",
            "for i, (norm, conv) in enumerate(zip(self.norms, self.convs)):\n    if i < len(ys[::-1]):\n"
            "        a, b = ys[::-1][i]\n        x = norm(conv(x)) + a + b",
        ),
        (
            "for (a, b), (c, (d, e)), conv in zip(self.rows, ys, self.convs):\n    x = a(conv(x)) + c",
            "for i, (row, conv) in enumerate(zip(self.rows, self.convs)):\n    if i < len(ys):\n"
            "        a = row[0]\n        b = row[1]\n        c, (d, e) = ys[i]\n        x = a(conv(x)) + c",
        ),
        (
            "for conv, y, z in zip(self.convs, ys, zs):\n    x = x * conv.weight + y\n\n    # why\n    x = x + z",
            "for i, conv in enumerate(self.convs):\n    if i < min(len(ys), len(zs)):\n        y = ys[i]\n"
            "        z = zs[i]\n        x = x * conv.weight + y\n\n        # why\n        x = x + z",
        ),
        kind=MendKind.EXACT,
        values={"Net.forward: ys": LONG, "Net.forward: zs": LONG, "Net.forward: ys[::-1]": LONG},
    ),
    *Form(FORM.text.replace("    ", "\t"), held=ROWS, values={"Net.forward: ys": LONG}, kind=MendKind.EXACT).mends(
        (
            "for conv, y in zip(self.convs, ys):\n\tx = x * conv.weight + y",
            "for i, conv in enumerate(self.convs):\n\tif i < len(ys):\n\t\ty = ys[i]\n\t\tx = x * conv.weight + y",
        ),
    ),
    *Form(FORM.text, held=ROWS).mends(
        (
            "i = 0\nfor i, (conv, y) in enumerate(zip(self.convs, ys)):\n    x = x * conv.weight + y\nreturn x * i",
            "i = 0\nassert len(ys) >= len(self.convs)\n"
            "for i, conv in enumerate(self.convs):\n    y = ys[i]\n    x = x * conv.weight + y\nreturn x * i",
        ),
        (
            "for i, (conv, y) in enumerate(zip(self.convs, ys)):\n    x = x * conv.weight + y\nreturn x, y",
            "assert len(ys) >= len(self.convs)\n"
            "for i, conv in enumerate(self.convs):\n    y = ys[i]\n    x = x * conv.weight + y\nreturn x, y",
        ),
        (
            "return [conv(y) + y for conv, y in zip(self.convs, ys)]",
            "assert len(ys) >= len(self.convs)\nreturn [conv(ys[i]) + ys[i] for i, conv in enumerate(self.convs)]",
        ),
        values={"Net.forward: ys": LONG, "Net.forward: ys[::-1]": LONG},
        kind=MendKind.FROZEN,
    ),
    *Form("import torch\n" + FORM.text).mends(
        (
            "for name, one in self._modules.items():\n    x = one(x)",
            "if not torch.jit.is_scripting():\n    assert len(list(self.children())) == len(self._modules)\n"
            "for name, one in self.named_children():\n    x = one(x)",
        ),
        kind=MendKind.FROZEN,
    ),
    *Form(
        IMPORTS + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(2, 2)\n        self.b = nn.ReLU()\n\n"
        "    def forward(self, x):\n        {}\n        return x\n"
    ).compiles("for name, one in self._modules.items():\n    x = one(x) + len(name)", args="torch.randn(4, 2)"),
]

DRAWN["walked_layers"] = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 2
        self.a = nn.ModuleList([nn.Linear(3, 3), nn.ReLU(), nn.Tanh()])
        self.rows = nn.ModuleList([nn.ModuleList([nn.Linear(3, 3), nn.ReLU()]) for _ in range(2)])
        pairs = (nn.Linear(3, 3), nn.ReLU()), (nn.Tanh(), nn.Linear(3, 3))
        self.blocks = nn.ModuleList(nn.Sequential(*pair) for pair in pairs)
        self.convs = nn.ModuleList([nn.Linear(3, 3), nn.Tanh()])
        self.emb = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
        self.pair = nn.ModuleList([nn.ReLU(), nn.Linear(3, 3)])
        self.nested = nn.ModuleList([nn.ModuleList([nn.ReLU(), self.pair]), nn.Sequential(nn.Tanh(), self.emb)])
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3)) for _ in range(2)])

    def forward(self, x):
        ys = [x + 1, x - 1]
        {}
        return x
"""
).draws(
    "for a, y in zip(self.a[1:], ys):\n    x = x + a(y)",
    "for y, a in zip(reversed(ys), self.a):\n    x = x + a(y)",
    "for i, a in enumerate(reversed(self.a)):\n    if i == 2:\n        break\n    x = a(x)",
    "for a in self.a:\n    x = a(x)\n    if x.sum() > 0:\n        continue\n    x = a(x)",
    "for i, (a, b) in enumerate(self.rows, 1):\n    x = a(x) * i\n    if i == 2:\n        continue\n    x = b(x)",
    "for (a, (b, c)), scale in zip(self.nested, self.scales):\n    x = c(b(a(x))) * scale",
    *(f"for a, y in zip(self.a[{cut}], ys):\n    x = x + a(y)" for cut in ("::2", "1::2", ":2:2", "1:-1:2", "2::3")),
    "for (a, b), c in zip(self.rows, self.a[:-1]):\n    x = a(b(x)) + c(x)",
    "for i, (row, y) in enumerate(zip(self.rows, ys)):\n    x = x + row[0](y) * i",
    "x = torch.stack([a(y) for a, y in zip(self.a, ys)]).sum(0)",
    "for a, b in self.blocks:\n    x = b(a(x)) + a(x)",
    "for i, (a, b) in enumerate(self.blocks):\n    x = b(a(x)) * i",
    "for (a, b), c in zip(self.blocks, self.convs):\n    x = c(b(a(x)))",
    *("x = torch.stack([b(a(x)) for a, b in self.blocks]).sum(0)", "p, q = self.pair\nx = q(p(x))"),
    "for block in self.blocks:\n    a, b = block\n    x = b(a(x))",
    "for i in range(len(self.convs)):\n    x = self.convs[i](x) * i",
    "y = x\nfor i in range(len(self.convs) - 1):\n    y = self.convs[i](y) * i\nx = self.convs[-1](y)",
    "for i in range(1, self.n):\n    conv = self.convs[i]\n    x = self.emb[i - 1](conv(x))",
    "for i in range(self.n):\n    if x.sum() > i:\n        x = self.emb[i](self.convs[i](x))",
    "x = torch.stack([self.convs[k](x) for k in range(2)]).sum(0)",
    others=("chosen_layers",),
)

LISTED = {"f: ys": Held((HeldValue("builtins.list"),))}
FORM = Form("def f(self, x, ys, m):\n    {}\n", values=LISTED)

CASES["growing_lists"] = [
    *FORM.alone(
        *("ys.extend(g(x) for x in ys)", "ys.extend([g(ys[-1]) for x in m])", "x = ys.extend(g(ys[-1]) for x in m)"),
        *("ys.extend(g([ys[n] for n in x]) for x in m)", "ys.extend(f'{ys[-1]}' for x in m)"),
        *("ys.extend(g(ys) for ys in m)", "x.extend(g(x[-1]) for n in m)", "if m: ys.extend(g(ys[-1]) for n in m)"),
        "ys.extend((ys := [x])[-1] for n in m)",
    ),
    *FORM.mends(
        ("ys.extend(g(ys[-1]) for n in m)  # all", "for n in m:\n    ys.append(g(ys[-1]))  # all"),
        ("ys.extend(g(ys[-1], m) for m in m)", "for m_1 in m:\n    ys.append(g(ys[-1], m_1))"),
        (
            "for x in m:\n    ys.extend((x, n, ys[0]) for x in m if x for _, n in x if n and ys)",
            "for x in m:\n    for x_1 in m:\n        if x_1:\n            for _, n in x_1:\n"
            "                if n and ys:\n                    ys.append((x_1, n, ys[0]))",
        ),
        kind=MendKind.EXACT,
    ),
    *Form("def f(x, m, g):\n    {}\n").alone(
        "ys = x\nys.extend(g(ys[-1]) for n in m)",
        "ys = list(x)\nys = g(ys)\nys.extend(g(ys[-1]) for n in m)",
        "list = g\nys = list(x)\nys.extend(g(ys[-1]) for n in m)",
        "for ys in m:\n    ys.extend(g(ys[-1]) for n in m)",
    ),
    *Form("def f(x, m, g):\n    {}\n").mends(
        ("ys = list(x)\nys.extend(n(ys[-1]) for n in m)", "ys = list(x)\nfor n in m:\n    ys.append(n(ys[-1]))"),
        ("ys = [x]\nys.extend(n(ys[-1]) for n in m)", "ys = [x]\nfor n in m:\n    ys.append(n(ys[-1]))"),
    ),
]

FORM = Form("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\ndef f(x, y, args):\n    {}\n")

CASES["inline_layers"] = [
    *FORM.alone(
        *("return nn.Linear(2, 2)(x)", "return nn.ReLU(*args)(x)", "return nn.ReLU(**args)(x)", "return nn.ReLU()(*x)"),
        *("return nn.ReLU()(other=x)", "return nn.ReLU(x.pop())(y.pop())", "return nn.MSELoss()(x)"),
        *("return nn.GaussianNLLLoss()(x, x, target=y)", "return nn.NLLLoss(weight=y).cuda()(x, y)"),
        *("return nn.MaxPool2d(2, padding=1, unknown=2)(x)", "return nn.ZeroPad2d(y)(x)", "return other.ReLU()(x)"),
        *("relu = nn.ReLU()\nreturn x.apply(relu)", "relu = nn.ReLU()\nrelu = nn.Tanh()\nreturn relu(x)"),
        *("if x:\n    relu = nn.ReLU()\nreturn relu(x)", "for relu in y:\n    relu = nn.ReLU()\n    x = relu(x)"),
        "relu = nn.ReLU()\nx = relu(x)\nreturn x, relu",
        "act = nn.ReLU()\nfor _ in y:\n    x = act(x)\n    act = nn.Tanh()\n    x = act(x)",
    ),
    *FORM.mends(
        ("return nn.ReLU()(x)", "return F.relu(x)"),
        ("return nn.Sigmoid()(x + 1)", "return torch.sigmoid(x + 1)"),
        ("return torch.nn.LeakyReLU(0.2, inplace=True)(x)", "return F.leaky_relu(x, negative_slope=0.2, inplace=True)"),
        ("return nn.Softmax(dim=-1)(nn.ReLU()(x))", "return F.softmax(F.relu(x), dim=-1)"),
        ("return nn.Dropout(0.1)(x)", "return F.dropout(x, p=0.1, training=True)"),
        ("return nn.Flatten()(x)", "return torch.flatten(x, start_dim=1)"),
        ("return nn.Flatten(2)(x)", "return torch.flatten(x, start_dim=2)"),
        ("return nn.MSELoss(reduction='sum')(x, y)", "return F.mse_loss(x, y, reduction='sum')"),
        ("act = nn.ReLU()\nx = act(x)\nreturn act(x)", "x = F.relu(x)\nreturn F.relu(x)"),
        ("loss = nn.MSELoss()\nx.loss = loss(x, y)", "x.loss = F.mse_loss(x, y)"),
        ("pool = nn.AvgPool2d((y, 1))\nreturn pool(x)", "return F.avg_pool2d(x, kernel_size=(y, 1))"),
        ("return nn.NLLLoss(weight=y)(x, y)", "return F.nll_loss(x, y, weight=y)"),
        (
            "relu = nn.LeakyReLU(y)\ny = 2\nreturn relu(x)",
            "relu_negative_slope = y\ny = 2\nreturn F.leaky_relu(x, negative_slope=relu_negative_slope)",
        ),
        ("return nn.MSELoss().to(x.device)(x, target=y)", "return F.mse_loss(x, target=y)"),
        ("return nn.NLLLoss(weight=y.pop())(x, y)", "return F.nll_loss(x, y, weight=y.pop())"),
        (
            "if y:\n    l = nn.ELU()\n    x = l(x)\nelse:\n    l = nn.CELU()\n    for _ in y:\n        x = l(x)",
            "if y:\n    x = F.elu(x)\nelse:\n    for _ in y:\n        x = F.celu(x)",
        ),
        ("return nn.ZeroPad2d(1)(x)", "return F.pad(x, (1, 1, 1, 1))"),
        ("return nn.ReflectionPad1d((y, 1))(x)", "return F.pad(x, (y, 1), mode='reflect')"),
        ("return nn.Upsample(size=x.size()[2:])(y)", "return F.interpolate(y, size=x.size()[2:])"),
    ),
    *NET.compiles(
        *("return nn.Softmax(dim=-1)(nn.ReLU()(x))", "return nn.Upsample(scale_factor=2.0)(x[None])"),
        "return nn.AdaptiveMaxPool1d(1)(nn.ReplicationPad1d(1)(x[None]))",
        "loss = nn.BCEWithLogitsLoss(pos_weight=x.mean() / x.size(0))\nfor _ in range(2):\n    x = x + loss(x, x)",
        "l = nn.CTCLoss()\nn = torch.tensor([4, 4])\nx = l(x[:, None].expand(-1, 2, -1), n[:, None] // 4, n, n // 4)",
        "return nn.TripletMarginLoss(swap=True)(x, x, x) + nn.PoissonNLLLoss()(x, x) + nn.Threshold(0.1, 2.0)(x)",
        "return nn.CosineEmbeddingLoss()(x, x, x[:, 0].sign()) + nn.MarginRankingLoss(0.5)(x, x, x)",
        "return nn.CrossEntropyLoss(reduction='sum')(x, x) + nn.SmoothL1Loss(beta=2.0)(x, x) + nn.KLDivLoss()(x, x)",
    ),
]

MADE = NET.text.replace("{}\n        return x", "return self.pool(x)").replace("self.n = 2", "self.pool = {}")

CASES["weight_hooks"] = [
    *Form(MADE.replace("F\n", "F\nfrom torch.nn.utils import spectral_norm as norm\n", 1)).compiles(
        "norm(nn.Linear(2, 2))",
        "nn.Sequential(nn.utils.weight_norm(nn.Linear(2, 2), dim=None), nn.utils.weight_norm(nn.Linear(2, 1)))",
        "nn.Sequential(*map(norm, (nn.Linear(2, 3), nn.Linear(3, 1)))).eval()",
        "nn.Sequential(nn.Unflatten(1, (2, 1)), norm(nn.ConvTranspose1d(2, 2, 1)), nn.Conv1d(2, 1, 1), nn.Flatten())",
        "(lambda layer: norm(layer, n_power_iterations=3, eps=1e-3, dim=1))(nn.Linear(2, 2))",
    ),
    *Form(MADE.replace("from typing", "from torch.nn.utils import parametrizations as P\nfrom typing")).compiles(
        # The compiler caches a failed class of torch, so there is only one case.
        "nn.Sequential(nn.Unflatten(1, (2, 1)), P.spectral_norm(nn.ConvTranspose1d(2, 2, 1)), nn.Flatten(), "
        "P.weight_norm(nn.Linear(2, 2)), *(P.spectral_norm(nn.Linear(2, 2), dim=n) for n in (0, 1)))"
    ),
    *Form(MADE).alone("nn.utils.parametrizations.orthogonal(nn.Linear(2, 2))", "weight_norm(nn.Linear(2, 2))"),
    *Form(MADE).alone("nn.utils.weight_norm(nn.Linear(2, 2))", held={"Other.n": held("2")}),
    *Form(MADE.replace("class Net", "def g(weight_norm):\n    return weight_norm\n\n\nclass Net")).alone(
        "g(weight_norm)"
    ),
]

UNPOOLING = Form(
    IMPORTS
    + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.unpool = {}(2)\n\n"
    + "    def forward(self, x):\n        x, i = F.max_pool1d(x, 2, return_indices=True)\n"
    "        return self.unpool(x, i)\n"
)
CASES["unpool_layers"] = [
    *UNPOOLING.alone("nn.MaxPool2d", "MaxUnpool2d"),
    *Form(UNPOOLING.text + "\n\ndef is_unpool(m):\n    return type(m) is nn.MaxUnpool1d\n", **UNPOOLING.facts).alone(
        "nn.MaxUnpool1d"
    ),
    *UNPOOLING.compiles("nn.MaxUnpool1d"),
    *(
        Form(UNPOOLING.text.replace("1d", f"{n}d")).compiles(
            f"nn.MaxUnpool{n}d", args=f"torch.randn({'4, ' * (n + 1)})"
        )[0]
        for n in (2, 3)
    ),
]

LINEAR = Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),))
NUMPY = "'numpy.int64' object in attribute 'Linear.in_features' is not a valid constant."
CASES["torch_arguments"] = [
    *Form(MADE).alone("nn.AdaptiveAvgPool2d((n, 1))", "nn.AdaptiveAvgPool2d(None)", "AdaptiveAvgPool2d((None, 1))"),
    *Form(MADE + "\n\nSIZES = {nn.AdaptiveAvgPool2d: 2}\n").alone("nn.AdaptiveAvgPool2d((None, 1))"),
    *Form(MADE).compiles(
        "nn.AdaptiveAvgPool2d((None, 1))",
        "nn.Sequential(nn.AdaptiveMaxPool2d([1, None]), nn.AdaptiveMaxPool2d([1, None]))",
        args="torch.randn(1, 4, 3)",
    ),
]

FORM = Form("import torch\nimport torch.nn.functional as F\n\n\ndef f(x, n, args):\n    {}")

CASES["torch_arguments"] += [
    *FORM.alone(
        *("return F.normalize(x, 2.0, 1)", "return F.normalize(x, dim=1)", "return F.normalize(x, n)"),
        *("return F.normalize(*args, 2)", "return F.normalize(x, p=True)", "return torch.nn.init.normal_(x, 0)"),
        "return n.uniform_(0, 1)",
        *("return F.softmax(x, 1)", "return normalize(x, 2)", "return x.normalize(x, 2)", "return torch.norm(x, p=2)"),
    ),
    *FORM.mends(
        ("return F.normalize(x, p=2, dim=1)", "return F.normalize(x, p=2.0, dim=1)"),
        ("return F.normalize(x, 2, 1)", "return F.normalize(x, 2.0, 1)"),
        ("return F.normalize(x, p=0x2)", "return F.normalize(x, p=float(0x2))"),
        ("return torch.cdist(x, x, 1)", "return torch.cdist(x, x, 1.0)"),
        ("return F.threshold(x, 1, n)", "return F.threshold(x, 1.0, n)"),
        ("return F.pad(x, (1, 0), value=-1)", "return F.pad(x, (1, 0), value=-1.0)"),
        ("return torch.zeros(n).uniform_(0, to=1)", "return torch.zeros(n).uniform_(0.0, to=1.0)"),
        ("return torch.layer_norm(x, (2,), eps=0)", "return torch.layer_norm(x, (2,), eps=0.0)"),
        (
            "return torch.nn.functional.dropout(F.elu(x, 1), 0)",
            "return torch.nn.functional.dropout(F.elu(x, 1.0), 0.0)",
        ),
    ),
    *FORM.mends(
        ("return F.upsample(x, scale_factor=n)", "return F.upsample(x, scale_factor=float(n))"),
        ("return F.interpolate(x, scale_factor=(n, 2))", "return F.interpolate(x, scale_factor=[float(n), 2.0])"),
        ("return F.dropout(x, n if x else 0.5)", "return F.dropout(x, float(n) if x else 0.5)"),
        values={"f: n": held("2", "3")},
    ),
    *NET.compiles(
        *("return F.normalize(x, p=2, dim=1)", "return F.pad(x, (1, 0), value=0)", "return F.dropout(x, 0)"),
        *("return torch.batch_norm(x, None, None, None, None, True, 0, 1, True)", "return torch.nan_to_num(x, nan=0)"),
        *("return F.interpolate(x[None], scale_factor=2)", "return F.upsample(x[None], scale_factor=self.n)"),
    ),
    *Form(NET.text.replace("{}", "return self.layer(x)").replace("self.n = 2", "n = 2\n        {}")).compiles(
        "self.layer = nn.LayerNorm(2, n)",
        "self.layer = nn.Sequential(nn.Dropout(p=0), nn.LeakyReLU(negative_slope=n))",
        "self.layer = nn.BatchNorm1d(2, momentum=n)",
        "self.layer = nn.TransformerEncoderLayer(2, 1, 4, dropout=0)",
        "from torch.nn.modules.activation import ELU\nself.layer = ELU(n)",
        "import numpy as np\nself.layer = nn.Linear(np.prod((1, n)), 3)",
        "import numpy as np\nn = np.sum([1, 1])\nself.layer = nn.Linear(n, 3)",
    ),
    *(
        form := Form(
            "import numpy as np\nfrom torch import nn\n\n\nclass Net:\n    def {}\n",
            **{"says": NUMPY, "held": {"Net.layer": LINEAR}},
        )
    ).alone(
        *("__init__(n): nn.Linear(np.prod(n, 0), 3)", "__init__(n): nn.Linear(np.prod(n).item(), 3)"),
        *("__init__(n): nn.Linear(np.sum(n, axis=0), 3)", "__init__(n): nn.Linear(np.sum(i for i in n), 3)"),
        *("f(n): nn.Linear(np.prod(n), 3)", "__init__(n): nn.Linear(np.prod(*n), 3)"),
    ),
    *form.alone("__init__(n): nn.Linear(np.prod(n), 3)", held={"Other.layer": LINEAR}),
    *form.mends(("__init__(n): nn.Linear(np.prod(n), 3)", "__init__(n): nn.Linear(np.prod(n).item(), 3)")),
    *form.mends(("__init__(n): n = np.sum(n)", "__init__(n): n = np.sum(n).item()"), kind=MendKind.FROZEN),
]

FORM = Form("from torch.nn import functional as F\n\n\ndef f(x, {}\n", types={"f.k": ("Tuple[int, int]",)})

GRAD = "torch.jit._unwrap_optional(torch.autograd.grad({})[0])"
GRADS = "torch.jit.annotate(List[Optional[torch.Tensor]], [{}])"
GRADED = {"f: x": Held((HeldValue("torch.Tensor"),)), "f: ys": held("[1]"), "f: n": held("None")}
GRADED["f: g"] = Held((HeldValue("torch.Tensor"), HeldValue("builtins.NoneType", "None")))
CASES["torch_arguments"] += [
    *(form := Form("import torch\nfrom typing import List, Optional\n\n\ndef f(x, g, n, ys):\n    {}")).alone(
        *("return torch.autograd.grad(x, x)", "return torch.autograd.grad(x, x)[n]", "return g.grad(x, x)[0]"),
        "return torch.autograd.grad(x, x, allow_unused=True)[0]",
        *("return torch.autograd.grad(ys, ys, g)[0]", "return torch.autograd.grad(x, *ys)[0]"),
        "return torch.autograd.grad(x, x, None, None, False, True)[0]",
        values=GRADED,
    ),
    *form.alone("return torch.autograd.grad(x, x)[0]", values={}),
    *form.mends(
        ("return torch.autograd.grad(x, ys)[0]", f"return {GRAD.format('[x], ys')}"),
        ("return torch.autograd.grad(ys, x, g)[0].sum()", f"return {GRAD.format('ys, [x], g')}.sum()"),
        ("return torch.autograd.grad(x, x, g)[0]", f"return {GRAD.format('[x], [x], ' + GRADS.format('g'))}"),
        (
            "return torch.autograd.grad(inputs=x, only_inputs=True, grad_outputs=x, outputs=ys)[0]",
            f"return {GRAD.format('inputs=[x], grad_outputs=' + GRADS.format('x') + ', outputs=ys')}",
        ),
        values=GRADED,
    ),
    *NET.compiles(
        "x = x.clone().requires_grad_(True)\n"
        "x = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)[0]\n"
        "x = torch.autograd.grad(x, x, torch.ones_like(x), only_inputs=True)[0]"
    ),
]

CASES["torch_arguments"] += [
    *FORM.alone(
        *("k=1): return F.conv1d(x, x, None, k)", "k=1): return F.conv2d(x, x, None, k) + k", "k=1): return x"),
        *("k=1.0): return F.conv2d(x, x, None, k)", "k=1): k = F.conv2d(x, x, None, k)"),
        *("k=1): return f(x, k)", "k): return x"),
    ),
    *FORM.alone("k=1): return F.conv2d(x, x, None, k)", types={"f.k": ("Tuple[int, int]", "int")}),
    *FORM.mends(
        (
            "k=3, n=1): return F.max_pool2d(F.conv2d(x, x, padding=k, groups=n), k)",
            "k=(3, 3), n=1): return F.max_pool2d(F.conv2d(x, x, padding=k, groups=n), k)",
        )
    ),
]

KEPT = """\
import functools
import torch.nn.functional as F


def loss(x, y, sigma, mode="sum"):
    return x


class Net:
    def __init__(self, sigma, other):
        super().__init__()
        {}
        self.done = True

    def forward(self, x, y):
        return {}
"""
PARTIAL = "self.f = functools.partial(loss, sigma=sigma, mode='mean')"
FIRST = "self.f = functools.partial(loss, sigma, mode='mean')"
UP = "self.f = functools.partial(F.interpolate, scale_factor=-2.0)"
HALVED = "    def _call_f(self, x):\n        return x * 0.5"  # another mend changed it
KEEP_FIRST = f"{FIRST}\n        self._f_0 = sigma"
KEEP = f"{PARTIAL}\n        self._f_sigma = sigma"

CASES["kept_functions"] = [
    *Form().alone(
        *(
            KEPT.format(*each)
            for each in (
                ("self.f = functools.partial(other, sigma=sigma)", "self.f(x, y)"),
                ("self.f = functools.partial(loss, sigma=make())", "self.f(x, y)"),
                ("self.f = functools.partial(loss, **other)", "self.f(x, y)"),
                ("self.f = functools.partial(*other)", "self.f(x, y)"),
                (PARTIAL, "self.f(x, **y)"),
                (PARTIAL, "self.f"),
                ("self.f = other(loss, sigma=sigma)", "self.f(x, y)"),
                (PARTIAL + "\n        self.f = loss", "self.f(x, y)"),
                ("if sigma:\n            " + PARTIAL, "self.f(x, y)"),
                ("self.f = lambda x: x * sigma\n        sigma = 2", "self.f(x)"),
                ("d = self.d\n        self.f = lambda x: d * x\n        self.d = sigma", "self.f(x)"),
                ("self.f = lambda x, y=sigma: x", "self.f(x)"),
                ("self.f = lambda x: unknown(x)", "self.f(x)"),
                ("self.f = lambda x: x / 2", "self.f(x)\n\n    def _call_f(self, x, y):\n        return y"),
            )
        ),
        KEPT.format(PARTIAL, "self.f(x, y)") + "\n    def swap(self):\n        self.f = loss\n",
    ),
    *Form().mends(
        *(
            (KEPT.format(*before), KEPT.format(*after))
            for before, after in (
                ((PARTIAL, "self.f(x, y)"), (KEEP, "loss(x, y, sigma=self._f_sigma, mode='mean')")),
                ((PARTIAL, "self.f(x, y=y, mode='a')"), (KEEP, "loss(x, y=y, mode='a', sigma=self._f_sigma)")),
                ((FIRST, "self.f(x, y)"), (KEEP_FIRST, "loss(self._f_0, x, y, mode='mean')")),
                ((UP, "self.f(x)"), (UP, "F.interpolate(x, scale_factor=-2.0)")),
                *(
                    ((f"{of_own}{more}", "self.f(x, y)"), (f"{of_own}{kept}{more}", f"loss(x, y, sigma={sigma})"))
                    for of_own in ("self.f = functools.partial(loss, sigma=self.d)",)
                    for more, kept, sigma in (
                        ("", "", "self.d"),
                        ("\n        self.d = 3", "\n        self._f_sigma = self.d", "self._f_sigma"),
                    )
                ),
                (
                    ("d = self.d\n        self.f = lambda x: sigma * d * x", "self.f(x)"),
                    (
                        "d = self.d\n        self.f = lambda x: sigma * d * x\n        self._f_sigma = sigma",
                        "self._call_f(x)\n\n    def _call_f(self, x):\n        return self._f_sigma * self.d * x",
                    ),
                ),
            )
        ),
        kind=MendKind.FROZEN,
    ),
    *Form().mends(
        (
            KEPT.format("self.f = lambda x, *y: F.relu(x)", "self.f(x) + self.f(y)"),
            KEPT.format(
                "self.f = lambda x, *y: F.relu(x)",
                "self._call_f(x) + self._call_f(y)\n\n    def _call_f(self, x, *y):\n        return F.relu(x)",
            ),
        ),
        (
            KEPT.format("self.f = lambda x: x / 2", f"self.f(x)\n\n{HALVED}"),
            KEPT.format("self.f = lambda x: x / 2", f"self._call_f(x)\n\n{HALVED}"),
        ),
        kind=MendKind.EXACT,
    ),
]

WITH_NN = KEPT.replace("import functools", "import functools\nfrom torch import nn")
CASES["kept_functions"] += [
    *Form(kind=MendKind.FROZEN).mends(
        *(
            (
                WITH_NN.format(kept, "self.f(x)"),
                WITH_NN.format(re.sub(r"(?<= )\(lambda \w: \w\)|lambda \w: \w", "nn.Identity()", kept), "self.f(x)"),
            )
            for kept in (
                *("self.f = other if sigma else lambda x: x", "self.f = other or (lambda t: t)"),
                "self.f = other or(lambda t: t)",
            )
        )
    ),
    *Form().alone(
        *(
            WITH_NN.format(kept, "self.f(x)")
            for kept in (
                "self.f = other or (lambda t: sigma)",
                "self.f = other(lambda t: t)",
                "g = other or (lambda t: t)",
            )
        )
    ),
]

IN_MODULES = Form(
    IMPORTS
    + """\
def halved(x):
    return x / 2


ACTS = {
    "relu": F.relu, "halved": halved, "swish": lambda x: x * torch.sigmoid(x), "twice": (lambda x: halved(
        x * 4)),
}


def chosen(name):
    return {"relu": F.relu, "leaky": lambda x: F.leaky_relu(x, 0.1)}[name]


class Act(nn.Module):
    def __init__(self, act):
        super().__init__()
        self.act = act

    def forward(self, x):
        return self.act(x)


class Net(nn.Sequential):
    def __init__(self):
        {}
"""
)

CASES["kept_functions"] += IN_MODULES.compiles(
    "super().__init__(Act(ACTS['twice']), Act(F.relu), Act(chosen('leaky')), Act(ACTS['swish']), Act(halved))",
    "acts = [lambda x: -x, lambda x: x + 1, halved]\nsuper().__init__(*map(Act, acts))",
)

METHODS = Form(
    IMPORTS
    + """\
class Step(nn.Module):
    def __init__(self, kind):
        super().__init__()
        if kind == "less":
            self.step = self._less
        else:
            {}

    def _less(self, x, scale: float = 2.0):
        return x * scale

    def _more(self, x, scale: float = 2.0):
        return x.foo() if self.step == self._less else x * scale

    def forward(self, x):
        return self.step(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = Step("less")

    def forward(self, x):
        return self.step(x)
"""
)
"""A method of the module's own in an attribute of the module. The module of the other methods does not compile."""
CASES["chosen_functions"] = [
    *METHODS.compiles("self.step = self._less", "self.step = self._more"),
    *METHODS.compiles(
        "self.step = F.relu",
        "self.step = lambda x: x * 2",
        "self.step = nn.ReLU() if kind else lambda x: x * 2",
        "self.step = None",
        "self.step = kind",
    ),
]

METHODS_OF_CHOSEN = """\

    def _add(self, x, y=1):
        return x + y

    @property
    def made(self):
        return torch.relu

"""
CHOSEN = Form(
    "import functools\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    "from typing import Final\n\n\n"
    """\
class Net:
    def __init__(self, a, b):
        super().__init__()
        {}
"""
    + METHODS_OF_CHOSEN
    + """\
    def forward(self, x, y):
        return self.f(x)
"""
)
FLAGGED = (
    """\
class Net:
    {flags}

    def __init__(self, a, b):
        super().__init__()
        {stored}
"""
    + METHODS_OF_CHOSEN
    + """\
    def forward(self, x, y):
        return self._call_f(x)

    def _call_f(self, x):
        if not torch.jit.is_scripting():
            return self.f(x)
        {cases}
        else:
            {last}
"""
)


def flagged(stored: str, last: str = 'raise AttributeError("f")', **cases: str) -> str:
    """The module with a method that calls one of several functions."""
    flags = "\n    ".join(f"_f_is_{word}: Final[bool]" for word in cases)
    code = "\n        ".join(f"elif self._f_is_{word}:\n            return {each}" for word, each in cases.items())
    before = "".join(f"self._f_is_{word} = False\n" for word in cases)
    stored = re.sub(r"(?m)^( *)(\w+) = (True|False)$", r"\1self._f_is_\2 = \3", before + stored)
    head = CHOSEN.text.partition("class Net")[0]
    return head + FLAGGED.format(flags=flags, stored=stored.replace("\n", "\n        "), cases=code, last=last)


CASES["kept_functions"] += CHOSEN.alone("self.f = self.made")
FOR_PYTHON = """\
        if y:
            assert not torch.jit.is_scripting()
            return self.f(x, y)
        return self.{}(x)
"""
CHOSEN_LAMBDA = "if a:\n    self.f = lambda x: x * 2\nelse:\n    "
CASES["chosen_functions"] += [
    *CHOSEN.alone(
        *("self.f = lambda x: x * 2", "self.f = self._add", "self.f = F.relu if a else F.gelu", "self.f = self.made"),
        *(CHOSEN_LAMBDA + each for each in ("self.f = lambda x, y: x", "self.f = lambda x, y=1: x")),
        *(CHOSEN_LAMBDA + each for each in ("self.f = lambda *x: x", "b, self.f = b", "self.f = lambda x: c(x)")),
        *(CHOSEN_LAMBDA + each for each in ("self.f: Any = F.relu", "b = 2\n    self.f = lambda x: x * b")),
        CHOSEN_LAMBDA + "self.f = lambda t: [x for x in t]",
        *(CHOSEN_LAMBDA + each for each in ("self.f = lambda x: b(x)", "self.f = lambda x: x * b\nself._f_b = 3")),
        "if a: self.f = lambda x: x * 2\nelse: self.f = F.relu",
        "if a:\n    self.f = lambda x: x\nelse:\n    self.f = nn.Linear(2, 2)",
        "def inner():\n    self.f = lambda x: x * 2\nif a:\n    self.f = F.relu",
        *(CHOSEN_LAMBDA + f"self.f = functools.partial(F.elu, {each})" for each in ("**a", "alpha=b()")),
        *("self.f = {1: lambda x: x * 2, 2: F.relu}[a]", "for n in a:\n    if n:\n        self.f = lambda x: x * 2"),
        "try:\n    self.f = lambda x: x * 2\nexcept ValueError:\n    self.f = F.relu",
    ),
    *Form(CHOSEN.text.replace("self.f(x)", "self.f(x=x)")).alone(
        *(CHOSEN_LAMBDA + each for each in ("self.f = F.relu", "self.f = lambda t: t + 1"))
    ),
    *Form(CHOSEN.text.replace("self.f(x)", "self.f(x, k=2) + self.f(x, s=2)")).alone(
        "self.f = F.max_pool2d if a else F.avg_pool2d"
    ),
    *Form(CHOSEN.text.replace("self.f(x)", "self.f(*x)")).alone(CHOSEN_LAMBDA + "self.f = F.relu"),
    *Form().alone(
        *(
            CHOSEN.fill(CHOSEN_LAMBDA + "self.f = F.relu") + more
            for more in (
                "\n    def swap(self):\n        self.f = F.gelu\n",
                "\n    def _call_f(self, x, y):\n        return y\n",
                "\n    def two(self, x):\n        self._call_f = x\n",
                "\n\nclass Other(Net):\n    def __init__(self):\n        self.f = F.gelu\n",
            )
        )
    ),
    # The compiler stops reading after an assertion that fails in the scripted model.
    *Form(kind=MendKind.EXACT).mends(
        (
            CHOSEN.fill(CHOSEN_LAMBDA + "self.f = F.relu").replace(
                "        return self.f(x)\n", FOR_PYTHON.format("f")
            ),
            flagged(
                CHOSEN_LAMBDA.replace("2\n", "2\n    lambda = True\n") + "self.f = F.relu\n    relu = True",
                **{"lambda": "x * 2", "relu": "F.relu(x)"},
            ).replace("        return self._call_f(x)\n", FOR_PYTHON.format("_call_f")),
        )
    ),
    *Form(kind=MendKind.EXACT).mends(
        *(
            (CHOSEN.fill(stored), after)
            for stored, after in (
                (
                    CHOSEN_LAMBDA + "self.f = F.relu",
                    flagged(
                        CHOSEN_LAMBDA.replace("2\n", "2\n    lambda = True\n") + "self.f = F.relu\n    relu = True",
                        **{"lambda": "x * 2", "relu": "F.relu(x)"},
                    ),
                ),
                (
                    "self.f = self._add\nif a:\n    self.f = lambda t: torch.exp(t) + self.k + [t for k in t]\n"
                    "elif b > 2:\n    self.f = None\nself.k = 2",
                    flagged(
                        "self.f = self._add\nadd = True\nif a:\n"
                        "    self.f = lambda t: torch.exp(t) + self.k + [t for k in t]\n"
                        "    lambda = True\n    add = False\nelif b > 2:\n    self.f = None\n"
                        "    add = False\nself.k = 2",
                        **{"add": "self._add(x)", "lambda": "torch.exp(x) + self.k + [x for k in x]"},
                    ),
                ),
                (
                    "self.f = b if a > 2 else self._add if a else lambda x: x + 1",
                    flagged(
                        "if a > 2:\n    self.f = b\nelse:\n    if a:\n        self.f = self._add\n        add = True\n"
                        "    else:\n        self.f = lambda x: x + 1\n        lambda = True",
                        "return self.f(x)",
                        **{"add": "self._add(x)", "lambda": "x + 1"},
                    ),
                ),
                (
                    "if a:\n    self.f = functools.partial(F.elu, alpha=0.5)\nelse:\n    self.f = a",
                    flagged(
                        "if a:\n    self.f = functools.partial(F.elu, alpha=0.5)\n    elu = True\nelse:\n"
                        "    self.f = a",
                        "return self.f(x)",
                        elu="F.elu(x, alpha=0.5)",
                    ),
                ),
            )
        ),
    ),
    *Form(kind=MendKind.FROZEN).mends(
        (
            CHOSEN.fill("if a:\n    self.f = lambda x: x * b"),
            flagged(
                "if a:\n    self.f = lambda x: x * b\n    self._f_b = b\n    lambda = True",
                **{"lambda": "x * self._f_b"},
            ),
        ),
        (
            CHOSEN.fill("if a:\n    self.f = functools.partial(F.elu, alpha=b * 2)"),
            flagged(
                "if a:\n    self.f = functools.partial(F.elu, alpha=b * 2)\n    self._f_alpha = b * 2\n    elu = True",
                elu="F.elu(x, alpha=self._f_alpha)",
            ),
        ),
    ),
    *Form(kind=MendKind.EXACT).mends(
        (
            CHOSEN.fill("if a:\n    self.f = F.max_pool2d\nelse:\n    self.f = F.avg_pool2d").replace(
                "self.f(x)", "self.f(x, stride=1, kernel_size=2)"
            ),
            flagged(
                "if a:\n    self.f = F.max_pool2d\n    max_pool2d = True\nelse:\n    self.f = F.avg_pool2d\n"
                "    avg_pool2d = True",
                max_pool2d="F.max_pool2d(x, kernel_size=kernel_size, stride=stride)",
                avg_pool2d="F.avg_pool2d(x, kernel_size=kernel_size, stride=stride)",
            )
            .replace("self._call_f(x)", "self._call_f(x, stride=1, kernel_size=2)")
            .replace("_call_f(self, x)", "_call_f(self, x, kernel_size, stride)")
            .replace("return self.f(x)", "return self.f(x, kernel_size=kernel_size, stride=stride)"),
        ),
    ),
]

MODULE = "import torch.nn.functional as F\n\n{}\n\n\nclass Net:\n    def forward(self, x, y):\n        return {}\n"
UP_2D = "self.f = F.interpolate"

CASES["kept_functions"] += [
    *Form().alone(MODULE.format("f = lambda x: x", "x.f"), MODULE.format("f = lambda x: (\n    x)", "f(x)")),
    *Form().mends(
        (MODULE.format("f = lambda x, y=1: x + y", "f(x)"), MODULE.format("def f(x, y=1):\n    return x + y", "f(x)")),
        kind=MendKind.EXACT,
    ),
    *Form().alone(
        KEPT.format("self.f = sigma", "self.f(x)"), KEPT.format(UP_2D + "\n        self.f = loss", "self.f(x)")
    ),
    *Form().mends(
        *(
            (KEPT.format(kept, "self.f(x, size=y)"), KEPT.format(kept, f"{name}(x, size=y)"))
            for kept, name in ((UP_2D, "F.interpolate"), ("self.f = Net.apply", "Net.apply"))
        ),
        kind=MendKind.EXACT,
    ),
]

GIVEN = st.sampled_from(["sigma=sigma", "mode='mean'", "sigma=sigma * 2, mode='a'", "sigma=-1.0"])
PASSED = st.sampled_from(["y=x", "x", "x, mode='sum'", "x, sigma=4.0", "y=x, mode='b', sigma=0.5"])
TO_UP = st.sampled_from(["", "mode='linear'", "scale_factor=3.0"])
DRAWN["kept_functions"] = Drawn(
    st.builds(
        (
            IMPORTS
            + """\
import functools


def blur(x, y, sigma: float = 1.0, mode: str = "sum"):
    return x * sigma + y if mode == "sum" else x - y


class Net(nn.Module):
    def __init__(self, sigma=2.0):
        super().__init__()
        self.loss = functools.partial(blur, {})
        self.up = functools.partial(F.interpolate, scale_factor=2.0, mode="nearest")
        self.act = lambda x: x * 2

    def forward(self, x):
        x = self.loss(x, {})
        x = self.act(x) + self.act(x)
        return self.up(x[None], {})
"""
        ).format,
        GIVEN,
        PASSED,
        TO_UP,
    )
)

COMPILED = Form(
    IMPORTS
    + """\
class Mixin:
    pass


class Base(Mixin, nn.Linear):
    def forward(self, x):
        return super(Base, self).forward(x) + 1


class Net(Base):
    def __init__(self):
        super().__init__(2, 2)
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return {}
"""
)
HEAD = "import torch.nn.functional as F\nfrom torch import nn\n\n\n"
BASE = '''\
class Base(nn.Module):
    def forward(self, x, n: int = 2, *, scale={}) -> "Tensor":
        """What it does."""
        # first
        {}


class Mid(Base):
    pass


class Own(Mid):
    def forward(self, x):
        return {}(x, n=3) + 1
'''
MOVED = """\
return self._base_forward(x, n, scale=scale)

    def _base_forward(self, x, n: int = 2, *, scale=1.0) -> "Tensor":
        x = x * n
        return x"""


SEQUENCE = """\
return self._sequential_forward(x)

    def _sequential_forward(self, input):
        for module in self:
            input = module(input)
        return input"""


def own(base: str, body: str) -> str:
    return f"{HEAD}class Own({base}):\n    def forward(self, x):\n        {body}\n"


PASSED_LAYER = Form(
    IMPORTS
    + """\
def run(x, layer, n: int=1, scale: float=2.0):
    {}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)

    def forward(self, x, m: int = 2):
        return run(x, {}, scale=3.0)
"""
)


INHERITING = Form(
    IMPORTS
    + """\
class Base:
    def run(self, x, layer):
        return layer(x)


class Other(Base):
    pass


class Net(nn.Module, {}):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)

    def forward(self, x):
        return self.run(x, self.layer) + 1


class Redone(Base):
    def run(self, x, layer):
        return x
"""
)


def passed(body: str, argument: str) -> str:
    return PASSED_LAYER.fill(body).replace("{}", argument)


CASES["passed_layers"] = [
    *Form().alone(
        passed("return layer", "self.layer"),
        values={f"Net.forward: {each}": LINEAR for each in ("self.layer", "run(x, self.layer, scale=3.0)")},
    ),
    *Form().alone(
        passed("return layer", "self.layer").replace("return run(x", "return self if x is None else run(x"),
        values={
            "Net.forward: self.layer": LINEAR,
            "Net.forward: self if x is None else run(x, self.layer, scale=3.0)": LINEAR,
        },
    ),
    *Form(values={"Net.forward: self.layer": LINEAR}).compiles(passed("return layer(x) * n * scale", "self.layer")),
    *Form().compiles(passed("return layer(x) + layer(t=x) * n", "lambda t: t + x")),
    *INHERITING.compiles("Other", values={"Net.forward: self.layer": LINEAR}),
    *Form(values={"Net.forward: self.layer": LINEAR}).compiles(
        passed("return layer(x) * n * scale", "layer").replace("return run", "layer = self.layer\n        return run"),
        INHERITING.fill("Other").replace("    def run(self, ", "    @staticmethod\n    def run("),
    ),
    *Form(values={"Net.forward: self.layer": LINEAR}).alone(
        passed("return layer(x) * n", "layer").replace("return run", "layer, m = self.layer, 2\n        return run"),
        passed("return layer(x) * n", "layer").replace(
            "return run", "if m:\n            layer = self.layer\n        return run"
        ),
        passed("return layer(x) * n", "layer").replace(
            "return run", "layer = self.layer\n        self.layer = m\n        return run"
        ),
    ),
    *INHERITING.alone("Other, Redone", "Missing", "Base, nn.Linear", values={"Net.forward: self.layer": LINEAR}),
    *Form(values={"Net.forward: self.layer": LINEAR}).alone(
        INHERITING.fill("Other") + "\n\nclass Heir(Net):\n    def run(self, x, layer):\n        return x\n",
        INHERITING.fill("Other").replace("    pass", "    run = print", 1),
    ),
    *INHERITING.alone("Other", values={"Net.forward: self.layer": LINEAR}, held={"Net.run": LINEAR}),
    *Form(values={"Net.forward: self.layer": LINEAR}).alone(
        passed("layer = layer or n\nreturn layer(x)", "self.layer"),
        passed("return super(layer, x)", "self.layer"),
        passed("return [layer, x]", "lambda t: t * m"),
        passed("return layer(x)", "lambda t, k=2: t * k"),
        passed("return layer(x)", "x"),
        passed("__scale = layer(x)\nreturn __scale", "lambda t: t"),
    ),
    *Form().alone(
        "def act(x):\n    return x\n\n\ndef run(fn, x):\n    act = 1\n    return fn(x) + act\n\n\n"
        "class Net:\n    def forward(self, x):\n        return run(act, x)\n"
    ),
]

MIXIN = (
    IMPORTS
    + "class Bottle(nn.Module):\n    def forward(self, x):\n        y = super(Bottle, self).forward(x.flatten(0, 1))\n"
    "        return y.view(x.size(0), -1)\n\n\nclass {}:\n    pass\n\n\n"
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.one = Linear(2, 2)\n\n"
    "    def forward(self, x):\n        return self.one(x)\n"
)
CASES["super_calls"] = [
    *COMPILED.compiles("super().forward(x.float())", "Base.forward(self, x * 2)", "nn.Linear.forward(self, input=x)"),
    *Form(
        IMPORTS + "class Split(nn.Module):\n    def forward(self, x):\n        return x * 2\n\n"
        "    def inverse(self, x):\n        return x / 2\n\n\n"
        "class Net(Split):\n    def forward(self, x):\n        return {}\n"
    ).compiles("super().inverse(x)"),
    *Form(MIXIN).compiles("Linear(Bottle, nn.Linear)", args="torch.randn(2, 3, 2)"),
    *Form(MIXIN).alone("Linear(Bottle, nn.LSTM)", "Linear(nn.Linear, Bottle)", "Linear(Bottle, Other)"),
    *Form(MIXIN + "\n\nclass Both(Linear, nn.Module):\n    pass\n").alone("Linear(Bottle, nn.Linear)"),
    *Form().alone(
        own("nn.LSTM", "return super().forward(x)"),
        own("Unknown, nn.LayerNorm", "return super().forward(x)"),
        own("nn.LayerNorm", "return super(Other, self).forward(x)"),
        own("nn.LayerNorm", "return super().missing(x)"),
        own("nn.LayerNorm", "return self.norm.forward(x)"),
        own("LayerNorm", "return super().forward(x)"),
        *(
            own("nn.Linear", f"return {call}(self, x)")
            for call in ("nn.LSTM.forward", "nn.Linear.missing", "nn.Module.a")
        ),
        *(own("nn.Linear", f"return {call}") for call in ("nn.Linear.forward(x, x)", "F.linear(self, x)")),
        BASE.format("1.0", "x = x * n\n        return x", "Other.forward").replace("(x, n", "(self, x, n"),
        BASE.format("1.0", "return x", "Base.forward").replace("(x, n", "(self, x, n").replace("Own(Mid)", "Own"),
        own("nn.Module", "return super().__call__(x)"),
        BASE.format('{"a": 1}["a"]', "x = x * n\n        return x", "super().forward"),
    ),
    *Form().mends(
        (
            own("nn.Linear, Mixin", "return super().forward(x) + 1"),
            own("nn.Linear, Mixin", "return F.linear(x, self.weight, self.bias) + 1"),
        ),
        (
            own("nn.LayerNorm", "return super(Own, self).forward(x.float())"),
            own(
                "nn.LayerNorm",
                "return F.layer_norm(\n            x.float(), self.normalized_shape, self.weight, self.bias, self.eps\n"
                "        )",
            ),
        ),
        (
            own("nn.Conv2d", "return super().forward(x * 2)"),
            own("nn.Conv2d", "return self._conv_forward(x * 2, self.weight, self.bias)"),
        ),
        (
            BASE.format("1.0", "x = x * n\n        return x", "super().forward"),
            BASE.format("1.0", MOVED, "self._base_forward"),
        ),
        (
            BASE.format("1.0", "x = x * n\n        return x", "Mid.forward").replace("(x, n", "(self, x, n"),
            BASE.format("1.0", MOVED, "self._base_forward"),
        ),
        (
            own("nn.Conv2d", "if x:\n            return nn.LayerNorm.forward(self, x)"),
            own(
                "nn.Conv2d",
                "if x:\n            return F.layer_norm(\n                "
                "x, self.normalized_shape, self.weight, self.bias, self.eps\n            )",
            ),
        ),
        (
            own("nn.Sequential", "return super().forward(x)"),
            own("nn.Sequential", SEQUENCE),
        ),
    ),
]

PAIRS = Held((replace(LIST, items=("torch.nn.modules.container.Sequential", LISTS[0])),))
FORM = Form(
    "class Net(nn.Module):\n    def forward(self, x):\n        {}\n",
    held={
        "Net.blocks": PAIRS,
        "Net.pair": Held((HeldValue("torch.nn.modules.container.ModuleList", length=2, items=("Linear",)),)),
        "Net.sizes": Held((HeldValue("builtins.list", length=2, items=("builtins.tuple",)),)),
    },
)

CASES["walked_layers"] += [
    *FORM.alone(
        *("for a, b in self.sizes:\n    x = a + b", "for a, b in self.pair:\n    x = a + b"),
        *("for a, *b in self.blocks:\n    x = a(x)", "for a, b in self.blocks: x = a(x)"),
        *("for i, a in enumerate(self.blocks):\n    x = a(x)", "a, b = self.sizes", "a, b = x"),
        *("for block in self.pair:\n    a, b = block", "for block in self.blocks:\n    block = x\n    a, b = block"),
        *("for block in self.blocks:\n    a, b = block", "for a, b in self.blocks:\n    x = b(x)\nreturn a"),
        **{"entered": ["Net.forward"], "values": {"Net.forward: a": held("None")}},
    ),
    *FORM.alone("for a, b in self.blocks:\n    x = a(x)", entered=[]),
    *FORM.mends(
        (
            "for a, b in self.blocks:\n    x = b(a(x))",
            "for block in self.blocks:\n    a = block[0]\n    b = block[1]\n    x = b(a(x))",
        ),
        (
            "for i, (a, b) in enumerate(self.blocks):\n    # first\n    x = a(x)",
            "for i, block in enumerate(self.blocks):\n    # first\n    a = block[0]\n    b = block[1]\n    x = a(x)",
        ),
        ("x = [b(a(x)) for a, b in self.blocks]", "x = [block[1](block[0](x)) for block in self.blocks]"),
        ("a, b = self.pair", "a = self.pair[0]\nb = self.pair[1]"),
        (
            "for i, block in enumerate(self.blocks):\n    a, b = block",
            "for i, block in enumerate(self.blocks):\n    a = block[0]\n    b = block[1]",
        ),
        entered=["Net.forward"],
    ),
    *FORM.mends(
        (
            "for layers in self.blocks:\n    for a, b in layers:\n        x = b(a(x))",
            "for layers in self.blocks:\n    for layer in layers:\n        a = layer[0]\n        b = layer[1]\n"
            "        x = b(a(x))",
        ),
        **{"entered": ["Net.forward"], "values": {"Net.forward: layers": PAIRS}},
    ),
    *FORM.alone(
        "for layers in self.blocks:\n    for a, b in layers:\n        x = a + b",
        values={"Net.forward: layers": Held((HeldValue("builtins.list", length=2, items=("builtins.tuple",)),))},
    ),
    *FORM.alone(
        *("ys = reversed(self.pair)\nx = 1\nfor y in ys:\n    x = y", "ys = list(x)\nfor y in ys:\n    x = y"),
        *("ys = zip(x, self.pair)\nfor y in ys:\n    next(ys)", "ys = zs = zip(x, self.pair)\nfor y in ys:\n    x = y"),
        stops="ys = ",
    ),
    *FORM.mends(
        ("ys = zip(x, self.pair)\nfor y, z in ys:\n    x = y(z)", "for y, z in zip(x, self.pair):\n    x = y(z)"),
        stops="ys = ",
        says="module cannot be used as a tuple",
    ),
    *FORM.mends(
        (
            "for a, b in self.blocks:\n    x = a and b(x)",
            'for block in self.blocks:\n    x = getattr(block, "0") and getattr(block, "1")(x)',
        ),
        values={"Net.forward: a": held("None")},
    ),
    *Form(
        NET.text.replace(
            "self.n = 2", "self.r = nn.ModuleList([nn.ModuleList([nn.Tanh(), m]) for m in (nn.ReLU(), None)])"
        )
    ).compiles("for a, b in self.r:\n    x = a(x)\n    if b is not None:\n        x = b(x)"),
    *Form(
        NET.text.replace(
            "self.n = 2",
            "self.r = nn.ModuleList([nn.ModuleList([nn.Tanh(), nn.ModuleList([nn.ModuleList([nn.ReLU()])])])])",
        )
    ).compiles("for first, rows in self.r:\n    x = first(x)\n    for (row,) in rows:\n        x = row(x)"),
]

SLOW = """\
class Net:
    def forward(self, x):
        return self.{}(x)

    # Slow.
{}    def {}(self, x):
        return max(x, key=len)
"""
FORM = Form(entered=["Net.forward"], stops="key=len")

CASES["unused_functions"] = [
    *FORM.alone(SLOW.format("search", "", "search"), entered=["Net.forward", "Net.search"]),
    *FORM.alone(SLOW.format("search", "    @cache\n", "search"), SLOW.format("__call__", "", "__call__")),
    *FORM.mends(
        (
            SLOW.format("search", "", "search"),
            "import torch\n\n\n" + SLOW.format("search", "    @torch.jit.unused\n", "search"),
        )
    ),
]

OF_PARAMETERS = "return next(self.parameters()).device"
PROPERTY = """\
class Net:
    @property
{}    def device(self):
        return next(self.parameters()).device

    def forward(self, x):
        return {}
"""
FORM = Form("import torch\n\n\n{}", stops="return next")
UNUSED = "    @torch.jit.unused\n"
SETTER = "\n    @device.setter\n    def device(self, value):\n        self.to(value)\n"
SUB = "\n\nclass Sub(Net):\n    @property\n{}    def device(self):\n        return self.gpu\n"
IN_IF = ("    def device(self):\n", "        def device(self):\n    ")
DTYPE = """\

    @property
{}    def dtype(self):
        return next(self.parameters()).dtype
"""

CASES["unused_properties"] = [
    *FORM.alone(
        PROPERTY.format("", "x.to(x.device)"),
        PROPERTY.format("", "x.to(self.device)\n\n\nclass Other(Net):\n    device = None"),
        PROPERTY.format("", "x.to(self.device)").replace("return next", "next = 1\n        return next"),
        PROPERTY.format(UNUSED, "x"),
    ),
    *FORM.alone(PROPERTY.format("", "x"), stops=""),
    *(
        case
        for body in (OF_PARAMETERS, "raise ValueError('no')")
        for case in Form(
            IMPORTS + PROPERTY.replace("Net:", "Net(nn.Module):").replace(OF_PARAMETERS, body).format("", "{}")
        ).compiles("x")
    ),
    *FORM.mends(
        *(
            (change(PROPERTY.format("", "x")), change(PROPERTY.format(UNUSED, "x")))
            for change in (
                lambda text: text.replace("    def device", "    @memo\n    def device"),
                lambda text: text.replace("\n    def f", SETTER + "\n    def f"),
                lambda text: (
                    text.replace("    @", "    if x:\n        @", 1).replace("    @t", "        @t").replace(*IN_IF)
                ),
            )
        ),
    ),
    *FORM.mends(
        (PROPERTY.format("", "x") + SUB.format(""), PROPERTY.format(UNUSED, "x") + SUB.format(UNUSED)),
        (PROPERTY.format("", "x"), PROPERTY.format(UNUSED, "x")),
        (PROPERTY.format("", "x.to(self.device)"), PROPERTY.format(UNUSED, "x.to(next(self.parameters()).device)")),
    ),
    *FORM.mends(
        *(
            (PROPERTY.format("", "x") + other.format(""), PROPERTY.format(UNUSED, "x") + other.format(UNUSED))
            for other in (DTYPE, DTYPE.replace("next(self.parameters()).dtype", "self.device"))
        ),
        (PROPERTY.format("", "x") + DTYPE.format(UNUSED), PROPERTY.format(UNUSED, "x") + DTYPE.format(UNUSED)),
        entered=["Net.forward"],
    ),
    *FORM.mends(
        (PROPERTY.format("", "x.to(x.device)"), PROPERTY.format(UNUSED, "x.to(x.device)")),
        values={"Net.forward: x": Held((HeldValue("torch.Tensor"), HeldValue("builtins.int", literal="1")))},
    ),
]

OF_BASE = """\
class Base:
    @property
{}    def width(self):
        return {}

{}class Net(Base{}):
{}    def forward(self, x):
        return x * {}
"""
FORM = Form("import torch\n\n{}", stops="        return ")
NORM, OTHER = "self._norm", "class Other:\n    pass\n\n"
ASKED = Form("import torch\n\n" + OF_BASE.format("", NORM, "{}", "", "", "x.width"), stops=(6, 0))
CASES["unused_properties"] += [
    *FORM.alone(
        *(
            OF_BASE.format("", NORM, "", "", "    width = 2\n", "self.width"),
            OF_BASE.format("", "f(self)", "f = 1\n", "", "", "self.width"),
        ),
        *(
            OF_BASE.format("", "self.__norm", "", "", "", "self.width"),
            OF_BASE.format("", NORM, "", "", "", "x.width"),
        ),
        OF_BASE.format("", "len(self.n)", "def len(x): ...\n", "", "", "self.width"),
        OF_BASE.format("", "super().norm", "", "", "", "self.width"),
        OF_BASE.format("", NORM, "", "", "", "self.width").replace("(Base)", "(Wide, Base)")
        + "\n\nclass Wide:\n    width = 2\n",
    ),
    *FORM.mends(
        *(
            (OF_BASE.format("", NORM, *rest, "self.width"), OF_BASE.format(UNUSED, NORM, *rest, "self._norm"))
            for rest in (("", "", ""), (OTHER, ", Other", ""))
        ),
    ),
    *ASKED.alone("", values={"Net.forward: x": Held((HeldValue("model.Net"),))}),
    *ASKED.alone("", values={"Net.forward: x": Held((HeldValue("torch.Tensor"), HeldValue("model.Net")))}),
]

IN_ORDER = Held((HeldValue("torch.nn.modules.container.Sequential", length=3),))
FORM = Form(
    "import torch\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        {}\n",
    held={"Net.net": IN_ORDER, "Net.pair": THREE},
)
PART = """
    def _run_part_of_net(self, start: int, stop: int, x):
        if not torch.jit.is_scripting():
            return self.net[start:stop](x)
        for i, layer in enumerate(self.net):
            if start <= i < stop:
                x = layer(x)
        return x
"""
WHOLE = """
    def _run_net(self, x):
        if not torch.jit.is_scripting():
            return self.net(x)
        for layer in self.net:
            x = layer(x)
        return x
"""
ONE_LIST = Held((HeldValue("builtins.list", length=1),))
BOTH = (
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))

    def forward(self, x):
        {}
        return x
"""
)

CASES["sliced_layers"] = [
    *FORM.alone(
        *("return self.pair[1:](x)", "return self.net[::2](x)", "return self.net[x:](x)", "return self.net[1:](*x)"),
        *("rest = self.net[1:]\nreturn rest(x), rest", "return g(self.net[1:])", "return self.net[1:](x, x)"),
        *("a, b = self.net, self.net[1:]\nreturn b", "for layer in self.net[1:]:\n    x = layer(x)"),
        "rest = self.net[1:]\nself.net = x\nreturn rest(x)",
    ),
    *Form(**FORM.facts).mends(
        *(
            (FORM.fill(before), FORM.fill(after) + PART)
            for before, after in (
                ("return self.net[1:](x)", "return self._run_part_of_net(1, len(self.net), x)"),
                ("x = self.net[:-1](x) + 1", "x = self._run_part_of_net(0, len(self.net) - 1, x) + 1"),
                ("rest = self.net[1:2]\nreturn rest(x)", "return self._run_part_of_net(1, 2, x)"),
                (
                    "first, rest = self.net[:1], self.net[1:]\nx = first(x)\nreturn rest(x)",
                    "x = self._run_part_of_net(0, 1, x)\nreturn self._run_part_of_net(1, len(self.net), x)",
                ),
            )
        )
    ),
    *Form(
        BOTH,
        held={"Net.both": IN_ORDER},
        values={"Net.forward: self.both[0]": Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),))},
    ).compiles("x = self.both[1:](self.both[:1](x))", "rest, first = self.both[1:], self.both[0]\nx = rest(first(x))"),
    *FORM.alone(
        *("return self.net(x)", "return self.pair([x])", "return self.net([x], 1)"),
        values={"Net.forward: x": Held((HeldValue("torch.Tensor"), *ONE_LIST.values))},
    ),
    *Form(**FORM.facts).mends(
        (FORM.fill("return self.net(self.pair(x))"), FORM.fill("return self._run_net(self.pair(x))") + WHOLE),
        values={"Net.forward: self.pair(x)": ONE_LIST},
    ),
]

PAIR = {"Net.forward: self.pair": THREE}
CREATED = Form(FORM.text, held=FORM.facts["held"], values=PAIR)
CASES["sliced_layers"] += [
    *CREATED.alone(
        *("return torch.nn.Sequential(*self.pair)(*x)", "return torch.nn.Sequential(*self.pair, x)(x)"),
        *("return f(x) + torch.nn.Sequential(*self.pair)(x)", "x = torch.nn.Sequential(*self.net)(x)"),
        *("return [torch.nn.Sequential(*self.pair)(y) for y in x]", "x = torch.nn.Sequential(*self.pair)"),
        *("return x or torch.nn.Sequential(*self.pair)(x)", "return torch.nn.ModuleList(*self.pair)(x)"),
        "return torch.nn.Sequential(*self.pair)(y := x)",
    ),
    *CREATED.mends(
        ("x = torch.nn.Sequential(*self.pair)(x)", "for pair_layer in self.pair:\n    x = pair_layer(x)"),
        (
            "y = torch.nn.Sequential(*self.pair)(x * 2)",
            "y = x * 2\nfor pair_layer in self.pair:\n    y = pair_layer(y)",
        ),
        (
            "x.y = torch.nn.Sequential(*self.pair)(x)",
            "result = x\nfor pair_layer in self.pair:\n    result = pair_layer(result)\nx.y = result",
        ),
        (
            "return x + torch.nn.Sequential(*self.pair)(x * 2)",
            "result = x * 2\nfor pair_layer in self.pair:\n    result = pair_layer(result)\nreturn x + result",
        ),
        (
            "return torch.nn.Sequential(*self.pair)(\n    x\n    * 2\n)",
            "result = (x\n            * 2)\nfor pair_layer in self.pair:\n    result = pair_layer(result)\n"
            "return result",
        ),
    ),
    *Form(BOTH.replace("nn.Sequential(", "nn.ModuleList([").replace(", 2))", ", 2)])")).compiles(
        "x = x + nn.Sequential(*self.both)(x * 2)",
        "layers = self.both\nx = nn.Sequential(*layers)(x)",
        "y = nn.Sequential(*self.both)(x * 2)\nx = y",
    ),
]

SAME = {
    **{f"Net.forward: drop(self.{name}, x)": PAIRS for name in ("blocks", "pair")},
    **{f"Net.forward: {text}": PAIRS for text in ("self.blocks[0]", "self.blocks if x else drop(self.blocks, x)")},
    "Net.forward: either(self.pair, self.blocks)": PAIRS,
    "Net.forward: torch.nn.ModuleList(reversed(self.blocks))": PAIRS,
}
FORM = Form(
    "import torch\n\n\nclass Net:\n    def forward(self, x):\n        {}\n",
    held={"Net.blocks": PAIRS, "Net.pair": THREE},
    values=SAME,
    kind=MendKind.SCRIPTED,
)
CASES["walked_layers"] += [
    *FORM.alone(
        *("layers = drop(self.pair, x)", "layers = either(self.pair, self.blocks)", "layers = self.blocks[0]"),
        *("self.x = drop(self.blocks, x)", "if x: layers = drop(self.blocks, x)", "a = b = drop(self.blocks, x)"),
        "if not torch.jit.is_scripting():\n    layers = drop(self.blocks, x)",
        "layers = torch.nn.ModuleList(reversed(self.blocks))",
    ),
    *FORM.mends(
        *(
            (
                f"layers = {text}",
                f"if torch.jit.is_scripting():\n    layers = self.blocks\nelse:\n    layers = {text}",
            )
            for text in ("drop(self.blocks, x)", "self.blocks if x else drop(self.blocks, x)")
        )
    ),
    *Form(
        "def kept(layers, rate):\n    if rate == 0:\n        return layers\n    return layers[1:]\n\n\n".join(
            (
                IMPORTS,
                BOTH.removeprefix(IMPORTS).replace("nn.Sequential(", "nn.ModuleList([").replace(", 2))", ", 2)])"),
            )
        )
    ).compiles(
        "layers = kept(self.both, 0)\nfor layer in layers:\n    x = layer(x)",
        "layers = self.both if not self.training else kept(self.both, 0.1)\nfor layer in layers:\n    x = layer(x)",
    ),
]

FORM = Form(
    "import torch\n\n\nclass Net:\n    def forward(self, x):\n        {}\n",
    held={
        **{"Net.convs": THREE, "Net.gaps": Held((replace(GAPS, length=3),))},
        **{f"Net.{name}": Held((replace(LIST, length=3, items=("builtins.NoneType",)),)) for name in ("no", "none")},
        "Net.scales": Held((HeldValue("torch.nn.modules.container.ParameterList", length=2),)),
    },
)
CASES["walked_layers"] += [
    *FORM.alone(
        *("for a, b in zip(self.no, self.none):\n    x = a or b", "for a in self.no:\n    x = a"),
        "for a, b in zip(self.convs, self.gaps):\n    x = b(a(x))",
        "xs = [a(x) if b is None else b(x) for a, b in zip(self.convs, self.none)]",
    ),
    *FORM.alone("for i, conv in enumerate(self.convs[1:]):\n    x = conv(x)", says="the result differs", stops=(0, 0)),
    *FORM.mends(
        (
            "for a, b in zip(self.scales, self.none):\n    x = x * a if b is None else b(x)",
            "if not torch.jit.is_scripting():\n    assert list(self.none) == [None] * len(self.scales)\n"
            "for a in self.scales:\n    b = None\n    x = x * a if b is None else b(x)",
        ),
        (
            "for a, b in zip(self.convs, self.none):\n    x = a(x) if b is None else b(x)",
            "if not torch.jit.is_scripting():\n    assert list(self.none) == [None] * len(self.convs)\n"
            "for a in self.convs:\n    b = None\n    x = a(x) if b is None else b(x)",
        ),
        (
            "for i, (a, b, c) in enumerate(zip(self.none, self.convs, self.no)):\n    x = g(a, b(x), c, i)",
            "if not torch.jit.is_scripting():\n    assert list(self.none) == [None] * len(self.convs)\n"
            "    assert list(self.no) == [None] * len(self.convs)\n"
            "for i, b in enumerate(self.convs):\n    a = None\n    c = None\n    x = g(a, b(x), c, i)",
        ),
        kind=MendKind.FROZEN,
    ),
]

EMPTY = replace(LIST, length=0, items=())
FORM = Form(
    "class Net(nn.Module):\n    def forward(self, x):\n        {}\n",
    held={"Net.blocks": Held((EMPTY, *PAIRS.values)), "Net.none": Held((EMPTY,)), "Net.some": Held((EMPTY, LIST))},
    entered=["Net.forward"],
)
CASES["walked_layers"] += [
    *FORM.alone("for a, b in self.none:\n    x = b(a(x))", "for a, b in self.some:\n    x = b(a(x))"),
    *FORM.mends(
        (
            "for a, b in self.blocks:\n    x = b(a(x))",
            "for block in self.blocks:\n    a = block[0]\n    b = block[1]\n    x = b(a(x))",
        )
    ),
]

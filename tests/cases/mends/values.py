"""Expressions: tuples, numbers, words, calls of einops."""

from hypothesis import strategies as st
from mend_cases import IMPORTS, LEFT_OUT, NET, Alike, Case, Drawn, Form
from mended import held

from pdt_annotate.values.mends import Held, HeldValue, MendKind

CASES: dict[str, list[Case]] = {}
DRAWN: dict[str, Drawn] = {}
ALIKE: dict[str, Alike] = {}

FORM = Form("""\
import einops
import torch
from einops import rearrange, reduce, repeat


def f(self, x, y, h, n):
    {}
""")
FORM_2 = Form("{}\n")

COMPILED = Form(IMPORTS + "from einops import rearrange, reduce, repeat\nimport einops\n\n\ndef f(x):\n    return {}\n")

CASES["einops"] = [
    *FORM.alone(
        *("return rearrange(x, h)", "return rearrange(x, f'b {h} -> b')"),
        *("return rearrange(x, 'b (h d) -> b h d', **h)", "return rearrange(*x)"),
        *("return rearrange(x, 'b (h d) -> b h d')", "return rearrange(x, 'b c -> c')"),
        *("return rearrange([x, y], 'k b -> b k')", "return rearrange([t for t in x], 'k b -> b k')"),
        *("k = 'b c -> c b'\nif x:\n    k = 'b c -> b c'\nreturn rearrange(x, k)", "k = 2\nreturn rearrange(x, k)"),
        *("return reduce(x, 'b c -> b', h)", "return reduce(x, 'b c -> b')"),
        *("return repeat(x + y, '... d -> b ... d', b=h)", "return rearrange(x, '(a b) (c d) -> d b', c=h(), a=n())"),
        *("return einops.einsum(*x, 'i j -> j')", "return rearrange(x, '(a b) c -> a b c', a=h, c=n())"),
        "return einops.einsum(x, y, h)",
        *("rearrange = h\nreturn rearrange(x, 'b c -> c b')", "return einops.layers.torch.Rearrange('b c -> c b')(x)"),
    ),
    *FORM.alone("return rearrange(x, 'k b -> b k')", types={"f.x": ("List[Tensor]",)}),
    *FORM.mends(("return rearrange(x, 'k b -> b k')", "return x.permute(1, 0)"), types={"f.x": ("Tensor",)}),
    *FORM.mends(
        ("return einops.rearrange(x, 'b c -> c b')", "return x.permute(1, 0)"),
        ("return rearrange(x + y, 'b c -> c b')", "return (x + y).permute(1, 0)"),
        ("return rearrange(x[0], 'b c -> c b') @ y", "return x[0].permute(1, 0) @ y"),
        ("return reduce(x, 'b c -> b', 'mean')", "return x.mean(dim=1)"),
        ("return reduce(x, 'b c -> b', reduction='max')", "return x.amax(dim=1)"),
        ("k = 'b c -> c b'\nreturn rearrange(x, k)", "k = 'b c -> c b'\nreturn x.permute(1, 0)"),
        ("return repeat(self.token, '... -> b ...', b=h)", "return self.token.expand([h] + list(self.token.shape))"),
        ("return rearrange(rearrange(x, 'a b -> b a'), 'a b -> a b 1')", "return x.permute(1, 0).unsqueeze(2)"),
        ("return map(lambda t: rearrange(t, 'a b -> b a'), y)", "return map(lambda t: t.permute(1, 0), y)"),
        ("return einops.einsum(x, y, 'i j, k j -> i k')", "return torch.einsum('i j, k j -> i k', x, y)"),
        ('return einops.einsum(x, y, "i dim, k dim -> i k")', 'return torch.einsum("i d, k d -> i k", x, y)'),
        (
            "if h:\n    x = rearrange(x, 'b n (h d)-> b h n d', h = h)  # heads\nreturn x",
            (
                "if h:\n    # b n (h d)-> b h n d\n"
                "    x = x.unflatten(2, (h, -1)).permute(0, 2, 1, 3)  # heads\nreturn x"
            ),
        ),
        (
            "return rearrange(x, 'a b c -> a (c b)'), rearrange(y, 'a b c -> a (c b)')",
            "# a b c -> a (c b)\nreturn x.permute(0, 2, 1).flatten(1), y.permute(0, 2, 1).flatten(1)",
        ),
        (
            "if x: \\\n    y = rearrange(x, 'a b c -> a (c b)')\nreturn y",
            "if x: \\\n    y = x.permute(0, 2, 1).flatten(1)\nreturn y",
        ),
        (
            (
                "x = rearrange(x, 'b c (h p) (w q) -> b (p q) (h w) c', p=self.patch_height, q=self.patch_width)\n"
                "return x"
            ),
            (
                "# b c (h p) (w q) -> b (p q) (h w) c\nx = (\n    x.unflatten(2, (-1, self.patch_height))\n"
                "    .unflatten(4, (-1, self.patch_width))\n    .permute(0, 3, 5, 2, 4, 1)\n    .flatten(1, 2)\n"
                "    .flatten(2, 3)\n)\nreturn x"
            ),
        ),
        ("return rearrange(\n    x\n    .abs(),\n    'a b -> b a',\n)", "return (x\n    .abs()).permute(1, 0)"),
    ),
    *FORM_2.alone(
        "from other import rearrange\n\n\ndef f(self, x, y, h, n):\n    return rearrange(x, 'b c -> c b')",
        "from functools import reduce\n\n\ndef f(self, x, y, h, n):\n    return reduce(x, 'b c -> c', 'sum')",
    ),
    *FORM_2.alone("from other import pack\n\n\ndef f(x):\n    return pack([x], '* d')"),
    *COMPILED.compiles(
        *("einops.pack([x, x], '* a')[0]", "einops.pack((x, x[:, 0]), 'a *')[0]", "einops.unpack(x, [[4]], '* a')[0]"),
        *("rearrange(x, 'a b -> b a')", "einops.rearrange(x, 'a b -> b a')", "einops.einsum(x, 'a b -> b')"),
        "[rearrange(t, 'a b -> b a') for t in (x, x)][0]",
    ),
]

FORM = Form(
    "import torch\nfrom other import Kept\nfrom typing import Any, List\n\n\ndef f(self, x):\n    {}\n    return x\n"
)

CASES["type_comments"] = [
    *FORM.alone(
        *("y = x  # type: ignore", "y = x  # type: ignore[index]", "y = x  # of type: int", "y = '# type: int'"),
        *("# type: (Tensor) -> Tensor\ny = x", "y = x  # types: none"),
    ),
    *FORM.mends(
        ("y = x  # type: ignore # noqa", "# noqa\ny = x  # type: ignore"),
        (
            "if x:\n    y = (x,\n         x)  # type: ignore[a]  ## why",
            "if x:\n    # why\n    y = (x,\n         x)  # type: ignore[a]",
        ),
        ("y = x  # type: ignore[index, misc]", "y = x  # type: ignore"),
        ("y = x #type:ignore", "y = x # type: ignore"),
        ("y = []  # type: List[torch.Tensor]", "y: List[torch.Tensor] = []"),
        ("y = 'ä'  # type: str", "y: str = 'ä'"),
        ("y = x  # type: Kept", "y = x  # Kept"),
        ("y = x  # type: Any", "y = x  # Any"),
        ("y = x  # type: no type", "y = x  # no type"),
        ("y = []  # type: List[int]  # rows", "y: List[int] = []  # rows"),
        ("y = x  # type: Kept # rows", "y = x  # Kept  # rows"),
        ("y = (\n    x,  # type: int\n    x)", "y = (\n    x,  # int\n    x)"),
        ("global y\ny = 1  # type: int", "global y\ny = 1  # int"),
        ("(y) = 1  # type: int", "(y) = 1  # int"),
        ("class C:\n    y = 1  # type: int", "class C:\n    y = 1  # int"),
        ("y = x  # type: int, int", "y = x  # int, int"),
        ("self.y = x  # type: int", "self.y = x  # int"),
        ("y, z = x  # type: int, int", "y, z = x  # int, int"),
        ("for y in x:  # type: int\n    pass", "for y in x:  # int\n    pass"),
        kind=MendKind.EXACT,
    ),
    *Form("from typing import List\n\n\n{}\n\n\ndef f(x):\n    return g(x)\n").mends(
        ("def g(x):\n    n = []  # type: List[int]\n    return n", "def g(x):\n    n: List[int] = []\n    return n"),
        (
            "def g(x,  # type: Tensor\n      ):\n    # type: (...) -> int\n    n = 1  # type: int\n    return n",
            "def g(x,  # type: Tensor\n      ):\n    # type: (...) -> int\n    n: int = 1\n    return n",
        ),
    ),
    *NET.compiles(
        "y = x + 1  # type: ignore  # why\nx = y",
        "y = x + 1  # type: ignore[attr-defined, misc]\nx = y",
        "ys = [x]  # type: List[torch.Tensor]\nn = 1  # type: int\nx = ys[0] * n",
    ),
]

FORM = Form("def f(x):\n    a = b = 0\n    {}\n    return a, b\n")

CASES["split_names"] = [
    *FORM.alone(
        *("a, b = b, []", "a, b = 1, 2", "a, a = [], []", "a, *b = [], 1, 2", "a, b = *x, []", "a, x[0] = [], 1"),
        *("a = b = []", "(a, b), c = [], 1"),
    ),
    *FORM.mends(
        ("a, b = {}, []", "a = {}\nb = []"),
        ("a, b = list(), n", "a = list()\nb = n"),
        ("a, b, c = {}, len(x), x + 1  # why", "a = {}\nb = len(x)\nc = x + 1  # why"),
    ),
]
CASES["split_names"] += [
    *Form(values={"f: x": Held((HeldValue("torch.Tensor"),))}).alone(
        "def f(x):\n    y = x.tolist()\n    return g(), x.tolist()", "def f(x):\n    y = x.tolist()"
    ),
    *Form(values={"f: x": Held((HeldValue("torch.Tensor"),))}).mends(
        (
            "def f(x):\n    for y in x.tolist():\n        pass",
            "def f(x):\n    x_list = x.tolist()\n    for y in x_list:\n        pass",
        ),
        ("def f(x):\n    a, b = x.tolist()", "def f(x):\n    x_list = x.tolist()\n    a, b = x_list"),
        (
            "def f(x):\n    y = x.tolist()\n    y = [0] + y",
            "def f(x):\n    x_list = x.tolist()\n    y = x_list\n    y = [0] + y",
        ),
    ),
    *Form().alone(
        *("def f(x):\n    y: int = 1\n    return y", "y = 1\n\n\ndef f(x):\n    y: int\n    return x"),
        "def f(x):\n    if x:\n        y: int\n    y = 1\n    return y",
        "def f(x):\n    x.y: int\n    x.y = 1\n    return x",
        "class C:\n    y: int\n\n    def f(self):\n        return self.y",
    ),
    *Form("def f(x):\n    # a size\n    {}\n        y = 1\n    else:\n        y = 2\n    return y\n").mends(
        ("y: int\nif x:", "if x:")
    ),
]

RETYPED = Form(
    "import torch\n\n\ndef f(x, y: bool):\n    v = (x,)\n    {}\n",
    says="Variable 'v' previously had type Tuple[Tensor] but is now being assigned to a value of type Tensor",
)

CASES["split_names"] += [
    *RETYPED.alone(
        *("if y:\n    v = v[0]\nreturn v", "if y:\n    v = v[0]\nelse:\n    for v in v:\n        pass\nreturn v"),
        *("if y:\n    v += x\nelse:\n    v = x\nreturn v", "if y:\n    v = v[0]\nelse:\n    v = x\nreturn f'{v}'"),
        "if y:\n    v = [v for v in v]\nelse:\n    v = x\nreturn v",
        "while y:\n    if y:\n        v = v[0]\n    else:\n        v = x\nreturn v",
        "while y:\n    if y:\n        v = v[0]\n    else:\n        v = x\n    x = v",
        "if x:\n    if y:\n        v = v[0]\n    else:\n        v = x\nreturn v",
        "g = lambda: v\nif x:\n    if y:\n        v = v[0]\n    else:\n        v = x\n    return g() + v",
        "g = (v for _ in x)\nif y:\n    v = v[0]\nelse:\n    v = x\nreturn v, sum(g)",
        "try:\n    if y:\n        v = v[0]\n    else:\n        v = x\nfinally:\n    print(v)",
    ),
    *RETYPED.mends(
        (
            "if x:\n    h(v)\nelse:\n    if y:\n        v = v[0]\n    else:\n        v = x\n    x = v",
            "if x:\n    h(v)\nelse:\n    if y:\n        v_1 = v[0]\n    else:\n        v_1 = x\n    x = v_1",
        )
    ),
    *RETYPED.mends(
        (
            "if y:\n    if v:\n        x = v\n        v, z = v[0], v\n        v = x + v\n    else:\n        return v\n"
            "elif x:\n    raise ValueError(v)\nelse:\n    v = [x for _ in v]\nv += x\nreturn -v",
            "if y:\n    if v:\n        x = v\n        v_1, z = v[0], v\n        v_1 = x + v_1\n    else:\n"
            "        return v\n"
            "elif x:\n    raise ValueError(v)\nelse:\n    v_1 = [x for _ in v]\nv_1 += x\nreturn -v_1",
        )
    ),
    *RETYPED.mends(
        (
            "if not y:\n    v = v[-1]\nreturn v",
            f"if not y:\n    v_1 = v[-1]\nelse:\n    {LEFT_OUT}\n    v_1 = v\nreturn v_1",
        ),
        (
            "if x is None:\n    v = v + v\nprint(f'{v}')\nif not y:\n    v = v[-1]\nreturn v",
            "if x is None:\n    v = v + v\nprint(f'{v}')\n"
            f"if not y:\n    v_1 = v[-1]\nelse:\n    {LEFT_OUT}\n    v_1 = v\nreturn v_1",
        ),
        values={"f: not y": held("True"), "f: x is None": held("False")},
        kind=MendKind.SCRIPTED,
    ),
    *RETYPED.alone("if not y:\n    v = v[-1]\nreturn v", values={"f: not y": held("True", "False")}),
    *RETYPED.alone("g = lambda: v\nif not y:\n    v = v[-1]\nreturn g()", values={"f: not y": held("True")}),
    *RETYPED.alone("if not y: v = v[-1]\nreturn v", values={"f: not y": held("True")}),
    *Form("def f(x, y):\n    {}\n", says=RETYPED.facts["says"]).alone("if y:\n    v = x\nelse:\n    v = [y]\nreturn v"),
    *Form(RETYPED.text.replace("    v = (x,)", "    for v in x:\n        pass"), says=RETYPED.facts["says"]).alone(
        "if not y:\n    v = v[-1]\nreturn v", values={"f: not y": held("True")}
    ),
    *RETYPED.alone("if not y:\n    x = v\nelse:\n    v = v[-1]\nreturn v", values={"f: not y": held("True")}),
    *NET.compiles(
        "y = [x, x + 1]\nif self.n > 1:\n    y = y[-1]\nx = x * y",
        "y = ()\nif self.n > 1:\n    y = (x, x) + y\nelse:\n    y = (x, x - 1)\nx = y[0]",
        "y = 3\nif x.size(0) > 1:\n    y = (y, x)\nelif y > 3:\n    return x\nelse:\n    y = (y, x * 2)\nx = x + y[1]",
        "if self.n > 1:\n    y = slice(1, None)\nelse:\n    y = slice(1 if self.n else 0)\nx = x[0, y] + x[:, y]",
    ),
    *(form := Form("def f(x, y: bool):\n    {}\n", says="undefined value v")).alone(
        *("v = slice(x)\nreturn v", "v = slice(*x)\nreturn x[v]", "v = slice(1, 2, 3)\nreturn x[v]"),
        *("v = slice(1)\nreturn x[v[0]]", "v = slice(1)\nv = 2\nreturn x[v]", "v, w = slice(1), 2\nreturn x[v]"),
        *("slice = x\nv = slice(1)\nreturn x[v]", "v = slice(1)\ndel v\nreturn x[v]"),
    ),
    *Form("def f(x, v):\n    {}\n", says="undefined value v").alone("if x:\n    v = slice(1)\nreturn x[v]"),
    *form.mends(
        (
            "if y:\n    v = slice(0, 1)  # one\nelse:\n    v = slice(2)\nx[v, y][v] = 1",
            "if y:\n    v_start, v_stop = 0, 1  # one\nelse:\n    v_start, v_stop = None, 2\n"
            "x[v_start:v_stop, y][v_start:v_stop] = 1",
        )
    ),
    *Form("def f(x, y, v):\n    vs = (slice(y), slice(y, None))\n    {}\n").alone(
        *(
            "for v in vs:\n    x[v[0]] = 1",
            "for v in vs:\n    x[v] = 1\nreturn v",
            "for v in vs:\n    x[v] = 1\nvs = x",
        ),
        *("for y in x:\n    y = y + v\n    for v in vs:\n        x[v] = 1", "for v in vs:\n    v = x[v]"),
        *("for v in vs:\n    x[v] = 1\nreturn vs", "return [x[v] for v in vs]", "for v, w in vs:\n    x[v] = 1"),
        *("g = lambda t: t[v]\nfor v in vs:\n    x[v] = g(x)", "for v in vs:\n    x[(v)] = 1"),
        *(
            "for v in vs:\n    x[v] = 1\ndel v",
            "for v in vs:\n    x[(v, 0)] = 1",
            "global vs\nfor v in vs:\n    x[v] = 1",
        ),
        "vs = vs\nfor v in vs:\n    x[v] = 1",
    ),
    *Form("def f(x, vs):\n    {}\n    for v in vs:\n        x[v] = 1\n").alone("vs = (slice(1), slice(2))"),
    *Form("from g import slice\n\n\ndef f(x):\n    {}\n    for v in vs:\n        x[v] = 1\n").alone(
        "vs = (slice(1), slice(2))"
    ),
    *Form("def f(x, y):\n    vs = {}\n    for v in vs:\n        x[v] = 1\n").alone(
        *("(slice(y), 1)", "(slice(1, 2, 3), slice(1))", "[slice(1), slice(2)]", "(slice(*y), slice(1))"),
        *("(h(1), h(2))", "(slice(step=1), slice(1))"),
    ),
    *Form("def f(x, y, v):\n    {}\n").mends(
        (
            "vs = (slice(1), slice(2))\nfor _p in vs:\n    for p in vs:\n        x[_p, p] = 1",
            "vs = ((None, 1), (None, 2))\nfor p_start, p_stop in vs:\n    for p_start_1, p_stop_1 in vs:\n"
            "        x[p_start:p_stop, p_start_1:p_stop_1] = 1",
        ),
        (
            "vs = (slice(y), slice(y, None))\nfor v in vs:\n    for w in vs:\n        x[:, v, w] = y[v]",
            "vs = ((None, y), (y, None))\nfor v_start, v_stop in vs:\n    for w_start, w_stop in vs:\n"
            "        x[:, v_start:v_stop, w_start:w_stop] = y[v_start:v_stop]",
        ),
    ),
    *NET.compiles(
        "h, w = x.shape\nhs = (slice(0, -self.n), slice(-self.n, None))\nmask = torch.zeros(h, w)\nn = 0\n"
        "for h in hs:\n    for w in hs:\n        mask[h, w] = n\n        n += 1\nx = x + mask"
    ),
]


REUSED = Form(
    "def f(self, x, xs, v):\n    {}\n    return ys\n",
    says="'int' object has no attribute or method 'sum'.",
    stops="ys =",
)
PASSED = "Expected a value of type 'Tensor' for argument 'x' but instead found type 'int'."

CASES["comprehension_names"] = [
    *REUSED.alone(
        *("ys = [w.sum() for w in xs]", "ys = [v.sum() for w in xs]", "ys = [v.mean() for v in xs]"),
        *("ys = [x]\nzs = [v.sum() for v in xs]", "ys = [(lambda v: v.sum())(v.sum()) for v in xs]"),
        *("ys = [f'{v.sum()}' for v in xs]", "ys = [v.sum() + sum(v for v in x) for v in xs]"),
    ),
    *REUSED.alone("ys = [1 for x[v] in v.sum()]"),
    *REUSED.alone("ys = [v.sum() for v in xs]", says="Variable 'w' previously had type int but is now being assigned"),
    *REUSED.alone("ys = [v.sum() for v in xs]", "ys = [g(w) for w in xs]", "ys = [g(x) for v in xs]", says=PASSED),
    *REUSED.mends(("ys = [g(v, 1) for v in xs]", "ys = [g(v_1, 1) for v_1 in xs]"), says=PASSED),
    *REUSED.mends(
        ("ys = [v.sum() + x for v in v]", "ys = [v_1.sum() + x for v_1 in v]"),
        ("w = 2\nys = {w: w.sum() for w in xs if w}", "w = 2\nys = {w_1: w_1.sum() for w_1 in xs if w_1}"),
        ("v_1 = 1\nys = [v.sum() * n for n, v in xs]", "v_1 = 1\nys = [v_2.sum() * n for n, v_2 in xs]"),
        kind=MendKind.EXACT,
    ),
    *Form(NET.text.replace("self.n = 2", "self.convs = nn.ModuleList([nn.Linear(2, 2)])")).compiles(
        "for conv in self.convs:\n    x = conv(x)\nx = torch.stack([conv(x) for conv in self.convs]).sum(0)",
        "n = x.size(1)\nx = torch.stack([n.sum(0) for n in (x, x + 1)]).sum(0) * n",
        "n = x.size(1)\nx = torch.stack([torch.relu(n) for n in (x, x + 1)]).sum(0) * n",
        "x = x * sum([x + 1 for x in range(2)])",
    ),
]

VALUES = st.lists(st.sampled_from(["[]", "{}", "1", "x", "x + 1", "a", "b", "[a]", "(b, x)"]), min_size=2, max_size=3)
ALIKE["split_names"] = Alike(
    VALUES.map(
        lambda v: f"def f(x, a, b, c):\n    {', '.join('abc'[: len(v)])} = {', '.join(v)}\n    return a, b, c\n"
    ),
    ["f(1, 2, 3, 4)"],
)

FORM = Form("import torch\n\n\ndef f(x, y, n):\n    {}\n", types={"f.y": ("List[int]",)})

CASES["words"] = [
    *FORM.alone(
        *("return {1, 2}", "return len({1, 2})", "return x in {y, n}", "return x in {*y}", "return {1} in x"),
        *("return x[:, (0, 1)]", "return x[(0, 1)]"),
        *("return f'{x}'", "return f'{x:{n}}'", "return list(reversed(x))", "return reversed([x])"),
        *("return list(reversed(range(1, n, 2)))", "reversed = n\nreturn list(reversed([x]))"),
        *("return list(reversed(range(g(n), n)))", "range = x\nreturn list(reversed(range(n)))"),
        *("return list(reversed(range(*x)))", "return list(reversed(range(n, *x)))"),
    ),
    *FORM.mends(
        ('return x in {"a", "b"}', 'return x in ("a", "b")'),
        ("return x not in {1}", "return x not in (1,)"),
        ("return x in {torch.half, torch.float}", "return x in (torch.half, torch.float)"),
        ('raise E(f"no {x!r} in {{{n}}}")', 'raise E("no {!r} in {{{}}}".format(x, n))'),
        ("return f'{x:.2f} {n}' + y", "return '{:.2f} {}'.format(x, n) + y"),
        ("return f'{x + 1=}, {n =:>4}'", "return 'x + 1={!r}, n ={:>4}'.format(x + 1, n)"),
        ("return list(reversed(y))", "return list(y[::-1])"),
        ("return enumerate(reversed([x, n]))", "return enumerate([x, n][::-1])"),
        ("return zip(reversed(x[:n]), y)", "return zip(x[:n][::-1], y)"),
        ("return [a for a in reversed(range(n))]", "return [a for a in range(n - 1, -1, -1)]"),
        ("return list(reversed(range(n + 1)))", "return list(range((n + 1) - 1, -1, -1))"),
        ("return list(reversed(range(0, n)))", "return list(range(n - 1, -1, -1))"),
        ("return list(reversed(range(x, g(n))))", "return list(range(g(n) - 1, x - 1, -1))"),
    ),
    *(own := Form("class Net(nn.Module):\n    def f(self, x):\n        {}\n")).alone(
        *("return type(self)(x)", "return self.__class__.__name__", "type(self).n = 1\nreturn type(self).n"),
        "return type(x).n",
    ),
    *own.mends(("return type(self).n + self.__class__.f(x)", "return self.n + self.f(x)")),
    *Form("from typing import cast\n\n\ndef f(x):\n    {}\n").mends(("return cast(int, x) + 1", "return x + 1")),
    *NET.compiles(
        *("x = x + 1 if self.n in {1, 2} else x", "assert self.n == 2, f'no {self.n!r} {self.n:03d}'"),
        *(
            "for i in reversed(range(self.n)):\n    x = x * 2 + i",
            "for i in reversed(range(1, self.n)):\n    x = x * 2 + i",
        ),
        *(
            "for i in reversed(range(self.n, 1)):\n    x = x * 2 + i",
            "for t in reversed([x, x + 1]):\n    x = x * 2 + t",
        ),
        "if x.dtype in {torch.float32, torch.float64}:\n    x = x + 1",
        "for m in [self.n / 2, -self.n / 4, 1e999, -1e999 * 0]:\n    x = x * 2 + (1 if m.is_integer() else 3)",
        *("x = x[..., [1, self.n - 3]] * x[..., [-1], :]", "x = x[..., (1, 0)]", "x = x[None][:, ..., [1, -1], :1]"),
        *("i = torch.tensor([[1], [0]])\nx = x[..., i]", "x = x[..., x[:, 0] > 0, None:]", "x = x[..., x > 0]"),
        "for t, (i, j) in enumerate(zip([x, x * 2], (3, self.n))):\n    x = x + t * i * j",
        "for t, i in zip(x, (3, self.n)):\n    x = x + t * i",
        "rows = [0, self.n - 1]\nfor t in [x, x[None]]:\n    x = x + t[..., rows, :][..., rows[1:], :]",
    ),
    *Form(
        "def f(x, i, n):\n    {}\n", values={"f: x": (tensor := Held((HeldValue("torch.Tensor"),))), "f: i": tensor}
    ).alone(
        *("x[..., [0, 1]] = n", "x[..., [0]] += n", "return x[..., [n]]", "return x[..., i, i]", "return x[..., n, i]"),
        *("return x[..., []]", "return x[i, ...]", "return n[..., i]", "return x[..., ..., i]"),
    ),
    *Form(NET.text + "\n    @staticmethod\n    def twice(x):\n        return x * 2\n").compiles(
        *("x = type(self).twice(x)", "x = self.__class__.twice(x)")
    ),
]

PACKED = "x = torch.nn.utils.rnn.pack_padded_sequence(x, k)"
PACKED_BY_NAME = PACKED.replace("x, k", "x, lengths=k")
FROM_NUMPY = "import math\nfrom numpy import pi\n\n\ndef f(x):\n    return x * {}\n"
CASES["words"] += [
    *Form("{}").mends((FROM_NUMPY.format("pi"), FROM_NUMPY.format("math.pi"))),
]

FIRST = Form("class Net:\n    def f(self, x):\n        return {}\n")

KEPT = Form(
    FIRST.text.replace("class", "import torch\n\n\nclass"),
    held={"Net.Tensor": Held((HeldValue("torch.tensortype", name="torch.FloatTensor"),))},
    values={"Net.f: x.size()": Held((HeldValue("torch.Size"),))},
)
CASES["words"] += [
    *FIRST.alone("next(self.parameters())", "next(x)"),
    *FIRST.alone("next(other.parameters())", "list(self.parameters())[1]", held={"Net.parameters()": held("1")}),
    *FIRST.alone(
        "next(self.parameters())",
        held={"Net.parameters()": Held((HeldValue("", name="a.weight"), HeldValue("", name="b.weight")))},
    ),
    *KEPT.alone("self.Tensor(x)", "self.other(x.size())"),
    *KEPT.mends(("self.Tensor(x.size())", "torch.empty(x.size(), dtype=torch.float32)"), kind=MendKind.FROZEN),
    *Form(
        NET.text.replace("{}", "return self.pool(x).to({})").replace("self.n = 2", "self.pool = nn.Linear(2, 2)")
    ).compiles("next(iter(self.pool.parameters())).dtype", "list(self.parameters())[0].device"),
    *Form(NET.text.replace("{}", "return x + {}").replace("self.n = 2", "self.Tensor = torch.FloatTensor")).compiles(
        "self.Tensor(x.size()).fill_(2)"
    ),
]


FORM = Form(
    "import torch\n\n\ndef f(x, n):\n    {}\n    return y\n",
    values={"f: x": tensor, **dict.fromkeys(("f: n.tolist()", "f: n"), held("2"))},
)
LISTED = "(x.{}() if torch.jit.is_scripting() and {}x.is_floating_point() else x).tolist()"
CASES["tensor_lists"] = [
    *FORM.alone("y = x.tolist()", types={"f.y": ("List[bool]",)}),
    *FORM.alone("y = x.tolist()", "x.y = x.tolist()", "y = n.tolist()", "y = x.tolist", "y = x.tolist(n)"),
    *FORM.alone("y = x.tolist()", types={"f.y": ("List[int]", "List[float]")}),
    *FORM.mends(("y = x.tolist()", f"y = {LISTED.format('long', 'not ')}"), types={"f.y": ("List[List[int]]",)}),
    *FORM.mends(("y: float = x.tolist()", f"y: float = {LISTED.format('double', '')}"), types={"f.y": ("float",)}),
    *NET.compiles(
        "sizes: List[int] = (x[:, 0] > 0).int().tolist()\nx = x * len(sizes) + sizes[0]",
        "sizes: List[float] = x[0].half().tolist()\nx = x * sizes[1]",
        "first: int = x[0, 0].short().tolist()\nx = x * first",
    ),
]

WORDS = st.sampled_from(["{x!r}", "{x!s}", "{n:>4}", "{n:.2f}", "{{", "}}", "a'b", ": ", "{x}", "\\n", "{n + 1!r:5}"])
ALIKE["words"] = Alike(
    st.builds(
        lambda words, quote: f"def f(x, n):\n    return f{quote}{''.join(words)}{quote}\n",
        *(st.lists(WORDS, max_size=5), st.sampled_from(['"', '"""'])),
    ),
    ["""f("'it'", 3)"""],
)

FORM = Form("def f(x, xs):\n    {}\n")
PAIRS = {f"f: {text}": Held((HeldValue("builtins.tuple", length=2),)) for text in ("*xs", "tuple(xs)", "*g()")}

CASES["tuples"] = [
    *FORM.mends(
        (
            "*lead, c = x.shape\nreturn x.view(*lead, 2, -1)",
            "lead, c = x.shape[:-1], x.shape[-1]\nreturn x.view(lead + (2, -1))",
        ),
        values={"f: *lead": Held((HeldValue("builtins.list", length=2),))},
    ),
    *(
        case
        for returned in (["Tuple[Tensor]", "Tuple[()]"], [f"Tuple[{', '.join(['Tensor'] * 9)}]"], ["Tuple[()]"], [])
        for case in FORM.alone("return tuple(xs)", types={"f.return": returned, "f.xs": ("List[Tensor]",)})
    ),
    *FORM.alone(
        *("return list(xs)", "return (*xs, x)", "return tuple(x)", "return tuple(g(x))", "tuple = x\nreturn tuple(xs)"),
        "if x: return tuple(xs)",
        types={"f.return": ("Tuple[Tensor, Tensor]",), "f.xs": ("List[Tensor]",)},
    ),
    *FORM.mends(
        ("return tuple(xs)", "assert len(xs) == 2\nreturn xs[0], xs[1]"),
        (
            "return tuple(a + 1 for a in xs)",
            "items = [a + 1 for a in xs]\nassert len(items) == 2\nreturn items[0], items[1]",
        ),
        types={"f.return": ("Tuple[Tensor, Tensor]",), "f.xs": ("List[Tensor]",)},
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        ("return (*xs,)", "assert len(xs) == 1\nreturn xs[0],"),
        types={"f.return": ("Tuple[Tensor]",), "f.xs": ("List[Tensor]",)},
        kind=MendKind.FROZEN,
    ),
    *FORM.alone(
        *("return x(*xs) if x else 1", "return x(g(), *g())", "x = g(y=xs)", "return x(g() + 1, *g())"),
        *("y = g(), *h(), *g()", "y = h() + g((g(), *g()))"),
        values=PAIRS,
    ),
    *FORM.alone("return x(*xs)", values={"f: *xs": Held(tuple(HeldValue("builtins.list", length=n) for n in (1, 2)))}),
    *FORM.mends(
        ("x = tuple(xs)", "assert len(xs) == 2\nx = xs[0], xs[1]"),
        ("return x, *xs", "assert len(xs) == 2\nreturn x, xs[0], xs[1]"),
        ("y = g(1), *g()", "item_1 = g(1)\nitems = g()\nassert len(items) == 2\ny = item_1, items[0], items[1]"),
        ("return x(1, *xs, y=2)", "assert len(xs) == 2\nreturn x(1, xs[0], xs[1], y=2)"),
        values=PAIRS,
        types={"f.xs": ("List[Tensor]",)},
        kind=MendKind.FROZEN,
    ),
    *FORM.alone(
        *(
            "return g(tuple(xs))",
            "if x: return x, tuple(xs)",
            "return x(g(), tuple(xs))",
            "return x and (x, tuple(xs))",
        ),
        *("return x, list(xs)", "return [x, tuple(xs)]", "for x in (x, tuple(xs)): pass", "return x, tuple(x)"),
        values=PAIRS,
        types={"f.xs": ("List[Tensor]",)},
    ),
    *FORM.alone("return x, tuple(xs)", types={"f.xs": ("List[Tensor]",)}),  # the length is unknown
    *FORM.mends(
        ("return x, tuple(xs)", "assert len(xs) == 2\nreturn x, (xs[0], xs[1])"),
        ("return g(x, xs), tuple(xs)", "item_1 = g(x, xs)\nassert len(xs) == 2\nreturn item_1, (xs[0], xs[1])"),
        ("y = x[0], tuple(xs), g(x)", "assert len(xs) == 2\ny = x[0], (xs[0], xs[1]), g(x)"),
        ("return f(x, xs=tuple(xs))", "assert len(xs) == 2\nreturn f(x, xs=(xs[0], xs[1]))"),
        values=PAIRS,
        types={"f.xs": ("List[Tensor]",)},
        kind=MendKind.FROZEN,
    ),
    *NET.compiles(
        "ys = [x, x + 1]\nx, pair = x * 2, tuple(ys)\nx = x + pair[1]",
        *("pair = tuple([x * n for n in (1, 2)])\nx = torch.add(*pair)", "x = torch.sub(*x.chunk(2))"),
        "both = x.chunk(2)\nx = torch.maximum(*both)",
        "y = (x.relu(), *x.chunk(2, dim=-1))\nx = y[0] + y[2]",
    ),
]


ALIKE["tuples"] = Alike(
    st.sampled_from(["tuple(xs)", "(*xs,)", "tuple(a + x for a in xs)", "tuple([x, *xs][1:])"]).map(
        "def f(x, xs):\n    return {}\n".format
    ),
    ["f(1, [2, 3])"],
    types={"f.return": ("Tuple[Tensor, Tensor]",), "f.xs": ("List[Tensor]",)},
)

FORM = Form("def f(x, n):\n    {}")

LIST = Held((HeldValue("builtins.list"),))
CASES["assignments"] = [
    *(form := Form("def f(x, n):\n    {}\n", values={"f: n": held("3", "7")})).mends(
        ("n //= 2", "n = n // 2"), ("n //= n - 2", "n = n // (n - 2)")
    ),
    *form.alone("n /= 2", "x //= 2", "n[0] //= 2", "x.n //= 2"),
    *form.alone("[a, [b, c]] = x", "[a, *b] = x", "for [a, b] in x: pass", "a = [n] = x"),
    *form.mends(
        ("[a, x.n] = x  # ours", "a, x.n = x  # ours"),
        ("[a] = x", "a, = x"),
        ("[\n    a,  # first\n    b,\n] = x", "a, b = x"),
    ),
    *NET.compiles("[a, b, c, d] = x.unbind(0)\nx = a + d", "[a, b] = x.shape\nx = x * a"),
    *form.alone(
        *("x = x and (n := 1)", "x = x + n * (n := 1)", "while (n := x):\n    x = n - 1", "x = [m := n for n in x]"),
        *("x = g(x) + (n := 1)", "if x:\n    x = 1\nelif n := 1:\n    x = 2", "y = lambda: (m := n)"),
    ),
    *NET.compiles(
        *("x //= 2", "n = x.size(1)\nn //= 2\nx = x + n"),
        *("if (n := x.size(0)) > 1:\n    x = x + n", "x = x + (n := x.size(0)) * n"),
        "if x.size(0) > 1:\n    ys = range(1, 3)\nelse:\n    ys = range(x.size(0))\nfor y in ys:\n    x = x + y",
    ),
    *Form("def f(x, n):\n    {}\n", stops="y in ys").alone(
        *(
            "if n:\n    ys = range(n)\nelse:\n    ys = x\nfor y in ys:\n    x += y",
            "ys = range(n)\nfor y in ys:\n    x += ys[y]",
        ),
        "range = n\nys = range(n)\nfor y in ys:\n    x += y",
    ),
]
CALLED = Form(IMPORTS + "def f(x):\n    {}\n")


TENSOR, INT = Held((HeldValue("torch.Tensor"),)), held("2", "3")
MADE = Form(
    "import torch\n\n\ndef f(x, g):\n    {}\n",
    stops="y += ",
    says="a view of a leaf Variable that requires grad is being used in an in-place operation.",
    values={"f: y": TENSOR},
)
CASES["assignments"] += [
    *MADE.alone(
        "y = x\ny += 1", "y = g(x)\nz = y\ny += 1", "y = g(x)\nfor _ in x:\n    y += 1", "y = g(x)\ny += y.sum()"
    ),
    *MADE.alone("y = x.t().view(-1)\ny += 1", "y = z = torch.exp(x)\ny += 1\nreturn z"),
    *MADE.alone("y = torch.exp(x)\ny += x", values={"f: y": held("2")}),
    *Form(MADE.text, stops="y += ", says="undefined value z", values={"f: y": TENSOR}).alone("y = g(x)\ny += x"),
    *MADE.mends(
        (
            "y = g(x)\nx = x * 2\ny += x if x.dim() else 1\nreturn y",
            "y = g(x)\nx = x * 2\nif torch.jit.is_scripting():\n    y = y + (x if x.dim() else 1)\n"
            "else:\n    y += x if x.dim() else 1\nreturn y",
        ),
    ),
    *MADE.mends(
        (
            "y = g(x)\ny += 1\nreturn x",
            "y = g(x)\nif torch.jit.is_scripting():\n    y = y + 1\nelse:\n    y += 1\nreturn x",
        ),
        kind=MendKind.SCRIPTED,
    ),
]


INTS = HeldValue("builtins.tuple", items=("builtins.int",))
SEEN = {"f: x": TENSOR, "f: x.data": TENSOR, "f: x[0]": TENSOR}
SEEN |= {"f: n": INT, "f: y": Held((HeldValue("builtins.list"),))}
FORM = Form(
    "import functools, math, operator, random\nimport torch\nimport numpy as np\nfrom torch.autograd import Variable\n"
    "\n\ndef f(x, y, n):\n    {}\n",
    values=SEEN,
)

CASES["words"] += [
    *FORM.mends(
        ("x.data = x * n", "x.data.copy_(x * n)"),
        ("return x.new_tensor(range(n))", "return torch.arange(n, dtype=x.dtype, device=x.device)"),
        ("return torch.tensor(list(range(n)))", "return torch.arange(n)"),
        ("return torch.from_numpy(np.array(x))", "return x.clone()"),
        ("return x.numpy().tolist()", "return x.tolist()"),
        (
            "return torch.tensor(np.linspace(0, 1.5, n), dtype=x.dtype)",
            "return torch.linspace(0, 1.5, n, dtype=torch.float64).to(x.dtype)",
        ),
        ("return torch.from_numpy(np.linspace(-1, n, n))", "return torch.linspace(-1, n, n, dtype=torch.float64)"),
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        *(
            (f"return {drawn} * 2", f"return ({new} if torch.jit.is_scripting() else {drawn}) * 2")
            for drawn, new in (
                ("random.random()", "float(torch.rand(()))"),
                ("np.random.uniform(1, n)", "1 + (n - 1) * float(torch.rand(()))"),
                ("random.randint(1, n)", "int(torch.randint(1, n + 1, ()))"),
                ("np.random.randint(1, n)", "int(torch.randint(1, n, ()))"),
            )
        ),
        kind=MendKind.SCRIPTED,
    ),
    *FORM.alone("return random.choice(x)", "return random.randint(x, n)", "return random.uniform(n)"),
    *FORM.alone("return y.new(2)", "return x.new(y)", "return torch.FloatTensor([1, 2])"),
    *FORM.mends(
        ("return Variable(x + n)", "return (x + n).detach()"),
        ("return Variable(x.data.cuda(), volatile=True)", "return x.data.cuda()"),
        ("return Variable(torch.ones(2), requires_grad=True)", "return torch.ones(2).requires_grad_()"),
        ("return x.split(split_size_or_sections=n, dim=1)", "return x.split(n, dim=1)"),
        ("return x.new_tensor(x[0])", "return x[0].detach().clone().to(x)"),
        ("return x.new(n, 3), x.new()", "return x.new_empty(n, 3), x.new_empty(0)"),
        ("return x.new([n])", "return torch.tensor([n], dtype=x.dtype, device=x.device)"),
        ("return x.data.new([n])", "return torch.tensor([n], dtype=x.dtype, device=x.device)"),
        ("return torch.Tensor(n, 2), torch.Tensor(n)", "return torch.empty(n, 2), torch.empty(n)"),
        ("return torch.Tensor(x)", "return torch.ops.aten.alias(x)"),
        ("return torch.Tensor([[1, n]])", "return torch.tensor([[1.0, float(n)]])"),
        ("return torch.LongTensor(range(x.size(0)))", "return torch.arange(x.size(0))"),
    ),
    *NET.compiles(
        "x = torch.autograd.Variable(x) * torch.autograd.Variable(torch.ones(2))",
        "x = x + x.new(x.size()).fill_(self.n) + x.new(2).zero_()",
        "x = torch.cat([torch.Tensor(torch.ones(1, 2)), torch.Tensor(x * 2)])",
        *("x = x * torch.Tensor([self.n, 1]) + x.new_tensor([1, 2])", "x = x * torch.LongTensor(range(x.size(1)))"),
    ),
]

CASES["words"] += [
    *FORM.alone(
        *("return np.stack([x], axis=1)", "return torch.ones(2, requires_grad=n)", "k = int(round(n / 2))"),
        *("k = round(n, 1)", "k = round(y)", "k = y ** 2", "a, *b = x", "y.requires_grad = True"),
        "return np.sqrt(y), np.prod(y)",
    ),
    *FORM.alone("k = round(y)", values={"f: round(y)": held("1", "2.0")}),
    *FORM.alone(
        *("return g(x).type() == x.type()", "return x.type(type(g(x)))"),
        values=dict.fromkeys(("f: x", "f: g(x)"), Held((HeldValue("torch.Tensor"),))),
    ),
    *FORM.alone("k = y.item()", "k = g(y.item(0))", "k = int(y.any().item())", values={"f: y.any().item()": held("1")}),
    *FORM.alone("k = y.item()", values={"f: y.item()": held("1", "2.0")}),
    *FORM.mends(
        ("k = [y.item() * 2, z.item()]", "k = [int(y.item()) * 2, float(z.item())]"),
        ("k = y.any().item()", "k = bool(y.any().item())"),
        values={"f: y.item()": held("1", "3"), "f: z.item()": held("2.5"), "f: y.any().item()": held("True")},
    ),
    *FORM.mends(
        ("k = tuple([y])", "k = (y,)"),
        ("return x.shape + tuple([y, 2 * y])", "return x.shape + (y, 2 * y)"),
        ("k = max(1, round(min(x.size()[-2:]) / 256))", "k = max(1, int(round(min(x.size()[-2:]) / 256)))"),
        ("return g(max(1, -round(y / 2) * 2))", "return g(max(1, -int(round(y / 2)) * 2))"),
        ("return x.view(y ** 2, -1)", "return x.view(int(y ** 2), -1)"),
        values={"f: round(y / 2)": held("1", "2"), "f: y ** 2": held("4")},
    ),
    *FORM.mends(
        ("n = int(np.prod(x.shape[1:]))", "n = int(torch.tensor(x.shape[1:]).prod())"),
        ("n = np.prod(x.shape[1:]) + 1", "n = int(torch.tensor(x.shape[1:]).prod()) + 1"),
        ("n = functools.reduce(operator.mul, x.shape[1:], 1)", "n = int(torch.tensor(x.shape[1:]).prod())"),
        values={"f: x.shape[1:]": Held((HeldValue("torch.Size"), INTS))},
    ),
    *FORM.mends(
        ("return x.bool(), x[0].ndimension()", "return x.to(torch.bool), x[0].dim()"),
        ("return torch.sum(x, axis=1, keepdims=True)", "return torch.sum(x, dim=1, keepdim=True)"),
        ("return isinstance(y, Variable)", "return isinstance(y, torch.Tensor)"),
        ("return x.nonzero(as_tuple=True)", "return torch.where(x)"),
        ("return torch.get_autocast_gpu_dtype()", 'return torch.get_autocast_dtype("cuda")'),
        ("return x.type() == x.type()", "return x.dtype == x.dtype and x.device.type == x.device.type"),
        (
            "return not x.type() == 'torch.cuda.HalfTensor'",
            "return not (x.dtype == torch.float16 and x.device.type == 'cuda')",
        ),
        ("return torch.ones(2, requires_grad=True)", "return torch.ones(2).requires_grad_()"),
        ("a, b = x", "a, b = x.unbind()"),
        ("return x[0].type(type(x))", 'return x[0].to("cpu", torch.empty(0).dtype)'),
        ("return x[0].type('torch.LongTensor')", 'return x[0].to("cpu", torch.int64)'),
        ("x.requires_grad = False", "x.requires_grad_(False)"),
        ("x.data *= n  # twice", "x.data.mul_(n)  # twice"),
        ("return x.norm(dim=1)", "return torch.norm(x, dim=1)"),
        ("return x.norm(2, dim=1), x.unique()", "return x.norm(2, dim=1), torch.unique(x)"),
        ("return x.__len__() * np.abs(n)", "return len(x) * abs(n)"),
    ),
    *FORM.mends(
        *((f"k = x.cpu().numpy()\n{each}", f"k = x.cpu().long()\n{each}") for each in (PACKED, PACKED_BY_NAME)),
        kind=MendKind.FROZEN,
    ),
    *FORM.alone(
        *(f"k = x.cpu().numpy()\n{each}" for each in ("g(k)", f"{PACKED}\ng(k)", PACKED.replace("(x, k", "(k, x"))),
        *(f"for _ in x:\n    {PACKED}\n    k = x.cpu().numpy()", f"k = x.cpu().numpy()\nk += 1\n{PACKED}"),
    ),
    *NET.compiles(
        "k = torch.tensor([4, 2]).cpu().numpy()\nx = x.t().unsqueeze(-1)\n"
        "x = torch.nn.utils.rnn.pack_padded_sequence(x, k, batch_first=True).data"
    ),
    *NET.compiles(
        *("x = x * x.bool() + x.nelement()", "x = torch.cat([x, x.mean(axis=1, keepdims=True)], axis=1)"),
        "x = torch.nonzero(x > -9, as_tuple=True)[0].sum() + x if torch.is_tensor(x) else x",
        "y = x if x.dim() > 1 else None\nx = x + 1 if y == None else x",
        "x = x + torch.zeros(2, requires_grad=False) + (x > 0).type(torch.FloatTensor)",
        "y = x.clone()\ny.data *= self.n\ny.data -= 1\nx = x + y",
        "x = x / x.norm(dim=1, keepdim=True) + x.norm('fro', dim=(0, 1)) + x.norm(p='nuc') + x.bfloat16()",
        "x = x * x.shape.numel() + x.size()[1:].numel() + x.unique(return_inverse=True)[0].norm(2.0)",
        "x = x.clamp(float(torch.finfo(x.dtype).min), 2)",
        "x = x.clamp(torch.finfo(x.dtype).min, torch.finfo(torch.float16).max) + torch.finfo(x.dtype).eps",
        "x = x.to(float) + torch.ones_like(x, dtype=int) + torch.zeros(2, dtype=torch.get_default_dtype())",
        "x = x + 1 if x.dtype.is_floating_point and not x.dtype.is_complex else x",
        "x = x.unflatten(0, (self.n ** 1, -1))[0]",
        *(
            "for i in range(2):\n    x = x + (0.5 if i == 0 else x.sum())",
            "x = x.repeat(self.n ** 2, 1)",
            "x = x.repeat([self.n ** 2 + 1, 1])",
            "for i in range(2 ** self.n):\n    x = x + i",
            "a, b = x.t()\nx = a + b",
        ),
    ),
    *CALLED.compiles(
        *("k = [x.max().item(), 2]\nreturn x[k[0]]", "k: List[int] = [x.max().item()]\nreturn k"),
        "k = [y.item() for y in [x[0], x[1]]]\nreturn [each + 1 for each in k], list(range(k[0]))",
        args="torch.tensor([1, 2, 3, 0])",
        types={"f.k": ("List[int]",)},
    ),
    *CALLED.compiles(
        "k = 0\nk = x.max().item()\nreturn list(range(k))",
        *("k = x.max().item() + 1\nreturn x, x.view(1, -1).expand(k, -1)[k - 1]", "k = x.max().item()\nreturn x[k]"),
        args="torch.tensor([1, 2, 3, 0])",
        types={"f.k": ("int",)},
    ),
]

FORM = Form("import torch\n\n\ndef f(x, y, n):\n    {}\n")

AS_TUPLE = "z if torch.jit.is_scripting() else {}"
OR_NONE = AS_TUPLE.format("None if z is None else tuple(z)")
CASES["tuples"] += [
    *FORM.alone(
        *("z = ()\nreturn z", "z = ()\nfor a in y:\n    z += a\nreturn torch.cat(z)"),
        *("z = ()\nfor a in y:\n    z += (a,)\nreturn z + (n,)", "z = ()\nz += (x,)\nz()"),
        "z = ()\nz += (x,)\nreturn z[0] if isinstance(z, tuple) else x",
        *("z = w = ()\nz += (x,)\nreturn z", "z = () if n else 0\nz += (x,)\nreturn z"),
        *("z = ()\nz += (x,) if n else ()\nreturn z", "z = None\nz += (x,)\nreturn z"),
        "z = (x,)\nfor a in y:\n    z += (a, *n)\nreturn torch.cat(z)",
        "z, tuple = (x,), n\nz += (a,)\nreturn x, z",
    ),
    *FORM.alone("z = (x,)\nz += (n,)\nreturn z", types={"f.z": ("Tuple[Tensor]", "Tuple[Tensor, int]")}),
    *FORM.mends(
        (
            "z = ()\nfor a in y:\n    z += (a,)\n    z = z + (a, n)\nreturn torch.cat(z), z[0], len(z)",
            "z = []\nfor a in y:\n    z = z + [a]\n    z = z + [a, n]\nreturn torch.cat(z), z[0], len(z)",
        ),
        ("z = (x,)\nfor a in y:\n    z = z + (a,)\nreturn z", "z = [x]\nfor a in y:\n    z = z + [a]\nreturn tuple(z)"),
        ("z = (x), (n)\nz += (\n    (x),\n    n,\n)\nreturn z[0]", "z = [x, n]\nz = z + [x, n]\nreturn z[0]"),
        ("z = ()\nz += (x,)\nreturn g(z)", f"z = []\nz = z + [x]\nreturn g({AS_TUPLE.format('tuple(z)')})"),
        (
            "z = (x,) if n else None\nif n:\n    z += (x,)\ny = (x, z) if z is not None else x\nreturn z",
            "z = [x] if n else None\nif n:\n    z = z + [x]\n"
            f"y = (x, {OR_NONE}) if z is not None else x\nreturn {OR_NONE}",
        ),
    ),
    *FORM.mends(
        ("z = (x,)\nz += (x,)\nreturn z", "z = [x]\nz = z + [x]\nreturn tuple(z)"),
        types={"f.z": ("Tuple[Tensor]", "Tuple[Tensor, None, Tensor]")},
    ),
    *NET.compiles(
        "z = ()\nfor i in range(self.n):\n    z = z + (x,)\nx = torch.cat(z, 1)",
        "z = (x,)\nfor i in range(self.n):\n    z += (z[-1] * 2,)\nx = z[-1]",
        "z = ()\nfor i in range(self.n):\n    z += (x,)\npair = x, z\nx = pair[1][0] + 1",
    ),
]

FORM = Form("import torch\n\n\ndef f(x, n):\n    {}\n    return xs\n")

CASES["tuples"] += [
    *FORM.alone(
        *("xs = tuple(x for _ in n)", "xs = g(tuple(x for _ in n))", "xs = tuple(x for _ in n)[:2]"),
        *("ys = tuple(x for _ in n)\nxs = torch.cat(ys) + g(ys)", "ys = tuple(n)\nxs = torch.cat(ys)"),
    ),
    *FORM.mends(
        ("xs = torch.cat(tuple(x for _ in n), 0)", "xs = torch.cat([x for _ in n], 0)"),
        ("xs = tuple([x for _ in n])[0]", "xs = [x for _ in n][0]"),
        ("ys = tuple((x for _ in n))\nxs = ys[0] + len(ys)", "ys = [x for _ in n]\nxs = ys[0] + len(ys)"),
    ),
    *FORM.alone("xs = g(tuple(range(n)))", "ys = tuple(range(n))\nxs = torch.sum(x, ys), ys"),
    *FORM.mends(("ys = tuple(range(n))\nxs = torch.sum(x, dim=ys)", "ys = list(range(n))\nxs = torch.sum(x, dim=ys)")),
    *NET.compiles("x = torch.cat(tuple(each for each in [x, x]))", "x = x.mean(tuple(range(1, x.dim())))"),
]

NUMBERS = Held((HeldValue("builtins.list", length=2, items=("builtins.int",)),))
CASES["tuples"] += [
    *FORM.mends(
        ('xs = torch.meshgrid(*n, indexing="ij")', 'xs = torch.meshgrid(n, indexing="ij")'),
        ('xs = torch.einsum("a,b->ab", *n)', 'xs = torch.einsum("a,b->ab", n)'),
        values={"f: n": Held((HeldValue("builtins.list", length=2, items=("torch.Tensor",)),))},
    ),
    *FORM.alone(
        *("xs = torch.meshgrid(x, *n)", "xs = torch.einsum(*n)", "xs = torch.block_diag(*n)"),
        values={"f: n": Held((HeldValue("builtins.list", length=2, items=("torch.Tensor",)),))},
    ),
    *FORM.alone("xs = torch.meshgrid(*n)", values={"f: n": NUMBERS}),
    *NET.compiles(
        "sides = [torch.arange(n) for n in x.shape]\nx = x + torch.stack(torch.meshgrid(*sides, indexing='ij')).sum()",
        "both = [x, x.t()]\nx = torch.einsum('ij,jk->ik', *both)",
    ),
    *FORM.alone("tuple = n\nxs = tuple()", "xs = n.tuple()"),
    *FORM.mends(("xs = g(tuple(), x)", "xs = g((), x)")),
    *NET.compiles("z = tuple()\nfor i in range(self.n):\n    z = z + (x,)\nx = torch.cat(z, 1)"),
    *FORM.alone("xs = [x, *n]", "xs = x, *n", values={"f: n": Held((*NUMBERS.values, HeldValue("builtins.tuple")))}),
    *FORM.alone("list = x\nxs = [x, *n]", values={"f: n": NUMBERS}),
    *FORM.mends(
        ("xs = [x, *n, x]", "xs = [x] + list(n) + [x]"),
        ("xs = [*n] + x", "xs = list(n) + x"),
        ("xs = x.view([1, *x.shape, *n])", "xs = x.view([1] + list(x.shape) + list(n))"),
        values={"f: n": NUMBERS},
    ),
    *NET.compiles(
        "sizes = [n // 2 for n in x.shape]\nx = x[None].reshape([2, 2, *sizes])",
        "halves = [x, x * 2]\nboth = [*halves]\nboth.append(x)\nx = torch.stack([*halves, *both]).sum(0)",
    ),
]

PRIVATE = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.__fc = nn.Linear(2, 2)

    def __run(self, x):
        return self.__fc(x) * 2

    def forward(self, x):
        return {}
"""
)
CASES["words"] += PRIVATE.compiles("self.__run(x) + self.__fc(x)")

SUM = "import torch\nfrom typing import List\n\n\n{}def f(xs):\n    return {}\n"
ADDED = """\
def _sum_of(values: List[torch.Tensor]):
    total = 0 + values[0]
    for value in values[1:]:
        total = total + value
    return total


"""
FORM = Form("import torch\n\n\ndef f(x, y, n):\n    {}\n", values={"f: sum([x, x + n])": TENSOR})

CASES["words"] += [
    *Form().alone(*(SUM.format("", each) for each in ("sum(xs, 1)", "sum(*xs)", "sum(x for x in xs)"))),
    *Form(values={"f: sum(xs)": Held((HeldValue("builtins.int"),))}).alone(SUM.format("", "sum(xs)")),
    *Form(values={"f: sum(xs)": TENSOR}, kind=MendKind.FROZEN).mends(
        *((SUM.format(each, "sum(xs)"), SUM.format(ADDED, "_sum_of(list(xs))")) for each in ("", ADDED))
    ),
    *Form(values={"f: sum(xs)": TENSOR, "f: xs": Held((HeldValue("builtins.list"),))}, kind=MendKind.FROZEN).mends(
        (SUM.format("", "sum(xs)"), SUM.format(ADDED, "_sum_of(xs)"))
    ),
    *FORM.mends(("return n / sum([x, x + n])", "return n / (0 + x + (x + n))")),
    *FORM.alone(
        *("s = 0\nfor a in y:\n    s += 1", "t = 0\nfor a in y:\n    t += a\n    n.append(t)"),
        "t = 1\nfor a in y:\n    t += a",
        types={"f.s": ("int",), "f.t": ("int", "Tensor")},
    ),
    *FORM.mends(
        (
            "t = 0\nfor a in y:\n    t += a + 1\nreturn t",
            "t = torch.zeros((), dtype=torch.int64)\nfor a in y:\n    t = t + (a + 1)\nreturn t",
        ),
        (
            "t = 0\nfor a in y:\n    t += g(\n        a\n    )",
            "t = torch.zeros((), dtype=torch.int64)\nfor a in y:\n    t = t + g(\n        a\n    )",
        ),
        ("t = 0.0\nfor a in y:\n    t = t - a", "t = torch.zeros(())\nfor a in y:\n    t = t - a"),
        ("t = 1.0\nfor a in y:\n    t *= a", "t = torch.ones(())\nfor a in y:\n    t = t * a"),
        ("n, t = 0, 0.0\nfor a in y:\n    t = t - a", "n, t = 0, torch.zeros(())\nfor a in y:\n    t = t - a"),
        types={"f.t": ("int", "Tensor")},
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(
        ("t = 0.0\nfor a in y:\n    t = t - a", "t = torch.zeros(())\nfor a in y:\n    t = t - a"),
        values={"f: t": TENSOR},
        kind=MendKind.FROZEN,
    ),
    *NET.compiles(
        "if x.dim() == 3:\n    y = x - self.n\n    x = x.masked_fill(y.bool(), 0.0)",
        "ys = [x]\nfor i in range(2):\n    t = 0\n    for y in ys:\n        t = t + y\n    ys.append(t)\nx = ys[2]",
        *("x = sum((x, x * 2)) + 1", "x = sum([x * i for i in range(self.n)])"),
        "x = x + 1 if x.dim() == 3 else sum(each + 1 for each in [x, x, x]) * sum((x, x))",
        "ys = {'a': x, 'b': x}\nx = sum(ys.values())",
        "x = x[:, (0, 1)] + x[:, (0,\n    # last\n    )]",
    ),
]

FORM = Form(
    "import math\nimport numpy as np\n\n\ndef f(x, n):\n    {}\n", values={"f: n": held("2"), "f: x": held("'a'")}
)

CASES["words"] += [
    *FORM.alone(
        "return np.sqrt(x)", "return np.cumsum(n)", "max = n\nreturn np.maximum(n, n)", "return np.round(n, 1)"
    ),
    *FORM.mends(
        ("return np.sqrt(n)", "return math.sqrt(n)"),
        ("return int(np.ceil(n)), np.floor(n)", "return math.ceil(n), float(math.floor(n))"),
        ("return np.maximum(n, 1)", "return max(n, 1)"),
        kind=MendKind.FROZEN,
    ),
    *FORM.mends(("return np.pi + n", "return math.pi + n")),
    *Form(NET.text.replace("import torch\n", "import torch\nimport numpy as np\n", 1)).compiles(
        "x = x.clamp(float(np.finfo(torch.tensor(0, dtype=x.dtype).numpy().dtype).min), 2)",
        "n = x.size(1)\nx = x / np.sqrt(n) + int(np.ceil(n / 2)) * np.pi",
        "n = x.size(0)\nx = x * np.ceil(np.log(n)).astype('int').item()",
    ),
]

SCALED = Form(
    f"{IMPORTS}def f(x, n):\n    {{}}\n",
    values={"f: n": held("2"), "f: n / 4": held("0.5"), "f: x.sum()": TENSOR},
)
CASES["words"] += [
    *SCALED.alone(
        *("k = n\nk = 3\nreturn x / k", "n = n\nn = x.sum()\nreturn x / n", "k = n\nfor k in x.sum():\n    n = k"),
        *("k = n\nk += 1\nk = x.sum()\nreturn k", "return x / (n if x.dim() else 3)"),
        "k = n\nk = x.sum()\nfor _ in x:\n    n = k\nreturn k",
        "return x / ((torch.tensor(n) if torch.jit.is_scripting() else n) if x.dim() else x.sum())",
    ),
    *SCALED.mends(
        (
            "return x / (0.5 if x.dim() else x.sum())",
            "return x / ((torch.tensor(0.5) if torch.jit.is_scripting() else 0.5) if x.dim() else x.sum())",
        ),
        (
            "return x / (x.sum() if x.dim() else 0.1)",
            "return x / (x.sum() if x.dim() else "
            "torch.tensor(0.1, dtype=torch.float64) if torch.jit.is_scripting() else 0.1)",
        ),
        (
            "return x / (x.sum() if x.dim() else n)",
            "return x / (x.sum() if x.dim() else torch.tensor(n) if torch.jit.is_scripting() else n)",
        ),
        (
            "k = n\nif x.dim():\n    k = x.sum()\nreturn x / k",
            "k = torch.tensor(n) if torch.jit.is_scripting() else n\nif x.dim():\n    k = x.sum()\nreturn x / k",
        ),
        (
            "k = n / 4\nif x.dim():\n    k = x.sum()\nreturn x / k",
            "k = torch.tensor(n / 4, dtype=torch.float64) if torch.jit.is_scripting() else n / 4\n"
            "if x.dim():\n    k = x.sum()\nreturn x / k",
        ),
        kind=MendKind.EXACT,
    ),
]

FORM = Form("import torch\n\n\ndef f(self, x, y, n):\n    {}\n")

CASES["tuples"] += [
    *FORM.alone(
        *("return g(*x.shape)", "return x.sum(*y.shape)", "return x.view(*y)", "view = n\nreturn view(*x.shape)"),
        *("y = list(x.shape)\nreturn x.view(*y)", "if n:\n    y = x.shape\nreturn x.view(*y)"),
        *("return x.view(*x.shape, # the rest\n    -1)", "a, b = *x, *y", "a, b = (*x, y, n)", "a, *b = *x, y"),
        *("b, *a = *g(x).shape, n", "b, *_, h = *y, n"),
        "*_, h = n, *x.shape, n",
        *("a = *x, y", "return (*x,)", "*a, b = y", "*a, = x.shape\nreturn a"),
        *("return torch.cat((x, y))", "return tuple(x)", "return x.view(tuple(y))", "if n: a, *b = x.shape"),
    ),
    *FORM.mends(
        ("return x.view(*y.shape)", "return x.view(y.shape)"),
        ("return x.view(*y.shape[:2], n, -1)", "return x.view(y.shape[:2] + (n, -1))"),
        ("return x.view(1, *y.size(), n)", "return x.view((1,) + y.size() + (n,))"),
        ("return torch.ones(*x.shape[:2], device = n)", "return torch.ones(x.shape[:2], device = n)"),
        ("z = x.shape[1:]\nreturn x.expand(n, *z)", "z = x.shape[1:]\nreturn x.expand((n,) + z)"),
        ("return x.view(tuple(y.shape))", "return x.view(y.shape)"),
        ("z = x.size()[:-1] + (n,)\nreturn x.view(*z)", "z = x.size()[:-1] + (n,)\nreturn x.view(z)"),
        ("z = [1] * n\nreturn x.view(2, *z)", "z = [1] * n\nreturn x.view([2] + z)"),
        ("b, c, *_ = x.size()", "b, c = x.size()[0], x.size()[1]"),
        ("*_, c = x.shape", "c = x.shape[-1]"),
        ("y = (*x.shape[:-1], n, 2)", "y = x.shape[:-1] + (n, 2)"),
        ("return x.view((n, *y.shape))", "return x.view((n,) + y.shape)"),
        ("return [*x.shape, 5], 2 * (*x.shape, n)", "return list(x.shape) + [5], 2 * (x.shape + (n,))"),
        ("b, c, *_, d = *x.shape, n", "b, c, d = x.shape[0], x.shape[1], n"),
        ("a, b, *_ = n, *x.size()", "a, b = n, x.size()[0]"),
        ("b, *_, c, h = *x.shape, n", "b, c, h = x.shape[0], x.shape[1:][-1], n"),
        ("b, *a, h = *x.shape, n\nreturn a", "b, a, h = x.shape[0], list(x.shape[1:]), n\nreturn a"),
        ("b, *_, c, d = x.shape", "b, c, d = x.shape[0], x.shape[1:][-2], x.shape[1:][-1]"),
        ("*a, b = x.shape\nreturn a", "a, b = list(x.shape[:-1]), x.shape[-1]\nreturn a"),
        ("a, *b = z\nreturn len(b)", "a, b = z[0], list(z[1:])\nreturn len(b)"),
        (
            "a, *b, c = g(x).shape\nreturn x.view(*b)",
            "parts = g(x).shape\na, b, c = parts[0], parts[1:-1], parts[1:][-1]\nreturn x.view(b)",
        ),
        ("return torch.cat((x, *y.chunk(2)), dim=1)", "return torch.cat([x] + list(y.chunk(2)), dim=1)"),
        (
            "return torch.nn.functional.pad(x, (*n, 1, *((0,) * y)), value=y)",
            "return torch.nn.functional.pad(x, list(n) + [1] + list((0,) * y), value=y)",
        ),
        ("return torch.stack(tuple(a + 1 for a in x))", "return torch.stack([a + 1 for a in x])"),
        ("return torch.stack(tuple(x))", "return torch.stack(list(x))"),
        ("b, c, d = *x.shape, n", "(b, c), d = x.shape, n"),
        ("b, c, d = n, *x.shape", "b, (c, d) = n, x.shape"),
        ("b, c = n, *x", "b, (c,) = n, x"),
        ("b, c = (*x,)", "b, c = x"),
        ("q, k, v = (g(x), *g(\n    y).chunk(2))", "q, (k, v) = g(x), g(\n    y).chunk(2)"),
        (
            "*a, b = x.shape\nreturn y.view(*a, -1).expand(*a, b)",
            "a, b = x.shape[:-1], x.shape[-1]\nreturn y.view(a + (-1,)).expand(a + (b,))",
        ),
        (
            "a, b, *c = x.shape\nreturn y.view(a, b, *c)",
            "a, b, c = x.shape[0], x.shape[1], x.shape[2:]\nreturn y.view((a, b) + c)",
        ),
        values={"f: z": Held((HeldValue("builtins.list", length=0),))},
    ),
    *FORM.mends(
        ("return x.view(*n).view(2, *n, -1)", "return x.view(n).view([2] + n + [-1])"),
        values={"f: n": Held((HeldValue("builtins.list", length=2, items=("builtins.int",)),))},
    ),
]

DRAWN["tuples"] = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def forward(self, x):
        b, c, d, n = *x.shape, 2
        p, q, r = (x, *x.chunk(2, dim=-1))
        *rest, last = x.shape
        first, *others = x.shape
        size = x.size()[:-1] + (2, -1)
        ones = [1] * (n - 2)
        one, *_ = x.size()
        start, *mid, end = (x + 1).shape
        head, *tail = [x, x + 1]
        return ({}, start, mid + [end], head + tail[0], x.view(*rest, -1), x.view(-1, *others))
"""
).draws(
    "x.reshape(*x.shape[:2], n, -1)",
    *("x.reshape(b, *x.shape[1:])", "x.reshape(*rest, last)", "x.reshape((*x.shape[:-1], 1, -1)), [*x.shape, n]"),
    *("x.reshape(first, *others)", "x.reshape(-1, *rest)", "x.reshape(*size) * one", "x.reshape(-1, *ones)"),
    *("torch.ones(*x.shape[:-1], device=x.device)", "torch.zeros(n, *x.size())", "x[:1].expand(*x.shape)"),
    *("x.reshape(tuple(x.shape))", "torch.cat((x, *x.chunk(2, dim=0)))", "torch.cat([*x.chunk(2, dim=0), x])"),
    *("torch.stack(tuple(t * 2 for t in (x, x)))", "torch.cat(tuple(x.chunk(2, dim=-1)), dim=-1)", "q + r"),
    "p.sum() + x.new_ones(*x.shape[:1]) * c * d",
    between=", ",
    args="torch.randn(2, 4, 6)",
)

PARAMETER = HeldValue("torch.nn.parameter.Parameter")
NAMED = Form(
    "import torch\nfrom torch import nn\nfrom collections import OrderedDict\n\n\nclass Net(nn.Linear):\n"
    "    def __init__(self):\n        super().__init__(2, 2)\n\n    def forward(self, x):\n        {}\n"
    "        return x @ named['weight']\n",
    held={"Net.weight": Held((PARAMETER,)), "Net.bias": Held((PARAMETER,)), "Net.n": held("2")},
    kind=MendKind.FROZEN,
)
NAMED_HELD = NAMED.facts["held"]
CASES["words"] += [
    *NAMED.alone(
        *("named = OrderedDict(self.named_buffers())", "named = dict(self.one.named_parameters())"),
        *("named = dict(self.named_parameters('a'))", "dict = print\nnamed = dict(self.named_parameters())"),
    ),
    *(
        NAMED.alone("named = dict(self.named_parameters())", held={**NAMED_HELD, **more})[0]
        for more in (
            {"Net.bias": Held((PARAMETER, HeldValue("builtins.NoneType")))},
            {"Net.bias": Held((PARAMETER,), lacking=True)},
            {"Net.one": Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),))},
        )
    ),
    *NAMED.mends(
        (
            "named = OrderedDict(self.named_parameters())",
            'named = {"weight": self.weight, "bias": self.bias}',
        )
    ),
    *NAMED.compiles("named = dict(self.named_parameters())"),
    *Form(
        "def f(d):\n    return d.get('a', None), d.get('a', 2)", values={"f: d": Held((HeldValue("builtins.dict"),))}
    ).mends(("", ""))[:0],
    *Form("def f(d, g):\n    return {}\n", values={"f: d": Held((HeldValue("builtins.dict"),))}).mends(
        ("d.get('a', None)", "d.get('a')")
    ),
    *Form("def f(d, g):\n    return {}\n", values={"f: d": Held((HeldValue("builtins.dict"),))}).alone(
        "d.get('a', 2)", "g.get('a', None)"
    ),
]

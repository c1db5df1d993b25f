"""Branches, tests and results."""

from typing import Any

from hypothesis import strategies as st
from mend_cases import IMPORTS, LEFT_OUT, NET, Alike, Case, Drawn, Form
from mended import held

from pdt_annotate.values.mends import Held, HeldValue, MendKind

CASES: dict[str, list[Case]] = {}
SETTLED = {"Net.one": held("1"), "Net.many": held("1", "0"), "Net.kept": Held((HeldValue("builtins.list", length=1),))}
CASES["open_ends"] = [
    *(form := Form("import torch\n\n\nclass Net:\n    def f(self, x):\n        {}\n", held=SETTLED, entered=[])).alone(
        *("return x", "if self.one:\n    return x\nelse:\n    raise x", "if self.one:\n    return x\nreturn"),
        *(
            "if self.one:\n    x = 1",
            "if self.one:\n    return x\nelse:\n    return None",
            "if self.many:\n    return x",
        ),
        *("if x:\n    return x", f"if self.one:\n    return x\n{LEFT_OUT}", "if self.one:\n    return None"),
        "if self.many == 1:\n    return x\nelif self.many == 0:\n    pass",
        "if self.one == 1:\n    while True:\n        if x:\n            return x\n        break",
        "def g():\n    return x\nif self.one == 1:\n    raise x",
    ),
    *form.mends(
        *(
            (body, f"{body}\n{LEFT_OUT}")
            for body in (
                *("if self.one:\n    return x", "if self.one == 1: return x"),
                "if self.many == 1:\n    return x\nelif self.many == 0:\n    raise x",
                "if self.many == 1:\n    return x\nelse:\n    if self.many == 0:\n        return x + 1",
                "if self.one == 1:\n    return x\nelif self.many:\n    return x + 1",
                "if self.kept:\n    if x:\n        return x\n    else:\n        return 1",
            )
        ),
        kind=MendKind.EXACT,
    ),
    *Form(
        NET.text.replace(
            "    def forward(self, x):\n        {}\n        return x",
            "    def pick(self, x):\n        {}\n\n    def forward(self, x):\n        return self.pick(x) + 1",
        )
    ).compiles("if self.n == 2:\n    return x\nelif self.n == 3:\n    return -x"),
]
CASES["untaken_branches"] = [
    *(form := Form("import torch\n\n\ndef f(x, n):\n    {}\n", stops="bad", values={"f: n > 1": held("False")})).alone(
        "if n > 1:\n    pass\nreturn bad(x)", "if n > 1: bad(x)"
    ),
    *form.alone("if n > 1:\n    bad(x)", values={"f: n > 1": held("False", "True")}),
    *form.alone("if n > 1:\n    bad(x)", values={}),
    *form.alone("if n > 1:\n    bad(x)", entered=["g"]),
    *form.mends(
        (
            "for i in x:\n    if n > 1:\n        y = bad(x)\n        break\nreturn x",
            (
                "for i in x:\n    if n > 1:\n        assert not torch.jit.is_scripting(),"
                ' "left out of the scripted model"\n        y = bad(x)\n        break\nreturn x'
            ),
        )
    ),
    *form.mends(
        ("for y in n:\n    x = bad(y)\nreturn x", f"for y in n:\n    {LEFT_OUT}\n    x = bad(y)\nreturn x"),
        (
            "while g(x):\n    if x:\n        for y in n:\n            bad(y)",
            f"while g(x):\n    {LEFT_OUT}\n    if x:\n        for y in n:\n            bad(y)",
        ),
        values={"f: n": held("[]"), "f: g(x)": held("False")},
    ),
    *form.alone(
        *("for y in bad(n):\n    x = g(y)", "for y in n:\n    x = 1\n    bad(x)", "for y in n: x = bad(y)"),
        *(
            "for y in n:\n    x = lambda: bad(y)",
            "for y in n:\n    with bad(y): pass",
        ),
        f"for y in n:\n    {LEFT_OUT}\n    x = bad(y)",
        values={"f: n": held("[]"), "f: m": held("1")},
    ),
    *form.alone("for y in n:\n    x = bad(y)", values={"f: bad(y)": held("1"), "f: y": held("1")}),
    *form.alone("for y in n:\n    x = bad(y)", values={}),
    *form.alone("for y in n:\n    x = bad(y)", values={"f: n": held("[]")}, entered=["g"]),
    *form.alone("if not n > 1:\n    pass\nreturn bad(x)", values={"f: not n > 1": held("True")}),
    *form.mends(
        (
            "if n > 1:\n    if x if torch.jit.is_scripting() else n:\n        bad(x)",
            'if n > 1:\n    assert not torch.jit.is_scripting(), "left out of the scripted model"\n'
            "    if x if torch.jit.is_scripting() else n:\n        bad(x)",
        )
    ),
    *form.alone(
        *("if bad(x) and n > 1:\n    pass", "if n > 1 or bad(x):\n    pass", "while n > 1 and bad(x):\n    pass"),
        "if x:\n    pass\nelif n > 1 and bad(x):\n    pass",
        values={"f: n > 1": held("False"), "f: x": held("True", "False"), "f: n > 1 and bad(x)": held("False")},
    ),
    *form.mends(
        (
            "if n > 1 and bad(x):\n    pass",
            (
                'if torch.jit.is_scripting():\n    assert not (n > 1), "left out of the scripted model"\n'
                "if False if torch.jit.is_scripting() else n > 1 and bad(x):\n    pass"
            ),
        ),
        (
            "return 1 if not n > 1 or bad(x) else 2",
            (
                'if torch.jit.is_scripting():\n    assert not n > 1, "left out of the scripted model"\n'
                "return 1 if (True if torch.jit.is_scripting() else not n > 1 or bad(x)) else 2"
            ),
        ),
        values={"f: n > 1": held("False"), "f: not n > 1": held("True")},
    ),
    *form.alone(
        *(
            "y = bad(x) if x else n\nreturn y",
            "y = n + bad(x)\nz = x if n > 1 else n",
            "y = g(x) + (bad(x) if n > 1 else n)",
        ),
        values={"f: x": held("True", "False"), "f: n > 1": held("False")},
    ),
    *form.mends(
        (
            "y = bad(x) if n > 1 else x\nreturn y",
            'if torch.jit.is_scripting():\n    assert not (n > 1), "left out of the scripted model"\n'
            "y = x if torch.jit.is_scripting() else bad(x) if n > 1 else x\nreturn y",
        ),
    ),
    *form.mends(
        (
            "y = None if n > 1 else x\nreturn bad(y)",
            'if torch.jit.is_scripting():\n    assert not (n > 1), "left out of the scripted model"\n'
            "y = x if torch.jit.is_scripting() else None if n > 1 else x\nreturn bad(y)",
        ),
    ),
    *form.alone("y = 1 if n > 1 else x\nreturn bad(y)", "y = None if n > 1 else x\nz = bad(x)"),
    *form.mends(
        (
            "return n if n > 1 else bad(x)",
            'if torch.jit.is_scripting():\n    assert n > 1, "left out of the scripted model"\n'
            "return n if torch.jit.is_scripting() else n if n > 1 else bad(x)",
        ),
        values={"f: n > 1": held("True")},
    ),
    *form.mends(
        (
            "if n > 0:\n    y = x\nelif n > 1:\n    y = bad(x)\nelif n > 2:\n    y = n",
            (
                "if n > 0:\n    y = x\nelif torch.jit.is_scripting():\n    assert not torch.jit.is_scripting(),"
                ' "left out of the scripted model"\nelif n > 1:\n    y = bad(x)\nelif n > 2:\n    y = n'
            ),
        ),
        values={"f: n > 0": held("True")},
    ),
    *(form := Form("import torch\n\n\nclass Net:\n    def f(self, x):\n        {}\n", held=SETTLED, stops="bad")).alone(
        *("if self.many:\n    bad(x)", "if self.kept:\n    bad(x)", "if x and self.one:\n    bad(x)"), entered=[]
    ),
    *form.mends(
        *(
            (f"if {test}:\n    y = bad(x)\nreturn x", f"if {test}:\n    {LEFT_OUT}\n    y = bad(x)\nreturn x")
            for test in (
                "x and self.one == 2",
                "not (x or self.one)",
                "self.one < 1 or self.kept is None",
                "not self.kept",
            )
        ),
        entered=[],
        kind=MendKind.EXACT,
    ),
    *Form(
        f"from __future__ import annotations\n{IMPORTS}"
        "@torch.jit.unused\ndef slow(x: torch.Tensor):\n    return x\n\n\ndef f(x):\n    {}\n    return x\n"
    ).compiles("if x.dim() == 5:\n    x = slow(x)", "for _ in range(x.dim() - 2):\n    x = slow(x)"),
    *Form("import torch.distributed as dist\n" + NET.text).compiles(
        "if self.training and dist.is_initialized():\n    x = x + 1",
        values={"Net.forward: self.training": held("False")},
    ),
    *NET.compiles(
        "if x.dim() == 2:\n    y = (x, 1)\nelif x.dim() == 3:\n    y = (1,)\nx = x * y[1]",
        "if x.dim() == 2:\n    y = x + 1\nelif x.dim() == 3:\n    y = x - 1\nx = x * y",
        *("if x.dim() == 3:\n    x = x.foo(1)", "if x.dim() == 2:\n    return x + 1\nx = x.foo(1)\ny = x.bar()"),
        *("if x.dim() == 3:\n    x = x.foo(1)", "if self.n > 3 and x.foo(1):\n    x = x + 1"),
        "y = 1 if self.n < 3 or x.foo(1) else 2\nx = x * y",
        "if x.numel() == 0 and x.foo(1):\n    x = x + 1\n",
        "if x.dim() == 3:\n    x = nn.Parameter(x)",
    ),
]
DRAWN: dict[str, Drawn] = {}
ALIKE: dict[str, Alike] = {}

FORM = Form("def f(x, y, n):\n    {}\n")

CASES["comprehension_tests"] = [
    *NET.compiles("x = torch.cat([x[i:] + j for i in range(2) for j in range(i + 1)])"),
    *FORM.alone(
        *("return [a for a in x]", "return sum(a for a in x if a)", "return {a for a in x if a}"),
        *("return g(n) + h([a for a in x if a])", "return y and [a for a in x if a]"),
        *("return [a for a in x if a] if y else n", "return [[b for b in a if b] for a in x]"),
        *("if n:\n    return\nelif [a for a in x if a]:\n    return y", "if n: return [a for a in x if a]"),
        "return lambda: [a for a in x if a]",
        *("return tuple(a for a in x if a)", "return tuple(a for a in [x, g(y)] if a)", "return tuple(a for a in [])"),
        *("return tuple(a for a in (x, *y) if a)", "return tuple((b := a) for a in (x, y) if a)"),
        *("return tuple([b for b in a] for a in (x, y) if a)", "return tuple(g(a) for a in (x.y, y.z) if a)"),
        "tuple = list\nreturn tuple(a for a in (x, y) if a)",
    ),
    *Form("def tuple(xs):\n    return xs\n\n\n" + FORM.text).alone("return tuple(a for a in (x, y) if a)"),
    *FORM.mends(
        (
            "return tuple(a for a in [x, y.z] if a is not None)",
            "return ((x,) if x is not None else ()) + ((y.z,) if y.z is not None else ())",
        ),
        ("b = 2 * tuple([a + 1 for a in (x,) if a])", "b = 2 * ((x + 1,) if x else ())"),
    ),
    *FORM.mends(
        (
            "if [a for a in x if a]:\n    return y",
            "kept = []\nfor a in x:\n    if a:\n        kept.append(a)\nif kept:\n    return y",
        )
    ),
    *FORM.mends(
        ("b = [a + c for a in x for c in y]", "b = []\nfor a in x:\n    for c in y:\n        b.append(a + c)"),
        ("b = [a for a in x if a > n]", "b = []\nfor a in x:\n    if a > n:\n        b.append(a)"),
        (
            "return [a for a in x if a > n]",
            "kept = []\nfor a in x:\n    if a > n:\n        kept.append(a)\nreturn kept",
        ),
        (
            "b = g([a for a in x if a > n], h(y))",
            "kept = []\nfor a in x:\n    if a > n:\n        kept.append(a)\nb = g(kept, h(y))",
        ),
        ("x = [a for a in y if a > n]", "kept = []\nfor a in y:\n    if a > n:\n        kept.append(a)\nx = kept"),
        (
            "b = n\nb = [a for a in x if a > b]",
            "b = n\nkept = []\nfor a in x:\n    if a > b:\n        kept.append(a)\nb = kept",
        ),
        (
            "for _ in y:\n    b = [a for a in x if a in b]",
            "for _ in y:\n    kept = []\n    for a in x:\n        if a in b:\n            kept.append(a)\n    b = kept",
        ),
        ("x = [a for a in x if a > n]", "kept = []\nfor a in x:\n    if a > n:\n        kept.append(a)\nx = kept"),
        (
            "b = {k: v for k, v in x.items() if k if v or n}",
            "b = {}\nfor k, v in x.items():\n    if k and (v or n):\n        b[k] = v",
        ),
        (
            "b = [y * n for y in x if y for n in y]",
            "b = []\nfor y_1 in x:\n    if y_1:\n        for n_1 in y_1:\n            b.append(y_1 * n_1)",
        ),
    ),
    *NET.compiles(
        "y = None\nreturn tuple(t for t in [x, y] if t is not None)[0]",
        "x = torch.cat([t for t in x.chunk(4) if t.numel() > 1])",
        "xs = [t + 1 for t in x.chunk(4) if t.numel() > 1]\nx = xs[0]",
        "d = {str(t.numel()): t for t in x.chunk(4) if t.numel() > 1}\nx = d['2']",
    ),
]

PLACES = ["return {}", "y = {}\n    return y, x", "return ({}, y)", "x = {}\n    return x", "return len({})"]
COMPREHENSIONS = ["[{e} for a in x if {t}]", "[{e} for a in x if {t} for z in [a]]", "{{a: {e} for a in x if {t}}}"]
PARTS = st.sampled_from(["a", "a + n", "y", "a or n", "(lambda: a)()"])
ALIKE["comprehension_tests"] = Alike(
    st.builds(
        lambda place, form, e, t: f"def f(x, y, n):\n    {place.format(form.format(e=e, t=t))}\n",
        *(st.sampled_from(PLACES), st.sampled_from(COMPREHENSIONS), PARTS, PARTS),
    ),
    ("f([], 1, 2)", "f([-2, -1, 0, 1, 2], 1, 2)", "f([2, 2, 0], 1, 2)"),
)

TRIED = Form("import torch\n\n\ndef f(x):\n    {}\n", stops="try:", values={"f: g(x)": held("1")})
TWICE = "if torch.jit.is_scripting():\n    {0}\nelse:\n    try:\n        {0}\n    except {1}:\n        {2}"
CASES["unraised_errors"] = [
    *TRIED.alone(
        "try:\n    x = g(x)\nfinally:\n    g(x)",
        "try:\n    return g(x)\nexcept ValueError:\n    x = x + 1\nreturn x",
        "for i in x:\n    try:\n        x = g(i)\n    except ValueError:\n        break",
        "try:\n    global n\n    n = g(x)\nexcept ValueError:\n    pass",
        'try:\n    x = g("""\n""")\nexcept ValueError:\n    x = h(x)',
        "try: x = g(x)\nexcept ValueError: x = h(x)",
        "try:\n    g.flatten_parameters()\nexcept RuntimeError:\n    x = 0\nreturn x",
        TWICE.format("x = g(x)", "ValueError", "x = h(x)"),
    ),
    *TRIED.alone("try:\n    x = g(x)\nexcept ValueError:\n    x = h(x)", values={"f: h(x)": held("1")}),
    *TRIED.alone("try:\n    x = g(x)\nexcept ValueError:\n    x = h(x)", values={}),
    *TRIED.alone("try:\n    x = g(x)\nexcept ValueError:\n    x = h(x)", entered=[]),
    *TRIED.mends(
        *(
            (f"try:\n    {tried}\nexcept {error}:\n    {handled}", TWICE.format(tried, error, handled))
            for tried, error, handled in (
                ("x = g(x)", "ValueError", "pass"),
                ("x = g(x)  # so", "(TypeError, ValueError)", "x = h(x)"),
                ("x = g(x) + h(x)", "ValueError", "x = h(x)"),
                ("return g(x)", "ValueError as e", "raise TypeError from e"),
                ("return g(x)", "ValueError", "return h(x)"),
            )
        ),
        (
            "try:\n    y = g(x)\nexcept ValueError:\n    y = x\nelse:\n    y = y + 1\nreturn y",
            "if torch.jit.is_scripting():\n    y = g(x)\n    y = y + 1\nelse:\n    try:\n        y = g(x)\n"
            "    except ValueError:\n        y = x\n    else:\n        y = y + 1\nreturn y",
        ),
    ),
    *TRIED.mends(
        (
            "try:\n    g.flatten_parameters()\nexcept RuntimeError:\n    pass\nreturn x",
            "if not torch.jit.is_scripting():\n    try:\n        g.flatten_parameters()\n    except RuntimeError:\n"
            "        pass\nreturn x",
        ),
        kind=MendKind.EXACT,
    ),
]

HEAD = "import torch\nclass Net:\n    {}\n"
CASES["own_lines"] = [
    *Form("{}\n").alone(
        "def f(x):\n    if x:  # ours\n        return x\n    elif x > 2:\n        x = 1\n    return x",
        "def f(x):\n    y = 1; \\\n        x = 2\n    return x",
        "def f(x):\n    if x: \\\n        y = 1; n = 2\n    return x",
    ),
    *Form("{}\n").mends(
        ("def f(x): y = x; return y", "def f(x):\n    y = x\n    return y"),
        (
            "def f(x):\n    for i in x:\n        s = g(x,\n    x); n = 1\n    if x: s = g(x,\n2); n = 2\n    return s",
            "def f(x):\n    for i in x:\n        s = g(x,\n    x)\n        n = 1\n    if x:\n        s = g(x,\n2)\n"
            "        n = 2\n    return s",
        ),
        (
            "def f(x):\n    s = '''a\n        '''; n = 1\n    return s",
            "def f(x):\n    s = '''a\n        '''\n    n = 1\n    return s",
        ),
        (
            "def f(x):\n    for y in x: x = y; y = 1  # ours\n    else: return (x,\n        x)\n    return x ; x = 1;",
            "def f(x):\n    for y in x:\n        x = y\n        y = 1  # ours\n    else:\n        return (x,\n"
            "        x)\n    return x\n    x = 1;",
        ),
        (
            "def f(x):\n\tif x: return x\n\telif y: pass\n\telse: x = 1; y = '''\n'''",
            "def f(x):\n\tif x:\n\t    return x\n\telif y:\n\t    pass\n\telse:\n\t    x = 1\n\t    y = '''\n'''",
        ),
    ),
]

ASSERTED = 'assert not torch.jit.is_scripting(), "left out of the scripted model"\n'
DEF = "def forward(self, x, mask=None, **kw):\n"
UNUSED = "\n\n@torch.jit.unused\ndef "
KNOWN: dict[str, Any] = {
    "values": {
        **{f"Net.forward: {test}": held("False") for test in ("self.flag", "mask is not None", "mask and self.flag")},
        **{f"Net.forward: {test}": held("True") for test in ("x is not None", "self.width", "not self.flag")},
        "Net.forward: self.training": held("False"),
        "Net.forward: self.mixed == 1": held("True", "False"),
    },
    "types": {"Net.forward.x": ("Tensor",)},
    "stops": "bad",
}
FORM = Form(HEAD.format(DEF + "        {}"), **KNOWN)
WIDE = f"{DEF}    n = 1\n    if self.width:\n        n = 2\n    else:\n"
RETURNS = f"{DEF}    y = x\n    if self.flag:\n        y = 2\n        return bad(x, y)\n    return y"
RETURNED = f"{DEF}    y = x\n    if self.flag:\n        return self._forward_if_flag(x)\n    return y"
RETURNED += f"{UNUSED}_forward_if_flag(self, x){{}}:\n    y = 2\n    return bad(x, y)"
METHODS = Form(HEAD, **KNOWN)

CASES["dead_branches"] = [
    *FORM.alone(
        *("if x is not None:\n    bad(x)", "if not self.flag:\n    return bad(x)", "if self.training:\n    bad(x)"),
        *("if self.mixed == 1:\n    bad(x)", "if self.flag: bad(x)", "if self.flag:\n    bad(x)\n    return"),
        "for i in x:\n    if self.flag:\n        bad(x)\n        break",
        "if self.flag:\n    if x:\n        return\n    return bad(x)",
        "if self.width:\n    y = x\nelif bad(x):\n    y = -x\nreturn y",
        *("if self.flag:\n    bad(kw)", "if self.flag:\n    super().bad()"),
        "if self.flag:\n    x = 1\n    while x:\n        y = bad(x)\n    x = 2\nreturn y",
        *('if self.flag:\n    bad("""\na""")', "bad(x)\nif self.flag:\n    print(x)"),
        *("import m\nif self.flag:\n    bad(m.x)", "def g():\n    return 1\nif self.flag:\n    bad(g)"),
        *("if self.flag:\n    bad(x)\n    del n", "if self.flag:\n    x = bad(x)\n    del x\nreturn x"),
        *("global n\nif self.flag:\n    n = bad(x)", "ys = []\nif self.flag:\n    ys.append(lambda: bad(x))\nx = 1"),
    ),
    *FORM.alone("if self.flag:\n    bad(x)", values={}),
    *METHODS.alone("@torch.jit.unused\ndef forward(self, x):\n    if not torch.jit.is_scripting():\n        bad(x)"),
    *FORM.alone("if torch.jit.is_scripting():\n    bad(x)\nelse:\n    x = 1"),
    *NET.compiles(
        "if torch.jit.is_scripting():\n    y = -x\nelse:\n    try:\n        y = -x\n    except ValueError:\n"
        "        y = x\nx = y",
        "y = -x\nif torch.jit.is_scripting():\n    y = -x\nelse:\n    try:\n        z = -x\n        y = z * 1\n"
        "    except ValueError:\n        pass\nx = y",
        "if torch.jit.is_scripting():\n    return -x\nelse:\n    try:\n        return -x\n    except ValueError:\n"
        "        return x",
        "if torch.jit.is_scripting():\n    y = -x\nelse:\n    try:\n        y = -x\n    except ValueError as error:\n"
        "        raise TypeError from error\nx = y",
        "y = [x.dim(), 1]\nif not torch.jit.is_scripting():\n    print(max(y, key=lambda each: -each))\nx = x + 1",
    ),
    *FORM.alone("if self.flag:\n    bad(x)", entered=[]),
    *METHODS.alone(
        f"{DEF}    if self.flag:\n        return self.bad(x)\n    return x{UNUSED}bad(self, x):\n    return x"
    ),
    *METHODS.mends(
        *(
            (
                f"{DEF}    if {test}:\n        bad(x)",
                f"{DEF}    if {test}:\n        self.{moved}(x){UNUSED}{moved}(self, x):\n    bad(x)",
            )
            for test, moved in (
                ("mask is not None", "_forward_with_mask"),
                ("mask and self.flag", "_forward_if_mask_and_flag"),
                ("self.unreached", "_forward_if_unreached"),
            )
        )
    ),
    *METHODS.mends(
        (
            f"{DEF}    y = x\n    if self.flag:\n        # why\n        y = bad(x)  # so\n        z = y\n    return y",
            (
                f"{DEF}    y = x\n    if self.flag:\n        # why\n        y = self._forward_if_flag(x)\n"
                f"    return y{UNUSED}_forward_if_flag(self, x):\n    y = bad(x)  # so\n    z = y\n    return y"
            ),
        ),
        (
            f"{DEF}    if self.flag:\n        bad(self._forward_if_flag, x)\n    print(x)",
            (
                f"{DEF}    if self.flag:\n        self._forward_if_flag_2(x)\n    print(x)"
                f"{UNUSED}_forward_if_flag_2(self, x):\n    bad(self._forward_if_flag, x)"
            ),
        ),
        (
            f"{DEF}    y = x\n    if self.flag:\n        y = bad(x)\n        del x\n    return y",
            f"{DEF}    y = x\n    if self.flag:\n        y = self._forward_if_flag(x)\n    return y"
            f"{UNUSED}_forward_if_flag(self, x):\n    y = bad(x)\n    del x\n    return y",
        ),
        (RETURNS, RETURNED.format("")),
        (
            f"{DEF}    if self.flag:\n        if x:\n            return x\n        return bad(x)\n    return x",
            f"{DEF}    if self.flag:\n        return self._forward_if_flag(x)\n    return x"
            f"{UNUSED}_forward_if_flag(self, x):\n    if x:\n        return x\n    return bad(x)",
        ),
        types={},
    ),
    *METHODS.mends((RETURNS, RETURNED.format(" -> int")), types={"Net.forward.return": ("int",)}),
    *METHODS.mends(
        (
            f"{DEF}    if self.flag:\n        return tuple(bad(y) for y in (x, mask) if y is not None)\n    return [x]",
            f"{DEF}    if self.flag:\n        {ASSERTED}        return self._forward_if_flag(x, mask)\n    return [x]"
            f"{UNUSED}_forward_if_flag(self, x, mask):\n    return tuple(bad(y) for y in (x, mask) if y is not None)",
        ),
        types={"Net.forward.return": ("List[Tensor]",)},
    ),
    *Form(**KNOWN).mends(
        (
            METHODS.fill(f"{WIDE}        n = bad(n)\n        x = x + n\n    return x, n"),
            "from typing import Tuple\n\n"
            + METHODS.fill(
                f"{WIDE}        n, x = self._forward_unless_width(n, x)\n    return x, n"
                f"{UNUSED}_forward_unless_width(self, n, x) -> Tuple[int, torch.Tensor]:\n"
                "    n = bad(n)\n    x = x + n\n    return n, x"
            ),
        ),
        types={"Net.forward.n": ("int",), "Net.forward.x": ("Tensor",)},
    ),
    *(
        case
        for seen in (
            {"types": {"Net.forward.n": ("int",), "Net.forward.x": ("Tensor",)}},
            {"types": {}, "values": {**KNOWN["values"], "Net.forward: n": held("2")}},
        )
        for case in Form(f"from __future__ import annotations\n\n{METHODS.text}", **KNOWN).mends(
            (
                f"{WIDE}        n = bad(n)\n        x = x + n\n    return x, n",
                f"{WIDE}        n, x = self._forward_unless_width(n, x)\n    return x, n"
                f"{UNUSED}_forward_unless_width(self, n, x):\n    # type: (int, Tensor) -> Tuple[int, Tensor]\n"
                "    n = bad(n)\n    x = x + n\n    return n, x",
            ),
            (
                f"{DEF.replace('x,', 'x: torch.Tensor,')}    if self.flag:\n        bad(x)\n    print(x)",
                f"{DEF.replace('x,', 'x: torch.Tensor,')}    if self.flag:\n"
                "        self._forward_if_flag(x)\n    print(x)"
                f"{UNUSED}_forward_if_flag(self, x):\n    # type: (torch.Tensor) -> None\n    bad(x)",
            ),
            **seen,
        )
    ),
    *Form(f"from __future__ import annotations\n\n{METHODS.text}", **KNOWN).mends(
        (
            f"{DEF}    sizes = x.size()\n    if self.flag:\n        bad(sizes)\n    print(x)",
            f"{DEF}    sizes = x.size()\n    if self.flag:\n        self._forward_if_flag(sizes)\n    print(x)"
            f"{UNUSED}_forward_if_flag(self, sizes):\n    # type: (List[int]) -> None\n    bad(sizes)",
        ),
        values={**KNOWN["values"], "Net.forward: sizes": Held((HeldValue("torch.Size"),))},
    ),
]

FORM = Form(
    """\
import torch
import warnings


def f(x, logger):
    {}


def check(x):
    if type(x) is int:
        raise TypeError(x)
    if not x:
        return
    y = 1


def change(x):
    check(x)
    x.a = 1
""",
    stops=(6, 0),
)
GUARD = "if not torch.jit.is_scripting():\n    "

VERIFY = (
    IMPORTS
    + """\
LIMITS = {1, 2, 3}


def verify(ok, message=None):
    if not torch.jit.is_scripting():
        if type(ok) is not bool:
            return True
    if not ok:
        message = message() if callable(message) else message
        raise ValueError(message)
    return True


"""
)
CASES["eager_checks"] = [
    *FORM.alone(
        *("x = x + 1", "x.add_(1)", "self.log(x)", "y.info(x)", "assert x.pop()", "if type(x) is int:\n    return x"),
        *("if type(x) is int:\n    y = 1\nprint(y)", "for y in x:\n    assert type(y) is int\nprint(y)"),
        *("if type(x) is int:\n    self.seen = 1", "raise ValueError('''a\nb''')", "x = check(x)", "change(x)"),
    ),
    *FORM.mends(
        *(
            (f"{check}\nreturn x", GUARD + check.replace("\n", "\n    ") + "\nreturn x")
            for check in (
                *("if type(x) is not int:\n    raise TypeError(f'{x!r}')", "warnings.warn('a', DeprecationWarning)"),
                *("check(x)", "logger.debug('%s', type(x))", "assert type(x) in (int, float), type(x)"),
                "for y in x:\n    z = type(y)\n    assert z is int",
                "for y in x:\n    z = iter(y)\n    assert next(z) == next(a for a in y)",
            )
        )
    ),
    *FORM.alone(*("x = y.flatten_parameters()", "flatten_parameters()", "y.flatten_parameters(x)", "y.flatten(x)")),
    *FORM.mends(
        ("y.flatten_parameters()  # one block", f"{GUARD}y.flatten_parameters()  # one block"),
        kind=MendKind.EXACT,
        says="SetComp aren't supported",
    ),
    *FORM.alone("assert next(x)", "for y in x:\n    z = y\n    assert next(z)"),
    *Form(
        IMPORTS + "def same(*args):\n    them = (arg for arg in args)\n    first = next(them)\n"
        "    assert all(arg == first for arg in them), str(args)\n\n\n" + NET.text.removeprefix(IMPORTS)
    ).compiles("same(x.dim(), self.n)\nsame(1, 1, 1)\nif x.dim() == 2:\n    same(2, 2)\n    x = x + 1"),
    *Form(VERIFY + NET.text.removeprefix(IMPORTS)).compiles(
        "verify(x.dim() in LIMITS, 'no')\nx = x + 1",
        "if x.dim() not in LIMITS:\n    said = repr(x)\n    raise ValueError(said)\nx = x + 1",
    ),
    *Form(VERIFY + "class Net:\n    def f(self, x):\n        {}\n", stops="verify(x").alone(
        "y = verify(x)\nreturn y", "if not torch.jit.is_scripting():\n    verify(x)"
    ),
]

YIELDS = """\
import torch, contextlib, warnings


@contextlib.contextmanager
def timer(name):
    yield


class Net(torch.nn.Module):
    def forward(self, x):
        {}
        return y
"""

FORM = Form(YIELDS, stops="yield")

CONTEXT = Form(
    IMPORTS
    + """\
import contextlib
from functools import partial


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fixed = False

    def forward(self, x):
        {}
        return x
""",
    says="Expected <function nullcontext.__aenter__> to be a function",
    stops=(0, 0),
    values={
        f"Net.forward: {each}": Held((HeldValue("contextlib.nullcontext"),))
        for each in ("make()", "make(n)", "ctx", "ctx()")
    },
)
CASES["eager_checks"] += [
    *CONTEXT.alone("with other():\n    x = x + 1", "with make() as y:\n    x = y", "ctx = make()\nx = ctx"),
    *CONTEXT.mends(
        (
            "with make():\n    x = x + 1",
            "if torch.jit.is_scripting():\n    x = x + 1\nelse:\n    with make():\n        x = x + 1",
        ),
        (
            "ctx = make()\nwith ctx:\n    x = x + 1",
            "if not torch.jit.is_scripting():\n    ctx = make()\n"
            "if torch.jit.is_scripting():\n    x = x + 1\nelse:\n    with ctx:\n        x = x + 1",
        ),
        (
            "n = x.add_(1)\nwith make(n):\n    x = x + 1",
            "n = x.add_(1)\nif torch.jit.is_scripting():\n    x = x + 1\nelse:\n    with make(n):\n        x = x + 1",
        ),
        (
            "ctx = make()\nwith ctx():\n    x = x + 1\nctx = x",
            "ctx = make()\nif torch.jit.is_scripting():\n    x = x + 1\nelse:\n    with ctx():\n        x = x + 1\n"
            "ctx = x",
        ),
    ),
    *Form(CONTEXT.text).compiles(
        "with contextlib.nullcontext():\n    x = x + 1",
        "ctx = torch.no_grad() if self.fixed else contextlib.nullcontext()\nwith ctx:\n    x = x + 1",
        "ctx = partial(torch.autocast, 'cpu') if self.fixed else contextlib.nullcontext\nwith ctx():\n    x = x + 1",
    ),
]

CASES["eager_checks"] += [
    *FORM.alone("with timer() as y:\n    x = 1", "with timer(): y = x", "with other():\n    y = x", "y = timer()"),
    *Form(YIELDS, stops="y = x").alone("with other():\n    y = x"),
    *FORM.mends(
        (
            "with timer('a'), open(x):\n    y = x + 1",
            "if torch.jit.is_scripting():\n    y = x + 1\nelse:\n    with timer('a'), open(x):\n        y = x + 1",
        )
    ),
    *FORM.compiles(
        "with timer('a'):\n    y = x + 1",
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    y = x + 1",
    ),
]

PROPERTIES = [
    "    @property\n    def device(self):\n        return next(self.parameters()).device\n\n",
    "    @property\n    def names(self):\n        return [n for n, p in self.named_parameters()]\n\n",
]
CHECKS = [
    "        self.lstm.flatten_parameters()\n",
    "        validate(x, 3)\n",
    "        if type(x) is not torch.Tensor or x.dim() == 4:\n            raise TypeError('x')\n",
    "        logger.debug('got %s', x.shape)\n",
    "        if x.dim() == 4:\n            warnings.warn('x', DeprecationWarning)\n",
]
DRAWN["eager_checks"] = Drawn(
    st.builds(
        (
            IMPORTS
            + '''\
import logging
import warnings

logger = logging.getLogger(__name__)


def validate(x, n):
    """Doc."""
    if type(x) is not torch.Tensor:
        raise TypeError("x")
    for t in [x, x]:
        if t.__class__.__name__ == "T":
            raise ValueError("y")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 4)

{}    def forward(self, x, mode: str = "a"):
{}        if mode == "b":
            return self.slow_unentered(x)
        return self.lstm(x)[0]

    def slow_unentered(self, x):
        return max([x], key=lambda y: y.sum())
'''
        ).format,
        st.lists(st.sampled_from(PROPERTIES), unique=True).map("".join),
        st.lists(st.sampled_from(CHECKS), max_size=4).map("".join),
    ),
    "torch.randn(2, 4)",
    ("unused_properties", "unused_functions"),
)

FORM = Form("import torch\n\n\ndef f(x, n):\n    {}", types={"f.n": ("int",)})
CASES["unset_names"] = [
    *NET.compiles(
        "framed = False\nif x.size(0) > self.n:\n    width = self.n // 2\n    y = torch.relu(x)\n    framed = True\n"
        "if framed:\n    x = x.view(-1, width) + y.view(-1, width)",
        "for i in range(3):\n    if i < 1:\n        input = x\n    else:\n        input = input * 2\nx = x + input",
    ),
    *(form := Form("import torch\n\n\ndef f(xs, n):\n    {}\n    return y\n", stops="return y")).alone(
        "for x in xs:\n    y = x",  # never seen
        "if n:\n    y = 1",  # never seen
    ),
    *form.alone("for x in xs:\n    y = x", values={"f: y": held("None", "1")}),
    *form.alone("y = 1\nfor x in xs:\n    y = x", "n += y\nfor x in xs:\n    y = x", values={"f: y": held("1")}),
    *(form := Form("import torch\nfrom typing import Optional\n\n\ndef f(xs, n):\n    {}\n", stops="y = ")).mends(
        (
            "while n:\n    for x in xs:\n        y = x\n        n -= y\nif n == 0: # note\n    return y\nxs += y",
            "if torch.jit.is_scripting():\n    y: Optional[int] = None\nwhile n:\n    for x in xs:\n        y = x\n"
            "        n -= y\nif n == 0: # note\n    if torch.jit.is_scripting():\n        assert y is not None\n"
            "    return y\nif torch.jit.is_scripting():\n    assert y is not None\nxs += y",
        ),
        values={"f: y": held("1", "2")},
    ),
    *form.mends(
        (
            "if n:\n    y = xs\nreturn n and y",
            "if torch.jit.is_scripting():\n    y = torch.empty(0)\nif n:\n    y = xs\nreturn n and y",
        ),
        values={"f: y": Held((HeldValue("torch.Tensor"),))},
        kind=MendKind.SCRIPTED,
    ),
    *form.mends(
        (
            "for x in xs:\n    if n:\n        n += y\n    y = x",
            "if torch.jit.is_scripting():\n    y: Optional[int] = None\nfor x in xs:\n    if n:\n"
            "        if torch.jit.is_scripting():\n            assert y is not None\n        n += y\n    y = x",
        ),
        values={"f: y": held("1")},
    ),
    *NET.compiles("for i in range(2):\n    y = x + i\n    k = i\nx = y * k"),
    *NET.compiles("for i in range(2):\n    if i > 0:\n        x = x + y\n    y, z = torch.relu(x), i"),
    *NET.compiles("for i in range(2):\n    y, z = x + i, x\ny = torch.relu(y)\nx = y + z"),
    *NET.compiles("if x.shape[0] > 2:\n    y = x + 1\nif x.shape[1] > 1:\n    x = y"),
    *NET.compiles("for i in range(2):\n    if i == 0:\n        y = x + 1\n    k = i\n    y = y * 2\nx = y * k"),
]

FORM = Form("import torch\n\n\ndef f(x, flag: bool = False):\n    {}\n")
ONE, PAIR = {"f.return": ("Tensor",)}, {"f.return": ("Tuple[Tensor, Tensor]",)}
EITHER = {"f.return": ("Tensor", "Tuple[Tensor, Tensor]")}
WRONG = "import torch\n\n\ndef f(x, flag: bool = False){}:\n    if flag:\n        {}return [x]\n    return x"


def untaken(value: str) -> tuple[str, str]:
    return f"if flag:\n    return {value}\nreturn x", f"if flag:\n    {ASSERTED}    return {value}\nreturn x"


CASES["dead_branches"] += [
    *FORM.alone("if flag:\n    return x, x\nreturn x"),
    *FORM.alone("if flag:\n    return x, x\nreturn x", "if flag:\n    return (*x,)\nreturn x", types=EITHER),
    *FORM.alone("if flag:\n    return [x]\nreturn x", types={"f.return": ("Tensor", "List[Tensor]")}),
    *FORM.alone(
        *("if flag:\n    return h(x)\nreturn x", "if flag: return x, x\nreturn x"),
        *("if not torch.jit.is_scripting():\n    return x, x\nreturn x", "def g():\n    return x, x\nreturn x"),
        *("if flag:\n    return x\nelse:\n    raise ValueError", "x += 1"),
        types=ONE,
    ),
    *FORM.alone(
        "if flag:\n    return None\nreturn x", "if flag:\n    return x", types={"f.return": ("Tensor", "None")}
    ),
    *FORM.mends(untaken("None"), types=ONE),
    *FORM.mends(
        ("if flag:\n    return\nreturn x", f"if flag:\n    {ASSERTED}    return\nreturn x"),
        *(
            (body, f"{body}\n{ASSERTED[:-1]}")
            for body in (
                "if flag:\n    return x",
                *("if flag:\n    return x\nelif x:\n    return x", "for y in x:\n    return y"),
            )
        ),
        types=ONE,
    ),
    *FORM.mends(untaken("x, x"), untaken("{}"), types=ONE),
    *FORM.mends(untaken("[x, x]"), types=EITHER),
    *FORM.mends(untaken("(x, x, x)"), types=PAIR),
    *FORM.mends(
        ("y = h(x)\nif flag:\n    return x, y\nreturn y", f"y = h(x)\nif flag:\n    return x, y\n{ASSERTED}return y"),
        types={**PAIR, "f.y": ("Tensor",)},
    ),
    *FORM.alone(
        "y = h(x)\nif flag:\n    return x, y\nreturn y", types={**PAIR, "f.y": ("Tensor", "Tuple[Tensor, Tensor]")}
    ),
    *Form().mends((WRONG.format(" -> List[Tensor]", ""), WRONG.format("", f"{ASSERTED}        ")), types=ONE),
]

FORM = Form(
    IMPORTS + "class Timed(nn.Module):\n    size = 1\n\n\nclass Scale(Timed):\n"
    "    def forward(self, x, y: torch.Tensor):\n        return x * y\n\n\nclass Net(nn.Sequential):\n"
    "    def __init__(self):\n        super().__init__(nn.ReLU(), Scale())\n\n"
    "    def forward(self, x):\n        for layer in self:\n            {}\n        return x\n",
    **{"stops": "Timed)", "says": "Unknown type name 'Timed'"},
)
PLAIN, LATER = FORM.text.replace("Timed(nn.Module)", "Timed"), "from __future__ import annotations\n" + FORM.text
CASES["layer_classes"] = [
    *FORM.compiles("x = layer(x, x) if isinstance(layer, Timed) else layer(x)"),
    *FORM.compiles("if not isinstance(layer, Timed):\n    x = layer(x)\nelse:\n    x = layer(x, x)"),
    *FORM.alone("x = layer(x, x) if isinstance(layer, Scale) else x"),
    *FORM.alone("if isinstance(layer, nn.Module):\n    x = layer(x)"),
    *FORM.mends(
        ("if isinstance(layer, nn.Module):\n    x = layer(x)", 'if hasattr(layer, "training"):\n    x = layer(x)'),
        values={"Net.forward: layer": Held((HeldValue("torch.nn.modules.linear.Linear", is_module=True),))},
    ),
    *Form(PLAIN, **FORM.facts).alone("x = isinstance(x, Timed)"),
    *Form(LATER, **FORM.facts).alone("x = layer(x, x) if isinstance(layer, Timed) else layer(x)"),
]

FORM = Form("import torch\nimport numpy as np\n\n\ndef f(x, y):\n    if {}:\n        return y\n    return x\n")
KNOWN = {"f: x": Held((HeldValue("torch.Tensor"),)), "f: y": held("2", "None")}
SCRIPTING = "if torch.jit.is_scripting() else"


def answers(*tests: str, result: str = "False") -> dict[str, Held]:
    return {**KNOWN, **{f"f: {test}": held(result) for test in tests}}


CASES["type_tests"] = [
    *FORM.alone("isinstance(x, np.ndarray)", "isinstance(x, torch.Tensor)", "x is y", values=KNOWN),
    *FORM.alone("isinstance(y, np.ndarray)", values=answers("isinstance(y, np.ndarray)", result="True")),
    *FORM.alone("isinstance(x, torch.Tensor)", values=answers("isinstance(x, torch.Tensor)", result="True")),
    *FORM.alone("isinstance(x, torch.nn.Parameter)", values=answers("isinstance(x, torch.nn.Parameter)")),
    *FORM.mends(
        ("isinstance(x, np.ndarray)", f"False {SCRIPTING} isinstance(x, np.ndarray)"),
        ("not isinstance(x, np.ndarray)", f"True {SCRIPTING} not isinstance(x, np.ndarray)"),
        ("isinstance(x, np.ndarray) and y", f"False {SCRIPTING} isinstance(x, np.ndarray) and y"),
        ("isinstance(x, np.ndarray) or y", f"(False {SCRIPTING} isinstance(x, np.ndarray)) or y"),
        ("isinstance(y, np.ndarray)", f"False {SCRIPTING} isinstance(y, np.ndarray)"),
        ("type(x) is list", f"False {SCRIPTING} type(x) is list"),
        values=answers("isinstance(x, np.ndarray)", "isinstance(y, np.ndarray)", "type(x) is list"),
    ),
    *FORM.mends(
        ("isinstance(x, list)", f"False {SCRIPTING} isinstance(x, list)"),
        values={**answers("isinstance(x, list)"), "f: x": Held((HeldValue("builtins.function"),))},
    ),
    *FORM.mends(
        ("torch.cuda.is_available()", f"False {SCRIPTING} torch.cuda.is_available()"),
        ("not torch.cuda.is_available()", f"True {SCRIPTING} not torch.cuda.is_available()"),
        values={"f: torch.cuda.is_available()": held("False")},
        kind=MendKind.SCRIPTED,
    ),
    *FORM.alone("torch.cuda.is_available()", values={"f: torch.cuda.is_available()": held("False", "True")}),
    *NET.compiles(
        "if torch.cuda.is_available():\n    x = x.cuda()", 'x = x.to("cuda" if torch.cuda.is_available() else "cpu")'
    ),
    *Form(NET.text.replace("import torch\n", "import torch\nimport numpy as np\n", 1)).compiles(
        *("if isinstance(x, np.ndarray):\n    x = self.no(x)", "if torch.is_tensor(x) or self.no:\n    x = x + 1"),
        *("if not torch.is_tensor(x):\n    x = self.no(x)", "if type(x) == list and x[0].no:\n    x = self.no(x)"),
        "if isinstance(x, list) and self.no(x):\n    x = x[0]",
    ),
]

"""Lambdas and small functions in locals."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
def f(keys, values, n):
    {}
"""
)
FORM = Form("def f(x, y, n):\n    {}\n")


CASES = [
    *FORM.alone(
        "g = lambda t: t + 1\nreturn g",
        "g = lambda t: t + 1",
        "g = lambda t: t + 1\nif n:\n    g = h\nreturn g(x)",
        "if n:\n    g = lambda t: t\nreturn g(x)",
        "return g(x)\ng = lambda t: t + 1",
        "g = lambda t, u=1: t + u\nreturn g(x)",
        "g = lambda *t: t\nreturn g(x)",
        "g = lambda t: t + 1\nreturn g(t=x)",
        "g = lambda t: t + 1\nreturn g(*x)",
        "g = lambda t: t + t\nreturn g(h(x))",
        "g = lambda t: h(y) + t\nreturn g(h(x))",
        "g = lambda t: t if y else n\nreturn g(h(x))",
        "g = lambda t: n\nreturn g(h(x))",
        "g = lambda t, u: t + u\nreturn g(h(x), h(y))",
        "g = lambda t: t + n\nreturn [g(x) for n in y]",
        "g = lambda t: [t + u for u in x]\nreturn [g(u) for u in y]",
        "g = lambda t: t + 1\nreturn g(g(x))",
        "g = lambda t: g(t)\nreturn g(x)",
        "def g(t):\n    t = t + 1\n    return t\nreturn g(x)",
        "@h\ndef g(t):\n    return t\nreturn g(x)",
        "def g(t):\n    return t\ndef h(t):\n    u = t\n    return g(u)\nreturn h(x)",
    ),
    *FORM.mends(
        ("g = lambda t: t + 1\nreturn g(x) * g(y)", "return (x + 1) * (y + 1)"),
        ("g = lambda t: t * n\nreturn g(x + 1)", "return (x + 1) * n"),
        ("g = lambda t: t.view(n).sum()\nreturn g(h(x))", "return h(x).view(n).sum()"),
        ("def g(t):\n    return t + 1\nreturn g(x)", "return x + 1"),
        ("g = lambda: x\nreturn g()", "return x"),
        ("g = lambda t: t + n\na, b = map(g, x)\nreturn a", "a, b = map(lambda t: t + n, x)\nreturn a"),
        ("if n:\n    g = lambda t: t\n    x = g(y)\nreturn x", "if n:\n    x = y\nreturn x"),
    ),
    *NET.compiles(
        "f = lambda t: t * 2 + self.n\nx = f(x) + f(x)",
        "def f(t):\n    return t + 1\nx = f(x.neg())",
        "f = lambda: x + 1\nx = f()",
    ),
]

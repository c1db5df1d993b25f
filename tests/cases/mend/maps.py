"""`map` of lambdas and functions."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
def f(q, k, v):
    {}
    return q, k, v
"""
)
FORM = Form("def f(x, y, n):\n    {}\n")


CASES = [
    *FORM.alone(
        "return map(lambda t: t + 1, x)",
        "a, *b = map(lambda t: t + 1, x)",
        "a, b = map(*x)",
        "a, b = map(make(), x)",
        "a, b = map(lambda t, u=1: t + u, x)",
        "a, b = map(lambda *t: t, x)",
        "a, b = map(lambda: 1, x)",
        "map = n\na, b = map(lambda t: t, x)",
        "a = map(lambda t: t + 1, x)\nreturn sum(a), sum(a)",
        "a = map(lambda t: t + n, x)\nn = 2\nreturn sum(a)",
        "a = map(lambda t: t + 1, x)\nreturn next(a)",
        "for t in map(lambda t: t + 1, x):\n    n += t",
        "return list(map(lambda t: t, x), 2)",
        "return len(map(lambda t: t, x))",
    ),
    *FORM.mends(
        ("q, k = map(lambda t: t * n, (x, y))", "q, k = [t * n for t in (x, y)]"),
        ("q, k = map(lambda t, u: t * u, x, (1, 2))", "q, k = [t * u for t, u in zip(x, (1, 2))]"),
        ("q, k = map(F.relu, (x, y))", "q, k = [F.relu(each) for each in (x, y)]"),
        ("each = 2\nq, k = map(F.relu, x)", "each = 2\nq, k = [F.relu(each_1) for each_1 in x]"),
        ("return list(map(lambda t: t + 1, x))", "return [t + 1 for t in x]"),
        ("return list(filter(lambda t: t > 1, x))", "return [t for t in x if t > 1]"),
        ("q, k = map(lambda t: t, x if n else y)", "q, k = [t for t in (x if n else y)]"),
        ("q, k = map(lambda t: g(t,\n    n), x)", "q, k = [(g(t,\n    n)) for t in x]"),
        (
            "a = (x, y)\nif n:\n    a = map(lambda t: t[:n], a)\nfor b in a:\n    return b",
            "a = (x, y)\nif n:\n    a = (a[0][:n], a[1][:n])\nfor b in a:\n    return b",
        ),
        ("a = map(g, x)\nreturn sum(a)", "a = [g(each) for each in x]\nreturn sum(a)"),
    ),
    *NET.compiles(
        "q, k = map(lambda t: t * 2, (x, x))\nx = q + k",
        "x = torch.stack(list(map(F.relu, [x, x])))",
        "a, b = map(lambda t, u: t + u, (x, x), (x, x))\nx = a - b",
        "p = (x, x)\nif x.dim() > 1:\n    p = map(lambda t: t[:1], p)\na, b = map(lambda t: t + 1, p)\nx = a",
    ),
]

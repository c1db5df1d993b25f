"""Comprehensions with tests."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
def f(xs):
    {}
    return kept
"""
)
FORM = Form("def f(x, y, n):\n    {}\n")


CASES = [
    *FORM.alone(
        "return [a for a in x]",
        "return sum(a for a in x if a)",
        "return {a for a in x if a}",
        "return g(n) + h([a for a in x if a])",
        "return y and [a for a in x if a]",
        "return [a for a in x if a] if y else n",
        "return [[b for b in a if b] for a in x]",
        "if [a for a in x if a]:\n    return y",
        "if n: return [a for a in x if a]",
        "return lambda: [a for a in x if a]",
    ),
    *FORM.mends(
        ("b = [a for a in x if a > n]", "b = []\nfor a in x:\n    if a > n:\n        b.append(a)"),
        (
            "return [a for a in x if a > n]",
            "kept = []\nfor a in x:\n    if a > n:\n        kept.append(a)\nreturn kept",
        ),
        (
            "b = g([a for a in x if a > n], h(y))",
            "kept = []\nfor a in x:\n    if a > n:\n        kept.append(a)\nb = g(kept, h(y))",
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
        "x = torch.cat([t for t in x.chunk(4) if t.numel() > 1])",
        "xs = [t + 1 for t in x.chunk(4) if t.numel() > 1]\nx = xs[0]",
        "d = {str(t.numel()): t for t in x.chunk(4) if t.numel() > 1}\nx = d['2']",
    ),
]

"""Several values assigned at once, empty containers among them."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
def f(xs):
    {}
    return found, index
"""
)
FORM = Form("""\
def f(x):
    a = b = 0
    {}
    return a, b
""")

CASES = [
    *FORM.alone(
        "a, b = b, []",
        "a, b = 1, 2",
        "a, a = [], []",
        "a, *b = [], 1, 2",
        "a, b = *x, []",
        "a, x[0] = [], 1",
        "a = b = []",
        "(a, b), c = [], 1",
    ),
    *FORM.mends(
        ("a, b = {}, []", "a = {}\nb = []"),
        ("a, b, c = {}, len(x), x + 1  # why", "a = {}\nb = len(x)\nc = x + 1  # why"),
    ),
]

"""Declarations of locals without a value."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
def f(other):
    {}
    return size
"""
)
FORM = Form("{}\n")
FORM_2 = Form("""\
def f(x):
    # a size
    {}
        y = 1
    else:
        y = 2
    return y
""")

CASES = [
    *FORM.alone(
        "def f(x):\n    y: int = 1\n    return y",
        "y = 1\n\n\ndef f(x):\n    y: int\n    return x",
        "def f(x):\n    if x:\n        y: int\n    y = 1\n    return y",
        "def f(x):\n    x.y: int\n    x.y = 1\n    return x",
        "class C:\n    y: int\n\n    def f(self):\n        return self.y",
    ),
    *FORM_2.mends(("y: int\nif x:", "if x:")),
]

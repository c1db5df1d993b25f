"""Parameters behind a bare star."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    {}
"""
)
FORM = Form("{}\n    return x\n")
FORM_2 = Form("{}\n    return n * 2\n")

COMPILED = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def g(self, x, *, n: int = 2):
        return x * n

    def forward(self, x):
        return {}
"""
)

CASES = [
    *FORM.alone(
        "def f(x, n=2):",
        "def f(x, *, n):",
        "def f(x, *args, n=2):",
        "def f(x, *, n=2, m):",
        "def f(x=1, *, m, n=2):",
        "def f(x, **kwargs):",
        "def f(x, *,  # by name\n    n=2):",
    ),
    *FORM_2.mends(
        ("def f(x, *, n=2):", "def f(x, n=2):"),
        ("def f(*, n=2):", "def f(n=2):"),
        ("def f(x, *, m, n: int = 2):", "def f(x, m, n: int = 2):"),
        ("def f(x, /, *, n=2, **kwargs):", "def f(x, /, n=2, **kwargs):"),
        ("def f(\n    x=3 * 2,\n    *,\n    n=2,\n):", "def f(\n    x=3 * 2,\n    n=2,\n):"),
    ),
    *COMPILED.compiles(
        "self.g(x, n=3) + self.g(x)",
    ),
]

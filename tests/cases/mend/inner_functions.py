"""Functions inside functions."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
{}
"""
)
FORM = Form("def f(x, n):\n    {}\n")


CASES = [
    *FORM.alone(
        "def g(t):\n    u = t\n    return u\nreturn g",
        "def g(t):\n    u = t\n    return g(u)\nreturn g(x)",
        "def g(t, *u):\n    u = t\n    return u\nreturn g(x)",
        "def g(t):\n    nonlocal n\n    n = t\nreturn g(x)",
        "@h\ndef g(t):\n    u = t\n    return u\nreturn g(x)",
        "def g(t):\n    u = t + n\n    return u\nreturn [g(n) for n in x]",
        "def g(t):\n    yield t\nreturn g(x)",
        "def g(t):\n    u = t\n    return u\nreturn g(t=x)",
        "g = n\ndef g(t):\n    u = t\n    return u\nreturn g(x)",
    ),
    *NET.compiles(
        "def shifted(t):\n    u = t + x\n    return u * 2\n\nreturn shifted(x) - shifted(x * 3)",
    ),
]

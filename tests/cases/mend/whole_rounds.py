"""`round` that gives a whole number."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
def f(size: int):
    {}
    return factor
""",
    types={"f.factor": ("int",)},
)
FORM = Form("def f(x, n):\n    {}")

CASES = [
    *FORM.alone(
        "k = int(round(n / 2))",
        "k = round(n, 1)",
        "k = g(round(n / 2))",
        "k, m = round(n), 2",
        "return round(n)",
        "k = n.round()",
        types={"f.k": ("int",)},
    ),
    *FORM.alone("k = round(x)", types={"f.k": ("Tensor",)}),
    *FORM.alone("k = round(x)", types={"f.k": ("int", "Tensor")}),
    *FORM.alone("k = max(1, round(min(x.size()[-2:]) / 256)), round(n)"),
    *FORM.mends(("k = max(1, round(min(x.size()[-2:]) / 256))", "k = max(1, int(round(min(x.size()[-2:]) / 256)))")),
    *FORM.mends(
        ("k = round(n / 2)", "k = int(round(n / 2))"),
        ("k = max(1, -round(n / 2) * 2)", "k = max(1, -int(round(n / 2)) * 2)"),
        types={"f.k": ("int",)},
    ),
]

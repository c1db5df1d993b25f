"""The kind of number that `item` gives."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
def f(best):
    {}
    return tags
""",
    types={"f.tags": ("List[int]",)},
)
FORM = Form("def f(x, n):\n    {}")

CASES = [
    *FORM.mends(
        ("k = x.item()", "k = int(x.item())"),
        ("k = 2 * x.item() + 1", "k = 2 * int(x.item()) + 1"),
        ("k = x.item() if n else 0", "k = int(x.item()) if n else 0"),
        types={"f.k": ("int",)},
    ),
    *FORM.mends(("k = x.max().item()", "k = float(x.max().item())"), types={"f.k": ("float",)}),
    *FORM.mends(("k = x.any().item()", "k = bool(x.any().item())"), types={"f.k": ("bool",)}),
    *FORM.mends(
        ("k = [x.item(), n]", "k = [int(x.item()), n]"),
        ("k = [y.item() for y in x]", "k = [int(y.item()) for y in x]"),
        types={"f.k": ("List[int]",)},
    ),
    *FORM.mends(("k = [[x.item()]]", "k = [[int(x.item())]]"), types={"f.k": ("List[List[int]]",)}),
]

"""The kind of number that `item` gives."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

from pdt_annotate.values.types import TypeExpr

DOCUMENTED = Form(
    """\
def f(best):
    {}
    return tags
""",
    types={"f.tags": ("List[int]",)},
)
FORM = Form("def f(x, n):\n    {}")

CALLED = Form(IMPORTS + "def f(x):\n    {}\n")

CASES = [
    *FORM.alone(
        "k = int(x.item())",
        "k = x.item",
        "k = x.item(0)",
        "k = g(x.item())",
        "k, m = x.item(), 1",
        "int = 3; k = x.item()",
        "return x.item()",
        types={"f.k": ("int",)},
    ),
    *FORM.alone("k = x.item()"),
    *FORM.alone("k = x.item()", types={"f.k": ("int", "float")}),
    *FORM.alone("k = x.item()", types={"f.k": ("Tensor",)}),
    *FORM.alone("k = x.item() / 2", "k = x.item() * 0.5", types={"f.k": ("float",)}),
    *FORM.alone("k = [x.item()]", types={"f.k": (TypeExpr("list"),)}),
    *FORM.alone("k = [x.item(), 0.5]", types={"f.k": ("List[Union[int, float]]",)}),
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
    *FORM.mends(("k = [x.item()]", "k = [int(x.item())]"), types={"f.k": (TypeExpr("list"), "List[int]")}),
    *CALLED.compiles(
        "k = [x.max().item(), 2]\nreturn x[k[0]]",
        "k: List[int] = [x.max().item()]\nreturn k",
        "k = [y.item() for y in [x[0], x[1]]]\nreturn [each + 1 for each in k], list(range(k[0]))",
        args="torch.tensor([1, 2, 3, 0])",
        types={"f.k": ("List[int]",)},
    ),
    *CALLED.compiles(
        "k = 0\nk = x.max().item()\nreturn list(range(k))",
        "k = x.max().item() + 1\nreturn x, x.view(1, -1).expand(k, -1)[k - 1]",
        "k = x.max().item()\nreturn x[k]",
        args="torch.tensor([1, 2, 3, 0])",
        types={"f.k": ("int",)},
    ),
]

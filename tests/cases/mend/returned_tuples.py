"""Lists that are returned as tuples."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
def f(features):
    {}
""",
    types={"f.features": ("List[Tensor]",), "f.return": ("Tuple[Tensor, Tensor, Tensor]",)},
)
FORM = Form("def f(x, xs):\n    {}\n")

CASES = [
    *FORM.alone("return tuple(xs)", types={"f.xs": ("List[Tensor]",)}),
    *FORM.alone(
        "return tuple(xs)",
        types={"f.return": ("Tuple[Tensor, Tensor]", "Tuple[Tensor, Tensor, Tensor]"), "f.xs": ("List[Tensor]",)},
    ),
    *FORM.alone(
        "return tuple(xs)",
        types={
            "f.return": ("Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]",),
            "f.xs": ("List[Tensor]",),
        },
    ),
    *FORM.alone("return tuple(xs)", types={"f.return": ("Tuple[()]",), "f.xs": ("List[Tensor]",)}),
    *FORM.alone(
        "return list(xs)",
        "return (*xs, x)",
        "return tuple(x)",
        "return tuple(g(x))",
        "tuple = x\nreturn tuple(xs)",
        "if x: return tuple(xs)",
        types={"f.return": ("Tuple[Tensor, Tensor]",), "f.xs": ("List[Tensor]",)},
    ),
    *FORM.mends(
        ("return tuple(xs)", "assert len(xs) == 2\nreturn xs[0], xs[1]"),
        (
            "return tuple(a + 1 for a in xs)",
            "items = [a + 1 for a in xs]\nassert len(items) == 2\nreturn items[0], items[1]",
        ),
        types={"f.return": ("Tuple[Tensor, Tensor]",), "f.xs": ("List[Tensor]",)},
    ),
    *FORM.mends(
        ("return (*xs,)", "assert len(xs) == 1\nreturn xs[0],"),
        types={"f.return": ("Tuple[Tensor]",), "f.xs": ("List[Tensor]",)},
    ),
]

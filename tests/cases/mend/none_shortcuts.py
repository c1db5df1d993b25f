"""Tests that None decides."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x, cache=None):
        {}
        return cache[self.key]
""",
    types={"Net.forward.cache": ("None",)},
    stops="not in cache",
)
FORM = Form("""\
def f(x, c=None):
    {}
        return 1
    return 2
""")

CASES = [
    *FORM.alone("if c is None:", types={"f.c": ("None",)}, stops="if c is None:"),
    *FORM.alone("if x in c or c is None:", types={"f.c": ("None",)}, stops="if x in c or c is None:"),
    *FORM.alone("if c is not None or x in c:", types={"f.c": ("None",)}, stops="if c is not None or x in c:"),
    *FORM.alone("if c is None and x in c:", types={"f.c": ("None",)}, stops="if c is None and x in c:"),
    *FORM.alone("if x is None or x in c:", types={"f.c": ("None",)}, stops="if x is None or x in c:"),
    *FORM.alone("if c is None or x in c:", types={"f.c": ("None", "Tensor")}, stops="if c is None or x in c:"),
    *FORM.alone("if c is None or x in c:", stops="if c is None or x in c:"),
    *FORM.alone("if c is None or x in c:", types={"f.c": ("None",)}, stops="return 1"),
    *FORM.mends(
        ("if x if c is not None and c else 0:", "if x if (c if c is not None else False) else 0:"),
        types={"f.c": ("None",)},
        stops="if x if c is not None and c else 0:",
    ),
]

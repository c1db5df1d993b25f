"""Sets, f-strings and `reversed`."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
def f(x, mode, n):
    {}
    return x
"""
)
FORM = Form(
    """\
import torch


def f(x, y, n):
    {}
""",
    types={"f.y": ("List[int]",)},
)


CASES = [
    *FORM.alone(
        "return {1, 2}",
        "return len({1, 2})",
        "return x in {y, n}",
        "return x in {*y}",
        "return {1} in x",
        "return f'{x}'",
        "return f'{x=}'",
        "return f'{x:{n}}'",
        "return list(reversed(x))",
        "return reversed([x])",
        "return list(reversed(range(1, n)))",
        "reversed = n\nreturn list(reversed([x]))",
    ),
    *FORM.mends(
        ('return x in {"a", "b"}', 'return x in ("a", "b")'),
        ("return x not in {1}", "return x not in (1,)"),
        ("return x in {torch.half, torch.float}", "return x in (torch.half, torch.float)"),
        ('raise E(f"no {x!r} in {{{n}}}")', 'raise E("no {!r} in {{{}}}".format(x, n))'),
        ("return f'{x:.2f} {n}' + y", "return '{:.2f} {}'.format(x, n) + y"),
        ("return list(reversed(y))", "return list(y[::-1])"),
        ("return enumerate(reversed([x, n]))", "return enumerate([x, n][::-1])"),
        ("return zip(reversed(x[:n]), y)", "return zip(x[:n][::-1], y)"),
        ("return [a for a in reversed(range(n))]", "return [a for a in range(n - 1, -1, -1)]"),
        ("return list(reversed(range(n + 1)))", "return list(range((n + 1) - 1, -1, -1))"),
    ),
    *NET.compiles(
        "x = x + 1 if self.n in {1, 2} else x",
        "assert self.n == 2, f'no {self.n!r} {self.n:03d}'",
        "for i in reversed(range(self.n)):\n    x = x * 2 + i",
        "for t in reversed([x, x + 1]):\n    x = x * 2 + t",
        "if x.dtype in {torch.float32, torch.float64}:\n    x = x + 1",
    ),
]

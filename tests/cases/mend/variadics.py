"""`*args` and `**kwargs` of one's own def."""

from __future__ import annotations

from mend_cases import Form

from pdt_annotate.values.mends import Held, HeldValue, MendKind, Variadic

DOCUMENTED = Form(
    """\
class PreNorm(nn.Module):
    {}


class Attention(nn.Module):
    def forward(self, x, mask=None):
        return x
""",
    held={"PreNorm.fn": Held((HeldValue("model.Attention"),))},
    passed={"PreNorm.forward": Variadic(names=("mask",))},
    kind=MendKind.EXACT,
)

"""Tests that are settled in the constructor: constants."""

from __future__ import annotations

from hypothesis import strategies as st
from mend_cases import IMPORTS, Drawn, Form
from mended import held

DOCUMENTED = Form(
    """\
{}
""",
    held={"Block.skip": held("3", "0")},
    stops="return x, self.side(x)",
)

TESTS = st.recursive(
    st.sampled_from(["self.kind == 'a'", "self.kind in ('b', 'c')", "self.act is None", "self.skip", "self.skip > 1"]),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=3,
)
DRAWN_FORM = Form(
    IMPORTS
    + """\
class Block(nn.Module):
    def __init__(self, kind, act, skip):
        super().__init__()
        self.kind = kind
        self.act = act
        self.skip = skip

    def forward(self, x):
        if {}:
            return x * 2
        return x, x + 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block("a", F.relu, 0), Block("b", None, 3)])

    def forward(self, x):
        return self.blocks[0](x), self.blocks[1](x)
"""
)
DRAWN = Drawn(TESTS.map(DRAWN_FORM.fill))

"""Constants of the constructor, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.constant_tests import RULE

MODULE = (
    HEAD
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
TESTS = st.recursive(
    st.sampled_from(["self.kind == 'a'", "self.kind in ('b', 'c')", "self.act is None", "self.skip", "self.skip > 1"]),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=3,
)


@settings(max_examples=10, deadline=None)
@given(test=TESTS)
def test_blocks_of_two_types_answer_as_before_and_script(tmp_path_factory, test: str) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    found = recover(folder, MODULE.format(test), [RULE], torch.randn(2, 3))
    assert found.scripts and found.answers_alike, (found.messages, found.source)

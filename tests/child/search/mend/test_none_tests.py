"""Tests for truth, before the real compiler: it folds what is compared with None."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, load, recover

from pdt_annotate.search.mend.none_tests import RULE

MODULE = (
    HEAD
    + """\
class Block(nn.Module):
    def __init__(self, down, layers, pair):
        super().__init__()
        self.down = down
        self.layers = layers
        self.pair = pair

    def forward(self, x, scale: Optional[float] = None, sizes: Optional[List[int]] = None):
        if {}:
            x = x + 1
        return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(nn.ReLU(), nn.ModuleList(), (1, 2))
        self.second = Block(None, nn.ModuleList([nn.Tanh()]), None)

    def forward(self, x):
        return self.second(self.first(x, 2.0), None, [1])
"""
)
TESTS = st.recursive(
    st.sampled_from(["self.down", "self.layers", "self.pair", "scale", "sizes", "x.dim() == 2"]),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=4,
)


@settings(max_examples=15, deadline=None)
@given(test=TESTS)
def test_any_test_answers_as_before_and_scripts(tmp_path_factory, test: str) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    found = recover(folder, MODULE.format(test), [RULE], torch.ones(2, 3))
    assert found.scripts and found.answers_alike, found.messages
    before, after = load(folder, MODULE.format(test)), load(folder, found.source)
    for scale in (None, 0.0, 1.5):
        for sizes in (None, [], [3]):
            for down, pair in ((None, (1,)), (torch.nn.ReLU(), ())):
                args = down, torch.nn.ModuleList(), pair
                assert torch.equal(*(m.Block(*args)(torch.ones(2, 3), scale, sizes) for m in (before, after)))

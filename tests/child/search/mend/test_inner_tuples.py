"""Named tuples of functions before the real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from mended_module import HEAD, recover

from pdt_annotate.search.mend.inner_tuples import RULE

NET = HEAD + (
    "from collections import namedtuple\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        y = x * 2\n"
)


@pytest.mark.parametrize(
    "body",
    [
        '        out = namedtuple("Out", ["a", "b"])\n        return out(x, y)\n',
        '        return namedtuple("Out", "a b")(x, b=y)\n',
        '        out = namedtuple("Out", ["a"])\n        return out(x).a + out(y)[0]\n',
    ],
)
def test_it_answers_as_before_and_scripts(tmp_path: Path, body: str) -> None:
    recovered = recover(tmp_path, NET + body, [RULE], torch.ones(2))
    assert recovered.messages
    assert recovered.scripts

"""Paths as Python reads them."""

from __future__ import annotations

import pytest

from pdt_annotate.graphs.paths import accessed, cut


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "self"),
        ("conv.weight", "self.conv.weight"),
        ("blocks.0.weight", "self.blocks[0].weight"),
        ("other.0.weight", "getattr(self.other, '0').weight"),
        ("blocks.0.class", "getattr(self.blocks[0], 'class')"),
        ("a-b.c", "getattr(self, 'a-b').c"),
    ],
)
def test_how_a_method_reads_them(path: str, said: str) -> None:
    assert accessed(path, ["blocks"]) == said


def test_cutting() -> None:
    assert [cut("a.b.c", depth) for depth in (1, 2, 5)] == ["a", "a.b", "a.b.c"]

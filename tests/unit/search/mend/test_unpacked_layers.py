"""Layers that are unpacked."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.construction import LISTS
from pdt_annotate.search.mend.unpacked_layers import RULE
from pdt_annotate.values.mends import Held, HeldValue

HEAD = "class Net(nn.Module):\n    def forward(self, x):\n"
HELD = {
    "blocks": Held((HeldValue(LISTS[0], length=2, items=(LISTS[1], LISTS[0])),)),
    "pair": Held((HeldValue(LISTS[0], length=2, items=("Linear",)),)),
    "sizes": Held((HeldValue("builtins.list", length=2, items=("builtins.tuple",)),)),
}


def mended(folder: Path, *lines: str, entered: tuple[str, ...] = ("Net.forward",)) -> list[str]:
    source = HEAD + "".join(f"        {line}\n" for line in lines)
    text = Mended(folder, source, {"Net": HELD}, entered=entered).apply(RULE)
    return [line[8:] for line in text.removeprefix(HEAD).splitlines()]


@pytest.mark.parametrize(
    "lines",
    [
        ["for a, b in self.sizes:", "    x = a + b"],
        ["for a, b in self.pair:", "    x = a + b"],
        ["for a, *b in self.blocks:", "    x = a(x)"],
        ["for a, b in self.blocks: x = a(x)"],
        ["for i, a in enumerate(self.blocks):", "    x = a(x)"],
        ["a, b = self.sizes"],
        ["a, b = x"],
        ["for block in self.pair:", "    a, b = block"],
        ["for block in self.blocks:", "    block = x", "    a, b = block"],
    ],
)
def test_what_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert mended(tmp_path, *lines) == lines


def test_what_no_example_unpacked_is_left_alone(tmp_path: Path) -> None:
    lines = ["for a, b in self.blocks:", "    x = a(x)"]
    assert mended(tmp_path, *lines, entered=()) == lines


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        (
            ["for a, b in self.blocks:", "    x = b(a(x))"],
            ["for block in self.blocks:", "    a = block[0]", "    b = block[1]", "    x = b(a(x))"],
        ),
        (
            ["for i, (a, b) in enumerate(self.blocks):", "    # first", "    x = a(x)"],
            [
                "for i, block in enumerate(self.blocks):",
                "    # first",
                "    a = block[0]",
                "    b = block[1]",
                "    x = a(x)",
            ],
        ),
        (
            ["for y, (a,) in zip(x, self.blocks):", "    x = a(y)"],
            ["for y, block in zip(x, self.blocks):", "    a = block[0]", "    x = a(y)"],
        ),
        (["x = [b(a(x)) for a, b in self.blocks]"], ["x = [block[1](block[0](x)) for block in self.blocks]"]),
        (["a, b = self.pair"], ["a = self.pair[0]", "b = self.pair[1]"]),
        (
            ["for i, block in enumerate(self.blocks):", "    a, b = block"],
            ["for i, block in enumerate(self.blocks):", "    a = block[0]", "    b = block[1]"],
        ),
    ],
)
def test_what_is_mended(tmp_path: Path, lines: list[str], after: list[str]) -> None:
    assert mended(tmp_path, *lines) == after

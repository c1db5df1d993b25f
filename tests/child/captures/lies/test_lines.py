"""Which statement decides whether a line runs: the place at which people are told that traces differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.captures.lies.lines import deciding, statement_at, text_of
from pdt_annotate.values.places import NO_PLACE, Place

SOURCE = """\
def plain(x):
    return x * 2


def forward(self, x, items):
    if x.sum() > 0:
        return x * 2
    y = x - 1
    for layer in self.layers:
        y = layer(y)
    for i in range(x.shape[0]):
        for layer in self.layers:
            y = layer(y)
    z = [plain(each) for each in items]
    w = y if y.dim() else -y
    while x.norm() > 1:
        x = x / 2
    if len(items) > 9:
        raise ValueError
    return x + y + z + w
"""


@pytest.fixture
def line(tmp_path: Path) -> Place:
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    return Place(str(file))


def at(place: Place, *numbers: int) -> tuple[Place, ...]:
    return tuple(Place(place.file, number) for number in numbers)


@pytest.mark.parametrize(
    ("numbers", "head"),
    [
        ((2,), 2),  # nothing decides
        ((6,), 6),  # nor about what asks
        ((7,), 6),
        ((8,), 6),  # a branch before it has returned
        ((13,), 11),  # and not the loop over layers
        ((2, 14), 14),  # what calls it
        ((15,), 15),
        ((16,), 16),  # `while` asks every time
        ((17,), 16),
        ((20,), 6),  # what raises decides nothing
    ],
)
def test_the_statement_that_decides(line: Place, numbers: tuple[int, ...], head: int) -> None:
    assert deciding(at(line, *numbers))[0] == Place(line.file, head)


def test_where_nothing_is_known_nothing_decides(tmp_path: Path) -> None:
    assert deciding(())[0] == NO_PLACE
    template = Place(str(tmp_path / "template.py"), 1)
    Path(template.file).write_text("{% no Python %}")
    assert deciding((template,)) == (template, None)
    assert statement_at(template) is None
    assert text_of(template) == "{% no Python %}"

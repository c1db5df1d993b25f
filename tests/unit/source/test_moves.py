"""Lines are followed into the file with the edits, and back."""

from __future__ import annotations

import pytest

from pdt_annotate.source.moves import Moves
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.places import Place

BEFORE = b"import b\n\ndef f(x):\n    return x\n"


def insert(*texts: tuple[int, str], source: bytes = BEFORE) -> Moves:
    return Moves(source, [Edit(offset, text) for offset, text in texts])


def test_without_edits_nothing_moves() -> None:
    for line in range(5):
        assert insert().follow(line) == insert().trace(line) == line


def test_lines_are_followed() -> None:
    moves = insert((0, "import a\n"), (17, ": T"), (20, "    y: int\n    z: int\n\n"))
    assert [moves.follow(line) for line in range(5)] == [0, 2, 3, 4, 8]
    assert moves.follow(99) == 8


def test_what_is_put_in_before_a_line_moves_it_and_what_is_put_into_it_does_not() -> None:
    assert insert((10, "x\n")).follow(3) == 4
    assert insert((11, "x\n")).follow(3) == 3


def test_lines_are_followed_back_and_new_ones_lead_to_their_neighbours() -> None:
    moves = insert((0, "import a\nimport c\n"), (17, ": T"), (20, "    y: int\n"))
    assert [moves.trace(line) for line in range(8)] == [0, 1, 1, 1, 2, 3, 3, 4]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_newline_counts_once(end: str) -> None:
    moves = insert((3 + len(end), f"y{end}y{end}"), source=f"# é{end}x{end}".encode("utf-8-sig"))
    assert moves.follow(1) == 1
    moves = insert((4 + len(end), f"y{end}y{end}"), source=f"# é{end}x{end}".encode("utf-8-sig"))
    assert [moves.follow(2), moves.trace(4)] == [4, 2]


WRAPPED = ((0, "import a\n"), (16, "\n    "), (17, ": Tä"), (17, ",\n"), (23, " "))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Place("", 1, 1), Place("", 2, 1)),
        (Place("", 3, 5), Place("", 4, 5)),
        (Place("", 3, 7), Place("", 5, 5)),
        (Place("", 3, 8), Place("", 6, 1)),
        (Place("", 4, 5), Place("", 7, 6)),
        (Place("", 4), Place("", 7)),
        (Place("m.py"), Place("m.py")),
    ],
)
def test_places_are_followed_there_and_back(before: Place, after: Place) -> None:
    moves = insert(*WRAPPED)
    assert moves.follow_place(before) == after
    assert moves.trace_place(after) == before


def test_what_was_put_in_leads_to_what_stands_behind_it() -> None:
    moves = insert(*WRAPPED)
    assert [moves.trace_place(Place("", 5, column)) for column in (3, 5, 7)] == [
        Place("", 3, 7),
        Place("", 3, 7),
        Place("", 3, 8),
    ]


def test_a_place_behind_the_end_is_on_the_last_line() -> None:
    assert insert().follow_place(Place("", 99, 3)).line == insert().trace_place(Place("", 99, 3)).line == 4


def test_a_newline_that_is_taken_away_counts_against_those_that_are_put_in() -> None:
    moves = Moves(b"a\n\nb\nc\n", [Edit(1, "\n", removed=2), Edit(4, ",\n ")])
    assert [moves.follow(line) for line in range(1, 5)] == [1, 1, 2, 4]

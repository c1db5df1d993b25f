"""Lines are followed into the file with the edits, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.source.moves import Moves, Places
from pdt_annotate.source.survey import survey
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner, Slot, SlotKind

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
    places = [moves.trace_place(Place("", 5, column)) for column in (3, 5, 7)]
    assert [(place.line, place.column) for place in places] == [(3, 7), (3, 7), (3, 8)]


def test_a_place_behind_the_end_is_on_the_last_line() -> None:
    assert insert().follow_place(Place("", 99, 3)).line == insert().trace_place(Place("", 99, 3)).line == 4


def test_a_newline_that_is_taken_away_counts_against_those_that_are_put_in() -> None:
    moves = Moves(b"a\n\nb\nc\n", [Edit(1, "\n", removed=2), Edit(4, ",\n ")])
    assert [moves.follow(line) for line in range(1, 5)] == [1, 1, 2, 4]


FILE = "m.py"

SOURCE = """\
@final
class Größe(Base):
    limit = 3

    @torch.jit.export
    def läuft(self, x, *args, ü="äö🦆", mask=None):
        a = b = []; found = []
        self.cache = None
        return x

async \\
  def later(
\tx,
\t\ty): pass
"""


def owner(qualname: str, line: int) -> Owner:
    return Owner(FILE, qualname, line)


METHOD = owner("Größe.läuft", 5)
CLASS = owner("Größe", 1)
LATER = owner("later", 11)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("slot", "line", "column"),
    [
        (Slot(METHOD, SlotKind.PARAMETER, "x"), 6, 21),
        (Slot(METHOD, SlotKind.PARAMETER, "*args"), 6, 25),
        (Slot(METHOD, SlotKind.PARAMETER, "ü"), 6, 31),
        (Slot(METHOD, SlotKind.PARAMETER, "mask"), 6, 40),
        (Slot(METHOD, SlotKind.PARAMETER, "gone"), 6, 9),
        (Slot(METHOD, SlotKind.RETURN, "return"), 6, 9),
        (Slot(METHOD, SlotKind.LOCAL, "found", 7), 7, 21),
        (Slot(METHOD, SlotKind.LOCAL, "self.cache", 8), 8, 9),
        (Slot(METHOD, SlotKind.LOCAL, "found", 8), 6, 9),
        (Slot(CLASS, SlotKind.ATTRIBUTE, "limit"), 3, 5),
        (Slot(CLASS, SlotKind.ATTRIBUTE, "cache"), 2, 7),
        (Slot(owner("Größe", 0), SlotKind.ATTRIBUTE, "cache"), 2, 7),
        (Slot(LATER, SlotKind.PARAMETER, "y"), 14, 3),
        (Slot(LATER, SlotKind.RETURN, "return"), 12, 7),
    ],
)
def test_a_slot_stands_at_its_name(slot: Slot, line: int, column: int, mark: str, newline: str) -> None:
    found = survey(FILE, (mark + SOURCE.replace("\n", newline)).encode())
    assert found.place_of(slot) == Place(FILE, line, column)


def test_the_bytes_of_other_encodings_are_not_counted() -> None:
    source = "# coding: latin-1\ndef f(ä, x): pass\n".encode("latin-1")
    assert survey(FILE, source).place_of(Slot(owner("f", 2), SlotKind.PARAMETER, "x")) == Place(FILE, 2, 10)


def test_functions_and_classes_stand_at_their_names() -> None:
    found = survey(FILE, SOURCE.encode())
    assert [each.place for each in found.by_line.values()] == [Place(FILE, *at) for at in ((2, 7), (6, 9), (12, 7))]
    assert found.place(owner("Größe.läuft", 5)) == Place(FILE, 6, 9)
    assert found.place(owner("gone", 5)) == Place(FILE, 5)


def test_of_a_file_that_was_written_since_the_old_text_counts(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("import a\n\ndef f(x: int, y: int): pass\n")
    slot = Slot(Owner(str(file), "f", 2), SlotKind.PARAMETER, "y")
    change = FileChange(str(file), b"\ndef f(x, y): pass\n", file.read_bytes())
    assert Places([change]).of_slot(slot) == Place(str(file), 2, 10)
    assert Places([change]).of(slot.owner) == Place(str(file), 2, 5)
    assert Places().of(Owner(str(file), "f", 3)) == Place(str(file), 3, 5)


def test_where_there_is_no_such_file_the_line_is_known() -> None:
    slot = Slot(owner("f", 2), SlotKind.LOCAL, "x", 4)
    assert (Places().of_slot(slot), Places().of(slot.owner)) == (Place(FILE, 4), Place(FILE, 2))

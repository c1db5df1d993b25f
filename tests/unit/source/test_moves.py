"""Lines are mapped to the edited file, and back."""

from pathlib import Path

import pytest

from pdt_annotate.source.module import read_module
from pdt_annotate.source.moves import Moves, Places
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Owner, Place, Slot, SlotKind

BEFORE = b"import b\n\ndef f(x):\n    return x\n"


def insert(*texts: tuple[int, str], source: bytes = BEFORE) -> Moves:
    return Moves(source, [Edit(offset, text) for offset, text in texts])


def test_lines_are_followed_there_and_back() -> None:
    assert [insert().follow(line) for line in range(5)] == [insert().trace(line) for line in range(5)] == [*range(5)]
    moves = insert((0, "import a\n"), (17, ": T"), (20, "    y: int\n    z: int\n\n"))
    assert [moves.follow(line) for line in range(5)] == [0, 2, 3, 4, 8]
    assert moves.follow(99) == 8
    assert insert((10, "x\n")).follow(3) == 4
    assert insert((11, "x\n")).follow(3) == 3
    moves = insert((0, "import a\nimport c\n"), (17, ": T"), (20, "    y: int\n"))
    assert [moves.trace(line) for line in range(8)] == [0, 1, 1, 1, 2, 3, 3, 4]
    moves = Moves(b"a\n\nb\nc\n", [Edit(1, "\n", removed=2), Edit(4, ",\n ")])
    assert [moves.follow(line) for line in range(1, 5)] == [1, 1, 2, 4]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_newline_counts_once(end: str) -> None:
    into, behind = (
        insert((at + len(end), f"y{end}y{end}"), source=f"# é{end}x{end}".encode("utf-8-sig")) for at in (3, 4)
    )
    assert (into.follow(1), behind.follow(2), behind.trace(4)) == (1, 4, 2)


WRAPPED = ((0, "import a\n"), (16, "\n    "), (17, ": Tä"), (17, ",\n"), (23, " "))


@pytest.mark.parametrize(
    ("before", "after"),
    [((1, 1), (2, 1)), ((3, 5), (4, 5)), ((3, 7), (5, 5)), ((3, 8), (6, 1)), ((4, 5), (7, 6)), ((4,), (7,))],
)
def test_places_are_followed_there_and_back(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    moves = insert(*WRAPPED)
    assert moves.follow_place(Place("", *before)) == Place("", *after)
    assert moves.trace_place(Place("", *after)) == Place("", *before)


def test_places_without_a_line_and_of_what_was_put_in() -> None:
    moves = insert(*WRAPPED)
    assert moves.follow_place(Place("m.py")) == moves.trace_place(Place("m.py")) == Place("m.py")
    places = [moves.trace_place(Place("", 5, column)) for column in (3, 5, 7)]
    assert [(place.line, place.column) for place in places] == [(3, 7), (3, 7), (3, 8)]
    assert insert().follow_place(Place("", 99, 3)).line == insert().trace_place(Place("", 99, 3)).line == 4


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


CLASS = owner("Größe", 1)
PARAMETER, RETURN, LOCAL, ATTRIBUTE = SlotKind.PARAMETER, SlotKind.RETURN, SlotKind.LOCAL, SlotKind.ATTRIBUTE


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_slot_is_at_its_name(mark: str, newline: str) -> None:
    found = read_module(FILE, (mark + SOURCE.replace("\n", newline)).encode())
    method, later = owner("Größe.läuft", 5), owner("later", 11)
    places = {
        Slot(method, PARAMETER, "x"): (6, 21),
        Slot(method, PARAMETER, "*args"): (6, 25),
        Slot(method, PARAMETER, "ü"): (6, 31),
        Slot(method, PARAMETER, "mask"): (6, 40),
        Slot(method, PARAMETER, "gone"): (6, 9),
        Slot(method, RETURN, "return"): (6, 9),
        Slot(method, LOCAL, "found", 7): (7, 21),
        Slot(method, LOCAL, "self.cache", 8): (8, 9),
        Slot(method, LOCAL, "found", 8): (6, 9),
        Slot(CLASS, ATTRIBUTE, "limit"): (3, 5),
        Slot(CLASS, ATTRIBUTE, "cache"): (2, 7),
        Slot(owner("Größe", 0), ATTRIBUTE, "cache"): (2, 7),
        Slot(later, PARAMETER, "y"): (14, 3),
        Slot(later, RETURN, "return"): (12, 7),
    }
    assert {slot: found.place_of(slot) for slot in places} == {slot: Place(FILE, *at) for slot, at in places.items()}


def test_functions_and_classes_are_at_their_names_and_the_bytes_of_other_encodings_are_not_counted() -> None:
    found = read_module(FILE, SOURCE.encode())
    assert [each.place for each in found.by_line.values()] == [Place(FILE, *at) for at in ((2, 7), (6, 9), (12, 7))]
    assert found.place(owner("Größe.läuft", 5)) == Place(FILE, 6, 9)
    assert found.place(owner("gone", 5)) == Place(FILE, 5)
    source = "# coding: latin-1\ndef f(ä, x): pass\n".encode("latin-1")
    assert read_module(FILE, source).place_of(Slot(owner("f", 2), PARAMETER, "x")) == Place(FILE, 2, 10)


def test_of_a_file_that_was_written_since_the_old_text_counts(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("import a\n\ndef f(x: int, y: int): pass\n")
    slot = Slot(Owner(str(file), "f", 2), SlotKind.PARAMETER, "y")
    change = FileChange(str(file), b"\ndef f(x, y): pass\n", file.read_bytes())
    assert Places([change]).of_slot(slot) == Place(str(file), 2, 10)
    assert Places([change]).of(slot.owner) == Place(str(file), 2, 5)
    assert Places().of(Owner(str(file), "f", 3)) == Place(str(file), 3, 5)
    gone = Slot(owner("f", 2), LOCAL, "x", 4)
    assert (Places().of_slot(gone), Places().of(gone.owner)) == (Place(FILE, 4), Place(FILE, 2))

"""Where functions, classes and slots stand: at their names, columns counted in characters."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.source.places import Places
from pdt_annotate.source.survey import survey
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner, Slot, SlotKind

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
    assert [each.place for each in found.by_line.values()] == [
        Place(FILE, 2, 7),
        Place(FILE, 6, 9),
        Place(FILE, 12, 7),
    ]
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

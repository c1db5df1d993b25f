"""What each function lacks: which edits are its own, and which all share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from changes import annotate
from mended_outcomes import mended_outcome

from pdt_annotate.emit.missing import Missing, find_missing
from pdt_annotate.source.text import Span
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

INT = TypeExpr("int")
INTS = TypeExpr("list", (INT,))

BEFORE = """\
class Net:
    '''A net.'''
    def forward(self, x):
        def inner(y):
            return y
        return inner(x)


@deco(lambda z: z)
def f(x): return x
def g(x): return x
"""

OWNERS = {"Net": 1, "Net.forward": 3, "Net.forward.<locals>.inner": 4, "f": 9, "g": 11}
FIRST = (SlotKind.PARAMETER, "x")
SLOTS = {"Net": (SlotKind.ATTRIBUTE, "seen"), "Net.forward.<locals>.inner": (SlotKind.PARAMETER, "y")}


def wanted(file: str, owners: Mapping[str, int]) -> list[Annotation]:
    """A list in the class, an integer for the first parameter of each function, and for what `g` returns."""
    slots = [Slot(Owner(file, name, line), *SLOTS.get(name, FIRST)) for name, line in owners.items()]
    if "g" in owners:
        slots.append(Slot(Owner(file, "g", owners["g"]), SlotKind.RETURN, "return"))
    return [Annotation(slot, INTS if slot.kind is SlotKind.ATTRIBUTE else INT) for slot in slots]


def missing_in(tmp_path: Path, owners: Mapping[str, int] = OWNERS) -> dict[str, Missing]:
    file = str(tmp_path / "m.py")
    change = annotate(file, BEFORE.encode(), wanted(file, OWNERS))
    outcome = Outcome((), str(tmp_path), (change,), tuple(reversed(wanted(file, owners))))
    return {each.owner: each for each in find_missing(outcome)}


def own(missing: Missing, others: list[Missing]) -> str:
    """The text that no other edit list has."""
    elsewhere = {edit for other in others if other is not missing for edit in other.edits}
    return "".join(edit.text for edit in missing.edits if edit not in elsewhere)


def test_without_changes_nothing_is_missing(tmp_path: Path) -> None:
    annotation = Annotation(Slot(Owner("m.py", "f", 9), SlotKind.PARAMETER, "x"), INT)
    assert list(find_missing(Outcome((), str(tmp_path), annotations=(annotation,)))) == []


def test_each_has_its_own_edits_and_the_imports(tmp_path: Path) -> None:
    found = missing_in(tmp_path)
    assert list(found) == list(OWNERS)
    mine = {name: own(each, list(found.values())).strip() for name, each in found.items()}
    assert mine == {
        "Net": "seen: List[int]",
        "Net.forward": ": int",
        "Net.forward.<locals>.inner": ": int",
        "f": ": int",
        "g": ": int -> int",
    }
    assert all(any("import List" in edit.text for edit in each.edits) for each in found.values())


def test_what_an_unlisted_function_gets_goes_to_all(tmp_path: Path) -> None:
    found = missing_in(tmp_path, {"Net.forward": 3, "f": 9})
    for missing in found.values():
        text = "".join(edit.text for edit in missing.edits)
        # Of itself, of `inner` and of `g`; what the other listed one gets is in its own list alone.
        assert text.count(": int") == 3
        assert "seen: List[int]" in text and " -> int" in text


def test_a_place_has_one_edit(tmp_path: Path) -> None:
    file = str(tmp_path / "m.py")
    slot = Slot(Owner(file, "f", 1), *FIRST)
    change = annotate(file, b"def f(x=1): pass\n", [Annotation(slot, INT)])
    (missing,) = find_missing(Outcome((), str(tmp_path), (change,), (Annotation(slot, INT),)))
    assert [(edit.offset, edit.text) for edit in missing.edits] == [(7, ": int "), (8, " ")]


def test_they_stand_at_their_names(tmp_path: Path) -> None:
    found = missing_in(tmp_path)
    assert found["f"].span == Span(10, 5, 10, 6)
    assert found["Net"].span == Span(1, 7, 1, 10)
    assert found["Net.forward.<locals>.inner"].span == Span(4, 13, 4, 18)


def test_a_change_that_belongs_to_nobody_known_is_the_files(tmp_path: Path) -> None:
    (each,) = missing_in(tmp_path, {"gone": 77}).values()
    assert (each.owner, each.span, each.annotations) == ("", Span(1), ())
    assert each.edits


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (SlotKind.PARAMETER, "x: int"),
        (SlotKind.RETURN, "-> int"),
        (SlotKind.LOCAL, "local x: int"),
        (SlotKind.ATTRIBUTE, "attribute x: int"),
    ],
)
def test_annotations_are_shown_as_they_read(kind: SlotKind, shown: str) -> None:
    annotation = Annotation(Slot(Owner("m.py", "f", 9), kind, "x"), INT)
    assert Missing("m.py", "f", Span(1), (annotation,), ()).shown == shown


def test_a_function_that_only_a_mend_changes_lacks_it(tmp_path: Path) -> None:
    halve, forward = find_missing(mended_outcome(tmp_path))
    assert (halve.owner, halve.span, halve.annotations) == ("halve", Span(4, 5, 4, 10), ())
    assert [mend.rewrite for mend in halve.mends] == ["local_functions"]
    assert [mend.rewrite for mend in forward.mends] == ["variadics", "none_tests"]
    assert forward.shown == "x: Tensor, scale: Optional[Tensor]"


def test_what_a_mend_replaces_goes_with_what_it_puts_there(tmp_path: Path) -> None:
    halve, forward = find_missing(mended_outcome(tmp_path))
    (import_, own) = halve.edits
    assert (own.text, own.removed) == ("x / by", len("(lambda t: t / by)(x)"))
    assert import_ in forward.edits and own not in forward.edits


def test_what_several_functions_change_at_one_place_goes_to_all(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    (change,) = outcome.changes
    owner = outcome.annotations[0].slot.owner
    is_put = [edit.owner is not None and edit.owner.qualname == "halve" and bool(edit.text) for edit in change.edits]
    edits = [replace(e, owner=owner) if put else e for e, put in zip(change.edits, is_put, strict=True)]
    halve, _ = find_missing(replace(outcome, changes=(replace(change, edits=tuple(edits)),)))
    assert [edit.text for edit in halve.edits if edit.removed] == ["x / by"]

"""What a slot learns from others of its name, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pdt_annotate.choose.namesakes import Namesakes
from pdt_annotate.values.slots import Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

INT, FLOAT, STR = TypeExpr("int"), TypeExpr("float"), TypeExpr("str")
INTS = TypeExpr("list", (INT,))
HERE = Owner("a.py", "Net.encode", 1)
OVERRIDE, NEIGHBOUR, STRANGER = Owner("b.py", "Other.encode", 1), Owner("a.py", "helper", 9), Owner("c.py", "far", 1)


def namesakes(*seen: tuple[Owner, TypeExpr], name: str = "sizes", kind: SlotKind = SlotKind.PARAMETER) -> Namesakes:
    """Each owner's slot of this name, with the types that were seen there."""
    by_slot: dict[Slot, list[Observation]] = {}
    for owner, type_ in seen:
        slot = Slot(owner, kind, name)
        by_slot.setdefault(slot, []).append(Observation(slot, type_))
    return Namesakes(by_slot)


def returns(*seen: tuple[Owner, TypeExpr]) -> list[TypeExpr]:
    return namesakes(*seen, name="return", kind=SlotKind.RETURN).of_return(HERE)


FULL, EMPTY, DISAGREES = (NEIGHBOUR, INTS), (NEIGHBOUR, TypeExpr("list")), (Owner("a.py", "more", 20), STR)
PARAMETERS = {
    **{
        f"{type_} alone": ([(NEIGHBOUR, type_)], None) for type_ in (NONE, ANY, *map(TypeExpr, ("list", "dict", "set")))
    },
    "observations that disagree": ([(NEIGHBOUR, INT), DISAGREES], None),
    "a nearer circle that disagrees, and a wider one": (
        [(OVERRIDE, INT), (OVERRIDE, STR), (NEIGHBOUR, INT), (STRANGER, INT)],
        None,
    ),
    "an overriding method": ([(OVERRIDE, INTS)], INTS),
    "a neighbour": ([FULL], INTS),
    "a stranger": ([(STRANGER, INTS)], INTS),
    "an overriding method before the file": ([(STRANGER, STR), (NEIGHBOUR, FLOAT), (OVERRIDE, INT)], INT),
    "the file before the project": ([(STRANGER, STR), (NEIGHBOUR, FLOAT)], FLOAT),
    "a full container beside an empty one": ([EMPTY, FULL], INTS),
    "a type beside none": ([(NEIGHBOUR, NONE), (NEIGHBOUR, TENSOR)], TENSOR),
}


class TestParameters:
    @pytest.mark.parametrize(("seen", "expected"), PARAMETERS.values(), ids=PARAMETERS)
    def test_what_is_learnt(self, seen: Sequence[tuple[Owner, TypeExpr]], expected: TypeExpr | None) -> None:
        assert namesakes(*seen).of_parameter(HERE, "sizes") == expected

    def test_other_packages_say_nothing(self) -> None:
        slots = [Slot(owner, SlotKind.PARAMETER, "sizes") for owner in (OVERRIDE, STRANGER)]
        seen = {slot: [Observation(slot, INT)] for slot in slots}
        apart = Namesakes(seen, lambda file: "" if file == "a.py" else "elsewhere")
        assert apart.of_parameter(HERE, "sizes") is None and apart.of_return(HERE) == []
        assert Namesakes(seen).of_parameter(HERE, "sizes") == INT

    def test_other_names_say_nothing(self) -> None:
        assert namesakes((NEIGHBOUR, INT), name="size").of_parameter(HERE, "sizes") is None

    @pytest.mark.parametrize("kind", [SlotKind.LOCAL, SlotKind.ATTRIBUTE, SlotKind.RETURN])
    def test_only_parameters_speak_for_parameters(self, kind: SlotKind) -> None:
        assert namesakes((NEIGHBOUR, INT), kind=kind).of_parameter(HERE, "sizes") is None


class TestReturns:
    def test_functions_of_other_names_say_nothing(self) -> None:
        assert returns((NEIGHBOUR, INT), (STRANGER, INT)) == []

    def test_a_parameter_named_return_is_no_return(self) -> None:
        assert namesakes((OVERRIDE, INT), name="return").of_return(HERE) == []

    def test_methods_that_override_it_say_all_that_they_returned(self) -> None:
        assert returns((OVERRIDE, INT), (Owner("d.py", "Third.encode", 3), TENSOR), (OVERRIDE, NONE)) == [INT, TENSOR]

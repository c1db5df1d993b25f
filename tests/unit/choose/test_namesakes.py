"""What a slot learns from others of its name, and what it does not."""

from __future__ import annotations

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


class TestParameters:
    @pytest.mark.parametrize(
        "type_",
        [NONE, ANY, TypeExpr("list"), TypeExpr("dict"), TypeExpr("set")],
        ids=["None", "Any", "[]", "{}", "set"],
    )
    def test_what_says_nothing_is_not_learnt(self, type_: TypeExpr) -> None:
        assert namesakes((NEIGHBOUR, type_)).of_parameter(HERE, "sizes") is None

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

    def test_a_name_whose_observations_disagree_says_nothing(self) -> None:
        assert namesakes((NEIGHBOUR, INT), (Owner("a.py", "more", 20), STR)).of_parameter(HERE, "sizes") is None

    def test_a_nearer_circle_that_disagrees_is_not_overruled_by_a_wider_one(self) -> None:
        seen = (OVERRIDE, INT), (OVERRIDE, STR), (NEIGHBOUR, INT), (STRANGER, INT)
        assert namesakes(*seen).of_parameter(HERE, "sizes") is None

    @pytest.mark.parametrize("speaker", [OVERRIDE, NEIGHBOUR, STRANGER])
    def test_one_that_speaks_is_heard_wherever_it_stands(self, speaker: Owner) -> None:
        assert namesakes((speaker, INTS)).of_parameter(HERE, "sizes") == INTS

    def test_an_overriding_method_goes_before_the_file_and_the_file_before_the_project(self) -> None:
        seen = (STRANGER, STR), (NEIGHBOUR, FLOAT), (OVERRIDE, INT)
        assert namesakes(*seen).of_parameter(HERE, "sizes") == INT
        assert namesakes(*seen[:2]).of_parameter(HERE, "sizes") == FLOAT

    def test_empty_containers_do_not_dilute_full_ones(self) -> None:
        assert namesakes((NEIGHBOUR, TypeExpr("list")), (NEIGHBOUR, INTS)).of_parameter(HERE, "sizes") == INTS

    def test_none_beside_a_type_leaves_the_type(self) -> None:
        assert namesakes((NEIGHBOUR, NONE), (NEIGHBOUR, TENSOR)).of_parameter(HERE, "sizes") == TENSOR


class TestReturns:
    def test_functions_of_other_names_say_nothing(self) -> None:
        assert returns((NEIGHBOUR, INT), (STRANGER, INT)) == []

    def test_a_parameter_named_return_is_no_return(self) -> None:
        assert namesakes((OVERRIDE, INT), name="return").of_return(HERE) == []

    def test_methods_that_override_it_say_all_that_they_returned(self) -> None:
        assert returns((OVERRIDE, INT), (Owner("d.py", "Third.encode", 3), TENSOR), (OVERRIDE, NONE)) == [INT, TENSOR]

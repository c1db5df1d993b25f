"""Text that a person edits: what is left as it was stays what it was, and what is wrong is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pdt_annotate.cli.interactive.editable import read_editable, write_editable
from pdt_annotate.emit.words import TIMES
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.slots import Annotation, ClassInfo, ClassKind, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

OWNER = Owner("/project/model.py", "Net.forward", 5)
INT, FLOAT, STR = TypeExpr("int"), TypeExpr("float"), TypeExpr("str")
BOX = ClassInfo("shapes.Box", "shapes", "Box", ClassKind.PLAIN)


def annotate(name: str, type_: TypeExpr, kind: SlotKind = SlotKind.PARAMETER, line: int = 0) -> Annotation:
    slot = Slot(OWNER, kind, name, line)
    return Annotation(slot, type_, rules=("a rule",), evidence=(Observation(slot, type_, 3, ("a",)),), because="why")


X = annotate("x", TENSOR)
MASK = annotate("mask", TypeExpr("Optional", (TENSOR,)))
SHARE = (X, MASK)


def edited(old: str, new: str, *share: Annotation) -> tuple[Annotation, ...]:
    share = share or SHARE
    text = write_editable(share)
    assert old in text
    return read_editable(text.replace(old, new), share, {BOX.name: BOX})


@pytest.mark.parametrize(
    "share",
    [
        SHARE,
        (annotate("return", TypeExpr("torch.futures.Future", (TENSOR,)), SlotKind.RETURN),),
        (replace(annotate("size", INT, SlotKind.ATTRIBUTE), final=True), annotate("size", INT)),
        (annotate("acc", FLOAT, SlotKind.LOCAL, 7), annotate("acc", INT, SlotKind.LOCAL, 9)),
    ],
)
def test_what_is_not_edited_stays(share: tuple[Annotation, ...]) -> None:
    assert read_editable(write_editable(share), share, {}) == share


def test_lines_may_be_commented_moved_apart_or_deleted() -> None:
    assert f"# Tensor{TIMES}3\n# why\nx: Tensor\n" in write_editable(SHARE)
    assert edited("x: Tensor\n", "\n   # y: int\n x :  Tensor  # as it was\n\n") == SHARE
    assert edited("x: Tensor\n", "") == (MASK,)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("int", INT),
        ("Optional[int]", TypeExpr("Optional", (INT,))),
        ("int | None", TypeExpr("Optional", (INT,))),
        ("Union[None, int, str]", TypeExpr("Optional", (TypeExpr("Union", (INT, STR)),))),
        ("list[torch.Tensor]", TypeExpr("list", (TENSOR,))),
        ("Dict[str, Tuple[int, Tensor]]", TypeExpr("dict", (STR, TypeExpr("tuple", (INT, TENSOR))))),
        ("Tuple[()]", TypeExpr("tuple")),
        ("Box", TypeExpr("shapes.Box")),
        ("List['Box']", TypeExpr("list", (TypeExpr("shapes.Box"),))),
    ],
)
def test_an_edited_type_is_the_persons_own(text: str, type_: TypeExpr) -> None:
    own = replace(X, type=type_, origin=Origin.EDITED, rules=(), because="")
    assert edited("x: Tensor", f"x: {text}") == (own, MASK)


def test_an_attribute_can_become_final_and_back_and_a_return_may_be_none() -> None:
    size = annotate("size", INT, SlotKind.ATTRIBUTE)
    (final,) = edited("size: int", "size: Final[int]", size)
    assert (final.type, final.final) == (INT, True)
    (plain,) = edited("size: Final[int]", "size: int", replace(size, final=True))
    assert (plain.type, plain.final) == (INT, False)
    (result,) = edited("return: int", "return: None", annotate("return", INT, SlotKind.RETURN))
    assert result.type == NONE


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("x: Foo", "`Foo` is no type that TorchScript knows"),
        ("x: List[", "`List[` is no type"),
        ("x: Tuple[int, ...]", "is no type"),
        ("x: Final[int]", "is no type"),
        ("x:", "`` is no type"),
        ("x: Any", "Any"),
        ("x: List[Any]", "Any"),
        ("x: None", "None alone says nothing"),
        ("x: List[int, str]", "List takes 1 in its brackets, not 2"),
        ("x: Dict[int]", "Dict takes 2 in its brackets, not 1"),
        ("y: int", "`y: int` is no annotation that can be edited here"),
        ("x", "`x` is no annotation"),
        ("mask: int", "`mask` has a type already"),
    ],
)
def test_wrong_text_is_told_with_its_line_and_a_way_out(line: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        edited("x: Tensor", line)
    assert said in caught.value.message and caught.value.message.startswith("line ")
    assert caught.value.hint

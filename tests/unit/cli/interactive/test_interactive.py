"""The texts and keys of the review, and the editing of annotations; tests/cli/test_interactive.py uses a terminal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from planned_choices import add_mend, make_found

from pdt_annotate.cli.interactive.ask import Terminal
from pdt_annotate.cli.interactive.editable import read_editable, write_editable
from pdt_annotate.emit.terminal.report import TerminalReporter
from pdt_annotate.emit.words import TIMES
from pdt_annotate.flows.choice import FoundPlan
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Annotation, ClassInfo, ClassKind, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict


@dataclass
class Person:
    """Presses keys and edits texts in this order."""

    keys: Iterator[str]
    edits: list[Callable[[str], str]] = field(default_factory=list)

    def press(self, ask: Callable[[], None]) -> str:
        ask()
        try:
            return next(self.keys)
        except StopIteration:
            raise KeyboardInterrupt from None

    def edit(self, text: str) -> str:
        return self.edits.pop(0)(text)


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FoundPlan:
    monkeypatch.chdir(tmp_path)
    return make_found(tmp_path)


def ask(found: FoundPlan, keys: str, *edits: Callable[[str], str]) -> dict[str, list[str]]:
    """The accepted annotations as text, by function, after these keys are pressed."""
    taken = terminal(found, keys, *edits).choose(found)
    return {owner.qualname: [f"{a.slot.name}: {a.type}" for a in share] for owner, share in taken.items() if share}


def terminal(found: FoundPlan, keys: str, *edits: Callable[[str], str]) -> Terminal:
    person = Person(iter(keys), list(edits))
    report = TerminalReporter(Options((), SpecSource(), found.mended.disk.root))
    return Terminal(report, found.mended.disk.root, person.press, person.edit)


SCALE = {"scale": ["factor: int"]}
FORWARD = {"Net.forward": ["x: Tensor", "mask: Optional[Tensor]"]}
ALL = SCALE | FORWARD


@pytest.mark.parametrize(
    ("keys", "taken"),
    [
        *((keys, {}) for keys in ("nn", "q", "nq", "ybq")),
        *((keys, SCALE) for keys in ("yq", "yn", "nbyn")),
        *((keys, FORWARD) for keys in ("ny", "na", "ybny")),
        *((keys, ALL) for keys in ("yy", "a", "YA", "y\r\n \ny", "?y?y", "xzyy", "by\x1by", "ybyy", "yba")),
    ],
)
def test_keys(found: FoundPlan, keys: str, taken: dict[str, list[str]]) -> None:
    assert ask(found, keys) == taken


def test_back_is_offered_from_the_second_question_on(found: FoundPlan, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(found, "yb?y")
    shown = capsys.readouterr().err
    assert shown.count("Annotate scale like this? [y,n,e,a,q,?] ") == 3
    assert shown.count("Annotate Net.forward like this? [y,n,e,a,b,q,?] ") == 2
    assert "scale (1 of 2)" in shown.partition("[y,n,e,a,b,q,?] b\n")[2], "the question before is asked anew"
    for key in "ynea?":
        assert f"\n  {key}  " in shown
    assert "verified together before anything is written" in shown


def test_evidence_is_shown(
    found: FoundPlan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINES", "24")
    owner, share = next((owner, share) for owner, share in found.shares.items() if owner.qualname == "Net.forward")
    wordy = tuple(replace(each, because="said\n" * 20) for each in share)
    found.__dict__["shares"] = {owner: wordy}
    ask(found, "my")
    first, _, rest = capsys.readouterr().err.partition("[y,n,e,a,m,q,?] m\n")
    assert len(first.splitlines()) <= 24
    assert "+    def forward(" in first and "more lines of evidence: m shows all" in first
    assert rest.count("said\n") == 40, "all of it"
    assert "+    def forward(" in rest, "and the hunks once more, where they can be seen"


def test_an_edit_is_taken_and_one_of_nothing_leaves_out(found: FoundPlan, capsys: pytest.CaptureFixture[str]) -> None:
    taken = terminal(found, "eq", lambda text: text.replace("factor: int", "factor: float")).choose(found)
    ((annotation,),) = taken.values()
    assert (str(annotation.type), annotation.origin) == ("float", Origin.EDITED)
    assert "+def scale(x, factor: float):\n" in capsys.readouterr().err
    assert ask(found, "ey", lambda text: "") == FORWARD
    assert "left out" in capsys.readouterr().err


def test_a_wrong_edit_is_kept_and_a_failed_editor_is_none(found: FoundPlan, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[str] = []

    def mend(text: str) -> str:
        seen.append(text)
        return text.replace("Foo", "float")

    taken = ask(found, "eeq", lambda text: text.replace("factor: int", "factor: Foo"), mend)
    assert taken == {"scale": ["factor: float"]}
    assert "factor: Foo\n" in seen[0]
    assert "`Foo` is not a TorchScript type" in capsys.readouterr().err

    def fail(text: str) -> str:
        raise UserError("no such editor", hint="set EDITOR")

    assert ask(found, "eyq", fail) == SCALE
    assert "no such editor\n  set EDITOR\n" in capsys.readouterr().err


FAILED = Trial((Verdict("scripts", False, Failure("factor is a Tensor", "RuntimeError")),))


@pytest.mark.parametrize(
    ("keys", "taken"),
    [
        ("q", None),
        ("?q", None),
        ("a", {"scale", "Net.forward"}),
        ("by", {"scale", "Net.forward"}),
        ("bn", {"Net.forward"}),
        ("bq", {"Net.forward"}),
    ],
)
def test_what_does_not_verify_is_told_and_asked_for_again(
    found: FoundPlan, keys: str, taken: set[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    first = {owner: share if owner.qualname == "Net.forward" else () for owner, share in found.shares.items()}
    again = terminal(found, keys).choose_again(found, first, found.render(first), FAILED)
    assert (None if again is None else {owner.qualname for owner, share in again.items() if share}) == taken
    shown = capsys.readouterr().err
    assert "Verification failed with your choice.\nPDT049 other compiler message: factor is a Tensor\n" in shown
    assert ("scale (1 of 1)" in shown) is ("b" in keys)


def test_mends_are_shown_with_diff_and_message(found: FoundPlan, capsys: pytest.CaptureFixture[str]) -> None:
    mended = add_mend(found)
    for keys, accepted in ("y", True), ("n", False), ("xY", True), ("?n", False):
        assert terminal(mended, keys).accept(mended) is accepted
    shown = capsys.readouterr().err
    assert "changes of code, since the compiler said: It said no." in shown
    assert "  model.py:5:12 scale: `scale` squares  (exact, made_up)" in shown
    assert "-    return x * factor\n+    return factor * x * factor\n" in shown
    assert "Change the code like this? [y,n,?] y" in shown
    assert "the result cannot be verified then" in shown


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
        ("x: Foo", "`Foo` is not a TorchScript type"),
        ("x: List[", "`List[` is not a TorchScript type"),
        ("x: Tuple[int, ...]", "is not a TorchScript type"),
        ("x: Final[int]", "is not a TorchScript type"),
        ("x:", "`` is not a TorchScript type"),
        ("x: Any", "Any"),
        ("x: List[Any]", "Any"),
        ("x: None", "None does not determine the type"),
        ("x: List[int, str]", "List must have 1 type in its brackets, not 2"),
        ("x: Dict[int]", "Dict must have 2 types in its brackets, not 1"),
        ("y: int", "`y: int` cannot be edited here"),
        ("x", "`x` cannot be edited here"),
        ("mask: int", "`mask` has a type already"),
    ],
)
def test_wrong_text_is_told_with_its_line_and_a_way_out(line: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        edited("x: Tensor", line)
    assert said in caught.value.message and caught.value.message.startswith("line ")
    assert caught.value.hint

"""Messages: what is not said twice, how severe each is, and in which order they come; and what files lack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from changes import annotate
from outcomes import fail, make_outcome, mended_outcome

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import Message, Messages, Missing, find_missing
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.text import Span
from pdt_annotate.values.outcome import Outcome, Outdated
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Finding, Owner, Severity, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Blame, Failure, Fault, Part, Verdict

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def messages_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> list[Message]:
    return Messages(outcome, Invocation(outcome.root, write_back)).all()


def codes(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> list[tuple[str, Severity]]:
    return [(message.code, message.severity) for message in messages_of(outcome, write_back)]


def with_faults(outcome: Outcome, *faults: Fault) -> Outcome:
    parts = (Part("a", "Act", Place(outcome.changes[0].file, 3), faults=faults),)
    return replace(outcome, changes=(), blame=(Blame(outcome.targets[0], parts),))


def test_what_a_profile_does_not_know_is_an_error_of_a_check_alone_and_says_how_to_renew_it(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    outdated = replace(outcome, outdated=Outdated(outcome.findings, "pdt-annotate observe"))
    (message,) = [each for each in messages_of(outdated) if each.code == "PDT030"]
    assert message.severity is ERROR
    assert message.advice[0].endswith(": `pdt-annotate observe`")
    assert ("PDT030", WARNING) in codes(outdated, WriteBack.IN_PLACE)


def test_a_fact_is_a_note_and_the_severe_come_first(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    fact = Finding("PDT066", "on purpose", Place(outcome.changes[0].file, 1))
    found = codes(replace(outcome, findings=(fact, *outcome.findings * 2)))
    assert found == [("PDT090", ERROR), ("PDT030", WARNING), ("PDT066", NOTE)]


def test_a_fault_and_a_verdict_are_not_repeated_by_a_finding_at_their_place(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    file, (_, verdict) = outcome.changes[0].file, outcome.verdicts
    assert verdict.failure
    again = Finding("PDT040", "said again", Place(file, 8))
    repeated = replace(outcome, findings=(again,))
    elsewhere = replace(outcome, findings=(replace(again, place=Place(file, 9)),))
    fault = Fault("PDT040", verdict.failure)
    assert codes(replace(repeated, changes=())) == codes(with_faults(repeated, fault)) == [("PDT040", ERROR)]
    assert len(codes(with_faults(elsewhere, fault))) == 2


def test_all_findings_without_a_place_are_shown(tmp_path: Path) -> None:
    findings = (Finding("PDT065", "a: a list"), Finding("PDT065", "b: a list"))
    outcome = replace(fail(make_outcome(tmp_path)), verdicts=(), findings=findings)
    found = codes(with_faults(outcome, Fault("PDT065", Failure("a list"))))
    assert found == [("PDT065", ERROR), ("PDT065", WARNING), ("PDT065", WARNING)]


def test_a_verdict_on_the_whole_target_gives_way_to_the_fault_of_a_part(tmp_path: Path) -> None:
    differ = Failure("[0] differs", call="a")
    verdicts = (Verdict("answers", False, differ),)
    outcome = replace(make_outcome(tmp_path), verdicts=verdicts, verified=False, findings=())
    assert codes(replace(outcome, changes=())) == [("PDT060", ERROR)]
    (message,) = messages_of(with_faults(outcome, Fault("PDT060", differ)))
    assert (message.place.file, message.place.line) == (outcome.changes[0].file, 3)


INT = TypeExpr("int")
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
    return [Annotation(slot, TypeExpr("list", (INT,)) if slot.kind is SlotKind.ATTRIBUTE else INT) for slot in slots]


def missing_in(tmp_path: Path, owners: Mapping[str, int]) -> dict[str, Missing]:
    file = str(tmp_path / "m.py")
    change = annotate(file, BEFORE.encode(), wanted(file, OWNERS))
    outcome = Outcome((), str(tmp_path), (change,), tuple(reversed(wanted(file, owners))))
    return {each.owner: each for each in find_missing(outcome)}


def test_each_function_has_its_own_edits_and_the_imports(tmp_path: Path) -> None:
    found = missing_in(tmp_path, OWNERS)
    others = {name: {edit for each in found.values() if each.owner != name for edit in each.edits} for name in found}
    own = {name: "".join(edit.text for edit in each.edits if edit not in others[name]) for name, each in found.items()}
    assert list(found) == list(OWNERS)
    assert {name: text.strip() for name, text in own.items()} == {
        "Net": "seen: List[int]",
        "Net.forward": ": int",
        "Net.forward.<locals>.inner": ": int",
        "f": ": int",
        "g": ": int -> int",
    }
    assert all(any("import List" in edit.text for edit in each.edits) for each in found.values())
    spans = [found[name].span for name in ("f", "Net", "Net.forward.<locals>.inner")]
    assert spans == [Span(10, 5, 10, 6), Span(1, 7, 1, 10), Span(4, 13, 4, 18)]


def test_what_an_unlisted_function_gets_goes_to_all(tmp_path: Path) -> None:
    for missing in missing_in(tmp_path, {"Net.forward": 3, "f": 9}).values():
        text = "".join(edit.text for edit in missing.edits)
        # Of itself, of `inner` and of `g`; what the other listed one gets is in its own list alone.
        assert text.count(": int") == 3
        assert "seen: List[int]" in text
        assert " -> int" in text


def test_a_place_has_one_edit(tmp_path: Path) -> None:
    annotation = Annotation(Slot(Owner(str(tmp_path / "m.py"), "f", 1), *FIRST), INT)
    assert list(find_missing(Outcome((), str(tmp_path), annotations=(annotation,)))) == []
    change = annotate(annotation.slot.owner.file, b"def f(x=1): pass\n", [annotation])
    (missing,) = find_missing(Outcome((), str(tmp_path), (change,), (annotation,)))
    assert [(edit.offset, edit.text) for edit in missing.edits] == [(7, ": int "), (8, " ")]


def test_a_change_that_belongs_to_nobody_known_is_the_files(tmp_path: Path) -> None:
    (each,) = missing_in(tmp_path, {"gone": 77}).values()
    assert (each.owner, each.span, each.annotations) == ("", Span(1), ())
    assert each.edits


def test_annotations_are_shown_as_they_read() -> None:
    shown = {
        SlotKind.PARAMETER: "x: int",
        SlotKind.RETURN: "-> int",
        SlotKind.LOCAL: "local x: int",
        SlotKind.ATTRIBUTE: "attribute x: int",
    }
    annotations = {kind: Annotation(Slot(Owner("m.py", "f", 9), kind, "x"), INT) for kind in shown}
    assert {kind: Missing("m.py", "f", Span(1), (each,), ()).shown for kind, each in annotations.items()} == shown


def test_a_function_that_only_a_mend_changes_lacks_it(tmp_path: Path) -> None:
    halve, forward = find_missing(mended_outcome(tmp_path))
    assert (halve.owner, halve.span, halve.annotations) == ("halve", Span(4, 5, 4, 10), ())
    assert [mend.rewrite for mend in halve.mends] == ["local_functions"]
    assert [mend.rewrite for mend in forward.mends] == ["variadics", "none_tests"]
    assert forward.shown == "x: Tensor, scale: Optional[Tensor]"


def test_what_several_functions_change_at_one_place_goes_to_all(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    (change,) = outcome.changes
    owner = outcome.annotations[0].slot.owner
    is_put = [edit.owner is not None and edit.owner.qualname == "halve" and bool(edit.text) for edit in change.edits]
    edits = [replace(e, owner=owner) if put else e for e, put in zip(change.edits, is_put, strict=True)]
    halve, _ = find_missing(replace(outcome, changes=(replace(change, edits=tuple(edits)),)))
    assert [edit.text for edit in halve.edits if edit.removed] == ["x / by"]

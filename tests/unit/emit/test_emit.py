"""Messages and missing annotations, writing all files or none, rows about captures, and parts that share a branch."""

import io
import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from captured import make_captures
from changes import annotate
from outcomes import AFTER, BEFORE, fail, make_outcome, mended_outcome

from pdt_annotate.emit import write_in_place
from pdt_annotate.emit.capture_rows import Versions, WhyNot, by_target, conclusion, measured, reasons
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import Message, Messages, Missing, find_missing
from pdt_annotate.emit.words import Node, grow, in_the_way, verdict
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.text import Span
from pdt_annotate.values.capture_results import CallFate, Capture, Captures, Fate
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Outdated
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Annotation, Finding, Owner, Place, Severity, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part, Verdict
from pdt_annotate.writes.transaction import write_files

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def messages_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> list[Message]:
    return Messages(outcome, Invocation(outcome.root, write_back)).all()


def codes(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK) -> list[tuple[str, Severity]]:
    return [(message.code, message.severity) for message in messages_of(outcome, write_back)]


def with_faults(outcome: Outcome, *faults: Fault) -> Outcome:
    parts = (Part("a", "Act", Place(outcome.changes[0].file, 3), faults=faults),)
    return replace(outcome, changes=(), blame=(Blame(outcome.targets[0], parts),))


def test_facts_are_notes_the_severe_come_first_and_what_a_profile_does_not_know_is_an_error(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    outdated = replace(outcome, outdated=Outdated(outcome.findings, "pdt-annotate observe"))
    (message,) = [each for each in messages_of(outdated) if each.code == "PDT030"]
    assert message.severity is ERROR
    assert message.advice[0].startswith("Run `pdt-annotate observe` to renew")
    assert ("PDT030", WARNING) in codes(outdated, WriteBack.IN_PLACE)
    outcome = make_outcome(tmp_path)
    fact = Finding("PDT066", "on purpose", Place(outcome.changes[0].file, 1))
    found = codes(replace(outcome, findings=(fact, *outcome.findings * 2)))
    assert found == [("PDT090", ERROR), ("PDT030", WARNING), ("PDT066", NOTE)]


def test_a_finding_at_the_place_of_a_fault_is_not_repeated_and_others_are_shown(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    file, (_, verdict) = outcome.changes[0].file, outcome.verdicts
    assert verdict.failure
    again = Finding("PDT040", "said again", Place(file, 8))
    repeated = replace(outcome, findings=(again,))
    elsewhere = replace(outcome, findings=(replace(again, place=Place(file, 9)),))
    fault = Fault("PDT040", verdict.failure)
    assert codes(replace(repeated, changes=())) == codes(with_faults(repeated, fault)) == [("PDT040", ERROR)]
    assert len(codes(with_faults(elsewhere, fault))) == 2
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
MODEL = """\
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
OWNERS = {"Net": 1, "Net.forward": 3, "Net.forward.<locals>.inner": 4, "f": 7, "g": 9}
FIRST = (SlotKind.PARAMETER, "x")
SLOTS = {"Net": (SlotKind.ATTRIBUTE, "seen"), "Net.forward.<locals>.inner": (SlotKind.PARAMETER, "y")}


def wanted(file: str, owners: Mapping[str, int]) -> list[Annotation]:
    """An annotation of a list in the class, and of an int for each first parameter and for the return of `g`."""
    slots = [Slot(Owner(file, name, line), *SLOTS.get(name, FIRST)) for name, line in owners.items()]
    if "g" in owners:
        slots.append(Slot(Owner(file, "g", owners["g"]), SlotKind.RETURN, "return"))
    return [Annotation(slot, TypeExpr("list", (INT,)) if slot.kind is SlotKind.ATTRIBUTE else INT) for slot in slots]


def missing_in(tmp_path: Path, owners: Mapping[str, int]) -> dict[str, Missing]:
    file = str(tmp_path / "m.py")
    change = annotate(file, MODEL.encode(), wanted(file, OWNERS))
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
    assert spans == [Span(8, 5, 8, 6), Span(1, 7, 1, 10), Span(4, 13, 4, 18)]


def test_what_unlisted_or_several_functions_get_at_one_place_goes_to_all(tmp_path: Path) -> None:
    for missing in missing_in(tmp_path, {"Net.forward": 3, "f": 7}).values():
        text = "".join(edit.text for edit in missing.edits)
        # Edits of the function itself, of `inner` and of `g`; not those of the other listed function.
        assert text.count(": int") == 3
        assert "seen: List[int]" in text
        assert " -> int" in text
    outcome = mended_outcome(tmp_path)
    (change,) = outcome.changes
    owner = outcome.annotations[0].slot.owner
    is_put = [edit.owner is not None and edit.owner.qualname == "halve" and bool(edit.text) for edit in change.edits]
    edits = [replace(e, owner=owner) if put else e for e, put in zip(change.edits, is_put, strict=True)]
    halve, _ = find_missing(replace(outcome, changes=(replace(change, edits=tuple(edits)),)))
    assert [edit.text for edit in halve.edits if edit.removed] == ["x / by"]


def test_a_place_has_one_edit_and_a_change_of_nobody_known_is_the_files(tmp_path: Path) -> None:
    annotation = Annotation(Slot(Owner(str(tmp_path / "m.py"), "f", 1), *FIRST), INT)
    assert list(find_missing(Outcome((), str(tmp_path), annotations=(annotation,)))) == []
    change = annotate(annotation.slot.owner.file, b"def f(x=1): pass\n", [annotation])
    (missing,) = find_missing(Outcome((), str(tmp_path), (change,), (annotation,)))
    assert [(edit.offset, edit.text) for edit in missing.edits] == [(7, ": int "), (8, " ")]
    (each,) = missing_in(tmp_path, {"gone": 77}).values()
    assert (each.owner, each.span, each.annotations) == ("", Span(1), ())
    assert each.edits


def emit(outcome: Outcome) -> str:
    return write_in_place(outcome, Options((), SpecSource(), outcome.root), io.BytesIO())


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_link_out_of_the_root_is_refused_and_another_stays_one(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    make_outcome(tmp_path)
    link = tmp_path / "root" / "model.py"
    link.symlink_to("../model.py")
    changes = (FileChange(str(link), BEFORE, AFTER),)
    with pytest.raises(UserError, match="a symbolic link leads out of"):
        emit(Outcome((), str(tmp_path / "root"), changes))
    assert (tmp_path / "model.py").read_bytes() == BEFORE
    emit(Outcome((), str(tmp_path), changes))
    assert (tmp_path / "model.py").read_bytes() == AFTER
    assert link.is_symlink()


def test_where_a_file_is_gone_nothing_is_written(tmp_path: Path) -> None:
    outcome, other = make_outcome(tmp_path), tmp_path / "other.py"
    other.write_bytes(b"a\n")
    (tmp_path / "model.py").unlink()
    with pytest.raises(UserError, match="removed or moved"):
        emit(replace(outcome, changes=(FileChange(str(other), b"a\n", b"b\n"), *outcome.changes)))
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"other.py": b"a\n"}


def test_a_directory_that_cannot_be_written_changes_nothing_and_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="cannot write"):
        write_files({str(tmp_path / "a.py"): b"new", str(tmp_path / "file" / "b.py"): b"new"})
    assert (tmp_path / "a.py").read_bytes() == b"old"
    assert names(tmp_path) == {"a.py", "file"}
    write_files({str(tmp_path / "deep" / "new.json"): b"{}"})
    (tmp_path / "usual").touch()
    assert (tmp_path / "deep" / "new.json").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_annotations_are_written_and_the_mode_and_the_owner_stay(tmp_path: Path) -> None:
    outcome, file = make_outcome(tmp_path), tmp_path / "model.py"
    file.chmod(0o751)
    owner = (1234, 2345) if os.geteuid() == 0 else (file.stat().st_uid, file.stat().st_gid)
    os.chown(file, *owner)
    assert emit(outcome) == "wrote 2 annotations into 1 file"
    assert (stat.S_IMODE(file.stat().st_mode), file.stat().st_uid, file.stat().st_gid) == (0o751, *owner)
    assert file.read_bytes() == AFTER
    assert names(tmp_path) == {"model.py"}


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(make_captures(tmp_path))


def with_captures(found: Captures, *captures: Capture) -> Versions:
    return Versions((replace(found, captures=captures),))


def test_ways_that_fail_alike_share_a_row_and_others_have_their_own(versions: Versions) -> None:
    captures = versions.found[1]
    raises = tuple(CallFate(name, Fate.REFUSED, message="no\nmore") for name in ("1", "2", "3"))
    alike = with_captures(captures, *(replace(each, calls=raises) for each in captures.captures))
    (row,) = reasons(alike)[WhyNot.RAISES]
    assert (row.who, row.text, row.full) == ("every way of capturing, on calls 1 to 3", "no", "no\nmore")
    calls = [(CallFate("1", Fate.DIFFERS, message=f"by {index}"),) for index in range(len(captures.captures))]
    made = [replace(each, calls=own) for each, own in zip(captures.captures, calls, strict=True)]
    assert len(reasons(with_captures(captures, *made))[WhyNot.DIFFERS]) == len(made)


NONE_ANSWERS = "no way of capturing returns the results of eager mode"


@pytest.mark.parametrize(
    ("alike", "ways", "expected"),
    [
        (False, "script trace compile-breaks", "same results as eager mode: script, compile-breaks"),
        (False, "trace", NONE_ANSWERS),
        (False, "fx", NONE_ANSWERS),
        (True, "script trace", "same results as eager mode: script; right on these calls, but not sound: trace"),
        (True, "fx", "right on these calls, but not sound: fx"),
    ],
)
def test_the_conclusion_names_what_answers_alike(versions: Versions, alike: bool, ways: str, expected: str) -> None:
    def chosen(found: Captures) -> Captures:
        kept = tuple(each for each in found.captures if each.way in ways.split())
        if alike:
            kept = tuple(replace(each, captured=True, failure=None, calls=()) for each in kept)
        return replace(found, captures=kept, ways=tuple(way for way in found.ways if way.name in ways.split()))

    assert conclusion(Versions(tuple(map(chosen, versions.found[1:] if alike else versions.found)))) == expected


def test_targets_keep_their_order_and_figures_are_those_of_what_was_captured(versions: Versions) -> None:
    before, after = Capture("script", captured=True, graphs=2), Capture("script")
    assert measured((before, after)) is measured((after, before)) is before
    assert measured((after, replace(after, absent="gone"))).absent == "gone"
    other = replace(versions.found[0], target=Target("other.py:f", "", "other.py", "f"))
    first, second = by_target((versions.found[0], other, versions.found[1]))
    assert (first, second.found) == (versions, (other,))


NET = Target("m.py:Net", "", "m.py", "Net")
TOP = Part("", "Net", blamed=("tail.act",))
SOUND = Part("", "Block", scripts=True, answers=Answers.ALIKE, calls=2)
FAULT = Fault("PDT004", Failure("no try"))


def at(path: str, part: Part = SOUND) -> Part:
    return replace(part, path=path)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((), [""]),
        ((at("a"), at("b", TOP), at("c")), ["", ["a"], ["b"], ["c"]]),
        ((at("a", TOP), at("a.x"), at("b", TOP), at("b.y")), ["", ["a", ["x"]], ["b", ["y"]]]),
        ((at("l.0", TOP), at("l.0.x"), at("l.1", TOP), at("l.1.x")), ["", ["l.0 l.1", ["x"]]]),
        ((at("tail", TOP), at("tail.list.0")), ["", ["tail", ["list.0"]]]),
    ],
)
def test_equal_neighbours_share_a_branch(parts: tuple[Part, ...], expected: list[object]) -> None:
    def shown(node: Node) -> list[object]:
        return [" ".join(node.names), *map(shown, node.children)]

    assert shown(grow(Blame(NET, (TOP, *parts)))) == expected


@pytest.mark.parametrize(
    ("owners", "said"),
    [
        (["Net.forward"], "faults in itself"),
        (["Late.forward"], "because of late"),
        (["Late.forward", "Net.forward"], "faults in itself and in late"),
        (["helper"], "faults in itself, or in parts that were not judged"),
        ([], "faults in itself, or in parts that were not judged"),
    ],
)
def test_what_was_not_judged_may_be_at_fault(owners: list[str], said: str) -> None:
    late = replace(SOUND, path="late", answers=Answers.NOT_JUDGED, scripts=False, classes=(("m.py", "Late"),))
    faults = tuple(replace(FAULT, owner=Owner("m.py", owner, 3)) for owner in owners)
    blame = Blame(NET, (Part("", "Net", faults=faults, classes=(("m.py", "Net"), ("m.py", "Late"))),), (late,))
    assert verdict(grow(blame)) == f"does not script; {said}"
    assert f"{len(owners)} of 2 modules" in in_the_way(blame) or not owners


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((SOUND, replace(SOUND, calls=1)), "scripts, same results on 1 call each"),
        ((replace(SOUND, size=4),), "scripts, same results on 2 calls (with 3 modules inside)"),
        ((replace(TOP, path="tail"),), "does not script; because of act"),
        ((replace(TOP, faults=(FAULT,)),), "does not script; faults in itself and in tail.act"),
        ((replace(TOP, blamed=()),), "does not script; faults in itself"),
        ((replace(SOUND, answers=Answers.DIFFER),), "scripts, but the results differ; faults in itself"),
    ],
)
def test_the_verdict(parts: tuple[Part, ...], expected: str) -> None:
    assert verdict(Node(parts, ("",) * len(parts), ())) == expected


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        ("only line", "", "only line"),
        ("Arguments for call are not valid.\nbut instead found type 'int'.", "", "but instead found type 'int'."),
        ("it raises", "f() found type 'int'\n  File \"m.py\", line 2\n    x", "f() found type 'int'"),
        ("it raises", '  File "m.py", line 2\n    print("found type")', "it raises"),
    ],
)
def test_the_telling_line(message: str, text: str, expected: str) -> None:
    assert telling_line(Failure(message, text=text)) == expected

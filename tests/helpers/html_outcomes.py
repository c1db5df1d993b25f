"""Outcomes for the tests of the page: one that failed with its parts, and one in which every text is an attack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from outcomes import fail, make_outcome

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, MendAdvice, Outcome, Overlaid
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part

HOSTILE = '</script></style></div><img src=x onerror="pwned=1">\'&amp;<!--'


def blamed(outcome: Outcome) -> Outcome:
    """The same outcome, failed, with its parts."""
    (target,), file = outcome.targets, outcome.changes[0].file
    failure = Failure("try blocks aren't supported", "RuntimeError", Place(file, 6))
    fault = Fault("PDT004", failure, Owner(file, "Act.forward", 5), ("Write it plainly.",))
    parts = (
        Part("", "Net", Place(file, 4), blamed=("act",)),
        Part("act", "Act", Place(file, 4), faults=(fault, replace(fault, code="PDT005"))),
        Part("stem", "Stem", Place(file, 4), scripts=True, answers=Answers.ALIKE, calls=2),
        Part("idle", "Idle", Place(file, 4), scripts=True, answers=Answers.NOT_CALLED),
    )
    return replace(fail(outcome), blame=(Blame(target, parts),), kept=parts[2:3])


def many_modules(outcome: Outcome, sound: int = 40, unjudged: int = 0) -> Outcome:
    """The same outcome, failed, with as many sound parts before the one at fault, and others not judged."""
    failed = blamed(outcome)
    (blame,) = failed.blame
    top, fault, stem, *_ = blame.parts
    parts = (top, *(replace(stem, path=f"stem{n}", name=f"Stem{n}") for n in range(sound)), fault)
    unknown = replace(stem, name="Late", scripts=False, answers=Answers.NOT_JUDGED)
    late = tuple(replace(unknown, path=f"late.{n}") for n in range(unjudged))
    return replace(failed, blame=(replace(blame, parts=parts, unjudged=late),))


def hostile(root: Path) -> Outcome:
    """An outcome in which every text says the same."""
    file = str(root / "<img src=x>.py")
    slot = Slot(Owner(file, f"{HOSTILE}.f", 2), SlotKind.PARAMETER, "x")
    type_ = TypeExpr(HOSTILE)
    annotation = Annotation(
        slot, type_, Origin.REPAIR, (HOSTILE,), (Observation(slot, type_, 1, (HOSTILE,)),), (type_,), HOSTILE
    )
    failure = Failure(HOSTILE, HOSTILE, Place(file, 1), (Place(file, 1),), HOSTILE, HOSTILE + HOSTILE)
    fault = Fault("PDT004", failure, slot.owner, (HOSTILE,))
    part = Part("", HOSTILE, Place(file, 1), faults=(fault,))
    target = Target(HOSTILE, HOSTILE, file, HOSTILE)
    after = f"# {HOSTILE}\ndef f(x: int): '''{HOSTILE}'''\n"
    edits = Edit(1, f" {HOSTILE}"), Edit(9, ": "), Edit(9, "int", slot.owner, slot)
    change = FileChange(file, b"#\ndef f(x): pass\n", after.encode(), edits)
    outcome = fail(make_outcome(root), HOSTILE)
    mends = (Mend(HOSTILE, MendKind.EXACT, slot.owner, Place(file, 1), HOSTILE, {}, {}, HOSTILE, HOSTILE),)
    return replace(
        outcome,
        mends=mends,
        advised=MendAdvice(MendLevel.ALL, mends, 1, 1),
        targets=(target,),
        changes=(change,),
        annotations=(annotation,),
        findings=(Finding("PDT030", HOSTILE, Place(file, 1), slot),),
        blame=(Blame(target, (part,)),),
        kept=(part,),
        unreached=(slot.owner,),
        overlaid=(Overlaid(HOSTILE, replace(change, file=str(root / "b.py"))),),
    )

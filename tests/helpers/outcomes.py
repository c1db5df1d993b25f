"""Fake outcomes for the tests of the output. OUTCOMES has one for each way in which a run can end."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.machine.invocation import Invocation, NoResult
from pdt_annotate.mends.mended import Mended
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import Timing, Timings
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, Ignored, IgnoredBy, MendAdvice, Outcome, Outdated, Overlaid
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Observation, Origin, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import BEHAVES, Answers, Blame, Failure, Fault, Part, Verdict

BEFORE = b"""\
from torch import nn


class Net(nn.Module):
    def forward(self, x, mask=None):
        return x if mask is None else x * mask
"""

AFTER = b"""\
from typing import Optional

from torch import Tensor, nn


class Net(nn.Module):
    def forward(self, x: Tensor, mask: Optional[Tensor] = None):
        return x if mask is None else x * mask
"""

PASSED = tuple(Verdict(judge, True) for judge in ("parses", "scripts", "answers", "answers", "held back"))


def make_outcome(root: Path) -> Outcome:
    """Two verified annotations in `model.py` below the root. The original file is written there."""
    file = root / "model.py"
    file.write_bytes(BEFORE)
    owner = Owner(str(file), "Net.forward", 5)
    x, mask = Slot(owner, SlotKind.PARAMETER, "x"), Slot(owner, SlotKind.PARAMETER, "mask")
    after_x, after_mask = BEFORE.index(b", mask"), BEFORE.index(b"=None")
    edits = (
        Edit(0, "from typing import Optional\n\n"),
        Edit(BEFORE.index(b"nn"), "Tensor, "),
        Edit(after_x, ": ", owner),
        Edit(after_x, "Tensor", owner, x),
        Edit(after_mask, ": ", owner),
        Edit(after_mask, "Optional[Tensor]", owner, mask),
        Edit(after_mask, " ", owner),
        Edit(after_mask + 1, " ", owner),
    )
    annotations = (
        Annotation(x, TENSOR, evidence=(Observation(x, TENSOR, 3, ("a", "b")),), rules=("tensor",)),
        Annotation(
            mask,
            TypeExpr("Optional", (TENSOR,)),
            Origin.GUESS,
            rules=("default None",),
            evidence=(Observation(mask, NONE, 1, ("a",)), Observation(mask, TENSOR, 2, ("b",))),
            alternatives=(TypeExpr("Optional", (TypeExpr("int"),)),),
        ),
    )
    return Outcome(
        targets=(Target("model.py:Net", "", str(file), "Net"),),
        root=str(root),
        changes=(FileChange(str(file), BEFORE, AFTER, edits),),
        annotations=annotations,
        findings=(Finding("PDT030", "only None was seen for `mask`", Place(str(file), 5, 26), mask),),
        verdicts=PASSED,
        verified=True,
    )


def fail(outcome: Outcome, message: str = "Arguments for call are not valid.") -> Outcome:
    """The same outcome, but the compiler refuses the annotated `forward`."""
    file = outcome.changes[0].file
    failure = Failure(message, "RuntimeError", Place(file, 8, 39), (Place(file, 6, 7),), text=message)
    verdicts = (Verdict("parses", True), Verdict("scripts", False, failure))
    return replace(outcome, verdicts=verdicts, verified=False)


MENDABLE = """\
from torch import Tensor, nn


def halve(x: Tensor, by: float):
    return (lambda t: t / by)(x)


class Block(nn.Module):
    def forward(self, x, scale=None, **kwargs):
        if scale:
            x = x * scale
        return halve(x, 2.0)
"""
MENDED = (
    MENDABLE.replace("(lambda t: t / by)(x)", "x / by")
    .replace("if scale:", "if scale is not None:\n            # a layer")
    .replace(", **kwargs", "")
)
MENDED_AFTER = MENDED.replace("self, x, scale=None", "self, x: Tensor, scale: Optional[Tensor] = None").replace(
    "from torch", "from typing import Optional\n\nfrom torch", 1
)
LAMBDA, TRUTH, STARS = "Lambda aren't supported", "Could not cast value\nof type None to bool", "variable number"


def mends_of(file: str) -> tuple[Mend, ...]:
    """A mend of a function with annotations, and two of a function without, the first of which omits code."""
    halve, forward = Owner(file, "halve", 4), Owner(file, "Block.forward", 9)

    def mend(name: str, owner: Owner, place: tuple[int, int], old: str, new: str, because: str) -> Mend:
        edits = (Edit(MENDABLE.index(old), new, removed=len(old)),)
        summary = f"`{old.strip()}` is written otherwise"
        return Mend(name, MendKind.EXACT, owner, Place(file, *place), summary, {file: edits}, because=because)

    stars = mend("variadics", forward, (9, 36), ", **kwargs", "", STARS)
    return (
        mend("inner_functions", halve, (5, 12), "(lambda t: t / by)(x)", "x / by", LAMBDA),
        replace(stars, kind=MendKind.SCRIPTED, left_out="what `**kwargs` took"),
        mend("none_tests", forward, (10, 12), "if scale:", "if scale is not None:\n            # a layer", TRUTH),
    )


def mended_outcome(root: Path) -> Outcome:
    """Three mends and two annotations in `model.py` below the root, verified. The original file is written there."""
    path = root / "model.py"
    path.write_text(MENDABLE)
    file, project = str(path), Project(str(root), {"model": str(path)})
    mended = Mended(project).add(mends_of(file), project)
    forward = Owner(file, "Block.forward", 9)
    types = {"x": TENSOR, "scale": TypeExpr("Optional", (TENSOR,))}
    annotations = [Annotation(Slot(forward, SlotKind.PARAMETER, name), type_) for name, type_ in types.items()]
    rendered = mended.on_disk(render(Plan().with_(annotations), Evidence(mended.project, ())))
    return Outcome(
        targets=(Target("model.py:Block", "", file, "Block"),),
        root=str(root),
        changes=rendered.changes,
        annotations=rendered.written,
        verdicts=(Verdict("parses", True), Verdict("scripts", True), Verdict("answers", True)),
        verified=True,
        mends=mended.mends,
    )


def advised_outcome(root: Path) -> Outcome:
    """The same as a failed run without `--mend`."""
    outcome = mended_outcome(root)
    verdicts = (Verdict("scripts", False),)
    advised = MendAdvice(MendLevel.ALL, outcome.mends, 5, 4)
    return replace(outcome, changes=(), verdicts=verdicts, verified=False, mends=(), advised=advised)


HOSTILE = '</script></style></div><img src=x onerror="pwned=1">\'&amp;<!--'


def blamed(outcome: Outcome) -> Outcome:
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
    """The same outcome, failed, with `sound` working parts before the faulty one, and others that were not judged."""
    failed = blamed(outcome)
    (blame,) = failed.blame
    top, fault, stem, *_ = blame.parts
    parts = (top, *(replace(stem, path=f"stem{n}", name=f"Stem{n}") for n in range(sound)), fault)
    unknown = replace(stem, name="Late", scripts=False, answers=Answers.NOT_JUDGED)
    late = tuple(replace(unknown, path=f"late.{n}") for n in range(unjudged))
    return replace(failed, blame=(replace(blame, parts=parts, unjudged=late),))


def hostile(root: Path) -> Outcome:
    """An outcome in which every text is the same hostile text."""
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


Shown = tuple[Outcome, Invocation]


def shown(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE, code: int = 0, stubs: str = "") -> Shown:
    arguments = ("pdt-annotate", "model.py:Net", "-i", "inputs.py")
    command = " ".join(arguments) if code else ""
    return outcome, Invocation(outcome.root, write_back, code, arguments, stubs=stubs, command=command)


def failed(outcome: Outcome, *verdicts: Verdict) -> Shown:
    return shown(replace(outcome, verdicts=verdicts, verified=False), code=3)


def _wrong_answer(root: Path) -> Shown:
    good = make_outcome(root)
    place = Place(good.changes[0].file, 9, 16)
    failure = Failure("output differs at [0]: eager 1.0, scripted 2.0", place=place, call="masked", code="PDT061")
    return failed(good, *good.verdicts[:3], Verdict("answers", False, failure))


def _raises(root: Path) -> Shown:
    good = make_outcome(root)
    said = f'the scripted model raises: index out of range\n  File "{root}/model.py", line 3'
    failure = Failure(said, "IndexError", call="call 2", text=f"in {root}/model.py", raises=True)
    return failed(good, *good.verdicts[:2], *[Verdict("answers", False, failure)] * 2)


def _behaves_otherwise(root: Path) -> Shown:
    mended = mended_outcome(root)
    failure = Failure("`halve` answers 2.0 where it answered 1.0", call="call 1", place=mended.mends[0].place)
    return failed(mended, Verdict("parses", True), Verdict(BEHAVES, False, failure))


def _two_targets(root: Path) -> Shown:
    outcome = make_outcome(root)
    outcome = replace(outcome, targets=(*outcome.targets, Target("late.py:Late", "", "", "Late")), joined=True)
    timeout = NoResult(("slow.py:Slow",), "call 1 took longer than 60 s", Place(str(root / "slow.py"), 3), "--timeout")
    made, invocation = shown(outcome, WriteBack.DIFF, 2)
    return made, replace(invocation, without_result=(timeout,))


def _two_targets_failed(root: Path) -> Shown:
    """Two parts have the same fault."""
    outcome = blamed(make_outcome(root))
    (blame,) = outcome.blame
    parts = (*blame.parts, replace(blame.parts[1], path="act2", name="Act2"))
    targets = (*outcome.targets, Target("late.py:Late", "", "", "Late"))
    made, invocation = shown(replace(outcome, targets=targets, blame=(replace(blame, parts=parts),)), code=3)
    without = NoResult(("other.py:Net",), "importing other: ValueError", hint="import it")
    return made, replace(invocation, without_result=(without,))


def _profile(root: Path) -> Shown:
    good = make_outcome(root)
    unknown = Finding("PDT050", "`Net.late` is newer than the profile", Place(good.changes[0].file, 5, 5))
    outcome = replace(
        good,
        verdicts=(Verdict("parses", True), Verdict("same program", True)),
        verified=False,
        findings=(*good.findings, unknown),
        outdated=Outdated((unknown,), "pdt-annotate run -o net.pdt train.py"),
    )
    return shown(outcome, WriteBack.CHECK, 1)


def _profile_alone(root: Path) -> Shown:
    outcome, _ = _profile(root)
    return shown(replace(outcome, targets=(), changes=(), verdicts=outcome.verdicts[:1]), WriteBack.CHECK, 1)


def _ignored(root: Path) -> Shown:
    good = make_outcome(root)
    file, vendored = good.changes[0].file, str(root / "vendored" / "net.py")
    slots = [Slot(Owner(vendored, name, 1), SlotKind.PARAMETER, "x") for name in ("g", "f", "f")]
    outcome = replace(
        good,
        findings=(),
        changes=(*good.changes, FileChange(str(root / "other.py"), BEFORE, BEFORE)),
        annotations=(*good.annotations, *(Annotation(slot, TENSOR) for slot in slots)),
        ignored=(Ignored(good.findings[0], IgnoredBy.IN_SOURCE, "model.py:5"),),
        unreached=(Owner(file, "Net.reset", 9),),
        timings=Timings((Timing("observing", 1.5), Timing("searching", 12.0)), (Timing("attempt", 9.004, 3),)),
        overlaid=(Overlaid("vendored.net", FileChange(vendored, b"def f(x): pass\n", b"def f(x: Tensor): pass\n")),),
    )
    return shown(outcome, WriteBack.CHECK, 1)


def _outside(root: Path) -> Outcome:
    """A finding in a library on the import path, and one in a file that is not on it."""
    good = make_outcome(root)
    library, other = str(root.parent / "lib" / "pkg" / "m.py"), str(root.parent / "other" / "m.py")
    findings = tuple(replace(good.findings[0], place=Place(file, 7, 3)) for file in (library, other))
    return replace(good, findings=findings, unreached=(Owner(library, "f", 3),))


def _repaired(root: Path) -> Outcome:
    """An outcome in which an annotation has many calls, and the compiler's message for which it was added."""
    good = make_outcome(root)
    (first, second), said = good.annotations, f"found 'int'\n  in {root}/model.py"
    seen = (replace(first.evidence[0], calls=tuple(f"c{number}" for number in range(9))),)
    repaired = replace(first, origin=Origin.REPAIR, because=said, evidence=seen)
    return replace(good, annotations=(repaired, replace(second, because="Expected Optional[Tensor]")))


def everything(root: Path) -> Outcome:
    """An outcome without empty lists, in which every optional value is present."""
    outcome = fail(make_outcome(root))
    file = outcome.changes[0].file
    failure = Failure("no", "RuntimeError", Place(file, 3), (Place(file, 4),), "a", "no")
    fault = Fault("PDT004", failure, Owner(file, "Net.forward", 5), ("Write it plainly.",))
    part = Part("a", "Act", Place(file, 1), answers=Answers.DIFFER, faults=(fault,), blamed=("a.b",))
    copied = FileChange(str(root / "lib.py"), b"", b"x: int\n")
    slot = replace(outcome.annotations[0].slot, owner=Owner(copied.file, "f", 1))
    mends = mends_of(file)
    return replace(
        outcome,
        annotations=(*outcome.annotations, replace(outcome.annotations[0], slot=slot)),
        unreached=(Owner(file, "Net.forward", 5),),
        blame=(Blame(outcome.targets[0], (part,), (replace(part, path="b", answers=Answers.NOT_JUDGED),)),),
        kept=(part,),
        overlaid=(Overlaid("lib", copied),),
        ignored=(Ignored(outcome.findings[0], IgnoredBy.EXTERNAL, "ignore = PDT030"),),
        mends=mends,
        advised=MendAdvice(MendLevel.ALL, mends, 2, 1),
        outdated=Outdated(outcome.findings, "pdt-annotate observe"),
        timings=Timings((Timing("looking", 0.5),), (Timing("attempt", 0.25, 2),)),
    )


OUTCOMES: Mapping[str, Callable[[Path], Shown]] = {
    "verified": lambda root: shown(make_outcome(root)),
    "dry_run": lambda root: shown(make_outcome(root), WriteBack.DIFF),
    "check": lambda root: shown(make_outcome(root), WriteBack.CHECK, 1),
    "stubs": lambda root: shown(make_outcome(root), WriteBack.STUBS, stubs=str(root / "typings")),
    "judged_alone": lambda root: shown(replace(make_outcome(root), changes=()), WriteBack.NOTHING),
    "nothing_to_do": lambda root: shown(replace(make_outcome(root), changes=(), annotations=(), findings=())),
    "no_target": lambda root: shown(Outcome((), str(root))),
    "refused": lambda root: shown(fail(make_outcome(root)), code=3),
    "wrong_answer": _wrong_answer,
    "raises": _raises,
    "crash": lambda root: failed(
        make_outcome(root), PASSED[0], Verdict("scripts", False, None, "the process ended with SIGSEGV")
    ),
    "behaves_otherwise": _behaves_otherwise,
    "partial": lambda root: shown(blamed(make_outcome(root)), code=3),
    "not_written": lambda root: shown(replace(blamed(make_outcome(root)), changes=(), kept=(), findings=()), code=3),
    "many_parts": lambda root: shown(
        replace(many_modules(make_outcome(root), sound=5, unjudged=2), kept=()), WriteBack.CHECK, 3
    ),
    "mended": lambda root: shown(mended_outcome(root)),
    "mends_missing": lambda root: shown(mended_outcome(root), WriteBack.CHECK, 1),
    "mends_advised": lambda root: shown(advised_outcome(root), code=3),
    "two_targets": _two_targets,
    "two_targets_failed": _two_targets_failed,
    "profile": _profile,
    "profile_alone": _profile_alone,
    "ignored": _ignored,
    "outside": lambda root: shown(_outside(root), WriteBack.CHECK, 1),
    "repaired": lambda root: shown(_repaired(root), WriteBack.DIFF),
    "hostile": lambda root: shown(hostile(root), code=3),
    "everything": lambda root: shown(everything(root), code=3),
}
"""An outcome for each way in which a run can end, and its command."""

"""The words that emitters and the report share, and the module tree of a target that failed, for any renderer."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import MendAdvice, Outcome, Outdated
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.slots import Annotation, Observation, Origin, Place, Slot, SlotKind
from pdt_annotate.values.verdicts import AS_BEFORE, HELD_BACK, Answers, Blame, Failure, Fault, Part, Verdict, judge_of

TIMES = "\N{MULTIPLICATION SIGN}"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def on_calls(names: Sequence[str]) -> str:
    """The example calls, by name or number.

    >>> on_calls(["masked"]), on_calls(["call 2"]), on_calls(["a", "b"])
    ('on call masked', 'on call 2', 'on calls a, b')
    """
    is_numbered = all(re.fullmatch(r"call \d+", name) for name in names)
    noun = "" if is_numbered else "call " if len(names) == 1 else "calls "
    return f"on {noun}{abbreviate(names, 'to')}"


def abbreviate(paths: Sequence[str], to: str) -> str:
    """Names joined by commas; three or more numbered neighbours become a range: "stem, layers.0 to layers.2"."""
    shown: list[str] = []
    for _, group in groupby(paths, key=lambda path: re.sub(r"\d+", "#", path)):
        names = list(group)
        counts = len(names) >= 3 and any(each.isdigit() for each in names[0].split("."))
        shown += [f"{names[0]} {to} {names[-1]}"] if counts else names
    return ", ".join(shown)


def tally(outcome: Outcome) -> tuple[str, str]:
    """The number of annotations and mends, and of changed files: ("3 annotations and 1 mend", "1 file")."""
    changed = {change.file for change in outcome.changes}
    mends = sum(mend.owner.file in changed for mend in outcome.mends)
    annotations = sum(annotation.slot.owner.file in changed for annotation in outcome.annotations)
    counts = {"annotation": annotations, "mend": mends}
    shown = [plural(count, noun) for noun, count in counts.items() if count] or [plural(0, "annotation")]
    return " and ".join(shown), plural(len(changed), "file")


def shown(place: Place) -> str:
    """ "dir/model.py:12:5", relative to the working directory if the file is below it; "" without a file."""
    relative = named_from(place.file) if os.path.isabs(place.file) else place.file
    return str(place if relative.startswith(os.pardir) else place.named(relative))


def at_place(place: Place, text: str) -> str:
    """ "dir/model.py:12:5: text", or only the text without a file."""
    return f"{shown(place)}: {text}" if place.file else text


def capital(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


def first_line(text: str) -> str:
    return next(iter(text.strip().splitlines()), "")


def slot_name(slot: Slot) -> str:
    named = slot.kind in {SlotKind.LOCAL, SlotKind.ATTRIBUTE}
    return f"{slot.kind.value} {slot.name}" if named else slot.name


def spelled(annotation: Annotation) -> str:
    """The annotation's source in a signature, with short class names."""
    spelling = str(annotation.type)
    return f"Final[{spelling}]" if annotation.final else spelling


def declared(annotation: Annotation) -> str:
    """ "x: Tensor", "-> Tensor", "local acc: List[int]"."""
    slot = annotation.slot
    return f"-> {spelled(annotation)}" if slot.kind is SlotKind.RETURN else f"{slot_name(slot)}: {spelled(annotation)}"


def by_weight(observations: Sequence[Observation]) -> list[Observation]:
    return sorted(observations, key=lambda each: (-each.count, each.type))


def sightings(annotation: Annotation) -> list[str]:
    """ "seen: int×12 in call 1, call 2" for each observed type, the commonest first."""
    seen = [(f"seen: {each.type}{TIMES}{each.count}", ", ".join(each.calls)) for each in by_weight(annotation.evidence)]
    return [f"{what} in {calls}" if calls else what for what, calls in seen]


def evidence(annotation: Annotation) -> str:
    """ "int×12, None×3": each observed type with its count, the commonest first; then any origin but observation."""
    seen = ", ".join(f"{each.type}{TIMES}{each.count}" for each in by_weight(annotation.evidence))
    return seen if annotation.origin is Origin.OBSERVED else f"{seen} ({annotation.origin.value})".strip()


def is_failed(outcome: Outcome) -> bool:
    return bool(outcome.blame) or not all(verdict.ok for verdict in outcome.verdicts)


def judgement(outcome: Outcome) -> str:
    """The verdicts in one clause: "the scripted model returns the same results as Python on 4 calls (1 held back)"."""
    failed = list(dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok))
    if failed:
        return f"verification failed: {', '.join(judge_of(each).no or each for each in failed)}"
    if outcome.text_only:
        return "the annotations were checked as text only, not compiled; to verify them, add example inputs (-i)"
    if not outcome.verified:
        return "not verified"
    calls = [verdict for verdict in outcome.verdicts if judge_of(verdict.judge).is_per_call]
    if not calls:
        return f"verified: {', '.join(dict.fromkeys(each.note or each.judge for each in outcome.verdicts))}"
    held_back = sum(verdict.judge == HELD_BACK for verdict in calls)
    aside = f" ({held_back} held back)" if held_back else ""
    alike = sum(verdict.failure is None for verdict in calls)  # the others differ on purpose, as a finding says
    if not alike:
        differs = "the scripted model runs, and its results differ from Python's on purpose"
        return f"{differs} on {plural(len(calls), 'call')}{aside}"
    some = f"{alike} of " if alike < len(calls) else ""
    return f"the scripted model returns the same results as Python on {some}{plural(len(calls), 'call')}{aside}"


SAME = "replace … by the arguments of the original command"  # about the command that makes a profile again


def renewing(outdated: Outdated) -> str:
    return f"Run `{outdated.renew}` to renew the profile ({SAME}), or annotate by hand."


def first_failures(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The first failure of each judge, since the same fault usually shows on every call; of edits all of them."""
    first: dict[tuple[str, str], Verdict] = {}
    for verdict in verdicts:
        if not verdict.ok:
            said = verdict.failure.message if verdict.failure and verdict.judge == AS_BEFORE else ""
            first.setdefault((verdict.judge, said), verdict)
    return list(first.values())


def by_message(mends: Iterable[Mend]) -> dict[str, list[Mend]]:
    """The mends by the message that asked for them, in order of appearance; within one message, by place."""
    groups = grouped((mend.because.strip(), mend) for mend in mends)
    return {message: sorted(group, key=lambda mend: mend.place) for message, group in groups.items()}


def asked_by(mend: Mend) -> str:
    """The line of the compiler's message that names the problem; "" if no message asked for the mend."""
    return telling_line(Failure(mend.because)) if mend.because else ""


def promise(advised: MendAdvice, places_left: int) -> str:
    """The result of a run with the advised mends: whether it would script, or how many places would be left."""
    files = {file for mend in advised.mends for file in mend.edits}
    changes = f"{plural(len(advised.mends), 'change')} of code in {plural(len(files), 'file')}"
    lines = f"+{advised.added} -{advised.removed} lines with the annotations"
    mended = len({mend.place.whole_line for mend in advised.mends})
    result = "it would script" if advised.verifies else f"{mended} of {mended + places_left} places would be mended"
    return f"{result}: {changes}, {lines}"


TO = "…"  # between the first and the last of numbered names
SAID: Mapping[Answers, str] = {
    Answers.ALIKE: "scripts, same results on {calls}",
    Answers.NOT_CALLED: "scripts; no example call runs it",
    Answers.DIFFER: "scripts, but the results differ",
    Answers.RAISE: "scripts, but raises where eager mode does not",
    Answers.UNKNOWN: "does not script",
    Answers.NOT_JUDGED: "not judged, for lack of time",
}


@dataclass(frozen=True)
class Node:
    """Neighbours that look alike: their paths from the node above, and the children of the first."""

    parts: tuple[Part, ...]
    names: tuple[str, ...]
    children: tuple[Node, ...]

    @property
    def part(self) -> Part:
        return self.parts[0]

    @property
    def name(self) -> str:
        return abbreviate(self.names, TO)

    @property
    def look(self) -> tuple[Any, ...]:
        """A key that is equal for nodes that look alike."""
        part, faults = self.part, tuple((fault.code, fault.failure) for fault in self.part.faults)
        return (part.name, part.place, part.answers, faults, tuple((each.names, each.look) for each in self.children))


def grow(blame: Blame) -> Node:
    return _grow(blame.parts[0], "", (*blame.parts, *blame.unjudged))


def _grow(top: Part, name: str, parts: Sequence[Part]) -> Node:
    below = [part for part in parts if _inside(part.path, top.path)]
    nearest = (part for part in below if not any(_inside(part.path, other.path) for other in below))
    children = (_grow(part, _inside(part.path, top.path), below) for part in nearest)
    joined = []
    for _, group in groupby(children, key=lambda each: each.look):
        alike = list(group)
        found, names = (each.part for each in alike), (each.names[0] for each in alike)
        joined.append(Node(tuple(found), tuple(names), alike[0].children))
    return Node((top,), (name,), tuple(joined))


def verdict(node: Node) -> str:
    part = node.part
    calls = plural(min(each.calls for each in node.parts), "call") + (" each" if len(node.parts) > 1 else "")
    said = SAID[part.answers].format(calls=calls)
    if part.is_sound or part.answers is Answers.NOT_JUDGED:
        return f"{said} (with {plural(part.size - 1, 'module')} inside)" if part.size > 1 else said
    unjudged = [child for child in node.children if child.part.answers is Answers.NOT_JUDGED]
    late = {name: each for child in unjudged for name, each in zip(child.names, child.parts, strict=True)}
    own, held = _shared_out(part, tuple(late.values()))
    below = abbreviate([*(_inside(path, part.path) for path in part.blamed), *(n for n in late if late[n] in held)], TO)
    if below:
        return f"{said}; faults in itself and in {below}" if own else f"{said}; because of {below}"
    is_certain = not late or any(_is_in(fault, (part,)) for fault in own)
    return f"{said}; faults in itself" if is_certain else f"{said}; faults in itself, or in parts that were not judged"


def in_the_way(blame: Blame) -> str:
    """ "1 line at fault (1 of 41 modules); 9 were not judged for lack of time" """
    shared_out = [(part, *_shared_out(part, blame.unjudged)) for part in blame.parts]
    faulty = {each.path for part, own, held in shared_out for each in ((part, *held) if own else held)}
    lines = {fault.failure.place.whole_line for part in blame.parts for fault in part.faults}
    unjudged = sum(part.size for part in blame.unjudged)
    modules = sum(part.size for part in blame.parts if not part.is_function) + unjudged
    inside = f"{len(faulty)} of {plural(modules, 'module')}" if modules > 1 else ""
    left = f"; {unjudged} {'was' if unjudged == 1 else 'were'} not judged for lack of time" if unjudged else ""
    if not all(each.file for each in lines):
        return f"{inside} at fault{left}" if faulty and inside else left.removeprefix("; ") if faulty else ""
    return f"{plural(len(lines), 'line')} at fault{f' ({inside})' if inside else ''}{left}" if faulty else ""


def group_kept(kept: Sequence[Part]) -> list[tuple[Part, str]]:
    """The first of the parts with one definition, with the paths of them all: "stem, layers.0 to layers.2"."""
    groups = grouped(((part.name, part.place), part) for part in kept)
    paths = ([part.path or "the target" for part in group if not part.is_function] for group in groups.values())
    return [(group[0], abbreviate(each, "to")) for group, each in zip(groups.values(), paths, strict=True)]


def _shared_out(part: Part, unjudged: Sequence[Part]) -> tuple[list[Fault], list[Part]]:
    """The faults of a part outside its unjudged submodules, and the unjudged submodules that contain the others."""
    held = [each for each in unjudged if any(_is_in(fault, (each,)) for fault in part.faults)]
    return [fault for fault in part.faults if not _is_in(fault, held)], held


def _is_in(fault: Fault, parts: Sequence[Part]) -> bool:
    owner = fault.owner
    return owner is not None and any((owner.file, owner.qualname.rpartition(".")[0]) in each.classes for each in parts)


def _inside(path: str, top: str) -> str:
    """The rest of the path of a part that is below another part; "" if it is not below."""
    return path if not top else path.removeprefix(f"{top}.") if path.startswith(f"{top}.") else ""

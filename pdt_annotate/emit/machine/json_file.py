"""`--json` and `captures --json`: all results of a run, for machines.

The same outcome gives the same bytes on any machine at any time. Captures contain times, so each is different.
"""

import enum
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any

from pdt_annotate.emit.capture_rows import by_target
from pdt_annotate.emit.machine.invocation import Invocation, relative_to, without_root
from pdt_annotate.emit.messages import Message, Messages
from pdt_annotate.emit.words import by_weight, spelled
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Places
from pdt_annotate.values.capture_results import CallFate, Capture, Captures, Requirement, Way
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Ignored, MendAdvice, Outcome, Outdated
from pdt_annotate.values.printable import in_json
from pdt_annotate.values.slots import Annotation, Finding, Observation, Owner, Place, Slot
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import AS_BEFORE, Failure, Fault, Part, Verdict, judge_of
from pdt_annotate.values.version import __version__

Json = dict[str, Any]

SCHEMA_VERSION = 1  # raised when a key is removed or changes its meaning, not for a new key
CAPTURES_VERSION = 2  # the same for the document of captures
TOOL: Json = {"name": "pdt-annotate", "version": __version__}
KEYS: Mapping[type, str] = {
    Place: "file line column",
    Owner: "file function=qualname line",
    Slot: "owner* kind name slot_line=line",
    Finding: "code message place* slot",
    Ignored: "finding kind by",
    Failure: "message text kind place* call accepted_as=code chain",
    Verdict: "judge ok note failure",
    Annotation: "type final origin rules evidence alternatives because",
    Observation: "type count calls",
    Mend: "rewrite kind in=owner place* summary because left_out",
    MendAdvice: "level verifies added removed mends",
    Outdated: "findings renew",
    Fault: "code in=owner failure advice",
    Part: "path name kind=is_function place* scripts answers calls faults blamed hidden traces",
    Way: "name title class=kind sound",
    Captures: "version note captures required",
    Requirement: "way met reason",
    Capture: "way fate captured failure absent graphs whole calls findings seconds relative per_call operators",
    CallFate: "call fate held_back made_from message",
}
"""The keys of each kind of value in their order; `key=name` if the attribute has another name, and `name*` for an
attribute that adds its own keys to the keys of the value."""

# The keys of texts that may name files of this machine.
TEXTS = frozenset({"message", "text", "note", "because", "reason"})
BY_PLACE = attrgetter("place", "rewrite", "summary")  # sorts mends
IN_ORDER = attrgetter("place", "code", "message")  # sorts findings
EDITED = judge_of(AS_BEFORE).code  # no mend makes up for an edit
AROUND = 3  # lines shown before and after the place
LISTED = 3  # the most mends that are named


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The document as UTF-8 bytes, keys and entries in a fixed order."""
    step = next_step(outcome, replace(invocation, base=outcome.root))
    return dump({**document(outcome), **({"next_step": step} if step else {})})


def dump(document: Json) -> bytes:
    """A document with a line for each entry, for people too; in a log, GitHub's runner obeys no line of it."""
    return (in_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n").encode()


def document(outcome: Outcome) -> Json:
    """The outcome as plain data, with paths relative to the root. The last keys are only there if they have values."""
    root, plain = outcome.root, PlainValues(outcome.root)
    places = Places(outcome.all_changes)
    annotations = sorted(outcome.annotations, key=lambda each: each.slot.sort_key)
    ignored = sorted(outcome.ignored, key=lambda each: IN_ORDER(each.finding))
    overlaid = sorted(outcome.overlaid, key=lambda each: each.module)
    owners = (*(each.slot.owner for each in annotations), *(mend.owner for mend in outcome.mends))
    advised, outdated, timings = outcome.advised, outcome.outdated, outcome.timings
    last = {
        "ignored": plain.of(ignored),
        "mends": plain.of(sorted(outcome.mends, key=BY_PLACE)),
        "advised": plain.of(advised and replace(advised, mends=tuple(sorted(advised.mends, key=BY_PLACE)))),
        "places_left": outcome.places_left,
        "overlaid": [
            {
                "module": each.module,
                "file": relative_to(root, each.change.file),
                "functions": sorted({owner.qualname for owner in owners if owner.file == each.change.file}),
            }
            for each in overlaid
        ],
        "outdated": plain.of(outdated and replace(outdated, findings=tuple(sorted(outdated.findings, key=IN_ORDER)))),
        # No two runs have the same times, so they are only there on request.
        "timings": timings.stages and {name: [asdict(each) for each in found] for name, found in vars(timings).items()},
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "targets": [without_root(root, target.text) for target in outcome.targets],
        "verified": outcome.verified,
        "changes": [{"file": relative_to(root, file)} for file in sorted(change.file for change in outcome.changes)],
        "annotations": [
            {
                "slot": plain.of(each.slot),
                "line": places.of_slot(each.slot).line,
                "column": places.of_slot(each.slot).column,
                "annotation": spelled(each),
                **plain.entries(replace(each, evidence=tuple(by_weight(each.evidence)))),
            }
            for each in annotations
        ],
        "findings": plain.of(sorted(outcome.findings, key=IN_ORDER)),
        "verdicts": plain.of(outcome.verdicts),
        "unreached": plain.of(sorted(outcome.unreached)),
        "blame": [
            {
                "target": without_root(root, blame.target.text),
                "parts": plain.of(blame.parts),
                **({"unjudged": [part.path for part in blame.unjudged]} if blame.unjudged else {}),
            }
            for blame in outcome.blame
        ],
        "kept": plain.of(outcome.kept),
        **{key: value for key, value in last.items() if value},
    }


def captures_document(found: Sequence[Captures]) -> Json:
    """The results of all captures as plain data, the paths of each target relative to its root."""
    targets = [(versions.found, versions.found[0].root) for versions in by_target(found)]
    return {
        "schema_version": CAPTURES_VERSION,
        "tool": TOOL,
        "ways": PlainValues("").of(list(dict.fromkeys(way for each in found for way in each.ways))),
        "targets": [
            {"target": without_root(root, versions[0].target.text), "versions": PlainValues(root).of(versions)}
            for versions, root in targets
        ],
    }


@dataclass(frozen=True)
class PlainValues:
    """Converts values of all kinds to plain data for JSON, with one root for all paths."""

    root: str

    def of(self, value: Any) -> Any:
        if type(value) in KEYS:
            return self.entries(value)
        if isinstance(value, TypeExpr):
            return value.spell(str)
        if isinstance(value, enum.Enum):
            return value.value
        if isinstance(value, Mapping):
            return dict(sorted(value.items()))
        return [self.of(each) for each in value] if isinstance(value, list | tuple) else value

    def entries(self, value: Any) -> Json:
        plain: Json = {}
        for entry in KEYS[type(value)].split():
            key, _, name = entry.removesuffix("*").partition("=")
            found = getattr(value, name or key)
            if entry.endswith("*"):
                plain |= self.entries(found)
            elif key == "file":
                plain[key] = relative_to(self.root, found)
            elif name == "is_function":
                plain[key] = "function" if found else "module"
            else:
                plain[key] = without_root(self.root, found) if key in TEXTS else self.of(found)
        if isinstance(value, Mend):
            plain["files"] = sorted(relative_to(self.root, file) for file in value.edits)
        return plain


def next_step(outcome: Outcome, invocation: Invocation) -> Mapping[str, Any]:
    """The fault that people see first, its remedy and the command that proves it; empty if nothing failed."""
    messages = Messages(outcome, invocation)
    blamed = messages.blamed()
    is_missing = not blamed and invocation.write_back.fails_on_missing
    if is_missing:
        blamed = [message for each in messages.lacking() for message in messages.of_missing(each)]
    if not blamed:
        return {}
    message, advised = blamed[0], outcome.advised
    place = message.place
    numbers = range(max(place.line - AROUND, 1), place.line + AROUND + 1) if place.line else ()
    lines = ((number, messages.moved.line(replace(place, line=number))) for number in numbers)
    helps = advised is not None and advised.verifies
    do = f"Run `{invocation.command}`." if invocation.command and (helps or is_missing) else message.steps[0]
    step: dict[str, Any] = {
        "code": message.code,
        "message": message.headline or message.said,
        "file": relative_to(invocation.base, place.file) if place.file else "",
        "line": place.line,
        "column": place.column,
        "function": message.function or message.subject,
        "call": message.failure.call if message.failure else "",
        "cause": message.text,
        "lines": [{"line": number, "text": text.rstrip("\r\n")} for number, text in lines if text],
        "do": do,
        "advice": [each for each in message.steps if each != do],
        "mends": [each.summary for each in advised.mends] if advised and helps else [],
        "mend_level": advised.level.value if advised and helps else "",
        "no_mend": "" if helps or is_missing or message.code == EDITED else _why_no_mend(message, messages),
        "command": invocation.command,
    }
    return {key: value for key, value in step.items() if value not in ("", [], 0)}


def _why_no_mend(message: Message, messages: Messages) -> str:
    if messages.invocation.write_back is WriteBack.NOTHING:
        return "`verify` does not try code changes; run the command without `verify` and with `--mend all --diff`"
    asked = message.asked_for
    if not asked:
        return "`--mend` has no code change for this message"
    named = ", ".join(f"`{name}`" for name in asked[:LISTED]) + (" and others" if len(asked) > LISTED else "")
    return (
        f"the mends for this message ({named}) have conditions that this code does not meet; docs/mends.md lists them"
    )

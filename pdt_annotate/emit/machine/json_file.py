"""`--json`: everything a run found, for machines. The same run gives the same bytes on every machine and every day."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pdt_annotate.emit.machine.invocation import relative_to, without_root
from pdt_annotate.emit.words import by_weight
from pdt_annotate.source.places import Places
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import MendAdvice, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.printable import in_json
from pdt_annotate.values.progress import Timings
from pdt_annotate.values.slots import Annotation, Finding, Observation, Owner, Slot
from pdt_annotate.values.verdicts import Blame, Failure, Fault, Part, Verdict
from pdt_annotate.values.version import __version__

Json = dict[str, Any]

TOOL: Json = {"name": "pdt-annotate", "version": __version__}


def dump(document: Json) -> bytes:
    """A document with a line for each entry, so that people can read it too; in a log, GitHub's runner obeys none."""
    return (in_json(json.dumps(document, indent=2, ensure_ascii=False)) + "\n").encode()


class PlainValues:
    """Plain data for values that several documents have, with one root for all paths."""

    def __init__(self, root: str) -> None:
        self.root = root

    def slot(self, slot: Slot) -> Json:
        return {**self.owner(slot.owner), "kind": slot.kind.value, "name": slot.name, "slot_line": slot.line}

    def owner(self, owner: Owner) -> Json:
        return {"file": self.path(owner.file), "function": owner.qualname, "line": owner.line}

    def finding(self, finding: Finding) -> Json:
        return {
            "code": finding.code,
            "message": self.text(finding.message),
            **self.place(finding.place),
            "slot": self.slot(finding.slot) if finding.slot else None,
        }

    def failure(self, failure: Failure) -> Json:
        return {
            "message": self.text(failure.message),
            "text": self.text(failure.text),
            "kind": failure.kind,
            **self.place(failure.place),
            "call": failure.call,
            "accepted_as": failure.code,
            "chain": [self.place(place) for place in failure.chain],
        }

    def place(self, place: Place) -> Json:
        return {"file": self.path(place.file), "line": place.line, "column": place.column}

    def path(self, file: str) -> str:
        return relative_to(self.root, file)

    def text(self, text: str) -> str:
        return without_root(self.root, text)


SCHEMA_VERSION = 1
"""Raised when a key is removed or changes its meaning; a new key leaves it as it is."""


def render(outcome: Outcome) -> bytes:
    """The document as UTF-8 bytes, keys and entries in a fixed order."""
    return dump(document(outcome))


def document(outcome: Outcome) -> Json:
    """The outcome as plain data, its paths relative to the root."""
    return _Document(outcome).document()


class _Document(PlainValues):
    """Plain data for each value of an outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.root)
        self.outcome = outcome
        self.places = Places(outcome.all_changes)

    def document(self) -> Json:
        outcome = self.outcome
        return {
            "schema_version": SCHEMA_VERSION,
            "tool": TOOL,
            "targets": [self.text(target.text) for target in outcome.targets],
            "verified": outcome.verified,
            "changes": [{"file": self.path(file)} for file in sorted(change.file for change in outcome.changes)],
            "annotations": [self.annotation(each) for each in sorted(outcome.annotations, key=_slot_order)],
            "findings": [self.finding(each) for each in sorted(outcome.findings, key=_finding_order)],
            "verdicts": [self.verdict(verdict) for verdict in outcome.verdicts],
            "unreached": [self.owner(owner) for owner in sorted(outcome.unreached)],
            "blame": [self.blame(each) for each in outcome.blame],
            "kept": [self.part(part) for part in outcome.kept],
            **self.ignored(),
            **self.mends(),
            **self.third_party(),
            **self.outdated(),
            **self.timings(outcome.timings),
        }

    def ignored(self) -> Json:
        """The findings that are none of the others, since the user asked not to hear of them, and where."""
        found = sorted(self.outcome.ignored, key=lambda each: _finding_order(each.finding))
        entries = [{"finding": self.finding(each.finding), "kind": each.kind.value, "by": each.by} for each in found]
        return {"ignored": entries} if entries else {}

    def mends(self) -> Json:
        """What is changed beside annotations, and what would have helped; nothing where there is no such thing."""
        outcome, advised = self.outcome, self.outcome.advised
        mends = {"mends": [self.mend(each) for each in _by_place(outcome.mends)]} if outcome.mends else {}
        return {**mends, "advised": self.advice(advised)} if advised else mends

    def advice(self, advised: MendAdvice) -> Json:
        mends = [self.mend(each) for each in _by_place(advised.mends)]
        return {"level": advised.level.value, "added": advised.added, "removed": advised.removed, "mends": mends}

    def mend(self, mend: Mend) -> Json:
        return {
            "rewrite": mend.rewrite,
            "kind": mend.kind.value,
            "in": self.owner(mend.owner),
            **self.place(mend.place),
            "summary": mend.summary,
            "because": self.text(mend.because),
            "left_out": mend.left_out,
            "files": sorted(map(self.path, mend.edits)),
        }

    def third_party(self) -> Json:
        """What belongs in an overlay, and for which functions and classes; nothing where nothing does."""
        owners = {*(a.slot.owner for a in self.outcome.annotations), *(mend.owner for mend in self.outcome.mends)}
        entries = [
            {
                "module": each.module,
                "file": self.path(each.change.file),
                "functions": sorted({owner.qualname for owner in owners if owner.file == each.change.file}),
            }
            for each in sorted(self.outcome.overlaid, key=lambda each: each.module)
        ]
        return {"overlaid": entries} if entries else {}

    def outdated(self) -> Json:
        """The findings of functions that a profile does not know and a check must not pass; absent without any."""
        outdated = self.outcome.outdated
        if outdated is None:
            return {}
        found = sorted(outdated.findings, key=_finding_order)
        return {"outdated": {"findings": [self.finding(each) for each in found], "renew": outdated.renew}}

    def timings(self, timings: Timings) -> Json:
        """How long everything took, which no two runs have alike: only where it was asked for."""
        if not timings.stages:
            return {}
        return {"timings": {name: [asdict(each) for each in found] for name, found in vars(timings).items()}}

    def blame(self, blame: Blame) -> Json:
        unjudged = {"unjudged": [part.path for part in blame.unjudged]} if blame.unjudged else {}
        parts = [self.part(part) for part in blame.parts]
        return {"target": self.text(blame.target.text), "parts": parts, **unjudged}

    def part(self, part: Part) -> Json:
        return {
            "path": part.path,
            "name": part.name,
            "kind": "function" if part.is_function else "module",
            **self.place(part.place),
            "scripts": part.scripts,
            "answers": part.answers.value,
            "calls": part.calls,
            "faults": [self.fault(fault) for fault in part.faults],
            "blamed": list(part.blamed),
            "hidden": part.hidden,
            "traces": part.traces,
        }

    def fault(self, fault: Fault) -> Json:
        owner = self.owner(fault.owner) if fault.owner else None
        return {"code": fault.code, "in": owner, "failure": self.failure(fault.failure), "advice": list(fault.advice)}

    def annotation(self, annotation: Annotation) -> Json:
        place = self.places.of_slot(annotation.slot)
        return {
            "slot": self.slot(annotation.slot),
            "line": place.line,
            "column": place.column,
            "annotation": f"Final[{annotation.type}]" if annotation.final else str(annotation.type),
            "type": annotation.type.spell(str),
            "final": annotation.final,
            "origin": annotation.origin.value,
            "rules": list(annotation.rules),
            "evidence": [self.observation(each) for each in by_weight(annotation.evidence)],
            "alternatives": [each.spell(str) for each in annotation.alternatives],
            "because": self.text(annotation.because),
        }

    def observation(self, observation: Observation) -> Json:
        return {"type": observation.type.spell(str), "count": observation.count, "calls": list(observation.calls)}

    def verdict(self, verdict: Verdict) -> Json:
        failure = self.failure(verdict.failure) if verdict.failure else None
        return {"judge": verdict.judge, "ok": verdict.ok, "note": self.text(verdict.note), "failure": failure}


def _by_place(mends: Iterable[Mend]) -> list[Mend]:
    return sorted(mends, key=lambda mend: (mend.place, mend.rewrite, mend.summary))


def _slot_order(annotation: Annotation) -> tuple[str, int, str, str, int]:
    """Source order; the parameters of one function stay in the order of its signature, in which they come."""
    return annotation.slot.sort_key


def _finding_order(finding: Finding) -> tuple[Place, str, str]:
    return (finding.place, finding.code, finding.message)

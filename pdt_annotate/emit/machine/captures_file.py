"""`captures --json`: what came of every way of capturing, for programs. Times are among it: no two runs are alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from pdt_annotate.emit.capture_rows import Versions, by_target
from pdt_annotate.emit.files import deliver
from pdt_annotate.emit.machine.json_file import TOOL, Json, PlainValues, dump
from pdt_annotate.values.captures import CallFate, Capture, Captures, Requirement, Way

SCHEMA_VERSION = 2
"""Raised when a key is removed or changes its meaning; a new key leaves it as it is."""


def emit(found: Sequence[Captures], file: str, stdout: BinaryIO) -> None:
    """Write the document to the file; "-" is stdout.

    Raises:
        UserError: the file cannot be written.
    """
    deliver(dump(document(found)), file, stdout)


def document(found: Sequence[Captures]) -> Json:
    """All that was found as plain data, the paths of each target relative to its root."""
    ways = dict.fromkeys(way for each in found for way in each.ways)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": TOOL,
        "ways": [_way(way) for way in ways],
        "targets": [_target(versions) for versions in by_target(found)],
    }


def _way(way: Way) -> Json:
    return {"name": way.name, "title": way.title, "class": way.kind.value, "sound": way.sound}


def _target(versions: Versions) -> Json:
    plain = _CapturesValues(versions.found[0].root)
    return {"target": plain.text(versions.name), "versions": [plain.captures(each) for each in versions.found]}


class _CapturesValues(PlainValues):
    """Plain data for what was captured."""

    def captures(self, captures: Captures) -> Json:
        captured = [self.capture(each) for each in captures.captures]
        return {
            "version": captures.version,
            "note": self.text(captures.note),
            "captures": captured,
            "required": [self.requirement(each) for each in captures.required],
        }

    def requirement(self, requirement: Requirement) -> Json:
        return {"way": requirement.way, "met": requirement.met, "reason": self.text(requirement.reason)}

    def capture(self, capture: Capture) -> Json:
        return {
            "way": capture.way,
            "fate": capture.fate.value,
            "captured": capture.captured,
            "failure": self.failure(capture.failure) if capture.failure else None,
            "absent": capture.absent,
            "graphs": capture.graphs,
            "whole": capture.whole,
            "calls": [self.call(call) for call in capture.calls],
            "findings": [self.finding(each) for each in capture.findings],
            "seconds": capture.seconds,
            "relative": capture.relative,
            "per_call": capture.per_call,
            "operators": dict(sorted(capture.operators.items())),
        }

    def call(self, call: CallFate) -> Json:
        return {
            "call": call.call,
            "fate": call.fate.value,
            "held_back": call.held_back,
            "made_from": call.made_from,
            "message": self.text(call.message),
        }

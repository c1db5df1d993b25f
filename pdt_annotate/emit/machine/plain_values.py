"""Values as the plain data that JSON holds, and how a document of them is written."""

from __future__ import annotations

import json
from typing import Any

from pdt_annotate.emit.machine.paths import relative_to, without_root
from pdt_annotate.values.places import Place
from pdt_annotate.values.printable import in_json
from pdt_annotate.values.slots import Finding, Owner, Slot
from pdt_annotate.values.verdicts import Failure
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

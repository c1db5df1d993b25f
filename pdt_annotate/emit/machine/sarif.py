"""SARIF 2.1.0, the OASIS format that code scanners and editors read: results, the rules behind them, and fixes.

Section numbers are those of the standard. Nothing in the log tells when or where it was made.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from pdt_annotate.emit.machine.invocation import Invocation, is_below, relative_to
from pdt_annotate.emit.machine.json_file import Json, dump
from pdt_annotate.emit.messages import MENDED, NOTHING_TO_MEND, Message, Messages
from pdt_annotate.findings.catalogue import CatalogueEntry, entries
from pdt_annotate.source.fingerprints import Fingerprints, Matter
from pdt_annotate.source.text import NEWLINES, Span, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.exits import HAS_RESULT, MEANINGS
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.version import HOMEPAGE, __version__, docs_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"

SOURCE_ROOT = "%SRCROOT%"
IMPORT_PATH = "IMPORTPATH"
BASES: Mapping[str, str] = {
    SOURCE_ROOT: "The top of the repository, in which pdt-annotate ran, or the root that it was given.",
    IMPORT_PATH: "A directory from which the Python that ran imports modules.",
}
"""What file names are relative to (3.14.14)."""

FINGERPRINT = "pdtAnnotate/v1"
"""What our fingerprints are called (3.27.17); raised when they are made otherwise."""

ARTICLES = frozenset({"a", "an", "the"})


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The log as UTF-8 bytes."""
    return dump({"$schema": SCHEMA, "version": VERSION, "runs": [_Run(outcome, invocation).run()]})


class _Run:
    """One run, its files named from one base."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.base = invocation.base
        self.exit_code = invocation.exit_code
        messages = Messages(outcome, invocation)
        self.ignored = messages.ignored()
        self.messages = [*messages.all(), *self.ignored]
        self.codes = [code for code in entries() if any(message.code == code for message in self.messages)]
        self.contents = messages.moved.contents
        fixed = {message.place.file for message in self.messages if message.edits}
        self.changes = {change.file: change for change in outcome.changes if change.file in fixed}
        self.texts = {file: decode(change.before) for file, change in self.changes.items()}

    def run(self) -> Json:
        return {
            "tool": {
                "driver": {
                    "name": "pdt-annotate",
                    "version": __version__,
                    "semanticVersion": __version__,
                    "informationUri": HOMEPAGE,
                    "rules": [rule(entries()[code]) for code in self.codes],
                }
            },
            "invocations": [self.invocation()],
            "originalUriBaseIds": {name: {"description": {"text": text}} for name, text in BASES.items()},
            "artifacts": [self.artifact(change) for _, change in sorted(self.changes.items())],
            "results": [self.result(*each) for each in zip(self.messages, self.fingerprints(), strict=True)],
            "defaultEncoding": "UTF-8",
            "newlineSequences": list(NEWLINES),
            "columnKind": "unicodeCodePoints",
        }

    def invocation(self) -> Json:
        """How the process ends (3.20). It has done its work where annotations are missing or fail, too."""
        has_result = self.exit_code in HAS_RESULT
        return {
            "executionSuccessful": has_result,
            "exitCode": self.exit_code,
            **({"exitCodeDescription": MEANINGS[self.exit_code]} if has_result else {}),
        }

    def artifact(self, change: FileChange) -> Json:
        """A file that a fix changes: by its encoding and its hash a consumer can tell that the fix is for it (3.24)."""
        return {
            "location": self.location(change.file),
            "encoding": self.texts[change.file].charset,
            "sourceLanguage": "python",
            "hashes": {"sha-256": hashlib.sha256(change.before).hexdigest()},
        }

    def fingerprints(self) -> Iterator[str]:
        """By which a result is known again when lines have moved, or annotations are written."""
        matters = (Matter(m.code, m.place.file, m.place.line, m.slot, m.text) for m in self.messages)
        return Fingerprints(self.contents).of(matters, self.uri)

    def result(self, message: Message, fingerprint: str) -> Json:
        related = [self.related(place) for place in message.chain if place.file]
        return {
            "ruleId": message.code,
            "ruleIndex": self.codes.index(message.code),
            "level": message.severity.value,
            "message": {"text": "\n".join((message.text, *message.advice))},
            **dict(self.place(message)),
            **({"relatedLocations": related} if related else {}),
            "partialFingerprints": {FINGERPRINT: fingerprint},
            **({"fixes": [self.fix(message)]} if message.edits else {}),
            # All or none of a run's results say whether they are suppressed (3.27.23).
            **({"suppressions": list(self.suppressions(message))} if self.ignored else {}),
        }

    def suppressions(self, message: Message) -> Iterator[Json]:
        if message.ignored:
            yield {"kind": message.ignored.kind.value, "justification": message.ignored.by}

    def place(self, message: Message) -> Iterator[tuple[str, list[Json]]]:
        physical = {"physicalLocation": self.physical(message.place.file, message.span)} if message.place.file else {}
        logical = {"logicalLocations": [{"fullyQualifiedName": message.subject}]} if message.subject else {}
        if physical or logical:
            yield "locations", [{**physical, **logical}]

    def related(self, place: Place) -> Json:
        span = Span(place.line, place.column)
        return {"physicalLocation": self.physical(place.file, span), "message": {"text": "called from here"}}

    def fix(self, message: Message) -> Json:
        replacements = [self.replacement(message.place.file, edit) for edit in message.edits]
        change = {"artifactLocation": self.location(message.place.file), "replacements": replacements}
        what = "Change the code, with the annotations" if message.code == MENDED else "Write the annotations"
        return {"description": {"text": f"{what} and their imports."}, "artifactChanges": [change]}

    def replacement(self, file: str, edit: Edit) -> Json:
        region = _region(self.texts[file].span(edit.offset, edit.end))
        return {"deletedRegion": region, "insertedContent": {"text": edit.text}}

    def physical(self, file: str, span: Span) -> Json:
        location = {"artifactLocation": self.location(file)}
        return {**location, "region": _region(span)} if span.line else location

    def location(self, file: str) -> Json:
        base = SOURCE_ROOT if is_below(self.base, file) else IMPORT_PATH
        return {"uri": self.uri(file), "uriBaseId": base}

    def uri(self, file: str) -> str:
        return quote(relative_to(self.base, file).encode("utf-8", "surrogateescape"))


def _region(span: Span) -> Json:
    """What is known of a span; without columns it is the whole line, without an end the rest of it."""
    known = {"startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    return {name: number for name, number in known.items() if number}


def rule(entry: CatalogueEntry) -> Json:
    """An entry of the catalogue as one of SARIF's rules (reportingDescriptor, 3.49)."""
    return {
        "id": entry.code,
        "name": pascal_case(entry.title),
        "shortDescription": {"text": f"{entry.title[0].upper()}{entry.title[1:]}."},
        "fullDescription": {"text": entry.meaning},
        "helpUri": docs_of(entry.code),
        "help": {"text": entry.advice, "markdown": f"```python\n{entry.example.strip()}\n```\n\n{entry.advice}"},
        "defaultConfiguration": {"level": "note" if entry.code in NOTHING_TO_MEND else "warning"},
    }


def pascal_case(title: str) -> str:
    """A title as an identifier, articles left out.

    >>> pascal_case("keyword-only parameter with a default")
    'KeywordOnlyParameterWithDefault'
    """
    words = (word for word in re.findall(r"[A-Za-z0-9]+", title) if word not in ARTICLES)
    return "".join(word[0].upper() + word[1:] for word in words)

"""SARIF 2.1.0, the OASIS format that code scanners and editors read: results, their rules, and fixes.

Section numbers are those of the standard. The log does not say when or where it was made.
"""

import hashlib
import re
from collections.abc import Mapping
from urllib.parse import quote

from pdt_annotate.emit.machine.invocation import Invocation, path_below, relative_to
from pdt_annotate.emit.machine.json_file import Json, dump, next_step
from pdt_annotate.emit.messages import MENDED, NOTHING_TO_MEND, Message, Messages
from pdt_annotate.findings.catalogue import CatalogueEntry, entries
from pdt_annotate.source.fingerprints import Matter, make_fingerprints
from pdt_annotate.source.text import NEWLINES, Span, decode
from pdt_annotate.values.exits import HAS_RESULT, MEANINGS
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.version import HOMEPAGE, __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
SOURCE_ROOT, IMPORT_PATH = "%SRCROOT%", "IMPORTPATH"
BASES: Mapping[str, str] = {  # the directories that file names are relative to (3.14.14)
    SOURCE_ROOT: "The top of the repository, in which pdt-annotate ran, or the root that it was given.",
    IMPORT_PATH: "A directory from which Python imported modules.",
}

FINGERPRINT = "pdtAnnotate/v1"  # the name of our fingerprints (3.27.17); raised when their computation changes


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    return dump({"$schema": SCHEMA, "version": VERSION, "runs": [_Run(outcome, invocation).run()]})


class _Run:
    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.base = invocation.base
        self.exit_code = invocation.exit_code
        self.next_step = next_step(outcome, invocation)
        messages = Messages(outcome, invocation)
        self.ignored = messages.ignored()
        self.messages = [*messages.all(), *self.ignored]
        self.codes = [code for code in entries() if any(message.code == code for message in self.messages)]
        self.contents = messages.moved.contents
        fixed = {message.place.file for message in self.messages if message.edits}
        self.changes = {change.file: change for change in outcome.changes if change.file in fixed}
        self.texts = {file: decode(change.before) for file, change in self.changes.items()}

    def run(self) -> Json:
        has_result = self.exit_code in HAS_RESULT
        # They identify a result even after lines have moved, or annotations were written.
        matters = (Matter(m.code, m.place.file, m.place.line, m.slot, m.text) for m in self.messages)
        fingerprints = make_fingerprints(matters, self.uri, self.contents)
        driver: Json = {"name": "pdt-annotate", "version": __version__, "semanticVersion": __version__}
        driver |= {"informationUri": HOMEPAGE, "rules": [rule(entries()[code]) for code in self.codes]}
        # The process has also done its work if annotations are missing or fail (3.20).
        process: Json = {"executionSuccessful": has_result, "exitCode": self.exit_code}
        process |= {"exitCodeDescription": MEANINGS[self.exit_code]} if has_result else {}
        return {
            "tool": {"driver": driver},
            "invocations": [process],
            "originalUriBaseIds": {name: {"description": {"text": text}} for name, text in BASES.items()},
            "artifacts": [
                # The encoding and hash show a consumer that a fix fits the file (3.24).
                {
                    "location": self.location(file),
                    "encoding": self.texts[file].charset,
                    "sourceLanguage": "python",
                    "hashes": {"sha-256": hashlib.sha256(change.before).hexdigest()},
                }
                for file, change in sorted(self.changes.items())
            ],
            "results": [self.result(*each) for each in zip(self.messages, fingerprints, strict=True)],
            "defaultEncoding": "UTF-8",
            "newlineSequences": list(NEWLINES),
            "columnKind": "unicodeCodePoints",
            **({"properties": {"nextStep": self.next_step}} if self.next_step else {}),
        }

    def result(self, message: Message, fingerprint: str) -> Json:
        callers = (self.physical(place.file, Span(place.line, place.column)) for place in message.chain if place.file)
        related = [{"physicalLocation": caller, "message": {"text": "called from here"}} for caller in callers]
        location: Json = {}
        if message.place.file:
            span = Span(message.place.line, message.place.column, *message.end)
            location["physicalLocation"] = self.physical(message.place.file, span)
        if message.subject:
            location["logicalLocations"] = [{"fullyQualifiedName": message.subject}]
        fix: Json = {}
        if message.edits:
            file, text = message.place.file, self.texts[message.place.file]
            replacements = [
                {"deletedRegion": _region(text.span(each.offset, each.end)), "insertedContent": {"text": each.text}}
                for each in message.edits
            ]
            what = "Change the code, with the annotations" if message.code == MENDED else "Write the annotations"
            changes = [{"artifactLocation": self.location(file), "replacements": replacements}]
            fix = {"description": {"text": f"{what} and their imports."}, "artifactChanges": changes}
        by = message.ignored
        suppressions = [{"kind": by.kind.value, "justification": by.by}] if by else []
        return {
            "ruleId": message.code,
            "ruleIndex": self.codes.index(message.code),
            "level": message.severity.value,
            "message": {"text": "\n".join((message.text, *message.advice))},
            **({"locations": [location]} if location else {}),
            **({"relatedLocations": related} if related else {}),
            "partialFingerprints": {FINGERPRINT: fingerprint},
            **({"fixes": [fix]} if fix else {}),
            # Either all or none of a run's results say whether they are suppressed (3.27.23).
            **({"suppressions": suppressions} if self.ignored else {}),
        }

    def physical(self, file: str, span: Span) -> Json:
        location = {"artifactLocation": self.location(file)}
        return {**location, "region": _region(span)} if span.line else location

    def location(self, file: str) -> Json:
        return {"uri": self.uri(file), "uriBaseId": SOURCE_ROOT if path_below(self.base, file) else IMPORT_PATH}

    def uri(self, file: str) -> str:
        return quote(relative_to(self.base, file).encode("utf-8", "surrogateescape"))


def _region(span: Span) -> Json:
    known = {"startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    return {name: number for name, number in known.items() if number}


def rule(entry: CatalogueEntry) -> Json:
    """An entry of the catalogue as one of SARIF's rules (reportingDescriptor, 3.49); its name comes from its title."""
    words = (word for word in re.findall(r"[A-Za-z0-9]+", entry.title) if word not in {"a", "an", "the"})
    return {
        "id": entry.code,
        "name": "".join(word[0].upper() + word[1:] for word in words),
        "shortDescription": {"text": f"{entry.title[0].upper()}{entry.title[1:]}."},
        "fullDescription": {"text": entry.meaning},
        "helpUri": f"{HOMEPAGE}/blob/main/docs/findings.md#{entry.code.lower()}",
        "help": {"text": entry.advice, "markdown": f"```python\n{entry.example.strip()}\n```\n\n{entry.advice}"},
        "defaultConfiguration": {"level": "note" if entry.code in NOTHING_TO_MEND else "warning"},
    }

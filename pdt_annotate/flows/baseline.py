"""The file of `--baseline`: known findings, so that only new ones are shown. It is meant to be committed."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

from pdt_annotate.emit.machine.invocation import without_root
from pdt_annotate.emit.machine.json_file import dump
from pdt_annotate.source.fingerprints import Matter, make_fingerprints
from pdt_annotate.values.documents import parse_json, read_text
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Finding
from pdt_annotate.writes.transaction import write_files

SCHEMA_VERSION = 1
VERSION, FINDINGS = "schema_version", "findings"

HINT = "--update-baseline writes a baseline"


@dataclass(frozen=True, order=True)
class KnownFinding:
    """A finding of a baseline. Its file is relative to the baseline's directory, with forward slashes; or ""."""

    file: str
    code: str
    message: str
    fingerprint: str


def read(file: str) -> tuple[KnownFinding, ...]:
    """Return the findings of a baseline; raise a `UserError` if the file is unreadable or not a baseline."""
    document = parse_json(read_text(file, "the baseline", hint=HINT), file, HINT)
    try:
        if document[VERSION] == SCHEMA_VERSION:
            known = tuple(KnownFinding(**entry) for entry in document[FINDINGS])
            if not all(isinstance(value, str) for each in known for value in vars(each).values()):
                raise TypeError("a finding has only strings")
            return known
    except (ValueError, TypeError, KeyError) as error:
        raise UserError("this is not a baseline of pdt-annotate", file=file, hint=HINT) from error
    raise UserError(f"the baseline has another format version, {document[VERSION]}", file=file, hint=HINT)


def know(file: str, outcome: Outcome) -> dict[Finding, KnownFinding]:
    """Return each finding of an outcome with its entry in a baseline at that file; lines are those before the run.

    Findings that fail a check are left out: after the next change of the function they would still count as known.
    """
    failing = outcome.outdated.findings if outcome.outdated else ()
    known = (each for each in outcome.findings if each not in failing)
    found = sorted(known, key=lambda each: (each.place, each.code, each.message))
    contents = {change.file: change.before for change in outcome.all_changes}

    def matter(each: Finding) -> Matter:
        slot, text = each.slot.name if each.slot else "", without_root(outcome.root, each.message)
        return Matter(each.code, each.place.file, each.place.line, slot, text)

    matters = list(map(matter, found))
    marked = zip(matters, make_fingerprints(matters, partial(name_from, file), contents), strict=True)
    entries = (KnownFinding(name_from(file, each.file), each.code, each.message, mark) for each, mark in marked)
    return dict(zip(found, entries, strict=True))


def name_from(baseline: str, file: str) -> str:
    """Return a file's name in a baseline; "" for ""."""
    directory = os.path.dirname(os.path.realpath(baseline))
    return os.path.relpath(os.path.realpath(file), directory).replace(os.sep, "/") if file else ""


def files_of(baseline: str, outcome: Outcome) -> frozenset[str]:
    """Return the files, by their names in a baseline, for which an outcome has all findings."""
    files = (*outcome.closure.files, *(each.place.file for each in outcome.findings))
    return frozenset(name_from(baseline, file) for file in files)


def update(file: str, outcomes: Sequence[Outcome]) -> int:
    """Write the findings of a command's outcomes, and known ones of files that no outcome read; return their number."""
    now = {known for outcome in outcomes for known in know(file, outcome).values()}
    judged = {name for outcome in outcomes for name in files_of(file, outcome)} | {""}
    before = read(file) if os.path.exists(file) else ()
    known = now.union(each for each in before if each.file not in judged)
    write_files({file: dump({VERSION: SCHEMA_VERSION, FINDINGS: [asdict(each) for each in sorted(known)]})})
    return len(known)

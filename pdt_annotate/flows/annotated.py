"""What the tool changes in a target's files for it to script, for flows that look at a target over these changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pdt_annotate.emit.words import shown
from pdt_annotate.findings.messages.refused import refusal
from pdt_annotate.flows.annotate import annotate
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.progress import Progress

NOTHING_TO_ANNOTATE = "no annotation is needed, so there is one version"


@dataclass(frozen=True)
class AnnotatedVersion:
    """The changes with which targets script and answer as before; without any, `note` says why."""

    changes: tuple[FileChange, ...] = ()
    note: str = ""

    @property
    def sources(self) -> Mapping[str, bytes]:
        """By file, what stands in its place."""
        return {change.file: change.after for change in self.changes}


def annotated_version(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> AnnotatedVersion:
    """The targets annotated, in memory; what is wrong with them is a note here."""
    annotating = replace(options, write_back=WriteBack.DIFF, no_probe=True, json="", html="")
    try:
        outcome = annotate(annotating, zygote, lambda text: progress(f"annotating: {text}"))
    except UserError as error:  # what only annotating asks for
        return AnnotatedVersion(note=f"there is no annotated version: {error.message}")
    if not outcome.verified:
        return AnnotatedVersion(note=f"there is no annotated version: {_why_not(outcome)}")
    return AnnotatedVersion(outcome.changes, "" if outcome.changes else NOTHING_TO_ANNOTATE)


def _why_not(outcome: Outcome) -> str:
    failure = next((each.failure for each in outcome.verdicts if not each.ok and each.failure), None)
    if failure is None:
        return "no annotations verify"
    where = f" ({shown(failure.place)})" if failure.place.file else ""
    return f"no annotations verify; {refusal(failure)}{where}"

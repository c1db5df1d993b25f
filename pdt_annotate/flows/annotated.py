"""What the tool changes in a target's files for it to script, for flows that look at a target over these changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pdt_annotate.flows.annotate import annotate
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.progress import Progress


def annotated_changes(
    options: Options, zygote: Zygote, progress: Progress = lambda text: None
) -> tuple[FileChange, ...]:
    """The changes with which the targets script and answer as before; none where there is nothing to change, or no way.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    outcome = annotate_aside(options, zygote, progress)
    return outcome.changes if outcome.verified else ()


def annotate_aside(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """What annotating gives, of which nothing is written.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    annotating = replace(options, write_back=WriteBack.DIFF, no_probe=True, json="", html="")
    return annotate(annotating, zygote, progress)


def sources_of(changes: Iterable[FileChange]) -> Mapping[str, bytes]:
    """By file, what stands in its place."""
    return {change.file: change.after for change in changes}

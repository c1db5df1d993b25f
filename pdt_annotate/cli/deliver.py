"""An outcome, written and printed as the options ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from pdt_annotate.cli.advised_command import command_with
from pdt_annotate.cli.exits import EXIT_DONE, EXIT_MISSING, EXIT_UNVERIFIED
from pdt_annotate.settings.options import Options, OutputFormat, WriteBack
from pdt_annotate.values.outcome import Outcome

Show = Callable[[Any, Options, Any], int]
"""(result, options, report) → the exit code."""


def present(outcome: Outcome, options: Options, report: Any) -> int:
    """Write the annotations where they go, and tell people about them; the exit code."""
    from pdt_annotate.emit import EMITTERS  # noqa: PLC0415
    from pdt_annotate.emit.files import overlay_dir  # noqa: PLC0415

    sound = outcome.is_sound
    report.outcome(outcome)
    if outcome.advised:
        report.advised(outcome.advised, command_with(outcome.advised.level))
    if outcome.outdated:
        report.outdated(outcome.outdated)
    done = "nothing else to annotate" if outcome.outdated else "nothing to annotate"
    done = done if sound else "nothing was written"
    kept = overlay_dir.emit(outcome, options) if sound else ""
    if outcome.changes and sound:
        done = EMITTERS[options.write_back](outcome, options, sys.stdout.buffer)
    done = "; ".join(filter(None, (done, kept)))
    report.closing(done, outcome)
    if not (outcome.verified or outcome.text_only):
        return EXIT_UNVERIFIED
    return EXIT_MISSING if (outcome.changes or outcome.outdated) and _is_told_by_code(options) else EXIT_DONE


def present_verdicts(outcome: Outcome, options: Options, report: Any) -> int:
    """Tell people what was judged, where nothing was to be written; the exit code."""
    report.outcome(outcome)
    report.closing("", outcome)
    return EXIT_DONE if outcome.verified else EXIT_UNVERIFIED


def deliver(outcome: Outcome, options: Options, report: Any, show: Show = present) -> int:
    """Show people the outcome, and write the machine output that the options ask for; the exit code."""
    code = show(outcome, options, report)
    write_documents(outcome, options, code)
    return code


def _is_told_by_code(options: Options) -> bool:
    """Whether the exit code says that annotations were missing."""
    if options.write_back is WriteBack.IN_PLACE:
        return options.exit_non_zero_on_write
    return options.write_back is WriteBack.CHECK


def documents_of(options: Options) -> tuple[str, ...]:
    """Where machine output is asked for; runs of one command that ask for the same have one document together."""
    for_stdout = options.output_format.value.removeprefix(OutputFormat.TEXT.value)
    return (options.json, options.html, options.output, for_stdout)


def write_documents(outcome: Outcome, options: Options, code: int) -> None:
    """Write the machine output that is asked for; `code` is what the process will end with."""
    if not any(documents_of(options)):
        return
    from pdt_annotate.emit import html  # noqa: PLC0415
    from pdt_annotate.emit.machine import json_file  # noqa: PLC0415
    from pdt_annotate.emit.machine.formats import FORMATS  # noqa: PLC0415
    from pdt_annotate.emit.machine.invocation import Invocation, choose_base  # noqa: PLC0415
    from pdt_annotate.emit.streams import write  # noqa: PLC0415

    if options.json:
        json_file.emit(outcome, options.json, sys.stdout.buffer)
    if options.html:
        html.emit(outcome, options.html)
    if options.output_format is not OutputFormat.TEXT:
        invocation = Invocation(choose_base(options.root, os.getcwd()), options.write_back, code)
        write(sys.stdout.buffer, FORMATS[options.output_format.value](outcome, invocation))

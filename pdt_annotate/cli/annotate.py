"""`pdt-annotate annotate`, the default command, and `pdt-annotate verify`, which writes nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pdt_annotate.cli import cached
from pdt_annotate.cli.deliver import deliver, present_verdicts
from pdt_annotate.cli.ended import say, telling_documents
from pdt_annotate.cli.group import DEFAULT_COMMAND, EXAMPLES, main_group
from pdt_annotate.cli.interactive import assert_terminal, make_chooser
from pdt_annotate.cli.load import Run, load_named, load_settings
from pdt_annotate.cli.options import ANNOTATE, TARGETS, VERIFY, CommandWithWords, given_here, options_of
from pdt_annotate.cli.working import reporting, working
from pdt_annotate.inputs.target_names import find_model
from pdt_annotate.settings.options import TARGET_HINT
from pdt_annotate.values.errors import NothingTaken, TargetError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.printable import disarm

BEGIN = """
No target is configured here, so there is nothing to run yet. To begin:
    pdt-annotate init {target}                   # drafts inputs.py, example calls
    pdt-annotate {target} -i inputs.py --diff    # shows what would be annotated
    pdt-annotate {target} -i inputs.py           # annotates it, once verified
    pdt-annotate init --config {target}          # `pdt-annotate` alone does it then"""


@main_group.command(
    DEFAULT_COMMAND,
    cls=CommandWithWords,
    short_help="Annotate the source (the default command).",
    epilog=EXAMPLES,
    params=[TARGETS, *options_of(ANNOTATE)],
)
def annotate(targets: tuple[str, ...], **_: Any) -> int:
    """Annotate the source of each TARGET, once the result is verified; without any, of those that are configured."""
    loaded = load_settings(ANNOTATE, targets)
    if not loaded.runs:
        return _teach()
    return annotate_all(loaded.runs, loaded.jobs, whole=loaded.whole)


def _teach() -> int:
    """Show the help where the command line is empty; raise `TargetError` where it has options but no target."""
    if given_here():
        raise TargetError("no target", hint=TARGET_HINT)
    click.echo(click.get_current_context().find_root().get_help())
    click.echo(disarm(BEGIN.format(target=find_model(Path.cwd()) or "mymodel:Net")))
    return EXIT_DONE


def annotate_all(runs: Sequence[Run], jobs: int, *, whole: bool = False) -> int:
    """Annotate what every run names and return the highest exit code; `whole`: no configured target is left out."""
    if cached.answer(runs):
        return EXIT_DONE
    if any(run.options.interactive for run in runs):
        assert_terminal()
    try:
        code = _annotate(runs, jobs, whole)
        if code == EXIT_DONE:
            cached.remember(runs)
        return code
    except NothingTaken:
        say("nothing was taken, so nothing was written")
        return EXIT_DONE


def _annotate(runs: Sequence[Run], jobs: int, whole: bool) -> int:
    if len(runs) > 1:
        from pdt_annotate.cli.several import annotate_several  # noqa: PLC0415

        return annotate_several(runs, jobs, whole=whole)
    started, options = time.time_ns(), runs[0].options
    if options.runs_nothing:
        from pdt_annotate.flows import ahead, from_profile  # noqa: PLC0415

        with telling_documents([options]), reporting(options) as (report, progress):
            ahead.check_outputs(options)
            outcome = from_profile.annotate(options, progress, make_chooser(options, report))
        return deliver(outcome, options, report)
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import annotate as flow  # noqa: PLC0415

        outcome = flow.annotate(options, zygote, progress, make_chooser(options, report))
    code = deliver(outcome, options, report, whole=whole)
    cached.keep(options, outcome, started)
    return code


@main_group.command(params=[TARGETS, *options_of(VERIFY)])
def verify(targets: tuple[str, ...], **_: Any) -> int:
    """Script each TARGET as it stands and compare answers; where it fails, show which modules are at fault."""
    loaded = load_named(VERIFY, targets)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import verify_several  # noqa: PLC0415

        return verify_several(loaded.runs, loaded.jobs)
    options = loaded.runs[0].options
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import verify as flow  # noqa: PLC0415

        outcome = flow.verify(options, zygote, progress)
    return deliver(outcome, options, report, present_verdicts)

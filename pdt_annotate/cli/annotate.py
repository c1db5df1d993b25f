"""`pdt-annotate annotate`, the default command; `hook`, the same for pre-commit; and `verify`, which writes nothing."""

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from pdt_annotate.cache import entries
from pdt_annotate.cli import cached
from pdt_annotate.cli.captures import is_saved, verify_saved
from pdt_annotate.cli.deliver import deliver
from pdt_annotate.cli.entry import errors_in_documents, say
from pdt_annotate.cli.group import DEFAULT_COMMAND, EXAMPLES, main_group
from pdt_annotate.cli.options import TARGETS, CommandWithWords, given_here, options_of
from pdt_annotate.cli.run_options import Run, load_named, load_settings
from pdt_annotate.cli.watch import watch as keep_watching
from pdt_annotate.cli.working import reporting, working
from pdt_annotate.inputs.target import find_model
from pdt_annotate.settings.options import TARGET_HINT, Options
from pdt_annotate.values.errors import NothingTaken, TargetError, UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_MISSING
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.printable import disarm

BEGIN = """
No target is configured in this project, so there is nothing to run. To begin:
    pdt-annotate init {target}                   # drafts example calls in inputs.py
    pdt-annotate {target} -i inputs.py --diff    # shows the annotations as a diff
    pdt-annotate {target} -i inputs.py           # verifies and writes the annotations
    pdt-annotate init --config {target}          # lets `pdt-annotate` run without arguments"""


@main_group.command(
    DEFAULT_COMMAND,
    cls=CommandWithWords,
    short_help="Verify annotations, and write them into the source (the default command).",
    epilog=EXAMPLES,
    params=[TARGETS, *options_of("annotate")],
)
def annotate(targets: tuple[str, ...], watch: bool, **_: Any) -> int:
    """Verify annotations of each TARGET, and write them into the source. Without TARGET, use the configured targets."""
    loaded = load_settings("annotate", targets)
    if loaded.runs and watch:
        from pdt_annotate.flows.from_files import annotate as flow  # noqa: PLC0415

        return keep_watching(lambda: load_settings("annotate", targets).runs, flow)
    if loaded.runs:
        return annotate_all(loaded.runs, loaded.jobs, whole=loaded.whole)
    if given_here():
        raise TargetError("no target", hint=TARGET_HINT)
    click.echo(click.get_current_context().find_root().get_help())
    click.echo(disarm(BEGIN.format(target=find_model(Path.cwd()) or "mymodel:Net")))
    return EXIT_DONE


def annotate_all(runs: Sequence[Run], jobs: int, *, whole: bool = False) -> int:
    """Annotate the targets of every run and return the highest exit code; `whole`: no configured target is left out."""
    if cached.answer(runs):
        return EXIT_DONE
    if any(run.options.interactive for run in runs):
        for stream, name in ((sys.stdin, "stdin"), (sys.stderr, "stderr")):
            if not stream.isatty():
                hint = "run it in a terminal, or use --diff, which asks nothing"
                raise UserError(f"--interactive needs a terminal, and {name} is not one", hint=hint)
    try:
        code = _annotate(runs, jobs, whole)
        if code == EXIT_DONE:
            cached.remember(runs)
        return code
    except NothingTaken:
        say("no annotation was accepted, so nothing was written")
        return EXIT_DONE


def _make_chooser(options: Options, report: Any) -> Any:
    """Return the person at this terminal, or None if the options do not ask for one."""
    if not options.interactive:
        return None
    from pdt_annotate.cli.interactive.ask import Terminal, edit, read_key  # noqa: PLC0415 - it imports the report

    return Terminal(report, options.root, read_key, edit)


def _annotate(runs: Sequence[Run], jobs: int, whole: bool) -> int:
    if len(runs) > 1:
        from pdt_annotate.cli.several import annotate_several  # noqa: PLC0415

        return annotate_several(runs, jobs, whole=whole)
    started, options = time.time_ns(), runs[0].options
    if options.runs_nothing:
        from pdt_annotate.flows import from_profile, preflight  # noqa: PLC0415

        with errors_in_documents([options]), reporting(options) as (report, progress):
            preflight.check_outputs(options)
            outcome = from_profile.annotate(options, progress, _make_chooser(options, report))
        return deliver(outcome, options, report)
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import from_files as flow  # noqa: PLC0415

        outcome = flow.annotate(options, zygote, progress, _make_chooser(options, report))
    code = deliver(outcome, options, report, whole=whole)
    cached.keep(options, outcome, started)
    return code


@main_group.command(params=[TARGETS, *options_of("verify")])
def verify(targets: tuple[str, ...], watch: bool, **_: Any) -> int:
    """Check that each TARGET scripts and returns the same results as in Python, and show why if it does not.

    With --against, compare an edited model with its earlier source. If a TARGET is a file that `save` wrote, its
    results are compared with the results of its model. No source is changed.
    """
    if any(map(is_saved, targets)):
        return verify_saved(targets)
    loaded = load_named("verify", targets)
    if len(loaded.runs) > 1 and not watch:
        from pdt_annotate.cli.several import verify_several  # noqa: PLC0415

        return verify_several(loaded.runs, loaded.jobs, _judge)
    if watch:
        return keep_watching(lambda: load_named("verify", targets).runs, _judge)
    options = loaded.runs[0].options
    with working(options) as (zygote, report, progress):
        outcome = _judge(options, zygote, progress)
    return deliver(outcome, options, report)


def _judge(options: Options, *rest: Any) -> Outcome:
    """Verify, or compare with an earlier state; the imports take place while the zygote imports torch."""
    if options.against:
        from pdt_annotate.flows.against import verify_against as flow  # noqa: PLC0415
    else:
        from pdt_annotate.flows.verify import verify as flow  # noqa: PLC0415
    return flow(options, *rest)


def concerned(runs: Iterable[Run], files: Sequence[str]) -> Iterator[Run]:
    """Yield the runs whose result a change of these files may change; to find out, no user code is run."""
    from pdt_annotate import profiles  # noqa: PLC0415 - `--help` does not need it

    for run in runs:
        options = run.options
        if options.runs_nothing:
            # A profile knows some of the files, or missing files, whose functions may be in one of these now.
            matched = profiles.match(profiles.load(options.profiles), options.root)
            known = {os.path.realpath(file) for file in matched.modules.values()}
            concerns = bool(matched.missing) or not known.isdisjoint(map(os.path.realpath, files))
        else:
            entry = entries.find(options)
            concerns = entry is None or (not entry.said and entry.reads_any(files))
        if concerns:
            yield run


NO_TARGETS = """\
list them in pyproject.toml, or give a profile with --profile:
    [[tool.pdt-annotate.targets]]
    target = "mymodel:Net"
    inputs = "inputs.py\""""

FILES = click.Argument(["files"], nargs=-1, metavar="FILE...", type=click.Path())


@main_group.command(
    short_help="Annotate the targets that a commit affects, for pre-commit.", params=[FILES, *options_of("hook")]
)
def hook(files: tuple[str, ...], check: bool, **_: Any) -> int:
    """Annotate the configured targets that the FILES affect. Other targets are not run.

    Exit code 1 means that annotations were missing. With --check they still are; without it they have been written.
    """
    # pre-commit expects this exit code of a hook that changes files.
    loaded = load_settings("annotate", (), {"exit_non_zero_on_write": True})
    if not loaded.runs:
        raise UserError("no targets are configured for the hook", file=loaded.file, hint=NO_TARGETS)
    if cached.answer(loaded.runs):
        return EXIT_DONE
    from pdt_annotate.flows import preflight  # noqa: PLC0415 - a cached answer does not need it

    runs = tuple(concerned(loaded.runs, files))
    for run in runs:
        try:
            preflight.check_torch(run.options)
        except UserError as error:
            hint = "or let the hook judge by a profile, which needs no torch: args: [--profile, pdt-profile.sqlite]"
            raise UserError(error.message, hint=f"{error.hint}\n    {hint}") from None
    code = annotate_all(runs, loaded.jobs, whole=len(runs) == len(loaded.runs)) if runs else EXIT_DONE
    if code == EXIT_MISSING:
        what = "the annotations that the profile shows" if any(run.options.runs_nothing for run in runs) else "them"
        taken = dict.fromkeys(path for run in loaded.runs for path in run.options.profiles)
        command = " ".join(["pdt-annotate", *(f"--profile {named_from(path)}" for path in taken)])
        if check:
            say(f"annotations are missing: `{command}` writes {what}, then `git add` the files and commit again")
        else:
            say("annotations were written: review them with `git diff`, `git add` the files, and commit again")
    return code

"""`pdt-annotate hook`, which pre-commit runs with the names of the files that are committed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click

from pdt_annotate import profiles
from pdt_annotate.cache import entries
from pdt_annotate.cli import cached
from pdt_annotate.cli.annotate import annotate_all
from pdt_annotate.cli.ended import say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.load import Run, load_settings
from pdt_annotate.cli.options import ANNOTATE, HOOK, options_of
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_MISSING
from pdt_annotate.values.paths import named_from


def concerned(runs: Iterable[Run], files: Sequence[str]) -> Iterator[Run]:
    """Yield the runs whose result a change of these files may change; no user code is run to know."""
    for run in runs:
        options = run.options
        if options.runs_nothing:
            # A profile is of one of the files, or of files that are gone, whose functions may be in one of them.
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


@main_group.command(short_help="Annotate what a commit concerns, for pre-commit.", params=[FILES, *options_of(HOOK)])
def hook(files: tuple[str, ...], check: bool, **_: Any) -> int:
    """Annotate the configured targets that one of the FILES makes a difference to; the others are not run.

    Exit code 1 says that annotations were missing: with --check they still are, otherwise they are in the files now.
    """
    # pre-commit expects this code of a hook that changes files.
    loaded = load_settings(ANNOTATE, (), {"exit_non_zero_on_write": True})
    if not loaded.runs:
        raise UserError("no targets are configured for the hook", file=loaded.file, hint=NO_TARGETS)
    if cached.answer(loaded.runs):
        return EXIT_DONE
    from pdt_annotate.flows import ahead  # noqa: PLC0415 - an answer of the cache does without

    runs = tuple(concerned(loaded.runs, files))
    for run in runs:
        try:
            ahead.check_torch(run.options)
        except UserError as error:
            hint = "or let the hook judge by a profile, which needs no torch: args: [--profile, pdt-profile.sqlite]"
            raise UserError(error.message, hint=f"{error.hint}\n    {hint}") from None
    code = annotate_all(runs, loaded.jobs, whole=len(runs) == len(loaded.runs)) if runs else EXIT_DONE
    if code == EXIT_MISSING:
        what = "those that the profile knows" if any(run.options.runs_nothing for run in runs) else "them"
        taken = dict.fromkeys(path for run in loaded.runs for path in run.options.profiles)
        command = " ".join(["pdt-annotate", *(f"--profile {named_from(path)}" for path in taken)])
        if check:
            say(f"annotations are missing: `{command}` writes {what}, then `git add` the files and commit again")
        else:
            say("annotations were written: review them with `git diff`, `git add` the files, and commit again")
    return code

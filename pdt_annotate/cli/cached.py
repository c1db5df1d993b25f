"""The commands' cache: answers instead of runs, and runs that are kept as answers for the next time; and `clean`."""

import os
from collections.abc import Sequence

import click

from pdt_annotate.cache import commands, entries, store
from pdt_annotate.cache.entries import CachedAnswer
from pdt_annotate.cli.entry import say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.run_options import Run
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.verdicts import Verdict


def answer(runs: Sequence[Run]) -> bool:
    """If nothing has changed for any of the runs, print their cached answers and return True."""
    found = _find_all(runs)
    for line in _say(runs, found):
        say(line)
    remember(runs, found)
    return bool(found)


def find(options: Options) -> Outcome | None:
    """Return the outcome of a run if nothing has changed since it was verified and found done."""
    entry = entries.find(options)
    if entry is None or not entry.said:
        return None
    verdicts = tuple(Verdict(judge, ok=True) for judge in entry.judges)
    return Outcome(options.targets, options.root, verdicts=verdicts, verified=True, closure=entry.closure)


def keep(options: Options, outcome: Outcome, started_ns: int) -> None:
    """Keep a delivered outcome; `started_ns` is the time at which its run began, or earlier."""
    from pdt_annotate.emit.words import judgement  # noqa: PLC0415

    entries.keep(options, outcome, judgement(outcome), started_ns)


def remember(runs: Sequence[Run], found: Sequence[CachedAnswer] | None = None) -> None:
    """Remember the command line if the cache now answers everything that it asks to run."""
    found = _find_all(runs) if found is None else found
    context = click.get_current_context()
    roots = {run.options.root for run in runs}
    if not found or context.obj is None or len(roots) != 1:
        return
    # A hook's files come last. They do not matter if everything that its targets depend on is unchanged.
    words, files = tuple(context.obj), tuple(context.params.get("files", ()))
    takes_files = words[len(words) - len(files) :] == files and "files" in context.params
    words = words[: len(words) - len(files)] if takes_files else words
    # The named configuration files, and the directories in which others are looked up.
    places = {os.path.abspath(file) for run in runs if (file := str(run.values["config"].value))}
    places |= {os.path.dirname(os.path.abspath(each.file)) for run in runs for each in run.options.targets if each.file}
    names, pythons = [entry.name for entry in found], {entries.describe_python(run.options) for run in runs} - {()}
    commands.remember(words, roots.pop(), names, _say(runs, found), places, pythons, takes_files=takes_files)


def _find_all(runs: Sequence[Run]) -> list[CachedAnswer]:
    """Return the answers to the runs; none if one is missing. This reads every file that a run depends on."""
    found = [entry for run in runs if (entry := entries.find(run.options)) and entry.said]
    return found if len(found) == len(runs) else []


def _say(runs: Sequence[Run], found: Sequence[CachedAnswer]) -> list[str]:
    pairs = [(run.options, entry.said) for run, entry in zip(runs, found, strict=False)]
    return [f"{of.name}: {said}" if len(runs) > 1 else said for of, said in pairs if of.verbosity >= 0]


@main_group.command()
def clean() -> int:
    """Remove the cache of the project."""
    here = os.getcwd()
    root = store.find_root(here) or here
    try:
        removed = store.clean(root)
    except OSError as error:
        raise UserError(f"cannot remove the cache: {error.strerror}", file=error.filename or root) from error
    say(f"removed {removed}" if removed else "there is no cache")
    return EXIT_DONE

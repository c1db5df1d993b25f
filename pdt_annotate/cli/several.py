"""Several runs: each prints its own block, in order; the exit code is the highest.

Runs that write sources run one after another, so that each sees the earlier ones' changes; others run `jobs` at a time.
"""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from itertools import chain, count
from typing import Any, TypeVar

import click

from pdt_annotate import profiles
from pdt_annotate.cli import cached
from pdt_annotate.cli.deliver import Show, present, update_baselines, write_document, write_each
from pdt_annotate.cli.entry import Failed, errors_in_documents, leave_error, report_error, say
from pdt_annotate.cli.run_options import Run
from pdt_annotate.cli.working import RunResult, Work, Zygotes, reporting, run_batch, say_torch_notice
from pdt_annotate.emit.terminal.report import TerminalReporter
from pdt_annotate.flows import captures, from_files, from_profile, ignore, observe, preflight
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, OutputFile, WriteBack, assert_apart
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.exits import ENDED, EXIT_DONE
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.outcome import MendAdvice, Outcome, Outdated
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.runs import Closure

T = TypeVar("T")


def annotate_several(runs: Sequence[Run], jobs: int, *, whole: bool = False) -> int:
    return _finish(_run_each(runs, jobs, _find_outcome, present, _Settling(runs, whole=whole)))


def verify_several(runs: Sequence[Run], jobs: int, judge: Callable[[Options, Zygote, Progress], Outcome]) -> int:
    return _finish(_run_each(runs, jobs, partial(_running, judge), present, _Settling(runs)))


def captures_several(runs: Sequence[Run], jobs: int, show: Show, write: Callable[[Any, Options], None]) -> int:
    """Capture the targets of the runs in every way. Runs that name the same document share it."""
    ended = _run_each(runs, jobs, partial(_running, captures.captures), show)
    no_files = {"json": "", "html": "", "output": ""}
    for option in no_files:
        for file, together in grouped((getattr(each.options, option), each) for each in ended).items():
            options = replace(together[-1].options, **{**no_files, option: file})
            found = [result.value for result in together if result.value is not None]
            if found:
                write(tuple(chain.from_iterable(found)), options)
            else:
                for document in options.documents:
                    leave_error(document, options, _failed(together))
    return max(result.code for result in ended)


def observe_several(runs: Sequence[Run], jobs: int, show: Show) -> int:
    """Observe the targets of the runs. Runs that name the same profile share it."""
    ended = _run_each(runs, jobs, partial(_running, observe.observe), show)
    _sum_up(ended)
    return max(result.code for result in ended)


@dataclass
class _Settling:
    """Changes an outcome before it is shown; compares it with the outcomes of earlier runs."""

    runs: Sequence[Run]
    whole: bool = False
    found: list[tuple[Options, Outcome]] = field(default_factory=list)
    written: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def __call__(self, options: Options, outcome: Outcome) -> Outcome:
        """Return the outcome without ignored findings; the last run's also reports requests that ignored nothing.

        The diffs of all runs form one patch, with paths relative to the directory that holds all roots. Raises a
        `UserError` if a file that was written for another run would be lost.
        """
        # The output beside the source, by directory and file; the directory of a diff is "". The next run does not see
        # it, so its own version of the same file would replace this one.
        written: dict[tuple[str, str], bytes] = {}
        if outcome.is_sound and options.write_back in (WriteBack.DIFF, WriteBack.STUBS):
            written |= {(options.stubs, change.file): change.after for change in outcome.changes}
        if outcome.is_sound and options.write_back in (WriteBack.IN_PLACE, WriteBack.STUBS):
            written |= {(options.overlay, each.change.file): each.change.after for each in outcome.overlaid}
        for (folder, file), content in written.items():
            if self.written.get((folder, file), content) == content:
                continue
            if folder:  # only one version of a stub, or of a module in an overlay, would be left
                profile = "one profile of all calls (`observe`, then `profile` in pyproject.toml)"
                hint = f"annotate both targets from {profile}, or give one of them another directory"
                message = f"{folder} already contains another version of {named_from(file)}, for an earlier target"
                raise UserError(message, hint=hint)
            changes = f"changes of {named_from(file)} for several targets"
            say(f"note: the diff has {changes}: apply the first, then run the command again for the next")
        self.written |= written
        self.found.append((options, outcome))
        everything = [(options, outcome), *self.found[:-1]]
        settled = ignore.set_aside(everything, whole=self.whole and len(self.found) == len(self.runs))[0]
        if options.write_back is WriteBack.DIFF:
            return replace(settled, root=os.path.commonpath([run.options.root for run in self.runs]))
        return settled


def _run_each(
    runs: Sequence[Run], jobs: int, work: Work, show: Show, settle: _Settling | None = None
) -> list[RunResult]:
    several = [run.options for run in runs]
    ended: list[RunResult] = []
    with errors_in_documents(several):
        if any(each.interactive for each in several):
            raise UserError("--interactive accepts one configured target at a time", hint="name one target")
        stdout = sorted({option for each in several for option in each.on_stdout})
        if len(stdout) > 1:
            raise UserError(f"{' and '.join(stdout)} both write to stdout", hint="configure one for all targets")
        assert_apart({(each.format, each.place): each for options in several for each in options.documents}.values())
        for options in several:
            preflight.check_torch(options)
        say_torch_notice(several)
        with save_together(several) as aside:
            in_place = any(options.write_back is WriteBack.IN_PLACE for options in several)
            pairs = list(zip(several, aside, strict=True))
            for batch in [[pair] for pair in pairs] if in_place else [pairs]:
                with reporting(several[0]) as (_, progress):
                    results = run_batch([own for _, own in batch], jobs, work, progress)
                for (options, _), result in zip(batch, results, strict=True):
                    ended.append(_show_block(replace(result, options=options), show, settle))
    return ended


@contextlib.contextmanager
def save_together(several: Sequence[Options]) -> Iterator[list[Options]]:
    """Yield the options to run with, for separate temporary profiles; on exit, join the profiles of each file.

    A file that cannot be written, or is not a profile, raises a `UserError` before anything runs.
    """
    files = {each.save_profile for each in several} - {""}
    for file in files:
        profiles.check_replaceable(file)
    with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        names = (os.path.join(folder, f"{index}.sqlite") for index in count())
        aside = [name if each.save_profile else "" for each, name in zip(several, names, strict=False)]
        try:
            yield [replace(each, save_profile=part) for each, part in zip(several, aside, strict=True)]
        finally:
            for file in files:
                own = (part for each, part in zip(several, aside, strict=True) if each.save_profile == file)
                parts = [part for part in own if os.path.exists(part)]
                if parts:
                    profiles.save_or_keep(file, profiles.load(parts))


def _find_outcome(options: Options, zygotes: Zygotes, progress: Progress) -> Outcome:
    if known := cached.find(options):
        return known
    if options.runs_nothing:
        preflight.check_outputs(options)
        return from_profile.annotate(options, progress)
    return _running(from_files.annotate, options, zygotes, progress)


def _running(
    flow: Callable[[Options, Zygote, Progress], T], options: Options, zygotes: Zygotes, progress: Progress
) -> T:
    preflight.check(options)
    with zygotes() as zygote:
        return flow(options, zygote, progress)


def _show_block(result: RunResult, show: Show, settle: _Settling | None) -> RunResult:
    """Print one block: its heading, the user code's output, and the result."""
    options, outcome = result.options, result.value
    report = TerminalReporter(options)
    report.heading(options.name)
    click.echo(result.heard, nl=False, err=True)
    if result.error is not None:
        return replace(result, code=report_error(result.error, verbose=options.verbosity > 0))
    try:
        settled = settle(options, outcome) if settle else outcome
        code = show(settled, options, report)
        code = EXIT_DONE if options.exit_zero else code
    except PdtError as error:
        return replace(result, code=report_error(error, verbose=options.verbosity > 0), value=None, error=error)
    if options.write_back is not WriteBack.NOTHING:  # keep it before another run changes a file that this one read
        cached.keep(options, outcome, result.started_ns)
    return replace(result, code=code, value=settled)


def _finish(ended: Sequence[RunResult]) -> int:
    """Write the documents of all runs, and print a summary; return the exit code."""
    code = max(result.code for result in ended)
    update_baselines([(result.options, result.value) for result in ended if result.value is not None])
    asking = {each.place: (each, result.options) for result in ended for each in result.options.documents}
    write_each(partial(_write_together, ended, document, options, code) for document, options in asking.values())
    _sum_up(ended)
    return code


def _sum_up(ended: Sequence[RunResult]) -> None:
    """Print how many targets ended in which way, the worst first."""
    if ended[0].options.verbosity >= 0:
        targets: Counter[int] = Counter()
        for result in ended:
            targets[result.code] += max(1, len(result.options.targets))
        said = ", ".join(f"{targets[code]} {ENDED.get(code, 'failed')}" for code in sorted(targets, reverse=True))
        click.echo(f"{targets.total()} targets: {said}", err=True)


def _write_together(ended: Sequence[RunResult], document: OutputFile, options: Options, code: int) -> None:
    """Write one document for all runs that name its file."""
    together = [each for each in ended if document.place in {asked.place for asked in each.options.documents}]
    outcomes = [result.value for result in together if result.value is not None]
    failed = _failed(together)
    if outcomes:
        joined = join_outcomes(outcomes)
        write_document(document, replace(joined, verified=joined.verified and not failed), options, code, failed)
    else:
        leave_error(document, options, failed)


def _failed(results: Iterable[RunResult]) -> list[Failed]:
    return [(result.options, result.error) for result in results if result.error]


def join_outcomes(several: Sequence[Outcome]) -> Outcome:
    """Return several outcomes as one, for a document; its root is the directory that holds all roots."""

    def joined(name: str, outcomes: Sequence[Outcome] = several) -> Any:
        return tuple(chain.from_iterable(getattr(each, name) for each in outcomes))

    sound = [each for each in several if each.is_sound]
    advised = [each.advised for each in several if each.advised]
    outdated = [each.outdated for each in several if each.outdated]
    return Outcome(
        **{name: joined(name) for name in ("targets", "annotations", "verdicts", "blame", "kept", "overlaid")},
        **{name: joined(name, sound) for name in ("changes", "mends")},
        findings=tuple(dict.fromkeys(joined("findings"))),
        unreached=tuple(dict.fromkeys(joined("unreached"))),
        ignored=tuple(dict.fromkeys(joined("ignored"))),
        root=os.path.commonpath([each.root for each in several]),
        verified=all(each.verified for each in several),
        closure=reduce(Closure.__or__, (each.closure for each in several)),
        advised=reduce(MendAdvice.__or__, advised) if advised else None,
        joined=True,
        outdated=reduce(Outdated.__or__, outdated) if outdated else None,
        python=several[0].python,
    )

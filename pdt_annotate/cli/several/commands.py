"""Several runs: what each has to say in a block of its own, in their order, and the highest exit code."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any

import click

from pdt_annotate import profiles
from pdt_annotate.cli import cached
from pdt_annotate.cli.deliver import Show, present, present_verdicts, write_document, write_each
from pdt_annotate.cli.ended import Failed, TellingDocuments, leave_error, leave_error_in
from pdt_annotate.cli.entry import tell
from pdt_annotate.cli.exits import EXIT_DONE, EXIT_MISSING, EXIT_UNVERIFIED, EXIT_USER
from pdt_annotate.cli.ignoring import set_aside
from pdt_annotate.cli.load import Run
from pdt_annotate.cli.saying import repeating
from pdt_annotate.cli.several.batch import Batch, Work, Zygotes
from pdt_annotate.cli.several.blocks import Block, begin, join_dependent
from pdt_annotate.cli.several.join import join_outcomes
from pdt_annotate.cli.working import reporting, tell_of_torch
from pdt_annotate.emit.terminal.report import Report
from pdt_annotate.flows import ahead, annotate, captures, from_profile, observe, verify
from pdt_annotate.profiles import Profile
from pdt_annotate.settings.options import Options, OutputFile, WriteBack, assert_apart
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.progress import Progress

ENDED = {EXIT_DONE: "done", EXIT_MISSING: "lacking annotations", EXIT_USER: "at fault", EXIT_UNVERIFIED: "not verified"}
"""How a target ended, by the exit code that it alone would have given."""


def annotate_several(runs: Sequence[Run], jobs: int, *, whole: bool = False) -> int:
    """Annotate what the runs name; those that depend on each other's files are annotated together.

    `whole` says that no configured target is left out.
    """
    several = [run.options for run in runs]
    with _batching(several, jobs) as batch, save_together(several) as aside:
        blocks = join_dependent(begin(batch, several, aside, _find_outcome), batch, _find_outcome)
    code = _deliver(_from_one_root(_set_aside(blocks, whole=whole)), present)
    for block in blocks:
        for options in block.members:
            if block.result.value is not None:
                cached.keep(options, block.result.value, block.started_ns)
    return code


def _assert_together(several: Sequence[Options]) -> None:
    """
    Raises:
        UserError: what the runs ask for cannot be had of one command.
    """
    if any(each.interactive for each in several):
        raise UserError("--interactive asks about one configured target at a time", hint="name one")
    on_stdout = {option for each in several for option in each.on_stdout}
    if len(on_stdout) > 1:
        raise UserError(f"{' and '.join(sorted(on_stdout))} both write to stdout", hint="configure one for all targets")
    assert_apart({(each.format, each.place): each for options in several for each in options.documents}.values())


def verify_several(runs: Sequence[Run], jobs: int) -> int:
    """Judge what the runs name as it stands."""
    return _deliver(_set_aside(_run_each(runs, jobs, _verify)), present_verdicts)


def captures_several(runs: Sequence[Run], jobs: int, show: Show, write: Callable[[Any, Options], None]) -> int:
    """Capture what the runs name in every way; those that ask for a document in one place have one together."""
    blocks = _run_each(runs, jobs, _captures)
    told = [_tell(block, show) for block in blocks]
    codes = [code for code, _ in told]
    for options, together in _sharing([block for _, block in told]).values():
        found = [block.result.value for block in together if block.result.value is not None]
        if found:
            write(tuple(chain.from_iterable(found)), options)
        else:
            leave_error(options, _failed(together))
    return max(codes)


def observe_several(runs: Sequence[Run], jobs: int, show: Show) -> int:
    """Observe what the runs name; those that save in one file are saved together."""
    return _deliver(_run_each(runs, jobs, _observe), show)


def _run_each(runs: Sequence[Run], jobs: int, work: Work[Any]) -> list[Block[Any]]:
    several = [run.options for run in runs]
    with _batching(several, jobs) as batch, save_together(several) as aside:
        return begin(batch, several, aside, work)


@contextlib.contextmanager
def save_together(several: Sequence[Options]) -> Iterator[list[Options]]:
    """The options, to be run with, each of which saves aside.

    On leaving, every file gets what its runs observed, also those that failed later.

    Raises:
        UserError: a file cannot be written, or is there already and no profile.
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


@contextlib.contextmanager
def _batching(several: Sequence[Options], jobs: int) -> Iterator[Batch]:
    with TellingDocuments(several):
        _assert_together(several)
        for options in several:
            ahead.check_torch(options)
        tell_of_torch(several)
        with reporting(several[0]) as (_, progress):
            yield Batch(jobs, progress)


def _find_outcome(options: Options, zygotes: Zygotes, progress: Progress) -> Outcome:
    known = cached.find(options)
    if known is not None:
        return known
    if options.runs_nothing:
        ahead.check_outputs(options)
        return from_profile.annotate(options, progress)
    ahead.check(options)
    with zygotes() as zygote:
        return annotate.annotate(options, zygote, progress)


def _verify(options: Options, zygotes: Zygotes, progress: Progress) -> Outcome:
    ahead.check(options)
    with zygotes() as zygote:
        return verify.verify(options, zygote, progress)


def _captures(options: Options, zygotes: Zygotes, progress: Progress) -> tuple[Captures, ...]:
    ahead.check(options)
    with zygotes() as zygote:
        return captures.captures(options, zygote, progress)


def _observe(options: Options, zygotes: Zygotes, progress: Progress) -> Profile:
    ahead.check(options)
    with zygotes() as zygote:
        return observe.observe(options, zygote, progress)


def _from_one_root(blocks: Sequence[Block[Outcome]]) -> list[Block[Outcome]]:
    """The blocks, where they are to make up one diff, with its paths from the directory that holds all roots."""
    root = os.path.commonpath([block.result.options.root for block in blocks])

    def rooted(block: Block[Outcome]) -> Block[Outcome]:
        outcome = block.result.value
        if outcome is None or block.result.options.write_back is not WriteBack.DIFF:
            return block
        return replace(block, result=replace(block.result, value=replace(outcome, root=root)))

    return [rooted(block) for block in blocks]


def _set_aside(blocks: Sequence[Block[Outcome]], *, whole: bool = False) -> list[Block[Outcome]]:
    """The blocks without what is to be ignored."""
    found = [(block.result.options, block.result.value) for block in blocks if block.result.value is not None]
    whole = whole and len(found) == len(blocks)
    told = iter(set_aside([(options, outcome) for options, outcome in found], whole=whole) if found else ())
    return [
        block if block.result.value is None else replace(block, result=replace(block.result, value=next(told)))
        for block in blocks
    ]


def _deliver(blocks: Sequence[Block[Any]], show: Show) -> int:
    told = [_tell(block, show) for block in blocks]
    codes = [code for code, _ in told]
    _write_documents([block for _, block in told], max(codes))
    _sum_up(blocks, codes)
    return max(codes)


def _sum_up(blocks: Sequence[Block[Any]], codes: Sequence[int]) -> None:
    """The last line: of many blocks, how many targets ended how, the worst first."""
    targets: Counter[int] = Counter()
    for block, code in zip(blocks, codes, strict=True):
        targets[code] += sum(max(1, len(each.targets)) for each in block.members)
    if len(blocks) > 1 and blocks[0].members[0].verbosity >= 0:
        ended = ", ".join(f"{targets[code]} {ENDED.get(code, 'failed')}" for code in sorted(targets, reverse=True))
        click.echo(f"{targets.total()} targets: {ended}", err=True)


def _tell(block: Block[Any], show: Show) -> tuple[int, Block[Any]]:
    """One block: its heading, what user code printed, and what came out; the block, with what went wrong in that."""
    result, options = block.result, block.members[0]
    report = Report(options)
    report.heading(f"{block.name} (together, since they share files)" if len(block.members) > 1 else block.name)
    with repeating():
        click.echo(result.heard, nl=False, err=True)
    if result.error is not None:
        return tell(result.error, verbose=options.verbosity > 0), block
    try:
        return show(result.value, result.options if len(block.members) > 1 else options, report), block
    except PdtError as error:
        failed = replace(block, result=replace(result, value=None, error=error))
        return tell(error, verbose=options.verbosity > 0), failed


def _write_documents(blocks: Sequence[Block[Any]], code: int) -> None:
    """For all blocks that ask for it in one place, one document."""
    members = [options for block in blocks for options in block.members]
    asking = {document.place: (document, options) for options in members for document in options.documents}
    write_each(partial(_write_together, blocks, document, options, code) for document, options in asking.values())


def _write_together(blocks: Sequence[Block[Any]], document: OutputFile, options: Options, code: int) -> None:
    together = [block for block in blocks if document.place in _places(block)]
    outcomes = [block.result.value for block in together if block.result.value is not None]
    failed = _failed(together)
    if outcomes:
        joined = join_outcomes(outcomes)
        write_document(document, replace(joined, verified=joined.verified and not failed), options, code, failed)
    else:
        leave_error_in(document, options, failed)


def _failed(blocks: Sequence[Block[Any]]) -> list[Failed]:
    """The runs of which nothing came, and why."""
    return [(options, block.result.error) for block in blocks if block.result.error for options in block.members]


def _places(block: Block[Any]) -> set[str]:
    return {document.place for options in block.members for document in options.documents}


def _sharing(blocks: Sequence[Block[Any]]) -> dict[tuple[str, ...], tuple[Options, list[Block[Any]]]]:
    """By the places where captures are asked for, the options that do and the blocks that belong in them."""

    def places(options: Options) -> tuple[str, ...]:
        return options.json, options.html, options.output

    asking = {places(options): options for block in blocks for options in block.members}
    return {
        key: (options, [block for block in blocks if key in map(places, block.members)])
        for key, options in asking.items()
    }

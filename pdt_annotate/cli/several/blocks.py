"""Blocks: the results of runs, where those that depend on each other have been run again together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pdt_annotate.cli.several.batch import Batch, RunResult, Work
from pdt_annotate.cli.several.join import find_groups, join_options
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome

T = TypeVar("T")


@dataclass(frozen=True)
class Block(Generic[T]):
    """Runs that gave one result.

    Args:
        members: the options of each.
        result: how they ended.
        started_ns: when they began, or before.
    """

    members: tuple[Options, ...]
    result: RunResult[T]
    started_ns: int

    @property
    def name(self) -> str:
        """The targets, for headings; of a run without any, the profiles that it goes by."""
        options = self.result.options
        return ", ".join(target.text for target in options.targets) or ", ".join(options.profiles)


def begin(batch: Batch, several: Sequence[Options], aside: Sequence[Options], work: Work[T]) -> list[Block[T]]:
    """A block for each run: of its options as they were given, and the result with those it is run with, `aside`."""
    started = time.time_ns()
    results = batch.run(aside, work)
    return [Block((options,), result, started) for options, result in zip(several, results, strict=True)]


def join_dependent(blocks: Sequence[Block[Outcome]], batch: Batch, work: Work[Outcome]) -> list[Block[Outcome]]:
    """The blocks after those that depend on each other were run again as one, in the order of their first members."""
    groups = find_groups([block.result.value for block in blocks])
    while len(groups) < len(blocks):
        blocks = _run_together([[blocks[index] for index in group] for group in groups], batch, work)
        groups = find_groups([block.result.value for block in blocks])
    return list(blocks)


def _run_together(
    groups: Sequence[Sequence[Block[Outcome]]], batch: Batch, work: Work[Outcome]
) -> list[Block[Outcome]]:
    started = time.time_ns()
    members = [tuple(options for block in group for options in block.members) for group in groups]
    joined = [_join(each) if len(group) > 1 else None for group, each in zip(groups, members, strict=True)]
    results = iter(batch.run([each for each in joined if isinstance(each, Options)], work))

    def block_of(index: int) -> Block[Outcome]:
        options = joined[index]
        if options is None:
            return groups[index][0]
        if isinstance(options, UserError):
            return Block(members[index], RunResult(members[index][0], error=options), started)
        return Block(members[index], next(results), started)

    return [block_of(index) for index in range(len(groups))]


def _join(members: Sequence[Options]) -> Options | UserError:
    try:
        return join_options(members)
    except UserError as error:
        return error

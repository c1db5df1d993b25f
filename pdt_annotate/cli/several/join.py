"""Runs whose results are not independent, because one changes a file that the other reads: found, and joined.

Each alone would be sound, and both together might not be: `mask: Tensor` from the one may be what the other passes None
for. So they are run again as one run, with a spec for each target: what all examples show is consolidated together, and
every target is verified over the same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TypeVar

from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import MendAdvice, Outcome, Outdated
from pdt_annotate.values.runs import Closure

ALIKE = (
    "root",
    "python",
    "write_back",
    "scope",
    "mend",
    "also_run",
    "returns",
    "spelling",
    "third_party",
    "overlay",
    "stubs",
    "write_partial",
    "runs_nothing",
)
"""Options that decide one result, and so have to be the same for all that share it."""

SAYS = {"write_back": "way of writing", "runs_nothing": "kind of examples, a profile alone and calls to run"}

T = TypeVar("T")


def find_groups(outcomes: Sequence[Outcome | None]) -> tuple[tuple[int, ...], ...]:
    """The indices of outcomes that depend on each other; one that depends on none is a group of its own.

    An outcome that is missing or not sound writes nothing, so nobody waits for it.
    """
    changed = [_changed(each) for each in outcomes]
    touched = [_read(each) | changes for each, changes in zip(outcomes, changed, strict=True)]
    groups: list[set[int]] = []
    for index, _ in enumerate(outcomes):
        near = [group for group in groups if any(_meet(index, other, changed, touched) for other in group)]
        groups = [group for group in groups if group not in near] + [{index}.union(*near)]
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def _meet(one: int, other: int, changed: Sequence[set[str]], touched: Sequence[set[str]]) -> bool:
    return bool(changed[one] & touched[other] or changed[other] & touched[one])


def _changed(outcome: Outcome | None) -> set[str]:
    if outcome is None or not outcome.is_sound:
        return set()
    changes = (*outcome.changes, *(each.change for each in outcome.overlaid))
    return {os.path.realpath(change.file) for change in changes}


def _read(outcome: Outcome | None) -> set[str]:
    if outcome is None or not outcome.is_sound:
        return set()
    return {os.path.realpath(file) for file in outcome.closure.files}


def join_options(several: Sequence[Options]) -> Options:
    """One run of all targets, each on its own example calls.

    Raises:
        UserError: they ask for different results.
    """
    first = several[0]
    for name in ALIKE:
        for other in several[1:]:
            if getattr(first, name) != getattr(other, name):
                raise _different(first, other, name)
    return replace(
        first,
        targets=tuple(chain.from_iterable(each.targets for each in several)),
        specs=tuple(each.spec_of(target) for each in several for target in each.targets),
        timeout=max(each.timeout for each in several),
        budget=max(each.budget for each in several),
        profiles=_once(each.profiles for each in several),
        ignore=_once(each.ignore for each in several),
        per_file_ignores=_once(each.per_file_ignores for each in several),
        save_profile="",  # what they showed was saved when each was run by itself
    )


def _different(first: Options, other: Options, name: str) -> UserError:
    one, two = (", ".join(target.text for target in each.targets) for each in (first, other))
    what = SAYS.get(name, f"`{name.replace('_', '-')}`")
    message = f"{one} and {two} share a file that is to be annotated, but not the same {what}"
    return UserError(message, hint="configure it alike for both, or annotate one after the other, by name")


def join_outcomes(several: Sequence[Outcome]) -> Outcome:
    """Several outcomes that share nothing, as one; paths are from the directory that holds all roots."""
    advised = [each.advised for each in several if each.advised]
    outdated = [each.outdated for each in several if each.outdated]
    return Outcome(
        targets=_all(each.targets for each in several),
        root=os.path.commonpath([each.root for each in several]),
        changes=_all(each.changes for each in several if each.is_sound),
        annotations=_all(each.annotations for each in several),
        findings=_once(each.findings for each in several),
        verdicts=_all(each.verdicts for each in several),
        unreached=_once(each.unreached for each in several),
        verified=all(each.verified for each in several),
        blame=_all(each.blame for each in several),
        kept=_all(each.kept for each in several),
        overlaid=_all(each.overlaid for each in several),
        closure=reduce(Closure.__or__, (each.closure for each in several)),
        mends=_all(each.mends for each in several if each.is_sound),
        advised=reduce(MendAdvice.__or__, advised) if advised else None,
        joined=True,
        ignored=_once(each.ignored for each in several),
        outdated=reduce(Outdated.__or__, outdated) if outdated else None,
        python=several[0].python,
    )


def _all(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(chain.from_iterable(parts))


def _once(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(parts)))

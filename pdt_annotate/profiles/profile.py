"""The content of a profile, as values in a canonical order: equal profiles are equal values in any order of merging."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby

CALLS_KEPT = 8  # the most names of calls per observation, so that a profile does not grow with the calls
UNKNOWN_LINE = 1


@dataclass(frozen=True, order=True)
class Source:
    """A file that a run imported: its path from the root, with slashes, and its dotted module name."""

    path: str
    module: str


@dataclass(frozen=True, order=True)
class ProfiledOwner:
    """The function whose slots were observed, or, with line 0 and no digest, the class whose attributes were.

    The digest identifies the function; the line is for people. For functions that MonkeyType saw it is `UNKNOWN_LINE`.
    """

    path: str
    qualname: str
    line: int = 0
    digest: str = ""


@dataclass(frozen=True, order=True)
class Sighting:
    """A type seen at a slot: how often, and in which calls.

    Args:
        kind: the value of a `SlotKind`.
        statement: for a local, the number of the statement that assigns it (`record.statement_lines`, from 1); else 0.
        type: the type as canonical JSON (`plain.dump_type`), which compares its bases too.
    """

    place: ProfiledOwner
    kind: str
    name: str
    statement: int
    type: str
    count: int
    calls: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[ProfiledOwner, str, str, int, str]:
        return (self.place, self.kind, self.name, self.statement, self.type)


@dataclass(frozen=True, order=True)
class Unseen:
    """A function that was in a file and did not run. Without a name: all such functions of the file are listed."""

    path: str
    qualname: str = ""


@dataclass(frozen=True, order=True)
class CallExample:
    """One call of a function; `arguments`, and the arguments that constructed its module (`made`), are JSON texts.

    `cls` is the dotted name of the module's class; "" for a plain function. See `values.examples`.
    """

    place: ProfiledOwner
    call: str
    cls: str
    arguments: str
    made: str


@dataclass(frozen=True, order=True)
class Recording:
    """The observations of one run, that is of one process.

    Args:
        run: a random id, so that a recording counts once even if it is merged twice.
        label: the name of the program, for people.
        in_forward: the functions that ran inside a module's `forward`, or were observed as the part of a target.
        classes: the classes in types, as canonical JSON (`plain.dump_class`).
        unseen: the other functions in the files, if known.
    """

    run: str
    label: str = ""
    sources: tuple[Source, ...] = ()
    in_forward: tuple[ProfiledOwner, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    classes: tuple[str, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    examples: tuple[CallExample, ...] = ()


@dataclass(frozen=True)
class Profile:
    """Recordings of any number of runs, ordered by their ids."""

    recordings: tuple[Recording, ...] = ()

    @property
    def places(self) -> frozenset[ProfiledOwner]:
        return frozenset(sighting.place for recording in self.recordings for sighting in recording.sightings)

    @property
    def in_forward(self) -> frozenset[ProfiledOwner]:
        return frozenset(place for recording in self.recordings for place in recording.in_forward)

    @property
    def functions(self) -> int:
        return sum(place.line > 0 for place in self.places)

    @property
    def slots(self) -> int:
        return len({sighting.key[:-1] for recording in self.recordings for sighting in recording.sightings})


def merge(profiles: Iterable[Profile]) -> Profile:
    """All recordings together. Commutative, associative and idempotent: nothing is counted twice.

    Two versions of one run, which a process may have saved meanwhile, are joined with the higher of the counts.
    """
    found = sorted((recording for profile in profiles for recording in profile.recordings), key=lambda r: r.run)
    return Profile(tuple(_join(list(same)) for _, same in groupby(found, key=lambda r: r.run)))


def sum_up(profile: Profile, run: str, label: str) -> Recording:
    """One recording of all, which come from different processes: counts are added."""
    return replace(_join(list(profile.recordings), sum), run=run, label=label)


def _join(same: list[Recording], count: Callable[[Iterable[int]], int] = max) -> Recording:
    sightings = []
    by_key = groupby(sorted(s for recording in same for s in recording.sightings), key=lambda sighting: sighting.key)
    for alike in (list(group) for _, group in by_key):
        calls = first_calls(call for sighting in alike for call in sighting.calls)
        sightings.append(replace(alike[0], count=count(sighting.count for sighting in alike), calls=calls))
    # Keep the same examples of each function in any order of the recordings.
    found = {each for recording in same for each in recording.examples}
    examples = (list(group) for _, group in groupby(sorted(found), key=lambda example: example.place))
    return Recording(
        run=same[0].run,
        label=max(recording.label for recording in same),
        sources=tuple(sorted({source for recording in same for source in recording.sources})),
        in_forward=tuple(sorted({place for recording in same for place in recording.in_forward})),
        sightings=tuple(sightings),
        classes=tuple(sorted({each for recording in same for each in recording.classes})),
        unseen=tuple(sorted({each for recording in same for each in recording.unseen})),
        examples=tuple(example for group in examples for example in group[:CALLS_KEPT]),
    )


def first_calls(names: Iterable[str]) -> tuple[str, ...]:
    """The first names, "call 9" before "call 10", for any order of the names."""
    return tuple(sorted(set(names), key=lambda name: (len(name), name))[:CALLS_KEPT])

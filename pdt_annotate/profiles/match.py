"""A profile → what it says of the present source: observations where a function is still the same, else findings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.profiles.plain import load_class, load_type
from pdt_annotate.profiles.present import Present, locate
from pdt_annotate.profiles.profile import Profile, ProfiledOwner, Sighting, Source
from pdt_annotate.source.survey import Function
from pdt_annotate.values.examples import ObservedCall
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, Finding, Observation, Owner, Slot, SlotKind


@dataclass(frozen=True)
class Matched:
    """What a profile says of the present source.

    Args:
        observed: in terms of the present files and lines, for each run by itself.
        modules: dotted name → present file, of those that the profile knows.
        in_forward: the functions that ran inside a module's `forward`.
        findings: what is no longer there, or no longer the same.
        changed: what functions are now that are no longer the same and lack annotations, and what is said of them.
        missing: the files that are no longer there, and what is said of each.
    """

    observed: Observed
    modules: Mapping[str, str]
    in_forward: frozenset[Owner]
    findings: tuple[Finding, ...]
    changed: Mapping[ProfiledOwner, tuple[Function, Finding]]
    missing: Mapping[str, Finding]

    @property
    def owners(self) -> frozenset[Owner]:
        """The functions and classes of which something was observed."""
        return frozenset(observation.slot.owner for observation in self.observed.observations)


def match(profile: Profile, root: str, modules: Mapping[str, str] | None = None) -> Matched:
    """Match by file or module, qualified name and digest; lines and the path of the checkout may be others.

    Args:
        profile: of any number of runs.
        root: the directory whose files may be annotated.
        modules: dotted name → file, of the files that count; None: those of the profile that are under the root.
    """
    present = Present(profile, root, modules)
    known = present.modules()
    classes, gone = _classes(profile, present)
    observations = sorted(_observations(profile, present, gone), key=lambda observation: observation.slot.sort_key)
    in_forward = {owner for place in profile.in_forward if (owner := present.owner(place))}
    return Matched(
        observed=Observed(tuple(observations), tuple(classes[name] for name in sorted(classes)), ()),
        modules=known,
        in_forward=frozenset(in_forward),
        findings=tuple(sorted(present.findings, key=lambda finding: (finding.place, finding.message))),
        changed=present.changed,
        missing=present.missing,
    )


def observed_calls(profile: Profile, root: str) -> Iterator[ObservedCall]:
    """The calls of functions whose files are there; a function may have changed since, as long as it has its name."""
    sources = {source.path: source for recording in profile.recordings for source in recording.sources}
    for recording in profile.recordings:
        for each in recording.examples:
            path = each.place.path
            file = locate(sources.get(path, Source(path, "")), root, {})
            if file:
                made = json.loads(each.made) if each.made else None
                yield ObservedCall(file, each.place.qualname, each.call, each.cls, json.loads(each.arguments), made)


def _classes(profile: Profile, present: Present) -> tuple[dict[str, ClassInfo], set[str]]:
    """The classes by name, and the names of those that are gone. Of several states of one class the first counts."""
    described = [load_class(text) for recording in profile.recordings for text in recording.classes]
    now = [(info.name, present.class_now(info)) for info in reversed(described)]
    found = {name: info for name, info in now if info is not None}
    gone = {name for name, _ in now} - found.keys()
    types = {sighting.type for recording in profile.recordings for sighting in recording.sightings}
    for name in {name for text in types for name in load_type(text).names if "." in name} - found.keys() - gone:
        if info := present.class_named(name):
            found[name] = info
    return found, gone


def _observations(profile: Profile, present: Present, gone: set[str]) -> Iterator[Observation]:
    for recording in profile.recordings:
        for sighting in recording.sightings:
            slot, type_ = _slot(sighting, present), load_type(sighting.type)
            if slot is not None and gone.isdisjoint(type_.names):
                label = recording.label
                calls = tuple(call if label in ("", call) else f"{call} of {label}" for call in sighting.calls)
                yield Observation(slot, type_, sighting.count, calls)


def _slot(sighting: Sighting, present: Present) -> Slot | None:
    owner = present.owner(sighting.place)
    if owner is None:
        return None
    lines = (0, *present.statements(owner)) if sighting.statement else (0,)
    kind = SlotKind(sighting.kind)
    return Slot(owner, kind, sighting.name, lines[sighting.statement]) if 0 <= sighting.statement < len(lines) else None

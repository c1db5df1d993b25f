"""Merging is commutative, associative and idempotent, whatever the recordings hold."""

from __future__ import annotations

import random

import pytest

from pdt_annotate.profiles import Profile, merge
from pdt_annotate.profiles.profile import CALLS_KEPT, ProfiledOwner, Recording, Sighting, Source, first_calls

SEEDS = range(60)


def make_recording(draw: random.Random) -> Recording:
    """A recording of one of three runs, so that several states of one run meet."""
    places = [ProfiledOwner(f"{draw.choice('ab')}.py", draw.choice("fg"), draw.randrange(3), "d") for _ in range(4)]
    found = Recording(
        run=draw.choice(("r1", "r2", "r3")),
        label=draw.choice(("train.py", "eval.py")),
        sources=tuple(Source(place.path, place.path[0]) for place in draw.sample(places, 2)),
        in_forward=tuple(draw.sample(places, 2)),
        sightings=tuple(make_sighting(draw, draw.choice(places)) for _ in range(draw.randrange(12))),
        classes=tuple(draw.sample(("{}", '{"name":"a.B"}', '{"name":"a.C"}'), draw.randrange(3))),
    )
    (recording,) = merge([Profile((found,))]).recordings
    return recording


def make_sighting(draw: random.Random, place: ProfiledOwner) -> Sighting:
    calls = tuple(f"call {draw.randrange(30)}" for _ in range(draw.randrange(15)))
    type_ = draw.choice(('{"name":"int"}', '{"name":"None"}'))
    return Sighting(place, "parameter", draw.choice("xy"), draw.randrange(2), type_, draw.randrange(9), calls)


def make_profile(draw: random.Random) -> Profile:
    return merge(Profile((make_recording(draw),)) for _ in range(draw.randrange(4)))


@pytest.mark.parametrize("seed", SEEDS)
def test_merging_a_profile_with_itself_or_nothing_changes_nothing(seed: int) -> None:
    one = make_profile(random.Random(seed))
    assert merge([one]) == merge([one, one]) == merge([one, Profile()]) == one


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_merging_does_not_matter(seed: int) -> None:
    draw = random.Random(seed)
    one, two, three = (make_profile(draw) for _ in range(3))
    assert merge([one, two]) == merge([two, one])
    assert merge([merge([one, two]), three]) == merge([one, merge([two, three])]) == merge([three, one, two])


def test_runs_are_kept_apart_and_states_of_one_run_are_joined() -> None:
    sighting = Sighting(ProfiledOwner("a.py", "f", 1, "d"), "parameter", "x", 0, '{"name":"int"}', 3, ("call 1",))
    early = Recording("r1", sightings=(sighting,))
    later = Recording("r1", sightings=(Sighting(*sighting.key, 5, ("call 2",)),))
    other = Recording("r2", sightings=(sighting,))
    merged = merge([Profile((early,)), Profile((other,)), Profile((later,))])
    assert merged.recordings == (
        Recording("r1", sightings=(Sighting(*sighting.key, 5, ("call 1", "call 2")),)),
        other,
    )


def test_types_that_differ_in_their_bases_alone_are_kept_apart() -> None:
    place = ProfiledOwner("a.py", "f", 1, "d")
    plain, derived = ('{"name":"m.C"}', '{"bases":["torch.Tensor"],"name":"m.C"}')
    one, two = (Profile((Recording("r", sightings=(Sighting(place, "p", "x", 0, t, 1),)),)) for t in (plain, derived))
    assert one != two
    assert len(merge([one, two]).recordings[0].sightings) == 2


def test_the_names_of_calls_are_bounded() -> None:
    names = [f"call {number}" for number in range(1000)]
    assert first_calls(reversed(names)) == tuple(names[:CALLS_KEPT])


def test_slots_and_places_count_once_whatever_ran() -> None:
    place = ProfiledOwner("a.py", "f", 1, "d")
    sightings = tuple(Sighting(place, "parameter", "x", 0, f'{{"name":"{name}"}}', 1) for name in ("int", "str"))
    profile = merge(Profile((Recording(run, sightings=sightings),)) for run in ("r1", "r2"))
    assert (profile.places, profile.functions, profile.slots) == (frozenset({place}), 1, 1)

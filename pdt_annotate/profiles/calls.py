"""The calls that a profile has examples of, in terms of the present files: what a draft is made from."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pdt_annotate.profiles.present import locate
from pdt_annotate.profiles.profile import Profile, Source
from pdt_annotate.values.examples import ObservedCall


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

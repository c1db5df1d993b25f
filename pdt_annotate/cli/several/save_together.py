"""Runs that save their profiles in one file: each saves aside, and what they saved is joined at the end."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from pdt_annotate import profiles
from pdt_annotate.settings.options import Options


@contextlib.contextmanager
def save_together(several: Sequence[Options]) -> Iterator[list[Options]]:
    """The options, to be run with; on leaving, every file gets what the runs observed, also those that failed later.

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
                    profiles.save(file, profiles.load(parts))

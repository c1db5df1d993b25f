"""Programs under `pdt-annotate run`, and the profiles that they save."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

from pdt_annotate import profiles
from pdt_annotate.profiles.profile import Profile, ProfiledOwner
from pdt_annotate.profiles.record import digest_of
from pdt_annotate.source.module import read_module

PROFILE = "pdt-profile.sqlite"
WAIT = 60.0  # the time limit of tests that wait for another process, in seconds
Seen = set[tuple[ProfiledOwner, str, str, str]]


def write(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text))


def plainly(folder: Path, *words: str, **given: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=WAIT, **given)


def recorded(folder: Path, *words: str, **given: Any) -> subprocess.CompletedProcess[str]:
    return plainly(folder, *command(folder, words), **given)


def command(folder: Path, words: tuple[str, ...]) -> tuple[str, ...]:
    return ("-m", "pdt_annotate", "run", "--root", str(folder), "--", *words)


def saved(folder: Path) -> Profile:
    return profiles.load([str(folder / PROFILE)])


def types_at(profile: Profile, function: str, name: str) -> set[str]:
    found = (s for r in profile.recordings for s in r.sightings)
    return {s.type for s in found if s.place.qualname == function and s.name == name}


def seen(profile: Profile) -> Seen:
    return {(s.place, s.kind, s.name, s.type) for r in profile.recordings for s in r.sightings}


def places(file: Path) -> set[ProfiledOwner]:
    """The functions in the current file."""
    functions = read_module(str(file), file.read_bytes()).functions
    return {ProfiledOwner(file.name, f.owner.qualname, f.owner.line, digest_of(f.node)) for f in functions}

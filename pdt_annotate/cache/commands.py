"""Whole command lines, answered before they are parsed.

A command that ended well, with every target answered by an entry, is remembered under its words, the working directory
and the surroundings. What its words meant is settled by the configuration files that stood, or did not stand, where
they are looked for.
"""

from __future__ import annotations

import os
import sys

from pdt_annotate.cache import state, store, surroundings
from pdt_annotate.values.printable import disarm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GROUP = "commands"
ENTRIES = "entries"
ENTRY, SAID, PYTHON = "entry", "said", "python"
HOOK = "hook"
VALUED = ("--budget", "--color", "--config", "--jobs", "--profile", "--python", "--timeout", "-j")
"""A hook's options that the next word may belong to. All other words without a dash are files."""

COMPLETE_VARIABLE = "_PDT_ANNOTATE_COMPLETE"
"""In the environment: a shell asks what could be typed, and nothing is to be run, or answered as if it had been."""

MARKS = ("pyproject.toml", ".git")
SETTINGS = "PDT_ANNOTATE_"


def answer(words: Sequence[str]) -> int | None:
    """Answer a command whose targets are all as they were when they were found done: its exit code.

    None where it has to be run, or is only being typed.
    """
    if COMPLETE_VARIABLE in os.environ:
        return None
    try:
        root = store.find_root(os.getcwd())
        document = state.read(root, GROUP, _name(words)) if root else {}
    except OSError:  # the working directory is gone
        return None
    names = document.get(ENTRY, ()) if _is_well_formed(document) else ()
    if not (names and state.is_current(document) and all(map(_is_the_same, document.get(PYTHON, ())))):
        return None
    if not all(state.is_current(state.read(root, ENTRIES, name)) for name in names):
        return None
    sys.stderr.write("".join(f"{disarm(line)}\n" for line in document.get(SAID, ())))
    return 0


def _is_well_formed(document: store.Document) -> bool:
    """Whether it names entries, Pythons with their parts, and lines that a terminal shows as they are."""
    are_names = all(name.replace("-", "").isalnum() for name in document.get(ENTRY, ()))
    are_pythons = all(python.count(store.FIELDS) >= 2 for python in document.get(PYTHON, ()))
    return are_names and are_pythons and all(line.isprintable() for line in document.get(SAID, ()))


def _is_the_same(python: str) -> bool:
    digest, executable, prefix, *path = python.split(store.FIELDS)
    return digest == surroundings.describe_other(executable, prefix, path)


def remember(
    words: Sequence[str],
    root: str,
    entries: Sequence[str],
    said: Sequence[str],
    configuration: Iterable[str],
    pythons: Iterable[str] = (),
) -> None:
    """Remember what answers a command.

    Args:
        words: the command line.
        root: where the cache lies.
        entries: the names of the entries that answer its targets.
        said: the lines that the command prints then.
        configuration: the files that say what the words mean, as far as they are not found from the working directory
            upwards; also directories from which such files are looked for.
        pythons: those that the targets run in beside our own, each with a digest of it before what that was made of.
    """
    places = [os.getcwd(), *configuration]
    files = {os.path.join(above, mark) for place in places for above in _upwards(place) for mark in MARKS}
    document = {ENTRY: entries, SAID: said, PYTHON: sorted(pythons), **state.take(files.union(places))}
    store.write(root, GROUP, _name(words), document)


def _name(words: Sequence[str]) -> str:
    settings = [[name, os.environ[name]] for name in sorted(os.environ) if name.startswith(SETTINGS)]
    return store.digest([_without_files(words), settings, surroundings.describe()])


def _without_files(words: Sequence[str]) -> list[str]:
    """A hook's words but for the files: where all that its targets depend on is as it was, no file matters."""
    if not words or words[0] != HOOK:
        return list(words)
    pairs = zip(["", *words], words, strict=False)
    return [word for before, word in pairs if word.startswith("-") or before in VALUED or word == HOOK]


def _upwards(start: str) -> list[str]:
    places = [start]
    while os.path.dirname(places[-1]) != places[-1]:
        places.append(os.path.dirname(places[-1]))
    return places

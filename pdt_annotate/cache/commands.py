"""Whole command lines, answered before they are parsed.

A command that ended well, with an entry for every target, is remembered under its words, the working directory and the
surroundings. Its words mean the same as long as the files that could configure it are unchanged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile

from pdt_annotate.cache import store
from pdt_annotate.values.paths import PROJECT_MARKS, upwards
from pdt_annotate.values.printable import disarm

# An environment variable: a shell asks for completions, and nothing is run.
COMPLETE_VARIABLE = "_PDT_ANNOTATE_COMPLETE"
SETTINGS = "PDT_ANNOTATE_"


def answer(words: Sequence[str]) -> int | None:
    """Return the exit code of a command whose targets are all unchanged; None if it has to run."""
    if COMPLETE_VARIABLE in os.environ:
        return None
    try:
        root = store.find_root(os.getcwd())
        groups = store.read(root) if root else {}
        document = _find_command(groups[store.COMMANDS], words) if groups else None
        if not (document and document["entries"] and all(line.isprintable() for line in document["said"])):
            return None
        states = [document["state"], *(groups[store.ENTRIES][name]["state"] for name in document["entries"])]
        pythons = (
            known == store.describe_other(parts[0], parts[1], parts[2:]) for known, *parts in document["pythons"]
        )
        if not (all(pythons) and all(map(store.is_current, states))):
            return None
    except store.BROKEN:
        return None
    sys.stderr.write("".join(f"{disarm(line)}\n" for line in document["said"]))
    return 0


def _find_command(known: dict[str, store.Document], words: Sequence[str]) -> store.Document | None:
    """Return the command with these words, or one that may be followed by any files, as a hook is."""
    surroundings = _surroundings()
    if exact := known.get(_name(words, surroundings)):
        return exact
    more = len(list(takewhile(lambda word: not word.startswith("-"), reversed(words))))
    shorter = (known.get(_name(words[: len(words) - number], surroundings)) for number in range(1, more + 1))
    return next((document for document in shorter if document and document["takes_files"]), None)


def remember(
    words: Sequence[str],
    root: str,
    entries: Sequence[str],
    said: Sequence[str],
    configuration: Iterable[str],
    pythons: Iterable[Sequence[str]] = (),
    *,
    takes_files: bool = False,
) -> None:
    """Remember the answer to a command: `entries` for its targets, and the lines that it then prints (`said`).

    `configuration` are the files that configure the words, and the directories in which such files are looked
    up. `pythons` are the other Pythons that run targets, each as a digest and its parts. A command that `takes_files`
    has the same answer with any files after the words.
    """
    places = [os.getcwd(), *configuration]
    files = {os.path.join(above, mark) for place in places for above in upwards(place) for mark in PROJECT_MARKS}
    document = {
        "entries": list(entries),
        "said": list(said),
        "pythons": sorted(map(list, pythons)),
        "takes_files": takes_files,
        "state": store.take_state(files.union(places)),
    }
    store.keep(root, store.COMMANDS, _name(words, _surroundings()), document)


def _surroundings() -> list[object]:
    settings = [[name, os.environ[name]] for name in sorted(os.environ) if name.startswith(SETTINGS)]
    return [settings, store.describe_surroundings()]


def _name(words: Sequence[str], surroundings: list[object]) -> str:
    return store.digest_value([list(words), surroundings])

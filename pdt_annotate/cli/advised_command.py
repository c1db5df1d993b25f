"""The command that runs, as it would be typed to ask for mends, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from pdt_annotate.cli.group import PROGRAM
from pdt_annotate.values import shell
from pdt_annotate.values.mends import MendLevel

MEND = "--mend"
LEVELS = frozenset(level.value for level in MendLevel)


def given_words() -> tuple[str, ...]:
    """The command line as it was given."""
    return (PROGRAM, *(click.get_current_context().obj or ()))


def command_with(level: MendLevel) -> str:
    """The command line as it was given, with the mends of a level."""
    program, *words = given_words()
    return shell.join((program, *words_with(words, level)))


def words_with(words: Sequence[str], level: MendLevel) -> list[str]:
    """Words of a command line without what they say of mends, and with a level; options end at a double dash.

    >>> words_with(["m:Net", "--mend", "exact", "--", "n:Net"], MendLevel.ALL)
    ['m:Net', '--mend', 'all', '--', 'n:Net']
    """
    end = words.index("--") if "--" in words else len(words)
    return [*_without_mends(words[:end]), MEND, level.value, *words[end:]]


def _without_mends(words: Sequence[str]) -> Iterator[str]:
    for before, word in zip(("", *words), words, strict=False):
        is_level = before == MEND and word in LEVELS
        if word != MEND and not word.startswith(f"{MEND}=") and not is_level:
            yield word

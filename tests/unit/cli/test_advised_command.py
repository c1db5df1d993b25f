"""The command that is advised: as it was given, but for mends."""

from __future__ import annotations

import pytest

from pdt_annotate.cli.advised_command import words_with
from pdt_annotate.values.mends import MendLevel


@pytest.mark.parametrize(
    ("words", "advised"),
    [
        ([], ["--mend", "all"]),
        (["m:Net", "-i", "a b.py"], ["m:Net", "-i", "a b.py", "--mend", "all"]),
        (["m:Net", "--mend"], ["m:Net", "--mend", "all"]),
        (["--mend", "exact", "m:Net"], ["m:Net", "--mend", "all"]),
        (["--mend=frozen", "m:Net"], ["m:Net", "--mend", "all"]),
        (["--mend", "m:Net", "exact"], ["m:Net", "exact", "--mend", "all"]),
        (["m:Net", "--", "n:Net"], ["m:Net", "--mend", "all", "--", "n:Net"]),
    ],
)
def test_what_was_given_stays_but_for_the_level(words: list[str], advised: list[str]) -> None:
    assert words_with(words, MendLevel.ALL) == advised

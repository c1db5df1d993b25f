"""Several documents of one run, and the command that is advised: as it was given, but for mends."""

from __future__ import annotations

import pytest

from pdt_annotate.cli.deliver import words_with, write_each
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendLevel


def test_what_can_be_written_is_and_every_failure_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    written: list[str] = []

    def fail(name: str) -> None:
        raise UserError(f"cannot write {name}")

    writes = [lambda: fail("a"), lambda: written.append("b"), lambda: fail("c"), lambda: written.append("d")]
    with pytest.raises(UserError, match="cannot write c"):
        write_each(writes)
    assert written == ["b", "d"]
    assert capsys.readouterr().err == "error: cannot write a\n"


def test_without_a_failure_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    write_each([])
    write_each([lambda: None])
    assert capsys.readouterr() == ("", "")


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

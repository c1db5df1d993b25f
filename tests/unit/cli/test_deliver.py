"""Several documents of one run."""

from __future__ import annotations

import pytest

from pdt_annotate.cli.deliver import write_each
from pdt_annotate.values.errors import UserError


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

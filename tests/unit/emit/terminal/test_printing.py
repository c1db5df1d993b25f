"""Where lines are printed: wide streams and narrow ones, with and without Unicode."""

from __future__ import annotations

import io
import os

import pytest
from rich.text import Text

from pdt_annotate.emit.terminal.printing import plain_text, print_lines
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.runs import SpecSource, Target

OPTIONS = Options((Target("a:b", "a", "", "b"),), SpecSource(), os.curdir)


def printed(encoding: str, text: str, color: Color = Color.AUTO) -> bytes:
    out = io.BytesIO()
    stream = io.TextIOWrapper(out, encoding=encoding)
    options = Options(OPTIONS.targets, OPTIONS.spec, OPTIONS.root, color=color)
    print_lines(lambda width: [Text(f"{text} {width}", style="bold")], options, stream)
    return out.getvalue()


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", "✓ same → ü 120\n"), ("ascii", "+ same -> \\xfc 120\n"), ("latin-1", "+ same -> ü 120\n")],
)
def test_signs_are_those_that_the_stream_can_show(
    encoding: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert printed(encoding, "✓ same → ü") == expected.encode(encoding)


def test_a_pipe_is_not_coloured_unless_asked_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert printed("utf-8", "a") == b"a 33\n"
    assert printed("utf-8", "a", Color.ALWAYS).startswith(b"\x1b[1ma 33")


def test_a_file_has_the_text_alone() -> None:
    assert plain_text(lambda width: [Text("✓", style="red"), Text(), Text(str(width))]) == "✓\n\n120\n"

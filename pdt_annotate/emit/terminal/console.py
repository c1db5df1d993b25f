"""Where lines are shown: a terminal, as wide as it is and in what it can show, or a pipe, where a line stays one.

Lines on a terminal break between words alone: never inside a name, a path, a type or quoted code.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from pdt_annotate.emit.files.atomic import wants_color, write
from pdt_annotate.emit.words import TIMES
from pdt_annotate.settings.options import Options
from pdt_annotate.values.printable import disarm

PIPE_WIDTH = 120
"""Columns for tables where the stream is no terminal and COLUMNS does not say."""

UNBOUNDED = 100_000
"""Columns of what is not to be wrapped."""

HANG = 2
"""Columns that the rest of a line is indented further."""

LONGEST = 60
"""Columns of a type with blanks that are kept together; what is longer is broken at them, unless it is quoted code."""

GLUE = "\ue000"
"""For a blank at which no line may break; of the characters for private use."""

_BRACKETS = r"\[[^\[\]]*\]"
for _ in range(3):
    _BRACKETS = rf"\[(?:[^\[\]]|{_BRACKETS})*\]"
KEPT_TOGETHER = re.compile(rf"`[^`]*`|{_BRACKETS}")

PLAIN = str.maketrans(
    {"✓": "+", "✗": "x", "\N{EN DASH}": "-", "\N{MIDDLE DOT}": ".", "→": "->", "…": "...", TIMES: "x"}
)
"""Our signs where there are only those of ASCII."""

Lines = Callable[[int], Iterable[Text]]
"""The lines for a width."""


def make_console(options: Options, stream: TextIO | None = None) -> Console:
    """A console on a stream, stderr if none is given. Markup is off: `List[int]` is text, not a style."""
    shown_on = stream or sys.stderr
    colored = wants_color(options.color, shown_on)
    terminal = shown_on.isatty()
    return Console(
        file=stream,
        stderr=stream is None,
        markup=False,
        highlight=False,
        emoji=False,
        color_system=("auto" if terminal else "standard") if colored else None,
        force_terminal=True if colored else None,
        no_color=not colored,
        width=None if terminal or "COLUMNS" in os.environ else PIPE_WIDTH,
    )


def laid_out(renderable: RenderableType, width: int = UNBOUNDED, encoding: str = "utf-8") -> Iterator[Text]:
    """The lines of a table or a tree of rich's, none of which ends with blanks.

    Args:
        width: columns that it may take.
        encoding: of the stream that it is for; without Unicode a tree has other branches.
    """
    options = _layout().options.update(width=min(width, UNBOUNDED))
    options.encoding = encoding
    for line in _layout().render_lines(renderable, options, pad=False):
        text = Text.assemble(*((segment.text, segment.style or "") for segment in line))
        text.rstrip()
        yield text


@cache
def _layout() -> Console:
    """A console that only lays out."""
    return Console(file=io.StringIO(), width=UNBOUNDED, markup=False, highlight=False, emoji=False)


def wrap(line: Text, width: int) -> Iterator[Text]:
    """The lines that one becomes; a word that is wider has one of its own, in full. What is `no_wrap` stays one line.

    Args:
        line: may begin with blanks, by which the rest is indented too, and may hold several lines.
        width: in columns.
    """
    for each in line.split("\n", allow_blank=True):
        if line.no_wrap or each.cell_len <= width:
            each.rstrip()
            yield each
        else:
            yield from _wrap(each, width)


def _wrap(line: Text, width: int) -> Iterator[Text]:
    plain = KEPT_TOGETHER.sub(_glued, line.plain)
    line.plain, line.overflow = plain, "ignore"
    indent = len(plain) - len(plain.lstrip())
    _, body = line.divide([indent]) if indent else (Text(), line)
    body.overflow = "ignore"
    for number, each in enumerate(body.wrap(_layout(), max(width - indent - HANG, 1))):
        each.plain = each.plain.replace(GLUE, " ")
        each.rstrip()
        yield Text(" " * (indent + HANG * bool(number))).append_text(each)


def _glued(kept: re.Match[str]) -> str:
    is_kept = kept[0].startswith("`") or len(kept[0]) <= LONGEST
    return kept[0].replace(" ", GLUE) if is_kept else kept[0]


def wrap_text(text: str, width: int) -> str:
    """The same of text without styles."""
    return "\n".join(line.plain for line in wrap(Text(text), width))


def print_wrapped(console: Console, lines: Iterable[Text], end: str = "\n") -> None:
    """Print lines, on a terminal wrapped between words; in a pipe one line stays one, for those who search it.

    No line ends with blanks, signs that cannot be shown are others, and what acts on a terminal or on GitHub's runner
    is spelled out.
    """
    width = console.width if console.file.isatty() else UNBOUNDED
    unicode = codecs.lookup(console.encoding).name.startswith("utf")
    for line in map(_disarmed, lines):
        if not unicode:
            line.plain = line.plain.translate(PLAIN)
        *wrapped, last = [line] if end != "\n" else wrap(line, width)
        for each in wrapped:
            console.print(each, soft_wrap=True)
        console.print(last, soft_wrap=True, end=end)


def _disarmed(line: Text) -> Text:
    """The line as it may be shown; one that is shown otherwise than it is has no styles."""
    shown = disarm(line.plain)
    return line if shown == line.plain else Text(shown, no_wrap=line.no_wrap)


def print_lines(lines: Lines, options: Options, stream: TextIO) -> None:
    """Print to a standard stream, as wide as it is and in what it can show; a reader may have gone."""
    console = make_console(options, stream)
    with console.capture() as captured:
        print_wrapped(console, lines(console.width))
    write(stream.buffer, captured.get().encode(console.encoding, "backslashreplace"))


def plain_text(lines: Lines) -> str:
    """The same for a file."""
    return "".join(f"{line.plain.rstrip()}\n" for line in lines(PIPE_WIDTH))


def print_text(text: Callable[[int], str], options: Options, stream: TextIO) -> None:
    """Print what has no styles in the same way."""
    print_lines(lambda width: (Text(line, no_wrap=True) for line in text(width).splitlines()), options, stream)

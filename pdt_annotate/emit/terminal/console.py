"""Shows lines on a terminal, fitted to its width and character set, or in a pipe, where lines are not wrapped.

Lines on a terminal break between words only: never inside a name, a path, a type or quoted code.
"""

import codecs
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pdt_annotate.emit.files import wants_color, write
from pdt_annotate.emit.words import TIMES
from pdt_annotate.settings.options import Options
from pdt_annotate.values.printable import disarm

PIPE_WIDTH = 120  # for tables if the stream is not a terminal and COLUMNS is not set
UNBOUNDED = 100_000  # for text that is not wrapped
HANG = 2  # additional columns of indentation for the rest of a wrapped line
LONGEST = 60  # the most columns of a type that is not broken at blanks; quoted code never is
GLUE = "\ue000"  # a private-use character for a blank at which no line may break
_BRACKETS = r"\[[^\[\]]*\]"
for _ in range(3):
    _BRACKETS = rf"\[(?:[^\[\]]|{_BRACKETS})*\]"
KEPT_TOGETHER = re.compile(rf"`[^`]*`|{_BRACKETS}")
PLAIN = str.maketrans(  # our signs in ASCII, for streams without Unicode
    {"✓": "+", "✗": "x", "\N{EN DASH}": "-", "\N{MIDDLE DOT}": ".", "→": "->", "…": "...", TIMES: "x"}
)

_LAYOUT = Console(file=io.StringIO(), width=UNBOUNDED, markup=False, highlight=False, emoji=False)
Lines = Callable[[int], Iterable[Text]]  # the lines for a width


def make_console(options: Options, stream: TextIO | None = None) -> Console:
    """A console on a stream, by default stderr. Markup is off: `List[int]` is text, not a style."""
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
    """The lines of a rich table or tree, without trailing blanks. A stream without Unicode gets ASCII branches."""
    options = _LAYOUT.options.update(width=min(width, UNBOUNDED))
    options.encoding = encoding
    for line in _LAYOUT.render_lines(renderable, options, pad=False):
        text = Text.assemble(*((segment.text, segment.style or "") for segment in line))
        text.rstrip()
        yield text


def wrap(line: Text, width: int) -> Iterator[Text]:
    """The wrapped lines of a line. A word that is too wide gets a line, unbroken. A `no_wrap` line stays whole."""
    for each in line.split("\n", allow_blank=True):
        if line.no_wrap or each.cell_len <= width:
            each.rstrip()
            yield each
            continue
        each.plain = plain = KEPT_TOGETHER.sub(
            lambda kept: kept[0].replace(" ", GLUE) if kept[0][0] == "`" or len(kept[0]) <= LONGEST else kept[0],
            each.plain,
        )
        indent = len(plain) - len(plain.lstrip())
        body = each.divide([indent])[1] if indent else each
        body.overflow = "ignore"
        for number, part in enumerate(body.wrap(_LAYOUT, max(width - indent - HANG, 1))):
            part.plain = part.plain.replace(GLUE, " ")
            part.rstrip()
            yield Text(" " * (indent + HANG * bool(number))).append_text(part)


def wrap_text(text: str, width: int) -> str:
    return "\n".join(line.plain for line in wrap(Text(text), width))


def print_wrapped(console: Console, lines: Iterable[Text], end: str = "\n") -> None:
    """Print lines, on a terminal wrapped between words; in a pipe a line stays one line, so that people can search it.

    Signs that the stream lacks are replaced; characters that act on a terminal or on GitHub's runner are escaped.
    """
    width = console.width if console.file.isatty() else UNBOUNDED
    unicode = codecs.lookup(console.encoding).name.startswith("utf")
    for line in lines:
        shown = disarm(line.plain)
        if shown != line.plain:  # escaped text has no styles
            line = Text(shown, no_wrap=line.no_wrap)
        if not unicode:
            line.plain = line.plain.translate(PLAIN)
        *wrapped, last = [line] if end != "\n" else wrap(line, width)
        for each in wrapped:
            console.print(each, soft_wrap=True)
        console.print(last, soft_wrap=True, end=end)


def print_lines(lines: Lines, options: Options, stream: TextIO) -> None:
    """Print to a standard stream, fitted to its width and character set; its reader may have closed it."""
    console = make_console(options, stream)
    with console.capture() as captured:
        print_wrapped(console, lines(console.width))
    write(stream.buffer, captured.get().encode(console.encoding, "backslashreplace"))


def plain_text(lines: Lines) -> str:
    return "".join(f"{line.plain.rstrip()}\n" for line in lines(PIPE_WIDTH))


def print_text(text: Callable[[int], str], options: Options, stream: TextIO) -> None:
    print_lines(lambda width: (Text(line, no_wrap=True) for line in text(width).splitlines()), options, stream)


GAP = 2  # blanks between columns


def in_columns(columns: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """The lines of as few tables as fit the columns, each with its head. The first column is in each table."""
    first, *others = columns
    tables = [[first]]
    for column in others:
        if len(tables[-1]) > 1 and width_of([*tables[-1], column]) > width:
            tables.append([first])
        tables[-1].append(column)
    for number, table in enumerate(tables):
        head, *rows = zip(*table, strict=True)
        if number:
            yield Text()
            # Leave out a row that has no more cells here.
            rows = [row for row in rows if any(row[1:])]
        yield from laid_out(table_of([head, *rows]))


def table_of(rows: Sequence[Sequence[Text]]) -> Table:
    """A table without rules from rows; shorter cells are at the bottom of a row, so that a head is above its column."""
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for _ in rows[0]:
        table.add_column(no_wrap=True, vertical="bottom")
    for row in rows:
        table.add_row(*row)
    return table


def width_of(columns: Sequence[Sequence[Text]]) -> int:
    widest = [max(line.cell_len for cell in each for line in cell.split("\n")) for each in columns]
    return sum(widest) + GAP * (len(columns) - 1)

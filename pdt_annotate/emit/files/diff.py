"""`--diff`: a unified diff on stdout that `git apply` and `patch -p1` take, to be run in the root."""

from __future__ import annotations

import difflib
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from pdt_annotate.emit.files import notes
from pdt_annotate.emit.files.atomic import wants_color, write
from pdt_annotate.emit.machine.paths import relative_to
from pdt_annotate.emit.words import tally
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.printable import printable

NO_NEWLINE = b"\\ No newline at end of file\n"

_RESET = b"\x1b[0m"
_DIM = b"\x1b[2m"
_PAINT = ((b"--- ", b"\x1b[1m"), (b"+++ ", b"\x1b[1m"), (b"@@ ", b"\x1b[36m"), (b"-", b"\x1b[31m"), (b"+", b"\x1b[32m"))
"""First match wins. A removed line that itself begins with "-- " looks like a header, as in git's own colours."""

_MUST_QUOTE = re.compile(rb'[\x00-\x1f"\\\x7f]')
_ESCAPES = {b"\n": rb"\n", b"\t": rb"\t", b"\r": rb"\r", b'"': rb"\"", b"\\": rb"\\"}


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write the diff to stdout, with `--explain` with notes of evidence.

    In a pipe `git apply` may read it, so there FORCE_COLOR does not colour it; only `--color always` does.
    """
    is_colored = wants_color(options.color, stdout) and (stdout.isatty() or options.color is Color.ALWAYS)
    if options.explain and (is_colored or stdout.isatty()):
        diff = render_beside(outcome, is_colored)
    elif options.explain:
        diff = render_explained(outcome)
    else:
        plain = _seen(render(outcome)) if stdout.isatty() else render(outcome)
        diff = paint(plain) if is_colored else plain
    write(stdout, diff)
    annotations, files = tally(outcome)
    return f"{annotations} for {files} in the diff, nothing written"


def render(outcome: Outcome) -> bytes:
    """The changes as one diff, by path."""
    return b"".join(unified(change, path) for path, change in _by_path(outcome))


def render_explained(outcome: Outcome) -> bytes:
    """The same with all of the evidence before each file and a summary behind each hunk's `@@`, to be applied alike."""
    out: list[bytes] = []
    for path, change in _by_path(outcome):
        found = notes.find_notes(change, outcome.annotations, outcome.mends)
        out += [notes.explain(path, change, found), *notes.head_hunks(_unified_lines(change, path), found)]
    return b"".join(out)


def render_beside(outcome: Outcome, is_colored: bool) -> bytes:
    """The diff to be read, with the evidence beside each annotated line. It cannot be applied."""
    out: list[bytes] = []
    for path, change in _by_path(outcome):
        found = notes.find_notes(change, outcome.annotations, outcome.mends)
        for line, aside in notes.put_beside(_unified_lines(change, path), found):
            text = _seen(line.rstrip(b"\r\n"))
            dim = _DIM + aside + _RESET if aside and is_colored else aside
            out += [_paint_line(text) if is_colored else text, dim, b"\n"]
    return b"".join(out)


def _seen(diff: bytes) -> bytes:
    """A diff as a terminal may show it. What is piped stays as it is, for `git apply`."""
    return printable(diff.decode("utf-8", "surrogateescape")).encode("utf-8", "backslashreplace")


def _by_path(outcome: Outcome) -> list[tuple[str, FileChange]]:
    changes = ((relative_to(outcome.root, change.file), change) for change in outcome.changes)
    return sorted(changes, key=lambda each: each[0])


def unified(change: FileChange, path: str) -> bytes:
    """The diff of one file, from `a/path` to `b/path`, byte for byte: encodings and line ends are carried through."""
    return b"".join(_unified_lines(change, path))


def _unified_lines(change: FileChange, path: str) -> Iterator[bytes]:
    name = path.encode("utf-8", "surrogateescape")
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        _lines(change.before),
        _lines(change.after),
        fromfile=_header_name(b"a/" + name),
        tofile=_header_name(b"b/" + name),
        lineterm=b"\n",
    )
    for line in lines:
        yield from (line,) if line.endswith(b"\n") else (line + b"\n", NO_NEWLINE)


def paint(diff: bytes) -> bytes:
    """The diff with terminal colours. The text is not decoded, so whatever it holds stays."""
    return b"".join(_paint_line(line) for line in _lines(diff))


def _paint_line(line: bytes) -> bytes:
    color = next((code for prefix, code in _PAINT if line.startswith(prefix)), b"")
    if not color:
        return line
    text = line.rstrip(b"\r\n")
    return color + text + _RESET + line[len(text) :]


def _lines(source: bytes) -> list[bytes]:
    """Lines as patch tools know them, by newline alone: `splitlines` would also break at a lone carriage return."""
    return io.BytesIO(source).readlines()


def _header_name(name: bytes) -> bytes:
    """A name as git writes it: quoted where it holds a control character, ended by a tab where it holds a space."""
    if _MUST_QUOTE.search(name):
        return b'"' + _MUST_QUOTE.sub(lambda match: _escape(match[0]), name) + b'"'
    return name + b"\t" if b" " in name else name


def _escape(char: bytes) -> bytes:
    return _ESCAPES.get(char) or b"\\%03o" % char[0]

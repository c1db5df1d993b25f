"""Pages of docs/ that are made as a whole: how they are written, or found stale, and how prose is escaped."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable
from pathlib import Path


def escape(text: str) -> str:
    """Prose for Markdown: outside of code spans, asterisks and underscores are themselves."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"([*_<|])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def check(file: Path, made: str) -> int:
    """The exit code: whether the file is stale. Shows how."""
    found = file.read_text() if file.exists() else ""
    difference = difflib.unified_diff(found.splitlines(True), made.splitlines(True), str(file), "what it should be")
    sys.stderr.writelines(difference)
    if found != made:
        print(f"{file.name} is stale: run `make docs`", file=sys.stderr)
    return int(found != made)


def main(document: str | None, default: Path, make: Callable[[], str]) -> int:
    """Write a page anew, or with `--check` say whether it is what would be written."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=default, metavar="FILE", help="the page (%(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where the page is stale")
    options = parser.parse_args()
    if options.check:
        return check(options.file, make())
    options.file.parent.mkdir(exist_ok=True)
    options.file.write_text(make())
    return 0

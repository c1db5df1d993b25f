"""Functions for generated pages of docs/: write a page, check whether it is stale, and escape prose."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable
from pathlib import Path


def escape(text: str) -> str:
    """Escape characters that have a meaning in Markdown, except in code spans."""
    pieces = text.split("`")
    pieces[::2] = [re.sub(r"([*_<|])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def check(file: Path, made: str) -> int:
    """Return 1 and print a diff if the file is stale, otherwise 0."""
    found = file.read_text() if file.exists() else ""
    difference = difflib.unified_diff(found.splitlines(True), made.splitlines(True), str(file), "expected")
    sys.stderr.writelines(difference)
    if found != made:
        print(f"{file.name} is stale: run `make docs`", file=sys.stderr)
    return int(found != made)


def main(document: str | None, default: Path, make: Callable[[], str]) -> int:
    """Write a page, or with `--check` return 1 if it is stale."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=default, metavar="FILE", help="the page (%(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the page is stale")
    options = parser.parse_args()
    if options.check:
        return check(options.file, make())
    options.file.parent.mkdir(exist_ok=True)
    options.file.write_text(make())
    return 0

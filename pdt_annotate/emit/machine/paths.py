"""How a file is named in output: relative, with forward slashes, the same on every machine."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from pdt_annotate.source.pages import module_name_of

_QUOTED_FILE = re.compile(r'(File ")([^"]+)(")')


def relative_to(root: str, file: str) -> str:
    """The file relative to the root; one outside it relative to the import path that holds it.

    On no path of ours is what another Python has installed: there a file has the names of the packages that it is in,
    and one that is in none keeps its bare name, because its directory says nothing on another machine.
    """
    bases = [root, *sorted(filter(os.path.isabs, sys.path), key=len, reverse=True)]
    for base in bases:
        relative = _below(base, file)
        if relative:
            return relative
    path = Path(file)
    packages = module_name_of(file).count(".") + (path.stem == "__init__")
    return "/".join(path.parts[-1 - packages :])


def without_root(root: str, text: str) -> str:
    """A message with each `File "…"` of a traceback, and every other path below the root, made relative."""
    text = _QUOTED_FILE.sub(lambda match: match[1] + relative_to(root, match[2]) + match[3], text)
    below = root.rstrip(os.sep)
    return text.replace(below + os.sep, "") if below else text


def is_below(base: str, file: str) -> bool:
    """Whether the file lies below the base; one that is named relative is taken to."""
    return bool(_below(base, file))


def _below(base: str, file: str) -> str:
    """The part of the file's path below the base, or "" where it is not below it. Symlinks on the way are seen through.

    An absent file name stays absent; one that is relative already is taken as it is.
    """
    if not os.path.isabs(file):
        return file.replace(os.sep, "/")
    pairs = ((base, file), (os.path.realpath(base), os.path.realpath(file)))
    for start, path in pairs:
        prefix = start.rstrip(os.sep) + os.sep
        if path.startswith(prefix):
            return path.removeprefix(prefix).replace(os.sep, "/")
    return ""

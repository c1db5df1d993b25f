"""Code that was typed into a session: in the cells of a notebook, or at a prompt that keeps what it is given.

It is in no file, and all of it in one module, `__main__`. The session keeps its lines in `linecache`, each cell under a
file name of its own; there `inspect` reads them, and so does the compiler.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from pdt_annotate.source.survey import read_in_place, survey
from pdt_annotate.values.live import codes_of, file_of, function_of, is_a, module_of_class, state_of

MAIN = "__main__"

_known: set[str] = set()

_defined_in: dict[str, str] = {}
"""By qualified name, the cell of a class that has no code by which its cell could be known."""


def is_cell(file: str) -> bool:
    """Whether a file name is that of a cell that is known."""
    return file in _known


def know_cells(objects: Iterable[Any]) -> Mapping[str, bytes]:
    """Know the cells of this session from now on.

    Args:
        objects: some that may be older than what the names of the session stand for now: functions, and instances.

    Returns:
        the sources, by file name.
    """
    values = [*state_of(sys.modules.get(MAIN)).values()]
    for obj in objects:
        values += [obj] if is_a(obj, FunctionType, type) else type(obj).__mro__
    codes = [code for value in values if _is_class(value) for code in codes_of(value)]
    functions = (function for value in values if (function := function_of(value)) is not None)
    codes += [function.__code__ for function in functions if function.__module__ == MAIN]
    _defined_in.update(_find_classes([v.__qualname__ for v in values if _is_class(v) and not any(codes_of(v))]))
    files = dict.fromkeys((*(code.co_filename for code in codes), *_defined_in.values()))
    sources = {file: source for file in files if (source := kept_source(file))}
    _known.update(sources)
    read_in_place(sources)
    return sources


def file_of_class(cls: type) -> str:
    """The file of a class, or its cell; "" where it has none."""
    return cell_of_class(cls) or file_of(module_of_class(cls))


def cell_of_class(cls: type) -> str:
    """The cell in which a class was defined; "" for one that was defined in none."""
    code = next(codes_of(cls), None)
    file = code.co_filename if code else _defined_in.get(cls.__qualname__, "")
    return file if _is_class(cls) and file in _known else ""


def kept_source(file: str) -> bytes:
    """What a session keeps of a cell; empty for what is none, is on disk, or is not Python."""
    entry = linecache.cache.get(file, ())
    if len(entry) != 4 or entry[1] is not None or os.path.isfile(file):
        return b""
    source = "".join(entry[2]).encode()
    try:
        survey(file, source)
    except (SyntaxError, ValueError):
        return b""
    return source


def _is_class(value: Any) -> bool:
    return is_a(value, type) and module_of_class(value) == MAIN


def _find_classes(qualnames: list[str]) -> Iterator[tuple[str, str]]:
    """The last cell that defines each of the classes."""
    for file in list(linecache.cache) if qualnames else ():
        source = kept_source(file)
        found = survey(file, source).classes if source else ()
        yield from ((cls.owner.qualname, file) for cls in found if cls.owner.qualname in qualnames)

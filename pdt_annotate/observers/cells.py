"""Code that was typed into a session: in the cells of a notebook, or at a prompt that keeps its input.

It is in no file, and all of it in one module, `__main__`. The session keeps its lines in `linecache`, with a separate
file name for each cell; there `inspect` reads them, and so does the compiler.
"""

import linecache
import os
import sys
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from pdt_annotate.source.module import load_module, read_in_place, read_module
from pdt_annotate.values.live import codes_of, file_of, function_of, is_a, module_of_class, state_of

MAIN = "__main__"

_known: set[str] = set()

_defined_in: dict[str, str] = {}
"""By qualified name, the cell of a class that has no code by which its cell could be known."""


def is_cell(file: str) -> bool:
    return file in _known


def know_cells(objects: Iterable[Any]) -> Mapping[str, bytes]:
    """Find and remember the cells of this session and of `objects`, which may be older; returns sources by file."""
    values = [*state_of(sys.modules.get(MAIN)).values()]
    for obj in objects:
        values += [obj] if is_a(obj, FunctionType, type) else type(obj).__mro__
    codes = [code for value in values if _is_class(value) for code in codes_of(value)]
    functions = (function for value in values if (function := function_of(value)) is not None)
    codes += [function.__code__ for function in functions if function.__module__ == MAIN]
    unknown = [value.__qualname__ for value in values if _is_class(value) and not any(codes_of(value))]
    for file in list(linecache.cache) if unknown else ():
        text = kept_source(file)
        found = read_module(file, text).classes if text else ()
        _defined_in.update((cls.owner.qualname, file) for cls in found if cls.owner.qualname in unknown)
    files = dict.fromkeys((*(code.co_filename for code in codes), *_defined_in.values()))
    sources = {file: source for file in files if (source := kept_source(file))}
    _known.update(sources)
    read_in_place(sources)
    return sources


def file_of_class(cls: type) -> str:
    """The file of a class, or its cell; "" if it has none."""
    return cell_of_class(cls) or file_of(module_of_class(cls))


def cell_of_class(cls: type) -> str:
    """The cell in which a class was defined; "" if not in a cell."""
    code = next(codes_of(cls), None)
    file = code.co_filename if code else _defined_in.get(cls.__qualname__, "")
    return file if _is_class(cls) and file in _known else ""


def kept_source(file: str) -> bytes:
    """The source of a cell; empty if the file is no cell, or not Python."""
    entry = linecache.cache.get(file, ())
    if len(entry) != 4 or entry[1] is not None or os.path.isfile(file):
        return b""
    source = "".join(entry[2]).encode()
    return source if load_module(file, {file: source}) else b""


def _is_class(value: Any) -> bool:
    return is_a(value, type) and module_of_class(value) == MAIN

"""Which code is observed: files under the root and, if asked for, third-party code that is compiled with it.

The tracer calls a filter once for each code object. A filter remembers its answer for each file.
"""

import functools
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from types import CodeType

from monkeytype.tracing import CodeFilter

from pdt_annotate.observers.cells import is_cell
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.libraries import LIBRARIES, STANDARD
from pdt_annotate.values.live import file_of
from pdt_annotate.values.paths import real_path

FileFilter = Callable[[str], bool]

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

NEVER_COMPILED = ("torch", "functorch", "torchgen", "numpy", "monkeytype", "pdt_annotate")
"""Packages that the compiler has types for, or never reads, and packages that observe."""


@functools.lru_cache(maxsize=16)
def make_file_filter(root: str, third_party: bool = False) -> FileFilter:
    """Files under the root, but not libraries installed there, and cells; if asked for, third-party files as well."""
    root = os.path.join(os.path.realpath(root), "")
    root_is_library = root.startswith(LIBRARIES)

    @functools.cache
    def is_ours(file: str) -> bool:
        if is_cell(file):
            return True
        if not os.path.isabs(file) or "\0" in file:  # a module made at run time, such as torch.ops
            return False
        file = real_path(file)
        is_library = file.startswith(LIBRARIES) and not root_is_library
        return file.startswith(root) and not is_library and not is_installed(file, root)

    return (lambda file: is_ours(file) or not is_never_compiled(file)) if third_party else is_ours


@functools.lru_cache(maxsize=65536)
def is_never_compiled(file: str) -> bool:
    """Whether it is no Python file, or one of the standard library or of `NEVER_COMPILED`: the same for every root."""
    if not (os.path.isabs(file) and file.endswith(".py")) or "\0" in file:
        return True
    file = real_path(file)
    # Some installations have the packages in a folder of the standard library.
    is_standard = file.startswith(STANDARD) and not is_installed(file)
    return is_standard or file.startswith(folders_left_out())


@functools.cache
def folders_left_out() -> tuple[str, ...]:
    """Where `NEVER_COMPILED` is installed; nothing is imported to find it."""
    specs = filter(None, map(importlib.util.find_spec, NEVER_COMPILED))
    folders = (folder for spec in specs for folder in spec.submodule_search_locations or ())
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in folders)


def imported_under(root: str) -> dict[str, str]:
    """The modules of this process from files under the root, libraries left out: dotted name → file."""
    is_wanted = make_file_filter(root)
    return {name: file for name, file in imported() if file.endswith(".py") and is_wanted(file)}


def imported_elsewhere(root: str) -> dict[str, str]:
    """The same for Python files outside the root, except the standard library and `NEVER_COMPILED`."""
    is_ours = make_file_filter(root)
    named = ((name, file) for name, file in imported() if name != "__main__")  # another module in every process
    others = ((name, file) for name, file in named if not is_never_compiled(file) and not is_ours(file))
    return {name: file for name, file in others if os.path.isfile(file)}


def imported() -> Iterator[tuple[str, str]]:
    """The modules of this process by dotted name, each with its file, in the order of their import."""
    return ((name, file) for name in list(sys.modules) if (file := file_of(name)))


def make_code_filter(root: str, third_party: bool = False) -> CodeFilter:
    """Functions in the files of `make_file_filter`: no lambda, comprehension or module, no generator or coroutine."""
    is_wanted_file = make_file_filter(root, third_party)

    def is_wanted(code: CodeType) -> bool:
        is_function = not (code.co_name.startswith("<") or code.co_flags & GENERATORS)
        return is_function and is_wanted_file(code.co_filename)

    return is_wanted

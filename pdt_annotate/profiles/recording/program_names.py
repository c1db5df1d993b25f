"""The modules of a running program, and the name of the main one: a program is `__main__` to itself.

With `-m` its import name is known; else `profiles.record` finds one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from pdt_annotate.profiles.record import MAIN


def main_name() -> str:
    """What the main program is to be called, "" where Python does not know."""
    name = getattr(getattr(sys.modules.get(MAIN), "__spec__", None), "name", MAIN)
    return "" if name == MAIN else name  # a directory that is run, too


def main_file() -> str:
    """The file of the main program, "" where there is none. Python forgets it when the program has run to its end."""
    return getattr(sys.modules.get(MAIN), "__dict__", {}).get("__file__") or ""


def modules(is_wanted: Callable[[str], bool], main: str) -> dict[str, str]:
    """The modules that are imported now from files that are wanted: dotted name → file.

    Args:
        is_wanted: the filter.
        main: the file of the main program, where Python may have forgotten it.
    """
    loaded = {name: getattr(module, "__dict__", {}).get("__file__") for name, module in list(sys.modules.items())}
    found = {MAIN: main, **{name: file for name, file in loaded.items() if isinstance(file, str)}}
    return {name: file for name, file in found.items() if file.endswith(".py") and is_wanted(file)}

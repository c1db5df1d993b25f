"""The tasks that tell which modules the target has brought: dotted name → file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from pdt_annotate.observers import make_file_filter, make_third_party_filter
from pdt_annotate.processes.child.prepared import Prepared


def loaded_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from files under the root, libraries left out."""
    is_wanted = make_file_filter(prepared.root)
    return {name: file for name, file in _imported() if file.endswith(".py") and is_wanted(file)}


def third_party_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from other files than those under the root, which the compiler may come to."""
    is_wanted = make_third_party_filter(prepared.root)
    named = ((name, file) for name, file in _imported() if name != "__main__")  # another module in every process
    return {name: file for name, file in named if os.path.isfile(file) and is_wanted(file)}


def _imported() -> Iterator[tuple[str, str]]:
    """The dotted name and the file of every module that has one."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file:
            yield name, file

"""Where the files that a profile speaks of are now: under the present root, perhaps with another folder around them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from pdt_annotate.profiles.profile import Source
from pdt_annotate.profiles.record import path_from


def locate(source: Source, root: str, modules: Mapping[str, str]) -> str:
    """The present file of a source, "" where there is none.

    The same path from the root comes first, then the module of that name, then the path without folders of the
    recorded root, or inside one folder of the present one, where that is one file.

    Args:
        root: the directory below which files count.
        modules: dotted name → file, of the modules that are known to be imported; their spelling of a file is kept.
    """
    real_root = os.path.realpath(root)
    candidates = _candidates(source, root, modules)
    found = next((file for file in candidates if os.path.isfile(file) and path_from(real_root, file)), "")
    spelled = {os.path.realpath(file): file for file in modules.values()}
    return spelled.get(os.path.realpath(found), found) if found else ""


def _candidates(source: Source, root: str, modules: Mapping[str, str]) -> Iterator[str]:
    yield os.path.join(root, source.path)
    yield modules.get(source.module, "")
    yield from (os.path.join(root, tail) for tail in _tails(source))
    yield _inside_one_folder(source, root)


def _tails(source: Source) -> Iterator[str]:
    """The path without its first folder, its first two, down to what the module name says."""
    parts = PurePosixPath(source.path).parts
    yield from ("/".join(parts[cut:]) for cut in range(1, len(parts) - len(_module_path(source).parts) + 1))


def _module_path(source: Source) -> PurePosixPath:
    """The path of the module from the folder that it is imported from: "pkg/mod.py", "pkg/__init__.py"."""
    parts = source.module.split(".")
    name = PurePosixPath(source.path).name
    return PurePosixPath(*parts, name) if name == "__init__.py" else PurePosixPath(*parts[:-1], name)


def _inside_one_folder(source: Source, root: str) -> str:
    found = [path for path in Path(root).glob(f"*/{_module_path(source)}") if path.is_file()]
    return str(found[0]) if len(found) == 1 else ""

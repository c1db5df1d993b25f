"""Reports errors in a target, in the words of its import, before torch or the user's code is imported."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from pdt_annotate.inputs.import_target import assert_file, first_folders, no_module, own_name
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.source.identifiers import bound_names
from pdt_annotate.source.module_names import module_name_of
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.runs import Target


def check_target(target: Target, root: str, path: Sequence[str] | None = None) -> None:
    """Raise TargetError if the module or file of a target is certainly missing, or certainly does not bind its name.

    Args:
        path: the import path of the Python that runs it, if that is not our own. It may have further finders, so a
            module that is not found on this path raises no error.
    """
    if target.file:
        assert_file(target.file)
        # The name under which `load_file` imports it, unless torch has imported another module of that name.
        name = module_name_of(target.file)
        is_free = name and name not in sys.stdlib_module_names
        _check_name(target, target.file, name if is_free else own_name(Path(os.path.abspath(target.file))))
        return
    spec = _find(target.module, root, path)
    if spec is not None and spec.has_location and spec.origin is not None and spec.origin.endswith(".py"):
        _check_name(target, spec.origin, target.module, spec.submodule_search_locations)


def _check_name(target: Target, file: str, module: str, folders: Sequence[str] | None = None) -> None:
    """Check the first part of a qualified name. A submodule is no error: importing it binds it."""
    name = target.qualname.partition(".")[0]
    bound = bound_names(file)
    is_dunder = name.startswith("__")
    if bound is None or is_dunder or name in bound or (folders and PathFinder.find_spec(name, folders)):
        return
    raise TargetError(f"the module {module!r} has no {name!r}", hint=did_you_mean(name, bound))


def _find(module: str, root: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """The spec of a module, found without importing its packages; None if they may find it in other ways."""
    top, *inner = module.split(".")
    first = [*map(str, first_folders(root)), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    if path is not None:
        spec = PathFinder.find_spec(top, [*first, *path])
        if spec is None:
            return None
    else:
        own = [*first, *sys.path, site.getusersitepackages()]
        finders = (finder for finder in sys.meta_path if hasattr(finder, "find_spec"))
        found = (PathFinder.find_spec(top, own) if f is PathFinder else f.find_spec(top, None) for f in finders)
        spec = next(filter(None, found), None)
        if spec is None:
            raise no_module(top)
    name = top
    for part in inner:
        name = f"{name}.{part}"
        # Search by the last name only: PathFinder looks in sys.modules for the parent of a folder without __init__.py.
        parent, spec = spec, PathFinder.find_spec(part, list(spec.submodule_search_locations or []))
        if spec is None:
            bound = bound_names(parent.origin) if parent.origin else None
            if bound is not None:
                raise no_module(name, module if name == module and part in bound else "")
            return None
    return spec

"""Imports the module or file of a target, and reports its errors before torch or the user's code is imported."""

import importlib
import importlib.util
import os
import re
import site
import sys
import zlib
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from pdt_annotate.inputs.target import EXAMPLES, did_you_mean, did_you_mean_file, places
from pdt_annotate.overlays.serving import serve_spec
from pdt_annotate.source.identifiers import bound_names, import_folder, module_name_of
from pdt_annotate.values.errors import TargetError, UserCodeError
from pdt_annotate.values.live import file_of, is_a
from pdt_annotate.values.runs import Target
from pdt_annotate.values.user_code import user_code


def load_module(target: Target, root: str = "") -> ModuleType:
    """Import a target's module, with the working directory and its `src` first on the path, then the root and its.

    Raises TargetError if it is missing, UserCodeError if it raised.
    """
    _search_first(*first_folders(root))
    return load_file(target.file) if target.file else _import(target.module)


def first_folders(root: str) -> list[Path]:
    """The folders in which modules are looked up before the import path."""
    return [folder / source for folder in (Path.cwd(), Path(root).absolute()) for source in ("", "src")]


def load_file(file: str) -> ModuleType:
    """Import a file under the name by which other files import it, so that its classes exist once.

    A file in a package is imported by its dotted name, from the folder of the package; a lone file by its stem, from
    its own folder. If another module has the stem of a lone file, it gets a name made from its path.
    """
    path = Path(os.path.abspath(file))
    assert_file(file)
    for imported_as, module in list(sys.modules.items()):  # files do not import each other as `__main__`
        if imported_as != "__main__" and is_a(module, ModuleType) and _is_same_file(file_of(imported_as), path):
            return module
    name = module_name_of(file)
    _search_first(import_folder(file))
    if _imports_as(name, path):
        return _import(name)
    if "." in name or path.stem == "__init__":
        taken = f"{file} belongs to a package, but another module is imported as {name!r}"
        raise TargetError(taken, hint="rename the package, or run from a directory without another module of this name")
    name = own_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} cannot be imported", hint=EXAMPLES)
    spec = serve_spec(spec)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        with user_code(f"importing {path.name}"):
            spec.loader.exec_module(module)  # type: ignore[union-attr]
    except UserCodeError:
        del sys.modules[name]
        raise
    return module


def assert_file(file: str) -> None:
    if not os.path.isfile(file):
        raise TargetError(f"there is no file {file}", hint=did_you_mean_file(file))


def own_name(path: Path) -> str:
    """A name made from the path, for a lone file whose stem is taken, or is not an identifier."""
    stem = re.sub(r"\W", "_", path.stem)
    return f"file_{stem}_{zlib.crc32(os.fsencode(path)):08x}"


def no_module(name: str, found_object: str = "") -> TargetError:
    """The error for a missing module. `found_object`: a dotted name of an object in a module, not of a module."""
    module, _, last = found_object.rpartition(".")
    hint = f"{last!r} is an object in the module {module!r}: write {module}:{last}"
    if not found_object:
        known = [each for each in places(Path.cwd()) if each.endswith(".py") == name.endswith(".py")]
        hint = did_you_mean(name, known, most=2) or f"looked in {Path.cwd()}, its src/, and the installed packages"
    return TargetError(f"there is no module {name!r}", hint=hint)


def _search_first(*folders: Path) -> None:
    first = list(dict.fromkeys(str(folder) for folder in folders if folder.is_dir()))
    sys.path[:] = [*first, *(entry for entry in sys.path if entry not in first)]
    importlib.invalidate_caches()


def _imports_as(name: str, path: Path) -> bool:
    """Whether importing a name that is still free would import this file."""
    if not name or name in sys.modules:
        return False
    with user_code(f"importing {name.rpartition('.')[0]}"):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError as missing:
            if not f"{name}.".startswith(f"{missing.name}."):
                raise
            return False
    return spec is not None and _is_same_file(spec.origin, path)


def _is_same_file(file: str | None, path: Path) -> bool:
    # Compare the base names first: resolving the links of every imported module's file is slow.
    is_named = file is not None and os.path.basename(file) == path.name
    return is_named and os.path.realpath(str(file)) == os.path.realpath(path)


def _import(name: str) -> ModuleType:
    with user_code(f"importing {name}"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as missing:
            if not f"{name}.".startswith(f"{missing.name}."):
                raise
            parent, _, last = name.rpartition(".")
            raise no_module(str(missing.name), name if hasattr(sys.modules.get(parent), last) else "") from None


def check_target(target: Target, root: str, path: Sequence[str] | None = None) -> None:
    """Raise TargetError if the module or file of a target is certainly missing, or certainly does not bind its name.

    `path` is the import path of the Python that runs it, if that is not our own. It may have further finders, so a
    module that is not found there raises no error.
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

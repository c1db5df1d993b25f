"""A target, from text to the object that is to be scripted.

"pkg.module:Net.method" and "path/file.py:Net.method" are parsed, imported, looked up and made. Nothing here imports
torch: its classes are known by name, so that parsing costs nothing and a function needs no model.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any, Literal

from pdt_annotate.errors import TargetError, UserCodeError
from pdt_annotate.ir import Target
from pdt_annotate.isolate import user_code
from pdt_annotate.serving import serve_spec

EXAMPLES = "a target is MODULE:NAME or FILE.py:NAME: pkg.model:Net, src/model.py:Net.encode, pkg.model:make_net()"
TARGETS = "a target is an nn.Module class or instance, a function, a method, a class, or a factory without parameters"

MODULE = "torch.nn.modules.module.Module"
SCRIPTED = ("torch.jit._script.ScriptModule", "torch.jit.ScriptFunction", "torch.ScriptFunction")

Build = Callable[[], object]

_MISSING = object()


@dataclass(frozen=True)
class Subject:
    """What a target resolves to.

    `kind` says what `make` returns: an nn.Module ("module"), a function, a method (bound, or of a plain class), or a
    script class that is still a class. `make` returns a fresh object on every call where the target is a class or a
    factory, so a caller who wants equal objects seeds before each. `method` is the module's method that the target
    names; empty where the target is the whole module.
    """

    kind: Literal["module", "function", "method", "class"]
    make: Build
    method: str = ""


def parse(text: str) -> Target:
    """Read a target. Pure text: nothing is imported, no file is looked at.

    Raises:
        TargetError: the text is not a target; the hint says how it is written.
    """
    place, colon, name = text.strip().rpartition(":")
    if not colon or not place or not name:
        raise TargetError(f"{text!r} does not name an object in a module", hint=_complete(text.strip()))
    called = name.endswith("()")
    qualname = name.removesuffix("()")
    if "(" in qualname:
        hint = "say how the model is constructed with `model` in the spec"
        raise TargetError(f"{text!r} passes arguments, which a target cannot", hint=hint)
    if not _is_dotted(qualname):
        raise TargetError(f"{name!r} in the target {text!r} is not a name", hint=EXAMPLES)
    if place.endswith(".py"):
        return Target(text, module="", file=place, qualname=qualname, called=called)
    if not _is_dotted(place):
        raise TargetError(f"{place!r} in the target {text!r} is neither a module nor a .py file", hint=EXAMPLES)
    return Target(text, module=place, file="", qualname=qualname, called=called)


def _complete(text: str) -> str:
    """The likely target behind a text without a name."""
    place, dot, name = text.rstrip(":").rpartition(".")
    if text.rstrip(":").endswith(".py"):
        return f"add the name of the class or function: {text.rstrip(':')}:NAME"
    return f"did you mean {place}:{name}?" if dot and _is_dotted(f"{place}.{name}") else EXAMPLES


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def module_name_of(file: str) -> str:
    """The dotted name under which a file is imported: its packages are the parent folders with an `__init__.py`.

    Empty for a file whose name no import statement can spell.
    """
    path = Path(os.path.abspath(file))
    parts = [] if path.stem == "__init__" else [path.stem]
    for folder in path.parents:
        if not ((folder / "__init__.py").is_file() and folder.name.isidentifier()):
            break
        parts.insert(0, folder.name)
    name = ".".join(parts)
    return name if _is_dotted(name) else ""


def load_module(target: Target, root: str = "") -> ModuleType:
    """Import a target's module, with the working directory and its `src` first on the path, then the root and its.

    Raises:
        TargetError: there is no such module or file.
        UserCodeError: the module raised while it was imported.
    """
    for folder in (Path(root).absolute(), Path.cwd()):
        _search_first(folder / "src")
        _search_first(folder)
    importlib.invalidate_caches()
    return load_file(target.file) if target.file else _import(target.module)


def load_file(file: str) -> ModuleType:
    """Import a file under the name by which other files import it, so that its classes exist once.

    A file in a package is imported by its dotted name, from the folder that holds the package; a lone file by its stem,
    from its own folder. A lone file whose stem is taken by another module gets a name that is made from its path.

    Raises:
        TargetError: there is no such file, or its package's name is taken by another.
        UserCodeError: the file raised while it was imported.
    """
    path = Path(os.path.abspath(file))
    if not path.is_file():
        raise TargetError(f"there is no file {file}", hint=did_you_mean(path.name, _files_beside(path)))
    loaded = _find_loaded(path)
    if loaded is not None:
        return loaded
    name = module_name_of(file)
    is_package = path.stem == "__init__"
    _search_first(path.parents[name.count(".") + is_package])
    importlib.invalidate_caches()
    if _imports_as(name, path):
        return _import(name)
    if "." in name or is_package:
        taken = f"{file} belongs to a package, but another module is imported as {name!r}"
        raise TargetError(taken, hint="rename the package, or run from a directory where its name is free")
    return _import_under_own_name(path)


def find(module: ModuleType, target: Target) -> object:
    """The object that a target names.

    Raises:
        TargetError: there is none; the hint lists names that are near.
    """
    return look_up(module, target.qualname)


def look_up(value: object, qualname: str) -> object:
    """Follow a dotted name from a module or class; raises TargetError as `find` does."""
    for part in qualname.split("."):
        with user_code(f"reading {part!r}"):
            inner = getattr(value, part, _MISSING)
            if inner is _MISSING:
                raise TargetError(f"{_describe_place(value)} has no {part!r}", hint=did_you_mean(part, dir(value)))
        value = inner
    return value


def class_of(target: Target, module: ModuleType) -> type | None:
    """The nn.Module class of which `model` in a spec constructs an instance; None where the target is no such class."""
    owner, value, _ = _find_with_owner(target, module)
    return next((c for c in (value, owner) if isinstance(c, type) and _is_subclass(c, MODULE)), None)


def resolve(target: Target, module: ModuleType, build: Build | None = None) -> Subject:
    """Say what a target is and how it is made.

    A function without parameters is a factory if it returns something that can be a target; to know, it is called once.

    Args:
        build: constructs the model, from the spec; used where the target is an nn.Module class.

    Raises:
        TargetError: the target is nothing that TorchScript compiles.
        UserCodeError: a factory raised.
    """
    owner, value, name = _find_with_owner(target, module)
    subject = _resolve_call(target, value, build) or _resolve_method(owner, name, build)
    subject = subject or _resolve_value(value, lambda: value, build, name)
    if subject is None:
        raise TargetError(f"{target.text} is {_describe(value)}", hint=_advise(value))
    return subject


def subject_of(value: object, make: Build) -> Subject:
    """Say what a live object is; `make` is for whoever asks for another one.

    Raises:
        TargetError: it is nothing that TorchScript compiles.
    """
    name = getattr(value, "__qualname__", type(value).__qualname__)
    if isinstance(value, type) and _is_subclass(value, MODULE):
        raise TargetError(f"{name} is an nn.Module class", hint=f"pass an instance: {name}(…)")
    if isinstance(value, MethodType) and _is_subclass(type(value.__self__), MODULE):
        hint = "script the module, with the method marked @torch.jit.export where `forward` does not call it"
        raise TargetError(f"{name} is a method of a module", hint=hint)
    if name.endswith("<lambda>"):
        raise TargetError("a lambda has no parameters that could be annotated", hint="define the function with `def`")
    subject = _resolve_value(value, make, None, name)
    if subject is None:
        raise TargetError(f"the object to script is {_describe(value)}", hint=_advise(value))
    return subject


def _find_with_owner(target: Target, module: ModuleType) -> tuple[object, object, str]:
    """What holds the target's object, the object, and its name in the holder."""
    holder, _, name = target.qualname.rpartition(".")
    owner = look_up(module, holder) if holder else module
    return owner, look_up(owner, name), name


def _resolve_call(target: Target, value: object, build: Build | None) -> Subject | None:
    """A factory, said outright or recognised by what it returns; None where the target is not one."""
    if isinstance(value, type) and _is_subclass(value, MODULE):
        return None  # `Net()` is `Net`: the spec may say how it is constructed
    if not (target.called or _may_be_factory(value)):
        return None

    def make() -> object:
        return call_without_arguments(value, target.text)

    product = make()
    subject = _resolve_value(product, make, build)
    if subject is None and target.called:
        raise TargetError(f"{target.text} returns {_describe(product)}", hint=_advise(product))
    return subject


def _may_be_factory(value: object) -> bool:
    """Whether a value is a function or class method without parameters."""
    unbound = isinstance(value, FunctionType) or (isinstance(value, MethodType) and isinstance(value.__self__, type))
    return unbound and not inspect.signature(value).parameters  # type: ignore[arg-type]


def _resolve_method(owner: object, name: str, build: Build | None) -> Subject | None:
    """A method that needs an object of its class; None where the target is not in a class, or is static."""
    if not (isinstance(owner, type) and isinstance(inspect.getattr_static(owner, name), FunctionType)):
        return None
    if _is_subclass(owner, MODULE):
        return Subject("module", lambda: _construct(owner, build), method=name)
    return Subject("method", lambda: getattr(owner, name))


def _resolve_value(value: object, make: Build, build: Build | None, name: str = "") -> Subject | None:
    """A value that can be a target by itself, which `make` makes anew; None where it cannot be one."""
    if _is_subclass(value if isinstance(value, type) else type(value), *SCRIPTED):
        hint = "target the Python class or function it was made from, before torch.jit.script"
        raise TargetError(f"{name or 'the target'} is scripted already", hint=hint)
    if isinstance(value, type):
        if _is_subclass(value, MODULE):
            return Subject("module", lambda: _construct(make(), build))
        return Subject("class", make)
    if _is_subclass(type(value), MODULE):
        return Subject("module", make)
    if isinstance(value, MethodType):
        if _is_subclass(type(value.__self__), MODULE):
            return Subject("module", lambda: _receiver(make()), method=name or value.__name__)
        return Subject("method", make)
    return Subject("function", make) if isinstance(value, FunctionType) else None


def _receiver(method: Any) -> object:
    receiver: object = method.__self__
    return receiver


def _construct(cls: Any, build: Build | None) -> object:
    """An instance of an nn.Module class, the spec's way where it has one."""
    if build is None:
        return call_without_arguments(cls, cls.__qualname__)
    model = build()
    if isinstance(model, cls):
        return model
    hint = "`model` in the spec has to be an instance of the target's class, or a function that returns one"
    if type(model).__qualname__ == cls.__qualname__:
        modules = f"{type(model).__module__!r} in the spec and {cls.__module__!r} in the target"
        hint = f"the class is imported twice, as {modules}; import it the same way in both"
    raise TargetError(f"`model` in the spec gives {_describe(model)}, not a {cls.__qualname__}", hint=hint)


def call_without_arguments(function: Any, name: str) -> object:
    """Call a class or factory of the user's.

    Raises:
        TargetError: it has parameters without a default.
        UserCodeError: it raised.
    """
    if not callable(function):
        raise TargetError(f"{name} cannot be called: it is {_describe(function)}")
    needed = _required_parameters(function)
    if needed:
        hint = "say how it is constructed with `model` in the spec"
        raise TargetError(f"{name} takes arguments ({', '.join(needed)})", hint=hint)
    with user_code(f"calling {name.removesuffix('()')}()"):
        result: object = function()
    return result


def _required_parameters(function: Callable[..., object]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a callable written in C tells nothing; the call will
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in variadic]


def _is_subclass(cls: type, *dotted: str) -> bool:
    """Whether a class is, or inherits from, one of the named classes; by name, so that nothing is imported."""
    return any(f"{base.__module__}.{base.__qualname__}" in dotted for base in cls.__mro__)


def _describe(value: object) -> str:
    """What a value is, for a message."""
    if value is None:
        return "None"
    return f"an object of type {type(value).__qualname__!r}"


def _advise(value: object) -> str:
    if isinstance(value, ModuleType):
        return f"name something in it: {value.__name__}:NAME"
    if isinstance(value, property):
        return "target the class that has the property"
    return TARGETS


def _describe_place(value: object) -> str:
    if isinstance(value, ModuleType):
        return f"the module {value.__name__!r}"
    return f"the class {value.__qualname__!r}" if isinstance(value, type) else f"a {type(value).__qualname__!r}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the names near to a misspelled one; empty where none is near."""
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("__")], n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _files_beside(path: Path) -> list[str]:
    return [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []


def _search_first(folder: Path) -> None:
    """Put a folder at the front of the import path."""
    if folder.is_dir():
        sys.path[:] = [str(folder), *(entry for entry in sys.path if entry != str(folder))]


def _find_loaded(path: Path) -> ModuleType | None:
    """The imported module that a file is the source of. `__main__` is not: nobody imports it by that name."""
    for name, module in list(sys.modules.items()):
        if name != "__main__" and isinstance(module, ModuleType) and _is_same_file(vars(module).get("__file__"), path):
            return module
    return None


def _imports_as(name: str, path: Path) -> bool:
    """Whether importing a name that is still free gives this file."""
    if not name or name in sys.modules:
        return False
    with user_code(f"importing {name.rpartition('.')[0]}"):
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError as missing:
            if not _is_part_of(missing.name, name):
                raise
            return False
    return spec is not None and _is_same_file(spec.origin, path)


def _is_same_file(file: object, path: Path) -> bool:
    # The base names first: following the links of every imported module's file is slow.
    if not isinstance(file, str) or os.path.basename(file) != path.name:
        return False
    return os.path.realpath(file) == os.path.realpath(path)


def _is_part_of(missing: str | None, name: str) -> bool:
    return missing is not None and f"{name}.".startswith(f"{missing}.")


def _import(name: str) -> ModuleType:
    with user_code(f"importing {name}"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as missing:
            if not _is_part_of(missing.name, name):
                raise
            raise TargetError(f"there is no module {missing.name!r}", hint=_advise_on_missing(name)) from None


def _advise_on_missing(name: str) -> str:
    parent, _, last = name.rpartition(".")
    if last and hasattr(sys.modules.get(parent), last):
        return f"{last!r} is an object in the module {parent!r}: write {parent}:{last}"
    return f"looked in {Path.cwd()}, its src/, and the installed packages"


def _import_under_own_name(path: Path) -> ModuleType:
    """Import a lone file whose stem is not free, or not a name, under a name made from its path."""
    stem = re.sub(r"\W", "_", path.stem)
    name = f"file_{stem}_{zlib.crc32(os.fsencode(path)):08x}"
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

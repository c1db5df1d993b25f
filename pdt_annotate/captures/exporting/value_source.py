"""Live values as source text and as plain data; the source that makes the target."""

import enum
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from pdt_annotate.inputs.import_target import load_file, load_module, own_name
from pdt_annotate.inputs.resolve import AS_SPECIFIED
from pdt_annotate.inputs.specs.spec import Recipe
from pdt_annotate.processes.child.observe_target import loaded_files
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.processes.child.probes.argument_tree import SHORT, Fill, children, is_drawable, like, rebuilt
from pdt_annotate.processes.child.probes.spec_lines import python
from pdt_annotate.values import exports
from pdt_annotate.values.exports import Axis, Building, ConstantSeen, FileImport, NestSeen, Seen, TensorSeen
from pdt_annotate.values.live import file_of, is_a, module_of_class, qualname_of
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.user_code import PACKAGE

STATES = (".pt", ".pth")  # the suffixes of files that `torch.load` reads
NESTS = (list, tuple, dict)
TAKEN = (bool, float, str, type(None))  # constants that torch.export takes as arguments
PLAIN = (*TAKEN, complex, enum.Enum, torch.Size, torch.device, torch.dtype)


class UnsayableError(Exception):
    """A value has no expression in a file; the message says which value."""


def see(path: exports.Path, value: Any) -> Seen:
    """A value as data; raises `UnsayableError` if no file can express it."""
    if is_a(value, torch.Tensor):
        if not is_drawable(value) and type(value) is not torch.nn.Parameter:
            raise _unsayable(path, f"a tensor of type {qualname_of(value)!r} and layout {value.layout}")
        device = "" if value.device.type == "cpu" else f" on {value.device}"
        return TensorSeen(tuple(value.shape), f"{value.dtype} tensor{device}")
    if is_nest(value):
        items = dict(items_of(value))
        kind = type(value).__name__ if type(value) in NESTS else qualname_of(value)
        if not all(is_a(key, str, int) for key in items):
            raise _unsayable(path, "a dict whose keys are neither str nor int")
        return NestSeen(kind, tuple(items), tuple(see((*path, key), part) for key, part in items.items()))
    if type(value) is int or is_a(value, *PLAIN):
        return ConstantSeen(python(value), held=not (type(value) is int or is_a(value, *TAKEN)))
    raise _unsayable(path, f"an object of type {qualname_of(value)!r}")


def _unsayable(path: exports.Path, what: str) -> UnsayableError:
    return UnsayableError(f"`{exports.spelled_path(path)}` is {what}, which a Python file cannot construct")


def is_nest(value: Any) -> bool:
    """Whether torch.export looks into a value, and a file can express its class."""
    return type(value) in NESTS or (is_a(value, tuple) and hasattr(type(value), "_fields"))


def items_of(nest: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a container, by key, index or ".field"."""
    fields = getattr(nest, "_fields", None)
    return zip((f".{name}" for name in fields), nest, strict=True) if fields else children(nest)


def spell(path: exports.Path, value: Any, instead: Mapping[Axis, int]) -> str:
    """An expression for a value like this one, with other sizes: short tensors of numbers stay, noise is drawn."""
    return python(_like(path, value, instead))


def _like(path: exports.Path, value: Any, instead: Mapping[Axis, int]) -> Any:
    if is_nest(value):
        return rebuilt(value, [_like((*path, key), part, instead) for key, part in items_of(value)])
    if not is_a(value, torch.Tensor):
        return value
    shape = tuple(instead.get((path, axis), size) for axis, size in enumerate(value.shape))
    bare = value.detach() if is_a(value, torch.nn.Parameter) else value
    is_written = not (value.is_floating_point() or value.is_complex()) and 0 < value.numel() <= SHORT
    if is_written and shape == tuple(value.shape):
        return bare
    fill = like(bare, shape, None)
    whole = {0: "zeros", 1: "ones"}.get(fill.low, "") if fill.how == "randint" and fill.low == fill.high else ""
    return Fill(shape, fill.dtype, whole, requires_grad=fill.requires_grad) if whole else fill


def imports_of(value: Any) -> Iterator[FileImport]:
    if is_a(value, enum.Enum) or (is_nest(value) and type(value) not in NESTS):
        yield import_of(module_of_class(type(value)), qualname_of(value))
    for _, part in items_of(value) if is_nest(value) else ():
        yield from imports_of(part)


def import_of(module: str, qualname: str = "") -> FileImport:
    """The import of a module, or of a name in it; with its file, if no import statement finds it."""
    file = file_of(module)
    return FileImport(module, qualname.partition(".")[0], file if file and module == own_name(Path(file)) else "")


def building_of(prepared: Prepared, target: Target, source: SpecSource, method: str) -> Building:
    """How the target is made, for an export of `method`; raises `UnsayableError` if no file can express it."""
    expression, imports = _expression(prepared, target, source)
    settings = prepared.spec.settings
    is_module = isinstance(prepared.built, torch.nn.Module)
    recipe = prepared.spec.recipe or Recipe()
    unsaid = recipe.unsaid or (f"{recipe.state} is not a file of torch.save" if recipe.state else "")
    if unsaid and not recipe.state.endswith(STATES):
        raise UnsayableError(f"a Python file cannot construct the model: {unsaid}")
    folders, named = tuple(dict.fromkeys(_folders(prepared))), method if is_module and method != "forward" else ""
    how: dict[str, Any] = {name: getattr(settings, name) or "" for name in ("device", "dtype", "mode")}
    how |= {"function": not is_module, "method": named, "lazy": bool(prepared.lazy), "seed": settings.seed}
    return Building(imports, folders, expression, recipe.state, recipe.key, **how)


def _expression(prepared: Prepared, target: Target, source: SpecSource) -> tuple[str, tuple[FileImport, ...]]:
    said, recipe = prepared.subject.said, prepared.spec.recipe or Recipe()
    before, constructs, after = said.partition(AS_SPECIFIED)
    if constructs and recipe.name:  # a function of the spec's constructs it
        spec = load_file(source.file).__name__
        package, _, last = spec.rpartition(".")
        return f"{last}.{recipe.name}{after}", (FileImport(package, last) if package else import_of(spec),)
    module = load_module(target, prepared.root).__name__
    named = import_of(module, said.partition("(")[0])
    if not constructs:
        return said, (named,)
    args, kwargs = recipe.arguments()
    texts = [spell(("args", index), value, {}) for index, value in enumerate(args)]
    texts += [f"{name}={spell((name,), value, {})}" for name, value in kwargs.items()]
    return f"{before}({', '.join(texts)}){after}", (named, *imports_of((*args, *kwargs.values())))


def _folders(prepared: Prepared) -> Iterator[str]:
    """The folders of the import path in which the project's modules were found, in its order."""
    loaded = loaded_files(prepared).items()
    stems = [
        (name, os.path.splitext(file)[0].removesuffix(f"{os.sep}__init__"))  # of a package, the path of its folder
        for name, file in loaded
        if not file.startswith(f"{PACKAGE}{os.sep}")
    ]
    for entry in map(os.path.abspath, sys.path):
        if any(stem == os.path.join(entry, *name.split(".")) for name, stem in stems):
            yield entry

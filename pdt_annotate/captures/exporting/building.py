"""How a target is made, as Python in a file of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import torch

from pdt_annotate.captures.exporting.values import UnsayableError, import_of, imports_of, spell
from pdt_annotate.inputs.load import load_file, load_module
from pdt_annotate.inputs.resolve import AS_SPECIFIED
from pdt_annotate.inputs.specs.spec import Recipe
from pdt_annotate.processes.child.observe import loaded_files
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.exports import Building, FileImport
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.user_code import PACKAGE

STATES = (".pt", ".pth")
"""How files end that `torch.load` reads."""


def building_of(prepared: Prepared, target: Target, source: SpecSource, method: str) -> Building:
    """How the target of a session is made.

    Args:
        method: that is exported, where it is a module.

    Raises:
        UnsayableError: no file can say it.
    """
    expression, imports = _expression(prepared, target, source)
    settings = prepared.spec.settings
    is_module = isinstance(prepared.built, torch.nn.Module)
    recipe = prepared.spec.recipe or Recipe()
    return Building(
        imports,
        tuple(dict.fromkeys(_folders(prepared))),
        expression,
        _state(recipe),
        recipe.key,
        function=not is_module,
        method=method if is_module and method != "forward" else "",
        lazy=bool(prepared.lazy),
        seed=settings.seed,
        device=settings.device,
        dtype=settings.dtype or "",
        mode=settings.mode or "",
    )


def _expression(prepared: Prepared, target: Target, source: SpecSource) -> tuple[str, tuple[FileImport, ...]]:
    """What makes the target, and the imports that it takes."""
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


def _state(recipe: Recipe) -> str:
    """The file of the state dict that is loaded."""
    said = recipe.unsaid or (f"{recipe.state} is no file of torch.save" if recipe.state else "")
    if said and not recipe.state.endswith(STATES):
        raise UnsayableError(f"how the model is constructed cannot be said in a file: {said}")
    return recipe.state


def _folders(prepared: Prepared) -> Iterator[str]:
    """Where the project's modules were found: the folders of the import path, in its order."""
    loaded = loaded_files(prepared).items()
    files = [(name, file) for name, file in loaded if not file.startswith(f"{PACKAGE}{os.sep}")]
    for entry in map(os.path.abspath, sys.path):
        if any(_stem(file) == os.path.join(entry, *name.split(".")) for name, file in files):
            yield entry


def _stem(file: str) -> str:
    """The path of a module without suffix; of a package, that of its folder."""
    return os.path.dirname(file) if os.path.basename(file) == "__init__.py" else os.path.splitext(file)[0]

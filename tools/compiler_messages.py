"""Load source texts as modules, and read the compiler's error for an object in them."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.scripts import Compilation

PRELUDE = "import dataclasses\nimport enum\nimport torch\nfrom torch import Tensor\nfrom typing import *\n\n\n"
"""The names that the examples of the catalogue have in scope."""

NUMBERS = itertools.count()


def load(source: str, folder: Path, name: str = "") -> ModuleType:
    """Write the prelude and the source into a file in the folder, and import it as a module.

    Args:
        name: the name of the module, which the compiler's messages contain. If it is empty, an unused name is chosen.
    """
    path = folder / f"{name or f'provoked_{next(NUMBERS)}'}.py"
    path.write_text(PRELUDE + source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compile_failure(subject: Any) -> Failure | None:
    """The compiler's error for an object; None if it compiles."""
    compilation = Compilation()
    compilation.run(subject)
    return compilation.verdict.failure

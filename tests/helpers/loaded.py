"""Import Python files as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load(file: str | Path, source: str | bytes = "") -> ModuleType:
    """Import a file as a module with its name, again in each call. If there is a source, write it to the file first."""
    path = Path(file)
    if source:
        path.write_bytes(source.encode() if isinstance(source, str) else source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

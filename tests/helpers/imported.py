"""Modules of a source that a test writes."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def import_source(path: Path, source: str | bytes) -> ModuleType:
    """Write the source to the file and import it, under the name of the file."""
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module

"""Each test uses a separate project."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory. Imports from it and changes of the import path are undone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    importlib.invalidate_caches()

    folder = str(tmp_path.parent)

    def of_tests() -> list[str]:
        files = ((name, getattr(module, "__file__", None)) for name, module in list(sys.modules.items()))
        return [name for name, file in files if isinstance(file, str) and file.startswith(folder)]

    for name in of_tests():  # left by another test
        monkeypatch.delitem(sys.modules, name)
    replaced = sys.modules.copy()
    yield tmp_path
    for name in of_tests():
        del sys.modules[name]
    sys.modules.update(replaced)

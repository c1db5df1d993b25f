"""A project of its own for each test."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory; whatever is imported from it, and the import path, is undone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    importlib.invalidate_caches()

    folder = str(tmp_path.parent)

    def of_tests() -> list[str]:
        files = ((name, getattr(module, "__file__", None)) for name, module in list(sys.modules.items()))
        return [name for name, file in files if isinstance(file, str) and file.startswith(folder)]

    for name in of_tests():  # another test has left it
        monkeypatch.delitem(sys.modules, name)
    replaced = sys.modules.copy()
    yield tmp_path
    for name in of_tests():
        del sys.modules[name]
    sys.modules.update(replaced)

"""Names are followed through imports to their definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import names_in, write

from pdt_annotate.source.imports import Imported, imports_of

FILES = {
    "pkg/__init__.py": "from .net import *\nfrom .net import Net as Exported\nfrom . import net as inner\n",
    "pkg/net.py": "from .base import Base\nclass Net(Base):\n    pass\n",
    "pkg/base.py": "try:\n    import torch\nexcept ImportError:\n    pass\nclass Base:\n    pass\n",
    "loop.py": "from pool import x\n",
    "pool.py": "from loop import x\n",
}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("", "Net"),
        ("import pkg", "Net"),
        ("import pkg", "pkg.Nothing"),
        ("import torch", "torch.nn"),
        ("from loop import x", "x"),
        ("from ..pkg import Net", "Net"),
        ("from missing import Net", "Net"),
    ],
)
def test_not_found(code: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve(code, name, tmp_path, monkeypatch) is None


@pytest.mark.parametrize(
    ("code", "name", "found"),
    [
        ("class Net: pass", "Net", "use.py:Net"),
        ("if True:\n    net = 3", "net", "use.py:net"),
        ("from pkg.net import Net", "Net", "pkg/net.py:Net"),
        ("from pkg.net import Net as N", "N", "pkg/net.py:Net"),
        ("from pkg import Exported", "Exported", "pkg/net.py:Net"),
        ("import pkg", "pkg.Net.forward", "pkg/net.py:Net.forward"),
        ("import pkg.net", "pkg.net.Net", "pkg/net.py:Net"),
        ("import pkg.net as n", "n.Base", "pkg/base.py:Base"),
        ("import pkg", "pkg.inner.Net", "pkg/net.py:Net"),
        ("from pkg import *", "Net", "pkg/net.py:Net"),
        ("def f():\n    from pkg.net import Net", "Net", "pkg/net.py:Net"),
    ],
)
def test_found(code: str, name: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve(code, name, tmp_path, monkeypatch) == found


def resolve(code: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str | None:
    write(folder, FILES | {"use.py": code})
    monkeypatch.chdir(folder)
    place = names_in(folder).find(str(folder / "use.py"), name)
    return f"{Path(place.file).relative_to(folder).as_posix()}:{place.qualname}" if place else None


@pytest.mark.parametrize(
    "statement",
    ["import torch", "import numpy as np", "from torch import nn", "from torch import nn as layers", "import a.b as c"],
)
def test_an_import_is_spelled_as_it_was(statement: str, tmp_path: Path) -> None:
    write(tmp_path, {"use.py": statement})
    page = names_in(tmp_path).sources.page(str(tmp_path / "use.py"))
    assert page is not None
    ((_, imported),) = imports_of(page).items()
    assert isinstance(imported, Imported) and imported.statement == statement

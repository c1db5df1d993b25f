"""Names are followed through imports to their definitions."""

from collections import Counter
from pathlib import Path

import pytest
from drafted import names_in, write
from star_package import write_package

from pdt_annotate.source import imports
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.imports import DefinitionPlace, Import, imports_of, read_names
from pdt_annotate.source.project import Project

FILES = {
    "pkg/__init__.py": "from .net import *\nfrom .net import Net as Exported\nfrom . import net as inner\n",
    "pkg/net.py": "from .base import Base\nclass Net(Base):\n    pass\n",
    "pkg/base.py": "try:\n    import torch\nexcept ImportError:\n    pass\nclass Base:\n    pass\n",
    "loop.py": "from pool import x\n",
    "pool.py": "from loop import x\n",
    "public.py": "def f(): pass\ndef _g(): pass\n",
    "listed.py": "__all__ = ['_g']\n__all__ += ['h']\ndef f(): pass\ndef _g(): pass\ndef h(): pass\n",
    "summed.py": "from public import *\n__all__ = ['h'] + ['f']\ndef h(): pass\ndef g(): pass\n",
    "computed.py": "import public\n__all__ = public.__all__\ndef _g(): pass\n",
    "appended.py": "__all__ = []\n__all__.append('_f')\n__all__.extend(('_g',))\n_f, _g, h = 1, 2, 3\n",
    "foreign.py": "from torch import Tensor as f\n",
    "local.py": "def inner():\n    from public import f\n",
    "one/__init__.py": "from .here import *\nfrom .there import *\n",
    "one/here.py": "from . import *\nfrom one import late\ndef early(): return late()\n",
    "one/there.py": "from .here import *\nfrom . import early, sub\ndef late(): return early()\n",
    "one/sub.py": "def deep(): pass\n",
    "growing.py": "from use import A as x\n",
    "gone/__init__.py": "from .absent import absent as absent\nimport gone.away as away\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "name", "found"),
    [
        ("", "Net", None),
        ("import pkg", "Net", None),
        ("import pkg", "pkg.Nothing", None),
        ("import torch", "torch.nn", None),
        ("from gone import absent", "absent.run", None),
        ("import gone", "gone.absent.run", None),
        ("import gone", "gone.away.run", None),
        ("from loop import x", "x", None),
        ("from ..pkg import Net", "Net", None),
        ("from missing import Net", "Net", None),
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
        ("from public import *", "f", "public.py:f"),
        ("from public import *", "_g", None),
        ("from listed import *", "_g", "listed.py:_g"),
        ("from listed import *", "h", "listed.py:h"),
        ("from listed import *", "f", None),
        ("from listed import f", "f", "listed.py:f"),
        ("from summed import *", "f", "public.py:f"),
        ("from summed import *", "g", None),
        ("from computed import *", "_g", "computed.py:_g"),
        ("from appended import *", "_f", "appended.py:_f"),
        ("from appended import *", "_g", "appended.py:_g"),
        ("from appended import *", "h", None),
        ("from local import *", "f", None),
        ("from public import *\nfrom listed import *\nfrom summed import *", "h", "summed.py:h"),
        ("from summed import *\nfrom listed import *", "h", "listed.py:h"),
        ("def f(): pass\nfrom public import *", "f", "public.py:f"),
        ("from public import *\ndef f(): pass", "f", "use.py:f"),
        ("from public import *\nf: object = 3", "f", "use.py:f"),
        ("from public import *\nf, g = 3, 4", "f", "use.py:f"),
        ("def f(): pass\nfrom public import f", "f", "public.py:f"),
        ("from public import *\nfrom foreign import *", "f", None),
        ("from foreign import *\nfrom public import *", "f", "public.py:f"),
        ("from public import *\ndef g():\n    from listed import f", "f", "listed.py:f"),
        ("from one import *", "early", "one/here.py:early"),
        ("from one import *", "late", "one/there.py:late"),
        ("from one import *", "sub.deep", "one/sub.py:deep"),
        ("from one import *", "nothing", None),
        ("from one.here import *", "late", "one/there.py:late"),
        ("from one.there import *", "early", "one/here.py:early"),
        ("from pkg.net import Net\nN = M = Net", "N.forward", "pkg/net.py:Net.forward"),
        ("import pkg.net\nn = pkg.net", "n.Net", "pkg/net.py:Net"),
        ("def f(): pass\ng, h = f, f", "g", "use.py:g"),
        ("def f(): pass\ng = f\ndef g(): pass", "g", "use.py:g"),
        ("def f(): pass\ng = f\nfrom public import f as g", "g", "public.py:f"),
        ("f = g\ng = f", "f", "use.py:f"),
        ("f = g\ng = f", "g", "use.py:f"),
        ("import torch\nf = torch.relu", "f", "use.py:f"),
        ("import public\npublic = public.f", "public", "use.py:public"),
        ("a = b.x\nb = a.y", "b", "use.py:a.y"),
        ("def f(): pass\nif f:\n    g = f", "g", "use.py:g"),
        ("from growing import x as a\nA = a.b", "A", "use.py:A" + ".b" * 8),
        ("def f(): pass\nold = f\ndef f(): pass", "old", "use.py:old"),
    ],
)
def test_definitions(code: str, name: str, found: str | None, folder: Path) -> None:
    write(folder, FILES | {"use.py": code})
    place = names_in(folder).find(str(folder / "use.py"), name)
    assert (f"{Path(place.file).relative_to(folder).as_posix()}:{place.qualname}" if place else None) == found


@pytest.mark.parametrize(
    ("code", "name", "target"),
    [
        ("from foreign import *", "f", "torch.Tensor"),
        ("from foreign import *\ndef f(): pass", "f", None),
        ("from foreign import *\nfrom public import *", "f", None),
        ("from public import *\nfrom foreign import *", "f", "torch.Tensor"),
        ("from again import *", "f", "torch.Tensor"),
        ("from again import *", "nn", None),
        ("from local import *", "f", None),
        ("from pkg import *", "Base", "pkg.base.Base"),
        ("from hiding import *", "f", None),
    ],
)
def test_imports_through_star_imports(code: str, name: str, target: str | None, folder: Path) -> None:
    again = "from foreign import *\nfrom again import *\nimport torch.nn as nn\n__all__ = ['f']\n"
    write(folder, FILES | {"again.py": again, "use.py": code})
    write(folder, {"hiding.py": "from torch import relu as f\nfrom public import *\n"})
    found = names_in(folder).imports_in(str(folder / "use.py")).get(name)
    assert (found and found.target) == target


CHAIN = 1100  # modules, more than Python's limit for nested calls


def test_the_way_of_a_name_may_be_long_and_pages_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stars = {f"m{number}.py": f"from m{number + 1} import *\n" for number in range(CHAIN)}
    last = f"m{CHAIN}.py"
    write(folder, {**stars, last: "from m0 import *\ndef f(): pass\n"})
    names = names_in(folder)
    assert names.find(str(folder / last), "g") is names.find(str(folder / "m0.py"), "g") is None
    for asked in (names, names_in(folder)):
        found = [asked.find(str(folder / file), "f") for file in ("m0.py", "m700.py", last)]
        assert found == [DefinitionPlace(str(folder / last), "f")] * 3
    names, read = names_in(folder), Counter[str]()
    monkeypatch.setattr(imports, "read_names", lambda page: read.update([page.file]) or read_names(page))
    for name in ("f", "g", "h.i"):
        names.find(str(folder / "m0.py"), name)
    assert set(read.values()) == {1}
    assert len(read) == CHAIN + 1


def test_a_name_is_looked_for_where_imports_lead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    for modules in (50, 100):
        package = write_package(tmp_path / str(modules), modules)
        known = {module_name_of(str(file)): str(file) for file in package.rglob("*.py")}
        project = Project(str(tmp_path), known)
        parsed: list[str] = []
        monkeypatch.setattr(imports, "read_names", lambda page, to=parsed: to.append(page.file) or read_names(page))
        place = project.names.find(known["pkg.sub.net"], "seldom")
        assert place == DefinitionPlace(known["pkg.sub.helpers"], "seldom")
        read.append(len(parsed))
    assert read[0] == read[1] < 10


@pytest.mark.parametrize(
    "statement",
    ["import torch", "import numpy as np", "from torch import nn", "from torch import nn as layers", "import a.b as c"],
)
def test_an_import_is_spelled_as_it_was(statement: str, tmp_path: Path) -> None:
    write(tmp_path, {"use.py": statement})
    page = names_in(tmp_path).sources.module(str(tmp_path / "use.py"))
    assert page is not None
    ((_, imported),) = imports_of(page).items()
    assert isinstance(imported, Import) and imported.statement == statement

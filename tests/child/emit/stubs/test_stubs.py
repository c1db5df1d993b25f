"""Stubs contain only what a type checker needs, are accepted by mypy, and have all new annotations of the source."""

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import AFTER, BEFORE, make_outcome

from pdt_annotate.emit import stubs
from pdt_annotate.emit.stubs import HEADER, make_stub
from pdt_annotate.emit.stubs.nodes import find_lost
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import SpecSource, Target

# (source, stub without the header)
ROWS = {
    "nothing": (b"", ""),
    "docstring and code are dropped": (b'"""Doc."""\nprint(1)\ndel x\n', ""),
    "main guard": (b'if __name__ == "__main__":\n    x = 1\n', ""),
    "future import": (b"from __future__ import annotations\n", ""),
    "constants": (b"N = 3; S = 'x'\nM = -1.5\nB = True\n", "N = 3\nS = 'x'\nM = -1.5\nB = True\n"),
    "computed": (b"x = f()\n", "from _typeshed import Incomplete\nx: Incomplete\n"),
    "unpacked": (
        b"a, (b, *c) = f()\n",
        "from _typeshed import Incomplete\na: Incomplete\nb: Incomplete\nc: Incomplete\n",
    ),
    "module variable": (b"x: int = 3\n", "x: int\n"),
    "final": (b"from typing import Final\nx: Final = 3\n", "from typing import Final\nx: Final = 3\n"),
    "exports": (b"__all__ = ['f']\n", "__all__ = ['f']\n"),
    "alias": (b"import torch\nT = torch.Tensor\n", "import torch\nT = torch.Tensor\n"),
    "re-export": (b"from .a import b\n", "from .a import b as b\n"),
    "comments in an import": (b"from a import (  # why\n    b,  # so\n)\n", "from a import b\n"),
    "fallback import": (b"try:\n    import a\nexcept ImportError:\n    a = None\n", "import a\n"),
    "version check": (
        b"import sys\nif sys.version_info >= (3, 12):\n    def f(x): return 1\nelse:\n    def f(y): return 1\n",
        "import sys\nif sys.version_info >= (3, 12):\n    def f(x): ...\nelse:\n    def f(y): ...\n",
    ),
    "other condition": (b"if HAVE:\n    def f(x): pass\nelse:\n    def f(y): pass\n", "def f(x): ...\n"),
    "signature": (
        b"def f(a, /, b: int = 3, *args, c='x', d: str = 'y', **kw) -> int:\n    return b\n",
        "def f(a, /, b: int = ..., *args, c=..., d: str = ..., **kw) -> int: ...\n",
    ),
    "long signature": (
        b"def f(\n    a: int,  # the a\n    *,\n    b=1,\n):\n    pass\n",
        "def f(a: int, *, b=...): ...\n",
    ),
    "async": (b"async def f() -> int:\n    return 1\n", "async def f() -> int: ...\n"),
    "nested function": (b"def f():\n    def g(): pass\n", "def f(): ...\n"),
    "unknown decorator": (b"@torch.no_grad()\ndef f(x: int): pass\n", "def f(x: int): ...\n"),
    "overload": (
        b"@torch.jit._overload\ndef f(x: int): pass\n@torch.jit._overload\ndef f(x: str): pass\ndef f(x): pass\n",
        "from typing import overload\n@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\n",
    ),
    "property": (
        b"class A:\n    @property\n    def x(self) -> int: return 1\n    @x.setter\n    def x(self, v: int): pass\n",
        "\nclass A:\n    @property\n    def x(self) -> int: ...\n    @x.setter\n    def x(self, v: int): ...\n",
    ),
    "empty class": (b"class A(Exception):\n    '''Doc.'''\n", "\nclass A(Exception): ...\n"),
    "attributes": (
        b"class A:\n    n = 3\n    t: int\n    def __init__(self):\n        self.x = f()\n        self.y: str = ''\n",
        "from _typeshed import Incomplete\n\nclass A:\n    n = 3\n    t: int\n    def __init__(self): ...\n"
        "    y: str\n    x: Incomplete\n",
    ),
    "another table": (
        b"class A:\n    table = {'n': int}\n",
        "from _typeshed import Incomplete\n\nclass A:\n    table: Incomplete\n",
    ),
    "table of annotations": (
        b"from typing import Final\nclass A:\n    t: int\n"
        b"    __annotations__ = {'t': int, 'k': Final[int], 'x': 'str'}\n    k = 3\n",
        "from typing import Final\n\nclass A:\n    t: int\n    x: 'str'\n    k: Final[int] = 3\n",
    ),
    "namedtuple": (
        b"from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 3\n",
        "from typing import NamedTuple\n\nclass P(NamedTuple):\n    x: int\n    y: int = ...\n",
    ),
    "dataclass": (
        b"from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D:\n    x: int = 1\n"
        b"    def f(self):\n        self.z = 1\n",
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass D:\n    x: int = ...\n"
        "    def f(self): ...\n",
    ),
    "enum": (
        b"import enum\nclass E(enum.Enum):\n    A = 1\n    B = enum.auto()\n",
        "import enum\n\nclass E(enum.Enum):\n    A = 1\n    B = ...\n",
    ),
    "computed base": (b"class A(make(3)): pass\n", "from _typeshed import Incomplete\n\nclass A(Incomplete): ...\n"),
}


@pytest.mark.parametrize("row", ROWS)
def test_make_stub(row: str) -> None:
    source, expected = ROWS[row]
    assert make_stub(source).decode() == HEADER + expected


def test_another_encoding_becomes_utf_8() -> None:
    made = make_stub(b"# coding: latin-1\nS = 'caf\xe9'\r\n")
    assert made.decode() == HEADER + "S = 'café'\n"


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_accept_the_stubs(tmp_path: Path, checker: str) -> None:
    skipped = {"alias", "re-export", "comments in an import", "fallback import", "exports"}  # missing imports
    files = []
    for number, (name, (source, _)) in enumerate(ROWS.items()):
        if name not in skipped:
            files.append(tmp_path / f"stub_{number}.pyi")
            files[-1].write_bytes(make_stub(source))
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')
    flags = ["--no-incremental", f"--cache-dir={tmp_path}/cache"] if checker == "mypy" else []
    done = subprocess.run(
        [sys.executable, "-m", checker, *flags, *map(str, files)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


FUTURE = "from __future__ import annotations\n"
FREE = "class A:\n    def __init__(self):\n        self.x = []\n"

ASSIGNED = FREE.replace("self.x = ", "self.x: List[int] = ")
RESET = "        self.x = [1]\n    def reset(self):\n        self.x = []\n"
OVERLOADS = "@torch.jit._overload\ndef f(x: int): pass\n@torch.jit._overload\ndef f(x: str): pass\ndef f(x): pass\n"
COMPUTED = "class A(make(3)):\n    x = f()\n    def g(self, n{}):\n        self.y = n\n"
NONE_AND_INT = ((b"", b""), (b": int", b" -> int"))
DECLARED = 'class A(B):\n    """Doc."""\n    {}n{} = 3\n    def f(self): pass\n'

# (annotated source, the parts that the unannotated source lacks)
ANNOTATED = {
    "nothing": (BEFORE.decode(), []),
    "nothing of what is annotated": (AFTER.decode(), []),
    "overloads": (OVERLOADS, []),
    "annotated where a method assigns it": ("class A(B):\n    def __init__(self):\n        self.x: Layer = f()\n", []),
    "annotated in a string": (FUTURE + "class A(B):\n    x: int\n", []),
    "no import that only the stub needs": (COMPUTED.format(": int"), [": int"]),
    "class attributes": (DECLARED.format("cache: str\n    ", ": int"), ["cache: str\n    ", ": int"]),
    "class without bases": (ASSIGNED, [": List[int]"]),
    "the constructor alone": (ASSIGNED + RESET, [": List[int]"]),
    "class without bases that assigns it elsewhere": (
        "class A:\n    x: int\n    def reset(self):\n        self.x = []\n",
        ["    x: int\n"],
    ),
    "behind the docstring at the end of the file": ('class A(B):\n    """Doc."""\n    x: int\n', ["\n    x: int\n"]),
    "before a decorator": ("class A(B):\n    x: int\n    @torch.jit.export\n    def f(self): pass\n", ["    x: int\n"]),
    "under the future import": (
        FUTURE + 'class A(B):\n    __annotations__ = {"x": int}\n    def f(self): pass\n',
        ['    __annotations__ = {"x": int}\n'],
    ),
    "behind other annotations": (
        FUTURE + 'class A(B):\n    t: int\n    __annotations__ = {"t": int, "x": str}\n    n = 1\n',
        ['    __annotations__ = {"t": int, "x": str}\n'],
    ),
    "in a table that is there": (
        FUTURE + "class A(B):\n    __annotations__ = {'t': int, \"x\": str}\n",
        [', "x": str'],
    ),
}


@pytest.mark.parametrize("row", ANNOTATED)
def test_a_stub_has_every_new_annotation_and_the_stub_of_another_source_does_not(row: str) -> None:
    annotated, lacks = ANNOTATED[row]
    source = annotated
    for text in lacks:
        source = source.replace(text, "")
    before, after = source.encode(), annotated.encode()
    assert find_lost(before, after, make_stub(after)) == []
    assert bool(find_lost(before, after, make_stub(before))) is bool(lacks)


def test_lost_annotations_are_named() -> None:
    assert find_lost(BEFORE, AFTER, make_stub(AFTER)) == []
    assert find_lost(BEFORE, AFTER, make_stub(BEFORE)) == ["Net.forward(mask)", "Net.forward(x)"]
    source = b"from typing import Final\nclass A(B):\n    k = 3\n"
    annotated = source.replace(b"    k", b"    __annotations__ = {'k': Final[int]}\n    k")
    assert find_lost(source, annotated, make_stub(annotated)) == []
    assert find_lost(source, annotated, make_stub(source)) == ["A.k"]
    checked = b"import sys\nif sys.platform == 'linux':\n    def f(n{0}){1}:\n        def g(x{0}): pass\n"
    before, after = (checked.replace(b"{0}", type_).replace(b"{1}", result) for type_, result in NONE_AND_INT)
    assert find_lost(before, after, make_stub(before)) == ["f()", "f(n)"], "none of a nested function"
    assert find_lost(before, after, make_stub(after)) == []


def test_emit_leaves_a_foreign_stub_alone(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    (tmp_path / "typings").mkdir()
    (tmp_path / "typings" / "model.pyi").write_text("x: int\n")
    with pytest.raises(UserError, match="a stub exists"):
        stubs.emit(outcome, options_of(tmp_path), io.BytesIO())
    assert (tmp_path / "typings" / "model.pyi").read_text() == "x: int\n"


def test_emit_mirrors_the_tree_and_says_what_stubs_are_not(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    outcome = replace(make_outcome(tmp_path / "pkg"), root=str(tmp_path))
    for _ in range(2):  # it overwrites its own stub
        done = stubs.emit(outcome, options_of(tmp_path), io.BytesIO())
    assert "TorchScript itself never reads stubs" in done
    assert (tmp_path / "typings" / "pkg" / "model.pyi").read_bytes() == make_stub(AFTER)
    assert (tmp_path / "pkg" / "model.py").read_bytes() == BEFORE


def options_of(root: Path) -> Options:
    target = Target("model.py:Net", "", "", "Net")
    return Options((target,), SpecSource(), str(root), write_back=WriteBack.STUBS, stubs=str(root / "typings"))

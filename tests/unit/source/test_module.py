"""Scopes, names and relatives of classes, compared with Python's own symbol tables and with the imported modules."""

import ast
import importlib
import symtable
import sys
from pathlib import Path

import pytest
from drafted import names_in, write

from pdt_annotate.source.module import compiled_function, read_module
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Owner


def tables(table: symtable.SymbolTable) -> dict[tuple[str, int], symtable.SymbolTable]:
    """The tables of functions and classes by name and line. If a line has several, they are those of comprehensions."""
    found = {(each.get_name(), each.get_lineno()): each for each in table.get_children()}
    return found | {key: each for child in table.get_children() for key, each in tables(child).items()}


@pytest.mark.parametrize("name", ["dataclasses", "enum", "fractions", "typing"])
def test_scopes_bind_and_hide_the_names_of_the_symbol_table(name: str) -> None:
    file = importlib.import_module(name).__file__ or ""
    source = Path(file).read_text()
    found = read_module(file, source.encode())
    unseen = {node.target.id for node in ast.walk(found.tree) if isinstance(node, ast.NamedExpr)}
    known = tables(top := symtable.symtable(source, file, "exec"))
    for space in found.namespaces:
        table = top if isinstance(space.node, ast.Module) else known[space.name, space.node.lineno]
        symbols = [each for each in table.get_symbols() if each.get_name() not in unseen]
        given = (each for each in symbols if each.is_assigned() or each.is_parameter() or each.is_imported())
        bound = {each.get_name() for each in given if each.is_local()}
        bound -= {each.get_name() for each in symbols if each.is_annotated()} - space.bound
        if sys.version_info < (3, 12):  # from 3.12 on, they include the variables of comprehensions
            assert bound == space.bound - unseen
        if table.get_type() == "function":
            assert {each.get_name() for each in symbols if each.is_free()} <= space.hidden | {"__class__"}
            assert space.hidden.isdisjoint(each.get_name() for each in symbols if each.is_global())


RING = {
    "ring/__init__.py": "from .a import *\nfrom .b import *\nfrom .b import g as h\n",
    "ring/a.py": "from .b import *\nimport ring.b as inner\ndef f(): pass\nclass C: pass\n",
    "ring/b.py": "from . import a\nfrom .a import *\ndef g(): pass\ndef f(): pass\nclass D: pass\n",
    "ring/c.py": "from ring import *\nfrom ring.a import *\nfrom ring import h as _h\nif C: from ring import D as E\n",
}


def test_names_mean_what_an_import_of_the_module_gives_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, RING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = names_in(tmp_path)
    for dotted in ("ring", "ring.a", "ring.b", "ring.c"):
        module = importlib.import_module(dotted)
        defined = {name: value for name, value in vars(module).items() if hasattr(value, "__qualname__")}
        for name, value in defined.items():
            place = names.find(module.__file__ or "", name)
            file = sys.modules[value.__module__].__file__
            assert place is not None and (place.file, place.qualname) == (file, value.__qualname__), (dotted, name)
        assert len(defined) >= 3
    for dotted in [name for name in sys.modules if name.partition(".")[0] == "ring"]:
        monkeypatch.delitem(sys.modules, dotted)


def test_relatives_are_found_by_imports_or_else_by_name_and_may_go_in_circles(tmp_path: Path) -> None:
    files = {
        "one.py": "from two import Net as Base\nclass Net(Base): pass\n",
        "two.py": "import lib\nclass Net(lib.Inner): pass\nclass Heir(Cell, Other): pass\n",
        "cell.py": "class Cell(Heir): pass\nclass Other(Other): pass\n",
    }
    write(tmp_path, files)
    project = Project(str(tmp_path), {Path(name).stem: str(tmp_path / name) for name in files})
    known = project.relatives(tuple(project.modules.values()))
    names = {cls: f"{Path(cls.owner.file).stem}.{cls.owner.qualname}" for cls in known.classes or ()}
    ancestors = {names[cls]: [names[each] for each in known.ancestors(cls)] for cls in names}
    assert ancestors == {
        "one.Net": ["two.Net"],
        "two.Net": [],
        "two.Heir": ["cell.Cell", "cell.Other"],
        "cell.Cell": ["two.Heir", "cell.Other"],
        "cell.Other": [],
    }
    assert {names[cls]: [names[each] for each in known.heirs(cls)] for cls in names if known.heirs(cls)} == {
        "two.Net": ["one.Net"],
        "two.Heir": ["cell.Cell"],
        "cell.Cell": ["two.Heir"],
        "cell.Other": ["two.Heir", "cell.Cell"],
    }


@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "latin-1"])
def test_the_compiled_function_of_a_file_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    text = "\u00e9" if encoding == "latin-1" else "\u4e2d\u6587"
    file = tmp_path / "net.py"
    file.write_text(f"# -*- coding: {encoding} -*-\n# {text}\ndef f(x):\n    return x\n", encoding=encoding)
    function = compiled_function(Owner(str(file), "f", 3))
    assert function is not None and ast.unparse(function.node.body[0]) == "return x"

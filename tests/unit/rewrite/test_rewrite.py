"""The whole rewrite of small sources and of whole files; and import cycles."""

import statistics
import types
from pathlib import Path

import pytest
import torch.nn.modules.rnn
from classes import rewriting
from rewrite_case import FILE, LIST, MODULE, Case, check_edits

from pdt_annotate.rewrite import rewrite
from pdt_annotate.rewrite.spelling import would_cycle
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.types import TENSOR


@pytest.mark.parametrize("source", ["def f(x): return x\n", ""])
def test_nothing_wanted_changes_nothing(source: str) -> None:
    Case(source).stays()


def test_no_python_is_the_users_error_with_its_file() -> None:
    with pytest.raises(UserError) as caught:
        rewrite(b"def f(:\n", [], file=FILE, module=MODULE, classes={})
    assert caught.value.file == FILE


def test_reports_what_was_written_what_it_needs_and_what_was_refused_where() -> None:
    assert len(Case("def f(x«: int»): pass\n").param("f", "x").param("f", "x", TENSOR).becomes().written) == 1
    case = Case("def f(x, y: int): pass\n").param("f", "x", LIST).param("f", "y", LIST)
    result = case.run()
    assert result.written == (case.annotations[0],)
    assert result.refused == ()
    assert result.imports == ("from typing import List",)
    case = Case("\ndef f(*args): pass\n").param("f", "args")
    (finding,) = case.run().refused
    assert (finding.code, finding.place.file, finding.place.line) == ("PDT036", FILE, 2)
    assert finding.slot == case.annotations[0].slot


def test_without_imports_every_line_keeps_its_number() -> None:
    case = Case("""\
        class A:
            y = 3
            def f(self, x«: List[int]»):
                z«: List[int]» = []
                return x
        """)
    case.attribute("A", "y").attribute("A", "q").param("A.f", "x", LIST).local("A.f", "z", 4, LIST)
    result = case.becomes(imports=False)
    assert result.imports == ("from typing import List",)
    assert result.refused == ()


MODULES = [statistics, torch.nn.modules.rnn]


@pytest.mark.parametrize("module", MODULES, ids=lambda each: each.__name__)
def test_a_whole_file_stays_the_same_program(module: types.ModuleType) -> None:
    source = Path(str(module.__file__)).read_bytes()
    annotations, made = rewriting.annotate(source)
    assert rewriting.faults(source, annotations, made) == []
    check_edits(source, made)
    assert rewriting.annotate(made.source)[1].source == made.source


GRAPH = {
    "pkg": frozenset({"pkg.a"}),
    "pkg.a": frozenset({"os"}),
    "pkg.b": frozenset({"pkg.c"}),
    "pkg.c": frozenset({"pkg.a"}),
    "pkg.d": frozenset({"pkg.e"}),
    "pkg.e": frozenset({"pkg.d"}),
    "other": frozenset({"pkg.a"}),
}


@pytest.mark.parametrize(
    ("importer", "imported", "is_circle"),
    [
        pytest.param("pkg.b", "pkg.a", False, id="a chain"),
        pytest.param("pkg.b", "pkg.c", False, id="a longer chain"),
        pytest.param("pkg.a", "elsewhere", False, id="another project"),
        pytest.param("pkg.a", "pkg.d", False, id="a circle elsewhere"),
        pytest.param("pkg.a", "pkg.z", False, id="the package around both is running already"),
        pytest.param("pkg.a", "pkg.c", True, id="the way back"),
        pytest.param("pkg.a", "pkg.b", True, id="a longer way back"),
        pytest.param("pkg.a", "pkg.a", True, id="itself"),
        pytest.param("pkg.a", "other.x", True, id="another package runs first"),
    ],
)
def test_circles(importer: str, imported: str, is_circle: bool) -> None:
    assert would_cycle(importer, imported, lambda name: GRAPH.get(name, frozenset())) is is_circle

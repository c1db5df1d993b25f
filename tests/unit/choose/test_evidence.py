"""Observations of several runs, joined; and what is chosen of them, function by function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.source.project import Project
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import ClassInfo, ClassKind, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

INT, FLOAT = TypeExpr("int"), TypeExpr("float")

SOURCES = {
    "a.py": "def f(x, n=3, *rest):\n    return x\n\n\ndef g(y):\n    return y\n",
    "b.py": "def h(z=0.5):\n    return z\n",
    "skipped.py": "# pdt: skip-file\ndef s(x=3):\n    return x\n",
    "foreign.py": "def o(x=3):\n    return x\n",
}


def write_project(folder: Path, sources: dict[str, str], modules: str) -> Project:
    for name, source in sources.items():
        (folder / name).write_text(source)
    return Project(str(folder), {name: str(folder / f"{name}.py") for name in modules.split()})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return write_project(tmp_path, SOURCES, "a b skipped")


def parameter(project: Project, file: str, function: str, name: str, line: int = 1) -> Slot:
    return Slot(Owner(f"{project.root}/{file}", function, line), SlotKind.PARAMETER, name)


def functions(project: Project, file: str) -> list[Owner]:
    return [function.owner for function in project.survey(f"{project.root}/{file}").functions]


def observed(*observations: Observation, classes: tuple[ClassInfo, ...] = ()) -> Observed:
    return Observed(observations, classes, ("call",))


def info(name: str) -> ClassInfo:
    return ClassInfo(name, "a", name, ClassKind.PLAIN)


def test_what_may_not_be_annotated_gives_nothing(project: Project) -> None:
    evidence = Evidence(project, [])
    elsewhere = Owner("/elsewhere/site.py", "f", 1)
    closed = [*functions(project, "foreign.py"), *functions(project, "skipped.py"), elsewhere]
    assert list(evidence.choose(closed)) == []
    assert evidence.findings == {}


def test_what_several_runs_show_alike_is_counted_together(project: Project) -> None:
    slot = parameter(project, "a.py", "f", "x")
    one = observed(Observation(slot, INT, 2, ("call 1",)), Observation(slot, FLOAT, 1, ("call 1",)))
    two = observed(Observation(slot, INT, 3, ("call 1", "call 2")))
    assert Evidence(project, [one, two]).seen == {
        slot: [Observation(slot, INT, 5, ("call 1", "call 2")), Observation(slot, FLOAT, 1, ("call 1",))]
    }


class TestInReach:
    """Of a project whose b.py is a third party's."""

    @pytest.fixture
    def apart(self, tmp_path: Path, project: Project) -> Project:
        source = "def h(z=0.5):\n    return z\n\n\ndef run(z=1):\n    return z\n\n\ndef still(z=2):\n    return z\n"
        (tmp_path / "b.py").write_text(source)
        return Project(str(tmp_path), {"a": f"{tmp_path}/a.py"}, third_party={"b": f"{tmp_path}/b.py"})

    def test_third_party_files_are_no_place_to_begin(self, apart: Project) -> None:
        seen = observed(Observation(parameter(apart, "b.py", "run", "z", 5), INT))
        evidence = Evidence(apart, [seen])
        assert evidence.entered == set()
        assert list(evidence.choose_in_reach([Owner(f"{apart.root}/a.py", "g", 5)])) == []

    def test_of_them_only_what_is_compiled_or_entered(self, apart: Project) -> None:
        seen = observed(Observation(parameter(apart, "b.py", "run", "z", 5), INT))
        compiled = Owner(f"{apart.root}/b.py", "h", 1)
        chosen = Evidence(apart, [seen]).choose_in_reach([compiled])
        assert [a.slot.owner.qualname for a in chosen] == ["h", "run"]


def test_what_a_compiled_function_calls_is_in_reach_and_what_it_does_not_is_not(tmp_path: Path) -> None:
    far = "def far(n=1):\n    return deep()\n\n\ndef deep(n=2):\n    return n\n"
    project = write_project(tmp_path, {"a.py": CALLING, "b.py": far}, "a b")
    compiled, *_ = functions(project, "a.py")
    chosen = Evidence(project, []).choose_in_reach([compiled])
    assert [a.slot.owner.qualname for a in chosen] == ["compiled", "near", "far", "deep"]


CALLING = """
from b import far

def compiled(n=0):
    return near() + far()

def near(n=1):
    return n

def apart(n=2):
    return n
"""


def test_of_a_class_the_first_description_is_believed(project: Project) -> None:
    now, then = replace(info("Box"), scripted=True), info("Box")
    assert Evidence(project, [observed(classes=(now,)), observed(classes=(then,))]).classes == {"Box": now}


def test_without_observations_there_are_defaults(project: Project) -> None:
    evidence = Evidence(project, [])
    assert (evidence.seen, evidence.reached, evidence.classes) == ({}, set(), {})
    chosen = list(evidence.choose(functions(project, "b.py")))
    assert [(a.slot.name, a.type) for a in chosen] == [("z", FLOAT)]


def test_runs_are_joined_slot_by_slot(project: Project) -> None:
    x, y = parameter(project, "a.py", "f", "x"), parameter(project, "a.py", "g", "y", 5)
    first = observed(Observation(x, INT, 2, ("one",)), classes=(info("a.Box"),))
    second = observed(Observation(x, FLOAT, 1, ("two",)), Observation(y, INT), classes=(info("a.Ball"), info("a.Box")))
    evidence = Evidence(project, iter([first, second]))
    assert [o.type for o in evidence.seen[x]] == [INT, FLOAT]
    assert evidence.reached == {x.owner, y.owner}
    assert set(evidence.classes) == {"a.Box", "a.Ball"}
    types = {a.slot.name: str(a.type) for a in evidence.choose(functions(project, "a.py"))}
    assert types["x"] == "Union[int, float]"
    assert (types["n"], types["y"]) == ("int", "int")


def test_a_function_gives_the_same_whenever_it_comes_in_reach(project: Project) -> None:
    evidence = Evidence(project, [])
    a, b = functions(project, "a.py"), functions(project, "b.py")
    assert [annotation.slot.owner.qualname for annotation in evidence.choose([*a, *a])] == ["f"]
    assert [annotation.slot.owner.qualname for annotation in evidence.choose([*b, *a])] == ["f", "h"]


def test_what_has_no_type_is_kept_as_a_finding_of_its_slot(project: Project) -> None:
    evidence = Evidence(project, [])
    names = [annotation.slot.name for annotation in evidence.choose(functions(project, "a.py"))]
    assert names == ["n"]
    ((slot, (finding,)),) = evidence.findings.items()
    assert slot == parameter(project, "a.py", "f", "rest")
    assert (finding.code, finding.place.line) == ("PDT001", 1)


def test_returns_of_functions_that_are_not_read(tmp_path: Path) -> None:
    project = write_project(tmp_path, {"m.py": IGNORED}, "m")
    evidence = Evidence(project, [])
    owners = functions(project, "m.py")
    assert list(evidence.choose([])) == []
    chosen = evidence.choose_returns(owners)
    assert [(a.slot.owner.qualname, a.slot.kind, str(a.type)) for a in chosen] == [
        ("count", SlotKind.RETURN, "int"),
        ("size", SlotKind.RETURN, "int"),
    ]
    assert [owner.qualname for owner in owners if evidence.runs_in_python(owner)] == ["same", "size"]


IGNORED = """
import torch
from torch.jit import ignore

@ignore
def same(x):
    return x

@torch.jit.unused
def count():
    return 3

@torch.jit.ignore(drop=False)
def size():
    return 3

@ignore(drop=True)
def dropped(x):
    return x

def ignored(x) -> int:
    return x
"""

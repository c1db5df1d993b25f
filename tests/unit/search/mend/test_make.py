"""Mends made and left out again, and whose the edits are that make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner

SOURCE = "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return f(x)\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "m.py").write_text(SOURCE)
    return Project(str(tmp_path), {"m": str(tmp_path / "m.py")})


def mend_of(project: Project, name: str, *edits: Edit) -> Mend:
    """A mend of `f` or `g`, with these edits."""
    file, line = project.modules["m"], {"f": 1, "g": 5}[name]
    return Mend("a", MendKind.EXACT, Owner(file, name, line), Place(file, line, 1), "does", {file: edits})


def owners(mended: Mended, *more: Edit) -> dict[str, str]:
    """By what each edit puts there, or takes away, whom it belongs to."""
    edits = mended.compose(mended.disk.modules["m"], more)
    texts = [each.text or SOURCE[each.offset : each.end] for each in edits]
    return {text: each.owner.qualname if each.owner else "" for text, each in zip(texts, edits, strict=True)}


def replacing(old: str, new: str, source: str = SOURCE) -> Edit:
    return Edit(source.index(old), new, removed=len(old))


def test_edits_belong_to_the_function_that_is_mended(project: Project) -> None:
    mends = [mend_of(project, "f", replacing("1", "2")), mend_of(project, "g", replacing("f(x)", "x"))]
    assert owners(Mended(project).add(mends, project)) == {"1": "f", "2": "f", "f(x)": "g", "x": "g"}


def test_what_two_functions_need_belongs_to_none_alone(project: Project) -> None:
    shared, own = replacing("1", "2"), replacing("f(x)", "x")
    mends = [mend_of(project, "f", shared), mend_of(project, "g", shared, own)]
    assert owners(Mended(project).add(mends, project)) == {"1": "", "2": "", "f(x)": "g", "x": "g"}


def test_what_a_mend_of_another_function_builds_on_belongs_to_none_alone(project: Project) -> None:
    once = Mended(project).add([mend_of(project, "f", replacing("1", "22"))], project)
    second = mend_of(project, "g", replacing("22", "3", SOURCE.replace("1", "22")))
    assert owners(once.add([second], once.project)) == {"1": "", "3": "g"}
    assert owners(once.add([second], once.project).without([second])) == {"1": "f", "22": "f"}


def test_annotations_keep_their_owner(project: Project) -> None:
    file = project.modules["m"]
    mended = Mended(project).add([mend_of(project, "f", replacing("1", "2"))], project)
    annotation = Edit(SOURCE.index("x)"), "x: int", Owner(file, "g", 5), removed=1)
    assert owners(mended, annotation) == {"x": "g", "x: int": "g", "1": "f", "2": "f"}

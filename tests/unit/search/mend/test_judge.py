"""What the judges of mends say without a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pdt_annotate.search.mend.judge import judge_mends
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner

SOURCE = """\
LIMIT = 1


class C:
    def f(self, x, **kwargs):
        return x


def g(c, x):
    return c.f(x, scale=2)
"""


def judged(folder: Path, old: str, new: str) -> Mapping[str, bool]:
    """What the judges say of one text in place of another."""
    file = folder / "model.py"
    file.write_text(SOURCE)
    project = Project(str(folder), {"model": str(file)})
    edit = Edit(SOURCE.index(old), new, removed=len(old))
    mend = Mend("any", MendKind.EXACT, Owner(str(file), "C.f", 5), Place(str(file), 5, 5), "", {str(file): (edit,)})
    return {verdict.judge: verdict.ok for verdict in judge_mends(Mended(project).add([mend], project))}


def test_a_change_inside_holds(tmp_path: Path) -> None:
    assert all(judged(tmp_path, "return x\n", "return x + 0\n").values())


def test_public_names_stay(tmp_path: Path) -> None:
    assert judged(tmp_path, "LIMIT = 1", "OTHER = 1") == {"undone": True, "public names": False, "calls fit": True}
    assert not judged(tmp_path, "def f(", "def h(")["public names"]
    assert judged(tmp_path, "LIMIT = 1", "LIMIT: int = 1")["public names"]


def test_a_call_that_is_gone_is_none_that_fits_no_longer(tmp_path: Path) -> None:
    old = SOURCE[SOURCE.index("x, **kwargs") :]
    new = old.replace("x, **kwargs", "x").replace("c.f(x, scale=2)", "x")
    assert judged(tmp_path, old, new)["calls fit"]


def test_calls_that_fitted_fit(tmp_path: Path) -> None:
    assert judged(tmp_path, "**kwargs", "scale=1")["calls fit"]
    assert not judged(tmp_path, ", **kwargs", "")["calls fit"]
    assert not judged(tmp_path, "**kwargs", "gain=1")["calls fit"]

"""A fake plan for the tests of the review."""

from dataclasses import replace
from pathlib import Path

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.choice import FoundPlan
from pdt_annotate.mends.mended import Mended
from pdt_annotate.search.plan import Plan
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.slots import Annotation, Observation, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr

SOURCE = b"""\
from torch import Tensor


def scale(x, factor):
    return x * factor


class Net:
    def forward(self, x, mask=None):
        return scale(x, 2)
"""
OTHER = b"def helper(x):\n    return x\n"
OPTIONAL = TypeExpr("Optional", (TENSOR,))


def make_found(root: Path) -> FoundPlan:
    """A plan for two functions of `model.py` below the root, and for one of a third party. It changes no file."""
    own, foreign = root / "model.py", root / "site" / "lib.py"
    foreign.parent.mkdir()
    own.write_bytes(SOURCE)
    foreign.write_bytes(OTHER)
    project = Project(str(root), {"model": str(own)}, third_party={"lib": str(foreign)})

    def annotate(file: Path, qualname: str, line: int, name: str, type_: TypeExpr) -> Annotation:
        slot = Slot(Owner(str(file), qualname, line), SlotKind.PARAMETER, name)
        return Annotation(slot, type_, rules=("a rule",), evidence=(Observation(slot, type_, 3, ("a", "b")),))

    plan = Plan().with_(
        [
            annotate(own, "Net.forward", 9, "x", TENSOR),
            annotate(own, "Net.forward", 9, "mask", OPTIONAL),
            annotate(own, "scale", 4, "factor", TypeExpr("int")),
            annotate(own, "no such function", 4, "x", TENSOR),
            annotate(foreign, "helper", 1, "x", TENSOR),
        ]
    )
    return FoundPlan(plan, Evidence(project, ()), Mended(project))


def add_mend(found: FoundPlan) -> FoundPlan:
    """The same plan with a mend that it needs, which moves the lines after it."""
    file = found.mended.disk.modules["model"]
    edits = (Edit(SOURCE.index(b"x * factor"), "factor * "),)
    place, owner, said = Place(file, 5, 12), Owner(file, "scale", 4), "It said no."
    mend = Mend("made_up", MendKind.EXACT, owner, place, "`scale` squares", {file: edits}, because=said)
    files = found.mended.add([mend], found.mended.disk)
    return replace(found, evidence=Evidence(files.project, ()), mended=files)

"""A made-up plan to choose from, for the tests of what is asked."""

from __future__ import annotations

from pathlib import Path

from pdt_annotate.flows.choice import FoundPlan
from pdt_annotate.search.plan import Plan
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Annotation, Observation, Owner, Slot, SlotKind
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
    """A plan for two functions of `model.py` below the root, and for one of a third party; no file there changes."""
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
    return FoundPlan(plan, project, {})

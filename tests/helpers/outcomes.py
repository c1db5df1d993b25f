"""A made-up outcome, for the tests of what is printed and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Observation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Failure, Verdict

BEFORE = b"""\
from torch import nn


class Net(nn.Module):
    def forward(self, x, mask=None):
        return x if mask is None else x * mask
"""

AFTER = b"""\
from typing import Optional

from torch import Tensor, nn


class Net(nn.Module):
    def forward(self, x: Tensor, mask: Optional[Tensor] = None):
        return x if mask is None else x * mask
"""

PASSED = (
    Verdict("parses", True),
    Verdict("scripts", True),
    Verdict("answers", True),
    Verdict("answers", True),
    Verdict("held back", True),
)


def make_outcome(root: Path) -> Outcome:
    """Two annotations in `model.py` below the root, verified; the file is written there as it was before."""
    file = root / "model.py"
    file.write_bytes(BEFORE)
    owner = Owner(str(file), "Net.forward", 5)
    x, mask = Slot(owner, SlotKind.PARAMETER, "x"), Slot(owner, SlotKind.PARAMETER, "mask")
    after_x, after_mask = BEFORE.index(b", mask"), BEFORE.index(b"=None")
    edits = (
        Edit(0, "from typing import Optional\n\n"),
        Edit(BEFORE.index(b"nn"), "Tensor, "),
        Edit(after_x, ": ", owner),
        Edit(after_x, "Tensor", owner, x),
        Edit(after_mask, ": ", owner),
        Edit(after_mask, "Optional[Tensor]", owner, mask),
        Edit(after_mask, " ", owner),
        Edit(after_mask + 1, " ", owner),
    )
    annotations = (
        Annotation(x, TENSOR, evidence=(Observation(x, TENSOR, 3, ("a", "b")),), rules=("tensor",)),
        Annotation(
            mask,
            TypeExpr("Optional", (TENSOR,)),
            Origin.GUESS,
            rules=("default None",),
            evidence=(Observation(mask, NONE, 1, ("a",)), Observation(mask, TENSOR, 2, ("b",))),
            alternatives=(TypeExpr("Optional", (TypeExpr("int"),)),),
        ),
    )
    return Outcome(
        targets=(Target("model.py:Net", "", str(file), "Net"),),
        root=str(root),
        changes=(FileChange(str(file), BEFORE, AFTER, edits),),
        annotations=annotations,
        findings=(Finding("PDT030", "only None was seen for `mask`", Place(str(file), 5, 26), mask),),
        verdicts=PASSED,
        verified=True,
    )


def fail(outcome: Outcome, message: str = "Arguments for call are not valid.") -> Outcome:
    """The same outcome, turned down by the compiler in the annotated `forward`."""
    file = outcome.changes[0].file
    failure = Failure(message, "RuntimeError", Place(file, 8, 39), (Place(file, 6, 7),), text=message)
    verdicts = (Verdict("parses", True), Verdict("scripts", False, failure))
    return replace(outcome, verdicts=verdicts, verified=False)

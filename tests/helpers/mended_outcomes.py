"""A made-up outcome with mends beside annotations, put together as the flow does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pdt_annotate.flows.on_disk import rendered_on_disk
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind, MendLevel
from pdt_annotate.values.outcome import MendAdvice, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR, TypeExpr
from pdt_annotate.values.verdicts import Verdict

SOURCE = """\
from torch import Tensor, nn


def halve(x: Tensor, by: float):
    return (lambda t: t / by)(x)


class Block(nn.Module):
    def forward(self, x, scale=None, **kwargs):
        if scale:
            x = x * scale
        return halve(x, 2.0)
"""
MENDED = (
    SOURCE.replace("(lambda t: t / by)(x)", "x / by")
    .replace("if scale:", "if scale is not None:\n            # a layer")
    .replace(", **kwargs", "")
)
AFTER = MENDED.replace("self, x, scale=None", "self, x: Tensor, scale: Optional[Tensor] = None").replace(
    "from torch", "from typing import Optional\n\nfrom torch", 1
)
LAMBDA, TRUTH, STARS = "Lambda aren't supported", "Could not cast value\nof type None to bool", "variable number"


def mends_of(file: str) -> tuple[Mend, ...]:
    """One of a function that is annotated already, two of one that is not, the first of which leaves something out."""
    halve, forward = Owner(file, "halve", 4), Owner(file, "Block.forward", 9)

    def mend(name: str, owner: Owner, place: tuple[int, int], old: str, new: str, because: str) -> Mend:
        edits = (Edit(SOURCE.index(old), new, removed=len(old)),)
        summary = f"`{old.strip()}` is written otherwise"
        return Mend(name, MendKind.EXACT, owner, Place(file, *place), summary, {file: edits}, because=because)

    stars = mend("variadics", forward, (9, 36), ", **kwargs", "", STARS)
    return (
        mend("local_functions", halve, (5, 12), "(lambda t: t / by)(x)", "x / by", LAMBDA),
        replace(stars, kind=MendKind.SCRIPTED, left_out="what `**kwargs` took"),
        mend("none_tests", forward, (10, 12), "if scale:", "if scale is not None:\n            # a layer", TRUTH),
    )


def mended_outcome(root: Path) -> Outcome:
    """Three mends and two annotations in `model.py` below the root, verified; the file is there as it was before."""
    path = root / "model.py"
    path.write_text(SOURCE)
    file, project = str(path), Project(str(root), {"model": str(path)})
    mended = Mended(project).add(mends_of(file), project)
    forward = Owner(file, "Block.forward", 9)
    types = {"x": TENSOR, "scale": TypeExpr("Optional", (TENSOR,))}
    annotations = [Annotation(Slot(forward, SlotKind.PARAMETER, name), type_) for name, type_ in types.items()]
    rendered = rendered_on_disk(render(Plan().with_(annotations), mended.project, {}), mended)
    return Outcome(
        targets=(Target("model.py:Block", "", file, "Block"),),
        root=str(root),
        changes=rendered.changes,
        annotations=rendered.written,
        verdicts=(Verdict("parses", True), Verdict("scripts", True), Verdict("answers", True)),
        verified=True,
        mends=mended.mends,
    )


def advised_outcome(root: Path) -> Outcome:
    """The same, as a run that failed because it was not asked for mends."""
    outcome = mended_outcome(root)
    verdicts = (Verdict("scripts", False),)
    advised = MendAdvice(MendLevel.ALL, outcome.mends, 5, 4)
    return replace(outcome, changes=(), verdicts=verdicts, verified=False, mends=(), advised=advised)

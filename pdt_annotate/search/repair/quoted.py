"""`Unknown type annotation: 'List[int]' at`: under `from __future__ import annotations` a class body holds text alone.

The message has no place. The annotation is repeated, in the form that the compiler reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.said import QUOTED
from pdt_annotate.search.repair.family import relatives, written
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.values.slots import SlotKind


def propose(situation: Situation) -> Iterator[Proposal]:
    """Repeat the annotations of all modules in files with that import: the next would fail with the same message."""
    if not QUOTED.is_in(situation.message):
        return
    # The classes of the observed modules, and their base classes.
    seen = {slot.owner.qualname for slot in situation.seen if slot.kind is SlotKind.ATTRIBUTE}
    known = relatives(situation)
    own = [cls for cls in known.classes or () if cls.owner.qualname in seen]
    classes = {cls.owner: cls for each in own for cls in (each, *known.ancestors(each))}
    annotations = [
        annotation
        for cls in classes.values()
        if situation.project.read(cls.owner.file).future_annotations
        for annotation in written(situation, cls)
        if situation.plan.get(annotation.slot) is None
    ]
    if annotations:
        yield Proposal(tuple(annotations))

"""What to do about a fault: the catalogue's advice, and what fits this part in particular."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import PUT, TOLIST
from pdt_annotate.values.verdicts import Fault, Part

NEEDS_OTHER_CODE = frozenset(("PDT001", "PDT004", "PDT005", "PDT006", "PDT010", "PDT011", "PDT012", "PDT015", "PDT019"))
"""Faults that no annotation mends; the code itself is at fault."""

HINTS = (
    ("PDT040", PUT, "Without annotation an empty list or dict is one of Tensors: write `a: List[int] = []`."),
    ("PDT041", TOLIST, "Write `a: List[int] = t.tolist()`."),
)
"""What a message asks for where its code says it in general."""


def remedies(fault: Fault, part: Part, *, is_entered: bool) -> tuple[str, ...]:
    """What to do: about this kind of fault, then what else this part allows."""
    hints = (hint for code, said, hint in HINTS if fault.code == code and said.is_in(fault.failure.message))
    return (next(hints, catalogue.entry(fault.code).advice), *_further(fault, part, is_entered))


def _further(fault: Fault, part: Part, is_entered: bool) -> Iterator[str]:
    if fault.code not in NEEDS_OTHER_CODE:
        return
    if fault.owner is not None and not is_entered:
        name = fault.owner.qualname
        yield f"No example call enters {name}: @torch.jit.unused leaves it out, if the scripted model can do without."
    if part.traces:
        calls = "its recorded call" if part.calls == 1 else f"its {part.calls} recorded calls"
        yield f"Or trace this module, if it has no branch on data: torch.jit.trace answers alike on {calls}."

"""The observations of one run: counts by slot and type, and the example calls that showed them."""

from __future__ import annotations

from collections.abc import Iterator

from monkeytype.tracing import CallTrace, CallTraceLogger

from pdt_annotate.values.slots import Observation, Slot
from pdt_annotate.values.types import TypeExpr


class Store(CallTraceLogger):
    """Collects observations; bounded by slots and distinct types, not by calls.

    `call` is the name of the example call that runs. `news` grows whenever a slot shows a type for the first time.
    """

    def __init__(self) -> None:
        self.call = ""
        self.news = 0
        self._seen: dict[tuple[Slot, TypeExpr], tuple[int, dict[str, None]]] = {}

    def add(self, slot: Slot, type_: TypeExpr, count: int = 1) -> None:
        """Count a type at a slot for the call that runs."""
        before, calls = self._seen.get((slot, type_), (0, {}))
        if not before:
            self.news += 1
        calls[self.call] = None
        self._seen[slot, type_] = (before + count, calls)

    def log(self, trace: CallTrace) -> None:
        raise TypeError("observations are added by slot, not as MonkeyType traces")

    def observations(self) -> Iterator[Observation]:
        """All that was seen, in source order of the slots."""
        for (slot, type_), (count, calls) in sorted(self._seen.items(), key=lambda item: item[0][0].sort_key):
            yield Observation(slot, type_, count, tuple(calls))

"""A plan: which annotation stands in which slot, and how it is rendered, for a quick attempt or for good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pdt_annotate.values.slots import Annotation, Slot, SlotKind


@dataclass(frozen=True)
class Plan:
    """Annotations by slot. Immutable: every change gives a new plan."""

    annotations: Mapping[Slot, Annotation] = field(default_factory=dict)

    def get(self, slot: Slot) -> Annotation | None:
        return self.annotations.get(slot)

    def with_(self, changes: Iterable[Annotation]) -> Plan:
        return replace(self, annotations={**self.annotations, **{a.slot: a for a in changes}})

    def without(self, slots: Iterable[Slot]) -> Plan:
        dropped = set(slots)
        return self.only(lambda slot: slot not in dropped)

    def only(self, keep: Callable[[Slot], bool]) -> Plan:
        """The plan with the slots that are to be kept."""
        return replace(self, annotations={slot: a for slot, a in self.annotations.items() if keep(slot)})

    def changes_from(self, before: Plan) -> tuple[Annotation, ...]:
        """The annotations that are new, or other than before."""
        return tuple(a for slot, a in self.annotations.items() if before.get(slot) != a)

    def slots_of(self, *kinds: SlotKind) -> list[Slot]:
        """The slots of these kinds, in source order."""
        return sorted((slot for slot in self.annotations if slot.kind in kinds), key=lambda slot: slot.sort_key)

    def by_file(self) -> dict[str, list[Annotation]]:
        files: dict[str, list[Annotation]] = defaultdict(list)
        for annotation in sorted(self.annotations.values(), key=lambda a: a.slot.sort_key):
            files[annotation.slot.owner.file].append(annotation)
        return files

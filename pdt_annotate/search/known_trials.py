"""What trials have shown already: a plan that differs only where the compiler did not look ends as another did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from pdt_annotate.search.plan import Plan
from pdt_annotate.source.project import Project
from pdt_annotate.values.slots import Owner, Slot, SlotKind
from pdt_annotate.values.verdicts import Failure, Trial


@dataclass(frozen=True)
class Known:
    """A plan, its trial, and the functions that were read in it."""

    plan: Plan
    trial: Trial
    read: frozenset[Owner]
    failed_in: Owner | None

    def tells_of(self, plan: Plan) -> bool:
        """Whether another plan has the same annotations wherever the compiler looked."""
        slots = self.plan.annotations.keys() | plan.annotations.keys()
        return all(self.plan.get(slot) == plan.get(slot) for slot in slots if self._was_read(slot))

    def _was_read(self, slot: Slot) -> bool:
        """The compiler goes through a function from the top, and ends at the failure; attributes it reads first."""
        if slot.kind is SlotKind.LOCAL and slot.owner == self.failed_in and self.trial.failure is not None:
            return slot.line <= self.trial.failure.place.line
        return slot.kind is SlotKind.ATTRIBUTE or slot.owner in self.read


@dataclass
class KnownTrials:
    """The trials so far, by what was compiled in them.

    Args:
        project: where functions are found.
        with_stubs: adds to functions the overloads that are declared for them.
    """

    project: Project
    with_stubs: Callable[[set[Owner]], set[Owner]]
    _known: dict[Hashable, list[Known]] = field(default_factory=lambda: defaultdict(list))

    def find(self, subject: Hashable, plan: Plan) -> Trial | None:
        """How a plan ends, where that is known."""
        return next((known.trial for known in self._known[subject] if known.tells_of(plan)), None)

    def note(self, subject: Hashable, plan: Plan, trial: Trial) -> None:
        read = frozenset(self.with_stubs({*trial.compiled, *trial.ignored}))
        self._known[subject].append(Known(plan, trial, read, self._function_of(trial.failure)))

    def forget(self) -> None:
        """What is built anew may end otherwise."""
        self._known.clear()

    def _function_of(self, failure: Failure | None) -> Owner | None:
        function = self.project.function_at(failure.place.file, failure.place.line) if failure else None
        return function.owner if function else None

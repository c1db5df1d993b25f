"""`--interactive`: whether to take the mends, all or none, and which annotations to take, function by function."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Protocol

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.mends.mended import Mended
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.values.errors import NothingTaken
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.slots import Annotation, Owner
from pdt_annotate.values.verdicts import Trial

Taken = Mapping[Owner, tuple[Annotation, ...]]  # the annotations to write, by function or class; others get none


@dataclass(frozen=True)
class FoundPlan:
    """A plan that verifies, to choose from; it does not verify without the mends, which the evidence is about."""

    plan: Plan
    evidence: Evidence
    mended: Mended

    @property
    def mending(self) -> Iterator[FileChange]:
        """The changes of the mends alone, in files under the root."""
        disk = self.mended.disk
        own = (each for each in self.mended.sources.items() if disk.is_own(each[0]))
        return (FileChange(file, disk.source(file), source) for file, source in own)

    @cached_property
    def rendered(self) -> Rendered:
        return render(self.plan, self.evidence)

    @cached_property
    def shares(self) -> Taken:
        """The annotations of each function and class under the root, in source order, without those of an overlay."""
        own = (a for a in self.rendered.written if self.mended.disk.is_own(a.slot.owner.file))
        in_order = sorted(own, key=lambda a: (a.slot.owner.file, a.slot.owner.line, a.slot.owner.qualname))
        return {owner: tuple(share) for owner, share in groupby(in_order, key=lambda a: a.slot.owner)}

    def choose(self, taken: Taken) -> Plan:
        """Return the plan with the taken annotations, and without the offered ones that were not taken."""
        asked = {annotation.slot for share in self.shares.values() for annotation in share}
        chosen = {annotation.slot: annotation for share in taken.values() for annotation in share}
        return self.plan.only(lambda slot: slot not in asked or slot in chosen).with_(chosen.values())

    def render(self, taken: Taken) -> Rendered:
        return self.rendered if taken == self.shares else render(self.choose(taken), self.evidence)

    def preview(self, taken: Taken, owner: Owner, share: Sequence[Annotation]) -> FileChange:
        others = [a for other, kept in taken.items() if other.file == owner.file and other != owner for a in kept]
        return FileChange(owner.file, self._write(owner.file, others), self._write(owner.file, [*others, *share]))

    def _write(self, file: str, annotations: Sequence[Annotation]) -> bytes:
        changes = render(Plan().with_(annotations), self.evidence).changes
        return changes[0].after if changes else self.evidence.project.source(file)


class Chooser(Protocol):
    """The person or program that is asked."""

    def accept(self, found: FoundPlan) -> bool:
        """Return whether to take the mends; this is asked first."""

    def choose(self, found: FoundPlan) -> Taken:
        """Return the annotations to take."""

    def choose_again(self, found: FoundPlan, taken: Taken, rendered: Rendered, trial: Trial) -> Taken | None:
        """Return the annotations to take instead, after the taken ones did not verify; None to give up."""


def choose_until_verified(
    found: FoundPlan, verify: Callable[[Rendered], Trial], chooser: Chooser | None, progress: Callable[[str], None]
) -> tuple[Rendered, Trial]:
    """Let the chooser choose until the choice verifies or is given up, and return it with its trial.

    Without a chooser all annotations are taken. Raises `NothingTaken` if everything or the mends were left out.
    """
    if chooser and found.mended.mends and not chooser.accept(found):  # nothing verifies without them
        raise NothingTaken("the changes of code were not accepted")
    asked = chooser if found.shares else None
    taken = asked.choose(found) if asked else found.shares
    while True:
        if asked and not found.mended.mends and not any(taken.values()):
            raise NothingTaken("nothing was accepted")
        progress("verifying what will be written")
        rendered = found.render(taken)
        trial = verify(rendered)
        if trial.ok or asked is None or taken == found.shares:
            return rendered, trial
        again = asked.choose_again(found, taken, rendered, trial)
        if again is None:
            return rendered, trial
        taken = again

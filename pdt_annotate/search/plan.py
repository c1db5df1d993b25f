"""A plan: the annotation for each slot; how to render it; and how it is tried: the whole, or one function alone."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.processes import tasks
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import TargetRun, attempt
from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import Moves, moves_of, trace
from pdt_annotate.values.budget import ALLOWANCES, UNBOUNDED, Budget
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.mends import LiveFacts
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import NO_PLACE, Annotation, Finding, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial
from pdt_annotate.verify.text_judges import accept_undecided, join_trials


@dataclass(frozen=True)
class Plan:
    """Annotations by slot. Immutable: every change returns a new plan."""

    annotations: Mapping[Slot, Annotation] = field(default_factory=dict)

    def get(self, slot: Slot) -> Annotation | None:
        return self.annotations.get(slot)

    def written(self, slot: Slot) -> TypeExpr | None:
        annotation = self.annotations.get(slot)
        return annotation.written if annotation else None

    def with_(self, changes: Iterable[Annotation]) -> Plan:
        return replace(self, annotations={**self.annotations, **{a.slot: a for a in changes}})

    def without(self, slots: Iterable[Slot]) -> Plan:
        dropped = set(slots)
        return self.only(lambda slot: slot not in dropped)

    def only(self, keep: Callable[[Slot], bool]) -> Plan:
        return replace(self, annotations={slot: a for slot, a in self.annotations.items() if keep(slot)})

    def changes_from(self, before: Plan) -> tuple[Annotation, ...]:
        """The annotations that are new, or different from before."""
        return tuple(a for slot, a in self.annotations.items() if before.get(slot) != a)

    def in_order(self) -> list[Annotation]:
        return sorted(self.annotations.values(), key=lambda annotation: annotation.slot.sort_key)

    def by_file(self) -> dict[str, list[Annotation]]:
        return grouped((annotation.slot.owner.file, annotation) for annotation in self.in_order())


def render_candidate(plan: Plan, evidence: Evidence) -> Candidate:
    """The plan for modules that are already imported: no line moves."""
    rewritten = {file: _rewrite_inline(each, file, evidence) for file, each in plan.by_file().items()}
    sources = {file: each.source for file, each in rewritten.items()}
    imports = {file: each.imports for file, each in rewritten.items()}
    attributes = grouped((a.slot.owner.name, a) for a in plan.in_order() if a.slot.kind is SlotKind.ATTRIBUTE)
    signatures = tuple(a for a in plan.annotations.values() if a.slot.kind in (SlotKind.PARAMETER, SlotKind.RETURN))
    return Candidate(sources, imports, {owner: tuple(found) for owner, found in attributes.items()}, signatures)


def _rewrite_inline(planned: Sequence[Annotation], file: str, evidence: Evidence) -> Rewritten:
    inline = [a for a in planned if a.slot.kind is not SlotKind.ATTRIBUTE]
    return _writer(file, evidence)(evidence.project.source(file), inline, imports=False)


def _writer(file: str, evidence: Evidence) -> partial[Rewritten]:
    module, style = evidence.project.module_name(file), evidence.project.style(file)
    return partial(rewrite, file=file, module=module, classes=evidence.classes, style=style)


def render(plan: Plan, evidence: Evidence) -> Rendered:
    changes, again = list[FileChange](), list[FileChange]()
    written, refused = list[Annotation](), list[Finding]()
    for file, planned in plan.by_file().items():
        write = partial(_writer(file, evidence), imports_of=evidence.project.imports_of)
        before = evidence.project.source(file)
        rewritten = write(before, planned)
        written += rewritten.written
        refused += rewritten.refused
        if rewritten.source != before:
            changes.append(change := FileChange(file, before, rewritten.source, rewritten.edits))
            second = write(rewritten.source, list(follow_owners(planned, moves_of([change])[file])))
            again.append(FileChange(file, rewritten.source, second.source, second.edits))
    return Rendered(tuple(changes), tuple(written), tuple(refused), tuple(again))


def follow_owners(planned: Iterable[Annotation], moves: Moves) -> Iterator[Annotation]:
    """The same annotations for the rewritten file, in which added lines have moved the owners."""
    for annotation in planned:
        slot = annotation.slot
        owner = replace(slot.owner, line=moves.follow(slot.owner.line))
        yield replace(annotation, slot=replace(slot, owner=owner, line=moves.follow(slot.line)))


@dataclass
class KnownTrials:
    """The trials so far, by the code that they compiled."""

    evidence: Evidence
    _known: dict[Hashable, list[tuple[Plan, Trial, Callable[[Slot], bool]]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def find(self, subject: Hashable, plan: Plan) -> Trial | None:
        """An earlier trial of a plan with the same annotations in all code that the compiler read, if there is one."""
        for known, trial, was_read in self._known[subject]:
            slots = known.annotations.keys() | plan.annotations.keys()
            if all(known.written(slot) == plan.written(slot) for slot in slots if was_read(slot)):
                return trial
        return None

    def note(self, subject: Hashable, plan: Plan, trial: Trial) -> None:
        read = frozenset(self.evidence.with_stubs({*trial.compiled, *trial.ignored}))
        place = trial.failure.place if trial.failure else NO_PLACE
        failed_in = self.evidence.project.function_at(place.file, place.line) if trial.failure else None

        def was_read(slot: Slot) -> bool:
            # The compiler reads a function from the top to the failure; attributes it reads first.
            if failed_in is not None and slot.kind is SlotKind.LOCAL and slot.owner == failed_in.owner:
                return slot.line <= place.line
            return slot.kind is SlotKind.ATTRIBUTE or slot.owner in read

        self._known[subject].append((plan, trial, was_read))

    def forget(self) -> None:
        """A target that is built again may end differently."""
        self._known.clear()


WHOLE = "whole"
Part = tuple[Session, str, str]  # the session, the file, and the class or function in it
Rebuild = Callable[[TargetRun, Candidate], TargetRun]


@dataclass
class Trials:
    """Tries the plans of a search."""

    runs: tuple[TargetRun, ...]  # the targets in their sessions
    evidence: Evidence
    options: Options
    # Builds a run again over a candidate, for a target that makes code of its annotations when it is built.
    rebuild: Rebuild | None = None
    # The time for all searches with them, and the number of trials of the whole in one.
    budget: Budget = field(default_factory=lambda: UNBOUNDED.part("annotations"))
    rebuilt: int = 0
    parts_are_hopeless: bool = False  # whether no failing part could be repaired the last time
    # Only mends that leave nothing out ask whether the code is scripted, and so no result may differ.
    is_exact: bool = False

    def __post_init__(self) -> None:
        self._known = KnownTrials(self.evidence)
        self._not_alone: set[Part] = set()

    def render(self, plan: Plan) -> Candidate:
        return render_candidate(plan, self.evidence)

    def place_on_disk(self, plan: Plan) -> Callable[[Failure], Failure]:
        """A function that places failures of a plan in the files: the annotated lines have other columns."""

        planned = plan.by_file()

        @cache
        def moves(file: str) -> Moves:
            rewritten = _rewrite_inline(planned[file], file, self.evidence)
            return Moves(self.evidence.project.source(file), rewritten.edits)

        def place(failure: Failure) -> Failure:
            files = {each.file for each in (failure.place, *failure.chain)}
            return trace(failure, {file: moves(file) for file in files & planned.keys()})

        return place

    def on_disk(self, plan: Plan, trial: Trial) -> Trial:
        """The trial of a plan with its failures at their places in the files."""
        place = self.place_on_disk(plan)
        verdicts = (replace(each, failure=each.failure and place(each.failure)) for each in trial.verdicts)
        return replace(trial, verdicts=tuple(verdicts))

    def try_whole(self, plan: Plan) -> Trial:
        trial = self._known.find(WHOLE, plan)
        if trial is None:
            candidate = self.render(plan)
            trial = self.judge(join_trials(attempt(run.session, candidate, thorough=False) for run in self.runs))
            self._known.note(WHOLE, plan, trial)
        return trial

    def judge(self, trial: Trial) -> Trial:
        """The trial, in which results that differ on purpose are failures if no author can have meant them to differ.

        A library that asks may mean it.
        """
        files = {owner.file for owner in trial.compiled if not self.evidence.project.has(owner.file)}
        asking = (file for file in files if f"{os.sep}torch{os.sep}" not in file and os.path.isfile(file))
        if not self.is_exact or any(b"is_scripting" in Path(file).read_bytes() for file in asking):
            return trial
        verdicts = (replace(v, ok=v.ok and not (v.failure and not v.failure.code)) for v in trial.verdicts)
        return replace(trial, verdicts=tuple(verdicts))

    def try_thoroughly(self, plan: Plan) -> Trial:
        """The trial as users will run it, with gradients, and with the model after saving and loading."""
        candidate = self.render(plan)
        return self.judge(join_trials(accept_undecided(attempt(run.session, candidate)) for run in self.runs))

    @property
    def makes_code(self) -> bool:
        return any(run.observed.makes_code for run in self.runs)

    def is_in_made_code(self, trial: Trial) -> bool:
        """Whether a failure points to code that neither the project nor a library holds: generated while building."""
        file = trial.failure.place.file if trial.failure else ""
        is_known = self.evidence.project.has(file) or is_installed(file)
        return os.path.isabs(file) and not (is_known or file.startswith(self.options.interpreter.libraries))

    def build_anew(self, plan: Plan) -> bool:
        """Build the targets again, so that code which they make follows the annotations; False if impossible."""
        if self.rebuild is None or self.rebuilt >= ALLOWANCES["rebuilds"].steps:
            return False
        self.rebuilt += 1
        candidate = self.render(plan)
        try:
            self.runs = tuple(self.rebuild(run, candidate) for run in self.runs)
        except UserError:  # an annotation that cannot be evaluated in its place; the trials go on without it
            return False
        self._known.forget()
        self.parts_are_hopeless = False
        return True

    def try_function(self, run: TargetRun, plan: Plan, owner: Owner) -> Trial | None:
        """Compile one function alone, or a module that has the method; None if the session does not know it."""
        part = _part(run, owner)
        if part in self._not_alone:
            return None
        trial = self.known_alone(run, plan, owner)
        if trial is None:
            trial = tasks.attempt_part(run.session, self.render(plan), owner)
            if trial is None:
                self._not_alone.add(part)
            else:
                trial = self.judge(trial)
                self._known.note(part, plan, trial)
        return trial

    def known_alone(self, run: TargetRun, plan: Plan, owner: Owner) -> Trial | None:
        """An earlier trial of one function alone with a plan like this, if there is one."""
        return self._known.find(_part(run, owner), plan)

    def failing_parts(self, plan: Plan, trial: Trial) -> Iterator[Trial]:
        """The failures of submodules that the compiler did not reach in a trial, because it had stopped before."""
        if trial.verdicts[0].ok:
            return
        candidate = self.render(plan)
        for run in self.runs:
            yield from tasks.failing_parts(run.session, candidate, trial.compiled)

    def facts(self) -> Iterator[LiveFacts]:
        return (tasks.facts(run.session) for run in self.runs)

    def return_types(self, plan: Plan) -> dict[Owner, str]:
        """The return type of each function, as the compiler prints it."""
        candidate = self.render(plan)
        found = (tasks.return_types(run.session, candidate).items() for run in self.runs)
        return dict(chain.from_iterable(found))


def _part(run: TargetRun, owner: Owner) -> Part:
    return run.session, owner.file, owner.qualname.rpartition(".")[0] or owner.qualname

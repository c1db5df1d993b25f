"""Trying plans in the sessions of the targets: the whole, or the smallest part that shows a fault."""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.processes.tasks import Run, attempt_part, failing_parts, judge, return_types
from pdt_annotate.search import repair
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.render import render_candidate
from pdt_annotate.search.repair.situation import return_slot
from pdt_annotate.settings.options import Returns
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Annotation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.judging import join_trials, settle

PART_TRIALS = 40
LIBRARY_PATHS = ("stdlib", "purelib", "platlib")
DROPPED = Trial(())
REBUILDS = 3
LIBRARIES = tuple({os.path.join(os.path.realpath(sysconfig.get_path(name)), "") for name in LIBRARY_PATHS})


@dataclass
class Trials:
    """What the search tries and proposes. Small parts are mended by themselves before the whole is compiled again.

    Args:
        runs: the targets in their sessions.
        evidence: what they showed.
        returns: which returns may be annotated.
        rebuild: makes a run anew over a candidate, for a target that makes code of its annotations when it is built.
    """

    runs: tuple[Run, ...]
    evidence: Evidence
    returns: Returns
    rebuild: Callable[[Run, Candidate], Run] | None = None
    rebuilt: int = 0

    def search(self) -> Step:
        """Look for a plan with which every target scripts and answers alike, and drop from it what is not needed."""
        plan = Plan().with_(self.evidence.choose(self.evidence.entered_files))
        whole = Search(self.try_whole, self.grow, self.propose)
        step = whole.run(plan)
        while self._is_in_made_code(step.trial) and self._rebuild(step.plan):
            whole = Search(self.try_whole, self.grow, self.propose)
            step = whole.run(step.plan)
        step = replace(step, trial=settle(step.trial))
        if not step.trial.ok:
            return step
        step = whole.prune(step, self._fails_early(step.plan))
        return self.add_returns(step) if self.returns is Returns.ALL else step

    def render(self, plan: Plan) -> Candidate:
        return render_candidate(plan, self.evidence.project, self.evidence.classes)

    def try_whole(self, plan: Plan) -> Trial:
        trial = self._judge(plan)
        # What examples show may be all that the made code lacks; what repair adds is built in after the search.
        if not self.rebuilt and self._is_in_made_code(trial) and self._rebuild(plan):
            trial = self._judge(plan)
        return trial

    def _judge(self, plan: Plan) -> Trial:
        candidate = self.render(plan)
        return join_trials(judge(run.session, candidate, optimized=False) for run in self.runs)

    def _is_in_made_code(self, trial: Trial) -> bool:
        """Whether a failure points to code that neither the project nor a library holds: made while building."""
        file = trial.failure.file if trial.failure else ""
        return os.path.isabs(file) and not self.evidence.project.has(file) and not file.startswith(LIBRARIES)

    def _rebuild(self, plan: Plan) -> bool:
        """Build the targets anew, so that code which they make follows the annotations; False if that cannot be."""
        if self.rebuild is None or self.rebuilt >= REBUILDS:
            return False
        self.rebuilt += 1
        candidate = self.render(plan)
        try:
            self.runs = tuple(self.rebuild(run, candidate) for run in self.runs)
        except UserError:  # an annotation that cannot be evaluated where it stands; the trials go on as they were
            return False
        return True

    def grow(self, plan: Plan, trial: Trial) -> Plan:
        """The plan with the files that the trial brought in reach, and returns of functions that it did not read."""
        reached = [*self.evidence.choose_in_reach(trial.compiled)]
        if self.returns is not Returns.NONE:
            reached += self.evidence.choose_returns(trial.ignored)
        return plan.with_(annotation for annotation in reached if plan.get(annotation.slot) is None)

    def propose(self, step: Step) -> Iterator[repair.Proposal]:
        """What mends the failing parts alone, all that one round shows, then what repair says of the whole."""
        mended = self.mend_part(step)
        plan = step.plan.with_(mended)
        for trial in self._failing_parts(step):
            plan = plan.with_(self.mend_part(Step(plan, trial)))
        together = plan.changes_from(step.plan)
        for changes in dict.fromkeys((together, mended)):
            if changes:
                yield repair.Proposal(changes)
        yield from self.propose_repairs(step)

    def _failing_parts(self, step: Step) -> Iterator[Trial]:
        """The failures of submodules that the compiler did not come to, because it had stopped before."""
        if step.trial.verdicts[0].ok:
            return
        candidate = self.render(step.plan)
        for run in self.runs:
            yield from failing_parts(run.session, candidate, step.trial.compiled)

    def propose_repairs(self, step: Step) -> Iterator[repair.Proposal]:
        failure, evidence = step.trial.failure, self.evidence
        if failure is None:
            return
        evidence.learn_classes(failure.message)
        situation = repair.Situation(
            failure=failure,
            plan=step.plan,
            project=evidence.project,
            seen=evidence.seen,
            namesakes=evidence.namesakes,
            classes=evidence.classes,
            compiled=step.trial.compiled,
        )
        for proposal in repair.propose(situation):
            if self.returns is not Returns.NONE or proposal.kinds != {SlotKind.RETURN}:
                yield proposal

    def mend_part(self, step: Step) -> tuple[Annotation, ...]:
        """The changes with which the failing function compiles alone; none where it does anyway, or never."""
        failure = step.trial.failure
        function = self.evidence.project.function_at(failure.file, failure.line) if failure else None
        if function is None:
            return ()

        tried = ((run, self._try_part(run, step.plan, function.owner)) for run in self.runs)
        run, first = next(((run, trial) for run, trial in tried if trial is not None), (None, None))
        if run is None or first is None:
            return ()

        def try_part(plan: Plan) -> Trial:
            return first if plan is step.plan else self._try_part(run, plan, function.owner) or first

        mended = Search(try_part, self.grow, self.propose_repairs, limit=PART_TRIALS).run(step.plan)
        return mended.plan.changes_from(step.plan) if mended.trial.ok else ()

    def _fails_early(self, plan: Plan) -> Callable[[Plan, Slot], bool]:
        """Whether the part that a slot belongs to, which compiles with the plan, does not without the slot.

        Without the return of a function that runs in Python it fails as soon as an example comes by.
        """

        @functools.cache
        def compiles(run: Run, owner: Owner) -> bool:
            trial = self._try_part(run, plan, owner)
            return trial is not None and trial.ok

        def fails(fewer: Plan, slot: Slot) -> bool:
            if slot.kind is SlotKind.RETURN and self.evidence.runs_in_python(slot.owner):
                return True
            return slot.kind is not SlotKind.ATTRIBUTE and any(
                compiles(run, slot.owner) and not (self._try_part(run, fewer, slot.owner) or DROPPED).ok
                for run in self.runs
            )

        return fails

    def _try_part(self, run: Run, plan: Plan, owner: Owner) -> Trial | None:
        return attempt_part(run.session, self.render(plan), owner)

    def add_returns(self, step: Step) -> Step:
        """Annotate the other returns with what the compiler made of them."""
        candidate = self.render(step.plan)
        types: dict[Owner, str] = {}
        for run in self.runs:
            types |= return_types(run.session, candidate)
        found = [a for owner, text in sorted(types.items()) if (a := self._annotate_return(owner, text, step.plan))]
        more = step.plan.with_(found)
        trial = self.try_whole(more)
        return Step(more, trial) if trial.ok else step

    def _annotate_return(self, owner: Owner, text: str, plan: Plan) -> Annotation | None:
        function = self.evidence.project.function(owner)
        type_ = parse_type(text)
        if function is None or function.returns or function.settled or type_ is None:
            return None
        slot = return_slot(function)
        seen = tuple(self.evidence.seen.get(slot, ()))
        new = Annotation(slot, type_, Origin.SOURCE, ("compiled schema",), seen)
        return None if plan.get(slot) else new

    def keep_reached(self, step: Step) -> Plan:
        """The plan without functions that were neither entered nor compiled: their defaults prove nothing.

        Of third-party functions those remain that the compiler read.
        """
        is_own = self.evidence.project.is_own
        read = {*step.trial.compiled, *step.trial.ignored}
        wanted = read.union(owner for owner in self.evidence.reached if is_own(owner.file))
        return step.plan.only(lambda slot: slot.owner in wanted or slot.kind is SlotKind.ATTRIBUTE)

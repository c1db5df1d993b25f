"""The main flow, for files, live objects and profiles. Values go from stage to stage; it writes no source.

An `AnnotationRun` knows how its targets are observed and verified: see `from_files`, `live_object`, `from_profile`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, partial, reduce

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.choice import Chooser, FoundPlan
from pdt_annotate.flows.review import review, review_cut_off, review_mends, unreached
from pdt_annotate.mends.mended import Mended
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.find_mends import MendCandidate, MendSearch
from pdt_annotate.search.plan import Rebuild, Trials, render
from pdt_annotate.search.problems import find_any_plan, keep_in_scope, trim
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import trace
from pdt_annotate.values.budget import ALLOWANCES, Budget, Progress
from pdt_annotate.values.mends import MendLevel, level_of
from pdt_annotate.values.outcome import NOTHING_RENDERED, MendAdvice, Outcome, Outdated, Overlaid, Rendered
from pdt_annotate.values.runs import NOTHING_READ, Closure
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Blame, Part, Trial


def annotate(run: AnnotationRun) -> Outcome:
    """Find annotations, and perhaps changes of code, with which the targets script and answer as in Python.

    Raises `NothingTaken` if the run's chooser left everything out.
    """
    observed = run.observe()  # the targets in their sessions, and the evidence
    solution = search(run, observed)  # annotations, then mends: a plan with its trial
    if not solution.verified:
        solution = find_blame(run, solution)  # repairs the parts that fail, perhaps all of them
    judged = run.verify(solution) if solution.verified else run.keep_parts(solution)
    if solution.verified and not judged.trial.ok:
        solution, judged = mend_further(run, solution, judged)
    return report(run, solution, judged)


def search(run: AnnotationRun, observed: ObservedTargets) -> Solution:
    """Look for annotations with which the sources verify; if no annotations suffice, also for changes of code."""
    trials = observed.trials
    version = shipped = MendCandidate(Mended(trials.evidence.project), trials, run.find_plan(trials))
    advised = None
    if not shipped.step.trial.ok or run.options.mend:
        version, advised = find_mends(run, shipped)
    if run.options.write_partial and not version.step.trial.ok:
        version = run.keep_mends(version, observed.runs) or shipped
    step = trim(version.trials, version.step) if run.trims else version.step
    return Solution(observed, version.mended, version.trials, step, advised)


def find_mends(run: AnnotationRun, shipped: MendCandidate) -> tuple[MendCandidate, MendAdvice | None]:
    """Look for the mends that the options allow; if these do not verify, for all, to advise them.

    Returns the version that verifies, otherwise the one that came furthest; and advice on mends that the options do not
    allow, or that do not suffice. If a version with more mends came further, the places that are left are those in it.
    """
    version, level = shipped, run.options.mend
    if not shipped.step.trial.ok:
        run.progress("looking for changes of code that let it script")
    search_mends = partial(MendSearch, partial(look_at, run), look_longer=partial(look_longer, run))
    if level:
        mends = search_mends(level.kinds, run.budget.part("mends"))
        version = mends.improve(mends.run(shipped))
    if not run.advises or version.step.trial.ok:
        return version, None
    further = version
    if level is not MendLevel.ALL:
        further = search_mends(MendLevel.ALL.kinds, run.budget.part("mends")).run(version)
    return version if further.step.trial.ok else further, advise(further) if further.mended.mends else None


def look_at(run: AnnotationRun, mended: Mended) -> MendCandidate:
    """Observe sources with mends, and look for annotations, as long as these bring the version further."""
    trials = run.observe_mended(mended)
    loses = mended.disk.mentions("is_scripting") or any(mend.left_out for mend in mended.mends)
    trials = replace(trials, is_exact=bool(mended.mends) and not loses)
    return MendCandidate(mended, trials, find_any_plan(trials, ALLOWANCES["stuck version"].steps))


def look_longer(run: AnnotationRun, version: MendCandidate) -> MendCandidate:
    """Look for annotations of a version that is observed, until the search has no more steps."""
    version.trials.budget = run.budget.part("version")
    return replace(version, step=find_any_plan(version.trials))


def find_blame(run: AnnotationRun, solution: Solution) -> Solution:
    """Repair each part that fails, and list the faults of the parts that still fail."""
    run.progress("looking for the cause")
    step, blame = repair_parts(solution.trials, solution.step)
    return replace(solution, step=step, blame=blame)


def mend_further(run: AnnotationRun, solution: Solution, judged: Judged) -> tuple[Solution, Judged]:
    """Look for mends of what only calls with gradients, or of the saved model, show; verify again with allowed mends.

    The search for annotations does not make these calls: each of its trials would take several times as long.
    """
    trials, level = solution.trials, run.options.mend or (MendLevel.ALL if run.advises else None)
    trial = trials.try_thoroughly(solution.step.plan) if level and trials.runs else None
    if level is None or trial is None or trial.failure is None:
        return solution, judged
    run.progress("looking for changes of code that let it run")

    def try_thoroughly(found: MendCandidate) -> MendCandidate:
        if not found.step.trial.ok:
            return found
        return replace(found, step=replace(found.step, trial=found.trials.try_thoroughly(found.step.plan)))

    mends = MendSearch(
        lambda mended: try_thoroughly(look_at(run, mended)),
        level.kinds,
        run.budget.part("mends"),
        look_longer=lambda version: try_thoroughly(look_longer(run, version)),
    )
    version = mends.run(MendCandidate(solution.mended, trials, replace(solution.step, trial=trial)))
    if not version.step.trial.ok:
        return solution, judged
    if not run.options.mend:
        return replace(solution, advised=advise(version)), judged
    step = trim(version.trials, version.step)
    solution = replace(solution, mended=version.mended, trials=version.trials, step=step)
    return solution, run.verify(solution)


def advise(version: MendCandidate) -> MendAdvice:
    """Return the mends of a version, and the number of lines that its changes add and remove."""
    rendered = render(trim(version.trials, version.step).plan, version.trials.evidence)
    added = removed = 0
    for change in version.mended.on_disk(rendered).changes:
        before, after = change.before.splitlines(), change.after.splitlines()
        same = sum(each.size for each in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
        added, removed = added + len(after) - same, removed + len(before) - same
    mends = version.mended.mends
    return MendAdvice(level_of(mends), mends, added, removed, version.step.trial.ok)


def report(run: AnnotationRun, solution: Solution, judged: Judged) -> Outcome:
    """Return the outcome: the changes of the files on disk, and everything that the user needs to know about them."""
    options, observed, mended = run.options, solution.observed, solution.mended
    evidence, rendered, trial = solution.trials.evidence, judged.rendered, judged.trial
    keeps_mends = options.write_partial and not solution.verified and bool(mended.mends)
    holds = solution.verified or keeps_mends or judged.kept
    written = mended.on_disk(rendered) if holds else NOTHING_RENDERED
    own = tuple(each for each in written.changes if mended.disk.is_own(each.file))
    others = (each for each in written.changes if each not in own)
    overlaid = tuple(Overlaid(mended.disk.module_name(each.file), each) for each in others)
    mends = mended.mends if holds else ()
    cut_off = review_cut_off(solution.step.cut_off, options.budget, evidence.project)
    findings = (*review(evidence, rendered.written, trial), *rendered.refused, *cut_off, *judged.findings)
    remarks = (*run.remark(solution, judged, written, overlaid), *review_mends(mends), *observed.findings)
    reviewed = bool(observed.runs) and trial.ok and not options.no_probe and not mended.mends
    traced = partial(trace, moves=mended.moves)  # to places on disk
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=own,
        annotations=traced(rendered.written),
        findings=(*traced(findings), *remarks),
        verdicts=trial.verdicts,
        unreached=traced(unreached(evidence, trial)),
        verified=trial.ok and bool(observed.runs),  # a profile alone does not run
        blame=traced(solution.blame),
        kept=judged.kept,
        keeps_mends=keeps_mends,
        overlaid=overlaid,
        closure=reduce(Closure.__or__, (each.observed.closure for each in observed.runs), NOTHING_READ),
        mends=mends,
        advised=None if keeps_mends else solution.advised,
        outdated=observed.outdated,
        reviewed=trial.compiled if reviewed else (),
        python=options.python if observed.runs else "",
    )


@dataclass(frozen=True)
class ObservedTargets:
    """The targets on their example calls, and the evidence, with the sessions in which plans are tried."""

    runs: tuple[TargetRun, ...]  # the targets with their files as on disk; empty if a profile is the only evidence
    trials: Trials
    findings: tuple[Finding, ...] = ()  # about the profiles that were read
    outdated: Outdated | None = None  # about these profiles, too


@dataclass(frozen=True)
class Solution:
    """The plan that verifies, or came furthest, with its trial, in the version of the sources that it annotates."""

    observed: ObservedTargets
    mended: Mended
    trials: Trials
    step: Step
    advised: MendAdvice | None = None  # the mends with which a run would have verified
    blame: tuple[Blame, ...] = ()  # the faulty parts if nothing verifies

    @property
    def verified(self) -> bool:
        return self.step.trial.ok

    @cached_property
    def found(self) -> FoundPlan:
        """The annotations in scope to write: the tried ones, and observed ones."""
        evidence = self.trials.evidence
        return FoundPlan(keep_in_scope(self.step, evidence, self.trials.options.scope), evidence, self.mended)


@dataclass(frozen=True)
class Judged:
    """The rendered files with the last verdicts.

    Verdicts have places in the files that the user will see; all other places are in the mended files.
    """

    rendered: Rendered
    trial: Trial
    findings: tuple[Finding, ...] = ()
    kept: tuple[Part, ...] = ()  # the parts that work although the whole fails: only these are annotated


@dataclass(kw_only=True)
class AnnotationRun(ABC):
    """One run of the main flow. There is a subclass for files, for a live object, and for a profile."""

    options: Options
    progress: Progress = lambda text: None
    chooser: Chooser | None = None  # decides which annotations are taken; without one, all are
    trims: bool = True  # whether annotations that are not needed are dropped; if nobody reads them, that takes too long
    advises: bool = True  # whether mends that the user did not ask for are looked for, to advise them

    @abstractmethod
    def observe(self) -> ObservedTargets:
        """Run the example calls, or read earlier observations."""

    def observe_mended(self, mended: Mended) -> Trials:
        """Run the example calls of the sources with mends in them, if a plan can fail."""
        raise NotImplementedError

    def keep_mends(self, version: MendCandidate, shipped: Sequence[TargetRun]) -> MendCandidate | None:
        """Return a version that fails with only the mends that hold by themselves; None if there are none."""
        return None

    @abstractmethod
    def verify(self, solution: Solution) -> Judged:
        """Judge the annotations of a plan that verified, as they will be used; with a chooser, the chosen ones."""

    def find_plan(self, trials: Trials) -> Step:
        """Return the plan that verifies the sources of these trials, or came furthest."""
        self.progress("looking for annotations")
        return find_any_plan(trials)

    def keep_parts(self, solution: Solution) -> Judged:
        """Return the verdicts on a plan that failed. Its annotations are reported, and not written."""
        step = solution.step
        trial = trace(solution.trials.on_disk(step.plan, step.trial), solution.mended.moves)
        return Judged(solution.found.rendered, replace(trial, compiled=step.trial.compiled))

    def remark(
        self, solution: Solution, judged: Judged, written: Rendered, overlaid: Sequence[Overlaid]
    ) -> Iterable[Finding]:
        """Return findings on the changes of the files on disk, and of the files in an overlay."""
        return ()

    def make_trials(
        self, runs: tuple[TargetRun, ...], evidence: Evidence, part: str, rebuild: Rebuild | None = None
    ) -> Trials:
        return Trials(runs, evidence, self.options, rebuild, self.budget.part(part))

    @cached_property
    def budget(self) -> Budget:
        """The time of all searches, which begins once the example calls have run."""
        return Budget(self.options.budget)

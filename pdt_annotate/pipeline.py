"""The main flow: observe, choose, search, render, verify. Values go from stage to stage; nothing is written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from pdt_annotate import repair
from pdt_annotate.config import Options, Returns
from pdt_annotate.evidence import Evidence
from pdt_annotate.ir import Candidate, Observed, Outcome, Owner, SlotKind, Target, Trial, Verdict
from pdt_annotate.isolate import Session, Zygote
from pdt_annotate.plan import Plan, Rendered, render, render_candidate
from pdt_annotate.project import Project
from pdt_annotate.review import review, unreached
from pdt_annotate.search import Search, Step
from pdt_annotate.verify import parses, same_program, stable

Progress = Callable[[str], None]

PREPARE = "pdt_annotate.child:prepare"
FILES = "pdt_annotate.child:loaded_files"
OBSERVE = "pdt_annotate.child:observe"
ATTEMPT = "pdt_annotate.child:attempt"
ATTEMPT_PART = "pdt_annotate.parts:attempt_part"
PART_TRIALS = 40


@dataclass(frozen=True)
class Run:
    """One target with the session in which it is built, and what observing it gave."""

    target: Target
    session: Session
    observed: Observed


def annotate(options: Options, progress: Progress = lambda text: None) -> Outcome:
    """Observe the targets and find, render and verify their annotations.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    with Zygote(options.timeout) as zygote:
        runs, project = observe(options, zygote, progress)
        evidence = Evidence(project, (run.observed for run in runs))
        progress("looking for annotations that verify")
        step = search(options, runs, evidence)
        rendered = render(keep_reached(step, evidence), project, evidence.classes)
        progress("verifying in a fresh import")
        # The compiler's functions as they are numbered in the files on disk.
        trial = replace(verify(options, zygote, rendered), compiled=step.trial.compiled)
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes,
        annotations=rendered.written,
        findings=(*review(evidence, rendered.written, trial), *rendered.refused),
        verdicts=trial.verdicts,
        unreached=unreached(evidence, trial),
        verified=trial.ok,
    )


def observe(options: Options, zygote: Zygote, progress: Progress) -> tuple[list[Run], Project]:
    """Build every target in a session of its own and run the example calls."""
    progress("importing torch and your code")
    sessions = [(t, zygote.session(PREPARE, t, options.spec, options.root, {})) for t in options.targets]
    modules: dict[str, str] = {}
    for _, session in sessions:
        modules |= session.run(FILES)
    project = Project(options.root, modules, frozenset({options.spec.file}))
    progress("running the example calls")
    as_scripted = any(b"is_scripting" in project.source(file) for file in modules.values())
    return [Run(target, session, session.run(OBSERVE, as_scripted)) for target, session in sessions], project


def search(options: Options, runs: list[Run], evidence: Evidence) -> Step:
    """Look for a plan with which every target scripts and answers alike."""
    hunt = Hunt(options, runs, evidence)
    whole = Search(hunt.try_whole, hunt.grow, hunt.propose)
    step = whole.run(Plan().with_(evidence.choose(owner.file for owner in evidence.reached)))
    step = replace(step, trial=settle(step.trial))
    return whole.prune(step) if step.trial.ok else step


@dataclass
class Hunt:
    """What the search tries and proposes. Small parts are mended by themselves before the whole is compiled again."""

    options: Options
    runs: list[Run]
    evidence: Evidence

    def try_whole(self, plan: Plan) -> Trial:
        candidate = self.render(plan)
        return join_trials(judge(run.session, candidate) for run in self.runs)

    def render(self, plan: Plan) -> Candidate:
        return render_candidate(plan, self.evidence.project, self.evidence.classes)

    def grow(self, plan: Plan, trial: Trial) -> Plan:
        return plan.with_(self.evidence.choose(owner.file for owner in trial.compiled))

    def propose(self, step: Step) -> Iterator[repair.Proposal]:
        """What mends the failing part alone, then what repair says of the whole."""
        mended = self.mend_part(step)
        if mended is not None:
            yield mended
        yield from self.propose_repairs(step)

    def propose_repairs(self, step: Step) -> Iterator[repair.Proposal]:
        failure = step.trial.failure
        if failure is None:
            return
        evidence = self.evidence
        situation = repair.Situation(
            failure, step.plan, evidence.project, evidence.seen, evidence.classes, step.trial.compiled
        )
        for proposal in repair.propose(situation):
            if self.options.returns is not Returns.NONE or proposal.kinds != {SlotKind.RETURN}:
                yield proposal

    def mend_part(self, step: Step) -> repair.Proposal | None:
        """The changes with which the failing function compiles alone; None where it does anyway, or never."""
        failure = step.trial.failure
        function = self.evidence.project.function_at(failure.file, failure.line) if failure else None
        if function is None:
            return None

        def try_part(plan: Plan) -> Trial:
            candidate = self.render(plan)
            for run in self.runs:
                trial: Trial | None = run.session.run(ATTEMPT_PART, candidate, function.owner)
                if trial is not None:
                    return trial
            return step.trial

        mended = Search(try_part, self.grow, self.propose_repairs, limit=PART_TRIALS).run(step.plan)
        changes = mended.plan.changes_from(step.plan)
        return repair.Proposal(changes) if mended.trial.ok and changes else None


def judge(session: Session, candidate: Candidate) -> Trial:
    """Try a candidate; where answers differ, accept what the source answers on purpose when it is scripted."""
    trial: Trial = session.run(ATTEMPT, candidate)
    if trial.ok or not trial.verdicts[0].ok:
        return trial
    if settle(trial).ok:
        return trial
    on_purpose: Trial = session.run(ATTEMPT, candidate, True)
    return accept(trial) if settle(on_purpose).ok else trial


def settle(trial: Trial) -> Trial:
    """The trial, accepted where answers differ in the class of a container alone, which no annotation decides."""
    only_alike = all(verdict.ok or (verdict.failure and verdict.failure.alike) for verdict in trial.verdicts)
    return accept(trial) if only_alike else trial


def accept(trial: Trial) -> Trial:
    """Every verdict turned to yes; what they found stays, for the review to say."""
    return replace(trial, verdicts=tuple(replace(verdict, ok=True) for verdict in trial.verdicts))


def join_trials(trials: Iterable[Trial]) -> Trial:
    """The trials of several targets as one; it ends at the first that fails."""
    verdicts: list[Verdict] = []
    compiled: dict[Owner, None] = {}
    for trial in trials:
        verdicts += trial.verdicts
        compiled.update(dict.fromkeys(trial.compiled))
        if not trial.ok:
            break
    return Trial(tuple(verdicts), tuple(compiled))


def keep_reached(step: Step, evidence: Evidence) -> Plan:
    """The plan without functions that were neither entered nor compiled: their defaults prove nothing."""
    wanted = evidence.reached.union(step.trial.compiled)
    return Plan(
        {
            slot: annotation
            for slot, annotation in step.plan.annotations.items()
            if slot.owner in wanted or slot.kind is SlotKind.ATTRIBUTE
        }
    )


def verify(options: Options, zygote: Zygote, rendered: Rendered) -> Trial:
    """Judge the rewritten files: as text, then in a fresh import over the overlay."""
    texts = (parses.judge(rendered.changes), same_program.judge(rendered.changes), stable.judge(rendered.again))
    if not all(verdict.ok for verdict in texts):
        return Trial(texts)
    sources = {change.file: change.after for change in rendered.changes}
    trial = join_trials(
        judge(zygote.session(PREPARE, target, options.spec, options.root, sources), Candidate())
        for target in options.targets
    )
    return replace(settle(trial), verdicts=(*texts, *settle(trial).verdicts))

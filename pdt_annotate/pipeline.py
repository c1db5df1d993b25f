"""The main flow: observe, choose, search, rewrite, verify. Values go from stage to stage; nothing is written here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from pdt_annotate import repair
from pdt_annotate.config import Options
from pdt_annotate.ir import (
    Annotation,
    Candidate,
    ClassInfo,
    FileChange,
    Finding,
    Observation,
    Observed,
    Outcome,
    Slot,
    Target,
    Trial,
    Verdict,
)
from pdt_annotate.isolate import Session, Zygote
from pdt_annotate.plan import Plan, Rendered, render, render_candidate
from pdt_annotate.project import Project
from pdt_annotate.search import Search, Step
from pdt_annotate.slots import choose_parameters
from pdt_annotate.verify import parses, same_program

Progress = Callable[[str], None]

PREPARE = "pdt_annotate.child:prepare"
FILES = "pdt_annotate.child:loaded_files"
OBSERVE = "pdt_annotate.child:observe"
ATTEMPT = "pdt_annotate.child:attempt"


@dataclass(frozen=True)
class Run:
    """One target with the session in which it is built, and what observing it gave."""

    target: Target
    session: Session
    observed: Observed


@dataclass
class Evidence:
    """All that the runs showed, joined; and what was chosen of it, file by file as files come in reach."""

    project: Project
    seen: dict[Slot, list[Observation]]
    classes: dict[str, ClassInfo]
    findings: dict[Slot, Finding] = field(default_factory=dict)
    chosen_files: set[str] = field(default_factory=set)

    def choose(self, files: Iterable[str]) -> Iterator[Annotation]:
        """Annotations for the parameters of every function in files that were not in reach before."""
        for file in sorted(set(files) - self.chosen_files):
            self.chosen_files.add(file)
            if not self.project.has(file) or self.project.survey(file).skipped:
                continue
            for function in self.project.survey(file).functions:
                for chosen in choose_parameters(function, self.seen, self.classes):
                    if isinstance(chosen, Annotation):
                        yield chosen
                    elif chosen.slot is not None:
                        self.findings[chosen.slot] = chosen


def annotate(options: Options, progress: Progress = lambda text: None) -> Outcome:
    """Observe the targets and find, render and verify their annotations.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    with Zygote(options.timeout) as zygote:
        runs, project = observe(options, zygote, progress)
        evidence = Evidence(project, gather(runs), {c.name: c for run in runs for c in run.observed.classes})
        plan = Plan().with_(evidence.choose(slot.owner.file for slot in evidence.seen))
        progress("looking for annotations that verify")
        step = search(runs, evidence, plan)
        rendered = render(keep_needed(step, evidence), project, evidence.classes)
        progress("verifying in a fresh import")
        verdicts = verify(options, zygote, rendered)
        return report(options, evidence, rendered, step, verdicts)


def observe(options: Options, zygote: Zygote, progress: Progress) -> tuple[list[Run], Project]:
    """Build every target in a session of its own and run the example calls."""
    progress("importing torch and your code")
    sessions = [(t, zygote.session(PREPARE, t, options.spec, options.root, {})) for t in options.targets]
    modules: dict[str, str] = {}
    for _, session in sessions:
        modules |= session.run(FILES)
    project = Project(options.root, modules, frozenset({options.spec.file}))
    progress("running the example calls")
    return [Run(target, session, session.run(OBSERVE, False)) for target, session in sessions], project


def gather(runs: Iterable[Run]) -> dict[Slot, list[Observation]]:
    """The observations of all runs by slot."""
    seen: dict[Slot, list[Observation]] = defaultdict(list)
    for run in runs:
        for observation in run.observed.observations:
            seen[observation.slot].append(observation)
    return dict(seen)


def search(runs: list[Run], evidence: Evidence, plan: Plan) -> Step:
    """Look for a plan with which every target scripts and answers alike."""

    def try_plan(plan: Plan) -> Trial:
        candidate = render_candidate(plan, evidence.project, evidence.classes)
        return join_trials(attempt(run, candidate) for run in runs)

    def grow(plan: Plan, trial: Trial) -> Plan:
        return plan.with_(evidence.choose(owner.file for owner in trial.compiled))

    def propose(step: Step) -> Iterator[repair.Proposal]:
        failure = step.trial.failure
        if failure is not None:
            yield from repair.propose(
                repair.Situation(
                    failure, step.plan, evidence.project, evidence.seen, evidence.classes, step.trial.compiled
                )
            )

    return Search(try_plan, grow, propose).run(plan)


def attempt(run: Run, candidate: Candidate) -> Trial:
    trial: Trial = run.session.run(ATTEMPT, candidate)
    return trial


def join_trials(trials: Iterable[Trial]) -> Trial:
    """The trials of several targets as one; it ends at the first that fails."""
    verdicts: list[Verdict] = []
    compiled: dict[object, None] = {}
    for trial in trials:
        verdicts += trial.verdicts
        compiled.update(dict.fromkeys(trial.compiled))
        if not trial.ok:
            break
    return Trial(tuple(verdicts), tuple(compiled))  # type: ignore[arg-type]


def keep_needed(step: Step, evidence: Evidence) -> Plan:
    """Of a plan, what was observed or compiled: defaults of functions that nobody enters prove nothing."""
    compiled = set(step.trial.compiled)
    reached = {slot.owner for slot in evidence.seen}
    return Plan({s: a for s, a in step.plan.annotations.items() if s.owner in compiled or s.owner in reached or s.owner.line == 0 or s.kind.value=="attribute"})


def verify(options: Options, zygote: Zygote, rendered: Rendered) -> tuple[Verdict, ...]:
    """Judge the rewritten files: as text, and in a fresh import over the overlay."""
    verdicts = [parses.judge(rendered.changes), same_program.judge(rendered.changes)]
    if not all(verdict.ok for verdict in verdicts):
        return tuple(verdicts)
    sources = {change.file: change.after for change in rendered.changes}
    for target in options.targets:
        session = zygote.session(PREPARE, target, options.spec, options.root, sources)
        trial: Trial = session.run(ATTEMPT, Candidate())
        verdicts += trial.verdicts
    return tuple(verdicts)


def report(
    options: Options, evidence: Evidence, rendered: Rendered, step: Step, verdicts: tuple[Verdict, ...]
) -> Outcome:
    compiled = set(step.trial.compiled)
    findings = [f for slot, f in evidence.findings.items() if slot.owner in compiled]
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes,
        annotations=rendered.written,
        findings=(*findings, *rendered.refused),
        verdicts=verdicts,
        verified=all(v.ok for v in verdicts),
    )


__all__ = ["FileChange", "annotate"]

"""Annotations for targets in files: other processes import the changed sources, and the files do not change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pdt_annotate import profiles
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.annotate import AnnotationRun, Judged, ObservedTargets, Solution
from pdt_annotate.flows.annotate import annotate as annotate_targets
from pdt_annotate.flows.beyond_examples import look_further, meanwhile, review_further, seconds_to_probe, with_further
from pdt_annotate.flows.choice import Chooser, choose_until_verified
from pdt_annotate.flows.observe import make_profile, observe_targets
from pdt_annotate.flows.review import find_in_the_way, review_third_party
from pdt_annotate.flows.verify import judge_commands, judge_in_python, verify_rendered, verify_stubs
from pdt_annotate.mends.judge import judge_mends
from pdt_annotate.mends.mended import Mended
from pdt_annotate.processes.tasks import (
    TargetRun,
    attempt,
    judge_functions,
    judge_paths,
    library_modules,
    observe,
    open_session,
)
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_mends import MendCandidate
from pdt_annotate.search.plan import Trials, render
from pdt_annotate.search.problems import find_any_plan
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.budget import Progress, Stopwatch, Timings
from pdt_annotate.values.mends import MendKind
from pdt_annotate.values.outcome import NOTHING_RENDERED, Outcome, Overlaid, Rendered, sources_of
from pdt_annotate.values.runs import Candidate, Target
from pdt_annotate.values.slots import Finding, SlotKind
from pdt_annotate.values.verdicts import Part
from pdt_annotate.verify.text_judges import accept_undecided, judge_texts

Working = tuple[tuple[Target, Part], ...]  # parts that work, each with its target


def annotate(
    options: Options, zygote: Zygote, progress: Progress = lambda text: None, chooser: Chooser | None = None
) -> Outcome:
    """Find, render and verify annotations for the targets; `chooser` decides which are taken, otherwise all are.

    Raises `NothingTaken` if it left everything out.
    """
    watch = Stopwatch(progress)
    outcome = annotate_targets(FilesRun(options=options, progress=watch, chooser=chooser, zygote=zygote))
    return replace(outcome, timings=Timings(watch.read(), zygote.asked)) if options.timings else outcome


@dataclass(kw_only=True)
class FilesRun(AnnotationRun):
    """A run over files, each target in separate sessions, which are forks of the zygote."""

    zygote: Zygote

    def observe(self) -> ObservedTargets:
        """Run the example calls. A requested profile is saved even if a later stage fails."""
        options = self.options
        known = profiles.load(options.profiles)
        project, runs = observe_targets(options, self.zygote, self.progress)
        if not options.types_third_party:  # otherwise libraries may change
            self.zygote.import_libraries(library_modules(runs[0].session))
        if options.save_profile:
            profiles.save_or_keep(options.save_profile, make_profile(project, runs))
        profiled = profiles.match(known, options.root, project.modules)
        evidence = Evidence(project, (*(run.observed for run in runs), profiled.observed))
        trials = self.make_trials(runs, evidence, "annotations", partial(self.rebuild, {}))
        return ObservedTargets(runs, trials, profiled.findings)

    def observe_mended(self, mended: Mended) -> Trials:
        project, sources = mended.project, mended.sources
        over = partial(open_session, self.options, self.zygote, sources=sources, traced=True, with_libraries=True)
        sessions = ((target, over(target)) for target in self.options.targets)
        as_scripted = project.mentions("is_scripting")
        runs = tuple(TargetRun(target, each, observe(each, as_scripted=as_scripted)) for target, each in sessions)
        evidence = Evidence(project, (run.observed for run in runs))
        return self.make_trials(runs, evidence, "version", partial(self.rebuild, sources))

    def rebuild(self, sources: Mapping[str, bytes], run: TargetRun, candidate: Candidate) -> TargetRun:
        """Return the run with its target built again over a candidate, whose sources come before the given ones."""
        over = {**sources, **candidate.sources}
        return replace(run, session=open_session(self.options, self.zygote, run.target, over, candidate.imports))

    def keep_mends(self, version: MendCandidate, shipped: Sequence[TargetRun]) -> MendCandidate | None:
        """Keep the exact mends if the targets, which need not script, behave in Python as with the files on disk."""
        mended = version.mended.without([mend for mend in version.mended.mends if mend.kind is not MendKind.EXACT])
        if not mended.mends or not self.options.mend:
            return None
        trials = self.observe_mended(mended)
        verdicts = [*judge_mends(mended), *judge_commands(self.options, mended.disk, mended.sources)]
        for before, after in zip(shipped, trials.runs, strict=True):
            verdicts += judge_in_python(self.options, self.zygote, before, after.session)
        return MendCandidate(mended, trials, find_any_plan(trials)) if all(each.ok for each in verdicts) else None

    def verify(self, solution: Solution) -> Judged:
        """Judge the rendered files in a fresh import; meanwhile look for differences that the examples do not show."""
        options, trials = self.options, solution.trials
        verify = partial(verify_rendered, options, self.zygote, solution)
        candidate = trials.render(solution.step.plan)
        with meanwhile(partial(look_further, trials.runs, candidate, seconds_to_probe(options))) as looked:
            rendered, trial = choose_until_verified(solution.found, verify, self.chooser, self.progress)
            self.progress("looking beyond the examples")
            further = looked()
        trial = with_further(trial, further, rendered.changes)
        compiled = solution.step.trial.compiled  # by their lines before the annotations
        return Judged(rendered, replace(trial, compiled=compiled), tuple(review_further(further)))

    def keep_parts(self, solution: Solution) -> Judged:
        """With `--write-partial`, keep the annotations of the largest parts that work alone, and verify the result.

        Parts were compared with eager mode on recorded calls; they are compared again in a fresh import.
        """
        judged = super().keep_parts(solution)
        if not self.options.write_partial:
            return judged
        trials, plan = solution.trials, solution.step.plan
        confirmed = tuple((one.target, part) for one in solution.blame for part in one.parts if part.is_proven)
        read = {owner for _, part in confirmed for owner in part.compiled}
        entered = {slot.owner for slot in plan.annotations if slot.kind is SlotKind.PARAMETER} & trials.evidence.entered
        names = sorted(owner.name for owner in entered - read if "." not in owner.qualname)  # outside classes
        candidate = trials.render(plan)
        judged_functions = ((run.target, judge_functions(run.session, candidate, names)) for run in trials.runs)
        alone = {_key(part): (target, part) for target, parts in judged_functions for part in parts if part.is_proven}
        confirmed += tuple(alone.values())
        rendered, working = NOTHING_RENDERED, Working()
        while working != confirmed:
            working = confirmed
            rendered = _render_parts(solution, working)
            confirmed = self._confirm(rendered, working, solution.mended)
        return replace(judged, rendered=rendered, kept=tuple(part for _, part in working))

    def _confirm(self, rendered: Rendered, working: Working, mended: Mended) -> Working:
        """Return the parts that work in a fresh import of rendered files; raises a `UserError` if these do not run."""
        if not all(verdict.ok for verdict in judge_texts(rendered)):
            return ()
        sources = {**mended.sources, **sources_of(rendered.changes)}
        found: list[tuple[Target, Part]] = []
        for target in dict.fromkeys(target for target, _ in working):
            session = open_session(self.options, self.zygote, target, sources)
            observe(session, as_scripted=False)
            parts = [part for its, part in working if its == target]
            paths = [part.path for part in parts if part.path and not part.is_function]
            names = [(part.place.file, part.name) for part in parts if part.is_function]
            judged = (*judge_paths(session, Candidate(), paths), *judge_functions(session, Candidate(), names))
            proven = {_key(part) for part in judged if part.is_proven}
            wholes = {_key(part) for part in parts if not part.path}
            if wholes and accept_undecided(attempt(session, Candidate())).ok:
                proven |= wholes
            found += [(target, part) for part in parts if _key(part) in proven]
        return tuple(found)

    def remark(
        self, solution: Solution, judged: Judged, written: Rendered, overlaid: Sequence[Overlaid]
    ) -> Iterator[Finding]:
        """Yield findings on annotations that stubs cannot carry, and on past and needed changes of third-party code."""
        options, project, trial = self.options, solution.mended.disk, solution.step.trial
        if options.write_back is WriteBack.STUBS and judged.trial.ok:
            yield from verify_stubs(project, written)
        yield from review_third_party(options, overlaid, written.written, solution.mended.mends if trial.ok else ())
        yield from find_in_the_way(options, project, solution.trials.runs, trial)


def _render_parts(solution: Solution, working: Working) -> Rendered:
    """Render the annotations of the functions that the parts compile, and of their classes' attributes."""
    compiled = {owner for _, part in working for owner in part.compiled}
    classes = {cls for _, part in working for cls in part.classes}
    plan = solution.step.plan.only(
        lambda slot: slot.owner.name in classes if slot.kind is SlotKind.ATTRIBUTE else slot.owner in compiled
    )
    return render(plan, solution.trials.evidence)


def _key(part: Part) -> tuple[str, str, str]:
    """Return the key of a part, which stays the same when lines move."""
    return part.path, part.place.file, part.name

"""Annotations from a profile alone: none of the user's code is imported or run, and torch is not needed.

Only the compiler knows which returns, locals and attributes it needs, so only parameters are annotated, and returns if
all are asked for. The result is judged as text.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from pdt_annotate import profiles
from pdt_annotate.choose.choose_slot import choose
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.annotate import AnnotationRun, Judged, ObservedTargets, Solution
from pdt_annotate.flows.annotate import annotate as annotate_targets
from pdt_annotate.flows.choice import Chooser, choose_until_verified
from pdt_annotate.profiles.outdated import find_outdated, renewal
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.settings.options import Options, Returns, Scope, assert_spared
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import Progress
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome, Outdated, Rendered
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Origin, Owner
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.text_judges import judge_texts


def annotate(options: Options, progress: Progress = lambda text: None, chooser: Chooser | None = None) -> Outcome:
    """Annotate the functions in a profile, and judge the result as text.

    A `chooser` decides which annotations are taken. Raises `NothingTaken` if it left everything out.
    """
    return annotate_targets(ProfileRun(options=options, progress=progress, chooser=chooser, trims=False))


@dataclass(kw_only=True)
class ProfileRun(AnnotationRun):
    """A run without sessions: nothing is tried, so all that the profile saw is taken."""

    # The functions that the compiler would read: the ones that ran in a module's `forward`, if any.
    compiled: frozenset[Owner] = field(init=False)
    wanted: frozenset[Owner] = field(init=False)  # the functions to annotate

    def observe(self) -> ObservedTargets:
        self.progress("matching the profile with the source")
        options = self.options
        profile = profiles.load(options.profiles)
        matched = profiles.match(profile, options.root)
        assert_spared(options.outputs, matched.modules.values())
        project = Project(options.root, matched.modules, spelling=options.spelling)
        evidence = Evidence(project, [matched.observed])
        is_wanted = select(options.targets, project)
        functions = ((each, project.function(each)) for each in evidence.reached if is_wanted(each))
        ran = frozenset(each for each, known in functions if known and not known.skipped and not known.in_skipped_file)
        all_that_ran = options.scope is not Scope.COMPILED
        self.compiled = ran & matched.in_forward if profile.in_forward else ran
        self.wanted = ran if all_that_ran else self.compiled
        findings = find_outdated(profile, matched, options.root, is_wanted, all_that_ran=all_that_ran)
        outdated = Outdated(findings, renewal(profile, options.profiles)) if findings else None
        all_findings = tuple(dict.fromkeys((*findings, *matched.findings)))
        return ObservedTargets((), self.make_trials((), evidence, "annotations"), all_findings, outdated)

    def find_plan(self, trials: Trials) -> Step:
        self.progress("writing annotations")
        return Step(Plan().with_(trials.evidence.choose(self.wanted)), Trial((), compiled=tuple(self.compiled)))

    def verify(self, solution: Solution) -> Judged:
        evidence, found = solution.trials.evidence, solution.found
        if self.options.returns is Returns.ALL:
            found = replace(found, plan=found.plan.with_(annotate_returns(evidence, self.wanted)))

        def judge(rendered: Rendered) -> Trial:
            return Trial(judge_texts(rendered), tuple(sorted(self.wanted)))

        rendered, trial = choose_until_verified(found, judge, self.chooser, self.progress)
        # The review takes a function that gets a module, and compiles, for a hook; here nothing was compiled.
        chosen = (each for slot, kept in evidence.findings.items() if slot.owner in self.wanted for each in kept)
        return Judged(rendered, trial, tuple(each for each in chosen if trial.ok and each.code == "PDT013"))


def select(targets: Iterable[Target], project: Project) -> Callable[[Owner], bool]:
    """Return a test for whether one of the targets asks for a function; without targets, all are asked for.

    A function or method selects itself; any other target, such as a class, selects its whole file.
    """
    asked: set[tuple[str, str]] = set()  # by file, the function, or "" for the whole file
    for target in targets:
        wanted = os.path.realpath(target.file) if target.file else ""
        by_path = (known for known in project.modules.values() if os.path.realpath(known) == wanted)
        file = project.modules.get(target.module) or next(by_path, "")
        if not file:
            hint = "observe this target; or name no target, to annotate every function in the profile"
            raise UserError(f"the profile has no observations of {target.text}", hint=hint)
        is_function = any(f.owner.qualname == target.qualname for f in project.read(file).functions)
        asked.add((file, target.qualname if is_function else ""))
    return lambda owner: not asked or owner.name in asked or (owner.file, "") in asked


def annotate_returns(evidence: Evidence, wanted: Iterable[Owner]) -> Iterator[Annotation]:
    """Yield the observed return types of these functions, if they are legal."""
    for owner in wanted:
        function = evidence.project.function(owner)
        slot = owner.returned
        seen = evidence.seen.get(slot, ())
        if function is None or function.settled or function.returns or not seen:
            continue
        types = [observation.type for observation in seen]
        chosen = choose(slot, types, seen, evidence.classes, Origin.OBSERVED, function.place)
        if not isinstance(chosen, Finding):
            yield chosen

"""Annotations from a profile alone: none of the user's code is imported or run, and torch is not needed.

Only the compiler knows which returns, locals and attributes it needs, so only parameters are annotated, and returns if
all are asked for. The result is judged as text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pdt_annotate import profiles
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.choose.slots import choose
from pdt_annotate.flows.choice import Chooser, FoundPlan, choose_until_verified
from pdt_annotate.flows.review import review
from pdt_annotate.profiles.outdated import find_outdated, renewal
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.prune import keep_in_scope
from pdt_annotate.settings.options import Options, Returns, Scope, assert_spared
from pdt_annotate.source.project import Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome, Outdated
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.texts import judge_texts


def annotate(options: Options, progress: Progress = lambda text: None, chooser: Chooser | None = None) -> Outcome:
    """Annotate the functions in a profile, and judge the result as text.

    Functions that the profile saw run in a module's `forward`, if any, are those that the compiler would read. A
    `chooser` decides which annotations are taken. Raises `NothingTaken` if it left everything out.
    """
    progress("matching the profile with the source")
    profile = profiles.load(options.profiles)
    matched = profiles.match(profile, options.root)
    assert_spared(options.outputs, matched.modules.values())
    project = Project(options.root, matched.modules, spelling=options.spelling)
    evidence = Evidence(project, [matched.observed])
    is_wanted = select(options.targets, project)
    ran = frozenset(owner for owner in evidence.reached if is_wanted(owner) and _may_be_annotated(owner, project))
    compiled = ran & matched.in_forward if profile.in_forward else ran
    wanted = compiled if options.scope is Scope.COMPILED else ran
    all_that_ran = options.scope is not Scope.COMPILED
    outdated = find_outdated(profile, matched, options.root, is_wanted, all_that_ran=all_that_ran)

    progress("writing annotations")
    step = Step(Plan().with_(evidence.choose(wanted)), Trial((), compiled=tuple(compiled)))
    plan = keep_in_scope(step, evidence, options.scope)
    if options.returns is Returns.ALL:
        plan = plan.with_(annotate_returns(evidence, wanted))
    found = FoundPlan(plan, project, evidence.classes)
    rendered, trial = choose_until_verified(found, lambda rendered: Trial(judge_texts(rendered)), chooser, progress)

    reviewed = review(evidence, rendered.written, replace(trial, compiled=tuple(sorted(wanted))))
    chosen = (finding for slot, kept in evidence.findings.items() if slot.owner in wanted for finding in kept)
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes,
        annotations=rendered.written,
        findings=tuple(dict.fromkeys((*reviewed, *chosen, *rendered.refused, *outdated, *matched.findings))),
        verdicts=trial.verdicts,
        outdated=Outdated(outdated, renewal(profile, options.profiles)) if outdated else None,
    )


def select(targets: Iterable[Target], project: Project) -> Callable[[Owner], bool]:
    """Return a test for whether one of the targets asks for a function; without targets, all are asked for.

    A function or method selects itself; any other target, such as a class, selects its whole file.
    """
    selectors = [_of_target(target, project) for target in targets]
    return lambda owner: not selectors or any(is_of_target(owner) for is_of_target in selectors)


def _may_be_annotated(owner: Owner, project: Project) -> bool:
    function = project.function(owner)
    return function is not None and not function.skipped and not function.in_skipped_file


def _of_target(target: Target, project: Project) -> Callable[[Owner], bool]:
    wanted = os.path.realpath(target.file) if target.file else ""
    by_path = (known for known in project.modules.values() if os.path.realpath(known) == wanted)
    file = project.modules.get(target.module) or next(by_path, "")
    if not file:
        hint = "observe it, or leave the target away to annotate all that the profile knows"
        raise UserError(f"the profile has nothing of {target.text}", hint=hint)
    is_function = any(f.owner.qualname == target.qualname for f in project.survey(file).functions)
    return lambda owner: owner.file == file and (owner.qualname == target.qualname or not is_function)


def annotate_returns(evidence: Evidence, wanted: Iterable[Owner]) -> Iterator[Annotation]:
    """Yield the observed return types of these functions, if they are legal."""
    for owner in wanted:
        function = evidence.project.function(owner)
        slot = Slot(owner, SlotKind.RETURN, "return")
        seen = evidence.seen.get(slot, ())
        if function is None or function.settled or function.returns or not seen:
            continue
        types = [observation.type for observation in seen]
        chosen = choose(slot, types, seen, evidence.classes, Origin.OBSERVED, function.place)
        if not isinstance(chosen, Finding):
            yield chosen

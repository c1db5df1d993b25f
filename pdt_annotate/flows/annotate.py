"""The main flow: observe, search, render, verify. Values go from stage to stage; it writes no source."""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial

from pdt_annotate import profiles
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.choice import Chooser, FoundPlan, choose_until_verified
from pdt_annotate.flows.mend import mend, verify_mended
from pdt_annotate.flows.observe import make_profile, observe_targets, rebuild
from pdt_annotate.flows.on_disk import rendered_on_disk, split, tell_of_disk
from pdt_annotate.flows.review import find_in_the_way, make_outcome, review_cut_off, review_mends, review_third_party
from pdt_annotate.flows.verify import beside, look_further, review_further, seconds_to_probe, verify_stubs, with_further
from pdt_annotate.processes.tasks import library_modules
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_mends import Version
from pdt_annotate.search.find_plan import find_any_plan, trim
from pdt_annotate.search.keep_parts import Keeper, Working
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.prune import keep_in_scope
from pdt_annotate.search.repair_parts import repair_parts
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.further import NOTHING_FURTHER
from pdt_annotate.values.outcome import NOTHING_RENDERED, Outcome
from pdt_annotate.values.progress import NO_TIMINGS, Progress, Stopwatch, Timings
from pdt_annotate.values.runs import Closure
from pdt_annotate.values.verdicts import Blame

FOR_ANNOTATIONS = 2 / 3  # the part of the budget for the search for annotations, before changes of code


def annotate(
    options: Options, zygote: Zygote, progress: Progress = lambda text: None, chooser: Chooser | None = None
) -> Outcome:
    """Observe the targets and find, render and verify their annotations.

    `chooser` decides which of the annotations are taken; without one, all are. Raises `NothingTaken` if it left
    everything out.
    """
    # Observe: every target in its own session. A requested profile is saved even if a later stage fails.
    progress = Stopwatch(progress)
    known = profiles.load(options.profiles)
    project, runs = observe_targets(options, zygote, progress)
    if not options.types_third_party:  # otherwise libraries may change
        zygote.import_libraries(library_modules(runs[0].session))
    if options.save_profile:
        profiles.save_or_keep(options.save_profile, make_profile(project, runs))
    profiled = profiles.match(known, options.root, project.modules)

    # Choose and repair: annotations from the evidence, then the compiler's requests; then, perhaps, mends.
    progress("looking for annotations that verify")
    evidence = Evidence(project, (*(run.observed for run in runs), profiled.observed))
    budget = Budget(options.budget)
    build_anew = partial(rebuild, options, zygote)
    trials = Trials(
        runs, evidence, options.returns, options.interpreter.libraries, build_anew, budget.share(FOR_ANNOTATIONS)
    )
    shipped = Version(Mended(project), trials, find_any_plan(trials))
    version, advised = mend(options, zygote, shipped, budget, progress)
    if options.write_partial and not version.step.trial.ok:
        version = shipped  # parts are written with annotations only: mends are judged by the whole
    mended, trials, evidence = version.mended, version.trials, version.trials.evidence
    step = trim(trials, version.step)
    blame: tuple[Blame, ...] = ()
    if not step.trial.ok:
        progress("looking for who is at fault")
        step, blame = repair_parts(trials, step)

    # Render, and verify the result in a fresh import. A failed plan has already failed on the lines on disk.
    # Meanwhile look for differences that the examples do not show.
    plan = keep_in_scope(step, evidence, options.scope)
    found = FoundPlan(plan, version.project, evidence.classes, mended)
    kept: Working = ()
    further = NOTHING_FURTHER
    if step.trial.ok:
        verify = partial(verify_mended, options, zygote, runs, version.project, mended)
        seconds = seconds_to_probe(options)
        with beside(partial(look_further, trials.runs, trials.render(step.plan), seconds)) as looked:
            rendered, trial = choose_until_verified(found, verify, chooser, progress)
            progress("looking beyond the examples")
            further = looked()
        trial = with_further(trial, further, rendered.changes)
        written = rendered_on_disk(rendered, mended)
    else:
        rendered, trial = found.rendered, tell_of_disk(trials.on_disk(step.plan, step.trial), mended)
        if options.write_partial:
            rendered, kept = Keeper(trials, zygote, options).keep(step.plan, blame)
        written = rendered if kept else NOTHING_RENDERED

    # Report: the review, for the files on disk; annotations that a stub cannot carry; changes for an overlay.
    judged = replace(trial, compiled=step.trial.compiled)  # by their lines in the original files
    unsearched = review_cut_off(step.cut_off, options.budget, version.project)
    told = (*unsearched, *review_further(further))
    outcome = make_outcome(options, evidence, judged, blame, replace(rendered, changes=()), told)
    outcome = replace(tell_of_disk(outcome, mended), verdicts=trial.verdicts)
    gives_stubs = options.write_back is WriteBack.STUBS and trial.ok
    lost = verify_stubs(options, zygote, project, written) if gives_stubs else ()
    changes, overlaid = split(project, written.changes)
    mends = mended.mends if step.trial.ok else ()
    foreign = review_third_party(options, overlaid, outcome.annotations, mends)
    in_the_way = find_in_the_way(options, project, trials.runs, step.trial)
    notes = (*lost, *foreign, *in_the_way, *review_mends(mends), *profiled.findings)
    closure = functools.reduce(Closure.__or__, (run.observed.closure for run in runs))
    timings = Timings(progress.read(), zygote.asked) if options.timings else NO_TIMINGS
    told_all = trial.ok and not options.no_probe and not mended.mends
    return replace(
        outcome,
        changes=changes,
        findings=(*outcome.findings, *notes),
        mends=mends,
        advised=advised,
        kept=tuple(part for _, part in kept),
        overlaid=overlaid,
        closure=closure,
        timings=timings,
        reviewed=judged.compiled if told_all else (),
    )

"""The main flow: observe, search, render, verify. Values go from stage to stage; no source is written here."""

from __future__ import annotations

import functools
import operator
from dataclasses import replace
from functools import partial

from pdt_annotate import profiles
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.stubs.stub import apply_stub, make_stub
from pdt_annotate.flows import third_party
from pdt_annotate.flows.choice import Chooser, Found, settle_on
from pdt_annotate.flows.observe import make_profile, observe_targets, rebuild
from pdt_annotate.flows.review import review, unreached
from pdt_annotate.processes.fresh import verify, verify_fresh
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_blame import blame_failing
from pdt_annotate.search.keep_parts import Keeper, Working
from pdt_annotate.search.mend_parts import mend_parts
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.project import Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome, Rendered
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.slots import Finding, SlotKind
from pdt_annotate.values.verdicts import Blame
from pdt_annotate.verify.judging import settle


def annotate(
    options: Options, zygote: Zygote, progress: Progress = lambda text: None, chooser: Chooser | None = None
) -> Outcome:
    """Observe the targets and find, render and verify their annotations.

    Args:
        options: what is asked for.
        zygote: where user code runs.
        progress: told what is being done, in a few words.
        chooser: asked which of the annotations that were found are taken; without one all are.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
        NothingTaken: the chooser left everything out.
    """
    # Observe: every target in a session of its own. A profile that is asked for is kept whatever comes of the rest.
    known = profiles.load(options.profiles)
    project, runs = observe_targets(options, zygote, progress)
    if options.save_profile:
        profiles.save(options.save_profile, make_profile(project, runs))
    profiled = profiles.match(known, options.root, project.modules)

    # Choose and repair: annotations from the evidence, then what the compiler asks for.
    progress("looking for annotations that verify")
    evidence = Evidence(project, (*(run.observed for run in runs), profiled.observed))
    trials = Trials(runs, evidence, options.returns, partial(rebuild, options, zygote))
    step = trials.search()
    blame: tuple[Blame, ...] = ()
    if options.write_partial and not step.trial.ok:
        step, blame = mend_parts(trials, step)

    # Render, and verify what was rendered in a fresh import. What failed already has failed on the lines on disk.
    found = Found(trials.keep_reached(step), project, evidence.classes)
    rendered, trial = found.rendered, step.trial
    kept: Working = ()
    if trial.ok:
        rendered, trial = settle_on(found, partial(verify, options, zygote), chooser, progress)
    else:
        progress("looking for who is at fault")
        blame = blame or blame_failing(trials, step.plan, trial)
        if options.write_partial:
            rendered, kept = Keeper(trials, zygote, options).keep(step.plan, blame)
        else:
            rendered = replace(rendered, changes=())
    gives_stubs = options.write_back is WriteBack.STUBS and trial.ok
    notes = verify_stubs(options, zygote, project, rendered) if gives_stubs else ()

    # The compiler's functions by their lines on disk, not in the rewritten files.
    trial = replace(trial, compiled=step.trial.compiled)
    changes, overlaid = third_party.split(project, rendered.changes)
    in_the_way = third_party.find_in_the_way(options, project, trials.runs, step.trial)
    notes = (*notes, *third_party.review(options, overlaid, rendered.written), *in_the_way)
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=changes,
        annotations=rendered.written,
        findings=(*review(evidence, rendered.written, trial), *rendered.refused, *notes, *profiled.findings),
        verdicts=trial.verdicts,
        unreached=unreached(evidence, trial),
        verified=trial.ok,
        blame=blame,
        kept=tuple(part for _, part in kept),
        overlaid=overlaid,
        closure=functools.reduce(operator.or_, (run.observed.closure for run in runs)),
    )


def verify_stubs(options: Options, zygote: Zygote, project: Project, rendered: Rendered) -> tuple[Finding, ...]:
    """Apply the stubs to the un-annotated sources and verify those; say what a stub cannot carry.

    Raises:
        UserError: the stubs do not carry what the sources do.
    """
    # The local of a constructor, `self.x`, is an attribute to a stub.
    local = (a for a in rendered.written if a.slot.kind is SlotKind.LOCAL and "." not in a.slot.name)
    lost = [a for a in local if project.is_own(a.slot.owner.file)]
    if lost:
        return tuple(
            Finding("PDT036", f"a stub cannot carry the local `{a.slot.name}`", a.slot.owner.file, a.slot.line, a.slot)
            for a in lost
        )
    own = [c for c in rendered.changes if project.is_own(c.file)]
    applied = tuple(replace(c, after=apply_stub(make_stub(c.after), c.before), insertions=()) for c in own)
    others = (c for c in rendered.changes if c not in own)
    if not settle(verify_fresh(options, zygote, (*applied, *others))).ok:
        hint = "annotate the source itself, which was verified"
        raise UserError("the stubs, applied to the source, do not script", hint=hint)
    return ()

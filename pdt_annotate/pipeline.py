"""The main flow: observe, search, render, verify. Values go from stage to stage; nothing is written here."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pdt_annotate.config import Options, WriteBack
from pdt_annotate.culprits import blame_failing
from pdt_annotate.emit.stub import apply_stub, make_stub
from pdt_annotate.errors import UserError
from pdt_annotate.evidence import Evidence
from pdt_annotate.fresh import verify, verify_fresh
from pdt_annotate.ir import Blame, Finding, Outcome, SlotKind
from pdt_annotate.isolate import Zygote
from pdt_annotate.observing import Progress, observe_targets, rebuild
from pdt_annotate.partial import Keeper, Working
from pdt_annotate.piecemeal import mend_parts
from pdt_annotate.plan import Rendered, render
from pdt_annotate.review import review, unreached
from pdt_annotate.trials import Trials, settle


def annotate(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Observe the targets and find, render and verify their annotations.

    Args:
        options: what is asked for.
        zygote: where user code runs.
        progress: told what is being done, in a few words.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    # Observe: every target in a session of its own.
    project, runs = observe_targets(options, zygote, progress)

    # Choose and repair: annotations from the evidence, then what the compiler asks for.
    progress("looking for annotations that verify")
    evidence = Evidence(project, (run.observed for run in runs))
    trials = Trials(runs, evidence, options.returns, partial(rebuild, options, zygote))
    step = trials.search()
    blame: tuple[Blame, ...] = ()
    if options.write_partial and not step.trial.ok:
        step, blame = mend_parts(trials, step)

    # Render, and verify what was rendered in a fresh import. What failed already has failed on the lines on disk.
    plan = trials.keep_reached(step)
    rendered, trial = render(plan, project, evidence.classes), step.trial
    kept: Working = ()
    if trial.ok:
        progress("verifying in a fresh import")
        trial = verify(options, zygote, rendered)
    else:
        progress("looking for who is at fault")
        blame = blame or blame_failing(trials, step.plan, trial)
        if options.write_partial:
            rendered, kept = Keeper(trials, zygote, options.spec).keep(step.plan, blame)
        else:
            rendered = replace(rendered, changes=())
    notes = verify_stubs(options, zygote, rendered) if options.write_back is WriteBack.STUBS and trial.ok else ()

    # The compiler's functions by their lines on disk, not in the rewritten files.
    trial = replace(trial, compiled=step.trial.compiled)
    return Outcome(
        targets=options.targets,
        root=options.root,
        changes=rendered.changes,
        annotations=rendered.written,
        findings=(*review(evidence, rendered.written, trial), *rendered.refused, *notes),
        verdicts=trial.verdicts,
        unreached=unreached(evidence, trial),
        verified=trial.ok,
        blame=blame,
        kept=tuple(part for _, part in kept),
    )


def verify_stubs(options: Options, zygote: Zygote, rendered: Rendered) -> tuple[Finding, ...]:
    """Apply the stubs to the un-annotated sources and verify those; say what a stub cannot carry.

    Raises:
        UserError: the stubs do not carry what the sources do.
    """
    # The local of a constructor, `self.x`, is an attribute to a stub.
    lost = [a for a in rendered.written if a.slot.kind is SlotKind.LOCAL and "." not in a.slot.name]
    if lost:
        return tuple(
            Finding("PDT036", f"a stub cannot carry the local `{a.slot.name}`", a.slot.owner.file, a.slot.line, a.slot)
            for a in lost
        )
    applied = tuple(replace(c, after=apply_stub(make_stub(c.after), c.before)) for c in rendered.changes)
    if not settle(verify_fresh(options, zygote, applied)).ok:
        hint = "annotate the source itself, which was verified"
        raise UserError("the stubs, applied to the source, do not script", hint=hint)
    return ()

"""`verify`: the targets as they stand on disk, judged as the result of an annotation would be.

Such a result is judged as text, in a fresh import over the overlay, and as stubs. Python must do with it what it did
before: annotations are evaluated where they stand, and the program may read them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.further import look_further, review_further, seconds_to_probe, with_further
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.flows.review import make_outcome
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import (
    TargetRun,
    attempt,
    import_first,
    judge_behaviour,
    open_session,
    record_behaviour,
    record_state,
)
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.search.find_blame import find_culprits
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.source.imports import parents
from pdt_annotate.source.project import NO_SOURCES, Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.further import NOTHING_FURTHER
from pdt_annotate.values.judges import EAGER
from pdt_annotate.values.outcome import FileChange, Outcome, Rendered
from pdt_annotate.values.progress import NO_TIMINGS, Progress, Stopwatch, Timings
from pdt_annotate.values.runs import Candidate, Target
from pdt_annotate.values.slots import Finding, SlotKind
from pdt_annotate.values.verdicts import Failure, Trial, Verdict
from pdt_annotate.verify.judging import accept_undecided, join_trials
from pdt_annotate.verify.texts import judge_texts

NOT_JUDGED = "the model does not do the same in Python from one run to the next, as it is"


def verify(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Script the targets as they are and compare their answers; where one fails, find who is at fault.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    progress = Stopwatch(progress)
    project, runs = observe_targets(options, zygote, progress)
    evidence = Evidence(project, (run.observed for run in runs))

    progress("scripting and comparing answers")
    each = [accept_undecided(attempt(run.session, Candidate())) for run in runs]
    joined = join_trials(each)
    if not joined.ok:
        progress("looking for who is at fault")
    further = NOTHING_FURTHER
    if joined.ok:
        further = look_further(runs, Candidate(), seconds_to_probe(options))
    blame = (
        ()
        if joined.ok
        else find_culprits(Trials(runs, evidence, options.returns, options.interpreter.libraries), Plan(), each)
    )
    timings = Timings(progress.read(), zygote.asked) if options.timings else NO_TIMINGS
    judged = with_further(joined, further)
    return replace(make_outcome(options, evidence, judged, blame, notes=review_further(further)), timings=timings)


def verify_rendered(
    options: Options,
    zygote: Zygote,
    rendered: Rendered,
    shipped: Sequence[TargetRun],
    project: Project,
    sources: Mapping[str, bytes] = NO_SOURCES,
) -> Trial:
    """Judge the rewritten files: as text, then in a fresh import over the overlay.

    Args:
        shipped: the targets as their files are on disk; in Python they must still do the same.
        project: the files that were rewritten.
        sources: what stands in for files that the rewrite leaves as they are.
    """
    texts = judge_texts(rendered)
    if not all(verdict.ok for verdict in texts):
        return Trial(texts)
    trial = _judge_import(options, zygote, rendered.changes, sources, shipped)
    if trial.ok:
        orders = judge_import_orders(options, zygote, rendered, project, sources)
        trial = replace(trial, verdicts=(*trial.verdicts, *orders))
    return replace(trial, verdicts=(*texts, *trial.verdicts))


def verify_stubs(options: Options, zygote: Zygote, project: Project, rendered: Rendered) -> tuple[Finding, ...]:
    """Apply the stubs to the un-annotated sources and verify those; say what a stub cannot carry.

    Raises:
        UserError: the stubs do not carry what the sources do.
    """
    from pdt_annotate.emit.stubs import apply_stub, make_stub  # noqa: PLC0415  (libcst takes a second)

    # The local of a constructor, `self.x`, is an attribute to a stub.
    local = (a for a in rendered.written if a.slot.kind is SlotKind.LOCAL and "." not in a.slot.name)
    lost = [a for a in local if project.is_own(a.slot.owner.file)]
    if lost:
        return tuple(
            Finding("PDT036", f"a stub cannot carry the local `{a.slot.name}`", project.place_of(a.slot), a.slot)
            for a in lost
        )
    own = [c for c in rendered.changes if project.is_own(c.file)]
    applied = tuple(replace(c, after=apply_stub(make_stub(c.after), c.before), edits=()) for c in own)
    others = (c for c in rendered.changes if c not in own)
    if not _judge_import(options, zygote, (*applied, *others)).ok:
        hint = "annotate the source itself, which was verified"
        raise UserError("the stubs, applied to the source, do not script", hint=hint)
    return ()


def _judge_import(
    options: Options,
    zygote: Zygote,
    changes: tuple[FileChange, ...],
    sources: Mapping[str, bytes] = NO_SOURCES,
    shipped: Sequence[TargetRun] = (),
) -> Trial:
    """Import each target anew over the changed files, script it and compare its answers.

    Libraries that were imported ahead are those that the user's code imports, but before it and not between its lines.
    Where that makes a difference nothing of it counts.
    """
    over = {**sources, **{change.file: change.after for change in changes}}
    if zygote.has_libraries:
        with contextlib.suppress(UserError):
            trial = _judge_sessions(options, zygote, over, shipped, with_libraries=True)
            if trial.ok:
                return trial
    return _judge_sessions(options, zygote, over, shipped)


def _judge_sessions(
    options: Options,
    zygote: Zygote,
    sources: Mapping[str, bytes],
    shipped: Sequence[TargetRun],
    *,
    with_libraries: bool = False,
) -> Trial:
    runs = {run.target: run for run in shipped}

    def judge(target: Target) -> Trial:
        session = open_session(options, zygote, target, sources, with_libraries=with_libraries)
        trial = accept_undecided(attempt(session, Candidate()))
        behaves = judge_in_python(options, zygote, runs[target], session) if target in runs and trial.ok else ()
        return replace(trial, verdicts=(*trial.verdicts, *behaves))

    return join_trials(map(judge, options.targets))


def judge_in_python(options: Options, zygote: Zygote, shipped: TargetRun, session: Session) -> tuple[Verdict, ...]:
    """Whether every example call of a target does in Python what it does with the files on disk.

    Building it twice may give two models, and so may running it; that is no fault of what was changed.

    Args:
        shipped: the target as its files are on disk.
        session: the target over the changed files.
    """
    recorded = record_behaviour(shipped.session)
    verdicts = judge_behaviour(session, recorded)
    if not _hold(verdicts):
        again = open_session(options, zygote, shipped.target)
        if not _hold(judge_behaviour(again, recorded)):
            state = record_state(shipped.session)
            verdicts = judge_behaviour(session, recorded, state)
            if not _hold(verdicts) and not _hold(judge_behaviour(again, recorded, state)):
                return (Verdict(EAGER, True, note=NOT_JUDGED),)
    return tuple(replace(verdict, judge=EAGER) for verdict in verdicts)


def _hold(verdicts: Iterable[Verdict]) -> bool:
    return all(verdict.ok for verdict in verdicts)


def judge_import_orders(
    options: Options, zygote: Zygote, rendered: Rendered, project: Project, sources: Mapping[str, bytes] = NO_SOURCES
) -> Iterator[Verdict]:
    """Whether the modules of classes that annotations name can still be imported before any other.

    Such a module may import the annotated one before it has defined the class, in a circle that worked.

    Args:
        project: the files that were rewritten.
        sources: what stands in for files that the rewrite leaves as they are.
    """
    over = {**sources, **{change.file: change.after for change in rendered.changes}}
    named: dict[str, None] = {}  # the modules of the project, each other than that of the annotation
    for annotation in rendered.written:
        own = project.module_name(annotation.slot.owner.file)
        held = (module for name in annotation.type.names for module in parents(name))
        named |= dict.fromkeys(module for module in held if module in project.modules and module != own)
    for module in named:
        failure = _import_first(options, zygote, module, over)
        if failure and _import_first(options, zygote, module, NO_SOURCES) is None:
            message = f"importing {module} first fails with the annotations, and does not without: {failure.message}"
            yield Verdict(EAGER, False, Failure(message, place=failure.place))


def _import_first(options: Options, zygote: Zygote, module: str, sources: Mapping[str, bytes]) -> UserError | None:
    try:
        import_first(options, zygote, module, sources)
    except UserError as error:
        return error
    return None

"""`verify`: the targets as they are on disk, judged like the result of an annotation.

Such a result is judged as text, in a fresh import over the overlay, and as stubs. Its behaviour in Python must not
change: Python evaluates annotations, and the program may read them.

Beyond the examples there are traps and drawn calls. A trap that changes the answer of a drawn call fails verification.
A trap without such a call is a finding, and so is a call that differs for a reason other than a known trap, or mildly:
eager mode raises, for example for a division by zero.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.flows.review import make_outcome
from pdt_annotate.processes import tasks
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
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.project import NO_SOURCES, Project
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.further import NOTHING_FURTHER, Counterexample, Further
from pdt_annotate.values.judges import EAGER, PROBES
from pdt_annotate.values.outcome import FileChange, Outcome, Rendered
from pdt_annotate.values.places import Place
from pdt_annotate.values.progress import NO_TIMINGS, Progress, Stopwatch, Timings
from pdt_annotate.values.runs import Candidate, Target
from pdt_annotate.values.slots import Finding, SlotKind
from pdt_annotate.values.verdicts import Blame, Failure, Trial, Verdict
from pdt_annotate.verify.judging import accept_undecided, join_trials
from pdt_annotate.verify.texts import judge_texts


def verify(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Script the targets as they are and compare their answers; if one fails, find the parts at fault."""
    from pdt_annotate.flows.observe import observe_targets  # noqa: PLC0415 - `script()` needs no profiles

    progress = Stopwatch(progress)
    project, runs = observe_targets(options, zygote, progress)
    evidence = Evidence(project, (run.observed for run in runs))

    progress("scripting and comparing answers")
    each = [accept_undecided(attempt(run.session, Candidate())) for run in runs]
    joined = join_trials(each)
    further, blame = NOTHING_FURTHER, tuple[Blame, ...]()
    if joined.ok:
        further = look_further(runs, Candidate(), seconds_to_probe(options))
    else:
        progress("looking for who is at fault")
        trials = Trials(runs, evidence, options.returns, options.interpreter.libraries)
        blame = find_culprits(trials, Plan(), each)
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

    `shipped` are the targets with their files as on disk; their behaviour in Python must be the same. `sources` replace
    files that the rewrite does not change.
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
    """Apply the stubs to the un-annotated sources and verify these; return findings on what a stub cannot carry.

    Raises a `UserError` if the stubs carry less than the sources.
    """
    from pdt_annotate.emit.stubs import apply_stub, make_stub  # noqa: PLC0415  (libcst takes a second)

    # To a stub, the local `self.x` of a constructor is an attribute.
    local = (a for a in rendered.written if a.slot.kind is SlotKind.LOCAL and "." not in a.slot.name)
    lost = [a for a in local if project.is_own(a.slot.owner.file)]
    if lost:
        said = ((a.slot, f"a stub cannot carry the local `{a.slot.name}`") for a in lost)
        return tuple(Finding("PDT036", message, project.place_of(slot), slot) for slot, message in said)
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
    """Import each target again over the changed files, script it and compare its answers.

    The user's code imports the libraries that were imported ahead, but they now come before it, not between its lines.
    If that makes a difference, the result is not used.
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
    """Judge whether every example call has the same effects in Python with the changed files as with those on disk.

    Building a target twice may make two different models, and so may running it; that is not the changes' fault.
    """
    recorded = record_behaviour(shipped.session)
    verdicts = judge_behaviour(session, recorded)
    if not _hold(verdicts):
        again = open_session(options, zygote, shipped.target)
        if not _hold(judge_behaviour(again, recorded)):
            state = record_state(shipped.session)
            verdicts = judge_behaviour(session, recorded, state)
            if not _hold(verdicts) and not _hold(judge_behaviour(again, recorded, state)):
                note = "the model does not do the same in Python from one run to the next, as it is"
                return (Verdict(EAGER, True, note=note),)
    return tuple(replace(verdict, judge=EAGER) for verdict in verdicts)


def _hold(verdicts: Iterable[Verdict]) -> bool:
    return all(verdict.ok for verdict in verdicts)


def judge_import_orders(
    options: Options, zygote: Zygote, rendered: Rendered, project: Project, sources: Mapping[str, bytes] = NO_SOURCES
) -> Iterator[Verdict]:
    """Judge whether the modules of classes that annotations name can still be imported before all others.

    Such a module may import the annotated one before it has defined the class, in a circular import that worked.
    `sources` replace files that the rewrite does not change.
    """
    over = {**sources, **{change.file: change.after for change in rendered.changes}}
    named: dict[str, None] = {}  # modules of the project other than the annotation's own
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


T = TypeVar("T")

MOST = 0.1
"""The part of the budget that drawn calls may take, as processor time. It bounds endless or huge calls only; the number
of drawn calls does not depend on time, so a slow machine comes to the same verdict.
"""


def seconds_to_probe(options: Options) -> float:
    return 0.0 if options.no_probe else MOST * options.budget


def look_further(runs: Sequence[TargetRun], candidate: Candidate, seconds: float) -> Further:
    """Look for traps in targets that verify with a candidate's annotations, and for calls that differ.

    All drawn calls together take at most `seconds` of processor time; for 0 no call is drawn.
    """
    share = seconds / max(len(runs), 1)
    found = (tasks.look_further(run.session, candidate, share) for run in runs)
    return functools.reduce(Further.__or__, found, NOTHING_FURTHER)


@contextlib.contextmanager
def beside(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Work in a thread while the block runs, and yield a function that waits for the result.

    The work must not use a session that the block waits for long.
    """
    pool = ThreadPoolExecutor(1)
    try:
        yield pool.submit(work).result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def with_further(trial: Trial, further: Further, changes: Iterable[FileChange] = ()) -> Trial:
    """Return the trial with a failed verdict for every call on which a trap changes the answer.

    The verdicts are about lines of the changed files.
    """
    moves = {change.file: Moves(change.before, change.edits) for change in changes}

    def place_of(found: Counterexample) -> Place:
        file = found.place.file
        return moves[file].follow_place(found.place) if file in moves else found.place

    confirming = (each for each in further.counterexamples if each.is_wrong)
    failures = (Failure(_tell(each), place=place_of(each)) for each in confirming)
    found = (Verdict(PROBES, False, failure) for failure in failures)
    unseen = (Verdict(PROBES, True, note=f"not looked at {each}") for each in further.unseen)
    return replace(trial, verdicts=(*trial.verdicts, *found, *unseen))


def review_further(further: Further, *, refusing: bool = True) -> Iterator[Finding]:
    """Yield findings on traps and drawn calls; if `refusing`, wrong calls have failed the target, and are left out."""
    for trap in further.traps:
        if not trap.doubtful:
            yield Finding(trap.code, trap.message, trap.place)
    for each in further.counterexamples:
        if not (refusing and each.is_wrong):
            code = each.confirms[0].code if each.confirms else "PDT067"  # no known trap explains it
            yield Finding(code, _tell(each), each.place)
    if further.undrawn and refusing:  # `script()` draws as many as its time allows
        reason = "the others took all of the processor time that `--budget` has for them"
        yield Finding("PDT091", f"{further.undrawn} further call{'s' * (further.undrawn > 1)} not tried: {reason}")


def _tell(found: Counterexample) -> str:
    by_code = {trap.code: trap.message for trap in reversed(found.confirms)}
    reasons = "".join(f"; {code}, {message}" for code, message in by_code.items())
    told = f"on a call that no example makes, {found.message}{reasons}"
    return f"{told}; to hold it fast, add the call to the spec: {found.call}"

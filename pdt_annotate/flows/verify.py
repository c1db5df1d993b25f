"""The verdicts on rewritten files, and `verify`, which judges the targets on disk like the result of a run.

A result is judged as text, in a fresh import over the overlay, by the project's own commands, and as stubs. Its
behaviour in Python must not change: Python evaluates annotations, and the program may read them.
"""

import contextlib
import functools
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.files.overlay_dir import contents
from pdt_annotate.emit.stubs import make_stub
from pdt_annotate.emit.stubs.nodes import find_lost
from pdt_annotate.flows.annotate import Solution
from pdt_annotate.flows.beyond_examples import look_further, review_further, seconds_to_probe, with_further
from pdt_annotate.flows.observe import observe_targets
from pdt_annotate.flows.review import review, unreached
from pdt_annotate.mends.judge import judge_mends
from pdt_annotate.overlays.kept_overlay import VARIABLE
from pdt_annotate.processes import tasks
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.profiles.recording.gathering import lending
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.search.repair_parts import find_culprits
from pdt_annotate.settings.options import Options
from pdt_annotate.source.imports import parents
from pdt_annotate.source.project import Project
from pdt_annotate.values import shell
from pdt_annotate.values.budget import NO_TIMINGS, Progress, Stopwatch, Timings
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid, Rendered, sources_of
from pdt_annotate.values.runs import NOTHING_READ, Candidate, Closure
from pdt_annotate.values.slots import Finding, SlotKind
from pdt_annotate.values.verdicts import ALSO_RUNS, BEHAVES, EAGER, NOTHING_FURTHER, Blame, Failure, Trial, Verdict
from pdt_annotate.verify.text_judges import accept_undecided, join_trials, judge_texts


def verify(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Outcome:
    """Script the targets with the files on disk and compare their answers; if one fails, find the faulty parts."""
    progress = Stopwatch(progress)
    project, runs = observe_targets(options, zygote, progress)
    evidence = Evidence(project, (run.observed for run in runs))

    progress("scripting and comparing results")
    each = [accept_undecided(tasks.attempt(run.session, Candidate())) for run in runs]
    judged, further, blame = join_trials(each), NOTHING_FURTHER, tuple[Blame, ...]()
    if judged.ok:
        further = look_further(runs, Candidate(), seconds_to_probe(options))
        judged = with_further(judged, further)
    else:
        progress("looking for the cause")
        trials = Trials(runs, evidence, options)
        blame = find_culprits(trials, Plan(), each)
    return Outcome(
        targets=options.targets,
        root=options.root,
        findings=(*review(evidence, (), judged), *review_further(further)),
        verdicts=judged.verdicts,
        unreached=unreached(evidence, judged),
        verified=judged.ok,
        blame=blame,
        closure=functools.reduce(Closure.__or__, (run.observed.closure for run in runs), NOTHING_READ),
        timings=Timings(progress.read(), zygote.asked) if options.timings else NO_TIMINGS,
        python=options.python,
    )


def verify_rendered(options: Options, zygote: Zygote, solution: Solution, rendered: Rendered) -> Trial:
    """Judge rendered files as text, in a fresh import over the overlay, and by the project's commands.

    The targets must behave in Python as with their files on disk.
    """
    mended, texts = solution.mended, judge_texts(rendered)
    if not all(verdict.ok for verdict in texts):
        return Trial(texts)
    over = {**mended.sources, **sources_of(rendered.changes)}
    trial = solution.trials.judge(_judge_import(options, zygote, solution.observed.runs, over))
    verdicts = [*texts, *trial.verdicts]
    if trial.ok:
        verdicts += _judge_import_orders(options, zygote, rendered, solution.trials.evidence.project, over)
    if mended.mends:
        verdicts = [replace(each, judge=BEHAVES) if each.judge == EAGER else each for each in verdicts]
        verdicts += judge_mends(mended) if _hold(verdicts) else ()
    if _hold(verdicts):
        verdicts += judge_commands(options, mended.disk, over)
    return Trial(tuple(verdicts), trial.compiled, trial.ignored)


def verify_stubs(project: Project, rendered: Rendered) -> tuple[Finding, ...]:
    """Verify that the stubs have the annotations of the sources; return findings on local ones, which no stub has."""
    # To a stub, the local `self.x` of a constructor is an attribute.
    local = (a for a in rendered.written if a.slot.kind is SlotKind.LOCAL and "." not in a.slot.name)
    lost = [a for a in local if project.is_own(a.slot.owner.file)]
    if lost:
        said = ((a.slot, f"a stub cannot annotate the local `{a.slot.name}`") for a in lost)
        return tuple(Finding("PDT036", message, project.place_of(slot), slot) for slot, message in said)
    for change in rendered.changes:
        names = find_lost(change.before, change.after, make_stub(change.after)) if project.is_own(change.file) else ()
        if names:
            hint = "annotate the source itself, which was verified"
            raise UserError(f"the stub lacks the annotation of {names[0]}", file=change.file, hint=hint)
    return ()


def _judge_import(options: Options, zygote: Zygote, shipped: Iterable[TargetRun], over: Mapping[str, bytes]) -> Trial:
    """Import each target again over the changed files, script it and compare its answers.

    The user's code imports the libraries that were imported ahead, but they now come before it, not between its lines.
    If that makes a difference, the result is not used.
    """

    def judge(run: TargetRun, *, with_libraries: bool) -> Trial:
        session = tasks.open_session(options, zygote, run.target, over, with_libraries=with_libraries)
        trial = accept_undecided(tasks.attempt(session, Candidate()))
        behaves = judge_in_python(options, zygote, run, session) if trial.ok else ()
        return replace(trial, verdicts=(*trial.verdicts, *behaves))

    if zygote.has_libraries:
        with contextlib.suppress(UserError):
            trial = join_trials(judge(run, with_libraries=True) for run in shipped)
            if trial.ok:
                return trial
    return join_trials(judge(run, with_libraries=False) for run in shipped)


def judge_in_python(
    options: Options, zygote: Zygote, shipped: TargetRun, session: Session, sources: Mapping[str, bytes] = {}
) -> tuple[Verdict, ...]:
    """Judge whether every example call has the same effects in Python with the changed files as with the shipped ones.

    The shipped files are those on disk, with `sources` in place of some. Building a target twice may make two different
    models, and so may running it; that is not the changes' fault.
    """
    recorded = tasks.record_behaviour(shipped.session)
    verdicts = tasks.judge_behaviour(session, recorded)
    again = None if _hold(verdicts) else tasks.open_session(options, zygote, shipped.target, sources)
    if again and not _hold(tasks.judge_behaviour(again, recorded)):
        state = tasks.record_state(shipped.session)
        verdicts = tasks.judge_behaviour(session, recorded, state)
        if not _hold(verdicts) and not _hold(tasks.judge_behaviour(again, recorded, state)):
            note = "the unchanged model behaves differently in Python from run to run"
            return (Verdict(EAGER, True, note=note),)
    return tuple(replace(verdict, judge=EAGER) for verdict in verdicts)


def _hold(verdicts: Iterable[Verdict]) -> bool:
    return all(verdict.ok for verdict in verdicts)


def _judge_import_orders(
    options: Options, zygote: Zygote, rendered: Rendered, project: Project, over: Mapping[str, bytes]
) -> Iterator[Verdict]:
    """Judge whether the modules of classes that annotations name can still be imported before all others.

    Such a module may import the annotated one before it has defined the class, in a circular import that worked.
    """
    named: dict[str, None] = {}  # modules of the project other than the annotation's own
    for annotation in rendered.written:
        own = project.module_name(annotation.slot.owner.file)
        held = (module for name in annotation.type.names for module in parents(name))
        named |= dict.fromkeys(module for module in held if module in project.modules and module != own)
    for module in named:
        try:
            tasks.import_first(options, zygote, module, over)
        except UserError as error:
            with contextlib.suppress(UserError):
                tasks.import_first(options, zygote, module, {})
                message = f"with the annotations, importing {module} before all other modules fails: {error.message}"
                yield Verdict(EAGER, False, Failure(message, place=error.place))


def judge_commands(options: Options, project: Project, sources: Mapping[str, bytes]) -> Iterator[Verdict]:
    """Run each command with the files unchanged, and again with `sources` in their place; no file changes.

    `project` has the files on disk. A command that cannot be run, fails with the files unchanged, or takes longer than
    the timeout raises a `UserError`.
    """
    changes = (FileChange(file, project.source(file), after) for file, after in sources.items())
    named = ((project.module_name(change.file), change) for change in changes)
    overlaid = tuple(Overlaid(module, change) for module, change in named if module)
    for command in options.also_run if overlaid else ():
        code = _run(command, options, {}).returncode
        if code:
            hint = "--also-run needs commands that succeed without the changes"
            raise UserError(f"`{command}` ends with exit code {code} before anything is changed", hint=hint)
        with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as directory:
            outcome = Outcome(options.targets, options.root, overlaid=overlaid)
            for path, content in contents(outcome, directory, options.interpreter.path):
                file = Path(directory, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            after = _run(command, options, {VARIABLE: directory})
        last = [f": {line.strip()}" for line in after.stdout.splitlines() if line.strip()][-1:]
        said = f"with the changes, `{command}` ends with exit code {after.returncode}{''.join(last)}"
        failure = Failure(said, text=after.stdout) if after.returncode else None
        yield Verdict(ALSO_RUNS, failure is None, failure)


def _run(command: str, options: Options, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **more}
    if options.python:  # its programs come first on PATH, and it borrows our code that serves an overlay
        programs = os.path.dirname(options.interpreter.executable)
        environment["PATH"] = os.pathsep.join((programs, os.environ.get("PATH", os.defpath)))
        environment |= lending(os.environ)
    try:
        return subprocess.run(
            shell.split(command),
            cwd=options.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            errors="replace",  # and so as text
            timeout=options.timeout,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"`{command}` took longer than {options.timeout:g} s", hint="increase --timeout") from None
    except (OSError, ValueError) as error:
        raise UserError(f"`{command}` cannot be run: {error}") from error

"""Mends: the search in fresh sessions, the check of their behaviour in Python, and commands that must still succeed."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.emit.files.overlay_dir import contents
from pdt_annotate.flows.observe import rebuild
from pdt_annotate.flows.on_disk import rendered_on_disk
from pdt_annotate.flows.verify import verify_rendered
from pdt_annotate.overlays.kept_overlay import VARIABLE
from pdt_annotate.processes.tasks import TargetRun, observe, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.profiles.recording.gathering import lending
from pdt_annotate.search.find_mends import MendSearch, Version
from pdt_annotate.search.find_plan import find_any_plan, trim
from pdt_annotate.search.mend.judge import judge_mends
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.plan import render
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import Project
from pdt_annotate.values import shell
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.judges import ALSO_RUNS, BEHAVES, EAGER
from pdt_annotate.values.mends import MendLevel, level_of
from pdt_annotate.values.outcome import FileChange, MendAdvice, Outcome, Overlaid, Rendered
from pdt_annotate.values.progress import Progress
from pdt_annotate.values.runs import Target
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

PER_LOOK = 0.5  # the part of the remaining budget that one version may take
TRIALS = 15  # the most trials of one version


def mend(
    options: Options, zygote: Zygote, shipped: Version, budget: Budget, progress: Progress
) -> tuple[Version, MendAdvice | None]:
    """Find the requested mends, if annotations alone do not verify.

    Returns the version that verifies, otherwise the one that came furthest; and advice on mends that would verify.
    """
    if shipped.step.trial.ok:
        return shipped, None
    progress("looking for changes of code that let it script")
    look_over = partial(look, options, zygote, budget)
    version = shipped
    if options.mend:
        version = MendSearch(look_over, options.mend.kinds, budget).run(shipped)
        if version.step.trial.ok or options.mend is MendLevel.ALL:
            return version, None
    further = MendSearch(look_over, MendLevel.ALL.kinds, budget).run(version)
    if further.step.trial.ok:
        return version, advise(further)
    return replace(version, step=replace(version.step, cut_off=further.step.cut_off)), None


def look(options: Options, zygote: Zygote, budget: Budget, mended: Mended) -> Version:
    """Observe a version of the sources, and search annotations for it."""
    project, sources = mended.project, mended.sources
    as_scripted = project.mentions("is_scripting")

    def run(target: Target) -> TargetRun:
        session = open_session(options, zygote, target, sources, traced=True, with_libraries=True)
        return TargetRun(target, session, observe(session, as_scripted=as_scripted))

    runs = tuple(map(run, options.targets))
    evidence = Evidence(project, (run.observed for run in runs))
    build_anew = partial(rebuild, options, zygote, sources=sources)
    trials = Trials(
        runs, evidence, options.returns, options.interpreter.libraries, build_anew, budget.share(PER_LOOK), TRIALS
    )
    return Version(mended, trials, find_any_plan(trials))


def advise(version: Version) -> MendAdvice:
    """Return the mends of a version that verifies, and the size of its changes."""
    step = trim(version.trials, version.step)
    rendered = render(step.plan, version.project, version.trials.evidence.classes)
    lines = [_changed_lines(change) for change in rendered_on_disk(rendered, version.mended).changes]
    mends = version.mended.mends
    return MendAdvice(level_of(mends), mends, sum(plus for plus, _ in lines), sum(minus for _, minus in lines))


def _changed_lines(change: FileChange) -> tuple[int, int]:
    before, after = (source.splitlines() for source in (change.before, change.after))
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [(j2 - j1, i2 - i1) for tag, i1, i2, j1, j2 in codes if tag != "equal"]
    return sum(plus for plus, _ in changed), sum(minus for _, minus in changed)


def verify_mended(
    options: Options, zygote: Zygote, shipped: Sequence[TargetRun], project: Project, mended: Mended, rendered: Rendered
) -> Trial:
    """Judge mended and annotated files like annotated ones, by their former behaviour, and by the project's commands.

    `shipped` are the targets with their files as on disk; `project` has the files with the mends.
    """
    trial = verify_rendered(options, zygote, rendered, shipped, project, mended.sources)
    if mended.mends:
        as_mended = (replace(each, judge=BEHAVES) if each.judge == EAGER else each for each in trial.verdicts)
        trial = replace(trial, verdicts=(*as_mended, *(judge_mends(mended) if trial.ok else ())))
    if trial.ok:
        sources = {**mended.sources, **{change.file: change.after for change in rendered.changes}}
        trial = replace(trial, verdicts=(*trial.verdicts, *judge_commands(options, mended.disk, sources)))
    return trial


def judge_commands(options: Options, project: Project, sources: Mapping[str, bytes]) -> Iterator[Verdict]:
    """Run each command with the files unchanged, and again with `sources` in their place; no file changes.

    `project` has the files as they are on disk. A command that cannot be run, fails with the files unchanged, or takes
    longer than the timeout raises a `UserError`.
    """
    modules = {file: project.module_name(file) for file in sources}
    changes = (FileChange(file, project.source(file), after) for file, after in sources.items())
    overlaid = tuple(Overlaid(modules[change.file], change) for change in changes if modules[change.file])
    for command in options.also_run if overlaid else ():
        before = _run(command, options, {})
        if before.returncode:
            hint = "name commands that succeed without any change"
            raise UserError(f"`{command}` ends with {before.returncode} before anything is changed", hint=hint)
        with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as directory:
            outcome = Outcome(options.targets, options.root, overlaid=overlaid)
            for path, content in contents(outcome, directory, options.interpreter.path):
                file = os.path.join(directory, path)
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, "wb") as out:
                    out.write(content)
            after = _run(command, options, {VARIABLE: directory})
        failure = None
        if after.returncode:
            lines = [line.strip() for line in after.stdout.splitlines() if line.strip()]
            last = f": {lines[-1]}" if lines else ""
            failure = Failure(f"`{command}` ends with {after.returncode} with the changes{last}", text=after.stdout)
        yield Verdict(ALSO_RUNS, failure is None, failure)


def _run(command: str, options: Options, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if options.python:  # its programs come first on PATH, and it borrows our code that serves an overlay
        programs = os.path.dirname(options.interpreter.executable)
        environment["PATH"] = os.pathsep.join((programs, os.environ.get("PATH", os.defpath)))
        environment |= lending(os.environ)
    try:
        return subprocess.run(
            shell.split(command),
            cwd=options.root,
            env={**environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=options.timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"`{command}` took longer than {options.timeout:g} s", hint="--timeout allows more") from None
    except (OSError, ValueError) as error:
        raise UserError(f"`{command}` cannot be run: {error}") from error

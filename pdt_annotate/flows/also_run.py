"""`--also-run`: commands of the project that succeed, its tests say, and must succeed with the changes, too."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping

from pdt_annotate.emit.files.overlay_dir import contents
from pdt_annotate.overlays.kept_overlay import VARIABLE
from pdt_annotate.profiles.recording.gathering import lending
from pdt_annotate.settings.options import Options
from pdt_annotate.source.project import Project
from pdt_annotate.values import shell
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.judges import ALSO_RUNS
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid
from pdt_annotate.values.verdicts import Failure, Verdict


def judge_commands(options: Options, project: Project, sources: Mapping[str, bytes]) -> Iterator[Verdict]:
    """Run each command as the files are, and again with sources in their place; no file changes.

    Args:
        project: the files as they are on disk.
        sources: by file, what is to be written.

    Raises:
        UserError: a command cannot be run, fails as the files are, or takes longer than the timeout.
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
        yield Verdict(ALSO_RUNS, not after.returncode, _describe(command, after) if after.returncode else None)


def _run(command: str, options: Options, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **_of_another(options), **more}
    try:
        return subprocess.run(
            shell.split(command),
            cwd=options.root,
            env=environment,
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


def _of_another(options: Options) -> dict[str, str]:
    """Where the model has an environment of its own: its programs come first, and its Python is lent what serves an
    overlay."""
    if not options.python:
        return {}
    programs = os.path.dirname(options.interpreter.executable)
    return {"PATH": os.pathsep.join((programs, os.environ.get("PATH", os.defpath))), **lending(os.environ)}


def _describe(command: str, done: subprocess.CompletedProcess[str]) -> Failure:
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    last = f": {lines[-1]}" if lines else ""
    return Failure(f"`{command}` ends with {done.returncode} with the changes{last}", text=done.stdout)

"""The targets imported, built and run on their example calls, each in a session of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pdt_annotate.config import Options
from pdt_annotate.fresh import OBSERVE, PREPARE
from pdt_annotate.ir import Candidate
from pdt_annotate.isolate import Zygote
from pdt_annotate.project import Project
from pdt_annotate.trials import Run

Progress = Callable[[str], None]

FILES = "pdt_annotate.child:loaded_files"


def observe_targets(options: Options, zygote: Zygote, progress: Progress) -> tuple[Project, tuple[Run, ...]]:
    """Observe every target.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    progress("importing torch and your code")
    sessions = [(t, zygote.session(PREPARE, t, options.spec, options.root, {}, heard=True)) for t in options.targets]
    project = read_project(options, [session.run(FILES) for _, session in sessions])
    progress("running the example calls")
    as_scripted = project.mentions(b"is_scripting")
    seen = [session.run(OBSERVE, as_scripted, heard=True) for _, session in sessions]
    return project, tuple(Run(*opened, observed) for opened, observed in zip(sessions, seen, strict=True))


def rebuild(options: Options, zygote: Zygote, run: Run, candidate: Candidate) -> Run:
    """The run with its target imported and built anew over a candidate, whose lines are those of the files.

    Raises:
        UserError: the target does not build with these annotations.
    """
    sources = (candidate.sources, candidate.imports)
    return replace(run, session=zygote.session(PREPARE, run.target, options.spec, options.root, *sources))


def read_project(options: Options, loaded: Sequence[Mapping[str, str]]) -> Project:
    """The files that the targets import from under the root; the spec itself is run but not annotated."""
    modules = {name: file for files in loaded for name, file in files.items()}
    return Project(options.root, modules, frozenset({options.spec.file}))

"""Imports and builds the targets and runs their example calls, each target in its own session."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pdt_annotate import profiles
from pdt_annotate.processes import tasks
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.profiles import Profile
from pdt_annotate.profiles.outdated import list_unseen
from pdt_annotate.settings.options import Options
from pdt_annotate.source.imported_libraries import libraries_of
from pdt_annotate.source.imports import Sources
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import Progress


def observe(options: Options, zygote: Zygote, progress: Progress = lambda text: None) -> Profile:
    """Observe every target; return a profile with a run for each, and save it if that is asked for."""
    profile = make_profile(*observe_targets(options, zygote, progress))
    if options.save_profile:
        profiles.save_or_keep(options.save_profile, profile)
    return profile


def observe_targets(options: Options, zygote: Zygote, progress: Progress) -> tuple[Project, tuple[TargetRun, ...]]:
    progress("importing torch and your code")
    import_ahead(options, zygote)
    open_first = partial(tasks.open_session, options, zygote, first=True, traced=True, with_libraries=True)
    sessions = [open_first(target) for target in options.targets]
    project = read_project(options, sessions)
    progress("running the example calls")
    as_scripted = project.mentions("is_scripting")
    seen = [tasks.observe(session, as_scripted=as_scripted, heard=True) for session in sessions]
    return project, tuple(map(TargetRun, options.targets, sessions, seen))


def import_ahead(options: Options, zygote: Zygote, *further: str) -> None:
    """Begin to import installed packages that the targets and the spec name, and further modules, for all sessions."""
    if zygote.has_libraries:
        return
    found: tuple[str, ...] = ()
    if not options.types_third_party:  # otherwise the packages may change
        sources = Sources(options.root, zygote.interpreter.path)  # read while the zygote imports torch
        files = (*(each.file or sources.file_of(each.module) for each in options.targets), options.spec.file)
        found = libraries_of(filter(None, files), sources)
    zygote.import_libraries((*found, *further))


def make_profile(project: Project, runs: Sequence[TargetRun]) -> Profile:
    """Return the runs' observations of the files that may be annotated."""
    modules = {name: file for name, file in project.modules.items() if project.has(file)}
    own = ((run, tuple(o for o in run.observed.observations if project.has(o.slot.owner.file))) for run in runs)
    observed = ((run.target.text, replace(run.observed, observations=seen)) for run, seen in own)
    recorded = (profiles.record(each, root=project.root, modules=modules, label=text) for text, each in observed)
    return list_unseen(profiles.merge(recorded), project.root)


def read_project(options: Options, sessions: Sequence[Session]) -> Project:
    """Return the files under the root that the targets import, without specs, unless a spec is a target's own file."""
    modules = dict(each for session in sessions for each in tasks.loaded_files(session).items())
    own = {os.path.realpath(each.file or modules.get(each.module, "")) for each in options.targets}
    specs = frozenset({os.path.realpath(options.spec.file)}) - own
    typed = sessions if options.types_third_party else ()
    foreign = dict(each for session in typed for each in tasks.third_party_files(session).items())
    return Project(options.root, modules, specs, foreign, options.spelling)

"""What stands in a project's files beside what ran, so that a profile can tell later what is new.

The files are those that a profile knows and what they import from the project, anywhere in them. They are read when a
profile is made complete, not in the processes that are observed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pdt_annotate.profiles.profile import Profile, Recording, Unseen
from pdt_annotate.profiles.record import path_from
from pdt_annotate.source.imports import imports_of
from pdt_annotate.source.pages import Page, module_name_of
from pdt_annotate.source.survey import Survey, read_survey
from pdt_annotate.values.installed import is_own


def project_files(root: str, files: Iterable[str]) -> list[Survey]:
    """Files, what they import from the project, and so on, whatever the import path of this process.

    Args:
        root: the directory below which the project's files are.
        files: those to begin with; others are found from the folders that they are imported from.
    """
    root, pending = os.path.realpath(root), list(files)
    folders = tuple(dict.fromkeys((*map(import_root, pending), root, os.path.join(root, "src"))))
    found: dict[str, Survey] = {}
    while pending:
        file = pending.pop()
        survey = None if file in found else read_survey(file)
        if survey is not None:
            found[file] = survey
            beside = (os.path.dirname(file), *folders)
            imported = imports_of(Page(file, survey.tree)).values()
            names = [name for each in imported for name in (each.module, f"{each.module}.{each.name}")]
            pending += (each for each in (_file_of(name, beside) for name in names) if each and is_own(each, root))
    return [found[file] for file in sorted(found)]


def _file_of(module: str, folders: Iterable[str]) -> str:
    """The source file of a dotted module in the first folder that has it, "" where none has."""
    path = os.path.join(*module.split("."))
    files = (os.path.join(folder, name) for folder in folders for name in (f"{path}.py", f"{path}/__init__.py"))
    return next(filter(os.path.isfile, files), "")


def import_root(file: str) -> str:
    """The folder from which a file is imported: that around its packages."""
    folder = os.path.dirname(file)
    for _ in range(module_name_of(file).count(".") + (os.path.basename(file) == "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def list_unseen(profile: Profile, root: str) -> Profile:
    """The profile with what else stands in the files of each of its runs, as they are now."""
    return Profile(tuple(replace(each, unseen=tuple(_unseen(each, root))) for each in profile.recordings))


def _unseen(recording: Recording, root: str) -> Iterator[Unseen]:
    seen = {(sighting.place.path, sighting.place.qualname) for sighting in recording.sightings}
    for survey in project_files(root, (os.path.join(root, source.path) for source in recording.sources)):
        path = path_from(os.path.realpath(root), survey.file)
        yield Unseen(path)
        names = {function.owner.qualname for function in survey.functions}
        yield from (Unseen(path, name) for name in sorted(names) if (path, name) not in seen)

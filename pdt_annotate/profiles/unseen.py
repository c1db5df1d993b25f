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


class ProjectFiles:
    """The files of a project as its imports find them, whatever the import path of this process.

    Args:
        root: the directory below which they lie.
        files: some of them, by whose folders others are found.
    """

    def __init__(self, root: str, files: Iterable[str]) -> None:
        self.root = os.path.realpath(root)
        self.files = tuple(dict.fromkeys(files))
        folders = (*map(import_root, self.files), self.root, os.path.join(self.root, "src"))
        self.folders = tuple(dict.fromkeys(folders))

    def file_of(self, module: str, beside: str = "") -> str:
        """The source file of a dotted module, "" for one that is not the project's."""
        path = os.path.join(*module.split("."))
        places = (os.path.join(folder, path) for folder in (beside, *self.folders) if folder)
        found = (file for place in places for file in (f"{place}.py", os.path.join(place, "__init__.py")))
        return next((file for file in found if os.path.isfile(file) and is_own(os.path.realpath(file), self.root)), "")

    def page(self, file: str) -> Page | None:
        """A Python file; None where it cannot be read."""
        found = read_survey(file)
        return Page(file, found.tree) if found else None

    def all(self) -> list[Survey]:
        """The files and what they import, and so on."""
        found: dict[str, Survey] = {}
        pending = list(self.files)
        while pending:
            file = pending.pop()
            survey = None if file in found else read_survey(file)
            if survey is not None:
                found[file] = survey
                pending += filter(None, self._imported(survey))
        return [found[file] for file in sorted(found)]

    def _imported(self, survey: Survey) -> Iterator[str]:
        for imported in imports_of(Page(survey.file, survey.tree)).values():
            beside = os.path.dirname(survey.file)
            yield self.file_of(imported.module, beside)
            yield self.file_of(f"{imported.module}.{imported.name}", beside) if imported.name else ""


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
    files = ProjectFiles(root, (os.path.join(root, source.path) for source in recording.sources))
    seen = {(sighting.place.path, sighting.place.qualname) for sighting in recording.sightings}
    for survey in files.all():
        path = path_from(files.root, survey.file)
        yield Unseen(path)
        names = {function.owner.qualname for function in survey.functions}
        yield from (Unseen(path, name) for name in sorted(names) if (path, name) not in seen)

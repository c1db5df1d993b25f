"""What a result means for code outside the root: it goes to an overlay, never into the files, and the user is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pdt_annotate.processes.tasks import TargetRun, third_party_files
from pdt_annotate.settings.options import Options
from pdt_annotate.source.places import Places
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Function
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import FileChange, Overlaid
from pdt_annotate.values.slots import Annotation, Finding
from pdt_annotate.values.verdicts import Trial

OVERLAY_ONLY = "PDT080"
IN_THE_WAY = "PDT081"


def split(project: Project, changes: Sequence[FileChange]) -> tuple[tuple[FileChange, ...], tuple[Overlaid, ...]]:
    """The changes of files under the root, and those of other files."""
    own = tuple(change for change in changes if project.is_own(change.file))
    foreign = (change for change in changes if not project.is_own(change.file))
    return own, tuple(Overlaid(project.module_name(change.file), change) for change in foreign)


def review(
    options: Options, overlaid: Sequence[Overlaid], annotations: Iterable[Annotation], mends: Iterable[Mend] = ()
) -> Iterator[Finding]:
    """A finding for each third-party function or class that is typed or mended, where no overlay is kept."""
    modules = {each.change.file: each.module for each in overlaid}
    places = Places()
    done = {mend.owner: "mended" for mend in mends} | {annotation.slot.owner: "typed" for annotation in annotations}
    for owner, what in done.items() if not options.overlay else ():
        if owner.file in modules:
            message = f"{owner.qualname} of {modules[owner.file]} had to be {what}"
            yield Finding(OVERLAY_ONLY, message, places.of(owner))


def find_in_the_way(options: Options, project: Project, runs: Iterable[TargetRun], trial: Trial) -> Iterator[Finding]:
    """Where third-party code is left alone and a trial failed: the un-annotated functions of it that were compiled."""
    if trial.ok or options.types_third_party:
        return
    modules = {file: name for run in runs for name, file in third_party_files(run.session).items()}
    for owner in trial.compiled:
        function = project.reading_at(owner.file, owner.line) if owner.file in modules else None
        if function is not None and _lacks_annotations(function):
            message = f"{owner.qualname} of {modules[owner.file]} is compiled"
            yield Finding(IN_THE_WAY, message, function.place)


def _lacks_annotations(function: Function) -> bool:
    return not function.type_comments and not all(parameter.annotation for parameter in function.parameters)

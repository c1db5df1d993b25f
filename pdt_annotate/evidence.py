"""All that the runs showed, joined; and what is chosen of it, file by file, as files come in reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pdt_annotate.ir import Annotation, Finding, Observation, Observed, Slot
from pdt_annotate.namesakes import Namesakes
from pdt_annotate.project import Project
from pdt_annotate.slots import choose_parameters


class Evidence:
    """Observations by slot, the classes they mention, and the findings that choosing gave.

    Args:
        project: the files that may be annotated.
        observed: what each target showed.
    """

    def __init__(self, project: Project, observed: Iterable[Observed]) -> None:
        observed = list(observed)
        self.project = project
        self.seen = _by_slot(observed)
        self.namesakes = Namesakes(self.seen)
        self.reached = {slot.owner for slot in self.seen}
        self.classes = {info.name: info for one in observed for info in one.classes}
        self.findings: dict[Slot, list[Finding]] = defaultdict(list)
        self._chosen_files: set[str] = set()

    def choose(self, files: Iterable[str]) -> Iterator[Annotation]:
        """Annotations for the parameters of every function in files that were not in reach before."""
        for file in sorted(set(files) - self._chosen_files):
            self._chosen_files.add(file)
            if not self.project.has(file) or self.project.survey(file).skipped:
                continue
            for function in self.project.survey(file).functions:
                for chosen in choose_parameters(function, self.seen, self.classes, self.namesakes):
                    if isinstance(chosen, Annotation):
                        yield chosen
                    elif chosen.slot is not None:
                        self.findings[chosen.slot].append(chosen)


def _by_slot(observed: Iterable[Observed]) -> dict[Slot, list[Observation]]:
    seen: dict[Slot, list[Observation]] = defaultdict(list)
    for one in observed:
        for observation in one.observations:
            seen[observation.slot].append(observation)
    return dict(seen)

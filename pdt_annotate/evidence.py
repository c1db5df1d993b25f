"""All that the runs showed, joined; and what is chosen of it, file by file, as files come in reach."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pdt_annotate.inference import Inference
from pdt_annotate.ir import Annotation, Finding, Observation, Observed, Owner, Slot, SlotKind, TypeExpr
from pdt_annotate.namesakes import Namesakes
from pdt_annotate.overloads import Stub, find_stubs
from pdt_annotate.project import Project
from pdt_annotate.script_types import named_classes
from pdt_annotate.slots import Passed, choose_parameters, choose_return
from pdt_annotate.survey import Function

IGNORE = re.compile(r"\bignore(\(|$)")


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
        self.inference = Inference(project, self.seen)
        self.reached = {slot.owner for slot in self.seen}
        self.classes = {info.name: info for one in observed for info in one.classes}
        self.findings: dict[Slot, list[Finding]] = defaultdict(list)
        self._chosen: dict[str, tuple[Annotation, ...]] = {}

    def choose(self, files: Iterable[str]) -> Iterator[Annotation]:
        """Annotations for the parameters of every function in these files. A file is read, and chosen for, once."""
        wanted = sorted({file for file in files if self.project.has(file)})
        new = [file for file in wanted if file not in self._chosen]
        self.inference.read(new)
        for file in new:
            survey = self.project.survey(file)
            stubs = find_stubs(survey.functions)
            self._chosen[file] = tuple(
                annotation
                for function in (() if survey.skipped else survey.functions)
                for annotation in self._choose(function, stubs.get(function.owner))
            )
        for file in wanted:
            yield from self._chosen[file]

    def _choose(self, function: Function, stub: Stub | None) -> Iterator[Annotation]:
        seen, told = self._known(function, stub)
        yield from self._keep(choose_parameters(function, seen, self.classes, self.namesakes, told))

    def choose_returns(self, ignored: Iterable[Owner]) -> Iterator[Annotation]:
        """Annotations for the returns of functions of which the compiler reads the signature alone."""
        for owner in ignored:
            function = self.project.function(owner)
            if function is not None and not self.project.survey(owner.file).skipped:
                told = partial(self.inference.result, function)
                yield from self._keep(choose_return(function, self.seen, self.classes, told))

    def runs_in_python(self, owner: Owner) -> bool:
        """Whether compiled code calls a function as it is: what that returns must then be what its annotation says."""
        function = self.project.function(owner)
        decorators = function.decorators if function is not None else ()
        return any(IGNORE.search(decorator) and "drop=True" not in decorator for decorator in decorators)

    def learn_classes(self, message: str) -> None:
        """Know the plain classes of the project that a message of the compiler names, and no example showed."""
        for name in named_classes(message):
            info = self.project.describe_class(name) if name not in self.classes else None
            if info is not None:
                self.classes[name] = info

    def _keep(self, chosen: Iterable[Annotation | Finding]) -> Iterator[Annotation]:
        """The annotations; findings are kept aside."""
        for each in chosen:
            if isinstance(each, Annotation):
                yield each
            elif each.slot is not None and each not in self.findings[each.slot]:
                self.findings[each.slot].append(each)

    def _known(self, function: Function, stub: Stub | None) -> tuple[Mapping[Slot, Sequence[Observation]], Passed]:
        """What was observed at the parameters of a function, and what the source passes; a stub's share of it."""
        if stub is None:
            return self.seen, partial(self.inference.told, function)
        seen: dict[Slot, list[Observation]] = {}
        for parameter in function.parameters if not function.settled else ():
            slot = Slot(function.owner, SlotKind.PARAMETER, parameter.name)
            observed = self.seen.get(replace(slot, owner=stub.implementation.owner), ())
            dealt = [] if parameter.annotation else stub.deal(parameter.name, [o.type for o in observed])
            seen[slot] = [replace(o, slot=slot) for o in observed if o.type in dealt]

        def told(name: str) -> list[TypeExpr]:
            return stub.deal(name, self.inference.told(stub.implementation, name))

        return seen, told


def _by_slot(observed: Iterable[Observed]) -> dict[Slot, list[Observation]]:
    seen: dict[Slot, list[Observation]] = defaultdict(list)
    for one in observed:
        for observation in one.observations:
            seen[observation.slot].append(observation)
    return dict(seen)

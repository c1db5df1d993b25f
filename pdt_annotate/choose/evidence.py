"""All that the runs showed, joined; and what is chosen of it, file by file, as files come in reach."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pdt_annotate.choose.inference import Inference
from pdt_annotate.choose.namesakes import Namesakes
from pdt_annotate.choose.overloads import Stub, find_stubs
from pdt_annotate.choose.slots import Passed, choose_parameters, choose_return
from pdt_annotate.findings.compiler_types import named_classes
from pdt_annotate.source.project import Project
from pdt_annotate.source.survey import Function
from pdt_annotate.values.runs import Observed
from pdt_annotate.values.slots import Annotation, Finding, Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

IGNORE = re.compile(r"\bignore(\(|$)")


class Evidence:
    """Observations by slot, the classes they mention, and the findings that choosing gave.

    Args:
        project: the files that may be annotated.
        observed: what each target showed; of a class that several describe, the first is believed.
    """

    def __init__(self, project: Project, observed: Iterable[Observed]) -> None:
        observed = list(observed)
        self.project = project
        self.seen = _by_slot(observed)
        self.namesakes = Namesakes(self.seen, project.package_of)
        self.inference = Inference(project, self.seen)
        self.reached = {slot.owner for slot in self.seen}
        self.classes = {info.name: info for one in reversed(observed) for info in one.classes}
        self.findings: dict[Slot, list[Finding]] = defaultdict(list)
        self._chosen: dict[str, tuple[Annotation, ...]] = {}

    @property
    def entered_files(self) -> set[str]:
        """The files under the root that an example entered."""
        return {owner.file for owner in self.reached if self.project.is_own(owner.file)}

    def choose_in_reach(self, compiled: Iterable[Owner]) -> Iterator[Annotation]:
        """Annotations for what a compilation came to: all of a file under the root, of another what is run or compiled.

        A package that it came to is taken into account with all the files of it that an example entered.
        """
        owners = dict.fromkeys(compiled)
        packages = {self.project.package_of(owner.file) for owner in owners} - {""}
        entered = {owner for owner in self.reached if packages and self.project.package_of(owner.file) in packages}
        for annotation in self.choose(owner.file for owner in entered.union(owners)):
            owner = annotation.slot.owner
            if self.project.is_own(owner.file) or owner in owners or owner in entered:
                yield annotation

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
                for function in survey.functions
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
            if function is not None:
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
    """The observations of each slot; what several runs showed alike is counted together."""
    seen: dict[Slot, dict[TypeExpr, Observation]] = defaultdict(dict)
    for one in observed:
        for new in one.observations:
            before = seen[new.slot].setdefault(new.type, new)
            if before is not new:
                calls = tuple(dict.fromkeys((*before.calls, *new.calls)))
                seen[new.slot][new.type] = replace(before, count=before.count + new.count, calls=calls)
    return {slot: list(by_type.values()) for slot, by_type in seen.items()}

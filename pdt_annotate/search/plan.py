"""A plan: the annotation for each slot, and how to render it, for a quick attempt or for good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from pdt_annotate.rewrite import Rewritten, rewrite
from pdt_annotate.source.moves import Moves, moves_of
from pdt_annotate.source.project import Project
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Annotation, ClassInfo, Finding, Slot, SlotKind


@dataclass(frozen=True)
class Plan:
    """Annotations by slot. Immutable: every change returns a new plan."""

    annotations: Mapping[Slot, Annotation] = field(default_factory=dict)

    def get(self, slot: Slot) -> Annotation | None:
        return self.annotations.get(slot)

    def with_(self, changes: Iterable[Annotation]) -> Plan:
        return replace(self, annotations={**self.annotations, **{a.slot: a for a in changes}})

    def without(self, slots: Iterable[Slot]) -> Plan:
        dropped = set(slots)
        return self.only(lambda slot: slot not in dropped)

    def only(self, keep: Callable[[Slot], bool]) -> Plan:
        return replace(self, annotations={slot: a for slot, a in self.annotations.items() if keep(slot)})

    def changes_from(self, before: Plan) -> tuple[Annotation, ...]:
        """The annotations that are new, or different from before."""
        return tuple(a for slot, a in self.annotations.items() if before.get(slot) != a)

    def in_order(self) -> list[Annotation]:
        return sorted(self.annotations.values(), key=lambda annotation: annotation.slot.sort_key)

    def by_file(self) -> dict[str, list[Annotation]]:
        files: dict[str, list[Annotation]] = defaultdict(list)
        for annotation in self.in_order():
            files[annotation.slot.owner.file].append(annotation)
        return files


def render_candidate(plan: Plan, project: Project, classes: Mapping[str, ClassInfo]) -> Candidate:
    """The plan for modules that are already imported: no line moves."""
    sources: dict[str, bytes] = {}
    imports: dict[str, tuple[str, ...]] = {}
    attributes: dict[tuple[str, str], list[Annotation]] = defaultdict(list)
    for file, planned in plan.by_file().items():
        rewritten = _rewrite_inline(planned, file, project, classes)
        sources[file] = rewritten.source
        imports[file] = rewritten.imports
        for annotation in planned:
            if annotation.slot.kind is SlotKind.ATTRIBUTE:
                attributes[file, annotation.slot.owner.qualname].append(annotation)
    signatures = tuple(a for a in plan.annotations.values() if a.slot.kind in (SlotKind.PARAMETER, SlotKind.RETURN))
    return Candidate(sources, imports, {owner: tuple(found) for owner, found in attributes.items()}, signatures)


def inline_moves(plan: Plan, file: str, project: Project, classes: Mapping[str, ClassInfo]) -> Moves | None:
    """How the source of such a module differs from its file; None if it does not."""
    planned = plan.by_file().get(file)
    if not planned:
        return None
    rewritten = _rewrite_inline(planned, file, project, classes)
    return moves_of([FileChange(file, project.source(file), rewritten.source, rewritten.edits)])[file]


def _rewrite_inline(
    planned: Sequence[Annotation], file: str, project: Project, classes: Mapping[str, ClassInfo]
) -> Rewritten:
    inline = [a for a in planned if a.slot.kind is not SlotKind.ATTRIBUTE]
    module, style = project.module_name(file), project.style(file)
    return rewrite(project.source(file), inline, file=file, module=module, classes=classes, imports=False, style=style)


def render(plan: Plan, project: Project, classes: Mapping[str, ClassInfo]) -> Rendered:
    changes: list[FileChange] = []
    written: list[Annotation] = []
    refused: list[Finding] = []
    again: list[FileChange] = []
    for file, planned in plan.by_file().items():
        write = partial(
            rewrite,
            file=file,
            module=project.module_name(file),
            classes=classes,
            imports_of=project.imports_of,
            style=project.style(file),
        )
        before = project.source(file)
        rewritten = write(before, planned)
        written += rewritten.written
        refused += rewritten.refused
        if rewritten.source != before:
            changes.append(change := FileChange(file, before, rewritten.source, rewritten.edits))
            second = write(rewritten.source, list(follow_owners(planned, moves_of([change])[file])))
            again.append(FileChange(file, rewritten.source, second.source, second.edits))
    return Rendered(tuple(changes), tuple(written), tuple(refused), tuple(again))


def follow_owners(planned: Iterable[Annotation], moves: Moves) -> Iterator[Annotation]:
    """The same annotations for the rewritten file, in which added lines have moved the owners."""
    for annotation in planned:
        slot = annotation.slot
        owner = replace(slot.owner, line=moves.follow(slot.owner.line))
        yield replace(annotation, slot=replace(slot, owner=owner, line=moves.follow(slot.line)))

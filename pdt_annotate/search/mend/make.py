"""Mends into sources: those that do not overlap at once, with the imports that they need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.rewrite.imports import insert_imports
from pdt_annotate.rewrite.names import NOWHERE, Import, ModuleNames
from pdt_annotate.rewrite.outline import Outline
from pdt_annotate.rewrite.read import read_outline
from pdt_annotate.rewrite.widths import line_limit
from pdt_annotate.search.mend.naming import qualified
from pdt_annotate.source.imports import package_of
from pdt_annotate.source.project import Project
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend


@dataclass(frozen=True)
class Layer:
    """Mends that were made at once, and by file the edits that make them, imports included."""

    mends: tuple[Mend, ...]
    edits: Mapping[str, tuple[Edit, ...]]

    def sources(self, project: Project) -> dict[str, bytes]:
        """The files that change, as they stand then."""
        surveys = {file: project.survey(file) for file in self.edits}
        return {file: surveys[file].text.edit(edits) for file, edits in self.edits.items()}


def make(mends: Iterable[Mend], project: Project) -> Layer:
    """As many of the mends as do not overlap, the first in front; an edit that two have in common is made once."""
    made: list[Mend] = []
    edits: dict[str, list[Edit]] = defaultdict(list)
    for mend in mends:
        if all(_fit(new, edits[file]) for file, new in mend.edits.items()):
            made.append(mend)
            for file, new in mend.edits.items():
                edits[file] += (edit for edit in new if edit not in edits[file])
    for file in list(edits):
        needed = [dotted for mend in made for dotted in mend.imports.get(file, ())]
        edits[file] += _import(project, file, list(dict.fromkeys(needed)))
        edits[file].sort(key=lambda edit: edit.offset)
    return Layer(tuple(made), {file: tuple(each) for file, each in edits.items() if each})


def _fit(new: Sequence[Edit], present: Sequence[Edit]) -> bool:
    """Whether edits can be made beside others."""
    return not any(_overlap(one, other) for one in new for other in present if one != other)


def _overlap(one: Edit, other: Edit) -> bool:
    if one.offset == other.offset:
        return bool(one.removed and other.removed)
    first, second = sorted((one, other), key=lambda edit: edit.offset)
    return first.end > second.offset


def _import(project: Project, file: str, needed: Sequence[str]) -> Iterable[Edit]:
    outline, style = read_outline(project.source(file), file), project.style(file)
    package = package_of(project.module_name(file), file)
    imports = _plan(outline, package, needed)
    limit = line_limit(outline, style)
    return insert_imports(outline, package, imports, style.sorting, style.sorting.line_length or limit)


def _plan(outline: Outline, package: str, needed: Sequence[str]) -> list[Import]:
    names, planned = ModuleNames(outline, package), list[Import]()
    for dotted in needed:
        if names.find(qualified(dotted), NOWHERE, planned) is None:
            planned += filter(None, [names.plan(qualified(dotted), NOWHERE, planned)])
    return planned

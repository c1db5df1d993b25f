"""Annotations and the imports that they need into source bytes, and nothing else: every other byte stays.

rewrite(source, annotations, file=…, module=…, classes=…)
    read      the bytes to an outline: functions, classes, names and the places for text
    spell     each type in the words that the file already uses, or its project asks for
    annotate  each slot: the edit, or why there is none
    wrap      the signatures that get too long
    imports   into the from-imports that the file has, else on new lines
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.rewrite.annotate import annotate
from pdt_annotate.rewrite.imports import insert_imports, statements_of
from pdt_annotate.rewrite.names import ModuleNames
from pdt_annotate.rewrite.read import read_outline
from pdt_annotate.rewrite.spelling import ImportsOf, Speller, choose_notations, would_cycle
from pdt_annotate.rewrite.widths import line_limit
from pdt_annotate.rewrite.wrap import wrap_signatures
from pdt_annotate.source.imports import package_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Annotation, ClassInfo, Finding, SlotKind
from pdt_annotate.values.style import PLAIN, Style

__all__ = ["ImportsOf", "Rewritten", "rewrite", "would_cycle"]


@dataclass(frozen=True)
class Rewritten:
    """A file after the rewrite.

    `written` are the annotations that are new in `source`, `refused` says why others are not; an annotation in neither
    has a slot that is annotated already, be it by a comment that the compiler reads, or one that a `# pdt: skip`
    protects. `imports` are the import statements that the new annotations need, in it or, where none were to be added,
    still missing. `edits` are all that was changed, by offset.
    """

    source: bytes
    written: tuple[Annotation, ...] = ()
    refused: tuple[Finding, ...] = ()
    imports: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()


def rewrite(
    source: bytes,
    annotations: Sequence[Annotation],
    *,
    file: str,
    module: str,
    classes: Mapping[str, ClassInfo],
    imports: bool = True,
    imports_of: ImportsOf | None = None,
    style: Style = PLAIN,
) -> Rewritten:
    """Write the annotations of one file into its source.

    Args:
        source: the file's bytes.
        annotations: those whose owners are in the file; a function or class is found by qualified name and first line.
        file: the file's path.
        module: its dotted name when imported, "" if unknown.
        classes: what is known of the classes that the types name.
        imports: whether imports may be added. Without them every line keeps its number: nothing is wrapped, and no
            attribute annotated.
        imports_of: the import graph, to refuse an import that would close a circle.
        style: how the project of the file writes.

    Raises:
        UserError: the source does not parse, or could not be kept byte for byte.
    """
    outline = read_outline(source, file)
    if outline.known.skipped:
        return Rewritten(source)
    wanted = annotations if imports else [each for each in annotations if each.slot.kind is not SlotKind.ATTRIBUTE]
    package = package_of(module, file)
    names, notations = ModuleNames(outline, package), choose_notations(outline, style)
    speller = Speller(file, module, names, notations, classes, imports_of)
    limit = line_limit(outline, style) if imports else sys.maxsize
    annotated = annotate(outline, wanted, speller, limit)
    edits = annotated.edits
    if imports:
        breaks = wrap_signatures(outline, edits, limit)
        sorting = style.sorting
        added = insert_imports(outline, package, annotated.imports, sorting, sorting.line_length or limit)
        edits = [*edits, *breaks, *added]
    return Rewritten(
        source=outline.text.edit(edits) if edits else source,
        written=tuple(annotated.written),
        refused=tuple(annotated.refused),
        imports=statements_of(annotated.imports),
        edits=tuple(sorted(edits, key=lambda each: each.offset)),
    )

"""Annotations and the imports that they need into source bytes, and nothing else: every other byte stays.

rewrite(source, annotations, file=…, module=…, classes=…)
    read      the bytes to an outline: functions, classes, names and the places for text
    spell     each type in the words that the file already uses
    annotate  each slot: the edit, or why there is none
    imports   into the from-imports that the file has, else on new lines
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.rewrite.annotate import annotate
from pdt_annotate.rewrite.imports import insert_imports, statements_of
from pdt_annotate.rewrite.names import ModuleNames
from pdt_annotate.rewrite.read import read_outline
from pdt_annotate.rewrite.spelling import ImportsOf, Speller, read_style, would_cycle
from pdt_annotate.source.imports import package_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Annotation, ClassInfo, Finding, SlotKind

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
) -> Rewritten:
    """Write the annotations of one file into its source.

    Args:
        source: the file's bytes.
        annotations: those whose owners are in the file; a function or class is found by qualified name and first line.
        file: the file's path.
        module: its dotted name when imported, "" if unknown.
        classes: what is known of the classes that the types name.
        imports: whether imports may be added. Without them, and without attributes, every line keeps its number.
        imports_of: the import graph, to refuse an import that would close a circle.

    Raises:
        UserError: the source does not parse, or could not be kept byte for byte.
    """
    outline = read_outline(source, file)
    if outline.known.skipped:
        return Rewritten(source)
    wanted = annotations if imports else [each for each in annotations if each.slot.kind is not SlotKind.ATTRIBUTE]
    package = package_of(module, file)
    speller = Speller(file, module, ModuleNames(outline, package), read_style(outline), classes, imports_of)
    annotated = annotate(outline, wanted, speller)
    edits = [*annotated.edits, *(insert_imports(outline, package, annotated.imports) if imports else ())]
    return Rewritten(
        source=outline.text.edit(edits) if edits else source,
        written=tuple(annotated.written),
        refused=tuple(annotated.refused),
        imports=statements_of(annotated.imports),
        edits=tuple(sorted(edits, key=lambda each: each.offset)),
    )

"""Writes annotations and their imports into source bytes; every other byte stays.

`source_file` reads the bytes, `spelling` makes text of types, `annotate_file` finds the place of each slot;
`headers` and `class_bodies` write the annotations of a definition as libcst nodes, `add_imports` adds the imports.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.rewrite.add_imports import insert_imports, statements_of
from pdt_annotate.rewrite.annotate_file import annotate
from pdt_annotate.rewrite.source_file import names_of, read_source
from pdt_annotate.rewrite.spelling import ImportsOf, Speller, choose_notations
from pdt_annotate.source.imports import package_of
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Annotation, ClassInfo, Finding, SlotKind
from pdt_annotate.values.style import PLAIN, Style


@dataclass(frozen=True)
class Rewritten:
    source: bytes
    written: tuple[Annotation, ...] = ()  # the annotations that are new in `source`
    # Why others are not; the slots of the rest are annotated already, or protected by `# pdt: skip`.
    refused: tuple[Finding, ...] = ()
    imports: tuple[str, ...] = ()  # the import statements for the new annotations, also if none were to be added
    edits: tuple[Edit, ...] = ()  # all changes, by offset


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
        annotations: those whose owners are in the file; a function or class is found by qualified name and first line.
        module: its dotted name when imported, "" if unknown.
        imports: whether imports may be added. If not, every line keeps its number: nothing is wrapped, and no attribute
            is annotated.
        imports_of: the import graph, to refuse an import that would close a circle.

    Raises:
        UserError: the source does not parse, or could not be kept byte for byte.
    """
    read = read_source(source, file)
    if read.module.comments.skip_file:
        return Rewritten(source)
    wanted = annotations if imports else [each for each in annotations if each.slot.kind is not SlotKind.ATTRIBUTE]
    package = package_of(module, file)
    speller = Speller(file, module, names_of(read, module, file), choose_notations(read, style), classes, imports_of)
    limit = read.line_limit(style) if imports else sys.maxsize
    annotated = annotate(read, wanted, speller, limit)
    edits = annotated.edits
    if imports:
        edits += insert_imports(read, package, annotated.imports, style)
    return Rewritten(
        source=read.text.edit(edits) if edits else source,
        written=tuple(annotated.written),
        refused=tuple(annotated.refused),
        imports=statements_of(annotated.imports),
        edits=tuple(sorted(edits, key=lambda each: each.offset)),
    )

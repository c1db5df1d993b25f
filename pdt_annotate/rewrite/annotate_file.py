"""Annotations into a file: for each slot the edits, or the reason why it has none."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pdt_annotate.rewrite.class_bodies import ClassBody
from pdt_annotate.rewrite.headers import read_header
from pdt_annotate.rewrite.signatures import Signature
from pdt_annotate.rewrite.source_file import Assignment, Piece, SourceFile, insert_pieces, target_of
from pdt_annotate.rewrite.spelling import NO_NAME, Refused, Speller
from pdt_annotate.source.comments import TYPE
from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.identifiers import normal_slot
from pdt_annotate.source.imports import Import
from pdt_annotate.source.names import NOWHERE, Site
from pdt_annotate.source.scopes import parameters
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Annotation, Finding, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

NO_SLOT = "PDT036"
MISREAD = "PDT048"

LEFT_ALONE = Refused(NO_SLOT, "")
COMMENTED = Refused(
    MISREAD, "a `# type:` comment already annotates it, but the compiler does not read the comment there"
)
UNREADABLE = Refused(NO_SLOT, "libcst cannot read the lines of its `def` or `class`")


@dataclass(frozen=True)
class Opening:
    """A slot that can take an annotation: the site of its evaluation, and its place.

    The place is an offset, or a signature or class body, which is written with all its annotations at once.
    """

    site: Site
    place: int | Signature | ClassBody


@dataclass
class Annotated:
    edits: list[Edit] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    written: list[Annotation] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)


def annotate(file: SourceFile, annotations: Sequence[Annotation], speller: Speller, limit: int) -> Annotated:
    """Find the place and the text of every annotation; of two for one slot the first counts.

    No new line is longer than the limit if it can be broken.
    """
    annotated = Annotated()
    joint: dict[Signature | ClassBody, dict[str, Piece]] = defaultdict(dict)
    firsts: dict[Slot, Annotation] = {}
    for annotation in annotations:
        firsts.setdefault(annotation.slot, annotation)
    for slot, annotation in firsts.items():
        opening = _open(file, normal_slot(slot))
        if isinstance(opening, Refused):
            annotated.refused += _find_reason(file, slot, opening)
            continue
        spelled = _spell(file, annotation, opening, speller, annotated)
        if isinstance(spelled, Refused):
            annotated.refused += _find_reason(file, slot, spelled)
        elif isinstance(opening.place, int):
            annotated.edits += insert_pieces(opening.place, [(": ", None), (spelled, slot)], slot.owner)
        else:
            joint[opening.place][slot.name] = spelled, slot
    inserted = tuple(annotated.edits)
    for place, pieces in joint.items():
        if isinstance(place, ClassBody):
            annotated.edits += place.insert(pieces, speller.names, limit)
        else:
            annotated.edits += place.edits(tuple(pieces.items()), place.rest(inserted), limit)
    return annotated


def _spell(
    file: SourceFile, annotation: Annotation, opening: Opening, speller: Speller, annotated: Annotated
) -> str | Refused:
    type = TypeExpr("Final", (annotation.type,)) if annotation.final else annotation.type
    spelled = speller.spell(type, opening.site, annotated.imports)
    if isinstance(spelled, Refused):
        return spelled
    try:
        spelled.text.encode(file.text.encoding)
    except UnicodeEncodeError:
        return Refused(NO_NAME, f"the file's encoding, {file.text.encoding}, cannot represent `{spelled.text}`")
    annotated.imports += spelled.imports
    annotated.written.append(annotation)
    return spelled.text


def _find_reason(file: SourceFile, slot: Slot, refused: Refused) -> Iterator[Finding]:
    if refused.reason:
        message = f"`{slot.owner.qualname}`, {slot.kind.value} `{slot.name}`: {refused.reason}"
        yield Finding(refused.code, message, file.module.place_of(normal_slot(slot)), slot)


def _open(file: SourceFile, slot: Slot) -> Opening | Refused:
    """A slot's opening; refused if a comment types the function already, or asks to leave it alone."""
    if slot.kind is SlotKind.ATTRIBUTE:
        return _open_attribute(file, slot)
    function = file.module.function(slot.owner)
    if function is None:
        return Refused(NO_SLOT, f"no `def` of that name begins on line {slot.owner.line}")
    if function.misread is not None:
        return Refused(MISREAD, function.misread.why_closed)
    if function.settled:
        return LEFT_ALONE
    return (_open_local if slot.kind is SlotKind.LOCAL else _open_signature)(file, function, slot)


def _open_signature(file: SourceFile, function: Function, slot: Slot) -> Opening | Refused:
    node = function.node
    if slot.kind is SlotKind.PARAMETER:
        parameter = next((each for each in parameters(node) if each.arg == slot.name.lstrip("*")), None)
        if parameter is None:
            return Refused(NO_SLOT, "the function has no such parameter")
        if parameter.annotation is not None:
            return LEFT_ALONE
        if parameter in (node.args.vararg, node.args.kwarg):
            return Refused(NO_SLOT, "TorchScript has no variable-length parameters")
    elif function.returns:
        return LEFT_ALONE
    live = Site(file.text.start(node), file.spaces[slot.owner.line].shadows, quotable=True)
    signature = _read_signature(file, function.owner.line)
    return Opening(NOWHERE if file.module.future_annotations else live, signature) if signature else UNREADABLE


def _open_local(file: SourceFile, function: Function, slot: Slot) -> Opening | Refused:
    space = file.spaces[function.owner.line]
    assignment = file.assignment(space, slot.name, slot.line)
    if assignment is None:
        return Refused(NO_SLOT, f"line {slot.line} has no plain assignment to only `{slot.name}`")
    if closed := _why_closed(file, assignment):
        return closed
    if slot.name in space.rebound:
        return Refused(NO_SLOT, "Python does not allow annotations of `global` or `nonlocal` names")
    return Opening(NOWHERE, file.text.end(target_of(assignment)))


def _open_attribute(file: SourceFile, slot: Slot) -> Opening | Refused:
    owner = slot.owner
    known = file.module.by_line.get(owner.line)
    if not isinstance(known, Class) or known.owner.qualname != owner.qualname:
        return Refused(NO_SLOT, f"no class `{owner.qualname}` begins on line {owner.line}")
    body = _read_body(file, owner.line)
    if known.skipped or body is None:
        return LEFT_ALONE if known.skipped else UNREADABLE
    # Under the future import it would only be text, which a module's attribute cannot use: the table has the object.
    future = file.module.future_annotations
    is_text = future and body.table is None
    if body.has(slot.name) and not is_text:
        return LEFT_ALONE
    assignment = file.assignment(body.space, slot.name)
    if assignment is not None and not is_text and (closed := _why_closed(file, assignment)):
        return closed
    if body.table or future or assignment is None:
        return Opening(Site(body.start, body.shadows(body.offset)), body)
    offset = file.text.end(target_of(assignment))
    return Opening(Site(body.start, body.shadows(offset)), offset)


def _why_closed(file: SourceFile, assignment: Assignment) -> Refused | None:
    if isinstance(assignment, ast.AnnAssign):
        return LEFT_ALONE
    inside = range(assignment.lineno, (assignment.end_lineno or assignment.lineno) + 1)
    commented = any(each.line in inside and TYPE.search(each.text) for each in file.module.comments.all)
    return COMMENTED if commented else None


@lru_cache(maxsize=1024)
def _read_signature(file: SourceFile, line: int) -> Signature | None:
    function = file.module.by_line[line]
    header = read_header(file, function.node)
    return Signature(file, function, header) if header and isinstance(function, Function) else None


@lru_cache(maxsize=64)
def _read_body(file: SourceFile, line: int) -> ClassBody | None:
    known = file.module.by_line[line]
    header = read_header(file, known.node)
    return ClassBody(file, known, header) if header and isinstance(known, Class) else None

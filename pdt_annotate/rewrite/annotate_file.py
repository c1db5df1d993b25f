"""Annotations into a file: for each slot the edits, or the reason why it has none."""

import ast
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pdt_annotate.rewrite.class_bodies import ClassBody
from pdt_annotate.rewrite.headers import Signature, read_header
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

NO_SLOT = "PDT036"
MISREAD = "PDT048"

COMMENTED = "a `# type:` comment already annotates it, but the compiler does not read the comment there"
UNREADABLE = "libcst cannot read the lines of its `def` or `class`"


Opening = tuple[Site, int | Signature | ClassBody]
"""The site of an annotation's evaluation, and its place: an offset, or a signature or class body, which is written with
all its annotations at once."""


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
        try:
            site, place = _open(file, normal_slot(slot))
            text, imports = speller.spell(annotation.written, site, annotated.imports)
            _assert_encodable(file, text)
        except Refused as refused:
            if refused.reason:
                message = f"`{slot.owner.qualname}`, {slot.kind.value} `{slot.name}`: {refused.reason}"
                at = file.module.place_of(normal_slot(slot))
                annotated.refused.append(Finding(refused.code, message, at, slot))
            continue
        annotated.imports += imports
        annotated.written.append(annotation)
        if isinstance(place, int):
            annotated.edits += insert_pieces(place, [(": ", None), (text, slot)], slot.owner)
        else:
            joint[place][slot.name] = text, slot
    inserted = tuple(annotated.edits)
    for place, pieces in joint.items():
        if isinstance(place, ClassBody):
            annotated.edits += place.insert(pieces, speller.names, limit)
        else:
            annotated.edits += place.edits(tuple(pieces.items()), place.rest(inserted), limit)
    return annotated


def _assert_encodable(file: SourceFile, text: str) -> None:
    try:
        text.encode(file.text.encoding)
    except UnicodeEncodeError:
        message = f"the file's encoding, {file.text.encoding}, cannot represent `{text}`"
        raise Refused(NO_NAME, message) from None


def _open(file: SourceFile, slot: Slot) -> Opening:
    """A slot's opening; raises `Refused`, also if a comment types the function already or asks to leave it alone."""
    if slot.kind is SlotKind.ATTRIBUTE:
        return _open_attribute(file, slot)
    function = file.module.function(slot.owner)
    if function is None:
        raise Refused(NO_SLOT, f"no `def` of that name begins on line {slot.owner.line}")
    if function.misread is not None:
        raise Refused(MISREAD, function.misread.why_closed)
    if function.settled:
        raise Refused(NO_SLOT)
    return (_open_local if slot.kind is SlotKind.LOCAL else _open_signature)(file, function, slot)


def _open_signature(file: SourceFile, function: Function, slot: Slot) -> Opening:
    node = function.node
    if slot.kind is SlotKind.PARAMETER:
        parameter = next((each for each in parameters(node) if each.arg == slot.name.lstrip("*")), None)
        if parameter is None:
            raise Refused(NO_SLOT, "the function has no such parameter")
        if parameter.annotation is not None:
            raise Refused(NO_SLOT)
        if parameter in (node.args.vararg, node.args.kwarg):
            raise Refused(NO_SLOT, "TorchScript has no variable-length parameters")
    elif function.returns:
        raise Refused(NO_SLOT)
    live = Site(file.text.start(node), file.spaces[slot.owner.line].shadows, quotable=True)
    return NOWHERE if file.module.future_annotations else live, _read(file, function.owner.line)


def _open_local(file: SourceFile, function: Function, slot: Slot) -> Opening:
    space = file.spaces[function.owner.line]
    assignment = file.assignment(space, slot.name, slot.line)
    if assignment is None:
        raise Refused(NO_SLOT, f"line {slot.line} has no plain assignment to only `{slot.name}`")
    _assert_open(file, assignment)
    if slot.name in space.rebound:
        raise Refused(NO_SLOT, "Python does not allow annotations of `global` or `nonlocal` names")
    return NOWHERE, file.text.end(target_of(assignment))


def _open_attribute(file: SourceFile, slot: Slot) -> Opening:
    owner = slot.owner
    known = file.module.by_line.get(owner.line)
    if not isinstance(known, Class) or known.owner.qualname != owner.qualname:
        raise Refused(NO_SLOT, f"no class `{owner.qualname}` begins on line {owner.line}")
    if known.skipped:
        raise Refused(NO_SLOT)
    body = _read(file, owner.line)
    assert isinstance(body, ClassBody)
    # Under the future import it would only be text, which a module's attribute cannot use: the table has the object.
    future = file.module.future_annotations
    is_text = future and body.table is None
    if body.has(slot.name) and not is_text:
        raise Refused(NO_SLOT)
    assignment = file.assignment(body.space, slot.name)
    if assignment is not None and not is_text:
        _assert_open(file, assignment)
    if body.table or future or assignment is None:
        return Site(body.start, body.shadows(body.offset)), body
    offset = file.text.end(target_of(assignment))
    return Site(body.start, body.shadows(offset)), offset


def _assert_open(file: SourceFile, assignment: Assignment) -> None:
    if isinstance(assignment, ast.AnnAssign):
        raise Refused(NO_SLOT)
    inside = range(assignment.lineno, (assignment.end_lineno or assignment.lineno) + 1)
    if any(each.line in inside and TYPE.search(each.text) for each in file.module.comments.all):
        raise Refused(MISREAD, COMMENTED)


@lru_cache(maxsize=1024)
def _read(file: SourceFile, line: int) -> Signature | ClassBody:
    known = file.module.by_line[line]
    header = read_header(file, known.node)
    if header is None:
        raise Refused(NO_SLOT, UNREADABLE)
    return ClassBody(file, known, header) if isinstance(known, Class) else Signature(file, known, header)

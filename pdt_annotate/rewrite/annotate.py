"""Annotations into a file: for each slot the edits, or the reason why it has none.

TorchScript needs live objects for the attributes of a module. Under `from __future__ import annotations` every
annotation is a string, so the class gets an `__annotations__` table, which repeats the annotations that it has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pdt_annotate.rewrite.names import NOWHERE, Import, ModuleNames, Site
from pdt_annotate.rewrite.outline import ClassPlace, FunctionPlace, Line, LinePlace, Outline, Piece, insert_pieces
from pdt_annotate.rewrite.spelling import NO_NAME, Refused, Speller
from pdt_annotate.source.identifiers import normal_slot
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Annotation, Finding, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

NO_SLOT = "PDT036"
MISREAD = "PDT048"


@dataclass(frozen=True)
class Opening:
    """A slot that can take an annotation: the site of its evaluation, and the text around it.

    With a `body`, the annotation is a new line there, inserted together with the others of the class.
    """

    site: Site
    offset: int
    lead: str = ": "
    spaces: tuple[int, ...] = ()
    body: ClassPlace | None = None

    def insert(self, text: str, slot: Slot) -> Iterator[Edit]:
        """The annotation, and the spaces that PEP 8 wants around the `=` after it."""
        yield Edit(self.offset, self.lead, slot.owner)
        yield Edit(self.offset, text, slot.owner, slot)
        yield from (Edit(space, " ", slot.owner) for space in self.spaces)


LEFT_ALONE = Refused(NO_SLOT, "")
COMMENTED = Refused(MISREAD, "a `# type:` comment says it already, which the compiler does not read there")


@dataclass
class Annotated:
    """The insertions into a file, and the result for each annotation."""

    edits: list[Edit] = field(default_factory=list)
    members: dict[int, dict[str, Piece]] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    written: list[Annotation] = field(default_factory=list)
    refused: list[Finding] = field(default_factory=list)


def annotate(outline: Outline, annotations: Sequence[Annotation], speller: Speller, limit: int) -> Annotated:
    """Find the place and the text of every annotation; of two for one slot the first counts.

    No new line is longer than the limit if it can be broken.
    """
    annotated = Annotated()
    firsts: dict[Slot, Annotation] = {}
    for annotation in annotations:
        firsts.setdefault(annotation.slot, annotation)
    for annotation in firsts.values():
        opening = _open(outline, normal_slot(annotation.slot))
        if isinstance(opening, Opening):
            _write(annotated, outline, annotation, opening, speller)
        elif opening.reason:
            annotated.refused.append(_finding(outline, annotation, opening.code, opening.reason))
    for line, members in annotated.members.items():
        annotated.edits += insert_members(outline, outline.classes[line], members, speller.names, limit)
    return annotated


def _write(annotated: Annotated, outline: Outline, annotation: Annotation, opening: Opening, speller: Speller) -> None:
    type = TypeExpr("Final", (annotation.type,)) if annotation.final else annotation.type
    spelled = speller.spell(type, opening.site, annotated.imports)
    if isinstance(spelled, Refused):
        annotated.refused.append(_finding(outline, annotation, spelled.code, spelled.reason))
        return
    try:
        spelled.text.encode(outline.text.encoding)
    except UnicodeEncodeError:
        reason = f"the file's encoding, {outline.text.encoding}, cannot write `{spelled.text}`"
        annotated.refused.append(_finding(outline, annotation, NO_NAME, reason))
        return
    annotated.imports += spelled.imports
    annotated.written.append(annotation)
    if opening.body is None:
        annotated.edits += opening.insert(spelled.text, annotation.slot)
    else:
        members = annotated.members.setdefault(opening.body.known.owner.line, {})
        members[annotation.slot.name] = (spelled.text, annotation.slot)


def _finding(outline: Outline, annotation: Annotation, code: str, reason: str) -> Finding:
    slot = annotation.slot
    message = f"`{slot.owner.qualname}`, {slot.kind.value} `{slot.name}`: {reason}"
    return Finding(code, message, outline.known.place_of(normal_slot(slot)), slot)


def _open_parameter(outline: Outline, function: FunctionPlace, slot: Slot) -> Opening | Refused:
    name = slot.name.lstrip("*")
    parameter = next((each for each in function.parameters if each.name == name), None)
    if parameter is None:
        return Refused(NO_SLOT, "the function has no such parameter")
    if parameter.annotated:
        return LEFT_ALONE
    if parameter.starred:
        return Refused(NO_SLOT, "TorchScript has no variable-length parameters")
    return Opening(_signature_site(outline, function), parameter.end, spaces=parameter.spaces)


def _open_return(outline: Outline, function: FunctionPlace, slot: Slot) -> Opening | Refused:
    if function.known.returns:
        return LEFT_ALONE
    return Opening(_signature_site(outline, function), function.close, lead=" -> ")


def _open_local(outline: Outline, function: FunctionPlace, slot: Slot) -> Opening | Refused:
    wanted = (slot.name, slot.line)
    assignment = next((each for each in function.assignments if (each.name, each.line) == wanted), None)
    if assignment is None:
        return Refused(NO_SLOT, f"line {slot.line} has no plain assignment to `{slot.name}` alone")
    if assignment.annotated:
        return LEFT_ALONE
    if assignment.commented:
        return COMMENTED
    if slot.name in function.rebound:
        return Refused(NO_SLOT, "Python lets nobody annotate a name that is declared `global` or `nonlocal`")
    return Opening(NOWHERE, assignment.end)


def _open_attribute(outline: Outline, slot: Slot) -> Opening | Refused:
    owner, name = slot.owner, slot.name
    body = outline.classes.get(owner.line)
    if body is None or body.known.owner.qualname != owner.qualname:
        return Refused(NO_SLOT, f"no class `{owner.qualname}` begins on line {owner.line}")
    # Under the future import it would only be text, which a module's attribute cannot use: the table has the object.
    future = outline.known.future_annotations
    is_text = future and body.table is None
    if body.known.skipped or (body.has(name) and not is_text):
        return LEFT_ALONE
    assignment = next((each for each in body.assignments if each.name == name), None)
    if assignment is not None and assignment.annotated and not is_text:
        return LEFT_ALONE
    if assignment is not None and assignment.commented and not is_text:
        return COMMENTED
    if body.table or future or assignment is None:
        offset = body.table.offset if body.table else body.place.offset
        return Opening(Site(body.offset, body.shadows(offset)), offset, body=body)
    return Opening(Site(body.offset, body.shadows(assignment.end)), assignment.end)


_OPENERS: Mapping[SlotKind, Callable[[Outline, FunctionPlace, Slot], Opening | Refused]] = {
    SlotKind.PARAMETER: _open_parameter,
    SlotKind.RETURN: _open_return,
    SlotKind.LOCAL: _open_local,
}


def _open(outline: Outline, slot: Slot) -> Opening | Refused:
    """A slot's opening; refused if a comment types the function already, or asks to leave it alone."""
    if slot.kind is SlotKind.ATTRIBUTE:
        return _open_attribute(outline, slot)
    known = outline.known.function(slot.owner)
    if known is None:
        return Refused(NO_SLOT, f"no `def` of that name begins on line {slot.owner.line}")
    if known.misread is not None:
        return Refused(MISREAD, known.misread.why_closed)
    return LEFT_ALONE if known.settled else _OPENERS[slot.kind](outline, outline.functions[slot.owner.line], slot)


def _signature_site(outline: Outline, function: FunctionPlace) -> Site:
    return NOWHERE if outline.known.future_annotations else Site(function.offset, function.shadows, quotable=True)


_STEP = "    "


def insert_members(
    outline: Outline, body: ClassPlace, members: Mapping[str, Piece], names: ModuleNames, limit: int
) -> Iterator[Edit]:
    """The edits that annotate the names with the spelled types."""
    owner = next(slot.owner for _, slot in members.values() if slot)
    if body.table:
        pieces = [(body.table.lead, None), *_joined(_entries(members))]
        return insert_pieces(body.table.offset, pieces, owner)
    if not outline.known.future_annotations:
        return body.place.insert(([(f"{name}: ", None), piece] for name, piece in members.items()), owner)
    table = _table(list(_entries(dict(_repeated(body, names)) | dict(members))), body.place, limit)
    return body.place.insert([table], owner)


def _entries(members: Mapping[str, Piece]) -> Iterator[Line]:
    return ([(f'"{name}": ', None), piece] for name, piece in members.items())


def _repeated(body: ClassPlace, names: ModuleNames) -> Iterator[tuple[str, Piece]]:
    """The class's own annotations: live if they can be evaluated before the table, else as strings."""
    hidden = body.shadows(body.place.offset)
    for member in body.members:
        live = all(name in hidden or names.evaluates(name, body.offset) for name in member.mentions)
        yield member.name, (member.annotation if live else json.dumps(member.annotation), None)


def _joined(entries: Iterable[Line]) -> list[Piece]:
    return [piece for entry in entries for piece in ((", ", None), *entry)][1:]


def _table(entries: Sequence[Line], place: LinePlace, limit: int) -> Line:
    head: Piece = ("__annotations__ = {", None)
    line = [head, *_joined(entries), ("}", None)]
    if not place.newline or len(place.indent) + sum(len(text) for text, _ in line) <= limit:
        return line
    break_ = place.newline + place.indent
    rows = [piece for entry in entries for piece in ((break_ + _STEP, None), *entry, (",", None))]
    return [head, *rows, (break_ + "}", None)]

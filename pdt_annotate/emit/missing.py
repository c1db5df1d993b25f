"""What each function and class of the changed files lacks, where, and the edits that give it that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.words import declared
from pdt_annotate.source.survey import survey
from pdt_annotate.source.text import Span, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Owner


@dataclass(frozen=True)
class Missing:
    """The annotations and mends that one function or class lacks.

    Args:
        file: where it is defined.
        owner: its qualified name; "" where what changes in the file cannot be told apart.
        span: its name in the file as it stands.
        annotations: those to write.
        mends: the changes of its code that are to be made.
        edits: what writes them, one at a place, with the imports of the file, so that they may be applied by
            themselves. Those of all that a file lacks, each taken once, make the file that was verified.
    """

    file: str
    owner: str
    span: Span
    annotations: tuple[Annotation, ...]
    edits: tuple[Edit, ...]
    mends: tuple[Mend, ...] = ()

    @property
    def place(self) -> Place:
        """Where its name begins."""
        return Place(self.file, self.span.line, self.span.column)

    @property
    def shown(self) -> str:
        """
        "x: Tensor, mask: Optional[Tensor], -> Tensor"
        """
        return ", ".join(map(declared, self.annotations))


def find_missing(outcome: Outcome) -> Iterator[Missing]:
    """What the files lack that the outcome would change, by file and line."""
    annotations = sorted(outcome.annotations, key=lambda a: a.slot.sort_key)
    lacking: dict[Owner, list[Annotation | Mend]] = defaultdict(list)
    for annotation in annotations:
        lacking[annotation.slot.owner].append(annotation)
    for mend in outcome.mends:
        lacking[mend.owner].append(mend)
    for change in sorted(outcome.changes, key=lambda change: change.file):
        yield from _find_in(change, lacking)


def _find_in(change: FileChange, lacking: Mapping[Owner, Sequence[Annotation | Mend]]) -> Iterator[Missing]:
    spans, joined = _name_spans(change), tuple(_join(change.edits))
    owners = sorted((owner for owner in lacking if owner in spans), key=lambda owner: (owner.line, owner.qualname))
    for owner in owners:
        edits = tuple(each for each in joined if each.owner == owner or each.owner not in owners)
        annotations = tuple(each for each in lacking[owner] if isinstance(each, Annotation))
        mends = tuple(each for each in lacking[owner] if isinstance(each, Mend))
        yield Missing(change.file, owner.qualname, spans[owner], annotations, edits, mends)
    if not owners:
        yield Missing(change.file, "", Span(1), (), joined)


def _name_spans(change: FileChange) -> dict[Owner, Span]:
    """Where the names of the functions and classes stand in the file as it is."""
    found, text = survey(change.file, change.before), decode(change.before)
    functions = {each.owner: text.name_span(each.node) for each in found.functions}
    return functions | {each.owner: text.name_span(each.node) for each in found.classes}


def _join(edits: Iterable[Edit]) -> Iterator[Edit]:
    """One for each place: consumers need not take several in their order. What two owners change there is nobody's."""
    touching: list[Edit] = []
    for edit in edits:
        if touching and not _touch(touching, edit):
            yield _joined(touching)
            touching = []
        touching.append(edit)
    if touching:
        yield _joined(touching)


def _touch(before: Sequence[Edit], edit: Edit) -> bool:
    """Whether an edit begins where those before it begin or end."""
    return edit.offset in (before[-1].offset, before[-1].end)


def _joined(edits: Sequence[Edit]) -> Edit:
    owners = {each.owner for each in edits}
    text, removed = "".join(each.text for each in edits), sum(each.removed for each in edits)
    return Edit(edits[0].offset, text, owners.pop() if len(owners) == 1 else None, removed=removed)

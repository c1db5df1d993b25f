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
        """ "x: Tensor, mask: Optional[Tensor], -> Tensor"."""
        return ", ".join(map(declared, self.annotations))


def find_missing(outcome: Outcome) -> Iterator[Missing]:
    """What the files lack that the outcome would change, by file and line."""
    annotations: dict[Owner, list[Annotation]] = defaultdict(list)
    mends: dict[Owner, list[Mend]] = defaultdict(list)
    for annotation in sorted(outcome.annotations, key=lambda a: a.slot.sort_key):
        annotations[annotation.slot.owner].append(annotation)
    for mend in outcome.mends:
        mends[mend.owner].append(mend)
    for change in sorted(outcome.changes, key=lambda change: change.file):
        yield from _find_in(change, annotations, mends)


def _find_in(
    change: FileChange, annotations: Mapping[Owner, Sequence[Annotation]], mends: Mapping[Owner, Sequence[Mend]]
) -> Iterator[Missing]:
    found, text = survey(change.file, change.before), decode(change.before)
    spans = {each.owner: text.name_span(each.node) for each in (*found.functions, *found.classes)}
    joined = tuple(_join(change.edits))
    lacking = spans.keys() & (annotations.keys() | mends.keys())
    owners = sorted(lacking, key=lambda owner: (owner.line, owner.qualname))
    for owner in owners:
        edits = tuple(each for each in joined if each.owner == owner or each.owner not in owners)
        own = tuple(annotations.get(owner, ())), tuple(mends.get(owner, ()))
        yield Missing(change.file, owner.qualname, spans[owner], own[0], edits, own[1])
    if not owners:
        yield Missing(change.file, "", Span(1), (), joined)


def _join(edits: Iterable[Edit]) -> Iterator[Edit]:
    """One for each place: consumers need not take several in their order. What two owners change there is nobody's."""
    touching: list[list[Edit]] = []
    for edit in edits:
        before = touching[-1][-1] if touching else None
        if before and edit.offset in (before.offset, before.end):
            touching[-1].append(edit)
        else:
            touching.append([edit])
    for same in touching:
        owners = {each.owner for each in same}
        text, removed = "".join(each.text for each in same), sum(each.removed for each in same)
        yield Edit(same[0].offset, text, owners.pop() if len(owners) == 1 else None, removed=removed)

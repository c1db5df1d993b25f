"""What each function and class of the changed files lacks, where, and the edits that add it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.words import declared
from pdt_annotate.source.survey import survey
from pdt_annotate.source.text import Span, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.slots import Annotation, Owner


@dataclass(frozen=True)
class Missing:
    """The annotations that one function or class lacks.

    Args:
        file: where it is defined.
        owner: its qualified name; "" where what changes in the file cannot be told apart.
        span: its name in the file as it stands.
        annotations: those to write.
        edits: what writes them, one at a place, with the imports of the file, so that they may be applied by
            themselves. Those of all that a file lacks, each taken once, make the file that was verified.
    """

    file: str
    owner: str
    span: Span
    annotations: tuple[Annotation, ...]
    edits: tuple[Edit, ...]

    @property
    def shown(self) -> str:
        """
        "x: Tensor, mask: Optional[Tensor], -> Tensor"
        """
        return ", ".join(map(declared, self.annotations))


def find_missing(outcome: Outcome) -> Iterator[Missing]:
    """What the files lack that the outcome would change, by file and line."""
    annotations = sorted(outcome.annotations, key=lambda a: a.slot.sort_key)
    lacking = {owner: tuple(group) for owner, group in groupby(annotations, lambda a: a.slot.owner)}
    for change in sorted(outcome.changes, key=lambda change: change.file):
        yield from _find_in(change, lacking)


def _find_in(change: FileChange, lacking: Mapping[Owner, tuple[Annotation, ...]]) -> Iterator[Missing]:
    spans = _name_spans(change)
    owners = [owner for owner in lacking if owner in spans]
    for owner in owners:
        edits = _join(each for each in change.edits if each.owner == owner or each.owner not in owners)
        yield Missing(change.file, owner.qualname, spans[owner], lacking[owner], edits)
    if not owners:
        yield Missing(change.file, "", Span(1), (), _join(change.edits))


def _name_spans(change: FileChange) -> dict[Owner, Span]:
    """Where the names of the functions and classes stand in the file as it is."""
    found, text = survey(change.file, change.before), decode(change.before)
    functions = {each.owner: text.name_span(each.node) for each in found.functions}
    return functions | {each.owner: text.name_span(each.node) for each in found.classes}


def _join(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """One for each place, where that is for one owner: consumers need not take several in their order."""
    groups = groupby(edits, lambda each: (each.offset, each.owner))
    return tuple(_joined(tuple(group)) for _, group in groups)


def _joined(edits: tuple[Edit, ...]) -> Edit:
    text, removed = "".join(each.text for each in edits), sum(each.removed for each in edits)
    return Edit(edits[0].offset, text, edits[0].owner, removed=removed)

"""What each function and class of the changed files lacks, where, and the edits that add it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.machine.definitions import Definition, find_definitions, line_of
from pdt_annotate.emit.machine.edits import Edit, find_edits
from pdt_annotate.emit.words import spelled
from pdt_annotate.source.text import SourceText, Span
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.slots import Annotation, Owner, SlotKind

_SHOWN: Mapping[SlotKind, str] = {
    SlotKind.PARAMETER: "{name}: {type}",
    SlotKind.RETURN: "-> {type}",
    SlotKind.LOCAL: "local {name}: {type}",
    SlotKind.ATTRIBUTE: "attribute {name}: {type}",
}


@dataclass(frozen=True)
class Missing:
    """The annotations that one function or class lacks.

    Args:
        file: where it is defined.
        owner: its qualified name; "" where what changes in the file cannot be told apart.
        span: its name in the file as it stands.
        annotations: those to write.
        edits: what writes them, with the imports of the file, so that they may be applied by themselves. Those of all
            that a file lacks, each taken once, make the file that was verified.
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
        return ", ".join(map(_show, self.annotations))


def find_missing(outcome: Outcome) -> Iterator[Missing]:
    """What the files lack that the outcome would change, by file and line."""
    for change in sorted(outcome.changes, key=lambda change: change.file):
        yield from _Finder(change).find(a for a in outcome.annotations if a.slot.owner.file == change.file)


class _Finder:
    """One changed file."""

    def __init__(self, change: FileChange) -> None:
        self.file = change.file
        self.before = SourceText(change.before)
        self.edits = find_edits(self.before.text, SourceText(change.after).text)
        self.definitions = {(line_of(node), node.name): node for node in find_definitions(ast.parse(change.before))}

    def find(self, annotations: Iterable[Annotation]) -> Iterator[Missing]:
        groups = groupby(sorted(annotations, key=lambda a: a.slot.sort_key), key=lambda a: a.slot.owner)
        lacking = {owner: tuple(group) for owner, group in groups}
        nodes = {owner: node for owner in lacking if (node := self._node(owner)) is not None}
        shares = self._share_out(nodes)
        for owner, node in nodes.items():
            edits = tuple(sorted((*shares[owner], *shares[None])))
            yield Missing(self.file, owner.qualname, self.before.name_span(node), lacking[owner], edits)
        if not nodes:
            yield Missing(self.file, "", Span(1), (), self.edits)

    def _node(self, owner: Owner) -> Definition | None:
        return self.definitions.get((owner.line, owner.qualname.rpartition(".")[2]))

    def _share_out(self, nodes: Mapping[Owner, Definition]) -> dict[Owner | None, list[Edit]]:
        """By the innermost definition that holds them; what none holds, such as an import, belongs to None."""
        extents = {owner: self._extent(node) for owner, node in nodes.items()}
        shares: dict[Owner | None, list[Edit]] = {owner: [] for owner in (*nodes, None)}
        for edit in self.edits:
            around = [owner for owner, (start, end) in extents.items() if start < edit.end and edit.end <= end]
            holders = [owner for owner in around if extents[owner][0] <= edit.start]
            shares[max(holders, key=lambda owner: extents[owner][0], default=None)].append(edit)
        return shares

    def _extent(self, node: Definition) -> tuple[int, int]:
        """From the first decorator to the end. What is put in right before it stands outside."""
        end = self.before.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return self.before.line_start(line_of(node)), end


def _show(annotation: Annotation) -> str:
    return _SHOWN[annotation.slot.kind].format(name=annotation.slot.name, type=spelled(annotation))

"""`--stubs DIR`: `.pyi` files for mypy and pyright, which mirror the annotated files' paths below the root."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from pdt_annotate.emit.files import assert_within
from pdt_annotate.emit.machine.invocation import relative_to
from pdt_annotate.emit.stubs.declare import HEADER, make_stub
from pdt_annotate.emit.stubs.nodes import annotations_in
from pdt_annotate.emit.words import plural
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.slots import Annotation, SlotKind
from pdt_annotate.writes.transaction import write_files


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write the stub of every changed file below `options.stubs`.

    Raises:
        UserError: a file that pdt-annotate did not write is in the way, or a stub cannot be written.
    """
    stubs: dict[str, bytes] = {}
    for change in outcome.changes:
        path = (Path(options.stubs) / relative_to(outcome.root, change.file)).with_suffix(".pyi")
        assert_within([os.fspath(path)], options.stubs)
        if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
            raise UserError(
                "a stub that pdt-annotate did not write is in the way; nothing was written",
                file=os.fspath(path),
                hint="give --stubs another directory, or move the file away",
            )
        stubs[os.fspath(path)] = make_stub(change.after)
    write_files(stubs)
    return (
        f"wrote {plural(len(stubs), 'stub')} into {options.stubs} for mypy and pyright "
        "(TorchScript itself never reads stubs: to script the model, annotate the source)"
    )


def find_lost(change: FileChange, annotations: Iterable[Annotation]) -> list[Annotation]:
    """The annotations of a file that its stub does not say as the file does: those of locals, and inside functions."""
    said = set(annotations_in(ast.parse(make_stub(change.after)))) & set(annotations_in(ast.parse(change.after)))
    carried = {(owner, name) for owner, name, _ in said}
    lost = []
    for each in annotations:
        owner, name = each.slot.owner.qualname, each.slot.name
        if each.slot.kind is SlotKind.LOCAL:  # the `self.x` of a method is an attribute to a stub, others are nothing
            owner, name = owner.rpartition(".")[0], name.partition(".")[2]
        if each.slot.owner.file == change.file and (owner, name) not in carried:
            lost.append(each)
    return lost

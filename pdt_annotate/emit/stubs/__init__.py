"""`--stubs DIR`: `.pyi` files for mypy and pyright, which mirror the annotated files' paths below the root.

`declare` makes a stub; `nodes` reads the tree for it, and finds annotations that a stub lacks.
"""

import os
from pathlib import Path
from typing import BinaryIO

from pdt_annotate.emit.files import assert_within
from pdt_annotate.emit.machine.invocation import relative_to
from pdt_annotate.emit.stubs.declare import HEADER, make_stub
from pdt_annotate.emit.words import plural
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.writes.transaction import write_files


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write the stub of every changed file below `options.stubs`; raises UserError if one is not ours or writable."""
    stubs: dict[str, bytes] = {}
    for change in outcome.changes:
        path = (Path(options.stubs) / relative_to(outcome.root, change.file)).with_suffix(".pyi")
        assert_within([os.fspath(path)], options.stubs)
        if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
            message = "a stub exists that pdt-annotate did not write, so nothing was written"
            hint = "give --stubs another directory, or move the file away"
            raise UserError(message, file=os.fspath(path), hint=hint)
        stubs[os.fspath(path)] = make_stub(change.after)
    write_files(stubs)
    return (
        f"wrote {plural(len(stubs), 'stub')} into {options.stubs} for mypy and pyright "
        "(TorchScript itself never reads stubs: to script the model, annotate the source)"
    )

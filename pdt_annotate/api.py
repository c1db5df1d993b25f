"""The library's functions: what the command line does, with values instead of text."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pdt_annotate import config
from pdt_annotate.ir import Outcome
from pdt_annotate.isolate import Zygote
from pdt_annotate.pipeline import annotate as run


def annotate(
    targets: str | Sequence[str],
    inputs: str | os.PathLike[str] = "",
    *,
    args: Sequence[str] = (),
    root: str | os.PathLike[str] = "",
    returns: str = "needed",
    timeout: float = config.TIMEOUT,
    write_partial: bool = False,
) -> Outcome:
    """Run the targets on example inputs and return the verified annotations. Nothing on disk changes.

    Args:
        targets: one target or several, as on the command line: "pkg.module:Net", "path/file.py:Net.method".
        inputs: a spec file, "FILE" or "FILE:NAME".
        args: one call without a file, as with `--arg`: ["f32[2,3]", "mask=None"].
        root: the directory whose files may be annotated; by default the nearest project above the first target.
        returns: "needed", "all" or "none".
        timeout: seconds that one run of the user's code may take.
        write_partial: where the whole fails verification, keep the changes of the largest parts that work.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    parsed = config.parse_targets([targets] if isinstance(targets, str) else targets)
    options = config.Options(
        targets=parsed,
        spec=config.spec_source(os.fspath(inputs), tuple(args)),
        root=os.path.abspath(root) if root else config.find_root(parsed),
        write_back=config.WriteBack.DIFF,
        returns=config.Returns(returns),
        timeout=timeout,
        write_partial=write_partial,
    )
    with Zygote(timeout) as zygote:
        return run(options, zygote)

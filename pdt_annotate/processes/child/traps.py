"""Looking for traps: what in a compiled target is known to differ from Python, whether an example shows it or not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pdt_annotate.observers import make_code_filter
from pdt_annotate.values.further import Trap
from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps.view import look_at


def find_traps(
    built: Any, compilation: Compilation, root: str, third_party: bool, methods: Iterable[str]
) -> tuple[Trap, ...]:
    """The traps in what was compiled.

    Args:
        built: what was compiled.
        compilation: what came of it.
        root: the directory of the code that is looked at.
        third_party: whether that of other packages is looked at as well.
        methods: those that callers call beside `forward`.
    """
    is_ours = make_code_filter(root, third_party)
    return traps.find(look_at(built, compilation, is_ours, {"forward", *methods}))

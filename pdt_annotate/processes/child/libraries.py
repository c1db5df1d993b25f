"""What is installed, imported ahead of the user's code that will import it."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterable

from pdt_annotate.overlays import kept_overlay


def import_libraries(modules: Iterable[str]) -> None:
    """Import modules as a session's setup would: over the kept overlay, and no bytecode is written beside them.

    One that cannot be imported, or leaves, is for whoever needs it to tell of.
    """
    kept_overlay.start()
    for name in modules:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)

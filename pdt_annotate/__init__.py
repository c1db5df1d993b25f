"""Profile-directed typing for PyTorch: run a model on example inputs, and annotate what TorchScript needs to know.

Importing the package costs next to nothing: what it has is fetched when it is first asked for (PEP 562). Spec files
import it for `Call` alone, and the command line may be answered before anything else is imported.
"""

from __future__ import annotations

import importlib
import os

TYPE_CHECKING = False  # `typing` itself takes longer to import than an answer from the cache
if TYPE_CHECKING:
    from typing import Any

    from pdt_annotate.api import annotate, observe
    from pdt_annotate.ir import Call
    from pdt_annotate.kept_overlay import overlay
    from pdt_annotate.placeholder import fill_in
    from pdt_annotate.scripting import script

__all__ = ["Call", "__version__", "annotate", "fill_in", "observe", "overlay", "script"]

__version__ = "0.1.0"

_LAZY = {
    "Call": "pdt_annotate.ir",
    "annotate": "pdt_annotate.api",
    "fill_in": "pdt_annotate.placeholder",
    "observe": "pdt_annotate.api",
    "overlay": "pdt_annotate.kept_overlay",
    "script": "pdt_annotate.scripting",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


if os.environ.get("PDT_ANNOTATE_OVERLAY"):
    importlib.import_module("pdt_annotate.kept_overlay").start()

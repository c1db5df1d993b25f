"""Profile-directed typing for PyTorch: run a model on example inputs, and annotate what TorchScript needs to know.

Importing the package costs neither torch nor libcst: spec files import it for `Call` alone, and the functions are fetched
when they are first asked for (PEP 562).
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from pdt_annotate.ir import Call

if TYPE_CHECKING:
    from pdt_annotate.api import annotate, observe
    from pdt_annotate.kept_overlay import overlay
    from pdt_annotate.scripting import script

__all__ = ["Call", "__version__", "annotate", "observe", "overlay", "script"]

__version__ = "0.1.0"

_LAZY = {
    "annotate": "pdt_annotate.api",
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

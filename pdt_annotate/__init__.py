"""Profile-directed typing for PyTorch: run a model on example inputs, and annotate what TorchScript needs to know.

The rooms, from the top floor down; a room imports only from rooms below it, and a test holds the imports against this:

    __main__    the command
    pytest_plugin  the option --pdt of pytest
    api         the library's functions
    errors      the library's errors
    cli         text, environment and pyproject.toml to options; errors to exit codes
    cache       answers unchanged targets before click is imported
    flows       the runs; start with flows/annotate.py
    captures    the other ways of capturing a program, side by side
    graphs      captured programs as graphs
    blame       who is at fault, part by part
    search      plans, trials, repair; the search for mends
    mends       changes of code: ten moves
    processes   where user code runs
    verify      judges
    emit        prints and writes
    settings    the options of one run
    profiles    observations that travel
    inputs      what the user names: targets and specs
    rewrite     annotations into bytes
    choose      observed types to legal annotations
    observers   the tracer and what it keeps
    overlays    sources that stand in for files
    source      what a file says
    interpreters  the Pythons that run the user's code
    findings    what the user must know, and the compiler's messages
    writes      files written, all or none
    values      frozen values, errors

Importing the package costs next to nothing: what it has is fetched when it is first asked for (PEP 562). Spec files
import it for `Call` alone, and the command line may be answered before anything else is imported.
"""

from __future__ import annotations

import importlib
import os

from pdt_annotate.values.version import __version__

TYPE_CHECKING = False  # `typing` itself takes longer to import than an answer from the cache
if TYPE_CHECKING:
    from typing import Any

    from pdt_annotate.api import annotate, capture, graph, observe
    from pdt_annotate.captures.adapter import TracingAdapter
    from pdt_annotate.captures.merge import merge_traces
    from pdt_annotate.flows.live_object import annotated_source
    from pdt_annotate.flows.script import script
    from pdt_annotate.inputs.specs.spec import fill_in
    from pdt_annotate.overlays.kept_overlay import overlay
    from pdt_annotate.values.errors import PdtWarning
    from pdt_annotate.values.runs import Call

__all__ = [
    "Call",
    "PdtWarning",
    "TracingAdapter",
    "__version__",
    "annotate",
    "annotated_source",
    "capture",
    "fill_in",
    "graph",
    "merge_traces",
    "observe",
    "overlay",
    "script",
]

_LAZY = {
    "Call": "pdt_annotate.values.runs",
    "PdtWarning": "pdt_annotate.values.errors",
    "TracingAdapter": "pdt_annotate.captures.adapter",
    "annotate": "pdt_annotate.api",
    "annotated_source": "pdt_annotate.flows.live_object",
    "capture": "pdt_annotate.api",
    "fill_in": "pdt_annotate.inputs.specs.spec",
    "graph": "pdt_annotate.api",
    "merge_traces": "pdt_annotate.captures.merge",
    "observe": "pdt_annotate.api",
    "overlay": "pdt_annotate.overlays.kept_overlay",
    "script": "pdt_annotate.flows.script",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


if os.environ.get("PDT_ANNOTATE_OVERLAY"):
    importlib.import_module("pdt_annotate.overlays.kept_overlay").start()

"""The task that gives the Python that torch writes of a captured program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.captures.examine import as_called, find_capture, subject_of
from pdt_annotate.captures.subject import Captured
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.captures import Way

LIBRARY = "__torch__.torch.nn."


def code(prepared: Prepared, way: Way) -> str:
    """The code of a target that is captured in one way; "" where torch has none of that way, or cannot capture."""
    subject = subject_of(prepared)
    try:
        with as_called(prepared, subject):
            captured = find_capture(way)(subject)
        return "\n".join(_texts(captured)).strip()
    except Exception:  # whatever torch, or the user's code under it, raises: `examine` has told why
        return ""


def _texts(captured: Captured) -> Iterator[str]:
    run: Any = captured.run
    modules = [each for each in (run, *captured.holders) if isinstance(each, torch.jit.ScriptModule)]
    if modules:
        yield from _of_modules(modules[0])
    elif isinstance(getattr(run, "code", None), str):
        yield run.code
    else:
        graphs = [graph for graph in captured.graphs() if isinstance(graph, torch.fx.Graph)]
        yield from (str(graph.python_code("self").src) for graph in graphs)


def _of_modules(scripted: Any) -> Iterator[str]:
    """The code of a module and of those in it that are not torch's, what several have in common once."""
    paths: dict[str, list[str]] = {}
    for path, module in scripted.named_modules():
        if path and str(module._c._type().qualified_name()).startswith(LIBRARY):
            continue
        if module._c._has_method("forward"):
            paths.setdefault(str(module.code), []).append(path)
    for text, where in paths.items():
        yield f"# {', '.join(where)}\n{text}" if any(where) else text

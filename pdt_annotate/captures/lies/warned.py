"""What the tracer warns of while it records, at the line of the user's that made it warn."""

from __future__ import annotations

import ast
import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.captures.lies.lines import FileFilter, own, running, running_in, statement_at
from pdt_annotate.values.places import Place

TracerWarning: type[Warning] = torch.jit.TracerWarning  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Warned:
    """One warning of the tracer.

    Args:
        places: the user's lines that run then, the innermost first.
        decides: Python branches by it, so calls that happen to go the same way do not clear it.
        words: what the trace keeps.
        path: the module that runs then, from what is traced.
    """

    places: tuple[Place, ...]
    decides: bool
    words: str
    path: str = ""

    @property
    def is_known(self) -> bool:
        """Whether a value is baked in: torch warns of lists in results, too, and the like."""
        return self.words in WORDS.values()


BRANCHES = "to a Python boolean"
OF_RESULTS = "at the output of the tracer"

WORDS = {
    BRANCHES: "a tensor decides which way Python goes here, and the trace always goes that of its own call",
    "Iterating over a tensor": "this loops over a tensor, and the trace has as many rounds as its own call",
    "to a NumPy array": "a tensor leaves torch for NumPy here, and the trace keeps the values of its own call",
    "to a Python": "a tensor becomes a Python value here, and the trace keeps that of its own call",
    "Using len": "a length becomes a Python number here, and the trace keeps that of its own call",
    "registered as constants": "this makes a tensor of Python values, and the trace keeps those of its own call",
    "in-place operator": "this changes a tensor that others are views of, which the trace may not see in those",
}
"""By what stands in the tracer's message."""


@contextlib.contextmanager
def listening(is_ours: FileFilter = lambda file: False, module: Any = None) -> Iterator[list[Warned]]:
    """Collect what the tracer warns of inside the block; other warnings are dropped, as torch's that tracing is old.

    Args:
        module: what is traced, where paths are to be told.
    """
    heard: list[Warned] = []

    def hear(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        place = Place(filename, lineno)
        if issubclass(category, TracerWarning) and not _is_harmless(str(message), place):
            heard.append(_read(str(message), own(dict.fromkeys([place, *running()]), is_ours), running_in(module)))

    with warnings.catch_warnings():
        warnings.simplefilter("always", TracerWarning)
        warnings.showwarning = hear
        yield heard


def _read(message: str, places: tuple[Place, ...], path: str) -> Warned:
    said = message.partition(". ")[0]
    words = next((words for part, words in WORDS.items() if part in message), f"torch.jit.trace warns: {said}")
    return Warned(places, BRANCHES in message, words, path)


def _is_harmless(message: str, place: Place) -> bool:
    """Whether nothing that any call decides is baked in: where results of another form come out, graphs differ too."""
    return OF_RESULTS in message or (BRANCHES in message and _is_guard(place))


def _is_guard(place: Place) -> bool:
    """Whether what a tensor decides at a line is no more than whether Python raises: the answers stay as they are."""
    statement = statement_at(place)
    if isinstance(statement, ast.If):
        return not statement.orelse and isinstance(statement.body[-1], ast.Raise)
    return isinstance(statement, ast.Assert)

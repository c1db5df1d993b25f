"""`pdt_annotate.annotated_source`: what `script` annotates of a live object, as source to read and to keep."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterator
from typing import Any, Unpack

from pdt_annotate.flows import script as script_flow
from pdt_annotate.flows.script import How, Inputs, make_options
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.paths import named_from


def annotated_source(obj: Callable[..., Any], example_inputs: Inputs, **how: Unpack[How]) -> str:
    """The source of what `script` annotates for the same arguments, with the annotations that it needs.

    Of a cell of a notebook, what was typed at a prompt, or a file: the imports, functions and classes that change, each
    below the name of its file where there are several. Nothing is written, nor scripted in this process. Empty where
    no annotation is missing.

    Raises:
        UserError: the object, the inputs or the code that they run is at fault.
        VerificationError: no annotations were found, as `script` would say.
    """
    options = make_options(obj, **how)
    from pdt_annotate.flows.live_object import find_annotations  # noqa: PLC0415 - it takes a second

    with script_flow.alone:
        changes = find_annotations(obj, example_inputs, options, shown=True).changes
    parts = ["\n\n\n".join(_blocks(change)) for change in changes]
    if len(parts) > 1:
        parts = [f"# {_name(change.file)}\n{part}" for change, part in zip(changes, parts, strict=True)]
    return "\n\n\n".join(parts)


def _blocks(change: FileChange) -> Iterator[str]:
    """The statements of a source that it did not have before, imports together."""
    before = {text for _, text in _statements(change.before)}
    new = [(node, text) for node, text in _statements(change.after) if text not in before]
    imports = [text for node, text in new if isinstance(node, ast.Import | ast.ImportFrom)]
    if imports:
        yield "\n".join(imports)
    yield from (text for node, text in new if text not in imports)


def _statements(source: bytes) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a module, each with its lines, those of decorators included."""
    text = decode(source)
    for node in ast.parse(text.body).body:
        first = min(line.lineno for line in (node, *getattr(node, "decorator_list", ())))
        lines = text.body[text.line_start(first) : text.line_start((node.end_lineno or first) + 1)]
        yield node, lines.decode().rstrip()


def _name(file: str) -> str:
    """A file as it is named from here; a cell has its own name."""
    return named_from(file) if os.path.isfile(file) else file

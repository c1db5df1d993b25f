"""Source bytes → `Outline`: the tree of the module, one walk over its scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from pdt_annotate.rewrite.outline import ClassPlace, FunctionPlace, Outline
from pdt_annotate.rewrite.read_imports import read_from_imports, read_import_lines, read_import_place
from pdt_annotate.rewrite.read_scopes import read_class, read_def
from pdt_annotate.rewrite.spans import Spans
from pdt_annotate.source.definitions import Class, first_line
from pdt_annotate.source.module import read_module
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.source.text import decode
from pdt_annotate.values.errors import UserError

_KEPT = 64  # how many files' outlines stay in memory: repair renders the same few files again and again


def read_outline(source: bytes, file: str) -> Outline:
    """Read a source file, from memory if the same bytes were read before.

    Raises:
        UserError: the bytes are no Python source, or could not be kept byte for byte.
    """
    try:
        return _read(source, file)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"the source cannot be rewritten: {error}", file=file) from error


@lru_cache(maxsize=_KEPT)
def _read(source: bytes, file: str) -> Outline:
    spans = Spans(decode(source), read_module(file, source))
    functions: dict[int, FunctionPlace] = {}
    classes: dict[int, ClassPlace] = {}
    for space in spans.known.namespaces[1:]:
        known = spans.known.by_line[first_line(space.node)]  # type: ignore[arg-type]
        if isinstance(known, Class):
            outer = space.around.hidden if space.around else frozenset()
            classes[known.owner.line] = read_class(spans, known, space.statements, outer)
        else:
            functions[known.owner.line] = read_def(spans, known, space)
    nodes = list(ast.walk(spans.known.tree))
    return Outline(
        text=spans.text,
        known=spans.known,
        functions=functions,
        classes=classes,
        from_imports=read_from_imports(spans),
        import_lines=tuple(read_import_lines(spans)),
        import_place=read_import_place(spans),
        heads=frozenset(_heads(nodes)),
        quoted=frozenset(_quoted(nodes)),
    )


def _quoted(nodes: list[ast.AST]) -> Iterator[int]:
    strings = (node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr))
    for node in strings:
        if node.end_lineno and node.end_lineno > node.lineno:
            yield from range(node.lineno, node.end_lineno + 1)


def _heads(nodes: list[ast.AST]) -> Iterator[str]:
    """The names and bars of all annotations: "t", "Optional", "Tensor" and "t.Optional[]" of `t.Optional[Tensor]`."""
    annotations = filter(None, (getattr(node, name, None) for node in nodes for name in ("annotation", "returns")))
    for part in (part for annotation in annotations for part in ast.walk(annotation)):
        if isinstance(part, ast.Name | ast.Attribute):
            yield part.id if isinstance(part, ast.Name) else part.attr
        elif isinstance(part, ast.BitOr):
            yield "|"
        elif isinstance(part, ast.Subscript):
            yield f"{dotted_name(part.value)}[]"

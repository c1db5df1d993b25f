"""Text → syntax tree: the one place where Python's parser is given what others wrote.

It warns of what is not ours to warn of, which under `-W error` would be an error, and ends in `RecursionError` or
`MemoryError` on what is nested too deeply. Here both are what they are to a reader: nothing, and a `SyntaxError`.
"""

from __future__ import annotations

import ast
import contextlib
import threading
import warnings
from collections.abc import Iterator

TOO_DEEP = "nested too deeply"
_parsing = threading.RLock()


def parse_module(source: bytes | str, file: str = "<unknown>") -> ast.Module:
    """The tree of a source.

    Raises:
        SyntaxError: it does not parse.
        ValueError: it has a NUL, on some Pythons.
    """
    with only_syntax_errors():
        return ast.parse(source, filename=file)


def parse_expression(text: str) -> ast.expr:
    """The tree of one expression; what it raises is as for a source."""
    with only_syntax_errors():
        return ast.parse(text, mode="eval").body


@contextlib.contextmanager
def only_syntax_errors() -> Iterator[None]:
    """Hear no warnings, and take what is nested too deeply for what does not parse.

    One thread at a time: Python counts the depth of a tree in one place for all of them, and raises where they mix.
    """
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever imports the file hears them
            yield
    except (RecursionError, MemoryError) as error:
        raise SyntaxError(TOO_DEEP) from error

"""The placeholder of a drafted spec: it stands where a person has to write a value."""

from __future__ import annotations

import sys
from typing import Any

from pdt_annotate.values.errors import SpecError

EXAMPLE = "torch.randn(2, 3)"
"""A value as an error suggests it, where nothing speaks for another type."""


def fill_in(name: str, example: str = EXAMPLE) -> Any:
    """Stand for a value that `pdt-annotate init` could not know. It returns nothing, whatever type checkers believe.

    Args:
        name: the parameter that wants the value.
        example: what a value may look like, as source text.

    Raises:
        SpecError: always, with the file and line of the caller.
    """
    caller = sys._getframe(1)
    raise SpecError(
        f"{name} is still to be filled in",
        file=caller.f_code.co_filename,
        line=caller.f_lineno,
        hint=f"write a value in place of fill_in(…), such as {example}",
    )

"""The placeholder of a drafted spec: it stands where a person has to write a value."""

from __future__ import annotations

import linecache
import sys
from itertools import islice
from typing import Any

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.places import Place, column_at

EXAMPLE = "torch.randn(2, 3)"  # a value as an error suggests it, where nothing speaks for another type


def fill_in(name: str, example: str = EXAMPLE) -> Any:
    """Stand for a value that `pdt-annotate init` could not know; it raises, whatever type checkers believe.

    Args:
        name: the parameter that wants the value.
        example: what a value may look like, as source text.

    Raises:
        SpecError: always, with the place of the call.
    """
    frame = sys._getframe(1)
    file, line = frame.f_code.co_filename, frame.f_lineno
    # The expression that the frame evaluates, where Python knows it.
    _, _, offset, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    place = Place(file, line, 0 if offset is None else column_at(linecache.getline(file, line), offset))
    hint = f"write a value in place of fill_in(…), such as {example}"
    raise SpecError(f"{name} is still to be filled in", place=place, hint=hint)

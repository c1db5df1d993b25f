"""The placeholder in a drafted spec for a value that a person has to write."""

from __future__ import annotations

import linecache
import sys
from itertools import islice
from typing import Any

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.places import Place, column_at

EXAMPLE = "torch.randn(2, 3)"  # the value that an error suggests if nothing shows another type


def fill_in(name: str, example: str = EXAMPLE) -> Any:
    """A placeholder for a value that `pdt-annotate init` could not know; it raises, whatever its return type says.

    Args:
        name: the parameter that needs the value.
        example: a possible value, as source text.

    Raises:
        SpecError: always, with the place of the call.
    """
    frame = sys._getframe(1)
    file, line = frame.f_code.co_filename, frame.f_lineno
    # The column of the expression that the frame evaluates, if Python knows it.
    _, _, offset, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    place = Place(file, line, 0 if offset is None else column_at(linecache.getline(file, line), offset))
    hint = f"write a value in place of fill_in(…), such as {example}"
    raise SpecError(f"{name} is still to be filled in", place=place, hint=hint)

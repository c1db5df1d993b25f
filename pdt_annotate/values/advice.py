"""Advice on errors in the user's code whose cause is the environment or the inputs, not the code itself."""

from __future__ import annotations

import linecache
import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from pdt_annotate.values.places import Place

NO_CUDA = """\
the torch that runs here has no CUDA; on the CPU the types are the same:
    device="cpu" in Python, `device: cpu` in YAML, torch.load(..., map_location="cpu")"""

DEVICES = """\
make the example inputs on the device of the model,
    or let the model follow its inputs: device=x.device"""

SHAPES = "give example inputs of the shapes that this model is used with"

NOT_WHOLE = """\
give whole numbers: torch.randint(0, 10, (2, 3)) in Python, i64[2,3] after -a,
    {tensor: [2, 3], dtype: int64} in YAML"""

INSTALL = "install {} in {},\n    which runs your code, or run from where it can be imported"

LEVEL = re.compile(r"\s*from\s+(\.+)")


def advise(said: str, place: Place) -> str:
    """Advice on an error with this message, which the user's code raised at a place; "" if it needs no advice."""
    found = ((re.search(sign, said), advice) for sign, advice in ADVICE.items())
    return next((advice(match, place) for match, advice in found if match), "")


def _name_the_module(match: re.Match[str], place: Place) -> str:
    """Advice for a failed relative import: it needs a package, and a target that is a file may lack one."""
    path = Path(os.path.abspath(place.file))
    found = LEVEL.match(linecache.getline(place.file, place.line))
    parts = [path.parents[n].name for n in reversed(range(len(found[1]) if found else 1))]
    above = path.parents[len(parts)]
    if not all(part.isidentifier() for part in (*parts, path.stem)):
        return f"no import can name {path.parent.name!r} as a package; rename the directory"
    where = "" if above == Path.cwd() else f" in {above}"
    return f"name it as a module of its package{where}: {'.'.join((*parts, path.stem))}:NAME"


ADVICE: Mapping[str, Callable[[re.Match[str], Place], str]] = {
    r"attempted relative import": _name_the_module,
    r"No module named '(\w+)": lambda match, place: INSTALL.format(match[1], sys.prefix),
    r"not compiled with CUDA|no NVIDIA driver|torch\.cuda\.is_available\(\) is False": lambda match, place: NO_CUDA,
    r"to be on the same device|is not on the expected device": lambda match, place: DEVICES,
    r"scalar types: Long, Int": lambda match, place: NOT_WHOLE,
    r"shapes cannot be multiplied|must match the size of tensor|to have \d+ channels": lambda match, place: SHAPES,
}
"""The function that writes the advice, by pattern of the error message."""

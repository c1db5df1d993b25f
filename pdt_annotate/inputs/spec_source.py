"""Where example calls come from, as a command line names it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import SpecSource

SPEC_HINT = """\
give a file of example calls, or one call on the command line:
    pdt-annotate mymodel:Net -i inputs.py             # in it: example_inputs = [(torch.randn(2, 3),)]
    pdt-annotate mymodel:Net -a 'f32[2,3]' -a mask=None"""


def spec_source(inputs: str, args: Sequence[str]) -> SpecSource:
    """The source of example calls that `FILE[:NAME]` or the `--arg` texts name.

    Raises:
        SpecError: both or neither are given, or the file is not there.
    """
    if inputs and args:
        raise SpecError("example inputs come from --inputs or from --arg, not from both")
    if args:
        return SpecSource(args=tuple(args))
    if not inputs:
        raise SpecError("no example inputs", hint=SPEC_HINT)
    file, name = split_name(inputs)
    if not os.path.isfile(file):
        raise SpecError(f"no such file of example inputs: {file}", hint=SPEC_HINT)
    return SpecSource(file=os.path.abspath(file), name=name)


def split_name(text: str) -> tuple[str, str]:
    """`FILE:NAME` → the file and the name. A file whose own name has the colon stays whole.

    >>> split_name("inputs.py:small")
    ('inputs.py', 'small')
    """
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier() or os.path.exists(text):
        return text, ""
    return file, name

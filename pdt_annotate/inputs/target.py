"""Targets and example calls as a command line names them. Nothing is imported to read a name.

A target is `pkg.module:Net.method` or `path/file.py:make().method`; example calls are `FILE[:NAME]`, or `--arg` texts.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pdt_annotate.source.pages import is_dotted
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.runs import SpecSource, Target

EXAMPLES = "a target is MODULE:NAME or FILE.py:NAME: pkg.model:Net, src/model.py:Net.encode, pkg.model:make_net()"

SPEC_HINT = """\
give a file of example calls, or one call on the command line:
    pdt-annotate mymodel:Net -i inputs.py             # in it: example_inputs = [(torch.randn(2, 3),)]
    pdt-annotate mymodel:Net -a 'f32[2,3]' -a mask=None"""


def parse(text: str) -> Target:
    """Read a target. Pure text: nothing is imported, no file is looked at.

    Raises:
        TargetError: the text is not a target; the hint says how it is written.
    """
    place, colon, name = text.strip().rpartition(":")
    if not colon or not place or not name:
        raise TargetError(f"{text!r} does not name an object in a module", hint=_complete(text.strip()))
    qualname, called, member = name.partition("()")
    if "(" in qualname + member:
        hint = "say how the model is constructed with `model` in the spec"
        raise TargetError(f"{text!r} passes arguments, which a target cannot", hint=hint)
    if not (is_dotted(qualname + member) and member[:1] in ("", ".")):
        raise TargetError(f"{name!r} in the target {text!r} is not a name", hint=EXAMPLES)
    target = Target(text, "", "", qualname, bool(called), member.removeprefix("."))
    if place.endswith(".py"):
        return replace(target, file=place)
    if not is_dotted(place):
        raise TargetError(f"{place!r} in the target {text!r} is neither a module nor a .py file", hint=EXAMPLES)
    return replace(target, module=place)


def _complete(text: str) -> str:
    """The likely target behind a text without a name."""
    place, dot, name = text.rstrip(":").rpartition(".")
    if text.rstrip(":").endswith(".py"):
        return f"add the name of the class or function: {text.rstrip(':')}:NAME"
    return f"did you mean {place}:{name}?" if dot and is_dotted(f"{place}.{name}") else EXAMPLES


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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the names near to a misspelled one; empty where none is near."""
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("__")], n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


def did_you_mean_file(file: str) -> str:
    """The same for the name of a file that is not there, from the files beside it."""
    folder, name = os.path.split(os.path.abspath(file))
    return did_you_mean(name, os.listdir(folder) if os.path.isdir(folder) else ())

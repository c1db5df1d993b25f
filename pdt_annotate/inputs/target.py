"""A target as text: `pkg.module:Net.method` or `path/file.py:Net.method`. Nothing is imported to read one."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

from pdt_annotate.source.pages import is_dotted
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.runs import Target

EXAMPLES = "a target is MODULE:NAME or FILE.py:NAME: pkg.model:Net, src/model.py:Net.encode, pkg.model:make_net()"


def parse(text: str) -> Target:
    """Read a target. Pure text: nothing is imported, no file is looked at.

    Raises:
        TargetError: the text is not a target; the hint says how it is written.
    """
    place, colon, name = text.strip().rpartition(":")
    if not colon or not place or not name:
        raise TargetError(f"{text!r} does not name an object in a module", hint=_complete(text.strip()))
    called = name.endswith("()")
    qualname = name.removesuffix("()")
    if "(" in qualname:
        hint = "say how the model is constructed with `model` in the spec"
        raise TargetError(f"{text!r} passes arguments, which a target cannot", hint=hint)
    if not is_dotted(qualname):
        raise TargetError(f"{name!r} in the target {text!r} is not a name", hint=EXAMPLES)
    if place.endswith(".py"):
        return Target(text, module="", file=place, qualname=qualname, called=called)
    if not is_dotted(place):
        raise TargetError(f"{place!r} in the target {text!r} is neither a module nor a .py file", hint=EXAMPLES)
    return Target(text, module=place, file="", qualname=qualname, called=called)


def _complete(text: str) -> str:
    """The likely target behind a text without a name."""
    place, dot, name = text.rstrip(":").rpartition(".")
    if text.rstrip(":").endswith(".py"):
        return f"add the name of the class or function: {text.rstrip(':')}:NAME"
    return f"did you mean {place}:{name}?" if dot and is_dotted(f"{place}.{name}") else EXAMPLES


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint with the names near to a misspelled one; empty where none is near."""
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("__")], n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


def did_you_mean_file(file: str) -> str:
    """The same for the name of a file that is not there, from the files beside it."""
    folder, name = os.path.split(os.path.abspath(file))
    return did_you_mean(name, os.listdir(folder) if os.path.isdir(folder) else ())

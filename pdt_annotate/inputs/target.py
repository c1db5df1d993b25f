"""Targets and example calls in the forms of a command line. Reading a name imports nothing.

A target is `pkg.module:Net.method` or `path/file.py:make().method`; example calls are `FILE[:NAME]`, or `--arg` texts.
"""

from __future__ import annotations

import difflib
import errno
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pdt_annotate.inputs.target_names import near_targets
from pdt_annotate.source.identifiers import normal
from pdt_annotate.source.pages import is_dotted
from pdt_annotate.values.errors import SpecError, TargetError
from pdt_annotate.values.runs import SpecSource, Target

EXAMPLES = """\
a target is MODULE:NAME or FILE.py:NAME:
    pkg.model:Net, src/model.py:Net.encode, pkg.model:make_net()"""

SPEC_HINT = """\
give a file of example calls, or one call on the command line:
    pdt-annotate {target} -i inputs.py    # example_inputs = [(torch.randn(2, 3),)]
    pdt-annotate {target} -a 'f32[2,3]' -a mask=None
or have a file drafted from the source and its tests:
    pdt-annotate init {target}"""


def parse(text: str) -> Target:
    """Read a target, or raise a TargetError. Files are looked at only for the error's hint."""
    place, colon, name = text.strip().rpartition(":")
    if not colon or not place or not name:
        raise TargetError(f"{text!r} does not name an object in a module", hint=_complete(text.strip()))
    qualname, called, member = name.partition("()")
    if "(" in qualname + member:
        cls = qualname.partition("(")[0]
        hint = f"say how it is constructed with `model` in the spec: def model(): return {cls}(…)"
        raise TargetError(f"{text!r} passes arguments, which a target cannot", hint=hint)
    if not (is_dotted(qualname + member) and member[:1] in ("", ".")):
        raise TargetError(f"{name!r} in the target {text!r} is not a name", hint=EXAMPLES)
    target = Target(text, "", "", normal(qualname), bool(called), normal(member.removeprefix(".")))
    if place.endswith(".py"):
        return replace(target, file=place)
    if not is_dotted(place):
        raise TargetError(f"{place!r} in the target {text!r} is neither a module nor a .py file", hint=EXAMPLES)
    return replace(target, module=place)


def _complete(text: str) -> str:
    """A hint with the target that a text without a name likely means."""
    place, dot, name = text.rstrip(":").rpartition(".")
    if os.path.isdir(text):
        return f"{text} is a directory; a target is an object in one of its files: {os.path.join(text, 'FILE.py')}:NAME"
    found = near_targets(text, Path.cwd()) if text else []
    if found:
        return f"did you mean {' or '.join(found)}?"
    if text.rstrip(":").endswith(".py"):
        return f"add the name of the class or function: {text.rstrip(':')}:NAME"
    return f"did you mean {place}:{name}?" if dot and is_dotted(f"{place}.{name}") else EXAMPLES


def spec_source(inputs: str, args: Sequence[str], target: str = "mymodel:Net") -> SpecSource:
    """The source of example calls for a target. Raises SpecError if both or neither are given, or a file is missing."""
    if inputs and args:
        raise SpecError("example inputs come from --inputs or from --arg, not from both")
    if args:
        return SpecSource(args=tuple(args))
    if not inputs:
        raise SpecError("no example inputs", hint=SPEC_HINT.format(target=shlex.quote(target)))
    file, name = split_name(inputs)
    if os.path.isdir(file):
        hint = f"name a file in it: -i {os.path.join(file, 'inputs.py')}"
        raise SpecError(f"{file} is a directory, and no file of example inputs", hint=hint)
    if not os.path.isfile(file):
        draft_it = f"pdt-annotate init {shlex.quote(target)} -o {shlex.quote(file)} drafts it"
        raise SpecError(f"no such file of example inputs: {file}", hint=did_you_mean_file(file) or draft_it)
    return SpecSource(file=os.path.abspath(file), name=name)


def split_name(text: str) -> tuple[str, str]:
    """`FILE:NAME` → the file and the name. A file name that contains the colon is not split.

    >>> split_name("inputs.py:small")
    ('inputs.py', 'small')
    """
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier() or os.path.exists(text):
        return text, ""
    return file, normal(name)


def did_you_mean(name: str, known: Iterable[str], shown: str = "{}", most: int = 3) -> str:
    """A hint with the `most` nearest names to a misspelled one, each in the form `shown`; empty if no name is near."""
    hidden = "__" if name.startswith("_") else "_"
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith(hidden)], n=most)
    return f"did you mean {' or '.join(map(shown.format, near))}?" if near else ""


def did_you_mean_file(file: str) -> str:
    """The same for a missing file, from the files in its folder; for a broken link, with the link's destination."""
    try:
        os.stat(file)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return f"the links at {file} lead back to themselves: put the file there, or make a link that leads to it"
    if os.path.islink(file):
        return f"{file} is a link to {os.readlink(file)}, which is not there"
    folder, name = os.path.split(os.path.abspath(file))
    siblings = os.listdir(folder) if os.path.isdir(folder) else ()
    return did_you_mean(name, [each for each in siblings if os.path.exists(os.path.join(folder, each))])

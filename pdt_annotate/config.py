"""What one run was asked to do, as one value, and the defaults that depend on where it runs."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate import target
from pdt_annotate.errors import SpecError, TargetError, UserError
from pdt_annotate.ir import SpecSource, Target

TIMEOUT = 600.0
"""Seconds that one run of user code may take."""

PROJECT_MARKS = ("pyproject.toml", ".git")
"""A directory that holds one of these is a project's root."""

SPEC_HINT = """\
give a file of example calls, or one call on the command line:
    pdt-annotate mymodel:Net -i inputs.py             # in it: example_inputs = [(torch.randn(2, 3),)]
    pdt-annotate mymodel:Net -a 'f32[2,3]' -a mask=None"""


class WriteBack(enum.Enum):
    """Where the verified result goes."""

    IN_PLACE = "in place"
    DIFF = "diff"
    CHECK = "check"
    STUBS = "stubs"


class Returns(enum.Enum):
    """Which return annotations are written: those the compiler needs, all, or none."""

    NEEDED = "needed"
    ALL = "all"
    NONE = "none"


class Color(enum.Enum):
    """When output is coloured. `auto` asks NO_COLOR, FORCE_COLOR and the terminal, in this order."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True)
class Options:
    """The command line, understood.

    Args:
        targets: what to annotate; each is run with the same spec.
        spec: the example calls.
        root: the directory whose files may be annotated (absolute).
        timeout: seconds that one run of user code may take.
        write_partial: where the whole fails verification, write what the largest parts that work need.
        stubs: the directory for `.pyi` files.
        json: the file for machine output; "-" is stdout.
        explain: show the rules and the calls behind each annotation.
        verbosity: below zero only errors are shown, above it also what held.
    """

    targets: tuple[Target, ...]
    spec: SpecSource
    root: str
    write_back: WriteBack = WriteBack.IN_PLACE
    returns: Returns = Returns.NEEDED
    timeout: float = TIMEOUT
    write_partial: bool = False
    stubs: str = ""
    json: str = ""
    explain: bool = False
    color: Color = Color.AUTO
    verbosity: int = 0

    def __post_init__(self) -> None:
        if not os.path.isdir(self.root):
            raise UserError(f"the root is not a directory: {self.root}")
        if self.timeout <= 0:
            raise UserError(f"the timeout must be more than 0 seconds, not {self.timeout:g}")
        if self.json == "-" and self.write_back is WriteBack.DIFF:
            raise UserError("--diff and --json - both write to stdout", hint="give --json a file name")


def parse_targets(texts: Sequence[str]) -> tuple[Target, ...]:
    """The targets that the texts name; at least one.

    Raises:
        TargetError: there is none, or one of them is no target.
    """
    if not texts:
        raise TargetError("no target", hint="name what to annotate: pdt-annotate mymodel:Net -i inputs.py")
    return tuple(target.parse(text) for text in texts)


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


def find_root(targets: Sequence[Target]) -> str:
    """The nearest directory, from the first target's file or the working directory upwards, that is a project's root.

    Without one, the working directory.
    """
    cwd = Path.cwd()
    file = next((target.file for target in targets if target.file), "")
    start = Path(file).resolve().parent if file else cwd
    return str(next(_projects(start), cwd))


def _projects(start: Path) -> Iterator[Path]:
    for directory in (start, *start.parents):
        if any((directory / mark).exists() for mark in PROJECT_MARKS):
            yield directory

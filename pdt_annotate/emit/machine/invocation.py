"""What machine output says of a run beside what was found: from where files are named, and how the run ended."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pdt_annotate.emit.machine.paths import is_below
from pdt_annotate.settings.options import WriteBack


@dataclass(frozen=True)
class Invocation:
    """One run of the command.

    Args:
        base: the directory that files are named from (absolute), as `choose_base` says.
        write_back: where the result went, or would have gone.
        exit_code: what the process will end with.
    """

    base: str
    write_back: WriteBack = WriteBack.IN_PLACE
    exit_code: int = 0


def choose_base(root: str, directory: str) -> str:
    """The directory that files are named from: the working directory where the root lies in it, else the root.

    Those who read machine output, such as a forge that marks lines in a pull request, take paths from the top of the
    repository, in which CI runs; the root may be a project further down.
    """
    return directory if os.path.realpath(root) == os.path.realpath(directory) or is_below(directory, root) else root

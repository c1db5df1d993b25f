"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import os
import sys

from pdt_annotate.cache import commands
from pdt_annotate.writes.near import journals_near


def main() -> None:
    """Run the command line and leave with its exit code; one that is answered already is not even parsed."""
    words = sys.argv[1:]
    code = None if _was_ended_here() else commands.answer(words)
    if code is None:
        from pdt_annotate import cli  # noqa: PLC0415 - it takes many times what the answer does

        code = cli.main(words)
    sys.exit(code)


def _was_ended_here() -> bool:
    """Whether a run was ended here while it wrote: what it left comes before any answer."""
    try:
        return any(journals_near(os.getcwd()))
    except OSError:  # the working directory is gone
        return False


if __name__ == "__main__":
    main()

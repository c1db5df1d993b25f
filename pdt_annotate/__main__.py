"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import os
import sys

from pdt_annotate.cache import commands

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> None:
    """Run the command line and leave with its exit code; one that is answered already is not even parsed."""
    words = sys.argv[1:]
    _leave_out_the_working_directory()
    code = commands.answer(words)
    if code is None:
        from pdt_annotate import cli  # noqa: PLC0415 - it takes many times what the answer does

        code = cli.main(words)
    sys.exit(code)


def _leave_out_the_working_directory() -> None:
    """Import nothing from where `python -m` was started: what lies there is the user's code, or a stranger's."""
    if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] not in ([], [HERE]):
        del sys.path[0]


if __name__ == "__main__":
    main()

"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import sys

from pdt_annotate.cache import commands


def main() -> None:
    """Run the command line and leave with its exit code; one that is answered already is not even parsed."""
    words = sys.argv[1:]
    code = commands.answer(words)
    if code is None:
        from pdt_annotate import cli  # noqa: PLC0415 - it takes many times what the answer does

        code = cli.main(words)
    sys.exit(code)


if __name__ == "__main__":
    main()

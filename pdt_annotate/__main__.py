"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks for modules in the working directory first, where anything may lie that has the name of one.
    del sys.path[0]

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

"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import sys

from pdt_annotate import cli


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()

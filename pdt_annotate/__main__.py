"""`python -m pdt_annotate`, and the console script."""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> None:
    """Run the command line and leave with its exit code; one that is answered already is not even parsed."""
    words = sys.argv[1:]
    _import_nothing_of_others()
    from pdt_annotate.cache import commands  # noqa: PLC0415 - and nothing before that

    code = commands.answer(words)
    if code is None:
        from pdt_annotate import cli  # noqa: PLC0415 - it takes many times what the answer does

        code = cli.main(words)
    sys.exit(code)


def _import_nothing_of_others() -> None:
    """Import nothing from where `python -m` was started, which is the user's or a stranger's, nor of an overlay."""
    overlays = sys.modules.get("pdt_annotate.overlays.kept_overlay")  # where the environment names some
    if overlays:
        overlays.disregard()
    if __name__ == "__main__" and not sys.flags.safe_path and sys.path[:1] not in ([], [HERE]):
        del sys.path[0]


if __name__ == "__main__":
    main()

"""Run the command line: errors → words and exit codes."""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import COMPLETE_VARIABLE, PROGRAM, main_group
from pdt_annotate.cli.telling import tell


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends here, in words."""
    try:
        code = main_group.main(
            args=list(arguments),
            prog_name=PROGRAM,
            complete_var=COMPLETE_VARIABLE,
            standalone_mode=False,
            obj=tuple(arguments),
        )
    except (Exception, KeyboardInterrupt) as error:
        return tell(error)
    return code if isinstance(code, int) else EXIT_DONE

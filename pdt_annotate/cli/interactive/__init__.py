"""`--interactive`: annotations are chosen at the terminal, function by function."""

from __future__ import annotations

import sys
from typing import Any

from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError


def make_chooser(options: Options, report: Any) -> Any:
    """Return the person at this terminal, or None where the options do not ask for one."""
    if not options.interactive:
        return None
    from pdt_annotate.cli.interactive.ask import Terminal, edit, read_key  # noqa: PLC0415 - with what shows

    return Terminal(report, options.root, read_key, edit)


def assert_terminal() -> None:
    """Raise a `UserError` where nobody could be asked."""
    for stream, name in ((sys.stdin, "stdin"), (sys.stderr, "stderr")):
        if not stream.isatty():
            hint = "run it in a terminal; --diff shows what would be written, and asks nothing"
            raise UserError(f"--interactive asks at a terminal, and {name} is none", hint=hint)

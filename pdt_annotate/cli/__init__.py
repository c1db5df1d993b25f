"""The command line: text → Options, errors → exit code. One file a command.

Nothing here imports torch, libcst or rich before a command has been understood, so that `--help`, `--version` and
usage errors are instant. To add a command, write a file with a function, decorate it with `@main_group.command()`,
import inside it what it runs, and list it here.
"""

from __future__ import annotations

from pdt_annotate.cli.annotate import annotate
from pdt_annotate.cli.clean import clean
from pdt_annotate.cli.completion import completion
from pdt_annotate.cli.entry import main
from pdt_annotate.cli.exits import (
    EXIT_BUG,
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    EXIT_UNVERIFIED,
    EXIT_USER,
)
from pdt_annotate.cli.explain import explain
from pdt_annotate.cli.group import DEFAULT_COMMAND, main_group
from pdt_annotate.cli.hook import hook
from pdt_annotate.cli.init import init
from pdt_annotate.cli.observe import observe
from pdt_annotate.cli.run import run
from pdt_annotate.cli.verify import verify

__all__ = [
    "DEFAULT_COMMAND",
    "EXIT_BUG",
    "EXIT_DONE",
    "EXIT_INTERRUPTED",
    "EXIT_MISSING",
    "EXIT_UNVERIFIED",
    "EXIT_USER",
    "annotate",
    "clean",
    "completion",
    "explain",
    "hook",
    "init",
    "main",
    "main_group",
    "observe",
    "run",
    "verify",
]

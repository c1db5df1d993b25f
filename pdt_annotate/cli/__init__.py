"""The command line: text → Options, errors → exit code. Each file has a command, or a few that belong together.

Before a command is parsed, nothing here imports torch, libcst or rich, so that `--help`, `--version` and usage errors
are instant. To add a command, write a file with a function, decorate it with `@main_group.command()`, import inside it
the modules that it runs, and list it here. (`verify` and `hook` are in `annotate`, `graph` and `save` in `captures`,
`clean` in `cached`, `run` in `observe`, and `completion` in `group`.)
"""

from pdt_annotate.cli import annotate, cached, captures, explain, init, observe
from pdt_annotate.cli.entry import main
from pdt_annotate.cli.group import DEFAULT_COMMAND, main_group

__all__ = ["COMMANDS", "DEFAULT_COMMAND", "main", "main_group"]

COMMANDS = (annotate, cached, captures, explain, init, observe)  # each adds itself to the group

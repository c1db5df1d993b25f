"""Shell completion: the scripts for bash, zsh and fish, and the targets that can be named.

A target has a colon in it, at which bash begins a new word. So the script for bash hands over the line itself, and gets
back what stands behind the last colon.
"""

from __future__ import annotations

import contextlib
import os
import shlex

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.group import PROGRAM, main_group

SHELLS = ("bash", "zsh", "fish")

HOW = """\
Print the script that completes commands, options and targets in a shell.

\b
  bash: eval "$(pdt-annotate completion bash)"     in ~/.bashrc
  zsh:  eval "$(pdt-annotate completion zsh)"      in ~/.zshrc
  fish: pdt-annotate completion fish > ~/.config/fish/completions/pdt-annotate.fish"""

BASH = BashComplete.source_template.replace(
    "COMP_CWORD=$COMP_CWORD", 'COMP_CWORD=$COMP_CWORD COMP_LINE="$COMP_LINE" COMP_POINT=$COMP_POINT'
)
BASH = BASH.replace("complete -o nosort -F", "complete -o nosort -o nospace -F")
BASH = BASH.replace("compopt -o default", "compopt -o default +o nospace")  # files are complete, and so end in a space


@main_group.command(help=HOW, short_help="Print the script for completion in bash, zsh or fish.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script of a shell."""
    completer = get_completion_class(shell)
    assert completer is not None  # of the choices above
    click.echo(completer(main_group, {}, PROGRAM, COMPLETE_VARIABLE).source())


class _BashComplete(BashComplete):
    """click's, for words with colons in them."""

    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"].encode()[: int(os.environ["COMP_POINT"])].decode("utf-8", "ignore")
        words = line.split()
        for closing in ("", "'", '"'):  # the line may end inside quotes
            with contextlib.suppress(ValueError):
                words = shlex.split(line + closing)
                break
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        self._said = incomplete.rpartition(":")[:2]
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        said = "".join(self._said)
        value = item.value.removeprefix(said).replace(" ", r"\\ ")  # `read` in the script takes one of them
        # A target is not complete until a name follows the colon.
        end = "" if item.type != "plain" or item.value.endswith((":", os.sep)) else " "
        return f"{item.type},{value}{end}"


add_completion_class(_BashComplete, "bash")

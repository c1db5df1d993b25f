"""The group of commands, the text of `--help`, and shell completion: the scripts, and the possible next words."""

import contextlib
import os
import textwrap
from pathlib import Path

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.panels import COMMANDS, FULL, PanelCommand
from pdt_annotate.inputs.target import did_you_mean, names_in, places, spec_source
from pdt_annotate.settings.make_options import versions
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.exits import EXPLAINED

PROGRAM = "pdt-annotate"
DEFAULT_COMMAND = "annotate"

INTRODUCTION = """\
Annotate a PyTorch model so that torch.jit.script accepts it.

pdt-annotate runs the model on example inputs, observes the types, and writes them into the source as
annotations. It first verifies that the annotated model scripts and that the scripted model returns the same results."""

EXAMPLES = """\
\b
Examples:
  Annotate a model after the annotations have been verified:
    pdt-annotate mymodel:Net -i inputs.py
  Review the diff first, or apply the diff yourself:
    pdt-annotate mymodel:Net -i inputs.py --diff | git apply      # in the project's root
  Give a single example call on the command line:
    pdt-annotate net.py:Net.forward -a 'f32[2,3]' -a 3 -a mask=None
  Fail in CI if annotations are missing:
    pdt-annotate mymodel:Net -i inputs.yaml --check
  See the reason for each annotation:
    pdt-annotate mymodel:make_net -i inputs.py --diff --explain
  Observe types on one machine, and annotate on another machine without torch:
    pdt-annotate observe mymodel:Net -i inputs.py --save-profile net.sqlite
    pdt-annotate --profile net.sqlite

\b
Example inputs (-i) are in a Python file:
    import torch
    example_inputs = [(torch.randn(2, 3),), (torch.randn(4, 3), None)]
or in a YAML file:
    calls:
      - args: [{tensor: [2, 3]}]
      - args: [{tensor: [4, 3], dtype: float64}]
        kwargs: {mask: null}
        held_back: true        # for verification only: no types are observed

\b
A target is one of
    package.module:Net           an nn.Module class, an instance, or a function
    package.module:Net.method    one method
    package.module:make_net      a function without parameters that makes the model
    package.module:make().method one method of the model that it makes
    path/to/file.py:Net          the same target in a file

"""
EXAMPLES += "\b\nExit codes:\n" + "\n".join(
    textwrap.fill(
        f"{code:<4} {said}".replace("`", ""), 78, initial_indent="  ", subsequent_indent=" " * 7, break_on_hyphens=False
    )
    for code, said in EXPLAINED.items()
)


class DefaultGroup(PanelCommand, click.Group):
    """`pdt-annotate TARGET …` is `pdt-annotate annotate TARGET …`, and `--help` shows its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        own = {*self.commands, *(name for param in self.get_params(ctx) for name in param.opts)}
        if args[0] not in own if args else not ctx.resilient_parsing:
            if not ctx.resilient_parsing:
                # A word that is not a target, but nearly a command, is a mistyped command.
                word = args[0] if args else ""
                near = did_you_mean(word, self.commands) if word.isidentifier() else ""
                if near:
                    raise UserError(f"there is no command {word!r}", hint=near)
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands, and the first words of the default one: its targets and options."""
        command = self.commands[DEFAULT_COMMAND]
        with click.Context(command, parent=ctx, resilient_parsing=True) as inner:
            begun = complete_target(inner, command.params[0], incomplete)
            return [*super().shell_complete(ctx, incomplete), *command.shell_complete(inner, incomplete), *begun]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["TARGET...", "-i FILE[:NAME]", "[OPTIONS]"]

    command_class = PanelCommand

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        command = self.commands[DEFAULT_COMMAND]
        with click.Context(command, parent=ctx, info_name=DEFAULT_COMMAND) as inner:
            command.format_options(inner, formatter)
        for panel, names in COMMANDS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(FULL)) for name in names])


def _show_versions(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the versions of the tool and of the packages that affect its results, and end the command."""
    if not wanted:
        return
    for name, version in versions().items():
        click.echo(f"{name} {version or 'is not installed'}")
    ctx.exit()


@click.group(
    cls=DefaultGroup,
    help=f"{INTRODUCTION}\n\n{EXAMPLES}",
    context_settings={"help_option_names": ["--help"], "max_content_width": 120},
)
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_versions)
def main_group() -> None:
    """The commands."""


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the targets with this prefix: configured ones, then modules and files, then names in one of them."""
    from pdt_annotate.cli.run_options import load  # noqa: PLC0415 - it imports the options, which name these completers

    known: list[str] = []
    with contextlib.suppress(PdtError):  # the command itself reports a mistake in pyproject.toml
        known += [target.text for run in load("annotate").runs for target in run.options.targets]
    place, colon, _ = incomplete.rpartition(":")
    if colon:
        known += [f"{place}:{each}" for each in names_in(place, Path.cwd())]
    else:
        known += [f"{each}:" for each in places(Path.cwd())]
    return [CompletionItem(text) for text in dict.fromkeys(known) if text.startswith(incomplete)]


def complete_call(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of the calls in the command line's spec, or else in the configured one."""
    from pdt_annotate.cli.run_options import load  # noqa: PLC0415 - it imports the options, which name these completers
    from pdt_annotate.inputs.specs import call_names  # noqa: PLC0415

    inputs, arg = ctx.params.get("inputs"), ctx.params.get("arg")
    names: list[str] = []
    with contextlib.suppress(PdtError):  # the command itself reports a mistake
        if inputs or arg:
            specs = [spec_source(inputs or "", arg or ())]
        else:  # click stops parsing at an option without its value, and leaves the words before it in `ctx.args`
            specs = [run.options.spec for run in load("graph", ctx.params.get("targets") or ctx.args).runs]
        names = [name for spec in specs for name in call_names(spec)]
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


def complete_ways(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names that start with the text after the last comma, except those before it."""
    from pdt_annotate.captures.table import WAYS  # noqa: PLC0415

    given, comma, begun = incomplete.rpartition(",")
    known = [way for way in WAYS if way.name.startswith(begun) and way.name not in given.split(",")]
    return [CompletionItem(f"{given}{comma}{way.name}", help=way.title) for way in known]


def complete_graph(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from pdt_annotate.captures.table import GRAPHED  # noqa: PLC0415

    return [CompletionItem(name, help=way.title) for name, way in GRAPHED.items() if name.startswith(incomplete)]


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
BASH = BASH.replace("compopt -o default", "compopt -o default +o nospace")  # names of files are followed by a space


@main_group.command(help=HOW, short_help="Print the script for completion in bash, zsh or fish.")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the script of a shell."""
    completer = get_completion_class(shell)
    assert completer is not None  # the choices above all have one
    click.echo(completer(main_group, {}, PROGRAM, COMPLETE_VARIABLE).source())


class _BashComplete(BashComplete):
    """click's completion, for words with colons in them, at which bash begins a new word.

    The script passes the line itself, and gets back the text after the last colon.
    """

    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        # Without these variables, a program asks and not the script; it gets the first words.
        written = os.environ.get("COMP_LINE", PROGRAM).encode()
        line = written[: int(os.environ.get("COMP_POINT") or len(written))].decode("utf-8", "ignore")
        words = click.shell_completion.split_arg_string(line)
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        self._said = incomplete.rpartition(":")[:2]
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        said = "".join(self._said)
        value = item.value.removeprefix(said).replace(" ", r"\\ ")  # `read` in the script consumes one backslash
        # A target is not complete until a name follows the colon.
        end = "" if item.type != "plain" or item.value.endswith((":", os.sep)) else " "
        return f"{item.type},{value}{end}"


add_completion_class(_BashComplete, "bash")

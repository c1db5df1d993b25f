"""The group of commands, and what `--help` teaches."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from pdt_annotate.cli.complete import complete_target
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.errors import UserError

PROGRAM = "pdt-annotate"
DEFAULT_COMMAND = "annotate"

INTRODUCTION = """\
Annotate a PyTorch model so that torch.jit.script accepts it.

pdt-annotate runs the model on example inputs, observes the types, writes them into the source as annotations, and
proves the result: the annotated model scripts, and the scripted model answers what the eager model answers."""

EXAMPLES = """\
\b
Examples:
  Annotate a model, once verified:
    pdt-annotate mymodel:Net -i inputs.py
  Review the diff first, or apply it yourself:
    pdt-annotate mymodel:Net -i inputs.py --diff | git apply      # in the project's root
  One call, without a file of inputs:
    pdt-annotate net.py:Net.forward -a 'f32[2,3]' -a 3 -a mask=None
  Fail in CI where annotations are missing:
    pdt-annotate mymodel:Net -i inputs.yaml --check
  See why each annotation is what it is:
    pdt-annotate mymodel:make_net -i inputs.py --diff --explain
  Observe here and annotate there, or later, where there is no torch:
    pdt-annotate observe mymodel:Net -i inputs.py --save-profile net.sqlite
    pdt-annotate --profile net.sqlite

\b
Example inputs (-i) are a Python file...
    import torch
    example_inputs = [(torch.randn(2, 3),), (torch.randn(4, 3), None)]
...or a YAML file:
    calls:
      - args: [{tensor: [2, 3]}]
      - args: [{tensor: [4, 3], dtype: float64}]
        kwargs: {mask: null}
        held_back: true        # judges the result, gives no types

\b
A target is one of
    package.module:Net           a module class, an instance, a function
    package.module:Net.method    one method
    package.module:make_net      a function without parameters that makes the model
    package.module:make().method one method of what it makes
    path/to/file.py:Net          the same, by file

\b
Exit codes: 0 done, or nothing to do; 1 --check found annotations missing, or --require a way of capturing that fails;
2 the command, spec or your code is at fault; 3 the annotated source failed verification and nothing was written;
70 a bug of ours; 130 interrupted, 143 and 129 ended by SIGTERM and SIGHUP."""


class DefaultGroup(click.Group):
    """`pdt-annotate TARGET …` is `pdt-annotate annotate TARGET …`, and `--help` shows its options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        own = {*self.commands, *(name for param in self.get_params(ctx) for name in param.opts)}
        if args[0] not in own if args else not ctx.resilient_parsing:
            if not ctx.resilient_parsing:
                self._refuse_mistyped(args[0] if args else "")
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped(self, word: str) -> None:
        """
        Raises:
            UserError: the word is no target, and nearly a command.
        """
        near = did_you_mean(word, self.commands) if word.isidentifier() else ""
        if near:
            raise UserError(f"there is no command {word!r}", hint=near)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, and what the default one begins with: its targets and options."""
        command = self.commands[DEFAULT_COMMAND]
        with click.Context(command, parent=ctx, resilient_parsing=True) as inner:
            begun = complete_target(inner, command.params[0], incomplete)
            return [*super().shell_complete(ctx, incomplete), *command.shell_complete(inner, incomplete), *begun]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["TARGET...", "-i FILE[:NAME]", "[OPTIONS]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        command = self.commands[DEFAULT_COMMAND]
        with click.Context(command, parent=ctx, info_name=DEFAULT_COMMAND) as inner:
            command.format_options(inner, formatter)
        self.format_commands(ctx, formatter)


def _show_versions(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the tool's version, and those of the packages that decide what it finds, and end the command."""
    if not wanted:
        return
    from pdt_annotate.settings.versions import versions  # noqa: PLC0415 - packages' metadata is slow to import

    for name, version in versions().items():
        click.echo(f"{name} {version or 'is not installed'}")
    ctx.exit()


@click.group(
    cls=DefaultGroup,
    help=f"{INTRODUCTION}\n\n{EXAMPLES}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.option("-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_versions)
def main_group() -> None:
    """The commands."""

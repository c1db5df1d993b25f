"""The help of commands: `--help` shows all options in panels, `-h` the ones that people use most."""

import inspect

import click

PANELS = {  # the options in each panel
    "Inputs": ("inputs", "arg", "profile", "root", "python"),
    "What to annotate": ("scope", "mend", "returns", "spelling", "third-party", "overlay", "write-partial"),
    "Output": (
        *("diff", "check", "interactive", "stubs", "output", "format", "depth", "of", "call", "emit", "method"),
        *("freeze", "optimize", "cpp", "json", "output-format", "output-file", "html", "save-profile", "explain"),
        *("ignore", "per-file-ignores", "baseline", "update-baseline", "timings", "color", "quiet", "verbose"),
    ),
    "Verification": ("timeout", "budget", "no-probe", "against", "watch", "also-run", "ways", "require", "allow"),
    "Configuration": ("config", "isolated", "show-settings", "jobs", "no-cache"),
    "Exit codes": ("exit-non-zero-on-write", "exit-zero"),
    "Miscellaneous": (),
}
COMMON = frozenset(  # the options that `-h` shows
    (
        *("inputs", "arg", "python", "mend", "diff", "check", "output", "allow", "against", "json", "html", "explain"),
        "verbose",
    )
)
COMMANDS = {  # the commands in each panel of the group
    "Commands": ("annotate", "verify", "save"),
    "Other ways of capturing": ("captures", "graph"),
    "Setup, recording and hooks": ("init", "observe", "run", "hook"),
    "Help and maintenance": ("explain", "completion", "clean"),
}

FULL = 200  # characters of the description of a command: none is cut
SHORT = "pdt_annotate.short_help"  # set in a context's `meta` for `-h`


def _show_short(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[SHORT] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


SHORT_HELP = click.Option(
    ["-h"], is_flag=True, is_eager=True, expose_value=False, callback=_show_short, help="Show the most used options."
)


class PanelCommand(click.Command):
    """A command with these two kinds of help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), SHORT_HELP]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            name = str(param.opts[-1]).lstrip("-")
            panel = next((panel for panel, names in PANELS.items() if name in names), "Miscellaneous")
            if record and (not ctx.meta.get(SHORT) or name in COMMON or panel == "Miscellaneous"):
                panels[panel].append(record)
        if ctx.meta.get(SHORT):
            panels = {"Options": [record for records in panels.values() for record in records]}
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not ctx.meta.get(SHORT):
            return super().format_help_text(ctx, formatter)
        first = inspect.cleandoc(self.help or "").partition("\b\n")[0].strip()
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(first)
            formatter.write_paragraph()
            formatter.write_text(f"`{ctx.command_path} --help` shows all options.")
        return None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not ctx.meta.get(SHORT):
            super().format_epilog(ctx, formatter)

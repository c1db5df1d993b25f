"""The help of commands: `--help` shows all options in panels, `-h` the ones that people use most."""

import inspect
from collections.abc import Mapping

import click

PANELS: Mapping[str, Mapping[str, str]] = {  # the options in each panel, and the help of each; `init` has other texts
    "Inputs": {
        "inputs": "Python or YAML file with example calls.",
        "arg": "One argument of a single example call, such as f32[2,3], 3 or k=None.",
        "root": "Observe and annotate only files in this directory. [default: the project]",
        "python": "Python interpreter or environment (.venv) that runs your code. [default: the interpreter of "
        "pdt-annotate]",
        "profile": "File or directory of types that were observed before. Without -i, no code is run or verified.",
    },
    "What to annotate": {
        "scope": "Functions to annotate: only functions that TorchScript compiles, or all functions that the example "
        "calls run.",
        "mend": "Also change code if annotations are not enough. --mend without a value means exact.",
        "returns": "Return annotations to write: only the ones that the compiler needs, all, or none.",
        "spelling": "Write List[int] and Optional[int] (typing), or list[int] and int | None (modern). auto follows "
        "the project.",
        "third-party": "If the compiler reads code outside the root, leave it as it is, or annotate copies of its "
        "files (an overlay).",
        "overlay": "Write the overlay into this directory. Programs use it with pdt_annotate.overlay(DIR).",
        "write-partial": "If the whole target fails, annotate the largest parts of it that script.",
    },
    "Output": {
        "diff": "Print a unified diff and write no files.",
        "interactive": "Ask about each function before its annotations are written.",
        "check": "Exit with code 1 if annotations are missing, and write no files.",
        "stubs": "Write .pyi stubs into this directory instead of changing the source.",
        "save-profile": "Save the observed types to this file, which --profile reads.",
        "json": "Write the full result as JSON to this file; '-' is stdout.",
        "output-format": "Format of the output on stdout.",
        "html": "Write the result as a web page to this file.",
        "output-file": "Also write the result to a file: sarif:out.sarif, junit:out.xml, html:out.html or "
        "text:out.txt.",
        "ignore": "Hide findings by code: PDT037, or PDT10 for all codes that begin with PDT10.",
        "per-file-ignores": "Hide findings in files that match a pattern: 'tests/*:PDT030'.",
        "baseline": "Hide the findings that this file lists.",
        "update-baseline": "Write the findings of this run to the file that --baseline names.",
        "explain": "Show the rules and the example calls that led to each annotation.",
        "timings": "Show how long each stage takes.",
        "color": "When to use colors. auto follows NO_COLOR, FORCE_COLOR and the terminal, and never colors a diff in "
        "a pipe.",
        "quiet": "Show errors only.",
        "verbose": "Show every annotation, every finding, every check, and the module tree.",
        "emit": "Print the table, a Python file that calls torch.export, or a diff that makes torch.jit.trace correct.",
        "of": "Show the graph of this way of capturing.",
        "call": "Show the shapes in this example call. [default: the first call]",
        "format": "Format of the graph. auto uses the suffix of the file name after -o.",
        "depth": "Show each module at this depth as one node. 0 shows all nodes.",
        "output": "File to write. `save` requires it. [default: stdout]",
        "method": "Also save this method. Methods that example calls name are always saved.",
        "freeze": "Apply torch.jit.freeze before saving.",
        "optimize": "Apply torch.jit.optimize_for_inference before saving.",
        "cpp": "Write a C++ program into this directory that runs the saved file on the example calls.",
    },
    "Verification": {
        "timeout": "Time limit for each run of your code.",
        "budget": "Time limit for the search for annotations and code changes.",
        "no-probe": "Verify only the example calls, without generated inputs.",
        "also-run": "Command that must still succeed with the changes, such as 'pytest -q tests'.",
        "ways": "Ways of capturing to try, such as script,trace.",
        "require": "Ways of capturing that must succeed, such as script,export. `save` accepts only script.",
        "against": "Check that results in Python and ways of capturing are the same as at a git revision or in a "
        "directory.",
        "watch": "Run again when a source, configuration or data file changes, without importing torch again. Ctrl-C "
        "ends it.",
        "allow": "Allow a trace that contains values of its call as constants: --allow baked.",
    },
    "Configuration": {
        "jobs": "Number of configured targets to run at the same time. Runs that change source files still run one by "
        "one.",
        "no-cache": "Run targets even if nothing has changed since the last run, and do not cache the result.",
        "config": "Configuration file to use instead of the nearest pyproject.toml.",
        "isolated": "Ignore pyproject.toml and the PDT_ANNOTATE_* environment variables.",
        "show-settings": "Show each setting and where it is set, and run no target.",
    },
    "Exit codes": {
        "exit-non-zero-on-write": "Exit with code 1 if missing annotations were written.",
        "exit-zero": "Exit with code 0 even if annotations are missing or verification fails.",
    },
    "Miscellaneous": {},
}
HELP = {name: text for names in PANELS.values() for name, text in names.items()}
# The options that `-h` shows.
COMMON = {"inputs", "arg", "python", "mend", "diff", "check", "output", "allow", "against", "json", "html", "explain"}
COMMON |= {"verbose"}
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

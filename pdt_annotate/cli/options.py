"""The options, each declared once; the command line, the environment and pyproject.toml set their values.

To add one, declare it in `SETTINGS`. If the pipeline uses it, it is also a field of `Options`, of the same name.
"""

import copy
import os
from collections.abc import Collection, Mapping
from typing import Any

import click
from click.core import ParameterSource

from pdt_annotate.cli import kinds
from pdt_annotate.cli.group import PROGRAM, complete_call, complete_graph, complete_target, complete_ways
from pdt_annotate.cli.panels import PanelCommand
from pdt_annotate.settings.options import BUDGET, TIMEOUT, Color, OutputFormat, Returns, Scope, ThirdParty
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.style import Spelling

ANNOTATING = {"annotate"}
HOOKED = {"annotate", "hook"}
TARGETED = {"annotate", "observe", "verify", "captures", "graph", "save"}
JUDGING = {"annotate", "verify"}
REPORTING = JUDGING | {"captures"}
SHOWING = JUDGING | {"captures", "graph", "hook", "save"}
EVERY = TARGETED | {"run"}

PREFIX = "PDT_ANNOTATE"  # the prefix of environment variables, before an underscore

CALLS, WRITING, LOUDNESS = "example calls", "what is written", "loudness"


class Setting(click.Option):
    """An option that can also be set in pyproject.toml and in the environment.

    Args:
        defaults: other defaults, by command.
        group: if a source sets one option of a group, it replaces all options of the group from weaker sources.
        per_target: a target in pyproject.toml may have its own value.
        typed: only the command line can set it.
        leads_out: pyproject.toml may also name a place outside the project.
    """

    def __init__(
        self,
        name: str,
        commands: Collection[str],
        kind: Any,
        help: str,
        default: object = None,
        *,
        short: str = "",
        defaults: Mapping[str, object] | None = None,
        group: str = "",
        per_target: bool = True,
        in_pyproject: bool = True,
        in_environment: bool = True,
        typed: bool = False,
        leads_out: bool = False,
        **attributes: Any,
    ) -> None:
        self.long = name
        self.key = name.replace("-", "_")
        self.commands = commands
        self.defaults = defaults or {}
        self.group = group
        self.per_target = per_target
        self.in_pyproject = in_pyproject and not typed
        self.leads_out = leads_out
        self.takes: str = kind.takes
        default = kind.unset if default is None else default
        negative = f"/--no-{name}" if isinstance(kind, kinds.Flag) and not typed else ""
        known = {"show_default": bool(default) and isinstance(default, str), "multiple": kind.many}
        super().__init__(
            [*([f"-{short}"] if short else []), f"--{name}{negative}", self.key],
            type=kind,
            help=help,
            default=default,
            allow_from_autoenv=in_environment and not typed,
            **{**known, **kind.attributes, **attributes},
        )

    @property
    def variable(self) -> str:
        return f"{PREFIX}_{self.key.upper()}"

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        try:
            return self._flat(super().type_cast_value(ctx, value))
        except click.BadParameter as bad:
            hint = getattr(bad, "hint", "")
            if ctx.get_parameter_source(self.key) is ParameterSource.ENVIRONMENT:
                message = f"{self.variable} {self._refusal(bad)}, not {os.environ[self.variable]!r}"
                raise UserError(message, hint=hint) from None
            if isinstance(bad, kinds.WrongValue):
                given = kinds.as_written(tuple(value) if self.multiple else value)
                hint = hint or f"`{PROGRAM} --help` shows examples"
                raise UserError(f"--{self.long} {bad.message}, not {given}", hint=hint) from None
            raise

    def read_toml(self, given: object, directory: str) -> Any:
        """Return the value of a key in pyproject.toml, its paths resolved from a directory, or raise `WrongValue`."""
        values = given if self.multiple and isinstance(given, list) else [given]
        kind: Any = self.type
        if not all(map(kind.accepts, values)):
            raise kinds.WrongValue(f"must be {self.takes}")
        try:
            read = self._flat(tuple(kind.convert(value, self, None) for value in values))
        except click.BadParameter as bad:
            raise kinds.WrongValue(self._refusal(bad), getattr(bad, "hint", "")) from None
        located = tuple(kind.below(value, directory) for value in read)
        return located if self.multiple else located[0]

    def places(self, value: Any) -> list[str]:
        kind: Any = self.type
        return [place for each in (value if self.multiple else (value,)) if (place := kind.place(each))]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Show only one form of a flag with two: the one that changes the default. The other is for scripts."""
        shown = copy.copy(self)
        shown.secondary_opts = []
        return click.Option.get_help_record(shown, ctx)

    def _flat(self, value: Any) -> Any:
        if not isinstance(self.type, kinds.Listed):
            return value
        return tuple(item for items in value for item in items)

    def _refusal(self, bad: click.BadParameter) -> str:
        return bad.message if isinstance(bad, kinds.WrongValue) else f"must be {self.takes}"


VALUES, NAMES = kinds.Words("value", many=True), kinds.Words("names", many=True)
FILE, DIR, PATH = kinds.PathText("file"), kinds.PathText("dir"), kinds.PathText()
FLAG, COUNT, SECONDS = kinds.Flag(), kinds.Count(), kinds.Number()

SETTINGS = (  # in the order of `--help`
    Setting(
        "inputs", TARGETED, kinds.Inputs("file[:name]"), "Example calls: a Python or YAML file.", short="i", group=CALLS
    ),
    Setting(
        "arg", TARGETED, VALUES, "One argument of a single example call: f32[2,3], 3, k=None.", short="a", group=CALLS
    ),
    Setting("root", EVERY, DIR, "Observe and annotate only files in this directory. [default: the project]"),
    Setting(
        "python",
        EVERY | {"init", "hook"},
        PATH,
        "Python interpreter or environment (.venv) that runs your code. [default: that of pdt-annotate]",
        leads_out=True,
    ),
    Setting("timeout", TARGETED | {"hook"}, SECONDS, "Time limit for each run of your code.", TIMEOUT),
    Setting(
        "budget", HOOKED | {"save"}, SECONDS, "Time limit for the search for annotations and changes of code.", BUDGET
    ),
    Setting("no-probe", JUDGING | {"hook", "save"}, FLAG, "Do not test generated inputs."),
    Setting("diff", ANNOTATING, FLAG, "Print a unified diff; write nothing.", group=WRITING),
    Setting("interactive", ANNOTATING, FLAG, "Ask about each function before writing it.", typed=True),
    Setting("check", HOOKED, FLAG, "Exit with 1 if annotations are missing; write nothing.", group=WRITING),
    Setting("stubs", ANNOTATING, DIR, "Write .pyi files into this directory, not into the source.", group=WRITING),
    Setting(
        "scope",
        ANNOTATING,
        kinds.Choice(*Scope),
        "Functions to annotate: only the ones that the compiler reads, or all that the examples call.",
    ),
    Setting(
        "mend",
        ANNOTATING,
        kinds.Choice(*MendLevel, alone=MendLevel.EXACT.value),
        "Also change code where annotations are not enough. [alone: exact]",
    ),
    Setting(
        "also-run",
        ANNOTATING,
        kinds.Words("command", many=True),
        "Command that must also succeed with the changes: 'pytest -q tests'.",
    ),
    Setting("returns", ANNOTATING, kinds.Choice(*Returns), "Return annotations to write."),
    Setting(
        "spelling",
        ANNOTATING,
        kinds.Choice(*Spelling),
        "List[int] and Optional[int], or list[int] and int | None; auto follows the project.",
    ),
    Setting(
        "third-party",
        ANNOTATING,
        kinds.Choice(*ThirdParty),
        "Code outside the root that the compiler reads: leave it, or annotate it in an overlay.",
    ),
    # The environment variable PDT_ANNOTATE_OVERLAY makes programs use an overlay (docs/overlay.md).
    Setting(
        "overlay", ANNOTATING, DIR, "Directory of the overlay, for pdt_annotate.overlay(DIR).", in_environment=False
    ),
    Setting("write-partial", ANNOTATING, FLAG, "If the whole fails, annotate the largest parts that work."),
    Setting(
        "save-profile",
        {"annotate", "observe", "run"},
        FILE,
        "Save the observed types to this file, for --profile.",
        defaults={"observe": "pdt-profile.sqlite", "run": "pdt-profile.sqlite"},
    ),
    Setting(
        "profile",
        HOOKED,
        kinds.PathText(many=True),
        "Types observed before: a file, or a directory of files. Without -i nothing is run or verified.",
        group=CALLS,
    ),
    Setting("json", REPORTING, FILE, "Write the full result as JSON; '-' is stdout."),
    Setting(
        "output-format",
        JUDGING,
        kinds.Choice(*OutputFormat),
        "Format of stdout.",
    ),
    Setting("html", REPORTING, FILE, "Write the result as a web page."),
    Setting(
        "output-file",
        JUDGING,
        kinds.OutputFiles(),
        "Write the result to a file, too: sarif:out.sarif, junit:out.xml, html:out.html, text:out.txt.",
    ),
    Setting("ignore", JUDGING, kinds.CODES, "Findings to hide: PDT037, or PDT10 for all codes that begin with it."),
    Setting(
        "per-file-ignores",
        JUDGING,
        kinds.PathCodes(),
        "Findings to hide in files that match a pattern: 'tests/*:PDT030'.",
    ),
    Setting("baseline", JUDGING, FILE, "Hide the findings that are listed in this file."),
    Setting(
        "update-baseline", ANNOTATING, FLAG, "Write the findings of this run to the file of --baseline.", typed=True
    ),
    Setting("explain", JUDGING | {"hook"}, FLAG, "Show the rules and the calls that led to each annotation."),
    Setting("timings", JUDGING, FLAG, "Show the time of each stage."),
    Setting(
        "color",
        SHOWING,
        kinds.Choice(*Color),
        "When to use colors. NO_COLOR and FORCE_COLOR count; only `always` colors a diff in a pipe.",
    ),
    Setting("quiet", EVERY | {"init", "hook"}, COUNT, "Show errors only.", short="q", group=LOUDNESS),
    Setting(
        "verbose",
        SHOWING,
        COUNT,
        "Show every annotation, finding and verdict, and the module tree.",
        short="v",
        group=LOUDNESS,
    ),
    Setting("ways", {"captures"}, NAMES, "Ways of capturing to try: script,trace.", shell_complete=complete_ways),
    Setting(
        "require",
        {"captures", "save"},
        NAMES,
        "Ways of capturing that must work: script,export. `save` takes script only.",
        shell_complete=complete_ways,
    ),
    Setting(
        "emit",
        {"captures"},
        kinds.Choice("table", "export", "trace-mend"),
        "Output: the table, a Python file for torch.export, or a diff that makes torch.jit.trace right.",
    ),
    Setting(
        "of",
        {"graph"},
        kinds.Words("name"),
        "Way of capturing whose graph is shown.",
        "frozen",
        shell_complete=complete_graph,
    ),
    Setting(
        "call",
        {"graph"},
        kinds.Words(),
        "Example call whose shapes are shown. [default: the first]",
        shell_complete=complete_call,
    ),
    Setting(
        "format",
        {"graph"},
        kinds.Choice("auto", "text", "json", "dot", "svg", "html", "python"),
        "Format of the graph; auto follows the suffix of the file after -o.",
    ),
    Setting("depth", {"graph"}, kinds.Whole(), "Show each module at this depth as one node; 0 shows all."),
    Setting(
        "output",
        {"captures", "graph", "save"},
        FILE,
        "File to write. [default: stdout; `save` needs a file]",
        short="o",
    ),
    Setting(
        "against",
        {"verify"},
        kinds.Words("rev|dir"),
        "Compare with the source of a git revision or a directory: same results in Python, same ways of capturing.",
        typed=True,
    ),
    Setting(
        "watch",
        JUDGING,
        FLAG,
        "Run again after each change of a source, setting or data file; torch stays imported. Ctrl-C ends.",
        typed=True,
    ),
    Setting("allow", {"save"}, NAMES, "Also save a trace that keeps values of its call: baked."),
    Setting(
        "method",
        {"save"},
        kinds.Words("name", many=True),
        "Keep this method, too; methods that calls name are kept anyway.",
    ),
    Setting("freeze", {"save"}, FLAG, "Apply torch.jit.freeze before saving."),
    Setting("optimize", {"save"}, FLAG, "Apply torch.jit.optimize_for_inference before saving."),
    Setting("cpp", {"save"}, DIR, "Write a C++ program into this directory that runs the file on the example calls."),
    Setting(
        "jobs",
        TARGETED | {"hook"},
        kinds.Whole("a whole number from 1 on", least=1),
        "Number of configured targets to run at once; runs that write in place follow one another.",
        1,
        short="j",
        per_target=False,
    ),
    Setting("exit-non-zero-on-write", ANNOTATING, FLAG, "Exit with 1 if annotations were missing and are now written."),
    Setting(
        "exit-zero", JUDGING, FLAG, "Exit with 0 even if annotations are missing or verification fails.", typed=True
    ),
    Setting(
        "no-cache",
        HOOKED,
        FLAG,
        "Run targets even if nothing has changed, and cache nothing.",
        in_pyproject=False,
    ),
    Setting(
        "config",
        EVERY | {"hook"},
        FILE,
        "Configuration file to use instead of the nearest pyproject.toml.",
        per_target=False,
        in_pyproject=False,
    ),
    Setting(
        "isolated", EVERY, FLAG, "Ignore all configuration: pyproject.toml and PDT_ANNOTATE_* variables.", typed=True
    ),
    Setting(
        "show-settings",
        TARGETED | {"hook"},
        FLAG,
        "Show each setting and its source; run nothing.",
        typed=True,
    ),
)

# The versions of the tool for which the settings are written; only in pyproject.toml.
REQUIRED_VERSION = Setting("required-version", (), kinds.Words(), "", per_target=False, in_environment=False)
TARGETS = click.Argument(["targets"], nargs=-1, metavar="TARGET...", shell_complete=complete_target)


def options_of(command: str) -> list[Setting]:
    options = [copy.copy(each) for each in SETTINGS if command in each.commands]
    for each in options:
        if command in each.defaults:
            each.default, each.show_default = each.defaults[command], True
    return options


class CommandWithWords(PanelCommand):
    """A command with options whose value is optional: a word with a colon after such an option is a target."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        alone: dict[str, Any] = {}
        for param in self.params:
            if isinstance(param.type, kinds.Choice) and param.type.alone:
                alone |= dict.fromkeys(param.opts, param)
        for index, arg in enumerate(args):
            if arg == "--":
                break
            if arg in alone and (not (word := "".join(args[index + 1 : index + 2])) or word[0] == "-" or ":" in word):
                args = [*args[:index], f"{arg}={alone[arg].flag_value}", *args[index + 1 :]]
        return super().parse_args(ctx, args)


def given_here() -> dict[str, object]:
    """Return the options that the current command's command line sets, by name."""
    context = click.get_current_context()
    settings = [param.name for param in context.command.params if isinstance(param, click.Option) and param.name]
    given = (name for name in settings if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return {name: context.params[name] for name in given}

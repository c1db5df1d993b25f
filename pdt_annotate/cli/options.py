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
FLAG, COUNT, SECONDS = kinds.Flag(), kinds.Count("a whole number, or true for 1"), kinds.Number()

SETTINGS = (  # in the order of `--help`
    Setting(
        "inputs",
        TARGETED,
        kinds.Inputs("file[:name]"),
        "Python or YAML file with example calls.",
        short="i",
        group=CALLS,
    ),
    Setting(
        "arg",
        TARGETED,
        VALUES,
        "One argument of a single example call, such as f32[2,3], 3 or k=None.",
        short="a",
        group=CALLS,
    ),
    Setting("root", EVERY, DIR, "Observe and annotate only files in this directory. [default: the project]"),
    Setting(
        "python",
        EVERY | {"init", "hook"},
        PATH,
        "Python interpreter or environment (.venv) that runs your code. [default: the interpreter of pdt-annotate]",
        leads_out=True,
    ),
    Setting("timeout", TARGETED | {"hook"}, SECONDS, "Time limit for each run of your code.", TIMEOUT),
    Setting(
        "budget", HOOKED | {"save"}, SECONDS, "Time limit for the search for annotations and code changes.", BUDGET
    ),
    Setting("no-probe", JUDGING | {"hook", "save"}, FLAG, "Verify only the example calls, without generated inputs."),
    Setting("diff", ANNOTATING, FLAG, "Print a unified diff and write no files.", group=WRITING),
    Setting("interactive", ANNOTATING, FLAG, "Ask about each function before its annotations are written.", typed=True),
    Setting("check", HOOKED, FLAG, "Exit with code 1 if annotations are missing, and write no files.", group=WRITING),
    Setting(
        "stubs", ANNOTATING, DIR, "Write .pyi stubs into this directory instead of changing the source.", group=WRITING
    ),
    Setting(
        "scope",
        ANNOTATING,
        kinds.Choice(*Scope),
        "Functions to annotate: only functions that TorchScript compiles, or all functions that the example calls run.",
    ),
    Setting(
        "mend",
        ANNOTATING,
        kinds.Choice(*MendLevel, alone=MendLevel.EXACT.value),
        "Also change code if annotations are not enough. --mend without a value means exact.",
    ),
    Setting(
        "also-run",
        ANNOTATING,
        kinds.Words("command", many=True),
        "Command that must still succeed with the changes, such as 'pytest -q tests'.",
    ),
    Setting(
        "returns",
        ANNOTATING,
        kinds.Choice(*Returns),
        "Return annotations to write: only the ones that the compiler needs, all, or none.",
    ),
    Setting(
        "spelling",
        ANNOTATING,
        kinds.Choice(*Spelling),
        "Write List[int] and Optional[int] (typing), or list[int] and int | None (modern). auto follows the project.",
    ),
    Setting(
        "third-party",
        ANNOTATING,
        kinds.Choice(*ThirdParty),
        "If the compiler reads code outside the root, leave it as it is, or annotate copies of its files (an overlay).",
    ),
    # The environment variable PDT_ANNOTATE_OVERLAY makes programs use an overlay (docs/overlay.md).
    Setting(
        "overlay",
        ANNOTATING,
        DIR,
        "Write the overlay into this directory. Programs use it with pdt_annotate.overlay(DIR).",
        in_environment=False,
    ),
    Setting(
        "write-partial", ANNOTATING, FLAG, "If the whole target fails, annotate the largest parts of it that script."
    ),
    Setting(
        "save-profile",
        {"annotate", "observe", "run"},
        FILE,
        "Save the observed types to this file, which --profile reads.",
        defaults={"observe": "pdt-profile.sqlite", "run": "pdt-profile.sqlite"},
    ),
    Setting(
        "profile",
        HOOKED,
        kinds.PathText(many=True),
        "File or directory of types that were observed before. Without -i, no code is run or verified.",
        group=CALLS,
    ),
    Setting("json", REPORTING, FILE, "Write the full result as JSON to this file; '-' is stdout."),
    Setting("output-format", JUDGING, kinds.Choice(*OutputFormat), "Format of the output on stdout."),
    Setting("html", REPORTING, FILE, "Write the result as a web page to this file."),
    Setting(
        "output-file",
        JUDGING,
        kinds.OutputFiles(),
        "Also write the result to a file: sarif:out.sarif, junit:out.xml, html:out.html or text:out.txt.",
    ),
    Setting(
        "ignore", JUDGING, kinds.CODES, "Hide findings by code: PDT037, or PDT10 for all codes that begin with PDT10."
    ),
    Setting(
        "per-file-ignores", JUDGING, kinds.PathCodes(), "Hide findings in files that match a pattern: 'tests/*:PDT030'."
    ),
    Setting("baseline", JUDGING, FILE, "Hide the findings that this file lists."),
    Setting(
        "update-baseline",
        ANNOTATING,
        FLAG,
        "Write the findings of this run to the file that --baseline names.",
        typed=True,
    ),
    Setting("explain", JUDGING | {"hook"}, FLAG, "Show the rules and the example calls that led to each annotation."),
    Setting("timings", JUDGING, FLAG, "Show how long each stage takes."),
    Setting(
        "color",
        SHOWING,
        kinds.Choice(*Color),
        "When to use colors. auto follows NO_COLOR, FORCE_COLOR and the terminal, and never colors a diff in a pipe.",
    ),
    Setting("quiet", EVERY | {"init", "hook"}, COUNT, "Show errors only.", short="q", group=LOUDNESS),
    Setting(
        "verbose",
        SHOWING,
        COUNT,
        "Show every annotation, every finding, every check, and the module tree.",
        short="v",
        group=LOUDNESS,
    ),
    Setting(
        "ways", {"captures"}, NAMES, "Ways of capturing to try, such as script,trace.", shell_complete=complete_ways
    ),
    Setting(
        "require",
        {"captures", "save"},
        NAMES,
        "Ways of capturing that must succeed, such as script,export. `save` accepts only script.",
        shell_complete=complete_ways,
    ),
    Setting(
        "emit",
        {"captures"},
        kinds.Choice("table", "export", "trace-mend"),
        "Print the table, a Python file that calls torch.export, or a diff that makes torch.jit.trace correct.",
    ),
    Setting(
        "of",
        {"graph"},
        kinds.Words("name"),
        "Show the graph of this way of capturing.",
        "frozen",
        shell_complete=complete_graph,
    ),
    Setting(
        "call",
        {"graph"},
        kinds.Words(),
        "Show the shapes in this example call. [default: the first call]",
        shell_complete=complete_call,
    ),
    Setting(
        "format",
        {"graph"},
        kinds.Choice("auto", "text", "json", "dot", "svg", "html", "python"),
        "Format of the graph. auto uses the suffix of the file name after -o.",
    ),
    Setting("depth", {"graph"}, kinds.Whole(), "Show each module at this depth as one node. 0 shows all nodes."),
    Setting(
        "output", {"captures", "graph", "save"}, FILE, "File to write. `save` requires it. [default: stdout]", short="o"
    ),
    Setting(
        "against",
        {"verify"},
        kinds.Words("rev|dir"),
        "Check that results in Python and ways of capturing are the same as at a git revision or in a directory.",
        typed=True,
    ),
    Setting(
        "watch",
        JUDGING,
        FLAG,
        "Run again when a source, configuration or data file changes, without importing torch again. Ctrl-C ends it.",
        typed=True,
    ),
    Setting("allow", {"save"}, NAMES, "Allow a trace that contains values of its call as constants: --allow baked."),
    Setting(
        "method",
        {"save"},
        kinds.Words("name", many=True),
        "Also save this method. Methods that example calls name are always saved.",
    ),
    Setting("freeze", {"save"}, FLAG, "Apply torch.jit.freeze before saving."),
    Setting("optimize", {"save"}, FLAG, "Apply torch.jit.optimize_for_inference before saving."),
    Setting(
        "cpp", {"save"}, DIR, "Write a C++ program into this directory that runs the saved file on the example calls."
    ),
    Setting(
        "jobs",
        TARGETED | {"hook"},
        kinds.Whole("a whole number from 1 on", least=1),
        "Number of configured targets to run at the same time. Runs that change source files still run one by one.",
        1,
        short="j",
        per_target=False,
    ),
    Setting("exit-non-zero-on-write", ANNOTATING, FLAG, "Exit with code 1 if missing annotations were written."),
    Setting(
        "exit-zero",
        JUDGING,
        FLAG,
        "Exit with code 0 even if annotations are missing or verification fails.",
        typed=True,
    ),
    Setting(
        "no-cache",
        HOOKED,
        FLAG,
        "Run targets even if nothing has changed since the last run, and do not cache the result.",
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
    Setting("isolated", EVERY, FLAG, "Ignore pyproject.toml and the PDT_ANNOTATE_* environment variables.", typed=True),
    Setting(
        "show-settings",
        TARGETED | {"hook"},
        FLAG,
        "Show each setting and where it is set, and run no target.",
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

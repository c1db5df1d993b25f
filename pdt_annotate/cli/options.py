"""The options, each declared once; the command line, the environment and pyproject.toml set their values.

To add one, declare it in `SETTINGS`, and put its help into `PANELS`. If the pipeline uses it, it is also a field of
`Options`, of the same name.
"""

import copy
import os
from collections.abc import Collection
from typing import Any

import click
from click.core import ParameterSource

from pdt_annotate.cli import kinds
from pdt_annotate.cli.group import PROGRAM, complete_call, complete_graph, complete_target, complete_ways
from pdt_annotate.cli.panels import HELP, PanelCommand
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
        default: object = None,
        *,
        short: str = "",
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
            help=HELP.get(name, ""),
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
    Setting("inputs", TARGETED, kinds.Inputs("file[:name]"), short="i", group=CALLS),
    Setting("arg", TARGETED, VALUES, short="a", group=CALLS),
    Setting("root", EVERY, DIR),
    Setting("python", EVERY | {"init", "hook"}, PATH, leads_out=True),
    Setting("timeout", TARGETED | {"hook"}, SECONDS, TIMEOUT),
    Setting("budget", HOOKED | {"save"}, SECONDS, BUDGET),
    Setting("no-probe", JUDGING | {"hook", "save"}, FLAG),
    Setting("diff", ANNOTATING, FLAG, group=WRITING),
    Setting("interactive", ANNOTATING, FLAG, typed=True),
    Setting("check", HOOKED, FLAG, group=WRITING),
    Setting("stubs", ANNOTATING, DIR, group=WRITING),
    Setting("scope", ANNOTATING, kinds.Choice(*Scope)),
    Setting("mend", ANNOTATING, kinds.Choice(*MendLevel, alone=MendLevel.EXACT.value)),
    Setting("also-run", ANNOTATING, kinds.Words("command", many=True)),
    Setting("returns", ANNOTATING, kinds.Choice(*Returns)),
    Setting("spelling", ANNOTATING, kinds.Choice(*Spelling)),
    Setting("third-party", ANNOTATING, kinds.Choice(*ThirdParty)),
    # The environment variable PDT_ANNOTATE_OVERLAY makes programs use an overlay (docs/overlay.md).
    Setting("overlay", ANNOTATING, DIR, in_environment=False),
    Setting("write-partial", ANNOTATING, FLAG),
    Setting("save-profile", {"annotate", "observe", "run"}, FILE),
    Setting("profile", HOOKED, kinds.PathText(many=True), group=CALLS),
    Setting("json", REPORTING, FILE),
    Setting("output-format", JUDGING, kinds.Choice(*OutputFormat)),
    Setting("html", REPORTING, FILE),
    Setting("output-file", JUDGING, kinds.OutputFiles()),
    Setting("ignore", JUDGING, kinds.CODES),
    Setting("per-file-ignores", JUDGING, kinds.PathCodes()),
    Setting("baseline", JUDGING, FILE),
    Setting("update-baseline", ANNOTATING, FLAG, typed=True),
    Setting("explain", JUDGING | {"hook"}, FLAG),
    Setting("timings", JUDGING, FLAG),
    Setting("color", SHOWING, kinds.Choice(*Color)),
    Setting("quiet", EVERY | {"init", "hook"}, COUNT, short="q", group=LOUDNESS),
    Setting("verbose", SHOWING, COUNT, short="v", group=LOUDNESS),
    Setting("ways", {"captures"}, NAMES, shell_complete=complete_ways),
    Setting("require", {"captures", "save"}, NAMES, shell_complete=complete_ways),
    Setting("emit", {"captures"}, kinds.Choice("table", "export", "trace-mend")),
    Setting("of", {"graph"}, kinds.Words("name"), "frozen", shell_complete=complete_graph),
    Setting("call", {"graph"}, kinds.Words(), shell_complete=complete_call),
    Setting("format", {"graph"}, kinds.Choice("auto", "text", "json", "dot", "svg", "html", "python")),
    Setting("depth", {"graph"}, kinds.Whole()),
    Setting("output", {"captures", "graph", "save"}, FILE, short="o"),
    Setting("against", {"verify"}, kinds.Words("rev|dir"), typed=True),
    Setting("watch", JUDGING, FLAG, typed=True),
    Setting("allow", {"save"}, NAMES),
    Setting("method", {"save"}, kinds.Words("name", many=True)),
    Setting("freeze", {"save"}, FLAG),
    Setting("optimize", {"save"}, FLAG),
    Setting("cpp", {"save"}, DIR),
    Setting(
        "jobs", TARGETED | {"hook"}, kinds.Whole("a whole number from 1 on", least=1), 1, short="j", per_target=False
    ),
    Setting("exit-non-zero-on-write", ANNOTATING, FLAG),
    Setting("exit-zero", JUDGING, FLAG, typed=True),
    Setting("no-cache", HOOKED, FLAG, in_pyproject=False),
    Setting("config", EVERY | {"hook"}, FILE, per_target=False, in_pyproject=False),
    Setting("isolated", EVERY, FLAG, typed=True),
    Setting("show-settings", TARGETED | {"hook"}, FLAG, typed=True),
)

# The versions of the tool for which the settings are written; only in pyproject.toml.
REQUIRED_VERSION = Setting("required-version", (), kinds.Words(), per_target=False, in_environment=False)
TARGETS = click.Argument(["targets"], nargs=-1, metavar="TARGET...", shell_complete=complete_target)


def options_of(command: str) -> list[Setting]:
    options = [copy.copy(each) for each in SETTINGS if command in each.commands]
    for each in options:
        if each.key == "save_profile" and command != "annotate":  # the other commands always save one
            each.default, each.show_default = "pdt-profile.sqlite", True
    return options


class CommandWithWords(PanelCommand):
    """A command with options whose value is optional: a word with a colon after such an option is a target."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        params = (param for param in self.params if isinstance(param.type, kinds.Choice) and param.type.alone)
        alone: dict[str, Any] = {name: param for param in params for name in param.opts}
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

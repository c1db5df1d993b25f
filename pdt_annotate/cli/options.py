"""The options, each declared once; the command line, the environment and pyproject.toml give their values.

To add one, declare it in `SETTINGS`. If the pipeline heeds it, it is also a field of `Options`, of the same name.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

import click
from click.core import ParameterSource

from pdt_annotate.cli.complete import complete_call, complete_graph, complete_target, complete_ways
from pdt_annotate.cli.kinds import (
    CODES,
    COUNT,
    FLAG,
    INPUTS,
    NUMBER,
    PATH,
    TEXT,
    Choice,
    Flag,
    Listed,
    OutputFiles,
    PathCodes,
    Whole,
    WrongValue,
    as_written,
)
from pdt_annotate.settings.options import BUDGET, TIMEOUT, Color, OutputFormat, Returns, Scope, ThirdParty
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.style import Spelling

ANNOTATE = "annotate"
OBSERVE = "observe"
VERIFY = "verify"
RUN = "run"
CAPTURES = "captures"
GRAPH = "graph"
INIT = "init"
HOOK = "hook"

ANNOTATING = {ANNOTATE}
TARGETED = {ANNOTATE, OBSERVE, VERIFY, CAPTURES, GRAPH}
JUDGING = {ANNOTATE, VERIFY}
EVERY = TARGETED | {RUN, HOOK}

PREFIX = "PDT_ANNOTATE"
"""What the variables of the environment begin with, before an underscore."""

CALLS, WRITING, LOUDNESS = "example calls", "what is written", "loudness"


class Setting(click.Option):
    """An option that may also stand in pyproject.toml and in the environment.

    Args:
        name: its long form without the dashes, and its key in pyproject.toml.
        kind: what its value is.
        help: what `--help` says.
        commands: the commands that take it.
        short: the letter of its short form.
        defaults: by command, where it has another default than `default`.
        group: the options of one group are alternatives: one that a stronger place gives replaces all of the group.
        per_target: a target in pyproject.toml may have its own.
        in_pyproject: it may stand in pyproject.toml.
        in_environment: it may stand in the environment.
        leads_out: also in pyproject.toml it may name a place outside the project.
        attributes: click's own.
    """

    def __init__(
        self,
        name: str,
        kind: Any,
        help: str,
        default: object = "",
        *,
        commands: Collection[str] = TARGETED,
        short: str = "",
        defaults: Mapping[str, object] | None = None,
        group: str = "",
        per_target: bool = True,
        in_pyproject: bool = True,
        in_environment: bool = True,
        leads_out: bool = False,
        **attributes: Any,
    ) -> None:
        self.long = name
        self.key = name.replace("-", "_")
        self.commands = commands
        self.defaults = defaults or {}
        self.group = group
        self.per_target = per_target
        self.in_pyproject = in_pyproject
        self.leads_out = leads_out
        negative = f"/--no-{name}" if isinstance(kind, Flag) and (in_pyproject or in_environment) else ""
        names = [*([f"-{short}"] if short else []), f"--{name}{negative}", self.key]
        known = {"show_default": bool(default) and isinstance(default, str), "multiple": default == ()}
        super().__init__(
            names,
            type=kind,
            help=help,
            default=default,
            allow_from_autoenv=in_environment,
            **{**known, **kind.attributes, **attributes},
        )

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return f"{PREFIX}_{self.key.upper()}"

    @property
    def takes(self) -> str:
        """What is to be written, in words."""
        return str(self.type.several if self.multiple else self.type.takes)  # type: ignore[attr-defined]

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        try:
            return self._flat(super().type_cast_value(ctx, value))
        except click.BadParameter as bad:
            hint = getattr(bad, "hint", "")
            if ctx.get_parameter_source(self.key) is ParameterSource.ENVIRONMENT:
                message = f"{self.variable} {self._refusal(bad)}, not {os.environ[self.variable]!r}"
                raise UserError(message, hint=hint) from None
            if isinstance(bad, WrongValue):
                raise UserError(f"--{self.long} {bad.message}, not {as_written(value)}", hint=hint) from None
            raise

    def read_toml(self, given: object, directory: str) -> Any:
        """The value of a key in pyproject.toml, with its paths taken from a directory.

        Raises:
            WrongValue: it is none of this option.
        """
        values = given if self.multiple and isinstance(given, list) else [given]
        kind: Any = self.type
        if not all(map(kind.accepts, values)):
            raise WrongValue(f"takes {self.takes}")
        try:
            read = self._flat(tuple(kind.convert(value, self, None) for value in values))
        except click.BadParameter as bad:
            raise WrongValue(self._refusal(bad), getattr(bad, "hint", "")) from None
        located = tuple(kind.below(value, directory) for value in read)
        return located if self.multiple else located[0]

    def places(self, value: Any) -> list[str]:
        """The paths that a value names, to be read or written."""
        kind: Any = self.type
        return [place for each in (value if self.multiple else (value,)) if (place := kind.place(each))]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Of a flag with two forms, list the one that changes the default; the other is for scripts."""
        shown = copy.copy(self)
        shown.secondary_opts = []
        return click.Option.get_help_record(shown, ctx)

    def _flat(self, value: Any) -> Any:
        if not isinstance(self.type, Listed):
            return value
        return tuple(item for items in value for item in items)

    def _refusal(self, bad: click.BadParameter) -> str:
        return bad.message if isinstance(bad, WrongValue) else f"takes {self.takes}"


def _values(choices: Any) -> list[str]:
    return [each.value for each in choices]


SETTINGS = (
    Setting("inputs", INPUTS, "Example calls, as Python or YAML.", metavar="FILE[:NAME]", short="i", group=CALLS),
    Setting(
        "arg", TEXT, "An argument of a single call: f32[2,3], 3, k=None.", (), metavar="VALUE", short="a", group=CALLS
    ),
    Setting(
        "root",
        PATH,
        "Only files below it are observed and annotated. [default: the project]",
        commands=EVERY - {HOOK},
        metavar="DIR",
    ),
    Setting(
        "python",
        PATH,
        "Run your code with this Python, or in this environment (.venv). [default: pdt-annotate's own]",
        commands=EVERY | {INIT},
        metavar="PATH",
        leads_out=True,
    ),
    Setting("timeout", NUMBER, "For one run of your code.", TIMEOUT, commands=TARGETED | {HOOK}, metavar="SECONDS"),
    Setting(
        "budget",
        NUMBER,
        "For the search for annotations, in all.",
        BUDGET,
        commands=ANNOTATING | {HOOK},
        metavar="SECONDS",
    ),
    Setting("no-probe", FLAG, "Draw no further calls beside the examples.", False, commands=JUDGING | {HOOK}),
    Setting("diff", FLAG, "Print a unified diff and write nothing.", False, commands=ANNOTATING, group=WRITING),
    Setting(
        "interactive",
        FLAG,
        "Ask about each function: show its diff and the evidence.",
        False,
        commands=ANNOTATING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting(
        "check",
        FLAG,
        "Exit 1 if annotations are missing; write nothing.",
        False,
        commands=ANNOTATING | {HOOK},
        group=WRITING,
    ),
    Setting(
        "stubs",
        PATH,
        "Write .pyi files there and leave the source.",
        commands=ANNOTATING,
        metavar="DIR",
        group=WRITING,
    ),
    Setting(
        "scope",
        Choice(*_values(Scope)),
        "What to annotate: what the compiler reads, or all that the examples entered.",
        Scope.COMPILED.value,
        commands=ANNOTATING,
    ),
    Setting(
        "mend",
        Choice(*_values(MendLevel), alone=MendLevel.EXACT.value),
        "Where annotations are not enough, change code, too. [alone: exact]",
        commands=ANNOTATING,
    ),
    Setting(
        "also-run",
        TEXT,
        "A command that must succeed with the changes as it does without: 'pytest -q tests'.",
        (),
        commands=ANNOTATING,
        metavar="COMMAND",
    ),
    Setting(
        "returns",
        Choice(*_values(Returns)),
        "Which return annotations to write.",
        Returns.NEEDED.value,
        commands=ANNOTATING,
    ),
    Setting(
        "spelling",
        Choice(*_values(Spelling)),
        "List[int] and Optional[int], or list[int] and int | None; auto asks the project.",
        Spelling.AUTO.value,
        commands=ANNOTATING,
    ),
    Setting(
        "third-party",
        Choice(*_values(ThirdParty)),
        "Code outside the root that the compiler reads: leave it, or type it in an overlay.",
        ThirdParty.LEAVE.value,
        commands=ANNOTATING,
    ),
    Setting(
        "overlay",
        PATH,
        "Keep the overlay there, for pdt_annotate.overlay(DIR).",
        commands=ANNOTATING,
        metavar="DIR",
        # PDT_ANNOTATE_OVERLAY is what programs are served an overlay by (docs/overlay.md).
        in_environment=False,
    ),
    Setting(
        "write-partial",
        FLAG,
        "Where the whole fails, annotate the largest parts that work.",
        False,
        commands=ANNOTATING,
    ),
    Setting(
        "save-profile",
        PATH,
        "Keep what was observed there, for --profile.",
        commands={ANNOTATE, OBSERVE, RUN},
        metavar="FILE",
        defaults={OBSERVE: "pdt-profile.sqlite", RUN: "pdt-profile.sqlite"},
    ),
    Setting(
        "profile",
        PATH,
        "What was observed before: a file, or a directory of them. Without -i nothing is run, nor verified.",
        (),
        commands=ANNOTATING | {HOOK},
        metavar="PATH",
        group=CALLS,
    ),
    Setting("json", PATH, "Write all that was found; '-' is stdout.", commands=JUDGING | {CAPTURES}, metavar="FILE"),
    Setting(
        "output-format",
        Choice(*_values(OutputFormat)),
        "What stdout has: a diff at most, or the result for a program.",
        OutputFormat.TEXT.value,
        commands=JUDGING,
    ),
    Setting("html", PATH, "Show the result as a page for a browser.", commands=JUDGING | {CAPTURES}, metavar="FILE"),
    Setting(
        "output-file",
        OutputFiles(),
        "Write the result there, too: sarif:out.sarif, junit:out.xml, html:out.html, text:out.txt.",
        (),
        commands=JUDGING,
        metavar="FORMAT:FILE",
    ),
    Setting(
        "ignore",
        CODES,
        "Do not show these findings: PDT037, or PDT10 for all that begin so.",
        (),
        commands=JUDGING,
        metavar="CODES",
    ),
    Setting(
        "per-file-ignores",
        PathCodes(),
        "Do not show these findings in files of that pattern: 'tests/*:PDT030'.",
        (),
        commands=JUDGING,
        metavar="PATTERN:CODES",
    ),
    Setting("baseline", PATH, "Do not show the findings that stand in this file.", commands=JUDGING, metavar="FILE"),
    Setting(
        "update-baseline",
        FLAG,
        "Write the findings of this run into the file of --baseline.",
        False,
        commands=ANNOTATING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting("explain", FLAG, "Show the rules and the calls behind each annotation.", False, commands=JUDGING | {HOOK}),
    Setting("timings", FLAG, "Show how long each stage took.", False, commands=JUDGING),
    Setting(
        "color",
        Choice(*_values(Color)),
        "NO_COLOR and FORCE_COLOR are respected; only `always` colours a diff in a pipe.",
        Color.AUTO.value,
        commands=JUDGING | {CAPTURES, GRAPH, HOOK},
    ),
    Setting("quiet", COUNT, "Show errors only.", 0, commands=EVERY | {INIT}, short="q", group=LOUDNESS),
    Setting(
        "verbose",
        COUNT,
        "Show all: every annotation and finding, the module tree, what each judge said.",
        0,
        commands=JUDGING | {CAPTURES, GRAPH, HOOK},
        short="v",
        group=LOUDNESS,
    ),
    Setting(
        "ways",
        TEXT,
        "Try only these ways of capturing: script,trace.",
        (),
        commands={CAPTURES},
        metavar="NAMES",
        shell_complete=complete_ways,
    ),
    Setting(
        "require",
        TEXT,
        "Exit 1 unless these ways capture the model and answer as it does: script,export.",
        (),
        commands={CAPTURES},
        metavar="NAMES",
        shell_complete=complete_ways,
    ),
    Setting(
        "compare",
        TEXT,
        "Show the programs of two ways side by side: script,trace.",
        commands={CAPTURES},
        metavar="NAMES",
        shell_complete=complete_ways,
    ),
    Setting(
        "emit",
        Choice("table", "export", "trace-mend"),
        "What is written: what came of each way, a Python file with which torch.export takes the model, or a diff "
        "with which torch.jit.trace answers right.",
        "table",
        commands={CAPTURES},
    ),
    Setting(
        "of",
        TEXT,
        "The way of capturing whose graph is shown.",
        "frozen",
        commands={GRAPH},
        metavar="NAME",
        shell_complete=complete_graph,
    ),
    Setting(
        "call",
        TEXT,
        "The example call whose shapes are shown. [default: the first]",
        commands={GRAPH},
        shell_complete=complete_call,
    ),
    Setting(
        "format",
        Choice("auto", "text", "json", "dot", "svg", "html", "python"),
        "How the graph is shown; auto goes by how the name after -o ends.",
        "auto",
        commands={GRAPH},
    ),
    Setting(
        "depth", Whole(), "Show each module of this depth as one node; 0 shows all.", 0, commands={GRAPH}, metavar="N"
    ),
    Setting("output", PATH, "Write there. [default: stdout]", commands={CAPTURES, GRAPH}, metavar="FILE", short="o"),
    Setting(
        "jobs",
        Whole("a whole number from 1 on", least=1),
        "How many configured targets run at a time.",
        1,
        commands=TARGETED | {HOOK},
        metavar="N",
        short="j",
        per_target=False,
    ),
    Setting(
        "exit-non-zero-on-write",
        FLAG,
        "Exit 1 if annotations were missing and are written now.",
        False,
        commands=ANNOTATING,
    ),
    Setting(
        "exit-zero",
        FLAG,
        "Exit 0 also where annotations are missing or verification fails.",
        False,
        commands=JUDGING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting(
        "no-cache",
        FLAG,
        "Run the targets even where nothing has changed since they were found done; keep nothing.",
        False,
        commands=ANNOTATING | {HOOK},
        in_pyproject=False,
    ),
    Setting(
        "config",
        PATH,
        "Read this file instead of the nearest pyproject.toml.",
        metavar="FILE",
        commands=EVERY,
        per_target=False,
        in_pyproject=False,
    ),
    Setting(
        "isolated",
        FLAG,
        "Read no configuration: no pyproject.toml, no PDT_ANNOTATE_*.",
        False,
        commands=EVERY - {HOOK},
        in_pyproject=False,
        in_environment=False,
    ),
    Setting(
        "show-settings",
        FLAG,
        "Show each setting and where it comes from; run nothing.",
        False,
        commands=TARGETED | {HOOK},
        in_pyproject=False,
        in_environment=False,
    ),
)
"""In the order of `--help`."""

REQUIRED_VERSION = Setting("required-version", TEXT, "", commands=(), per_target=False, in_environment=False)
"""In pyproject.toml alone: which versions of the tool its settings are written for."""

TARGETS = click.Argument(["targets"], nargs=-1, metavar="TARGET...", shell_complete=complete_target)
"""The targets, which may be missing where they are configured."""


def options_of(command: str) -> list[Setting]:
    """The options of a command, in the order of its help."""
    return [_with_default(each, each.defaults.get(command)) for each in SETTINGS if command in each.commands]


def _with_default(setting: Setting, default: object) -> Setting:
    if default is None:
        return setting
    own = copy.copy(setting)
    own.default, own.show_default = default, True
    return own


class CommandWithWords(click.Command):
    """A command with options that may stand alone: only one of its words behind such an option belongs to it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        alone = {name: param for param in self.params if _stands_alone(param) for name in param.opts}
        for index, arg in enumerate(args):
            if arg == "--":
                break
            if arg in alone and args[index + 1 : index + 2] not in [[word] for word in alone[arg].type.choices]:
                args = [*args[:index], f"{arg}={alone[arg].flag_value}", *args[index + 1 :]]
        return super().parse_args(ctx, args)


def _stands_alone(param: click.Parameter) -> TypeGuard[Any]:
    return isinstance(param.type, Choice) and bool(param.type.alone)


def given_here() -> dict[str, object]:
    """The options on the command line of the command that runs, by name."""
    context = click.get_current_context()
    settings = [param.name for param in context.command.params if isinstance(param, click.Option) and param.name]
    given = (name for name in settings if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return {name: context.params[name] for name in given}

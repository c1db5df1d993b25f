"""The options of a command, made from the table of settings, and what the command line gives of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, TypeGuard, TypeVar

import click
from click.core import ParameterSource

from pdt_annotate import settings
from pdt_annotate.cli.complete_calls import complete_call
from pdt_annotate.cli.complete_paths import complete_inputs, complete_path
from pdt_annotate.cli.complete_target import complete_target
from pdt_annotate.cli.complete_ways import complete_graph, complete_ways
from pdt_annotate.cli.group import PROGRAM
from pdt_annotate.cli.recovering import recover
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.settings import LoadedSettings, Setting
from pdt_annotate.settings.kinds import Choice, Count, Flag, Number, Several, ValueKind, Whole
from pdt_annotate.settings.options import TARGET_HINT
from pdt_annotate.values.errors import TargetError, UserError
from pdt_annotate.values.printable import disarm

NOTHING: Mapping[str, object] = {}

Command = TypeVar("Command", bound=Callable[..., Any])


class _Flag(click.Option):
    """A flag with two forms, of which the help lists the one that changes the default; the other is for scripts."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        shown = copy.copy(self)
        shown.opts, shown.secondary_opts = (self.secondary_opts if self.default else self.opts), []
        return click.Option.get_help_record(shown, ctx)


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
    return isinstance(param, click.Option) and isinstance(param.type, _OptionalWord)


class _Word(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of several words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as bad:
            hint = did_you_mean(str(value), self.choices) or f"`{PROGRAM} --help` shows examples"
            raise UserError(bad.format_message().rstrip("."), hint=hint) from None


class _OptionalWord(_Word):
    """One of several words, or none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "" else super().convert(value, param, ctx)


class _WholeNumber(click.IntRange):
    """One that errors call what people call it, and not a range."""

    name = "whole number"


ATTRIBUTES: Mapping[type[ValueKind], Callable[[Any], dict[str, Any]]] = {
    Choice: lambda kind: {
        "type": _OptionalWord(kind.values) if kind.alone else _Word(kind.values),
        "show_default": not kind.alone,
        **({"is_flag": False, "flag_value": kind.alone} if kind.alone else {}),
    },
    Count: lambda kind: {"count": True},
    Flag: lambda kind: {"cls": _Flag, "is_flag": True, "show_default": False},
    Number: lambda kind: {"type": float, "show_default": True},
    Several: lambda kind: {"multiple": True},
    Whole: lambda kind: {"type": _WholeNumber(min=kind.least), "show_default": True},
}
"""By kind, what click has to be told."""


COMPLETED = {
    "ways": complete_ways,
    "require": complete_ways,
    "compare": complete_ways,
    "of": complete_graph,
    "call": complete_call,
    "inputs": complete_inputs,
}
"""By the name of a setting, what completes its values, where the kind of the value does not."""


def target_argument(command: Command) -> Command:
    """The targets, as an argument that may be missing where they are configured."""
    argument = click.argument("targets", nargs=-1, metavar="TARGET...", shell_complete=complete_target)
    return argument(command)


def options_of(name: str, taken: Container[str] | None = None) -> Callable[[Command], Command]:
    """The options of the settings that a command takes; where another command has some of them, only those `taken`."""

    def add(command: Command) -> Command:
        for setting in reversed(settings.settings_of(name)):
            if taken is None or setting.name in taken:
                command = _option(setting, name)(command)
        return command

    return add


def _option(setting: Setting, command: str) -> Callable[[Command], Command]:
    negative = f"/--no-{setting.name}" if isinstance(setting.kind, Flag) and setting.configurable else ""
    long = f"--{setting.name}{negative}"
    names = (f"-{setting.short}", long) if setting.short else (long,)
    default = setting.default_for(command)
    attributes: dict[str, Any] = {"default": default, "metavar": setting.metavar, "help": setting.help}
    if isinstance(default, str) and default:
        attributes["show_default"] = True
    if setting.name in COMPLETED or setting.kind.is_path:
        attributes["shell_complete"] = COMPLETED.get(setting.name, complete_path)
    more = next((ATTRIBUTES[cls] for cls in type(setting.kind).__mro__ if cls in ATTRIBUTES), None)
    return click.option(*names, setting.key, **attributes | (more(setting.kind) if more else {}))


def given_here() -> dict[str, object]:
    """What stands on the command line of the command that runs, by the names of settings."""
    context = click.get_current_context()
    options = [param.name for param in context.command.params if isinstance(param, click.Option) and param.name]
    given = (name for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return {name.replace("_", "-"): context.params[name] for name in given}


def load_settings(command: str, targets: Sequence[str], more: Mapping[str, object] = NOTHING) -> LoadedSettings:
    """The settings that hold; with `--show-settings` they are printed, and the command ends.

    Args:
        command: whose settings.
        targets: the texts of the command line.
        more: settings, by name, that hold as if the command line gave them.

    Raises:
        UserError: the configuration, the environment or the command line is at fault.
    """
    loaded = settings.load(command, targets, {**given_here(), **more})
    for root in {run.options.root for run in loaded.runs}:
        recover(root)
    if loaded.values["show-settings"].value:
        click.echo(disarm(settings.show(loaded)), nl=False)
        click.get_current_context().exit()
    return loaded


def load_named(command: str, targets: Sequence[str]) -> LoadedSettings:
    """The same for a command that does nothing without a target.

    Raises:
        TargetError: neither the command line nor the configuration names one.
    """
    loaded = load_settings(command, targets)
    if not loaded.runs:
        raise TargetError("no target", hint=TARGET_HINT)
    return loaded

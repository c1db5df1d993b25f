"""The places that give settings, the weakest first: defaults, pyproject.toml, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.settings.kinds import COMMAND_LINE, DEFAULT, EMPTY, Layer, SettingValue, WrongValue, as_written
from pdt_annotate.settings.pyproject import ConfiguredTable, find_table, read_table
from pdt_annotate.settings.table import BY_NAME, PREFIX, SETTINGS, settings_of
from pdt_annotate.values.errors import UserError

VARIABLES = {setting.variable: setting for setting in SETTINGS if setting.in_environment}

OTHERS = ("PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_")
"""What begins so is no setting: overlays to serve (docs/overlay.md), and what `run` tells the processes it records."""


@dataclass(frozen=True)
class Layers:
    """What every place gives; settings of other commands than the one that is run are left out."""

    command: str
    table: ConfiguredTable = field(default_factory=ConfiguredTable)
    environment: Layer = field(default_factory=dict)
    command_line: Layer = field(default_factory=dict)

    def values(self, entry: Layer = EMPTY) -> Layer:
        """Every setting of the command, for a configured target with settings of its own, or for any other."""
        found = stack(self.table.values, entry, self.environment, self.command_line)
        settings = settings_of(self.command)
        return {s.name: found.get(s.name, SettingValue(s.default_for(self.command), DEFAULT)) for s in settings}


def read_layers(command: str, given: Mapping[str, object], start: str) -> Layers:
    """Read the environment and the configuration that holds in the directory `start`.

    Args:
        command: the command that is run.
        given: the command line's settings, by name.
        start: where the nearest pyproject.toml is looked for, upwards.

    Raises:
        UserError: something in them is wrong.
    """
    command_line = {name: SettingValue(_of_option(name, value), COMMAND_LINE) for name, value in given.items()}
    if given.get("isolated"):
        if given.get("config"):
            raise UserError("--config and --isolated exclude each other", hint="choose one of them")
        return Layers(command, command_line=command_line)
    environment = read_environment(os.environ)
    file = stack(environment, command_line).get("config")
    table = read_table(str(file.value)) if file and file.value else find_table(start)
    return Layers(command, table or ConfiguredTable(), environment, command_line)


def stack(*layers: Layer) -> dict[str, SettingValue]:
    """The values of the strongest place, the last, that gives each; all of a group come from one place."""
    values: dict[str, SettingValue] = {}
    for layer in layers:
        decided = {_group(name) for name, given in layer.items() if given.value} - {""}
        values = {name: given for name, given in values.items() if _group(name) not in decided} | dict(layer)
    return values


def _group(name: str) -> str:
    return BY_NAME[name].group if name in BY_NAME else ""


def read_environment(environment: Mapping[str, str]) -> Layer:
    """What the environment gives; an empty variable gives nothing.

    Raises:
        UserError: a variable is named like a setting and is none, or its value is of another kind.
    """
    found = {}
    for variable, text in environment.items():
        if text and variable.startswith(PREFIX) and not variable.startswith(OTHERS):
            found[_setting_of(variable)] = variable
    return {name: _read(variable, environment[variable]) for name, variable in found.items()}


def _setting_of(variable: str) -> str:
    if variable not in VARIABLES:
        names = [known.removeprefix(PREFIX) for known in sorted(VARIABLES)]
        near = did_you_mean(variable.removeprefix(PREFIX), names, f"{PREFIX}{{}}", 1)
        hint = near or f"{PREFIX} goes before one of {', '.join(names)}"
        raise UserError(f"the environment has {variable}, which is no setting", hint=hint)
    return VARIABLES[variable].name


def _read(variable: str, text: str) -> SettingValue:
    try:
        return SettingValue(VARIABLES[variable].kind.of_text(text), variable)
    except WrongValue as wrong:
        raise UserError(f"{variable} {wrong}, not {text!r}", hint=wrong.hint) from None


def _of_option(name: str, value: object) -> object:
    try:
        return BY_NAME[name].kind.of_option(value) if name in BY_NAME else value
    except WrongValue as wrong:
        raise UserError(f"--{name} {wrong}, not {as_written(value)}", hint=wrong.hint) from None

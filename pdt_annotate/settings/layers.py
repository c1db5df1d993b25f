"""The places that give settings, the weakest first: defaults, pyproject.toml, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.settings.environment import read_environment
from pdt_annotate.settings.pyproject import ConfiguredTable, find_table, read_table
from pdt_annotate.settings.table import BY_NAME, settings_of
from pdt_annotate.settings.value import COMMAND_LINE, DEFAULT, EMPTY, Layer, SettingValue
from pdt_annotate.values.errors import UserError


@dataclass(frozen=True)
class Layers:
    """What every place gives.

    Args:
        command: the command that is run; settings of others are left out.
        table: what pyproject.toml has.
        environment: what the environment has.
        command_line: what stands on the command line.
    """

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
    command_line = {name: SettingValue(value, COMMAND_LINE) for name, value in given.items()}
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

"""Settings from variables of the environment: PDT_ANNOTATE_<OPTION>."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from pdt_annotate.settings.kinds import WrongValue
from pdt_annotate.settings.table import PREFIX, SETTINGS
from pdt_annotate.settings.value import Layer, SettingValue
from pdt_annotate.values.errors import UserError

VARIABLES = {setting.variable: setting for setting in SETTINGS if setting.in_environment}

OTHERS = ("PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_")
"""What begins so is no setting: overlays to serve (docs/overlay.md), and what `run` tells the processes it records."""


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
        near = difflib.get_close_matches(variable.removeprefix(PREFIX), names, 1)
        hint = f"did you mean {PREFIX}{near[0]}?" if near else f"{PREFIX} goes before one of {', '.join(names)}"
        raise UserError(f"the environment has {variable}, which is no setting", hint=hint)
    return VARIABLES[variable].name


def _read(variable: str, text: str) -> SettingValue:
    try:
        return SettingValue(VARIABLES[variable].kind.of_text(text), variable)
    except WrongValue as wrong:
        raise UserError(f"{variable} {wrong}, not {text!r}") from None

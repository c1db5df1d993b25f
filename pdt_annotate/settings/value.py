"""A value with the place that gave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class SettingValue:
    """What a setting is, and who says so: "pyproject.toml:3", "PDT_ANNOTATE_ROOT", "command line" or "default"."""

    value: object
    origin: str


Layer = Mapping[str, SettingValue]
"""By the names of settings, what one place gives."""

EMPTY: Layer = MappingProxyType({})
COMMAND_LINE = "command line"
DEFAULT = "default"

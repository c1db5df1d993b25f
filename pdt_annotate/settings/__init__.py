"""Settings: what a command is to run, from the command line, the environment, pyproject.toml and defaults.

`load` reads them; docs/configuration.md says which place prevails. To add a setting, add its row to `table.SETTINGS`.
"""

from __future__ import annotations

from pdt_annotate.settings.load import LoadedSettings, Run, load, load_values
from pdt_annotate.settings.shown import show
from pdt_annotate.settings.table import ANNOTATE, CAPTURES, GRAPH, INIT, OBSERVE, RUN, VERIFY, Setting, settings_of

__all__ = [
    "ANNOTATE",
    "CAPTURES",
    "GRAPH",
    "INIT",
    "OBSERVE",
    "RUN",
    "VERIFY",
    "LoadedSettings",
    "Run",
    "Setting",
    "load",
    "load_values",
    "settings_of",
    "show",
]

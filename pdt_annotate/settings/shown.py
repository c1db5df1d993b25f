"""`--show-settings`: every setting as pyproject.toml would have it, with the place that it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pdt_annotate.settings.kinds import SettingValue
from pdt_annotate.settings.load import LoadedSettings, Run
from pdt_annotate.settings.pyproject import TARGET, TARGETS, TOOL
from pdt_annotate.settings.table import BY_NAME
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.printable import in_json

WIDTH = 40
"""Columns before a comment."""


def show(settings: LoadedSettings) -> str:
    """The settings as TOML, for all and then for each run."""
    file = f"from {named_from(settings.file)}" if settings.file else "no configuration is read"
    everywhere = ((n, v) for n, v in settings.values.items() if not (settings.runs and BY_NAME[n].per_target))
    blocks = [_block(f"# {file}\n[tool.{TOOL}]", everywhere)]
    blocks += (_block(f"[[tool.{TOOL}.{TARGETS}]]", _of_run(run)) for run in settings.runs)
    return "\n".join(blocks)


def _of_run(run: Run) -> Iterator[tuple[str, SettingValue]]:
    targets = tuple(target.text for target in run.options.targets)
    yield TARGET, SettingValue(targets[0] if len(targets) == 1 else targets, run.origin)
    yield from ((name, value) for name, value in run.values.items() if BY_NAME[name].per_target)


def _block(head: str, values: Iterable[tuple[str, SettingValue]]) -> str:
    known = ((name, value) for name, value in values if name not in BY_NAME or BY_NAME[name].in_pyproject)
    lines = (f"{f'{name} = {_written(value.value)}':<{WIDTH}}  # {value.origin}\n" for name, value in known)
    return f"{head}\n{''.join(lines)}"


def _written(value: object) -> str:
    """The value as TOML, whose strings are JSON's; one that JSON leaves bare, and TOML does not, is spelled."""
    return in_json(json.dumps(value, ensure_ascii=False))

"""What a command is to run: its targets, on the command line or configured, each with its settings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pdt_annotate.inputs.target import parse
from pdt_annotate.settings.kinds import locate
from pdt_annotate.settings.layers import Layers, read_layers
from pdt_annotate.settings.make import make_options
from pdt_annotate.settings.options import Options
from pdt_annotate.settings.pyproject import ConfiguredTarget
from pdt_annotate.settings.root import find_root
from pdt_annotate.settings.value import COMMAND_LINE, EMPTY, Layer
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import Target

NOTHING: Mapping[str, object] = EMPTY


@dataclass(frozen=True)
class Run:
    """Targets that are run together, on the same example calls.

    Args:
        options: what is asked for.
        values: every setting of the command, with its origin.
        origin: where the targets are named.
    """

    options: Options
    values: Layer
    origin: str = COMMAND_LINE

    @property
    def name(self) -> str:
        """The targets, for headings."""
        return ", ".join(target.text for target in self.options.targets) or ", ".join(self.options.profiles)


@dataclass(frozen=True)
class LoadedSettings:
    """All that a command is to run.

    Args:
        file: the configuration that was read, "" for none.
        values: the settings that hold where no target has its own.
        runs: in the order of the command line, or of the configuration; none where neither names a target.
    """

    file: str
    values: Layer
    runs: tuple[Run, ...]

    @property
    def jobs(self) -> int:
        """How many runs may go on at a time."""
        jobs = self.values["jobs"].value
        assert isinstance(jobs, int)
        return jobs


def load(command: str, targets: Sequence[str] = (), given: Mapping[str, object] = NOTHING) -> LoadedSettings:
    """Read the settings of a command from every place that gives some.

    Args:
        command: "annotate", "observe" or "verify".
        targets: the texts of the command line; without any, the configured targets are run.
        given: the command line's settings, by long option.

    Raises:
        UserError: the configuration, the environment or the command line is at fault.
    """
    parsed = tuple(map(parse, targets))
    layers = read_layers(command, given, _start(parsed))
    values = layers.values()
    chosen = _choose(parsed, layers) if parsed else _configured(layers)
    runs = tuple(_make_run(each, names, layers) for each, names in chosen)
    if not runs and _plain(values).get("profile"):  # a profile knows its own targets
        runs = (Run(make_options((), _plain(values), find_root(())), values),)
    return LoadedSettings(layers.table.file, values, runs)


def load_values(command: str, given: Mapping[str, object] = NOTHING) -> dict[str, Any]:
    """The settings of a command that has no targets.

    Raises:
        UserError: the configuration, the environment or the command line is at fault.
    """
    return _plain(read_layers(command, given, os.curdir).values())


def _plain(values: Layer) -> dict[str, Any]:
    return {name: given.value for name, given in values.items()}


def _start(targets: Iterable[Target]) -> str:
    """The directory whose pyproject.toml counts: that of the first target which is a file, else the working one."""
    file = next((each.file for each in targets if each.file), "")
    return os.path.dirname(os.path.abspath(file)) if file else os.curdir


_Chosen = tuple[ConfiguredTarget | None, Sequence[Target]]


def _configured(layers: Layers) -> Iterator[_Chosen]:
    for entry in layers.table.entries:
        yield entry, [_read_target(text, entry, layers) for text in entry.targets]


def _choose(targets: Sequence[Target], layers: Layers) -> Iterable[_Chosen]:
    """The targets of the command line, those that take the same settings together."""
    entries = {_identity(each): (entry, each) for entry, found in _configured(layers) for each in found}
    chosen: dict[int, tuple[ConfiguredTarget | None, list[Target]]] = {}
    for each in targets:
        entry, known = entries.get(_identity(each), (None, each))
        chosen.setdefault(id(entry), (entry, []))[1].append(known)
    return chosen.values()


def _identity(each: Target) -> Target:
    """The target as another place may have written it."""
    return replace(each, text="", file=os.path.realpath(each.file) if each.file else "")


def _read_target(text: str, entry: ConfiguredTarget, layers: Layers) -> Target:
    with _named_in(entry, layers):
        parsed = parse(text)
    return replace(parsed, file=locate(parsed.file, layers.table.directory))


def _make_run(entry: ConfiguredTarget | None, targets: Sequence[Target], layers: Layers) -> Run:
    if entry is None:
        values = layers.values()
        return Run(make_options(targets, _plain(values), find_root(targets)), values)
    values = layers.values(entry.values)
    # A file that is named may lie anywhere; the one that was found lies at the top of its project.
    root = find_root(targets) if values["config"].value else layers.table.directory
    with _named_in(entry, layers):
        options = make_options(targets, _plain(values), root)
    return Run(options, values, layers.table.place(entry.line))


@contextlib.contextmanager
def _named_in(entry: ConfiguredTarget, layers: Layers) -> Iterator[None]:
    """An error that has no place gets that of the entry."""
    try:
        yield
    except UserError as error:
        if error.file:
            raise
        raise type(error)(error.message, file=layers.table.file, line=entry.line, hint=error.hint) from error

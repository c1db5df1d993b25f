"""What a command is to run: its targets, on the command line or configured, each with its settings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.settings.kinds import COMMAND_LINE, EMPTY, Layer, locate
from pdt_annotate.settings.layers import Layers, read_layers
from pdt_annotate.settings.options import (
    TARGET_HINT,
    Color,
    Options,
    OutputFormat,
    Returns,
    Scope,
    ThirdParty,
    WriteBack,
)
from pdt_annotate.settings.pyproject import ConfiguredTarget
from pdt_annotate.source.pages import import_folder
from pdt_annotate.values.errors import TargetError, UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.paths import lies_in
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.style import Spelling

PROJECT_MARKS = ("pyproject.toml", ".git")
"""A directory that holds one of these is a project's root."""

ENUMS: Mapping[str, Callable[[Any], Any]] = {
    "scope": Scope,
    "mend": lambda value: MendLevel(value) if value else None,
    "returns": Returns,
    "spelling": Spelling,
    "third_party": ThirdParty,
    "output_format": OutputFormat,
    "color": Color,
}
"""Fields whose settings are the value of an enum."""

FIELDS = frozenset(field.name for field in fields(Options))
MODES = {"diff": WriteBack.DIFF, "check": WriteBack.CHECK, "stubs": WriteBack.STUBS}


@dataclass(frozen=True)
class Run:
    """Targets that are run together, on the same example calls; `origin` is where they are named."""

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
        whole: no configured target is left out.
    """

    file: str
    values: Layer
    runs: tuple[Run, ...]
    whole: bool = True

    @property
    def jobs(self) -> int:
        """How many runs may go on at a time."""
        jobs = self.values["jobs"].value
        assert isinstance(jobs, int)
        return jobs


def load(command: str, targets: Sequence[str] = (), given: Mapping[str, object] = EMPTY) -> LoadedSettings:
    """Read the settings of a command from every place that gives some.

    Args:
        command: "annotate", "observe" or "verify".
        targets: the texts of the command line; without any, the configured targets are run.
        given: the command line's settings, by long option.

    Raises:
        UserError: the configuration, the environment or the command line is at fault.
    """
    parsed = tuple(dict.fromkeys(map(parse, targets)))
    layers = read_layers(command, given, _start(parsed))
    values = layers.values()
    chosen = _choose(parsed, layers) if parsed else _configured(layers)
    runs = tuple(_make_run(each, names, layers) for each, names in chosen)
    if not runs and _plain(values).get("profile"):  # a profile knows its own targets
        runs = (Run(make_options((), _plain(values), find_root(()), layers.table.file), values),)
    return LoadedSettings(layers.table.file, values, runs, whole=not (parsed and layers.table.entries))


def load_values(command: str, given: Mapping[str, object] = EMPTY) -> dict[str, Any]:
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
        return Run(make_options(targets, _plain(values), find_root(targets), layers.table.file), values)
    values = layers.values(entry.values)
    # A file that is named may lie anywhere; the one that was found lies at the top of its project.
    root = find_root(targets) if values["config"].value else layers.table.directory
    with _named_in(entry, layers):
        options = make_options(targets, _plain(values), root, layers.table.file)
    return Run(options, values, layers.table.shown(entry.place))


@contextlib.contextmanager
def _named_in(entry: ConfiguredTarget, layers: Layers) -> Iterator[None]:
    """An error that has no place gets that of the entry."""
    try:
        yield
    except UserError as error:
        if error.file:
            raise
        raise type(error)(error.message, place=entry.place, hint=error.hint) from error


def make_options(targets: Sequence[Target], values: Mapping[str, Any], root: str, config: str = "") -> Options:
    """The options of one run.

    Args:
        targets: what to run; only beside a profile may there be none.
        values: the settings by name; one that is missing is its default.
        root: the root where none is set.
        config: the configuration file that was read.

    Raises:
        UserError: the values do not go together, or what they name is not there.
    """
    inputs, args, profiles = values.get("inputs", ""), values.get("arg", ()), values.get("profile", ())
    runs_nothing = bool(profiles) and not inputs and not args
    if not targets and not runs_nothing:
        raise TargetError("no target", hint=TARGET_HINT)
    by_field = {name.replace("-", "_"): value for name, value in values.items()}
    # Where nothing is run, no other Python is asked about itself either: a stranger's branch may have named it.
    unused = {"root", "config", "python"} if runs_nothing else {"root", "config"}
    plain = {name: by_field[name] for name in by_field.keys() & FIELDS - unused}
    plain |= {name: enum(plain[name]) for name, enum in ENUMS.items() if name in plain}
    return Options(
        targets=tuple(targets),
        spec=SpecSource() if runs_nothing else spec_source(inputs, args, *(target.text for target in targets[:1])),
        root=os.path.abspath(values.get("root") or root),
        write_back=choose_write_back(values),
        config=config,
        profiles=profiles,
        verbosity=values.get("verbose", 0) - values.get("quiet", 0),
        **plain,
    )


def choose_write_back(values: Mapping[str, object]) -> WriteBack:
    """Where the result goes.

    Raises:
        UserError: to several places.
    """
    given = [name for name in MODES if values.get(name)]
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name in given)
        raise UserError(f"{names} exclude each other", hint="choose one of them")
    if given:
        return MODES[given[0]]
    return WriteBack.IN_PLACE if MODES.keys() & values.keys() else WriteBack.NOTHING


def find_root(targets: Sequence[Target]) -> str:
    """The nearest directory, from the first target's file or the working directory upwards, that is a project's root.

    Without one, the working directory; for a file that is not below it, the directory that holds its package.
    """
    named = next((os.path.abspath(target.file) for target in targets if target.file), "")
    file = os.path.realpath(named) if named else ""
    here = _marked(Path.cwd()) or Path.cwd()
    own = _marked(Path(named).parent) if named else None
    for project in filter(None, (here if Path(named).is_relative_to(here) else None, own)):
        if named and not lies_in(file, str(project)):  # a link leads out of it, and does not make it another project
            return os.path.realpath(project)
    start = Path(file).parent if file else Path.cwd()
    outside = bool(file) and not start.is_relative_to(Path.cwd())
    return str(_marked(start) or (import_folder(file) if outside else Path.cwd()))


def _marked(start: Path) -> Path | None:
    """The nearest directory from one upwards that is marked as a project's root."""
    marked = (each for each in (start, *start.parents) if any(os.path.exists(each / mark) for mark in PROJECT_MARKS))
    return next(marked, None)

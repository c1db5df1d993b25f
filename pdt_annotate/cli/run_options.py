"""The targets that a command runs, from the command line or the configuration, each with its options.

click decides which value takes precedence: the command line's, the environment's, that of pyproject.toml (as click's
`default_map`), or the default. Functions that read them raise a `UserError` for faults in any of these.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import click
from click.core import ParameterSource

from pdt_annotate.cli import pyproject
from pdt_annotate.cli.entry import recover
from pdt_annotate.cli.kinds import locate
from pdt_annotate.cli.options import PREFIX, SETTINGS, given_here, options_of
from pdt_annotate.cli.pyproject import ConfiguredTable, ConfiguredTarget, Layer, SettingValue
from pdt_annotate.inputs.target import did_you_mean, parse
from pdt_annotate.settings.make_options import find_root, make_options
from pdt_annotate.settings.options import TARGET_HINT, Options
from pdt_annotate.values.errors import SpecError, TargetError, UserError
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.printable import disarm, in_json
from pdt_annotate.values.runs import Target

EMPTY: Mapping[str, Any] = MappingProxyType({})
COMMAND_LINE = "command line"
WEAKEST_FIRST = (ParameterSource.DEFAULT_MAP, ParameterSource.ENVIRONMENT, ParameterSource.COMMANDLINE)
BY_KEY = {setting.key: setting for setting in SETTINGS}
VARIABLES = {setting.variable: setting for setting in SETTINGS if setting.allow_from_autoenv}
# Prefixes of variables that are no options: overlays (docs/overlay.md), and variables for the processes of `run`.
OTHERS = ("PDT_ANNOTATE_OVERLAY", "PDT_ANNOTATE_RUN_")
WIDTH = 40  # columns before a comment of `--show-settings`


@dataclass(frozen=True)
class Run:
    """Targets that run together, on the same example calls; `origin` is the place that names them."""

    options: Options
    values: Layer
    origin: str = COMMAND_LINE


@dataclass(frozen=True)
class LoadedSettings:
    file: str
    values: Layer  # the options of a target without a configuration
    runs: tuple[Run, ...]
    jobs: int = 1
    whole: bool = True  # no configured target is left out


@dataclass(frozen=True)
class Layers:
    """The sources of a command's options: the command line's values, the environment and pyproject.toml."""

    command: str
    given: Mapping[str, object]
    table: ConfiguredTable = field(default_factory=ConfiguredTable)

    def values(self, entry: Layer = EMPTY) -> Layer:
        """Return every option of the command, for a configured target with its own options, or for any other."""
        configured = stack(self.table.values, entry)
        context = click.Context(
            click.Command(self.command),
            auto_envvar_prefix=None if self.given.get("isolated") else PREFIX,
            default_map={name: each.value for name, each in configured.items()},
        )
        settings = options_of(self.command)
        layers: dict[ParameterSource, dict[str, SettingValue]] = {source: {} for source in WEAKEST_FIRST}
        for setting in settings:
            setting.handle_parse_result(context, self.given, [])
            source = context.get_parameter_source(setting.key)
            origins = {ParameterSource.COMMANDLINE: COMMAND_LINE, ParameterSource.ENVIRONMENT: setting.variable}
            if setting.key in configured:
                origins[ParameterSource.DEFAULT_MAP] = configured[setting.key].origin
            if source in origins:
                layers[source][setting.key] = SettingValue(context.params[setting.key], origins[source])
        return {each.key: SettingValue(each.default, "default") for each in settings} | stack(*layers.values())


def stack(*layers: Layer) -> dict[str, SettingValue]:
    """Return each option's value from the last layer that has it; all options of a group come from one layer."""
    values: dict[str, SettingValue] = {}
    for layer in layers:
        decided = {_group(name) for name, given in layer.items() if given.value} - {""}
        values = {name: given for name, given in values.items() if _group(name) not in decided} | dict(layer)
    return values


def _group(name: str) -> str:
    return BY_KEY[name].group if name in BY_KEY else ""


def read_layers(command: str, given: Mapping[str, object], start: str) -> Layers:
    """Read the environment and the configuration: a named file, or the nearest pyproject.toml above `start`."""
    layers = Layers(command, given)
    if given.get("isolated"):
        if given.get("config"):
            raise UserError("--config and --isolated exclude each other", hint="choose one of them")
        return layers
    check_environment(os.environ)
    file = layers.values().get("config")
    table = pyproject.read_table(str(file.value)) if file and file.value else pyproject.find_table(start)
    return replace(layers, table=table)


def check_environment(environment: Mapping[str, str]) -> None:
    """Raise a `UserError` for a non-empty variable that looks like an option, but is not one."""
    prefix = f"{PREFIX}_"
    for variable, text in environment.items():
        if text and variable.startswith(prefix) and not variable.startswith(OTHERS) and variable not in VARIABLES:
            names = sorted(known.removeprefix(prefix) for known in VARIABLES)
            near = did_you_mean(variable.removeprefix(prefix), names, f"{prefix}{{}}", 1)
            hint = near or f"put {prefix} before one of {', '.join(names)}"
            raise UserError(f"the environment variable {variable} is not a setting", hint=hint)


def load(command: str, targets: Sequence[str] = (), given: Mapping[str, object] = EMPTY) -> LoadedSettings:
    """Read the options of a command from all sources; if no targets are named, the configured ones are run."""
    parsed = tuple(dict.fromkeys(map(parse, targets)))
    # Find pyproject.toml from the first target that is a file, or else from the working directory.
    file = next((each.file for each in parsed if each.file), "")
    layers = read_layers(command, given, os.path.dirname(os.path.abspath(file)) if file else os.curdir)
    values = layers.values()
    chosen = _choose(parsed, layers) if parsed else _configured(layers)
    runs = tuple(_make_run(each, names, layers) for each, names in chosen)
    if not runs and "profile" in values and values["profile"].value:  # a profile names its own targets
        runs = (_make_run(None, (), layers),)
    jobs = _plain(values)["jobs"]
    return LoadedSettings(layers.table.file, values, runs, jobs, whole=not (parsed and layers.table.entries))


def load_values(command: str, given: Mapping[str, object] = EMPTY) -> dict[str, Any]:
    """Return the options of a command that has no targets."""
    return _plain(read_layers(command, given, os.curdir).values())


def load_settings(command: str, targets: Sequence[str], more: Mapping[str, object] = EMPTY) -> LoadedSettings:
    """Return the settings of the current command, with `more` options; `--show-settings` prints them and ends it."""
    loaded = load(command, targets, {**given_here(), **more})
    for root in {run.options.root for run in loaded.runs}:
        recover(root)
    if loaded.values["show_settings"].value:
        click.echo(disarm(show(loaded)), nl=False)
        click.get_current_context().exit()
    return loaded


def load_named(command: str, targets: Sequence[str]) -> LoadedSettings:
    """Return the same for a command that raises a `TargetError` without a target."""
    loaded = load_settings(command, targets)
    if not loaded.runs:
        raise TargetError("no target", hint=TARGET_HINT)
    return loaded


def _plain(values: Layer) -> dict[str, Any]:
    return {name: given.value for name, given in values.items()}


_Chosen = tuple[ConfiguredTarget | None, Sequence[Target]]


def _configured(layers: Layers) -> Iterator[_Chosen]:
    for entry in layers.table.entries:
        with _named_in(entry):
            parsed = [parse(text) for text in entry.targets]
        yield entry, [replace(each, file=locate(each.file, layers.table.directory)) for each in parsed]


def _choose(targets: Sequence[Target], layers: Layers) -> Iterable[_Chosen]:
    """Yield the targets of the command line, grouped by the entry that configures them."""
    entries = {_identity(each): (entry, each) for entry, found in _configured(layers) for each in found}
    chosen: dict[int, tuple[ConfiguredTarget | None, list[Target]]] = {}
    for each in targets:
        entry, known = entries.get(_identity(each), (None, each))
        chosen.setdefault(id(entry), (entry, []))[1].append(known)
    return chosen.values()


def _identity(each: Target) -> Target:
    return replace(each, text="", file=os.path.realpath(each.file) if each.file else "")


def _make_run(entry: ConfiguredTarget | None, targets: Sequence[Target], layers: Layers) -> Run:
    table = layers.table
    values = layers.values(entry.values if entry else EMPTY)
    if entry is None:
        return Run(make_options(targets, find_root(targets), table.file, **_plain(values)), values)
    # A configuration file that is named may be anywhere; one that was found is at the top of its project.
    root = find_root(targets) if values["config"].value else table.directory
    spec = [values[name] for name in ("inputs", "arg") if name in values and values[name].value]
    is_given = any(each.origin in (COMMAND_LINE, *VARIABLES) for each in spec)
    with contextlib.nullcontext() if is_given else _named_in(entry, SpecError):
        options = make_options(targets, root, table.file, **_plain(values))
    return Run(options, values, table.shown(entry.place))


@contextlib.contextmanager
def _named_in(entry: ConfiguredTarget, kind: type[UserError] = UserError) -> Iterator[None]:
    """Add the place of the entry to an error of the kind that has no place."""
    try:
        yield
    except kind as error:
        if error.file:
            raise
        raise type(error)(error.message, place=entry.place, hint=error.hint) from error


def show(settings: LoadedSettings) -> str:
    """Return the options as TOML, for all and then for each run, each with its origin."""
    file = f"from {named_from(settings.file)}" if settings.file else "no configuration is read"
    everywhere = {n: v for n, v in settings.values.items() if not (settings.runs and BY_KEY[n].per_target)}
    blocks = [_block(f"# {file}\n[tool.{pyproject.TOOL}]", everywhere)]
    for run in settings.runs:
        targets = tuple(target.text for target in run.options.targets)
        named = {pyproject.TARGET: SettingValue(targets[0] if len(targets) == 1 else targets, run.origin)}
        own = {name: value for name, value in run.values.items() if BY_KEY[name].per_target}
        blocks.append(_block(f"[[tool.{pyproject.TOOL}.{pyproject.TARGETS}]]", named | own))
    return "\n".join(blocks)


def _block(head: str, values: Layer) -> str:
    lines = [head]
    for key, each in values.items():
        if key == pyproject.TARGET or BY_KEY[key].in_pyproject:
            # TOML strings are like JSON's; characters that JSON leaves bare and TOML does not are escaped.
            value = in_json(json.dumps(each.value, ensure_ascii=False))
            said = f"{key.replace('_', '-')} = {value}"
            lines.append(f"{said:<{WIDTH}}  # {each.origin}")
    return "".join(f"{line}\n" for line in lines)

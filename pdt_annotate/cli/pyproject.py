"""Settings from `[tool.pdt-annotate]` in pyproject.toml, every key and type checked."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pdt_annotate.cli.kinds import Words, WrongValue, as_written, locate
from pdt_annotate.cli.options import REQUIRED_VERSION, SETTINGS, Setting
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.values.documents import parse_toml, read, read_text
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import PROJECT_MARKS, lies_in, named_from, upwards
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.version import __version__

TABLE = re.compile(r'\s*\[\s*tool\s*\.\s*["\']?pdt-annotate["\']?\s*\]')
INNER = r'\s*\[+\s*tool\s*\.\s*["\']?pdt-annotate["\']?\s*\.\s*["\']?{}["\']?\s*\]'
ENTRY = re.compile(INNER.format("targets"))
HEADER = re.compile(r"\s*\[")

NAME, TOOL, TARGETS, TARGET = "pyproject.toml", "pdt-annotate", "targets", "target"
# A file in these may be a program that runs at the next commit.
NOT_THE_PROJECTS = frozenset((".git", ".hg", ".svn", ".jj"))
EVERYWHERE = {setting.long: setting for setting in (REQUIRED_VERSION, *SETTINGS) if setting.in_pyproject}
PER_TARGET = {name: setting for name, setting in EVERYWHERE.items() if setting.per_target}


@dataclass(frozen=True)
class SettingValue:
    """A value, and its origin: "pyproject.toml:3", "PDT_ANNOTATE_ROOT", "command line" or "default"."""

    value: object
    origin: str


Layer = Mapping[str, SettingValue]  # the values of one source, by option name


@dataclass(frozen=True)
class ConfiguredTarget:
    """One entry of `[[tool.pdt-annotate.targets]]`: its targets as written, and the settings that they share."""

    targets: tuple[str, ...]
    values: Layer
    place: Place = NO_PLACE


@dataclass(frozen=True)
class ConfiguredTable:
    """The configuration in one file; `values` apply to all targets, configured or not."""

    file: str = ""
    values: Layer = field(default_factory=dict)
    entries: tuple[ConfiguredTarget, ...] = ()

    @property
    def directory(self) -> str:
        """The directory from which paths in the file are resolved, relative to the working directory."""
        return named_from(os.path.dirname(os.path.abspath(self.file)))

    def shown(self, place: Place) -> str:
        return str(place.named(named_from(self.file)))


def project_of(file: str, *, named: bool) -> str:
    """Return the directory that must contain every path in a configuration file.

    A file that the command line names may be below the top of its project; any other is at its top.
    """
    itself = Path(os.path.abspath(file))
    own = itself.parent.resolve()
    marks = (folder / mark for folder in (own, *own.parents) for mark in PROJECT_MARKS) if named else ()
    return str(next((mark.parent for mark in marks if mark != own / itself.name and mark.exists()), own))


def find_table(start: str) -> ConfiguredTable:
    """Return the settings of the nearest pyproject.toml, from a directory upwards, that has any."""
    for directory in upwards(os.path.realpath(start)):
        file = os.path.join(directory, NAME)
        # A file that does not mention us is not parsed: that saves time, and its mistakes are not our business.
        if os.path.isfile(file) and TOOL.encode() in read(file, "the configuration"):
            table = read_table(file, needed=False)
            if table.file:
                return table
    return ConfiguredTable()


def read_table(file: str, *, needed: bool = True) -> ConfiguredTable:
    """Return the settings of a file, which may have none unless they are needed."""
    text = read_text(file, "the configuration")
    tool = parse_toml(text, file, "--isolated ignores the file").get("tool", {})
    if not isinstance(tool, dict) or TOOL not in tool:
        if needed:
            raise UserError(f"no table [tool.{TOOL}]", file=file, hint="docs/configuration.md shows an example")
        return ConfiguredTable()
    return _Reader(file, text, project_of(file, named=needed)).table(tool[TOOL])


@dataclass(frozen=True)
class _Reader:
    file: str
    text: str
    project: str
    index: int | None = None  # the number of the table in `targets` that is read, from 0

    def table(self, given: object) -> ConfiguredTable:
        if not isinstance(given, dict):
            raise self.wrong(TOOL, "must be a table")
        # Check the version first, because a newer version may have keys that are unknown here.
        self.check_version(given)
        entries = given.get(TARGETS, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict | str) for entry in entries):
            hint = f'{TARGETS} = ["net:Net"], or a table [[tool.{TOOL}.{TARGETS}]] for each target'
            raise self.wrong(TARGETS, "must be a list of targets", hint=hint)
        values = self.values({key: value for key, value in given.items() if key != TARGETS}, EVERYWHERE, (TARGETS,))
        read = tuple(
            self.entry({TARGET: each}) if isinstance(each, str) else replace(self, index=index).entry(each)
            for index, each in enumerate(entries)
        )
        seen: set[str] = set()
        for place, target in ((each.place, target) for each in read for target in each.targets):
            if target in seen:
                hint = "put all its example calls into one file; FILE:NAME selects one of several lists in a file"
                raise UserError(f"{target} is configured twice", place=place, hint=hint)
            seen.add(target)
        return ConfiguredTable(self.file, values, read)

    def entry(self, given: Mapping[str, object]) -> ConfiguredTarget:
        """The targets of a table, or of a string in a list, which has no `index`."""
        if TARGET not in given:
            mistyped = [key for key in given if key not in PER_TARGET and did_you_mean(key, (TARGET,))]
            if mistyped:
                raise self.unknown(mistyped[0], (TARGET,))
            raise self.wrong(TARGETS, f"has an entry without `{TARGET}`")
        named: Any = given[TARGET]
        targets = named if isinstance(named, list) else [named]
        kind = Words(many=True)
        if not all(map(kind.accepts, targets)):
            raise self.wrong(TARGET, f"must be {kind.takes}")
        if not targets:
            raise self.wrong(TARGET, "names no target")
        for text in targets:
            file = text.strip().rpartition(":")[0]
            if file.endswith(".py"):
                self.check_place(locate(file, ConfiguredTable(self.file).directory), TARGET)
        others = {key: value for key, value in given.items() if key != TARGET}
        place = self.place(TARGETS if self.index is None else TARGET)
        return ConfiguredTarget(tuple(targets), self.values(others, PER_TARGET, (TARGET,)), place)

    def values(self, given: Mapping[str, object], known: Mapping[str, Setting], others: Iterable[str]) -> Layer:
        for key in given:
            if key not in known:
                raise self.unknown(key, (*known, *others))
        return {known[key].key: self.value(known[key], value) for key, value in given.items()}

    def value(self, setting: Setting, given: object) -> SettingValue:
        table = ConfiguredTable(self.file)
        try:
            value = setting.read_toml(given, table.directory)
        except WrongValue as wrong:
            what = f"{wrong.message}, not {as_written(given)}"
            raise self.wrong(setting.long, what, wrong.hint) from None
        for place in () if setting.leads_out else setting.places(value):
            self.check_place(place, setting.long)
        return SettingValue(value, table.shown(self.place(setting.long)))

    def check_place(self, place: str, key: str) -> None:
        """Refuse a place outside the project: the author of the file need not be the user of the command."""
        real = os.path.realpath(place)
        if not lies_in(real, self.project):
            hint = "a configuration file can only name paths in its project; the command line can name any path"
            raise self.wrong(key, f"names {place}, which is outside the project", hint)
        if not NOT_THE_PROJECTS.isdisjoint(part.lower() for part in os.path.relpath(real, self.project).split(os.sep)):
            raise self.wrong(key, f"names {place}, which is managed by version control")

    def check_version(self, given: Mapping[str, object]) -> None:
        """Compare the tool's version with `required-version`, a PEP 440 specifier."""
        wanted = given.get(REQUIRED_VERSION.long)
        if wanted is None:
            return
        from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415  (few files ask for it)

        try:
            allowed = SpecifierSet(wanted).contains(__version__, prereleases=True) if isinstance(wanted, str) else None
        except InvalidSpecifier:
            allowed = None
        if allowed is None:
            raise self.wrong(REQUIRED_VERSION.long, f'must be a specifier like ">=0.1,<0.2", not {as_written(wanted)}')
        if not allowed:
            hint = f"install a matching version: pip install 'pdt-annotate{wanted}'"
            message = f"this project requires pdt-annotate {wanted}, but {__version__} is installed"
            raise UserError(message, place=self.place(REQUIRED_VERSION.long), hint=hint)

    def unknown(self, key: str, known: Iterable[str]) -> UserError:
        if self.index is not None and key in EVERYWHERE:
            message, hint = f"`{key}` cannot be set for a single target", f"move it to [tool.{TOOL}]"
        else:
            message = f"unknown key `{key}`"
            hint = did_you_mean(key.replace("_", "-"), known, "`{}`", 1) or f"the known keys are {', '.join(known)}"
        return UserError(message, place=self.place(key), hint=hint)

    def wrong(self, key: str, what: str, hint: str = "") -> UserError:
        return UserError(f"`{key}` {what}", place=self.place(key), hint=hint)

    def place(self, key: str) -> Place:
        """Return the place of a key in the table, or in the entry of the index, or of its head; no line for none."""
        wanted = re.compile(rf'\s*(?=["\']?{re.escape(key)}["\']?\s*[=.])')
        table = re.compile(INNER.format(re.escape(key)))
        inside, entry, head = False, -1, Place(self.file)
        for number, line in enumerate(self.text.splitlines(), 1):
            is_entry = bool(ENTRY.match(line))
            if self.index is None and table.match(line):
                return Place(self.file, number, 1 + line.index("["))
            entry += is_entry
            if is_entry or HEADER.match(line):
                inside = (entry == self.index) if is_entry else self.index is None and bool(TABLE.match(line))
                head = Place(self.file, number, 1 + line.index("[")) if inside else head
            elif inside and (indent := wanted.match(line)):
                return Place(self.file, number, 1 + indent.end())
        return head

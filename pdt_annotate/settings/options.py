"""The request for one run, as one value."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdt_annotate.overlays import manifest
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Severity
from pdt_annotate.values.style import Spelling

if TYPE_CHECKING:
    from pdt_annotate.interpreters.interpreter import Interpreter

TIMEOUT = 600.0  # seconds that one run of user code may take

PROFILE = ".sqlite"  # the suffix of files that are read from a directory of profiles

BUDGET = 120.0  # seconds that the search for annotations may take in all

TARGET_HINT = """\
name what to annotate: pdt-annotate mymodel:Net -i inputs.py
or configure it in pyproject.toml: pdt-annotate init --config mymodel:Net -i inputs.py"""


@dataclass(frozen=True)
class WriteBackRow:
    """One way of writing back, with its texts; `{annotations}` and `{files}` are replaced by counts."""

    asked: str
    became: str = ""
    changes_sources: bool = False
    writes: bool = False  # an overlay is written as well
    missing: Severity | None = None  # the severity of annotations that are still missing afterwards
    not_written: str = ""  # the text if nothing was written
    to_write: str = ""  # how to write what is missing


class WriteBack(enum.Enum):
    """The destination of the verified result."""

    IN_PLACE = WriteBackRow(
        "Annotate the source, verify it, and write it into the files",
        "Written: {annotations} into {files}",
        changes_sources=True,
        writes=True,
    )
    DIFF = WriteBackRow(
        "Show what would be written, and write nothing (`--diff`)",
        "To be written: {annotations} into {files}",
        missing=Severity.WARNING,
        not_written="Nothing, because `--diff` only shows the changes.",
        to_write="To write the changes, run the same command without `--diff`.",
    )
    CHECK = WriteBackRow(
        "Check whether annotations are missing, and write nothing (`--check`)",
        "{annotations} missing in {files}",
        missing=Severity.ERROR,
        not_written="Nothing, because `--check` writes no files.",
        to_write="To write what is missing, run the same command without `--check`; to see it, run it with `--diff`.",
    )
    STUBS = WriteBackRow(
        "Annotate the source, verify it, and write stubs (`--stubs`)",
        "Written as stubs: {annotations} of {files}",
        writes=True,
        missing=Severity.WARNING,
    )
    NOTHING = WriteBackRow(
        "Script the unchanged source, and compare the results with Python (`verify`)",
        not_written="Nothing, because `verify` writes no files.",
    )

    @property
    def option(self) -> str:
        return self.name.lower()

    @property
    def fails_on_missing(self) -> bool:
        return self.value.missing is Severity.ERROR


class Scope(enum.Enum):
    """The functions to annotate: all that the compiler reads, or also all that the examples entered."""

    COMPILED = "compiled"
    OBSERVED = "observed"


class Returns(enum.Enum):
    """The return annotations to write: the ones that the compiler needs, all, or none."""

    NEEDED = "needed"
    ALL = "all"
    NONE = "none"


class ThirdParty(enum.Enum):
    """The treatment of functions outside the root that the compiler reads."""

    LEAVE = "leave"
    OVERLAY = "overlay"


class OutputFormat(enum.Enum):
    """The form of stdout: text for people, or a form for a program (docs/machine-output.md)."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"


MendName: TypeAlias = Literal["", "exact", "frozen", "all"]
ScopeName: TypeAlias = Literal["compiled", "observed"]
ReturnsName: TypeAlias = Literal["needed", "all", "none"]
SpellingName: TypeAlias = Literal["auto", "typing", "modern"]
ThirdPartyName: TypeAlias = Literal["leave", "overlay"]

WayName: TypeAlias = Literal[
    "script",
    "trace",
    "trace-adapted",
    "trace-mixed",
    "fx",
    "compile",
    "compile-breaks",
    "export",
    "export-dynamic",
    "make_fx",
    "lazy",
]

# The ways of capturing that return a graph.
GraphName: TypeAlias = WayName | Literal["frozen", "frozen-trace", "frozen-trace-adapted", "frozen-trace-mixed"]
STDOUT = "-"


@dataclass(frozen=True)
class OutputFile:
    """The result in one form, and the file that gets it; "-" is stdout."""

    format: str
    file: str

    @property
    def place(self) -> str:
        """A text that is equal for two names of one file."""
        return STDOUT if self.file == STDOUT else os.path.realpath(self.file)


def assert_apart(documents: Iterable[OutputFile]) -> None:
    """Raise a `UserError` if two documents have the same file."""
    seen: dict[str, OutputFile] = {}
    for each in documents:
        other = seen.setdefault(each.place, each)
        if other is not each and each.file != STDOUT:
            message = f"{other.format} and {each.format} would both be written to {each.file}"
            raise UserError(message, hint="name two files")


class Color(enum.Enum):
    """The colouring of output. `auto` asks NO_COLOR, FORCE_COLOR and the terminal, in this order."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def assert_spared(outputs: Mapping[str, str], read: Iterable[str]) -> None:
    """Raise a `UserError` if an output, by option, would replace a file that the run reads."""
    there = {option: file for option, file in outputs.items() if os.path.exists(file)}
    for option, file in there.items():
        # If a directory is named, all profiles in it are read.
        own = [file, os.path.dirname(os.path.abspath(file))] if file.endswith(PROFILE) else [file]
        if any(os.path.samefile(each, one) for each in filter(os.path.exists, read) for one in own):
            hint = "name another file; this one was not changed"
            raise UserError(f"{option} would replace a file that this run reads", file=file, hint=hint)


# Metadata of an option that only changes the use of a result, or matters only if annotations are missing.
SHOWS = MappingProxyType({"effect": "shows"})
ASKS_MORE = MappingProxyType({"effect": "asks more"})
"""Metadata of an option that asks for more than annotations, or for no cache, so that a run is needed."""


@dataclass(frozen=True)
class Options:
    """The options of one run. A field has the name of its option on the command line.

    A field decides the findings of a run, unless its metadata is `SHOWS` or `ASKS_MORE`. `root` is absolute. A
    `verbosity` below zero shows only errors, one above zero also the verdicts that held.
    """

    targets: tuple[Target, ...]
    spec: SpecSource
    root: str
    config: str = field(default="", metadata=SHOWS)
    python: str = ""
    write_back: WriteBack = field(default=WriteBack.IN_PLACE, metadata=SHOWS)
    scope: Scope = Scope.COMPILED
    mend: MendLevel | None = field(default=None, metadata=SHOWS)
    also_run: tuple[str, ...] = field(default=(), metadata=SHOWS)
    returns: Returns = Returns.NEEDED
    spelling: Spelling = field(default=Spelling.AUTO, metadata=SHOWS)
    timeout: float = field(default=TIMEOUT, metadata=SHOWS)
    budget: float = field(default=BUDGET, metadata=SHOWS)
    no_probe: bool = False
    write_partial: bool = field(default=False, metadata=SHOWS)
    save_profile: str = field(default="", metadata=ASKS_MORE)
    profiles: tuple[str, ...] = ()
    third_party: ThirdParty = ThirdParty.LEAVE
    overlay: str = field(default="", metadata=ASKS_MORE)
    stubs: str = field(default="", metadata=ASKS_MORE)
    json: str = field(default="", metadata=ASKS_MORE)
    output_format: OutputFormat = field(default=OutputFormat.TEXT, metadata=ASKS_MORE)
    output_file: tuple[str, ...] = field(default=(), metadata=ASKS_MORE)
    html: str = field(default="", metadata=ASKS_MORE)
    ignore: tuple[str, ...] = field(default=(), metadata=SHOWS)
    per_file_ignores: tuple[str, ...] = field(default=(), metadata=SHOWS)
    baseline: str = field(default="", metadata=SHOWS)
    update_baseline: bool = field(default=False, metadata=ASKS_MORE)
    interactive: bool = field(default=False, metadata=ASKS_MORE)
    explain: bool = field(default=False, metadata=SHOWS)
    timings: bool = field(default=False, metadata=ASKS_MORE)
    color: Color = field(default=Color.AUTO, metadata=SHOWS)
    verbosity: int = field(default=0, metadata=SHOWS)
    exit_non_zero_on_write: bool = field(default=False, metadata=SHOWS)
    exit_zero: bool = field(default=False, metadata=SHOWS)
    no_cache: bool = field(default=False, metadata=ASKS_MORE)
    ways: tuple[str, ...] = ()
    require: tuple[str, ...] = ()
    emit: str = "table"
    of: str = "frozen"
    call: str = ""
    format: str = "auto"
    depth: int = 0
    output: str = ""
    allow: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    freeze: bool = False
    optimize: bool = False
    cpp: str = ""
    against: str = ""

    def __post_init__(self) -> None:
        for is_wrong, message, hint in self._conflicts():
            if is_wrong:
                raise UserError(message, hint=hint)
        assert_apart(self.documents)
        assert_spared(self.outputs, [*(each.file for each in self.targets), self.spec.file, self.config])
        assert_spared(self.outputs | {"--save-profile": ""}, self.profiles)  # it may add to a profile that is read
        assert_spared(self.outputs | {"--baseline": ""}, (self.baseline,))
        if self.overlay:
            manifest.assert_replaceable(self.overlay)

    def _conflicts(self) -> Iterator[tuple[object, str, str]]:
        """Yield conflicts between options and wrong values: whether it is one, its message, and a hint."""
        yield not os.path.isdir(self.root), f"the root is not a directory: {self.root}", ""
        for name in ("timeout", "budget"):
            seconds = getattr(self, name)
            yield seconds <= 0, f"the {name} must be more than 0 seconds, not {seconds:g}", ""
        given = self.on_stdout
        hint = "give --json a file name" if "--json -" in given else "--check writes nothing either"
        yield len(given) > 1, f"{' and '.join(given)} both write to stdout", hint
        hint = "name one with --baseline, such as pdt-baseline.json"
        yield self.update_baseline and not self.baseline, "--update-baseline needs a file", hint
        cannot_ask = {
            "--check": (
                self.write_back is WriteBack.CHECK,
                "--check asks nothing, and fails if annotations are missing",
            ),
            "--json -": (self.json == STDOUT, "give --json a file name"),
            "--output-format": (self.output_format is not OutputFormat.TEXT, "machine-readable output asks nothing"),
            "--write-partial": (self.write_partial, "--interactive needs a result that verifies as a whole"),
        }
        for option, (is_given, hint) in cannot_ask.items():
            yield self.interactive and is_given, f"--interactive and {option} exclude each other", hint
        hint = "a stub has no code to change; `--mend=` turns mends off"
        yield self.mend and self.write_back is WriteBack.STUBS, "--stubs and --mend exclude each other", hint
        needs_to_run = {
            "--save-profile": self.save_profile,
            "--write-partial": self.write_partial,
            "--mend": self.mend,
            "--also-run": self.also_run,
            "--overlay or --third-party": self.types_third_party,
        }
        for option, wanted in needs_to_run.items():
            message = f"a profile alone is not enough for {option}"
            yield self.runs_nothing and wanted, message, "give example inputs too, with -i"

    @property
    def name(self) -> str:
        """The targets, for headings; if there are none, the profiles."""
        return ", ".join(target.text for target in self.targets) or ", ".join(self.profiles)

    @property
    def deciding(self) -> dict[str, object]:
        return {each.name: getattr(self, each.name) for each in fields(self) if not each.metadata}

    @property
    def asks_for_more(self) -> bool:
        wanted = (each for each in fields(self) if each.metadata == ASKS_MORE)
        return any(getattr(self, each.name) != each.default for each in wanted)

    @property
    def on_stdout(self) -> tuple[str, ...]:
        """The options that put machine output on stdout."""
        writers = {
            "--diff": self.write_back is WriteBack.DIFF,
            "--json -": self.json == "-",
            f"--output-format {self.output_format.value}": self.output_format is not OutputFormat.TEXT,
        }
        return tuple(option for option, writes in writers.items() if writes)

    @property
    def outputs(self) -> dict[str, str]:
        """The files, other than sources, that a run writes, by option."""
        given = {
            "--json": self.json,
            "--html": self.html,
            "--output": self.output,
            "--save-profile": self.save_profile,
            "--baseline": self.baseline if self.update_baseline else "",
            **{f"--output-file {text}": text.partition(":")[2] for text in self.output_file},
        }
        return {option: file for option, file in given.items() if file not in ("", STDOUT)}

    @property
    def output_folders(self) -> dict[str, str]:
        """The directories that a run writes files into, by option; each ends in a slash."""
        given = {"--stubs": self.stubs, "--overlay": self.overlay, "--cpp": self.cpp}
        return {option: os.path.join(folder, "") for option, folder in given.items() if folder}

    @property
    def documents(self) -> tuple[OutputFile, ...]:
        """The result in each requested form, other than the report for people."""
        for_stdout = self.output_format.value.removeprefix(OutputFormat.TEXT.value)
        given = (
            OutputFile("json", self.json),
            OutputFile("html", self.html),
            *(OutputFile(*text.partition(":")[::2]) for text in self.output_file),
            OutputFile(for_stdout, STDOUT if for_stdout else ""),
        )
        return tuple(document for document in given if document.file)

    @property
    def interpreter(self) -> Interpreter:
        """The Python for the user's code; a `UserError` if there is no such interpreter, or it cannot run us."""
        from pdt_annotate.interpreters.interpreter import find_interpreter  # noqa: PLC0415  (--help needs none)

        return find_interpreter(self.python)

    @property
    def types_third_party(self) -> bool:
        return self.third_party is ThirdParty.OVERLAY or bool(self.overlay)

    @property
    def runs_nothing(self) -> bool:
        """Whether a profile is all there is: no example inputs, so nothing is imported, run or verified."""
        return bool(self.profiles) and self.spec == SpecSource()

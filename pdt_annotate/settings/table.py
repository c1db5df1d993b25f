"""The table of settings. The command line, the environment, pyproject.toml and `--show-settings` all follow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.settings.kinds import (
    PATH,
    PATHS,
    TEXT,
    TEXTS,
    WRITTEN,
    WRITTEN_INTO,
    Choice,
    Count,
    Flag,
    Number,
    ValueKind,
    Whole,
)
from pdt_annotate.settings.options import BUDGET, TIMEOUT, Color, OutputFormat, Returns, Scope, ThirdParty
from pdt_annotate.settings.structured import CODES, OutputFiles, PathCodes
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.style import Spelling

ANNOTATE = "annotate"
OBSERVE = "observe"
VERIFY = "verify"
RUN = "run"
CAPTURES = "captures"
GRAPH = "graph"
INIT = "init"

ANNOTATING = frozenset({ANNOTATE})
TARGETED = frozenset({ANNOTATE, OBSERVE, VERIFY, CAPTURES, GRAPH})
JUDGING = frozenset({ANNOTATE, VERIFY})
SHOWING = JUDGING | {CAPTURES, GRAPH}
EVERY = TARGETED | {RUN}


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        name: its long option without the dashes, and its key in pyproject.toml.
        kind: what its value is.
        help: what `--help` says.
        default: its value where nobody gives one.
        commands: the commands that take it.
        metavar: what `--help` shows for the value.
        short: the letter of its short option.
        defaults: by command, where another value than `default` is given.
        group: settings of one group are alternatives: one that a stronger place gives stands for all of the group.
        per_target: a target in pyproject.toml may have its own.
        in_pyproject: it may stand in pyproject.toml.
        in_environment: it may stand in the environment.
        leads_out: also in pyproject.toml it may name a place outside the project.
    """

    name: str
    kind: ValueKind
    help: str
    default: object = ""
    commands: frozenset[str] = TARGETED
    metavar: str | None = None
    short: str = ""
    defaults: Mapping[str, object] = field(default_factory=dict)
    group: str = ""
    per_target: bool = True
    in_pyproject: bool = True
    in_environment: bool = True
    leads_out: bool = False

    @property
    def key(self) -> str:
        """The name as an identifier."""
        return self.name.replace("-", "_")

    @property
    def configurable(self) -> bool:
        """Whether it may stand anywhere but on the command line."""
        return self.in_pyproject or self.in_environment

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return f"{PREFIX}{self.key.upper()}"

    def default_for(self, command: str) -> object:
        return self.defaults.get(command, self.default)


PREFIX = "PDT_ANNOTATE_"

CALLS, WRITING, LOUDNESS = "example calls", "what is written", "loudness"

SETTINGS = (
    Setting("inputs", PATH, "Example calls, as Python or YAML.", metavar="FILE[:NAME]", short="i", group=CALLS),
    Setting(
        "arg",
        TEXTS,
        "An argument of a single call: f32[2,3], 3, k=None.",
        (),
        metavar="VALUE",
        short="a",
        group=CALLS,
    ),
    Setting(
        "root",
        PATH,
        "Only files below it are observed and annotated. [default: the project]",
        "",
        EVERY,
        metavar="DIR",
    ),
    Setting(
        "python",
        PATH,
        "Run your code with this Python, or in this environment (.venv). [default: pdt-annotate's own]",
        "",
        EVERY | {INIT},
        metavar="PATH",
        leads_out=True,
    ),
    Setting("timeout", Number(), "For one run of your code.", TIMEOUT, metavar="SECONDS"),
    Setting("budget", Number(), "For the search for annotations, in all.", BUDGET, ANNOTATING, metavar="SECONDS"),
    Setting("no-probe", Flag(), "Draw no further calls beside the examples.", False, JUDGING),
    Setting("diff", Flag(), "Print a unified diff and write nothing.", False, ANNOTATING, group=WRITING),
    Setting(
        "interactive",
        Flag(),
        "Ask about each function: show its diff and the evidence.",
        False,
        ANNOTATING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting("check", Flag(), "Exit 1 if annotations are missing; write nothing.", False, ANNOTATING, group=WRITING),
    Setting(
        "stubs",
        WRITTEN_INTO,
        "Write .pyi files there and leave the source.",
        "",
        ANNOTATING,
        metavar="DIR",
        group=WRITING,
    ),
    Setting(
        "scope",
        Choice(*(each.value for each in Scope)),
        "What to annotate: what the compiler reads, or all that the examples entered.",
        Scope.COMPILED.value,
        ANNOTATING,
    ),
    Setting(
        "mend",
        Choice(*(each.value for each in MendLevel), alone=MendLevel.EXACT.value),
        "Where annotations are not enough, change code, too. [alone: exact]",
        "",
        ANNOTATING,
    ),
    Setting(
        "also-run",
        TEXTS,
        "A command that must succeed with the changes as it does without: 'pytest -q tests'.",
        (),
        ANNOTATING,
        metavar="COMMAND",
    ),
    Setting(
        "returns",
        Choice(*(each.value for each in Returns)),
        "Which return annotations to write.",
        Returns.NEEDED.value,
        ANNOTATING,
    ),
    Setting(
        "spelling",
        Choice(*(each.value for each in Spelling)),
        "List[int] and Optional[int], or list[int] and int | None; auto asks the project.",
        Spelling.AUTO.value,
        ANNOTATING,
    ),
    Setting(
        "third-party",
        Choice(*(each.value for each in ThirdParty)),
        "Code outside the root that the compiler reads: leave it, or type it in an overlay.",
        ThirdParty.LEAVE.value,
        ANNOTATING,
    ),
    Setting(
        "overlay",
        WRITTEN_INTO,
        "Keep the overlay there, for pdt_annotate.overlay(DIR).",
        "",
        ANNOTATING,
        metavar="DIR",
        # PDT_ANNOTATE_OVERLAY is what programs are served an overlay by (docs/overlay.md).
        in_environment=False,
    ),
    Setting("write-partial", Flag(), "Where the whole fails, annotate the largest parts that work.", False, ANNOTATING),
    Setting(
        "save-profile",
        WRITTEN,
        "Keep what was observed there, for --profile.",
        "",
        frozenset({ANNOTATE, OBSERVE, RUN}),
        metavar="FILE",
        defaults={OBSERVE: "pdt-profile.sqlite", RUN: "pdt-profile.sqlite"},
    ),
    Setting(
        "profile",
        PATHS,
        "What was observed before: a file, or a directory of them. Without -i nothing is run, nor verified.",
        (),
        ANNOTATING,
        metavar="PATH",
        group=CALLS,
    ),
    Setting("json", WRITTEN, "Write all that was found; '-' is stdout.", "", JUDGING | {CAPTURES}, metavar="FILE"),
    Setting(
        "output-format",
        Choice(*(each.value for each in OutputFormat)),
        "What stdout has: a diff at most, or the result for a program.",
        OutputFormat.TEXT.value,
        JUDGING,
    ),
    Setting("html", WRITTEN, "Show the result as a page for a browser.", "", JUDGING | {CAPTURES}, metavar="FILE"),
    Setting(
        "output-file",
        OutputFiles(),
        "Write the result there, too: sarif:out.sarif, junit:out.xml, html:out.html, text:out.txt.",
        (),
        JUDGING,
        metavar="FORMAT:FILE",
    ),
    Setting(
        "ignore",
        CODES,
        "Do not show these findings: PDT037, or PDT10 for all that begin so.",
        (),
        JUDGING,
        metavar="CODES",
    ),
    Setting(
        "per-file-ignores",
        PathCodes(),
        "Do not show these findings in files of that pattern: 'tests/*:PDT030'.",
        (),
        JUDGING,
        metavar="PATTERN:CODES",
    ),
    Setting("baseline", PATH, "Do not show the findings that stand in this file.", "", JUDGING, metavar="FILE"),
    Setting(
        "update-baseline",
        Flag(),
        "Write the findings of this run into the file of --baseline.",
        False,
        ANNOTATING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting("explain", Flag(), "Show the rules and the calls behind each annotation.", False, JUDGING),
    Setting("timings", Flag(), "Show how long each stage took.", False, JUDGING),
    Setting(
        "color",
        Choice(*(each.value for each in Color)),
        "NO_COLOR and FORCE_COLOR are respected; only `always` colours a diff in a pipe.",
        Color.AUTO.value,
        SHOWING,
    ),
    Setting("quiet", Count(), "Show errors only.", 0, EVERY, short="q", group=LOUDNESS),
    Setting(
        "verbose",
        Count(),
        "Show all: every annotation and finding, the module tree, what each judge said.",
        0,
        SHOWING,
        short="v",
        group=LOUDNESS,
    ),
    Setting(
        "ways",
        TEXTS,
        "Try only these ways of capturing: script,trace.",
        (),
        frozenset({CAPTURES}),
        metavar="NAMES",
    ),
    Setting(
        "require",
        TEXTS,
        "Exit 1 unless these ways capture the model and answer as it does: script,export.",
        (),
        frozenset({CAPTURES}),
        metavar="NAMES",
    ),
    Setting(
        "emit",
        Choice("table", "export", "trace-mend"),
        "What is written: what came of each way, a Python file with which torch.export takes the model, or a diff "
        "with which torch.jit.trace answers right.",
        "table",
        frozenset({CAPTURES}),
    ),
    Setting("of", TEXT, "The way of capturing whose graph is shown.", "frozen", frozenset({GRAPH}), metavar="NAME"),
    Setting("call", TEXT, "The example call whose shapes are shown. [default: the first]", "", frozenset({GRAPH})),
    Setting(
        "format",
        Choice("auto", "text", "json", "dot", "svg", "html", "python"),
        "How the graph is shown; auto goes by how the name after -o ends.",
        "auto",
        frozenset({GRAPH}),
    ),
    Setting(
        "depth",
        Whole(),
        "Show each module of this depth as one node; 0 shows all.",
        0,
        frozenset({GRAPH}),
        metavar="N",
    ),
    Setting(
        "output",
        WRITTEN,
        "Write there. [default: stdout]",
        "",
        frozenset({CAPTURES, GRAPH}),
        metavar="FILE",
        short="o",
    ),
    Setting(
        "jobs",
        Whole("a whole number from 1 on", least=1),
        "How many configured targets run at a time.",
        1,
        metavar="N",
        short="j",
        per_target=False,
    ),
    Setting(
        "exit-non-zero-on-write",
        Flag(),
        "Exit 1 if annotations were missing and are written now.",
        False,
        ANNOTATING,
    ),
    Setting(
        "exit-zero",
        Flag(),
        "Exit 0 also where annotations are missing or verification fails.",
        False,
        JUDGING,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting(
        "no-cache",
        Flag(),
        "Run the targets even where nothing has changed since they were found done; keep nothing.",
        False,
        ANNOTATING,
        in_pyproject=False,
    ),
    Setting(
        "config",
        PATH,
        "Read this file instead of the nearest pyproject.toml.",
        metavar="FILE",
        commands=EVERY,
        per_target=False,
        in_pyproject=False,
    ),
    Setting(
        "isolated",
        Flag(),
        "Read no configuration: no pyproject.toml, no PDT_ANNOTATE_*.",
        False,
        EVERY,
        in_pyproject=False,
        in_environment=False,
    ),
    Setting(
        "show-settings",
        Flag(),
        "Show each setting and where it comes from; run nothing.",
        False,
        TARGETED,
        in_pyproject=False,
        in_environment=False,
    ),
)
"""In the order of `--help`. A new one that the pipeline heeds is also a field of `Options`, under its `key`."""

REQUIRED_VERSION = Setting("required-version", TEXT, "", commands=frozenset(), per_target=False, in_environment=False)
"""In pyproject.toml alone: which versions of the tool its settings are written for."""

BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


def settings_of(command: str) -> tuple[Setting, ...]:
    """The settings that a command takes, in the order of its help."""
    return tuple(setting for setting in SETTINGS if command in setting.commands)

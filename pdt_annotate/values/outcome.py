"""The result of a run: changed files, and everything that an emitter prints or writes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.values.budget import NO_TIMINGS, Timings
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.judges import judge_of
from pdt_annotate.values.mends import Mend, MendLevel, level_of
from pdt_annotate.values.runs import NOTHING_READ, Closure, Target
from pdt_annotate.values.slots import Annotation, Finding, Owner
from pdt_annotate.values.verdicts import Blame, Part, Verdict


@dataclass(frozen=True)
class Rendered:
    """A plan written into sources: the changed files, the annotations written, and why the rest was not.

    `again` is the result of rewriting the changed files once more.
    """

    changes: tuple[FileChange, ...]
    written: tuple[Annotation, ...]
    refused: tuple[Finding, ...]
    again: tuple[FileChange, ...]


NOTHING_RENDERED = Rendered((), (), (), ())


@dataclass(frozen=True)
class FileChange:
    """A file before and after the rewrite, as bytes, and the edits between them, by offset.

    `edits` is empty if other means changed the bytes: then no line counts as moved, and no annotation has a place.
    """

    file: str
    before: bytes
    after: bytes
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Overlaid:
    """A module outside the root whose annotated copy belongs in an overlay, and how it differs from the file."""

    module: str
    change: FileChange


@dataclass(frozen=True)
class MendAdvice:
    """Mends with which a failed run would have verified, or come closest.

    `level` allows them. `added` and `removed` count the lines of the diff that they and the annotations make.
    `verifies` says that nothing prevents scripting with them.
    """

    level: MendLevel
    mends: tuple[Mend, ...]
    added: int
    removed: int
    verifies: bool = True

    def __or__(self, other: MendAdvice) -> MendAdvice:
        mends, lines = (*self.mends, *other.mends), (self.added + other.added, self.removed + other.removed)
        return MendAdvice(level_of(mends), mends, *lines, self.verifies and other.verifies)


@dataclass(frozen=True)
class Outdated:
    """Gaps of a profile that was the only evidence, for functions that lack annotations.

    `findings` are about functions that the compiler reads and that are new or have changed since the profile was made;
    `renew` is the command that makes the profile again, as far as known.
    """

    findings: tuple[Finding, ...]
    renew: str

    def among(self, findings: Sequence[Finding]) -> Outdated | None:
        """The same with only these findings; None if none is left."""
        left = tuple(finding for finding in self.findings if finding in findings)
        return Outdated(left, self.renew) if left else None

    def __or__(self, other: Outdated) -> Outdated:
        return Outdated(tuple(dict.fromkeys((*self.findings, *other.findings))), self.renew)


class IgnoredBy(enum.Enum):
    """Where the user asked to ignore a finding, by SARIF's names: in the source, or outside it."""

    IN_SOURCE = "inSource"
    EXTERNAL = "external"


@dataclass(frozen=True)
class Ignored:
    """A finding that the user asked to ignore. `by` names the request: a comment's place, a setting, the baseline."""

    finding: Finding
    kind: IgnoredBy
    by: str


@dataclass(frozen=True)
class Outcome:
    """The results of one run of the pipeline, which an emitter prints or writes.

    `verdicts` are of the last, fresh verification, in the judges' order; `verified` says that all of them held.
    `unreached` lists functions that TorchScript compiled and no example call entered. `blame` names the faulty parts
    in every target that failed. `kept` are the parts whose annotations are in `changes` although the whole failed;
    `keeps_mends` says that the mends are there, too.
    `overlaid` are changes of files outside the root, never written in place; `annotations` holds their annotations too.
    `closure` holds the files that running the targets depended on. `mends` are the changes of code in `changes`;
    `advised` are the mends with which a failed run would have verified, or come closest: then `blame` is for the places
    that are left with them. `joined`: this is several outcomes in one,
    without the changes of outcomes that did not hold. `outdated` holds the gaps of a profile; with it, a check must not
    pass. `timings` are noted on request. `ignored` are the findings that the user asked to ignore; `findings` lacks
    them. `reviewed` are the functions for which all of the run's findings were reported. `python` is the Python that
    ran the targets, if it is not our own.
    """

    targets: tuple[Target, ...]
    root: str
    changes: tuple[FileChange, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    unreached: tuple[Owner, ...] = ()
    verified: bool = False
    blame: tuple[Blame, ...] = ()
    kept: tuple[Part, ...] = ()
    keeps_mends: bool = False
    overlaid: tuple[Overlaid, ...] = ()
    closure: Closure = NOTHING_READ
    mends: tuple[Mend, ...] = ()
    advised: MendAdvice | None = None
    joined: bool = False
    outdated: Outdated | None = None
    timings: Timings = NO_TIMINGS
    ignored: tuple[Ignored, ...] = ()
    reviewed: tuple[Owner, ...] = ()
    python: str = ""

    @property
    def all_changes(self) -> tuple[FileChange, ...]:
        return (*self.changes, *(each.change for each in self.overlaid))

    @property
    def is_sound(self) -> bool:
        return self.verified or self.text_only or self.joined or bool(self.kept) or self.keeps_mends

    @property
    def is_helped(self) -> bool:
        """Whether the run failed, and would verify with the advised mends."""
        return self.advised is not None and self.advised.verifies

    @property
    def places_left(self) -> int:
        """The number of lines that prevent scripting, with the advised mends if there are any."""
        parts = (part for blame in self.blame for part in blame.parts)
        return len({fault.failure.place.whole_line for part in parts for fault in part.faults})

    @property
    def text_only(self) -> bool:
        """Whether all judges held and none of them compiled: a profile was the only evidence."""
        held = all(verdict.ok and judge_of(verdict.judge).is_textual for verdict in self.verdicts)
        return not self.verified and bool(self.verdicts) and held

"""The result of a run: changed files, and everything that an emitter prints or writes."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pdt_annotate.values.budget import NO_TIMINGS, Timings
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendLevel, level_of
from pdt_annotate.values.runs import NOTHING_READ, Closure, Target
from pdt_annotate.values.slots import Annotation, Finding, Owner
from pdt_annotate.values.verdicts import Blame, Failure, Part, Verdict, judge_of


@dataclass(frozen=True)
class Rendered:
    """A plan written into sources: the changed files, the annotations written, and why the rest was not."""

    changes: tuple[FileChange, ...]
    written: tuple[Annotation, ...]
    refused: tuple[Finding, ...]
    again: tuple[FileChange, ...]  # the result of rewriting the changed files once more


NOTHING_RENDERED = Rendered((), (), (), ())


@dataclass(frozen=True)
class FileChange:
    """A file before and after the rewrite, as bytes, and the edits between them, by offset."""

    file: str
    before: bytes
    after: bytes
    # Empty if other means changed the bytes: then no line counts as moved, and no annotation has a place.
    edits: tuple[Edit, ...] = ()


def sources_of(changes: Iterable[FileChange]) -> dict[str, bytes]:
    """The new content of the changed files."""
    return {change.file: change.after for change in changes}


@dataclass(frozen=True)
class Overlaid:
    """A module outside the root whose annotated copy belongs in an overlay, and how it differs from the file."""

    module: str
    change: FileChange


@dataclass(frozen=True)
class MendAdvice:
    """Mends with which a failed run would have verified, or come closest."""

    level: MendLevel  # it allows them
    mends: tuple[Mend, ...]
    added: int  # lines of the diff that they and the annotations make
    removed: int  # lines of the diff, too
    verifies: bool = True  # nothing prevents scripting with them

    def __or__(self, other: MendAdvice) -> MendAdvice:
        mends, lines = (*self.mends, *other.mends), (self.added + other.added, self.removed + other.removed)
        return MendAdvice(level_of(mends), mends, *lines, self.verifies and other.verifies)


@dataclass(frozen=True)
class Outdated:
    """Gaps of a profile that was the only evidence, for functions that lack annotations."""

    # About functions that the compiler reads and that are new or have changed since the profile was made.
    findings: tuple[Finding, ...]
    renew: str  # the command that makes the profile again, as far as known

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
    """The results of one run of the pipeline, which an emitter prints or writes."""

    targets: tuple[Target, ...]
    root: str
    changes: tuple[FileChange, ...] = ()
    annotations: tuple[Annotation, ...] = ()  # those of `overlaid` as well
    findings: tuple[Finding, ...] = ()
    verdicts: tuple[Verdict, ...] = ()  # of the last, fresh verification, in the judges' order
    unreached: tuple[Owner, ...] = ()  # functions that TorchScript compiled and no example call entered
    verified: bool = False  # all verdicts held
    # The faulty parts in every target that failed; with `advised`, those of the places that are left.
    blame: tuple[Blame, ...] = ()
    kept: tuple[Part, ...] = ()  # the parts whose annotations are in `changes` although the whole failed
    keeps_mends: bool = False  # the mends are there, too
    overlaid: tuple[Overlaid, ...] = ()  # changes of files outside the root, never written in place
    closure: Closure = NOTHING_READ  # the files that running the targets depended on
    mends: tuple[Mend, ...] = ()  # the changes of code in `changes`
    advised: MendAdvice | None = None  # the mends with which a failed run would have verified, or come closest
    joined: bool = False  # this is several outcomes in one, without the changes of outcomes that did not hold
    outdated: Outdated | None = None  # the gaps of a profile; with it, a check must not pass
    timings: Timings = NO_TIMINGS  # noted on request
    ignored: tuple[Ignored, ...] = ()  # the findings that the user asked to ignore; `findings` lacks them
    reviewed: tuple[Owner, ...] = ()  # the functions for which all of the run's findings were reported
    python: str = ""  # the Python that ran the targets, if it is not our own

    @property
    def all_changes(self) -> tuple[FileChange, ...]:
        return (*self.changes, *(each.change for each in self.overlaid))

    @property
    def failure(self) -> Failure | None:
        """The failure of the first judge that said no and why."""
        return next((each.failure for each in self.verdicts if each.failure and not each.ok), None)

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

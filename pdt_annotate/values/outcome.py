"""What a run gives: changed files, and all that an emitter prints or writes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.judges import judge_of
from pdt_annotate.values.mends import Mend, MendLevel, level_of
from pdt_annotate.values.progress import NO_TIMINGS, Timings
from pdt_annotate.values.runs import NOTHING_READ, Closure, Target
from pdt_annotate.values.slots import Annotation, Finding, Owner
from pdt_annotate.values.verdicts import Blame, Part, Verdict


@dataclass(frozen=True)
class Rendered:
    """A plan written into sources: the changed files, what was really written, and why the rest was not.

    `again` is what rewriting the changed files once more gives.
    """

    changes: tuple[FileChange, ...]
    written: tuple[Annotation, ...]
    refused: tuple[Finding, ...]
    again: tuple[FileChange, ...]


NOTHING_RENDERED = Rendered((), (), (), ())


@dataclass(frozen=True)
class FileChange:
    """A file before and after the rewrite, as bytes, and the edits that make the one the other, by offset.

    Of bytes that were not made by edits none are known: no line counts as moved, and no annotation has a place.
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
    """Mends with which a run would have verified, that was not asked for any, or for fewer.

    `level` is what allows them; `added` and `removed` are the lines of the diff that they and the annotations make.
    """

    level: MendLevel
    mends: tuple[Mend, ...]
    added: int
    removed: int

    def __or__(self, other: MendAdvice) -> MendAdvice:
        """What two runs need."""
        mends = (*self.mends, *other.mends)
        return MendAdvice(level_of(mends), mends, self.added + other.added, self.removed + other.removed)


@dataclass(frozen=True)
class Outdated:
    """What a profile, which was all that there was, does not know of functions that lack annotations.

    `findings` are of functions that the compiler reads and that have changed, or are new, since the profile was made;
    `renew` is the command that makes it anew, as far as that is known.
    """

    findings: tuple[Finding, ...]
    renew: str

    def among(self, findings: Sequence[Finding]) -> Outdated | None:
        """The same of those findings alone; None where none is left."""
        left = tuple(finding for finding in self.findings if finding in findings)
        return Outdated(left, self.renew) if left else None

    def __or__(self, other: Outdated) -> Outdated:
        """Of two runs."""
        return Outdated(tuple(dict.fromkeys((*self.findings, *other.findings))), self.renew)


class IgnoredBy(enum.Enum):
    """Where the user asked that a finding be ignored, by SARIF's names: in the source, or outside it."""

    IN_SOURCE = "inSource"
    EXTERNAL = "external"


@dataclass(frozen=True)
class Ignored:
    """A finding that the user asked not to hear of. `by` says where: a comment's place, a setting, the baseline."""

    finding: Finding
    kind: IgnoredBy
    by: str


@dataclass(frozen=True)
class Outcome:
    """What one run of the pipeline found: what an emitter prints or writes.

    `verdicts` are those of the last, fresh verification, in the judges' order; `verified` says that all of them held.
    `unreached` lists functions that TorchScript compiled and no example call entered. `blame` says of every target that
    failed who is at fault. `kept` are the parts whose annotations are in `changes` although the whole failed.
    `overlaid` are changes of files outside the root, never written in place; their annotations stand among the others.
    `closure` is what running the targets depended on. `mends` are the changes of code in `changes`, `advised` those
    with which a run that failed would have verified. Of an outcome that is `joined` from several, those that did not
    hold have left no changes in it. `outdated` is what a profile could not tell, and a check must not pass. `timings`
    are noted where they are asked for. `ignored` are the findings that the user asked not to hear of; they are none of
    `findings`. `reviewed` are the functions of which all was told that the run could find. `python` is the one that ran
    the targets, where that is not our own.
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
        """Those of files outside the root, too."""
        return (*self.changes, *(each.change for each in self.overlaid))

    @property
    def is_sound(self) -> bool:
        """Whether the changes may be written."""
        return self.verified or self.text_only or self.joined or bool(self.kept)

    @property
    def text_only(self) -> bool:
        """Whether all judges that were asked held, and none of them compiled: all that there was is a profile."""
        held = all(verdict.ok and judge_of(verdict.judge).is_textual for verdict in self.verdicts)
        return not self.verified and bool(self.verdicts) and held

"""What judges say, of a rewrite, of an attempt and of the parts of a target."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Owner


@dataclass(frozen=True)
class Failure:
    """Why a judge said no: the first message, where, and through which calls the compiler came there.

    `message` is what stands before the first location, `text` all of it. `chain` holds the places of the callers,
    innermost first. `call` is the example call that showed it, if one did. `code` is that of the finding
    with which a difference is accepted because no annotation decides it. `raises` says that the scripted call raised
    and the eager one did not.
    """

    message: str
    kind: str = ""
    place: Place = NO_PLACE
    chain: tuple[Place, ...] = ()
    call: str = ""
    text: str = ""
    code: str = ""
    raises: bool = False


@dataclass(frozen=True)
class Verdict:
    """What one judge said of a rewrite."""

    judge: str
    ok: bool
    failure: Failure | None = None
    note: str = ""


@dataclass(frozen=True)
class Trial:
    """What compiling and running one candidate gave.

    `compiled` are the functions that the compiler read, in order; of those `ignored` it read the signature alone.
    """

    verdicts: tuple[Verdict, ...]
    compiled: tuple[Owner, ...] = ()
    ignored: tuple[Owner, ...] = ()

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts)

    @property
    def compiles(self) -> bool:
        """Whether the compiler, the first judge, said yes."""
        return bool(self.verdicts) and self.verdicts[0].ok

    @property
    def failure(self) -> Failure | None:
        return next((verdict.failure for verdict in self.verdicts if not verdict.ok), None)


class Answers(enum.Enum):
    """What a scripted part answers on the calls that were recorded for it, next to the eager one."""

    ALIKE = "alike"
    DIFFER = "differ"
    RAISE = "raise"
    NOT_CALLED = "not called"
    NOT_JUDGED = "not judged"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Fault:
    """One thing that keeps a part from scripting or answering alike, and what to do about it.

    `code` is an entry of the catalogue, `owner` the function in which the fault lies, where that is known. `advice` are
    sentences, the one that fits the fault's kind first.
    """

    code: str
    failure: Failure
    owner: Owner | None = None
    advice: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A module of the target, or a function, compiled by itself and compared on the calls recorded for it.

    Args:
        path: the module's path from the target, "" for the target itself; a function's qualified name.
        name: the qualified name of the class, or of the function.
        place: where it is defined.
        calls: how many recorded calls were compared.
        faults: its own, all that could be found; those of its children are theirs.
        blamed: the paths of the nearest parts inside it that are unsound.
        hidden: more faults may stand behind one that could not be left out.
        traces: `torch.jit.trace` answers like eager on the recorded calls, and on others of the same shape.
        size: how many parts it holds that were not judged by themselves because it is sound, itself included.
        compiled: the functions that the compiler read.
        classes: the file and qualified name of every class in it, but for torch's.
        is_function: it is a function, and no module.
    """

    path: str
    name: str
    place: Place = NO_PLACE
    scripts: bool = False
    answers: Answers = Answers.UNKNOWN
    calls: int = 0
    faults: tuple[Fault, ...] = ()
    blamed: tuple[str, ...] = ()
    hidden: bool = False
    traces: bool = False
    size: int = 1
    compiled: tuple[Owner, ...] = ()
    classes: tuple[tuple[str, str], ...] = ()
    is_function: bool = False

    @property
    def is_sound(self) -> bool:
        """Whether it scripts, and nothing speaks against its answers."""
        return self.scripts and self.answers in (Answers.ALIKE, Answers.NOT_CALLED)

    @property
    def is_proven(self) -> bool:
        """Whether it scripts and answered alike on a call at least."""
        return self.scripts and self.answers is Answers.ALIKE


@dataclass(frozen=True)
class Blame:
    """Who is at fault in a target that fails: its modules, parents first; those inside a sound one are not listed.

    `unjudged` are modules for which there was no time, each with all that is inside.
    """

    target: Target
    parts: tuple[Part, ...]
    unjudged: tuple[Part, ...] = ()

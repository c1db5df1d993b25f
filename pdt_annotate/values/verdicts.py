"""The judges and their verdicts on a rewrite, on an attempt and on parts of a target; traps, and drawn calls."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import NO_PLACE, Owner, Place


@dataclass(frozen=True)
class Failure:
    """Why a judge said no: the first message, its place, and the calls through which the compiler came there."""

    message: str  # the text before the first location
    kind: str = ""
    place: Place = NO_PLACE
    chain: tuple[Place, ...] = ()  # the places of the callers, innermost first
    call: str = ""  # the example call that showed it, if one did
    text: str = ""  # all of the message
    code: str = ""  # of the finding with which a difference is accepted because no annotation decides it
    raises: bool = False  # the scripted call raised and the eager one did not


@dataclass(frozen=True)
class Verdict:
    judge: str
    ok: bool
    failure: Failure | None = None
    note: str = ""


@dataclass(frozen=True)
class Trial:
    """The result of compiling and running one candidate."""

    verdicts: tuple[Verdict, ...]
    compiled: tuple[Owner, ...] = ()  # the functions that the compiler read, in order
    ignored: tuple[Owner, ...] = ()  # the compiler read only their signatures

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
    """How the answers of a scripted part compare with the eager ones, on the calls recorded for it."""

    ALIKE = "alike"
    DIFFER = "differ"
    RAISE = "raise"
    NOT_CALLED = "not called"
    NOT_JUDGED = "not judged"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Fault:
    """One fault that keeps a part from scripting or answering alike, and advice on it."""

    code: str  # an entry of the catalogue
    failure: Failure
    owner: Owner | None = None  # the function that contains the fault, if known
    advice: tuple[str, ...] = ()  # sentences; the one for this kind of fault comes first
    asked_for: tuple[str, ...] = ()  # the rules of mends that answer its message


@dataclass(frozen=True)
class Part:
    """A module of the target, or a function, compiled alone and compared on the calls recorded for it."""

    path: str  # the module's path from the target, "" for the target itself; a function's qualified name
    name: str  # the qualified name of the class or function
    place: Place = NO_PLACE  # its definition
    scripts: bool = False
    answers: Answers = Answers.UNKNOWN
    calls: int = 0  # the number of recorded calls that were compared
    faults: tuple[Fault, ...] = ()  # all its own faults that could be found, without the faults of its children
    blamed: tuple[str, ...] = ()  # the paths of the nearest unsound parts inside it
    hidden: bool = False  # a fault that could not be left out may hide more faults
    traces: bool = False  # `torch.jit.trace` answers like eager on the recorded calls, and on others of the same shape
    size: int = 1  # the number of parts in it, itself included, that were not judged alone because it is sound
    compiled: tuple[Owner, ...] = ()  # the functions that the compiler read
    classes: tuple[tuple[str, str], ...] = ()  # the file and qualified name of every class in it, except torch's
    is_function: bool = False  # it is a function, not a module

    @property
    def is_sound(self) -> bool:
        """Whether it scripts, and no call shows other answers."""
        return self.scripts and self.answers in (Answers.ALIKE, Answers.NOT_CALLED)

    @property
    def is_proven(self) -> bool:
        """Whether it scripts, and answered alike on at least one call."""
        return self.scripts and self.answers is Answers.ALIKE


@dataclass(frozen=True)
class Blame:
    """The faulty parts of a failed target: its modules, parents first, without the modules inside a sound one."""

    target: Target
    parts: tuple[Part, ...]
    unjudged: tuple[Part, ...] = ()  # modules for which there was no time, each with all its submodules


@dataclass(frozen=True)
class Trap:
    """A place where TorchScript silently differs from Python."""

    code: str  # an entry of the catalogue, from PDT100 on
    message: str
    place: Place
    owner: Owner | None = None  # the compiled function that contains it
    doubtful: bool = False  # it differs only on odd values, and is reported only if a call shows the difference


@dataclass(frozen=True)
class Counterexample:
    """A drawn call that answers differently when scripted, made as small as possible."""

    call: str  # a line that a spec takes, such as `Call((f32(2, 3), None))`
    message: str  # the difference
    place: Place  # where the difference begins, as far as known
    confirms: tuple[Trap, ...] = ()  # the traps that the call runs into
    is_mild: bool = False  # eager mode raises, or only the class of a number differs

    @property
    def is_wrong(self) -> bool:
        """Whether a known trap makes the scripted answer differ from the eager one."""
        return bool(self.confirms) and not self.is_mild


@dataclass(frozen=True)
class Further:
    """The traps of a target that verifies, and the drawn calls on which it differs."""

    traps: tuple[Trap, ...] = ()
    counterexamples: tuple[Counterexample, ...] = ()
    unseen: tuple[str, ...] = ()  # impossible checks, with reasons: the target is too odd for one of our methods
    undrawn: int = 0  # the number of calls for which no processor time was left

    def __or__(self, other: "Further") -> "Further":
        more = (self.traps + other.traps, self.counterexamples + other.counterexamples, self.unseen + other.unseen)
        return Further(*more, self.undrawn + other.undrawn)


NOTHING_FURTHER = Further()


PARSES, SAME_PROGRAM, STABLE = "parses", "same program", "stable"
SCRIPTS, RUNS, ANSWERS, HELD_BACK, CALLERS_SEE = "scripts", "runs", "answers", "held back", "callers see"
SAVED, METHODS, PROBES, EAGER = "saved and loaded", "methods", "probes", "eager as before"
BEHAVES, UNDONE, PUBLIC, CALLS, ALSO_RUNS = "behaves as before", "undone", "public names", "calls fit", "also runs"
TRACES, TRACES_ALIKE, STILL_SCRIPTS = "trace answers", "traces alike", "scripts as before"
AS_BEFORE = "same as before the edit"


@dataclass(frozen=True)
class Judge:
    """A judge and the meaning of its verdicts."""

    name: str
    no: str = ""  # the meaning of its no for the target, as a clause; "" if its name says enough
    # The `Answers` of a part of a target that mean the same as its no; None if no answer does.
    means: Answers | None = None
    code: str = ""  # the finding for its no; "" if the message decides
    is_textual: bool = False  # it reads the sources, and needs no compiler
    is_per_call: bool = False  # it has a verdict on each example call


JUDGES: Mapping[str, Judge] = {
    judge.name: judge
    for judge in (
        Judge(PARSES, is_textual=True),
        Judge(SAME_PROGRAM, is_textual=True),
        Judge(STABLE, is_textual=True),
        Judge(SCRIPTS, "it does not script", Answers.UNKNOWN),
        Judge(RUNS),
        Judge(ANSWERS, "the scripted results differ from Python's", Answers.DIFFER, "PDT060", is_per_call=True),
        Judge(
            HELD_BACK,
            "the scripted results differ from Python's on held-back calls",
            Answers.DIFFER,
            "PDT063",
            is_per_call=True,
        ),
        Judge(CALLERS_SEE, "callers see a difference other than the result", code="PDT068"),
        Judge(SAVED, "the model returns other results after it is saved and loaded", code="PDT069"),
        Judge(METHODS),
        Judge(PROBES, "the result of a generated call differs", code="PDT067"),
        # EAGER: the annotations alone leave the Python program unchanged. The others say the same of mends.
        Judge(EAGER, "the annotations change the behaviour in Python", code="PDT062"),
        Judge(BEHAVES, "the code changes change the behaviour in Python", code="PDT094"),
        Judge(UNDONE, "the files without the code changes differ from the original files", code="PDT094"),
        Judge(PUBLIC, "the code changes remove a public name", code="PDT094"),
        Judge(CALLS, "a call in the project no longer matches the signature", code="PDT094"),
        Judge(ALSO_RUNS, "a command fails with the changes", code="PDT095"),
        # For mends with which a trace answers right.
        Judge(TRACES),
        Judge(TRACES_ALIKE),
        Judge(STILL_SCRIPTS),
        Judge(AS_BEFORE, "the edit changes the behaviour", code="PDT078"),
    )
}
"""Judges by name. A judge of any other name has no entry."""


def judge_of(name: str) -> Judge:
    return JUDGES.get(name, Judge(name))

"""What came of capturing a program in the ways that PyTorch has."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure


class CaptureClass(enum.Enum):
    """What a way of capturing asks of the program, and what it does where it cannot go on."""

    OUT_OF_BOX = "out of the box"
    HUMAN_IN_THE_LOOP = "human in the loop"
    BEST_EFFORT = "best effort"


class Wraps(enum.Enum):
    """The targets that a way wraps in a module before it captures."""

    NOTHING = "nothing"
    METHODS = "methods and functions"
    ALL = "all"


@dataclass(frozen=True)
class Way:
    """One way of capturing.

    Args:
        name: on the command line and in JSON: "export-dynamic".
        title: for people: "torch.export, dynamic shapes".
        made_by: the "module:function" in `captures.ways` that captures; only a child imports it.
        kind: its class.
        sound: whether what it captured answers right, or refuses, on every input, by design.
        wraps: what it puts into a module of its own, as `module`, before it captures.
    """

    name: str
    title: str
    made_by: str
    kind: CaptureClass
    sound: bool
    wraps: Wraps = Wraps.NOTHING


class Fate(enum.Enum):
    """What became of a capture, or of one call of what was captured."""

    SAME = "same"
    DIFFERS = "differs"
    REFUSED = "refused"
    ABSENT = "absent"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class CallFate:
    """One example call of a captured program, beside the same call in eager mode.

    Args:
        made_from: the program was captured from this call.
        fate: `REFUSED` where the captured program raises and the eager one does not; `NOT_COMPARED` where it calls
            what was not captured: another method, or another function.
        message: what differs, what was raised, or what it calls.
    """

    call: str
    fate: Fate
    held_back: bool = False
    made_from: bool = False
    message: str = ""


@dataclass(frozen=True)
class Baked:
    """Something that a trace took for good from the call it was made from.

    Args:
        frames: the lines of the user's files that were running, the innermost first.
        path: the module that was running, from the target.
        message: how that showed.
        differs: the traces of two calls differ; else the tracer warned of it.
    """

    frames: tuple[Place, ...]
    path: str
    message: str
    differs: bool = False

    @property
    def place(self) -> Place:
        """The innermost line."""
        return self.frames[0] if self.frames else NO_PLACE


@dataclass(frozen=True)
class Baking:
    """What traces of the calls take for good; `failure` is why there is no trace, where there is none."""

    baked: tuple[Baked, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class Capture:
    """What came of one way.

    Args:
        way: its name.
        captured: whether there is a captured program.
        failure: the first reason why not, where the source is at fault with its place.
        absent: why this torch has no such way, "" where it has.
        graphs: how many graphs the program came to.
        whole: they are all of the program: no part of it is left to Python.
        calls: the example calls, held-back ones included, in order.
        findings: what is suspicious about it without any held-back call, and what to do about it.
        seconds: that capturing took.
        relative: that time in eager calls; None where it was not measured.
        per_call: the time of a call in eager calls; None where it was not measured.
        operators: by name, how often each stands in the graphs.
    """

    way: str
    captured: bool = False
    failure: Failure | None = None
    absent: str = ""
    graphs: int = 0
    whole: bool = False
    calls: tuple[CallFate, ...] = ()
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    relative: float | None = None
    per_call: float | None = None
    operators: Mapping[str, int] = field(default_factory=dict)

    @property
    def fate(self) -> Fate:
        """Of the whole: it differs where any call does, and is refused where it was not captured or any call is."""
        if self.absent:
            return Fate.ABSENT
        fates = {call.fate for call in self.calls}
        if Fate.DIFFERS in fates:
            return Fate.DIFFERS
        return Fate.REFUSED if not self.captured or Fate.REFUSED in fates else Fate.SAME


@dataclass(frozen=True)
class Requirement:
    """Whether a way does what was required of it: to capture the target, and to answer as it does on all calls.

    Args:
        way: its name.
        reason: why it does not, in one line, with its place; "" where it does.
    """

    way: str
    reason: str = ""

    @property
    def met(self) -> bool:
        return not self.reason


@dataclass(frozen=True)
class Captures:
    """All ways of capturing one version of a target.

    Args:
        version: "as it is", or "annotated".
        note: why there is no annotated version, say.
        ways: those that were tried, in the order of `captures`.
        required: what was required of ways; of the version on which it is judged.
        root: the directory from which the user's files are named.
    """

    target: Target
    version: str
    captures: tuple[Capture, ...]
    note: str = ""
    ways: tuple[Way, ...] = ()
    required: tuple[Requirement, ...] = ()
    root: str = ""

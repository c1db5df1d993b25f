"""The results of capturing a program in PyTorch's ways."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.verdicts import Failure


class CaptureClass(enum.Enum):
    """A way's demands on the program, and its behaviour when it cannot go on."""

    OUT_OF_BOX = "out of the box"
    HUMAN_IN_THE_LOOP = "human in the loop"
    BEST_EFFORT = "best effort"


class Wraps(enum.Enum):
    """The kinds of target that a way wraps in a module before it captures."""

    NOTHING = "nothing"
    METHODS = "methods and functions"
    ALL = "all"


@dataclass(frozen=True)
class Way:
    """One way of capturing."""

    name: str  # the name on the command line and in JSON: "export-dynamic"
    title: str  # the name for people: "torch.export, dynamic shapes"
    made_by: str  # the "module:function" in `captures.ways` that captures; only a child imports it
    kind: CaptureClass  # its class
    sound: bool  # whether the captured program, by design, answers right or refuses on every input
    wraps: Wraps = Wraps.NOTHING  # the targets that it puts into a new module, as `module`, before it captures

    @property
    def reads_annotations(self) -> bool:
        """Whether it compiles source, so that annotations may change the result."""
        return self.name in ("script", "trace-mixed")


class Fate(enum.Enum):
    """The result of a capture, or of one call of the captured program."""

    SAME = "same"
    DIFFERS = "differs"
    REFUSED = "refused"
    ABSENT = "absent"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class CallFate:
    """One example call of a captured program, compared with the same call in eager mode.

    Args:
        made_from: the program was captured from this call.
        fate: `REFUSED` if the captured program raises and the eager one does not; `NOT_COMPARED` if the call enters
            another method or function than the captured one.
        message: the difference, the error, or the method or function that the call enters.
    """

    call: str
    fate: Fate
    held_back: bool = False
    made_from: bool = False
    message: str = ""


@dataclass(frozen=True)
class Baked:
    """Something that a trace made constant, as it was in the traced call."""

    frames: tuple[Place, ...]  # the lines of the user's files that were running, the innermost first
    path: str  # the module that was running, as a path from the target
    message: str  # the evidence
    differs: bool = False  # the traces of two calls differ; otherwise the tracer warned of it

    @property
    def place(self) -> Place:
        return self.frames[0] if self.frames else NO_PLACE


@dataclass(frozen=True)
class Baking:
    """Everything that traces of the calls make constant; `failure` is the reason if there is no trace."""

    baked: tuple[Baked, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True)
class Capture:
    """The result of one way.

    Args:
        captured: whether there is a captured program.
        failure: the first reason why there is no program; it has a place if the source causes it.
        absent: why this torch lacks the way, "" if it has it.
        graphs: the number of graphs in the program.
        whole: the graphs hold the whole program: Python runs no part of it.
        calls: the example calls, held-back ones included, in order.
        findings: suspicious things that show without any held-back call, and advice on them.
        seconds: the time that capturing took.
        relative: that time, measured in eager calls; None if it was not measured.
        per_call: the time of a call, measured in eager calls; None if it was not measured.
        operators: how often each operator occurs in the graphs, by name.
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
        """The fate as a whole: DIFFERS if any call differs, REFUSED if nothing was captured or a call is refused."""
        if self.absent:
            return Fate.ABSENT
        fates = {call.fate for call in self.calls}
        if Fate.DIFFERS in fates:
            return Fate.DIFFERS
        return Fate.REFUSED if not self.captured or Fate.REFUSED in fates else Fate.SAME


@dataclass(frozen=True)
class Requirement:
    """Whether a required way captures the target, and the captured program answers like it on all calls."""

    way: str
    reason: str = ""  # why the way does not work, in one line, with its place; "" if it works

    @property
    def met(self) -> bool:
        return not self.reason


@dataclass(frozen=True)
class Captures:
    """The results of all ways for one version of a target.

    Args:
        version: "as it is" or "annotated".
        note: a remark, for example why there is no annotated version.
        ways: the ways that were tried, in the order of `captures`.
        required: the requirements, in the version on which they are judged.
        root: the directory from which the user's files are named.
    """

    target: Target
    version: str
    captures: tuple[Capture, ...]
    note: str = ""
    ways: tuple[Way, ...] = ()
    required: tuple[Requirement, ...] = ()
    root: str = ""

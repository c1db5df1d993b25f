"""The results of capturing a program in PyTorch's ways; and the values of `save`: the request, the programs that were
tried, and the file with its proof."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.mends import Mend
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.verdicts import Failure

METADATA = "pdt-annotate.json"  # the name of our entry in the archive of a saved program


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
    name: str  # the name on the command line and in JSON: "export-dynamic"
    title: str  # the name for people: "torch.export, dynamic shapes"
    made_by: str  # the "module:function" in `captures.ways` that captures; only a child imports it
    kind: CaptureClass  # its class
    sound: bool  # whether the captured program, by design, answers right or refuses on every input
    wraps: Wraps = Wraps.NOTHING  # the targets that it puts into a new module, as `module`, before it captures


class Fate(enum.Enum):
    """The result of a capture, or of one call of the captured program."""

    SAME = "same"
    DIFFERS = "differs"
    REFUSED = "refused"
    ABSENT = "absent"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class CallFate:
    """One example call of a captured program, compared with the same call in eager mode."""

    call: str
    # `REFUSED` if the captured program raises and the eager one does not; `NOT_COMPARED` if the call enters another
    # method or function than the captured one.
    fate: Fate
    held_back: bool = False
    made_from: bool = False  # the program was captured from this call
    message: str = ""  # the difference, the error, or the method or function that the call enters


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
    """The result of one way."""

    way: str
    captured: bool = False  # whether there is a captured program
    failure: Failure | None = None  # the first reason why there is no program; it has a place if the source causes it
    absent: str = ""  # why this torch lacks the way, "" if it has it
    graphs: int = 0  # the number of graphs in the program
    whole: bool = False  # the graphs hold the whole program: Python runs no part of it
    calls: tuple[CallFate, ...] = ()  # the example calls, held-back ones included, in order
    findings: tuple[Finding, ...] = ()  # suspicious things that show without any held-back call, and advice on them
    seconds: float = 0.0  # the time that capturing took
    relative: float | None = None  # that time, measured in eager calls; None if it was not measured
    per_call: float | None = None  # the time of a call, measured in eager calls; None if it was not measured
    operators: Mapping[str, int] = field(default_factory=dict)  # how often each operator occurs in the graphs, by name

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
    """The results of all ways for one version of a target."""

    target: Target
    version: str  # "as it is" or "annotated"
    captures: tuple[Capture, ...]
    note: str = ""  # a remark, for example why there is no annotated version
    ways: tuple[Way, ...] = ()  # the ways that were tried, in the order of `captures`
    required: tuple[Requirement, ...] = ()  # the requirements, in the version on which they are judged
    root: str = ""  # the directory from which the user's files are named


@dataclass(frozen=True)
class SaveRequest:
    """How to save a program."""

    file: str  # the archive to write
    calls: str  # the file that gets the calls with the model's answers, as data without the project's classes
    methods: tuple[str, ...] = ()  # the methods to keep in addition to the ones that calls name
    freeze: bool = False
    optimize: bool = False
    # The entry of the archive, as JSON; the child adds the calls.
    metadata: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class SaveAttempt:
    """The result of capturing a program and saving it."""

    failure: Failure | None = None  # why there is no file; None if there is one
    absent: str = ""  # why this way means nothing for the target, "" if it does
    apart: tuple[CallFate, ...] = ()  # the calls that the file cannot make, each with the reason
    # By call, the respects in which it differs from the recorded call.
    varied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    respects: tuple[str, ...] = ()  # the respects in which any call of the target may differ
    findings: tuple[Finding, ...] = ()  # branches that no call takes
    notes: tuple[str, ...] = ()  # remarks for people


@dataclass(frozen=True)
class JudgedFile:
    """The answers of a loaded file, compared with the recorded ones; `libraries` had to be imported to load it."""

    calls: tuple[CallFate, ...] = ()
    failure: Failure | None = None
    libraries: tuple[str, ...] = ()
    # The error of a module in eval mode that answers right only while no gradients are recorded.
    with_gradients: str = ""


@dataclass(frozen=True)
class Rung:
    """One way of making a program, from the soundest on; `lacks` is why it did not suffice, "" for the saved one."""

    title: str
    lacks: str = ""
    place: Place = NO_PLACE


@dataclass(frozen=True)
class SavedModel:
    """A file, the rungs up to the one that was saved, and the proof."""

    target: Target
    file: str  # the name as the user wrote it; "" if nothing was saved
    rungs: tuple[Rung, ...]
    calls: tuple[CallFate, ...] = ()  # the result of each example call of the loaded file
    baked: tuple[Baked, ...] = ()  # the values that the program keeps from its recorded call
    findings: tuple[Finding, ...] = ()
    mends: tuple[Mend, ...] = ()  # the changes of code that were made in memory
    notes: tuple[str, ...] = ()

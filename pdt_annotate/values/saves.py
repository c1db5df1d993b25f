"""The values of `save`: the request, the programs that were tried, and the file with its proof."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pdt_annotate.values.capture_results import Baked, CallFate
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.verdicts import Failure

METADATA = "pdt-annotate.json"  # the name of our entry in the archive of a saved program
SIZES, VALUES, NONE = "sizes", "values", "None"
"""The respects in which a call may differ from the call that a program was made from."""


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

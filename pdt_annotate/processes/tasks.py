"""The tasks of children, with types: the boundary between the tool, which has no torch, and processes with torch.

A task is declared here, and defined under the same name in a module that only a child imports. The parameters are the
same except for the first: the session here, the state that its setup left there. A test compares both.
"""

# mypy: disable-error-code="empty-body"

import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, assert_spared
from pdt_annotate.values.capture_results import Baking, CallFate, Capture, JudgedFile, SaveAttempt, SaveRequest, Way
from pdt_annotate.values.exports import Arrangement, Axis, Exportable, SpelledCall
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.mends import LiveFacts
from pdt_annotate.values.runs import Candidate, Observed, SpecSource, Target
from pdt_annotate.values.slots import Annotation, Owner
from pdt_annotate.values.verdicts import Further, Part, Trial, Verdict

P = ParamSpec("P")
R = TypeVar("R")
Ask = Callable[Concatenate[Session, P], R]

PREPARE = "pdt_annotate.processes.child.prepared:prepare"


@dataclass(frozen=True)
class TargetRun:
    target: Target
    session: Session
    observed: Observed


declared: dict[str, Callable[..., object]] = {}  # by name


def answered_in(module: str) -> Callable[[Ask[P, R]], Ask[P, R]]:
    """Declare a task: a call of the function runs the function of the same name in a module, in the child.

    With `heard`, the output of the task goes to our stderr. Every task raises `UserCodeError` if the child crashed,
    exited or took longer than the timeout.
    """

    def declare(function: Ask[P, R]) -> Ask[P, R]:
        name = f"{module}:{function.__name__}"
        declared[name] = function

        @functools.wraps(function)
        def ask(session: Session, /, *args: P.args, **flags: P.kwargs) -> R:
            run: Callable[..., R] = session.run
            return run(name, *args, gives=function.__annotations__["return"], **flags)

        return ask

    return declare


def import_answers() -> None:
    """Import the modules that define the tasks, so that forks of this process need not."""
    for name in declared:
        importlib.import_module(name.partition(":")[0])


def open_session(
    options: Options,
    zygote: Zygote,
    target: Target,
    sources: Mapping[str, bytes] = {},
    imports: Mapping[str, Sequence[str]] = {},
    *,
    first: bool = False,
    traced: bool = False,
    with_libraries: bool = False,
) -> Session:
    """A session in which a target is imported over the overlay of `sources` and built.

    Only in a target's `first` session the output of building it is heard. If `traced`, the construction is observed,
    and takes longer. `with_libraries` is as in `Zygote.session`. Raises UserError if the target, the spec or the user's
    code has an error, or an output would replace a module.
    """
    third_party = options.types_third_party
    asked = (target, options.spec, options.root, sources, imports)
    how = {"third_party": third_party, "traced": traced, "heard": first, "with_libraries": with_libraries}
    session = zygote.session(PREPARE, *asked, **how)
    if any(map(os.path.exists, options.outputs.values())):
        assert_spared(options.outputs, loaded_files(session).values())
    return session


def open_session_with(options: Options, zygote: Zygote, target: Target, file: str, text: str) -> Session:
    """A session that imports the text of an unwritten Python file before the target."""
    setup = "pdt_annotate.captures.exporting.describe:prepare_with"
    return zygote.session(setup, file, text, target, options.spec, options.root, with_libraries=True)


def open_session_of_file(zygote: Zygote, file: str, calls: str, root: str) -> Session:
    """A session without the project, for a saved program and the file of its calls, which "" leaves out."""
    setup, is_export = "pdt_annotate.captures.saved_file:prepare_file", file.endswith(".pt2")
    return zygote.session(setup, file, calls, root, with_libraries=is_export)  # torch's, which load exports


def open_session_sent(options: Options, zygote: Zygote, sent: object, sources: Mapping[str, bytes]) -> Session:
    """A session that holds a live object, pickled by another process, with the code of mended sources."""
    return zygote.session("pdt_annotate.flows.live_session:prepare_sent", sent, options, sources)


def import_first(options: Options, zygote: Zygote, module: str, sources: Mapping[str, bytes]) -> None:
    """Import a module before any other of the project, over the overlay of `sources`; raises `UserError`."""
    zygote.session("pdt_annotate.processes.child.prepared:import_first", module, options.root, sources).close()


@answered_in("pdt_annotate.processes.child.observe_target")
def loaded_files(session: Session) -> dict[str, str]:
    """The imported modules of the project, without libraries: dotted name → file."""


@answered_in("pdt_annotate.processes.child.observe_target")
def third_party_files(session: Session) -> dict[str, str]:
    """The same for modules outside the root that the compiler may read."""


@answered_in("pdt_annotate.processes.child.observe_target")
def library_modules(session: Session) -> tuple[str, ...]:
    """The installed modules that are imported, in import order."""


@answered_in("pdt_annotate.processes.child.observe_target")
def observe(session: Session, *, as_scripted: bool, heard: bool = False, all_locals: bool = False) -> Observed:
    """Run every example call that is not held back, and return the types that flowed.

    With `as_scripted`, run the calls once more with `torch.jit.is_scripting()` true; with `all_locals`, read every
    local, not only locals that may need an annotation.
    """


@answered_in("pdt_annotate.processes.child.observe_target")
def facts(session: Session) -> LiveFacts:
    """Run the example calls, and return the contents of modules and the arguments of callers."""


@answered_in("pdt_annotate.processes.child.behaviour")
def record_behaviour(session: Session) -> bytes:
    """The effects of every example call in Python, for `judge_behaviour` in another session."""


@answered_in("pdt_annotate.processes.child.behaviour")
def record_state(session: Session) -> bytes:
    """The parameters and buffers of the target as it was built, for `judge_behaviour`."""


@answered_in("pdt_annotate.processes.child.behaviour")
def state_keys(session: Session) -> tuple[str, ...]:
    """The keys of the target's `state_dict()`."""


@answered_in("pdt_annotate.processes.child.behaviour")
def judge_behaviour(session: Session, recorded: bytes, state: bytes = b"") -> tuple[Verdict, ...]:
    """Whether every example call has the recorded effects in Python, from the parameters in `state`, if any."""


@answered_in("pdt_annotate.processes.child.probe")
def look_further(session: Session, candidate: Candidate, seconds: float) -> Further:
    """The traps in a target that scripts, and drawn calls that differ; `seconds` of processor time for calls, or 0."""


@answered_in("pdt_annotate.processes.child.attempt")
def attempt(session: Session, candidate: Candidate, *, thorough: bool = True) -> Trial:
    """Compile the target with a candidate's annotations, and compare its answers.

    A difference is accepted if the source makes it on purpose, by asking whether it is scripted. If `thorough`, compile
    and run as users will, and compare gradients, state after calls, and the model after saving and loading it.
    """


@answered_in("pdt_annotate.processes.child.attempt")
def attempt_part(session: Session, candidate: Candidate, owner: Owner) -> Trial | None:
    """Compile only the module or function that a function belongs to; None if there is no such part."""


@answered_in("pdt_annotate.processes.child.attempt")
def failing_parts(session: Session, candidate: Candidate, compiled: tuple[Owner, ...]) -> tuple[Trial, ...]:
    """Trials of the submodules that a failed compilation did not reach and that fail."""


@answered_in("pdt_annotate.processes.child.attempt")
def return_types(session: Session, candidate: Candidate) -> dict[Owner, str]:
    """The result types of all compiled functions, in the compiler's spelling."""


@answered_in("pdt_annotate.blame.modules")
def blame(
    session: Session,
    candidate: Candidate,
    trial: Trial,
    types: Mapping[Owner, tuple[Annotation, ...]],
    annotated: Candidate,
) -> tuple[Part, ...]:
    """The parts of a target that failed, parents first; then the parts that were not judged for lack of time.

    `types` are known types of parameters without annotation, and of results; `annotated` is the candidate with these
    parameters annotated.
    """


@answered_in("pdt_annotate.blame.modules")
def judge_paths(session: Session, candidate: Candidate, paths: Sequence[str]) -> tuple[Part, ...]:
    """The submodules of these paths, each compiled alone and compared on the calls recorded for it."""


@answered_in("pdt_annotate.blame.modules")
def attempt_module(session: Session, candidate: Candidate, path: str) -> Trial:
    """Compile one submodule, and compare its answers on the calls recorded for it."""


@answered_in("pdt_annotate.blame.compare_parts")
def judge_functions(session: Session, candidate: Candidate, names: Sequence[tuple[str, str]]) -> tuple[Part, ...]:
    """Functions by file and qualified name, each compiled alone and compared on its recorded calls."""


@answered_in("pdt_annotate.captures.examine")
def examine(session: Session, way: Way) -> Capture:
    """Capture the target in one way, and compare the captured program with eager mode on every example call.

    Raises `UserError` if there is nothing to capture, no call for it, or an error in eager mode.
    """


@answered_in("pdt_annotate.captures.saving")
def save_program(session: Session, way: Way, request: SaveRequest) -> SaveAttempt:
    """Capture the target in one way, and write the program, and its calls with the model's answers, into files."""


@answered_in("pdt_annotate.captures.saving")
def record_calls(session: Session, passing: str, file: str, *, traced: bool) -> tuple[CallFate, ...]:
    """Write the calls with the model's answers for a file that was saved before; return those it cannot make.

    `passing` is the kind of `Passing`, from the metadata of the file; if `traced`, the file is a trace with one method.
    """


@answered_in("pdt_annotate.captures.saved_file")
def judge_file(session: Session) -> JudgedFile:
    """Load a saved program in a session that `open_session_of_file` made, and compare its answers."""


@answered_in("pdt_annotate.captures.examine")
def find_baked(session: Session, *, adapted: bool, drawn: bool, saved: bool = False) -> Baking:
    """The values that a trace keeps from its call.

    Args:
        adapted: the trace uses a `TracingAdapter`.
        drawn: draw calls, too.
        saved: trace as `save` does, where numbers that come from tensors stay variable.
    """


@answered_in("pdt_annotate.captures.picture")
def picture(session: Session, of: str, call: str = "") -> Graph:
    """The graph of the target, captured in one way, with the shapes of the call named `call`, or of the first."""


@answered_in("pdt_annotate.captures.picture")
def picture_file(session: Session) -> Graph:
    """The graph of a saved program, in a session that `open_session_of_file` made."""


@answered_in("pdt_annotate.captures.exporting.describe")
def describe(session: Session, target: Target, source: SpecSource) -> Exportable:
    """The construction and calls of the target as Python text; raises `VerificationError` if no text can make it."""


@answered_in("pdt_annotate.captures.exporting.describe")
def spell_call(session: Session, number: int, names: tuple[str, ...], instead: Mapping[Axis, int]) -> SpelledCall:
    """The named arguments of a call as Python text, with the sizes `instead` in place of the call's."""


@answered_in("pdt_annotate.captures.exporting.describe")
def run_export(session: Session, file: str, text: str, arrangement: Arrangement, served: tuple[int, ...]) -> Capture:
    """Export with the definitions of a file, and compare the program with eager mode on the calls `served`."""

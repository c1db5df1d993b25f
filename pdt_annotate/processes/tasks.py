"""All that may be asked of a child: the typed wall between the tool, which has no torch, and what has.

A task is declared and described here, and defined in a module that only a child imports, under the same name and with
the same parameters, but for the first: here it is the session, there what the session's setup has left. A test compares
both.
"""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from pdt_annotate.overlays.serving import NO_IMPORTS
from pdt_annotate.processes.session import Session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options, assert_spared
from pdt_annotate.values.captures import Baking, Capture, Way
from pdt_annotate.values.exports import Arrangement, Axis, Exportable, SpelledCall
from pdt_annotate.values.further import Further
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.mends import LiveFacts
from pdt_annotate.values.runs import Candidate, Observed, SpecSource, Target
from pdt_annotate.values.slots import Annotation, Owner
from pdt_annotate.values.verdicts import Part, Trial, Verdict

P = ParamSpec("P")
R = TypeVar("R")
Ask = Callable[Concatenate[Session, P], R]

NO_SOURCES: Mapping[str, bytes] = {}
PREPARE = "pdt_annotate.processes.child.prepare:prepare"
PREPARE_WITH = "pdt_annotate.captures.exporting.describe:prepare_with"
PREPARE_SENT = "pdt_annotate.flows.live_session:prepare_sent"
IMPORT_FIRST = "pdt_annotate.processes.child.prepare:import_first"


@dataclass(frozen=True)
class TargetRun:
    """One target with the session in which it is built, and what observing it gave."""

    target: Target
    session: Session
    observed: Observed


declared: dict[str, Callable[..., object]] = {}  # by name, the tasks as they are declared


def answered_in(module: str) -> Callable[[Ask[P, R]], Ask[P, R]]:
    """Have a function answered by the one of its name in a module that is imported in the child.

    A parameter `heard` is for the session: what the task prints goes to our stderr.

    Raises (what is declared so):
        UserCodeError: the child crashed, exited or took longer than the timeout.
    """

    def declare(function: Ask[P, R]) -> Ask[P, R]:
        name = f"{module}:{function.__name__}"
        declared[name] = function

        @functools.wraps(function)
        def ask(session: Session, /, *args: P.args, **flags: P.kwargs) -> R:
            run: Callable[..., R] = session.run
            return run(name, *args, gives=_result_of(function), **flags)

        return ask

    return declare


@functools.cache
def _result_of(function: Callable[..., object]) -> Any:
    return get_type_hints(function)["return"]


def import_answers() -> None:
    """Import what answers the tasks here, for forks of this process not to import it one by one."""
    for name in declared:
        importlib.import_module(name.partition(":")[0])


def open_session(
    options: Options,
    zygote: Zygote,
    target: Target,
    sources: Mapping[str, bytes] = NO_SOURCES,
    imports: Mapping[str, Sequence[str]] = NO_IMPORTS,
    *,
    first: bool = False,
    traced: bool = False,
    with_libraries: bool = False,
    with_modules: Sequence[str] = (),
) -> Session:
    """A session in which a target is imported over the overlay of `sources` and built.

    Args:
        first: of the target's sessions; what building it prints is heard there alone.
        traced: observe what building it shows, as the first session does.
        with_libraries: fork it from the process that has imported libraries, where `import_libraries` made one.
        with_modules: modules of ours that its tasks need.

    Raises:
        UserError: the target, the spec or the user's code is at fault, or an output would replace a module.
    """
    third_party = options.types_third_party
    asked = (target, options.spec, options.root, sources, imports)
    how = {"third_party": third_party, "traced": first or traced, "heard": first, "with_libraries": with_libraries}
    session = zygote.session(PREPARE, *asked, **how, with_modules=tuple(with_modules))
    if any(map(os.path.exists, options.outputs.values())):
        assert_spared(options.outputs, loaded_files(session).values())
    return session


def open_session_with(options: Options, zygote: Zygote, target: Target, file: str, text: str) -> Session:
    """A session in which a Python file that nobody has written yet is imported before the target."""
    return zygote.session(PREPARE_WITH, file, text, target, options.spec, options.root)


def open_session_sent(options: Options, zygote: Zygote, sent: object, sources: Mapping[str, bytes]) -> Session:
    """A session that holds a live object, pickled by another process, with the code of mended sources."""
    return zygote.session(PREPARE_SENT, sent, options, sources)


def import_first(options: Options, zygote: Zygote, module: str, sources: Mapping[str, bytes]) -> None:
    """Import a module of the project before any other of it, over the overlay of `sources`.

    Raises:
        UserError: it raised.
    """
    zygote.session(IMPORT_FIRST, module, options.root, sources).close()


@answered_in("pdt_annotate.processes.child.observe")
def loaded_files(session: Session) -> dict[str, str]:
    """The modules of the project that are imported, libraries left out: dotted name → file."""


@answered_in("pdt_annotate.processes.child.observe")
def third_party_files(session: Session) -> dict[str, str]:
    """The same for modules outside the root, which the compiler may come to."""


@answered_in("pdt_annotate.processes.child.observe")
def library_modules(session: Session) -> tuple[str, ...]:
    """The installed modules that are imported now, in the order in which they were."""


@answered_in("pdt_annotate.processes.child.observe")
def observe(session: Session, *, as_scripted: bool, heard: bool = False, all_locals: bool = False) -> Observed:
    """Run every example call that is not held back, and return the types that flowed.

    Args:
        as_scripted: run the calls once more as the compiler would take branches on `torch.jit.is_scripting()`.
        all_locals: read every local, also where no annotation needs that.
    """


@answered_in("pdt_annotate.processes.child.observe")
def facts(session: Session) -> LiveFacts:
    """Run the example calls; tell what modules hold and callers pass, beside types."""


@answered_in("pdt_annotate.processes.child.behaviour")
def record_behaviour(session: Session) -> bytes:
    """What every example call, held-back ones included, does in Python; for `judge_behaviour` in another session."""


@answered_in("pdt_annotate.processes.child.behaviour")
def record_state(session: Session) -> bytes:
    """The parameters and buffers of the target as it was built; for `judge_behaviour` to begin from."""


@answered_in("pdt_annotate.processes.child.behaviour")
def judge_behaviour(session: Session, recorded: bytes, state: bytes = b"") -> tuple[Verdict, ...]:
    """Whether every example call does in Python what it did when that was recorded.

    Args:
        state: parameters and buffers to begin from, where building the target twice does not give the same.
    """


@answered_in("pdt_annotate.processes.child.probe")
def look_further(session: Session, candidate: Candidate, seconds: float) -> Further:
    """The traps in what the compiler reads of a target that scripts with a candidate's annotations, and drawn calls on
    which it answers otherwise than eager mode.

    Args:
        seconds: of processor time that all drawn calls may take; none are drawn for 0.
    """


@answered_in("pdt_annotate.processes.child.attempt")
def attempt(session: Session, candidate: Candidate, *, thorough: bool = True) -> Trial:
    """Compile the target with a candidate's annotations, and compare its answers.

    Where they differ, what the source answers on purpose when it is scripted is accepted.

    Args:
        thorough: compile and run as users will, and look at gradients, at what calls leave behind and at the model
            when it was saved and loaded; without, a trial saves time.
    """


@answered_in("pdt_annotate.processes.child.attempt")
def attempt_part(session: Session, candidate: Candidate, owner: Owner) -> Trial | None:
    """Compile only the module or function that a function belongs to; None where there is no such part."""


@answered_in("pdt_annotate.processes.child.attempt")
def failing_parts(session: Session, candidate: Candidate, compiled: tuple[Owner, ...]) -> tuple[Trial, ...]:
    """Trials of the submodules that fail, side by side: of those that a failed compilation never came to."""


@answered_in("pdt_annotate.processes.child.attempt")
def return_types(session: Session, candidate: Candidate) -> dict[Owner, str]:
    """The result types, as the compiler spells them, of every function that it compiled."""


@answered_in("pdt_annotate.blame.modules")
def blame(
    session: Session,
    candidate: Candidate,
    trial: Trial,
    types: Mapping[Owner, tuple[Annotation, ...]],
    annotated: Candidate,
) -> tuple[Part, ...]:
    """The parts of a target that failed, parents first, each with its faults; then those that were not judged."""


@answered_in("pdt_annotate.blame.modules")
def judge_paths(session: Session, candidate: Candidate, paths: Sequence[str]) -> tuple[Part, ...]:
    """The submodules of these paths, each compiled by itself and compared on the calls recorded for it."""


@answered_in("pdt_annotate.blame.modules")
def attempt_module(session: Session, candidate: Candidate, path: str) -> Trial:
    """Compile one submodule, and compare its answers on the calls recorded for it."""


@answered_in("pdt_annotate.blame.compare")
def judge_functions(session: Session, candidate: Candidate, names: Sequence[tuple[str, str]]) -> tuple[Part, ...]:
    """Functions by file and qualified name, each compiled by itself and compared on its recorded calls."""


@answered_in("pdt_annotate.captures.examine")
def examine(session: Session, way: Way) -> Capture:
    """Capture the target in one way, and compare what was captured with eager mode on every example call."""


@answered_in("pdt_annotate.captures.examine")
def find_baked(session: Session, *, adapted: bool, drawn: bool) -> Baking:
    """What a trace of the target takes for good from the call it is made from, as far as other calls show.

    Args:
        adapted: trace it through a `TracingAdapter`.
        drawn: look at drawn calls, too, which takes seconds.
    """


@answered_in("pdt_annotate.captures.picture")
def picture(session: Session, of: str, call: str = "") -> Graph:
    """The graph of the target as it is captured in one way.

    Args:
        call: the name of the example call whose shapes it has; the first where that is empty.
    """


@answered_in("pdt_annotate.captures.exporting.describe")
def describe(session: Session, target: Target, source: SpecSource) -> Exportable:
    """How the target is made and called, as far as a file can say it.

    Raises:
        VerificationError: no file can say how it is made.
    """


@answered_in("pdt_annotate.captures.exporting.describe")
def spell_call(session: Session, number: int, names: tuple[str, ...], instead: Mapping[Axis, int]) -> SpelledCall:
    """The arguments of the call of a number, as Python.

    Args:
        names: the arguments that are wanted, which may be left to their defaults.
        instead: other sizes than those of the call.
    """


@answered_in("pdt_annotate.captures.exporting.describe")
def run_export(session: Session, file: str, text: str, arrangement: Arrangement, served: tuple[int, ...]) -> Capture:
    """Export with what a file defines, and compare the program with eager mode on the calls of some numbers."""

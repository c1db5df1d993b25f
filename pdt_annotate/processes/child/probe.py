"""The task that looks for differences that the examples do not show: traps, and drawn calls with other answers."""

import importlib
import itertools
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import Prepared, callee_of, is_comparable, pair
from pdt_annotate.processes.child.probes.drawn_runs import Deviation, Runner, Work
from pdt_annotate.processes.child.probes.space import Base, Knowledge, Space, Variation, aspects_of, draws_endless
from pdt_annotate.processes.child.probes.spec_lines import spell
from pdt_annotate.processes.fork import can_fork
from pdt_annotate.values.live import function_of
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import NOTHING_FURTHER, Counterexample, Further, Trap
from pdt_annotate.verify import traps
from pdt_annotate.verify.judges.clones import CONSTRUCT, ScriptedObjects
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps import border
from pdt_annotate.verify.traps.compiled_view import look_at

BASES = 8  # the most examples to vary
CALLS = 60  # the most calls to draw
FEWEST = 8  # the fewest calls to draw, of a target that takes long
RANDOM = 20  # the fewest random calls for which importing hypothesis is worth it
EFFORT = 8e9  # the floating-point operations of all drawn calls in Python; the scripted target makes as many
NO_HYPOTHESIS = "random calls, because hypothesis is not installed in the model's environment"
WORTHWHILE = 1.0  # seconds of processor time for which importing hypothesis is worth it
MOST = 3  # the most counterexamples
TEXTS = 8  # the most texts of the source to pass; each is shorter than this plus four
TRIED = 3  # the most calls with the same difference to repeat, until one is believed
SMALLER = 30  # the most smaller calls to draw, until one differs
SHRINKING = 60  # the most calls to make to find a smaller one


def look_further(prepared: Prepared, candidate: Candidate, seconds: float) -> Further:
    apply(candidate)
    compilation = Compilation(quick=True)
    methods = prepared.methods
    compilation.run(prepared.built, methods)
    if not compilation.verdict.ok:
        return NOTHING_FURTHER
    is_ours = make_code_filter(prepared.root, prepared.third_party)
    further = _or_unseen(
        "traps", lambda: Further(traps.find(look_at(prepared.built, compilation, is_ours, {"forward", *methods})))
    )
    if seconds:
        met = tuple(trap for trap in further.traps if trap.code != border.CODE)  # no call is drawn that is converted
        further |= _or_unseen("generated calls", lambda: probe(prepared, compilation, met, seconds))
    return further


def _or_unseen(what: str, look: Callable[[], Further]) -> Further:
    """The result of `look`. An error in it is reported, and does not change the verdicts."""
    try:
        return look()
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Further(unseen=(f"{what}: {type(error).__name__} at {last.name}, line {last.lineno}",))


def probe(prepared: Prepared, compilation: Compilation, traps: tuple[Trap, ...], seconds: float) -> Further:
    """Draw calls on which the target answers differently when scripted, which may confirm some of its traps."""
    work = Work(seconds)
    if not can_fork():
        return NOTHING_FURTHER
    space = Space(tuple(itertools.islice(_bases(prepared, compilation), BASES)))
    probing = Probing(prepared, Runner(prepared, compilation, space), traps)
    found = probing.run(work)
    return Further((), found, (NO_HYPOTHESIS,) if probing.lacks_drawing else (), work.undone)


def import_drawing() -> Any:
    """The module `drafts`; None if hypothesis is missing."""
    try:
        return importlib.import_module("pdt_annotate.processes.child.probes.drafts")
    except ImportError:  # it is compiled in part, so only the same version of Python can borrow it
        return None


def _bases(prepared: Prepared, compilation: Compilation) -> Iterator[Base]:
    """The examples that can be varied, each after the calls that must come before it; the first also after itself."""
    built = prepared.built
    is_class = isinstance(built, type)
    scripted = pair(prepared, compilation.scripted)[1] if is_class else compilation.scripted
    texts = (text for function in compilation.functions for text in function.__code__.co_consts)
    short = (text for text in texts if isinstance(text, str) and len(text) < TEXTS + 4 and text.isidentifier())
    known = Knowledge(tuple(itertools.islice(dict.fromkeys(short), TEXTS)))
    if isinstance(built, torch.nn.Module):
        has_parameters = next(itertools.chain(built.parameters(), built.buffers()), None) is not None
        known = replace(known, is_module=True, has_parameters=has_parameters, training=built.training)
    before: tuple[Call, ...] = ()
    for index, call in enumerate(call for call in prepared.calls if is_comparable(prepared, scripted, call)):
        call = replace(call, name="", held_back=False)
        if is_class and call.method == CONSTRUCT:
            before = ()
        schema = None  # methods of script classes have none
        if not isinstance(scripted, ScriptedObjects):
            callee: Any = callee_of(prepared, scripted, call)
            schema = getattr(callee.forward if isinstance(callee, torch.nn.Module) else callee, "schema", None)
        yield Base(call, before, tuple(aspects_of(call, schema, known)))
        if is_class:
            before = (*before, call)
        elif index == 0 and known.is_module:
            yield Base(call, (call,))


@dataclass
class Probing:
    """Draws calls of one target, and keeps differences that it finds again."""

    prepared: Prepared
    runner: Runner
    traps: tuple[Trap, ...]
    lacks_drawing: bool = False
    _tried: Counter[Any] = field(default_factory=Counter)
    _confirmed: set[Trap] = field(default_factory=set)
    _differing: dict[int, bool] = field(default_factory=dict)  # whether an example differs, by the number of its base

    def run(self, work: Work) -> tuple[Counterexample, ...]:
        found = (pair for drafts in self._drafts(work) for pair in self.runner.search(drafts, work, self._is_known))
        believed = (self._look_again(draft, difference) for draft, difference in found)
        return tuple(itertools.islice(filter(None, believed), MOST))

    def _drafts(self, work: Work) -> Iterator[list[Variation]]:
        """Yield the drafts that most likely differ, then random ones. No clock decides how many."""
        space, built = self.runner.space, self.prepared.built
        parts = [type(each) for each in built.modules()] if isinstance(built, torch.nn.Module) else [built]
        effort = self.runner.effort()
        count = FEWEST if effort is None else int(min(CALLS, max(FEWEST, EFFORT / effort)))
        first = list(itertools.islice(space.telling(), count))
        yield first
        if count - len(first) >= RANDOM and work.seconds >= WORTHWHILE:
            drawing = import_drawing()
            self.lacks_drawing = drawing is None
            if drawing:
                drawing.read_constants_in({getattr(each, "__module__", "") for each in parts})
                yield drawing.draw_drafts(space, count - len(first))

    def _is_known(self, draft: Variation, difference: Deviation) -> bool:
        """Whether it was found before, or the example differs, too."""
        return self._tried[difference.kind] >= TRIED or self._differing.get(draft.base, False)

    def _look_again(self, draft: Variation, difference: Deviation) -> Counterexample | None:
        """The counterexample, if only TorchScript makes the call differ, and no similar one was found before."""
        self._tried[difference.kind] += 1
        if draft.base not in self._differing:
            self._differing[draft.base] = self.runner.differs(Variation(draft.base)) is not None
        if self._differing[draft.base]:
            return None
        alone = self.runner.differs(draft)  # from the state in which the target was built
        if alone is None or not self.runner.is_steady(draft):
            return None
        confirms = self._confirmed_by(draft, alone)
        if confirms and self._confirmed.issuperset(confirms):
            return None
        asks = self.runner.compilation.asks_whether_scripted
        if not confirms and (alone.is_weak or (asks and self.runner.is_on_purpose(draft))):
            return None
        self._tried[difference.kind] = TRIED
        self._confirmed.update(confirms)
        draft, difference, confirms = self._shrink(draft, alone, confirms)
        calls, language = self.runner.space.calls_of(draft), self.prepared.spec.language
        lines = [spell(call, language) for call in calls[:-1]]
        lines.append(spell(calls[-1], language, raises=difference.raises))
        text = ("\n" if language == "yaml" else ", ").join(lines)
        callee: Any = callee_of(self.prepared, self.prepared.built, calls[-1])
        called = function_of(callee.forward if isinstance(callee, torch.nn.Module) else callee)
        begin = Place(called.__code__.co_filename, called.__code__.co_firstlineno) if called else NO_PLACE
        places = (*(trap.place for trap in confirms), difference.place, begin)
        place = next((each for each in places if each.file), NO_PLACE)
        return Counterexample(text, difference.message, place, confirms, difference.is_mild)

    def _confirmed_by(self, draft: Variation, difference: Deviation) -> tuple[Trap, ...]:
        """The traps that a call runs into; if Python raises, only the traps on that line."""
        may_meet = self.traps and not draws_endless(draft)
        met = self.runner.confirmed(draft, self.traps) if may_meet else None
        if met is None or not difference.raises:
            return met or ()
        return tuple(trap for trap in met if trap.place.whole_line == difference.place.whole_line)

    def _shrink(
        self, draft: Variation, difference: Deviation, confirms: tuple[Trap, ...]
    ) -> tuple[Variation, Deviation, tuple[Trap, ...]]:
        drawing = import_drawing()
        if drawing is None:
            return draft, difference, confirms
        tries = itertools.count()

        def differs(smaller: Variation) -> bool:
            found = self.runner.differs(smaller) if next(tries) < SHRINKING else None
            return found is not None and (found.raises, found.is_weak) == (difference.raises, difference.is_weak)

        smaller = drawing.shrink(self.runner.space, draft, differs, SMALLER)
        again = self.runner.differs(smaller)
        now = self._confirmed_by(smaller, again) if again and confirms else ()
        if again is None or not set(confirms) <= set(now) or not self.runner.is_steady(smaller):
            return draft, difference, confirms
        return smaller, again, now

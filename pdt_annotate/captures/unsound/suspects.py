"""Suspicious traces, as findings: the tracer's warnings, and differences between traces of further calls.

Further calls are the other examples, and calls with other values in the tensors of an example, or other sizes, if eager
mode accepts them.
"""

import linecache
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import torch

from pdt_annotate.captures.capturable import Capturable, definition_of
from pdt_annotate.captures.flattened import Flattened, arguments_of
from pdt_annotate.captures.unsound.compare_graphs import Differing, compare, steps_of
from pdt_annotate.captures.unsound.lines import WORDS, Warned, deciding, listening
from pdt_annotate.inputs.specs import seed_generators
from pdt_annotate.observers.files import make_file_filter
from pdt_annotate.processes.child.isolation import keep
from pdt_annotate.processes.child.prepared import in_mode
from pdt_annotate.processes.child.probes.argument_tree import leaves, mapped
from pdt_annotate.processes.child.probes.drawn_runs import assert_close
from pdt_annotate.processes.child.probes.space import Knowledge, aspects_of, make
from pdt_annotate.processes.fork import can_fork, end_after, in_fork
from pdt_annotate.values.budget import ALLOWANCES, Allowance
from pdt_annotate.values.capture_results import Baked
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import Finding, Place
from pdt_annotate.verify.judges import equality
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.scripts import replaced

Values = Callable[[torch.Tensor], torch.Tensor]
# The other sign, which most branches test for.
TURNED: dict[type, Values] = {float: lambda x: torch.where(x == 0, 1, -x), bool: lambda x: ~x}
SHIFTED: dict[type, Values] = {int: lambda x: x + 1}  # indices and lengths, which may well be refused
ONE = 1  # a size that is often a special case, for which code may rightly take another way
WARNED, CONTROL, VALUE, STATE, OTHERS = "PDT082", "PDT083", "PDT084", "PDT085", "PDT086"
SEED = 0
# Traces a callee on a call; returns a callable that answers as the callee does, and has an `inlined_graph`.
Trace = Callable[[Any, Call], Any]


@dataclass(frozen=True)
class Drawn:
    """A call that no example made; its name has that of the example in quotes, and the change."""

    call: Call
    respect: str  # the kind of the change; the first call of a kind that eager mode accepts is enough
    thorough: bool = False  # every element of every tensor has changed


def draw(call: Call) -> Iterator[Drawn]:
    """Calls to try in place of an example, the most informative first."""
    tensors = [each for each in leaves(call) if is_a(each, torch.Tensor)]
    yield Drawn(_changed(call, TURNED | SHIFTED), "values", thorough=bool(tensors))
    yield Drawn(_changed(call, TURNED), "values", bool(tensors) and int not in map(_kind_of, tensors))
    yield Drawn(_changed(call, {float: torch.zeros_like}, "zeros"), "zeros")
    device = next((str(each.device) for each in tensors), "cpu")
    for aspect in aspects_of(call, None, Knowledge()):
        for size in aspect.telling if aspect.name[0] == "size" else ():
            name = f"'{call.name}' with size {size} in place of {aspect.name[1]}"
            if size != ONE:
                yield Drawn(replace(make(aspect.put(call, size), device), name=name), f"size {aspect.name[1]}")


def _kind_of(tensor: torch.Tensor) -> type:
    if tensor.is_floating_point() or tensor.is_complex():
        return float
    return bool if tensor.dtype is torch.bool else int


def _changed(call: Call, by_kind: dict[type, Values], what: str = "other values") -> Call:
    def change(value: Any) -> Any:
        if not is_a(value, torch.Tensor, torch.nn.Parameter) or _kind_of(value) not in by_kind:
            return value
        return by_kind[_kind_of(value)](value.detach()).to(value.dtype).requires_grad_(value.requires_grad)

    return replace(mapped(change, call), name=f"'{call.name}' with {what}")


@dataclass(frozen=True)
class FurtherTrace:
    call: str  # its name in messages
    differing: tuple[Differing, ...]  # from the first trace
    answers: str = ""  # the error of the first trace on this call; "" if it answers as eager mode does
    thorough: bool = False  # every element of every tensor differs from the first call's


def later(subject: Capturable, trace: Trace) -> Callable[[], tuple[Finding, ...]]:
    """A function that finds suspicious differences of a trace of the first call; gradients stay on or off as now."""
    with_gradients = torch.is_grad_enabled()

    def find() -> tuple[Finding, ...]:
        with torch.set_grad_enabled(with_gradients):
            try:
                looking = Looking(subject, trace)
            except Exception:  # it was traced once, and not a second time: nothing can be compared
                return ()
            return tuple(looking.findings())

    return find


class Looking:
    """Traces a subject on further calls, from fresh state and in forks, and compares each with the first trace."""

    def __init__(self, subject: Capturable, trace: Trace, allowed: Allowance = ALLOWANCES["further traces"]) -> None:
        self.subject, self.trace, self.first = subject, trace, subject.first
        self.is_ours = make_file_filter(subject.root)
        begun = time.monotonic()
        callee = subject.renew()
        put_back = keep(callee)
        self.traced, self.warned = self._trace(callee, self.first)
        self.steps = steps_of(self.traced.inlined_graph, self.is_ours)
        put_back()
        now = time.monotonic()
        self.deadline = now + allowed.seconds + allowed.steps * (now - begun)

    def findings(self) -> Iterator[Finding]:
        from_state = tuple(self._from_state())  # before drawn calls, which may use up the time
        looks = self._see()
        # The tracer's warnings, each with a difference that a further call shows; then all differences.
        suspected: list[Finding] = []
        for warned, shown in self._open_warnings(looks):
            message = f"{warned.words}: {self._both(*shown)}" if shown else warned.words
            suspected.append(_finding(WARNED, message, warned.places[0]))
        for look in looks:
            for each in look.differing:
                message = f"{each.baked} is baked in: {self._both(look, each)}"
                suspected.append(_finding(CONTROL if each.by_control else VALUE, message, each.place))
        by_place = grouped((finding.place, finding) for finding in (*suspected, *from_state))
        yield from (first for first, *_ in by_place.values())
        passed = [f"in '{name}' {difference}" for name, difference in self._others.items() if difference]
        if passed:
            more = f", and {len(passed) - 1} more" if len(passed) > 1 else ""
            message = f"a trace of {_named(self.first)} is not right for all example calls: {passed[0]}{more}"
            yield Finding(OTHERS, message, definition_of(self.subject.callee))

    def baked(self, *, drawn: bool = True) -> Iterator[Baked]:
        """The values that are constant in the first trace, a line and a module once; `drawn`: draw calls, too."""
        looks = self._see(drawn=drawn)
        found: dict[tuple[tuple[Place, ...], str], Baked] = {}
        for warned, _ in self._open_warnings(looks):
            if warned.words in WORDS.values():  # torch warns of lists in results, too, and the like
                found[warned.places, warned.path] = Baked(warned.places, warned.path, warned.words)
        for each in (each for look in looks for each in look.differing):
            found[each.lines, each.path] = Baked(each.lines, each.path, f"{each.baked} is baked in", differs=True)
        yield from found.values()
        wrong = next((look for look in looks if look.answers), None)
        if wrong and not found:
            message = f"a trace of {_named(self.first)} is wrong on {wrong.call}: {wrong.answers}"
            yield Baked((), "", message, differs=True)

    @cached_property
    def _others(self) -> dict[str, str]:
        """By call but the first, how its arguments differ in more than tensors, in words; "" if they do not."""
        calls = self.subject.calls if len(self.subject.calls) > 1 else ()
        bound = (arguments_of(self.subject.callee, call.args, call.kwargs) for call in calls)
        flat = [Flattened.of(each.arguments) for each in bound]
        return {call.name: flat[0].difference(each) for call, each in zip(calls[1:], flat[1:], strict=True)}

    def _see(self, *, drawn: bool = True) -> tuple[FurtherTrace, ...]:
        """Look at the examples that differ from the first in tensors alone, and at one drawn call of each respect."""
        alike = (call for call in self.subject.calls[1:] if not self._others[call.name])
        examples = tuple(filter(None, (self._in_fork(self._look, call) for call in alike)))
        looks: dict[str, FurtherTrace] = {}
        for each in draw(self.first) if drawn else ():
            look = None if each.respect in looks else self._in_fork(self._look, each.call)
            if look is not None:
                looks[each.respect] = replace(look, thorough=each.thorough)
        return (*examples, *looks.values())

    def _in_fork(self, look: Callable[[Call], FurtherTrace], call: Call) -> FurtherTrace | None:
        """The result of a look; None if eager mode refuses the call, it is not traced, or time is up."""
        left = self.deadline - time.monotonic()

        def run(call: Call) -> FurtherTrace:
            end_after(left)
            return look(call)

        return in_fork(run, call) if left > 0 and can_fork() else None

    def _look(self, call: Call, *, again: bool = False) -> FurtherTrace:
        """Trace and answer a call; `again`: after it was made once."""
        eager, callee = self.subject.renew(), self.subject.renew()
        for each in (eager, callee, self.traced) if again else ():
            _called(each, call)
        answer = _called(eager, call)
        return FurtherTrace(_named(call), self._differing(callee, call), self._judge(call, answer))

    def _judge(self, call: Call, answer: Any) -> str:
        """The error of the first trace on a call."""
        try:
            new = _called(self.traced, call)
            with replaced(torch.testing, "assert_close", assert_close):
                equality.compare(answer, new)
        except equality.Difference as difference:
            return str(difference).replace("scripted", "traced")
        except Exception as error:  # the traced program may raise anything
            return f"it raises {type(error).__name__}"
        return ""

    def _trace(self, callee: Any, call: Call, seed: int = SEED) -> tuple[Any, tuple[Warned, ...]]:
        seed_generators(seed)
        with listening(self.is_ours, callee) as warned, in_mode(callee, call.mode):
            traced = self.trace(callee, call)
        return traced, tuple(dict.fromkeys(warned))

    def _differing(self, callee: Any, call: Call, seed: int = SEED) -> tuple[Differing, ...]:
        traced, _ = self._trace(callee, call, seed)
        return compare(self.steps, steps_of(traced.inlined_graph, self.is_ours))

    def _open_warnings(
        self, looks: Sequence[FurtherTrace]
    ) -> Iterator[tuple[Warned, tuple[FurtherTrace, Differing] | None]]:
        """The warnings, except for numbers that no call changes; each with a look that shows its effect."""
        changed_nothing = any(look.thorough for look in looks) and not any(look.answers for look in looks)
        for warned in self.warned:
            heads = {warned.places[0], deciding(warned.places)[0]}
            shown = next(((look, each) for look in looks for each in look.differing if each.place in heads), None)
            if shown or warned.decides or not changed_nothing:
                yield warned, shown

    def _both(self, look: FurtherTrace, each: Differing) -> str:
        """Both traces, and the error of the first on the other's call."""
        both = f"{each.one} in the trace of {_named(self.first)}, {each.other} in the trace of {look.call}"
        return f"{both}; on this call the first trace is wrong: {look.answers}" if look.answers else both

    def _from_state(self) -> Iterator[Finding]:
        """The differences between two times of the same call."""
        name = _named(self.first)
        drawn = self._in_fork(
            lambda call: FurtherTrace(name, self._differing(self.subject.renew(), call, SEED + 1)), self.first
        )
        kept = None if drawn and drawn.differing else self._in_fork(partial(self._look, again=True), self.first)
        for each in drawn.differing if drawn else ():
            message = f"a random number of Python is baked in: {each.one} in one trace, {each.other} in another"
            yield _finding(STATE, message, each.place)
        for each in kept.differing if kept and kept.answers else ():
            both = f"{each.one} the first time, {each.other} the second"
            yield _finding(STATE, f"the state that {name} leaves is baked in: {both}", each.place)


def _called(callee: Any, call: Call) -> Any:
    """The answer of a callee; a trace is not optimized, which would take seconds."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    seed_generators(SEED)
    with in_mode(callee, call.mode), torch.jit.optimized_execution(False):
        return callee(*args, **kwargs)


def _named(call: Call) -> str:
    return call.name if call.name.startswith("'") else f"'{call.name}'"


def _finding(code: str, message: str, place: Place) -> Finding:
    text = linecache.getline(place.file, place.line).strip()
    return Finding(code, f"`{text}`: {message}" if text else message, place)

"""Drawn calls, run in Python and scripted, in forks that start from the state in which the target was built."""

import cmath
import dis
import itertools
import mmap
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from types import FrameType
from typing import Any, ParamSpec, TypeVar

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from pdt_annotate.inputs.specs import seed_generators
from pdt_annotate.processes.child.prepared import Prepared, as_if_scripting, copy_built, pair, perform
from pdt_annotate.processes.child.probes.argument_tree import mapped
from pdt_annotate.processes.child.probes.space import OTHER_TYPE, Space, Variation, draws_endless, make
from pdt_annotate.processes.fork import end_after_work, in_fork
from pdt_annotate.values.installed import is_own
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.judges import equality
from pdt_annotate.verify.judges.clones import Done, Objects
from pdt_annotate.verify.judges.scripts import Compilation, replaced

P = ParamSpec("P")
T = TypeVar("T")

torchs_assert_close: Any = torch.testing.assert_close

MEMORY = 2 << 30  # bytes that drawn calls may use in addition to the target's
OF_LARGEST = 1e-3  # the allowed rounding, as a part of the largest value of a tensor
ALONE = 4.0  # seconds of processor time to repeat a call
RAISE = dis.opmap["RAISE_VARARGS"]
OF_ANY_CALL = 1e6  # floating-point operations that take as long as to call an operator
NUDGE = 1e-6  # a change, as a part of a value; TorchScript is not the cause of a difference that this change makes


@dataclass(frozen=True)
class Deviation:
    """A difference on a drawn call."""

    message: str
    place: Place = NO_PLACE
    raises: bool = False  # eager Python raises
    # It counts only if the call runs into a trap: eager Python raises on purpose, or the scripted answer is nan or inf.
    is_weak: bool = False
    is_mild: bool = False  # eager Python raises, or only the class of a number differs

    @property
    def kind(self) -> tuple[str, Place, bool]:
        """A key that is equal for differences that only have other values, or that raise at the same place."""
        if self.raises and self.place.file:
            return "", self.place, self.is_weak
        message = re.sub(r"'.*?'|[-+.\w]*\d[-+.\w]*|\bnan\b|\binf\b", "#", self.message)
        return message, self.place, self.is_weak


@dataclass
class Work:
    """A budget of processor time for the forks of this process; on a busy machine they get as much."""

    seconds: float
    undone: int = 0  # calls for which no time was left
    _before: os.times_result = field(default_factory=os.times)

    @property
    def left(self) -> float:
        before, now = self._before, os.times()
        used = now.children_user + now.children_system - before.children_user - before.children_system
        return self.seconds - used


def _in_small_fork(work: Callable[P, T]) -> Callable[P, T | None]:
    """The same function in a fork of its own, with little time and memory; None if it failed."""

    def run(call: Callable[[], T]) -> T:
        _limit_memory()
        end_after_work(ALONE)
        return call()

    @wraps(work)
    def in_small_fork(*args: P.args, **kwargs: P.kwargs) -> T | None:
        return in_fork(run, partial(work, *args, **kwargs))

    return in_small_fork


@dataclass(frozen=True)
class Runner:
    """Makes drawn calls of a target that compiled and has not run."""

    prepared: Prepared
    compilation: Compilation
    space: Space

    def search(
        self, drafts: Sequence[Variation], work: Work, is_known: Callable[[Variation, Deviation], bool]
    ) -> Iterator[tuple[Variation, Deviation]]:
        """The drafts on which answers differ in no known way. State from one call may make the next one differ."""
        while drafts and work.left > 0:
            with mmap.mmap(-1, 4) as begun:  # shared memory, so it can be read even if the fork died
                found = in_fork(partial(self._run_some, is_known=is_known, begun=begun, seconds=work.left), drafts)
                drafts = drafts[int.from_bytes(begun[:4], "little") or len(drafts) :]
            if found is not None:
                yield found
        work.undone += len(drafts)

    def _run_some(
        self,
        drafts: Sequence[Variation],
        is_known: Callable[[Variation, Deviation], bool],
        begun: mmap.mmap,
        seconds: float,
    ) -> tuple[Variation, Deviation] | None:
        """The first draft that differs; also None if one changed the target, so that the next needs a new fork."""
        _limit_memory()
        eager, scripted = pair(self.prepared, self.compilation.scripted)
        before, buffers = _state(eager), Buffers(eager, self.prepared.built)  # the scripted one has those of the target
        for index, draft in enumerate(drafts):
            left = seconds - time.process_time()  # a fork counts it from its own start
            if index and (left < 0 or _state(eager) != before):
                break
            buffers.restore()
            begun[:4] = (index + 1).to_bytes(4, "little")
            end_after_work(left / 3)
            found = self._compare(draft, eager, scripted)
            if found is not None and not is_known(draft, found):
                return draft, found
        return None

    @_in_small_fork
    def differs(self, draft: Variation) -> Deviation | None:
        """The difference on a single draft, from the state in which the target was built."""
        return self._compare(draft, *pair(self.prepared, self.compilation.scripted))

    @_in_small_fork
    def effort(self) -> float:
        """The floating-point operations of the first example in Python; None if they cannot be counted."""
        built: Any = self.prepared.built  # a fork needs no copy
        called = Objects(built) if isinstance(built, type) else built
        counted = Effort()
        with counted:
            for call in self._calls(Variation(0)):
                self._run(called, call)
        return counted.amount

    @_in_small_fork
    def confirmed(self, draft: Variation, traps: tuple[Trap, ...]) -> tuple[Trap, ...]:
        """The traps that a call runs into in Python."""
        eager = copy_built(self.prepared)
        return traps_met(lambda: [self._run(eager, call) for call in self._calls(draft)], traps)

    @_in_small_fork
    def is_steady(self, draft: Variation) -> bool:
        """Whether Python answers the same twice, and nearly the same if floating values change by a rounding error.

        Random numbers of Python and numpy are others in the second call: the scripted target draws from torch alone.
        """
        one, another, near = (copy_built(self.prepared) for _ in range(3))
        *before, last = self._calls(draft)
        for call, each in itertools.product(before, (one, another, near)):
            self._run(each, call)
        nudged = mapped(_nudge, last)
        for parameter in near.parameters() if isinstance(near, torch.nn.Module) else ():
            with torch.no_grad(), suppress(RuntimeError):  # an odd layout, or a lazy parameter
                parameter.copy_(_nudge(parameter))
        answer = self._run(one, last)
        is_same = _are_alike(answer, self._run(another, last, drawn_otherwise=True))
        return is_same and _are_alike(answer, self._run(near, nudged))

    @_in_small_fork
    def is_on_purpose(self, draft: Variation) -> bool:
        """Whether Python answers like the scripted target when `torch.jit.is_scripting()` is true."""
        with as_if_scripting():
            return self._compare(draft, *pair(self.prepared, self.compilation.scripted)) is None

    def _calls(self, draft: Variation) -> list[Call]:
        device = self.prepared.spec.settings.device
        return [make(call, device) for call in self.space.calls_of(draft)]

    def _run(self, which: Any, call: Call, *, drawn_otherwise: bool = False) -> Done:
        seed = self.prepared.spec.settings.seed
        if drawn_otherwise:
            seed_generators(seed ^ 1)
            torch.manual_seed(seed)
        else:
            seed_generators(seed)
        return perform(self.prepared, which, call)

    def _compare(self, draft: Variation, eager: Any, scripted: Any) -> Deviation | None:
        with torch.jit.optimized_execution(False):
            for call in self._calls(draft):
                old, new = self._run(eager, call), self._run(scripted, call)
        if new.error is not None:  # it refuses, and does not answer wrong
            return None
        if draws_endless(draft) and any(map(_is_endless_in, (old.answer, new.answer))):
            return None
        if old.error is not None:
            if isinstance(old.error, MemoryError) or "allocate memory" in str(old.error):
                return None
            text, kind = str(old.error).strip().partition("\n")[0], type(old.error).__name__
            raised = f"{kind}: {text}" if text else kind
            is_tensor = is_a(new.answer, torch.Tensor)
            shown = f"a tensor of shape {tuple(new.answer.shape)}" if is_tensor else f"{new.answer!r:.60}"
            message = f"it returns {shown} when scripted, and raises {raised} in eager mode"
            # Python may refuse to compute a number for which the scripted answer is nan or infinite.
            says_so_itself = isinstance(old.error, (ArithmeticError, ValueError)) and _is_endless_in(new.answer)
            is_weak = is_raised_on_purpose(old.error) or says_so_itself
            return Deviation(message, place_of(old.error, self.prepared.root), True, is_weak, is_mild=True)
        message = what_differs(old.answer, new.answer)
        if not message:
            return None
        # If an int is passed for the compiler's float, as is common, then 2.0 for 2 is a weak difference.
        aspects = self.space.bases[draft.base].aspects
        others = [value for number, value in draft.values if aspects[number].name[-1] == OTHER_TYPE]
        answers = pytree.tree_map(lambda leaf: float(leaf) if type(leaf) is int else leaf, (old.answer, new.answer))
        is_mild = not what_differs(*answers)
        return Deviation(message, is_weak=is_mild and int in map(type, others), is_mild=is_mild)


class Effort(TorchDispatchMode):
    """Counts floating-point operations: of the large operators as torch counts them, of every other call a constant."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.amount = 1.0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch imports its compiler, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        count = flop_registry.get(func._overloadpacket)
        self.amount += OF_ANY_CALL + (count(*args, **(kwargs or {}), out_val=result) if count else 0)
        return result


def traps_met(run: Callable[[], object], traps: Sequence[Trap]) -> tuple[Trap, ...]:
    """The traps on lines that run, and at the heads of functions that are entered."""
    files = frozenset(trap.place.file for trap in traps)
    lines: set[tuple[str, int]] = set()

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in files:
            return None
        # The head of a function ends before its first statement.
        begin = code.co_firstlineno
        body = [line for _, _, line in code.co_lines() if line is not None and line > begin]
        lines.update((code.co_filename, line) for line in range(begin, min(body, default=begin + 1)))
        return note

    def note(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        run()
    except Exception:  # this may be the difference itself
        pass
    finally:
        sys.settrace(before)
    return tuple(trap for trap in traps if (trap.place.file, trap.place.line) in lines)


def is_raised_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` in Python raised it."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_code[last.tb_lasti] == RAISE


def place_of(error: BaseException, root: str) -> Place:
    """The innermost line under a directory that an exception came through."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next((Place(file, line) for file, line in reversed(lines) if is_own(file, root)), NO_PLACE)


def what_differs(eager: Any, scripted: Any) -> str:
    """The first difference between two answers that depends on annotations; "" without one."""
    try:
        with replaced(torch.testing, "assert_close", assert_close):
            equality.compare(eager, scripted)
    except equality.Difference as difference:
        return str(difference)
    except Exception:  # an answer of the user's class, whose own comparison raises
        pass
    return ""


def assert_close(new: torch.Tensor, old: torch.Tensor, **tolerances: Any) -> None:
    """Like torch's own, but an element may differ by the rounding error of the largest one."""
    if old.layout is not torch.strided or old.is_quantized:
        torchs_assert_close(new, old, **tolerances)
        return
    off = ~torch.isclose(new, old, **tolerances)
    if old.is_floating_point() and torch.isfinite(old[off]).all():
        off &= ~((new - old).abs() <= OF_LARGEST * old[torch.isfinite(old)].abs().max())
    if off.any():
        first = tuple(off.nonzero()[0].tolist())
        at = f"{new[first].item()} at {list(first)}, {old[first].item()} in eager mode" if first else ""
        at = at or f"{new.item()} when scripted, {old.item()} in eager mode"
        raise AssertionError(f"{int(off.sum())} of {off.numel()} values, {at}")


def _are_alike(one: Done, other: Done) -> bool:
    if one.error is not None or other.error is not None:
        return type(one.error) is type(other.error)
    return not what_differs(one.answer, other.answer)


def _is_endless_in(answer: Any) -> bool:
    for leaf in pytree.tree_leaves(answer):
        if is_a(leaf, torch.Tensor) and not bool(torch.isfinite(leaf).all()):
            return True
        if is_a(leaf, float, complex) and not cmath.isfinite(leaf):
            return True
    return False


def _nudge(value: Any) -> Any:
    if not (is_a(value, torch.Tensor) and value.is_floating_point() and value.layout is torch.strided):
        return value
    with torch.no_grad():
        seed_generators(1)
        return (value.detach() * (1 + NUDGE * torch.randn_like(value))).requires_grad_(value.requires_grad)


class Buffers:
    """The buffers of modules, whose values a call may change: batch norm counts its batches."""

    def __init__(self, *built: Any) -> None:
        modules = (module for each in built if isinstance(each, torch.nn.Module) for module in each.modules())
        held = (value for module in modules for value in state_of(module).get("_buffers", {}).values())
        tensors = (value for value in held if is_a(value, torch.Tensor) and not value.is_inference())
        self._kept = [(value, value._version, value.detach().clone()) for value in tensors]

    def restore(self) -> None:
        with torch.no_grad():
            for value, version, kept in self._kept:
                if value._version != version:
                    value.copy_(kept)


def _state(built: Any) -> list[Any]:
    """A value that changes if a call changes more of the modules' state than the values of buffers."""
    if not isinstance(built, torch.nn.Module):
        return []
    found: list[Any] = []
    for module in built.modules():
        state = state_of(module)
        held = {**state, **state.get("_parameters", {})}
        for name, value in state.get("_buffers", {}).items():
            found.append((name, id(value), (getattr(value, "shape", ()), getattr(value, "requires_grad", False))))
        for name, value in held.items():
            changing = len(value) if is_a(value, list, dict) else 0
            if is_a(value, torch.Tensor):
                changing = -1 if value.is_inference() else value._version
            found.append((name, id(value), changing))
    return found


def _limit_memory() -> None:
    """Make calls that need too much memory raise."""
    with suppress(ImportError, OSError, ValueError):  # another platform, or a lower limit
        import resource  # noqa: PLC0415

        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))

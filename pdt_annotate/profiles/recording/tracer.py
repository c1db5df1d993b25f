"""The tracer for programs that run for hours: it does less the more often it saw the same, and rests in the end.

Of each function it also knows whether it ran inside a module's `forward`, in the same thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, TypeVar

from pdt_annotate.observers import Store, Tracer
from pdt_annotate.observers.classes import MODULE
from pdt_annotate.observers.tracer import (
    RETURN_OPCODES,
    UNKNOWN,
    Counted,
    ProfileFunction,
    Tally,
    TracedCode,
    WantedLocals,
)
from pdt_annotate.observers.types import class_type, is_leaf, type_of
from pdt_annotate.profiles.recording.examples import Examples
from pdt_annotate.values.slots import Owner

K = TypeVar("K")

LOOKS = 64
"""How often containers and locals of a function are looked into; after that, at every 2^k-th call."""

PAUSE = 1_024
"""Calls of Python functions, in one thread and without anything new, after which `pause` is asked what to do."""

FIRST_PAUSE = 16
"""The same right after something new, which is to be saved soon; it doubles up to `PAUSE`."""

CONSTRUCTOR = "__init__"
CALL = "_call_impl"
MODULE_FILE = ("torch/nn/modules/module.py", "torch\\nn\\modules\\module.py")

CodeFilter = Callable[[CodeType], bool]
Pause = Callable[[int, bool], None]


class LastingTally(Tally[K]):
    """Counts that go on after they are taken, because what is known need not be looked into again.

    The store hears of new keys.
    """

    def __init__(self, tally: Tally[K], store: Store) -> None:
        super().__init__(tally.containers_of)
        self.store = store
        self._taken: dict[K, int] = {}

    def __missing__(self, key: K) -> Counted:
        self.store.news += 1
        return super().__missing__(key)

    def take(self) -> Iterator[tuple[K, int]]:
        """What was counted since the last time."""
        for key, counted in list(self.items()):
            total, before = counted.count(), self._taken.get(key, 0)
            self._taken[key] = total + 1  # the question was counted, too
            if total > before:
                yield key, total - before


class RecordedSite(TracedCode):
    """One code object of the program, and what it has to do with `forward`.

    Args:
        enters: a module's `forward`, or torch's method that calls it.
        recorded: its types are wanted.
        of_module: it is a method of a module.
    """

    __slots__ = ("constructs", "enters", "inside", "of_module", "recorded")

    def __init__(
        self, code: CodeType, store: Store, wanted_locals: WantedLocals, enters: bool, recorded: bool, of_module: bool
    ) -> None:
        super().__init__(code, wanted_locals if recorded else lambda owner: ())
        self.of_module = of_module
        self.constructs = of_module and code.co_name == CONSTRUCTOR
        self.enters = enters
        self.inside = False
        self.recorded = recorded
        self.arguments = LastingTally(self.arguments, store)
        self.results = LastingTally(self.results, store)


class BoundedTracer(Tracer):
    """Records as `Tracer` does, at a bounded cost.

    Args:
        pause: called now and then with the number of calls since something new came, and whether anything did since
            this thread is observed. It may end the observation of the thread.
        give_up: called with an error of ours, which the program must not see, or a KeyboardInterrupt, which it must.
    """

    def __init__(
        self,
        store: Store,
        code_filter: CodeFilter,
        wanted_locals: WantedLocals,
        pause: Pause,
        give_up: Callable[[BaseException], None],
    ) -> None:
        super().__init__(store, code_filter, wanted_locals)
        self.examples = Examples()
        self.pause = pause
        self.give_up = give_up

    def in_forward(self) -> set[Owner]:
        """The functions that ran inside a module's `forward`."""
        return {site.returned.owner for site in list(self._sites.values()) if site is not None and site.inside}

    def profile_function(self) -> ProfileFunction:
        """The function for `sys.setprofile` in one thread, whose frames it may find on the stack.

        Long, because it runs on every call and return of the program, and a call of its own would cost as much again.
        """
        known, meet, look_into, look_again = self._sites.get, self._meet, self._look_into, self._look_again
        look_at_return, unfilled = self._look_at_return, self._unfilled
        store, pause, give_up = self.store, self.pause, self.give_up
        construct, exemplify = self.examples.note_construction, self.examples.note_call
        idle, due, news, found = 0, FIRST_PAUSE, store.news, False
        depth = self._count_forwards(sys._getframe(1))

        def profile(frame: FrameType, event: str, arg: Any) -> None:
            nonlocal idle, due, news, found, depth
            try:
                if event == "call":
                    site: Any = known(id(frame.f_code), UNKNOWN)
                    if site is UNKNOWN:
                        site = meet(frame)
                    idle += 1
                    if idle >= due:
                        due = min(2 * due, due + PAUSE)
                        if store.news != news:
                            idle, due, news, found = 0, FIRST_PAUSE, store.news, True
                        pause(idle, found)
                    if site is None:
                        return
                    if site.enters:
                        depth += 1
                    if not site.recorded:
                        if site.constructs:
                            construct(frame)
                        return
                    if depth and not site.inside:
                        site.inside = True
                        store.news += 1
                    values = frame.f_locals
                    counted = site.arguments[site.classes_of(values)]
                    number = counted.count()
                    if not number:
                        exemplify(site.returned.owner, frame, is_method=site.of_module)
                    if counted.containers and (number < LOOKS or not number & (number - 1)):
                        look_into(frame, values, counted.containers)
                elif event == "return":
                    site = known(id(frame.f_code))
                    if site is None:
                        return
                    if site.enters:
                        depth -= 1
                    if not site.recorded:
                        return
                    if unfilled and id(frame) in unfilled:
                        look_again(frame)
                    if arg is None and site.bytecode[frame.f_lasti] not in RETURN_OPCODES:
                        return  # an exception
                    counted = site.results[type(arg)]
                    number = counted.count()
                    if number < LOOKS or not number & (number - 1):
                        look_at_return(frame, site, arg)
            except RecursionError:  # the program is at its limit
                return
            except BaseException as error:
                give_up(error)

        return profile

    def _count_forwards(self, frame: FrameType | None) -> int:
        depth = 0
        while frame is not None:
            site = self._sites.get(id(frame.f_code))
            depth += site is not None and site.enters
            frame = frame.f_back
        return depth

    def _meet(self, frame: FrameType) -> Any:
        """The site of a code object that is new; None where it does not matter."""
        code = frame.f_code
        if code.co_name == "<module>" or code.co_filename.startswith("<"):
            return None  # it runs once, and is not to be kept for it
        return super()._meet(frame)

    def _make_site(self, frame: FrameType) -> RecordedSite | None:
        code = frame.f_code
        if code.co_name == CALL and code.co_filename.endswith(MODULE_FILE):
            return RecordedSite(code, self.store, self.wanted_locals, enters=True, recorded=False, of_module=False)
        if not self.code_filter(code):
            return None
        of_module = is_method_of_module(frame)
        recorded = not (of_module and code.co_name == CONSTRUCTOR)  # its parameters are not compiled
        self.store.news += recorded
        enters = of_module and code.co_name == "forward"
        return RecordedSite(code, self.store, self.wanted_locals, enters, recorded, of_module)

    def _look_at_return(self, frame: FrameType, site: RecordedSite, value: Any) -> None:
        if not is_leaf(type(value)):
            self.store.add(site.returned, type_of(value))
        if site.open or site.passed:
            self._read_locals(frame, site)


def is_method_of_module(frame: FrameType) -> bool:
    """Whether the first argument of a function that is called now is an nn.Module."""
    code = frame.f_code
    if not code.co_argcount:
        return False
    return class_type(type(frame.f_locals.get(code.co_varnames[0]))).inherits(MODULE)

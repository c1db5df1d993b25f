"""The observer in one process of a recorded program: when it watches, when it rests, and when it saves.

A profile function watches a thread. After `PATIENCE` calls that showed nothing new it is removed, if torch is there to
wake the thread: every `wait`-th call of a module does, and so does a call with a class, mode or argument classes that
no call had while it rested. Each watch that finds nothing doubles `wait`. A file of the project that begins to run also
wakes its thread, and so does the import of torch.
"""

import atexit
import contextlib
import functools
import os
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

from pdt_annotate import profiles
from pdt_annotate.observers.classes import describe_classes
from pdt_annotate.observers.files import make_code_filter, make_file_filter
from pdt_annotate.observers.sites import Examples, Store
from pdt_annotate.observers.tracer import LOOKS, ProfileFunction, Tracer
from pdt_annotate.profiles.record import MAIN
from pdt_annotate.profiles.recording import running
from pdt_annotate.profiles.recording.running import ImportWatch, Order
from pdt_annotate.profiles.writing import save_part
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.live import file_of, state_of
from pdt_annotate.values.runs import Observed

PATIENCE = 16_384  # calls without news after which a thread rests, if a file woke it, or it had found something new
PATIENCE_WOKEN = 4_096  # the same if a module's call woke the thread, and it has found nothing yet
PATIENCE_WITHOUT_TORCH = 262_144  # the same while torch is not imported, so that no module can wake the thread
FIRST_WAIT = 128  # calls of modules after which a resting thread is woken
LONGEST_WAIT = 16_384  # the limit of the doubled wait
FIRST_SAVES = 0.05  # the least seconds between the first two saves, so that a program killed early leaves a part
SAVE_EVERY = 1.0  # the limit up to which that is doubled
SAVE_SHARE = 0.05  # the share of the time that saving may take
LAST_SAVE = 5.0  # seconds that the end of a process waits for a thread that saves
LAST = -100  # the priority of our finalizer in multiprocessing: it runs after the program's


class Recorder:
    """One process's observations, until they are saved in its part."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.is_wanted_file = make_file_filter(order.root)
        self.code_filter = make_code_filter(order.root)
        self.main_file = file_of(MAIN)  # Python forgets it when the program has run to its end
        self.sources = running.SourceVersions()
        self.has_bell = False
        self.begin()

    def begin(self) -> None:
        """Begin without observations, with a new run id: at the start, and in a fork."""
        self.run = uuid.uuid4().hex
        self.store = Store(self.order.label)
        self.last = profiles.Profile()
        self.examples = Examples()
        self.examples.call = self.order.label
        self.tracer = Tracer(
            self.store,
            self.code_filter,
            self.sources.wanted_locals,
            looks=LOOKS,
            pause=self.pause,
            give_up=self.give_up,
            examples=self.examples,
        )
        self.watching: dict[int, ProfileFunction] = {}
        self.rested: set[tuple[Any, ...]] = set()
        self.wait, self.rung = FIRST_WAIT, 0
        self.saved, self.next_save, self.save_every = 0, 0.0, FIRST_SAVES
        self.saving = threading.Lock()
        self.finished, self.displaced = False, False
        self.unsaved, self.failed = "", ""

    def watch(self) -> None:
        """Observe this thread from now on, unless the program has set another profile function there."""
        if self.finished:
            return
        if sys.getprofile() is None:
            ours = self.watching[threading.get_ident()] = self.tracer.profile_function()
            sys.setprofile(ours)
        elif not self.is_watched():
            self.displaced = True

    def is_watched(self) -> bool:
        ours = self.watching.get(threading.get_ident())
        return ours is not None and sys.getprofile() is ours

    def watches_import(self, name: str) -> bool:
        """Whether a module is about to be imported in an observed thread. The import of torch wakes the thread."""
        if name == "torch":
            self.watch()
        return self.is_watched()

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Do not observe this thread inside the block, unless a file of the project begins to run in it."""
        self.stop()
        try:
            yield
        finally:
            self.watch()

    def watch_new_thread(self, frame: FrameType, event: str, arg: Any) -> None:
        """The profile function of a new thread; it is replaced by one for this thread."""
        sys.setprofile(None)
        self.watch()

    def pause(self, idle: int, found: bool) -> None:
        """Save new observations and, after long enough without any, rest."""
        if not self.has_bell and (not idle or idle >= PATIENCE_WITHOUT_TORCH):
            # Only after something new: then torch is not in the middle of its import, which must end before we rest.
            self.has_bell = running.hang_bell(self.listen)
        patience = PATIENCE if found else PATIENCE_WOKEN
        if idle >= (patience if self.has_bell else PATIENCE_WITHOUT_TORCH):
            self.stop()
            self.wait, self.rung = FIRST_WAIT if found else min(2 * self.wait, LONGEST_WAIT), 0
            if self.store.news != self.saved:
                self.save()
        elif self.store.news != self.saved and time.monotonic() >= self.next_save:
            self.save()

    def stop(self) -> None:
        """Remove our profile function from this thread, if it is there."""
        if self.is_watched():
            sys.setprofile(None)
        elif threading.get_ident() in self.watching:
            self.displaced = True
        self.watching.pop(threading.get_ident(), None)

    def listen(self, frame: FrameType) -> None:
        """Note a call of a module, in a frame of torch's, one for every `running.RINGS_EVERY` calls."""
        if sys.getprofile() is not None:
            return
        self.rung += running.RINGS_EVERY
        try:
            if self.rung < self.wait:
                # Only a module of a class that was not called in this way while we rested wakes us.
                module, args = frame.f_locals.get("self"), frame.f_locals.get("args", ())
                kind = (type(module), state_of(module).get("training"), *map(type, args))
                if kind in self.rested:
                    return
                self.rested.add(kind)
            self.rung = 0
            self.watch()
        except Exception as error:
            self.give_up(error)

    def save(self, patience: float = 0.0) -> None:
        """Write the part; `end` reports a failure. `patience`: seconds to wait for another thread that saves."""
        if not self.saving.acquire(timeout=patience):
            return
        try:
            begun = time.monotonic()
            self.write()
            now = time.monotonic()
            self.next_save = now + max(self.save_every, (now - begun) / SAVE_SHARE)
            self.save_every = min(2 * self.save_every, SAVE_EVERY)
            self.unsaved = ""
        except Exception as error:  # the next attempt may succeed, and a bug of ours must not stop the program
            kind = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
            self.unsaved = f"its observations could not be saved: {kind}{error}"
        finally:
            self.saving.release()

    def write(self) -> None:
        """Write the part, unless it would be empty or the whole program has ended before this process."""
        self.tracer.flush()
        self.saved = self.store.news
        found = tuple(self.sources.unchanged(self.store.observations()))
        if not found or not os.path.isdir(self.order.parts):
            return
        owners = {o.slot.owner for o in found}
        # Python knows the import name of a program that runs with `-m`; that of a directory is `__main__`.
        name = getattr(state_of(sys.modules.get(MAIN)).get("__spec__"), "name", MAIN)
        classes = describe_classes({name for o in found for name in o.type.names})
        profile = profiles.record(
            Observed(found, classes, (self.order.label,)),
            root=self.order.root,
            modules=running.modules(self.is_wanted_file, self.main_file),
            label=self.order.label,
            run=self.run,
            main="" if name == MAIN else name,
            in_forward=self.tracer.in_forward(),
            examples=[each for each in self.examples.all() if each.owner in owners],
        )
        # Keep the saved observations of files that were edited since.
        self.last = profiles.merge([self.last, profile])
        save_part(os.path.join(self.order.parts, f"{self.order.session}-{self.run}.sqlite"), self.last)

    def give_up(self, error: BaseException) -> None:
        """Stop observing this thread because of our error; an error that is not ours, such as Ctrl-C, is raised."""
        self.stop()
        if not isinstance(error, Exception):
            raise error
        self.failed = f"only a part of it was observed: {type(error).__name__}: {error}"

    def finish(self) -> None:
        for message in self.end():
            with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr is closed, or taken away
                print(f"pdt-annotate: process {os.getpid()}: {message}", file=sys.stderr)

    def end(self) -> list[str]:
        """Stop observing, and save; return the failures, unless they were reported."""
        if self.finished:
            return []
        self.finished = True
        self.stop()
        self.save(LAST_SAVE)
        displaced = "it set its own profile function (sys.setprofile); no types were observed in that time"
        return [message for message in (displaced if self.displaced else "", self.unsaved, self.failed) if message]

    def begin_in_fork(self) -> None:
        """Observe a forked process separately."""
        self.stop()
        self.begin()
        self.watch()
        self.finish_with_multiprocessing()

    def finish_with_multiprocessing(self) -> None:
        """Make multiprocessing call `finish` in its processes, which skip `atexit`: this is one, or may become one."""
        if util := sys.modules.get("multiprocessing.util"):
            util.register_after_fork(self, Recorder.finish_with_process)
            self.finish_with_process()

    def finish_with_process(self) -> None:
        sys.modules["multiprocessing.util"].Finalize(None, self.finish, exitpriority=LAST)


current: Recorder | None = None  # the recorder of this process, once started


def start() -> Recorder:
    global current
    recorder = current = Recorder(Order.read(os.environ))
    sys.meta_path.insert(0, ImportWatch(recorder.is_wanted_file, recorder.watches_import, recorder.unwatched))
    threading.setprofile(recorder.watch_new_thread)
    atexit.register(recorder.finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=recorder.begin_in_fork)
    recorder.finish_with_multiprocessing()
    # Make `os._exit`, which runs no exit handlers, save as well.
    leave = os._exit

    @functools.wraps(leave)
    def finish_and_leave(status: int) -> NoReturn:
        try:
            recorder.finish()
        finally:
            leave(status)

    os._exit = finish_and_leave
    return recorder

"""MonkeyType's `CallTracer`, with features that TorchScript needs and MonkeyType 23.3 lacks.

A function is identified by its code object (file, qualified name, first line), so nested functions, patched methods and
property setters count as well; keyword-only parameters are read; a `return None` is no exception on every Python;
every thread is traced; a list that is empty when it is passed and filled by the callee is read again; and a call whose
arguments are all of plain classes costs one look-up. In programs that run for hours it does less the more often it saw
the same types. It also records for each function whether it ran inside a module's `forward`, in the same thread.
"""

import builtins
import contextlib
import opcode
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

from monkeytype.tracing import CallTracer, CodeFilter

from pdt_annotate.observers.cells import is_cell
from pdt_annotate.observers.classes import MODULE
from pdt_annotate.observers.sites import Examples, NamedSlots, Store, TracedCode
from pdt_annotate.observers.type_of_value import class_type, holds_empty, is_leaf, type_of
from pdt_annotate.values.slots import Owner, Slot

ProfileFunction = Callable[[FrameType, str, Any], object]

# Python 3.12 returns constants with a separate opcode, which MonkeyType 23.3 does not know.
RETURN_OPCODES = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}
UNKNOWN: Any = object()

LOOKS = 64  # how often a program's containers and locals are looked into at one function; then at every 2^k-th call
PAUSE = 1_024  # calls of Python functions, in one thread and without anything new, after which `pause` is called
FIRST_PAUSE = 16  # the same right after something new, which should be saved soon; it doubles up to `PAUSE`

CONSTRUCTOR = "__init__"
CALL = "_call_impl"
IMPORTLIB = "<frozen importlib._bootstrap>"
MODULE_FILE = ("torch/nn/modules/module.py", "torch\\nn\\modules\\module.py")


class Tracer(CallTracer):
    """Records arguments, results and wanted locals into a store.

    Args:
        code_filter: which code objects are traced; called once for each.
        wanted_locals: returns the locals of a function to read when it returns, each with the line of the assignment
            that an annotation may go to; called once for each. Those with line 0, which get no annotation, are read
            only when their classes are new.
        looks: how often containers and locals of a function are looked into; after that, at every 2^k-th call.
        pause: called now and then with the number of calls since something new came, and whether anything did since
            this thread is observed. It may end the observation of the thread.
        give_up: called with tracer errors, which the program must not see, or a KeyboardInterrupt, which it must; by
            default they are raised.
        examples: keeps calls, too. Then only the arguments of a module's `__init__` are read, since its parameters are
            not compiled.
    """

    def __init__(
        self,
        store: Store,
        code_filter: CodeFilter,
        wanted_locals: Callable[[Owner], Iterable[tuple[str, int]]],
        *,
        looks: int = sys.maxsize,
        pause: Callable[[int, bool], None] = lambda idle, found: None,
        give_up: Callable[[BaseException], None] | None = None,
        examples: Examples | None = None,
    ) -> None:
        super().__init__(logger=store, max_typed_dict_size=0, code_filter=code_filter)
        self.store = store
        self.code_filter = code_filter
        self.wanted_locals = wanted_locals
        self.looks = looks
        self.pause = pause
        self.give_up = give_up
        self.examples = examples
        self.files: set[str] = set()  # the files of all code that ran, traced or not

        # By the id of the code object, whose hash and equality are slow and ignore the file; so all of them are kept.
        # The value is None if the code is not traced.
        self._sites: dict[int, Any] = {}
        self._codes: list[CodeType] = []
        self._unfilled: dict[int, list[tuple[str, Slot, int]]] = {}

    @contextlib.contextmanager
    def tracing(self, call: str) -> Iterator[None]:
        """Observe calls inside the block, in this thread and in those it starts, as the example call `call`."""
        profile = self.profile_function()
        before, before_threads = sys.getprofile(), threading.getprofile()
        self.store.call = call
        self._unfilled.clear()
        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(before if callable(before) else None)  # a profiler in C cannot be put back
            threading.setprofile(before_threads)
            self.flush()

    def flush(self) -> None:
        for site in list(self._sites.values()):
            if site is not None:
                site.flush()

    def in_forward(self) -> set[Owner]:
        return {site.returned.owner for site in list(self._sites.values()) if site is not None and site.inside}

    def profile_function(self) -> ProfileFunction:
        """The function for `sys.setprofile` in this thread.

        It is long because it runs on every call and return of the program, and a call costs as much again.
        """
        known, meet, look_into, look_again = self._sites.get, self._meet, self._look_into, self._look_again
        look_at_return, unfilled, looks = self._look_at_return, self._unfilled, self.looks
        store, pause, give_up, examples = self.store, self.pause, self.give_up, self.examples
        idle, due, news, found = 0, FIRST_PAUSE, store.news, False
        depth = 0
        caller: FrameType | None = sys._getframe(1)
        while caller is not None:
            around = self._sites.get(id(caller.f_code))
            depth += around is not None and around.enters
            caller = caller.f_back

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
                        if site.constructs and examples is not None:
                            examples.note_construction(frame)
                        return
                    if depth and not site.inside:
                        site.inside = True
                        store.news += 1
                    values = frame.f_locals
                    counted = site.arguments[site.classes_of(values)]
                    number = counted.count()
                    if not number and examples is not None:
                        examples.note_call(site.returned.owner, frame, is_method=site.of_module)
                    if counted.containers and (number < looks or not number & (number - 1)):
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
                    if (counted.containers or site.reads_locals) and (number < looks or not number & (number - 1)):
                        look_at_return(frame, site, arg)
            except RecursionError:  # the program is at its limit
                return
            except BaseException as error:
                if give_up is None:
                    raise
                give_up(error)

        return profile

    def _meet(self, frame: FrameType) -> Any:
        """The site of a new code object; None if it is not traced, or runs only once and is not kept."""
        code = frame.f_code
        self.files.add(code.co_filename)
        if code.co_name == "<module>" or (code.co_filename.startswith("<") and not is_cell(code.co_filename)):
            return None
        site: TracedCode | None = None
        if code.co_name == CALL and code.co_filename.endswith(MODULE_FILE):
            site = TracedCode(code, self.store, self.wanted_locals, recorded=False, enters=True)
        elif self.code_filter(code):
            first = code.co_varnames[0] if code.co_argcount else None
            of_module = first is not None and class_type(type(frame.f_locals.get(first))).inherits(MODULE)
            constructs = of_module and code.co_name == CONSTRUCTOR
            recorded = not constructs or self.examples is None
            self.store.news += recorded
            site = TracedCode(
                code,
                self.store,
                self.wanted_locals,
                recorded=recorded,
                of_module=of_module,
                constructs=constructs,
                enters=of_module and code.co_name == "forward",
            )
        self._sites[id(code)] = site
        self._codes.append(code)
        return site

    def _look_into(self, frame: FrameType, values: Mapping[str, Any], containers: NamedSlots) -> None:
        """Record the container parameters, and remember each one that holds an empty container."""
        for name, slot in containers:
            value = values[name]
            observed = type_of(value)
            self.store.add(slot, observed)
            if holds_empty(observed):
                self._unfilled.setdefault(id(frame), []).append((name, slot, id(value)))

    def _look_again(self, frame: FrameType) -> None:
        """Record once more the parameters that came in with something empty, if the function has filled them."""
        values = frame.f_locals
        for name, slot, identity in self._unfilled.pop(id(frame), ()):
            if id(values.get(name)) == identity:
                observed = type_of(values[name])
                if not holds_empty(observed):
                    self.store.add(slot, observed)

    def _look_at_return(self, frame: FrameType, site: TracedCode, value: Any) -> None:
        if not is_leaf(type(value)):
            self.store.add(site.returned, type_of(value))
        values = frame.f_locals if site.reads_locals else {}
        read = site.open
        if site.passed:
            classes = tuple([type(values.get(name)) for name, _ in site.passed])
            if classes not in site.met:
                site.met.add(classes)
                read += site.passed
        for name, slot in read:
            if name in values:
                self.store.add(slot, type_of(values[name]))


@contextlib.contextmanager
def unobserved_imports() -> Iterator[None]:
    """Run what an `import` statement inside the block imports without the profile function of its thread."""
    plain, ended = builtins.__import__, False

    def import_unobserved(*args: Any, **kwargs: Any) -> Any:
        if ended:  # the program kept it
            return plain(*args, **kwargs)
        profile = sys.getprofile()
        sys.setprofile(None)
        try:
            return plain(*args, **kwargs)
        finally:
            sys.setprofile(profile)

    # Modules and finders that look for the importing file skip the frames of importlib.
    import_unobserved.__code__ = import_unobserved.__code__.replace(co_filename=IMPORTLIB)
    builtins.__import__ = import_unobserved
    try:
        yield
    finally:
        ended = True
        if builtins.__import__ is import_unobserved:  # the program may have put in its own
            builtins.__import__ = plain

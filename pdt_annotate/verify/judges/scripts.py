"""Does it script? Compiles one object in this process, and notes the functions that the compiler reads."""

import builtins
import contextlib
import functools
import inspect
import itertools
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
import torch._jit_internal
import torch._sources
import torch.jit._recursive
import torch.jit._script
import torch.jit.annotations
import torch.jit.frontend

from pdt_annotate.findings.messages.said import read_failure, read_places
from pdt_annotate.values.live import function_of, state_of
from pdt_annotate.values.slots import NO_PLACE, Owner, Place
from pdt_annotate.values.user_code import phase
from pdt_annotate.values.verdicts import SCRIPTS, Failure, Trial, Verdict

MARK = "_torchscript_modifier"  # an attribute of functions that are exported, ignored or unused on purpose
# The compiler's own warnings, and, from Python 3.12 on, that of an escape in the source that it parses again.
SCRIPTING_NOISE = (DeprecationWarning, FutureWarning, SyntaxWarning, UserWarning)
NO_FORWARD = "{} defines `__call__` and no `forward`, which TorchScript compiles: rename `__call__` to `forward`"


@dataclass(eq=False)
class Compilation:
    """One attempt to script an object: the result, the verdict, and the functions that the compiler read, in order.

    `ignored_functions` are ignored and unused ones, whose signature alone was read.
    `handed` are the objects that the compiler got for these, with their wrappers.
    `added` are the methods that are in the result only because the caller named them.

    A compiled class's methods are read once in a process, so a class that was compiled before adds nothing here.
    """

    # Spare the compiler work that it repeats for every module of a model: the search for overloaded methods where none
    # is declared, and parsing the same methods. This is most of its time; the final trial of a result runs without it.
    quick: bool = False
    scripted: Any = None
    verdict: Verdict = Verdict(SCRIPTS, False)  # noqa: RUF009 - it is frozen
    handed: list[Any] = field(default_factory=list)
    functions: list[FunctionType] = field(default_factory=list)
    ignored_functions: list[FunctionType] = field(default_factory=list)
    added: list[str] = field(default_factory=list)

    @property
    def compiled(self) -> list[Owner]:
        return _owners(self.functions)

    @property
    def asks_whether_scripted(self) -> bool:
        """Whether a function that the compiler read calls `torch.jit.is_scripting`: then it may answer otherwise."""
        return any("is_scripting" in function.__code__.co_names for function in self.functions)

    def trial(self, compared: Iterable[Verdict] = ()) -> Trial:
        return Trial((self.verdict, *compared), tuple(self.compiled), tuple(_owners(self.ignored_functions)))

    def run(self, subject: Any, methods: Iterable[str] = ()) -> None:
        """Script the object, of a module also the methods of these dotted names; an exception becomes the verdict."""
        sparing = sparing_overloads() if self.quick else contextlib.nullcontext()
        with phase("compiling it"), self._reading(), sparing, warnings.catch_warnings():
            for category in SCRIPTING_NOISE:
                warnings.simplefilter("ignore", category)
            script: Callable[..., Any] = torch.jit.script
            try:
                self.scripted = script(subject, _rcb=find_names(subject) if isinstance(subject, type) else None)
                self.added = compile_methods(self.scripted, subject, methods)
            # The compiler raises a dozen kinds, plain RuntimeError among them; a property of the user's may exit.
            except (Exception, SystemExit) as error:
                failure = read_failure(error)
                named = {(place.file, place.line) for place in failure.chain}
                unnamed = (place for place in _callers(error) if (place.file, place.line) not in named)
                self.verdict = Verdict(SCRIPTS, False, replace(failure, chain=(*unnamed, *failure.chain)))
            else:
                own = call_without_forward(subject)
                code = own.__code__ if own else None
                place = Place(code.co_filename, code.co_firstlineno) if code else NO_PLACE
                refused = Failure(NO_FORWARD.format(type(subject).__name__), place=place) if code else None
                self.verdict = Verdict(SCRIPTS, refused is None, refused)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Note every function that the compiler's front end gets, and every function whose signature it reads."""
        get_signature: Callable[..., Any] = torch.jit.annotations.get_signature

        def note_signature(fn: Any, *args: Any, **kwargs: Any) -> Any:
            # A method is bound through a function of torch, which knows the original.
            function = function_of(state_of(fn).get("original_fn", fn))
            if function:
                self.ignored_functions.append(function)
            return get_signature(fn, *args, **kwargs)

        modules = (torch.jit.frontend, torch.jit._recursive, torch.jit._script)
        original: Callable[..., Any] = torch.jit.frontend.get_jit_def
        parsed: dict[Any, Any] = {}  # what the front end makes of a function does not depend on the module

        def get_jit_def(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            function = function_of(fn)
            if function:
                self.functions.append(function)
                self.handed.append(fn)
            if not (self.quick and function):
                return original(fn, *args, **kwargs)
            key = (id(getattr(fn, "__func__", fn)), args, *kwargs.items())  # `handed` keeps it alive
            if key not in parsed:
                parsed[key] = original(fn, *args, **kwargs)
            return parsed[key]

        # torch reads the code inside a wrapper, and would name the wrapper's file.
        read: Callable[..., Any] = torch._sources.get_source_lines_and_file
        with contextlib.ExitStack() as undo:
            for module in modules:
                undo.enter_context(replaced(module, "get_jit_def", get_jit_def))
            undo.enter_context(
                replaced(
                    torch._sources, "get_source_lines_and_file", lambda obj, *args: read(inspect.unwrap(obj), *args)
                )
            )
            undo.enter_context(replaced(torch.jit.annotations, "get_signature", note_signature))
            yield


def _callers(error: BaseException) -> Iterator[Place]:
    """The calls of functions through which the compiler came to code, innermost first.

    If its front end refuses the code, the message does not name the innermost call.
    """
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_code.co_name == "try_compile_fn":
            yield from itertools.islice(read_places(str(frame.f_locals.get("loc", ""))), 1)


def call_without_forward(subject: Any) -> FunctionType | None:
    """The `__call__` of a module whose class defines no `forward`: eager mode needs none, and torch scripts nothing."""
    if not isinstance(subject, torch.nn.Module) or "forward" in state_of(subject):
        return None
    defined = (inspect.getattr_static(type(subject), name, None) for name in ("forward", "__call__"))
    bare = (torch.nn.Module.__dict__[name] for name in ("forward", "__call__"))
    (forward, own), (no_forward, plain) = defined, bare
    return function_of(own) if forward is no_forward and own is not plain else None


def find_names(cls: type) -> Callable[[str], Any]:
    """A lookup of the names that a class uses, for the compiler, which else looks in the frame that calls it: ours."""
    names = dict(vars(builtins))
    for method in vars(cls).values():
        function = function_of(method)
        names.update(torch._jit_internal.get_closure(function) if function else {})
    environment: Any = SimpleNamespace(**names)
    return torch._jit_internal.createResolutionCallbackFromEnv(environment)


def compile_methods(scripted: Any, module: torch.nn.Module, names: Iterable[str]) -> list[str]:
    """Compile methods that no `forward` calls, as if they were exported: "decode", "layers.0.reset".

    Returns the names of the methods that were not compiled yet. Exporting them instead would leave them without
    defaults for the methods that call them: torch sets defaults after all are compiled.
    """
    added = []
    for dotted in names:
        path, _, name = dotted.rpartition(".")
        method = inspect.getattr_static(type(module.get_submodule(path)), name, None)
        if isinstance(method, staticmethod):
            torch.jit.script(method.__func__)
        elif isinstance(method, FunctionType) and not hasattr(method, MARK) and not is_compiled(scripted, dotted):
            torch.jit._recursive.compile_unbound_method(_holder(scripted, path)._concrete_type, method)
            added.append(dotted)
    return added


def is_compiled(scripted: Any, dotted: str) -> bool:
    """Whether a scripted module has a method compiled, or a submodule to call; it also holds ignored ones."""
    path, _, name = dotted.rpartition(".")
    holder = _holder(scripted, path)
    child = dict(holder.named_children()).get(name)
    return bool(holder._c._has_method(name) if child is None else child._c._has_method("forward"))


def _holder(scripted: Any, path: str) -> Any:
    return functools.reduce(getattr, filter(None, path.split(".")), scripted)


def _owners(functions: list[FunctionType]) -> list[Owner]:
    """Each once. Not by code objects, which are equal if two files have the same function at the same line."""
    return list(dict.fromkeys(Owner.of(function.__code__) for function in functions))


@contextlib.contextmanager
def replaced(holder: Any, name: str, value: Any) -> Iterator[None]:
    """Replace a function or other state of a module inside the block."""
    original = getattr(holder, name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        setattr(holder, name, original)


def sparing_overloads() -> contextlib.AbstractContextManager[None]:
    """Answer at once that a module has no overloaded methods if no class of its name declares any."""
    overloaded: dict[str, dict[str, Any]] = torch._jit_internal._overloaded_methods
    declaring = {class_name for classes in overloaded.values() for class_name in classes}
    original: Any = torch.jit._recursive.get_overload_annotations

    return replaced(
        torch.jit._recursive,
        "get_overload_annotations",
        lambda module, ignored: original(module, ignored) if type(module).__name__ in declaring else {},
    )

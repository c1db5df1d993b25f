"""`pdt_annotate.script`: TorchScript of a live object that has no annotations.

The user's code runs in other processes only, in forks of this one if the platform has them, and `live_object` looks for
annotations. This module applies the annotations that were found, compiles the object, and removes them again.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any, ParamSpec, TypedDict, TypeVar, Unpack, overload

import torch
from torch import nn
from torch.jit._script import RecursiveScriptModule

from pdt_annotate.flows.warn import warn_of
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.observers.cells import kept_source
from pdt_annotate.processes.child.apply import apply, renew
from pdt_annotate.processes.child.isolation import register_class, remembering_nothing
from pdt_annotate.settings.make_options import find_root
from pdt_annotate.settings.options import BUDGET, TIMEOUT, MendName, Options, ThirdParty, ThirdPartyName, WriteBack
from pdt_annotate.values.errors import TargetError, VerificationError
from pdt_annotate.values.live import codes_of, qualname_of
from pdt_annotate.values.made import reach_from
from pdt_annotate.values.mends import MendLevel
from pdt_annotate.values.runs import Call, SpecSource, Target
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.torch_releases import notice
from pdt_annotate.verify.judges.scripts import SCRIPTING_NOISE, Compilation

P = ParamSpec("P")
R = TypeVar("R")
Class = TypeVar("Class", bound=type)
Scripted = TypeVar("Scripted", bound="torch.jit.ScriptModule | torch.jit.ScriptFunction[Any, Any]")

Inputs = str | os.PathLike[str] | Sequence[Any] | Mapping[Callable[..., Any], Sequence[Any]] | Call

TYPED_IN = (
    "define it in a module and import the module; or use a notebook, IPython or Python 3.13, which store typed source"
)
NOT_UNPACKED = "import it from .py files, because an archive or bytecode has no readable source"

_jit: Any = torch.jit
SCRIPTED = (_jit.ScriptModule, _jit.ScriptFunction, _jit.RecursiveScriptClass)

alone = threading.RLock()
"""Held while an object is scripted: threads share its code, its annotations, and the compiler's memory."""


if hasattr(os, "register_at_fork"):  # a fork does not have the thread that held the lock
    os.register_at_fork(after_in_child=lambda: globals().update(alone=threading.RLock()))


class How(TypedDict, total=False):
    root: str | os.PathLike[str]
    third_party: ThirdPartyName
    timeout: float
    budget: float
    mend: MendName
    probe: bool


@overload  # A module and a class can also be called: the first overload that fits counts.
def script(  # type: ignore[overload-overlap]
    obj: Scripted, example_inputs: Inputs, **how: Unpack[How]
) -> Scripted: ...
@overload
def script(  # type: ignore[overload-overlap]
    obj: Class, example_inputs: Inputs, **how: Unpack[How]
) -> Class: ...
@overload
def script(  # type: ignore[overload-overlap]
    obj: nn.Module, example_inputs: Inputs, **how: Unpack[How]
) -> RecursiveScriptModule: ...
@overload
def script(obj: Callable[P, R], example_inputs: Inputs, **how: Unpack[How]) -> torch.jit.ScriptFunction[P, R]: ...
def script(
    obj: Any,
    example_inputs: Inputs,
    *,
    root: str | os.PathLike[str] = "",
    third_party: ThirdPartyName = "overlay",
    timeout: float = TIMEOUT,
    budget: float = BUDGET,
    mend: MendName = "",
    probe: bool = True,
) -> Any:
    """Script a live object with the types that its example inputs show, like `torch.jit.script(obj, example_inputs=…)`.

    The result shares the object's parameters and buffers. Annotations in the source are used. Nothing is written, and
    the object, the inputs, the random number generators and the compiler's caches do not change: other inputs compile
    the object again. The code must be in files or notebook cells; without `os.fork`, in modules that another
    process can import. `docs/library.md` has examples.

    Args:
        obj: an `nn.Module` instance, a function, or a class (code that is scripted later can use it).
            A scripted object is returned unchanged, and so is any object if PYTORCH_JIT=0.
        example_inputs: a list of calls, each a tuple of arguments, a dict of keyword arguments or a
            `pdt_annotate.Call`; a mapping of callables to such lists, `{net: [...], net.encode: [...]}`; or a spec
            file, "FILE" or "FILE:NAME".
        root: the directory of your own code; by default the nearest project above the object's file.
        third_party: "overlay" also annotates functions outside the root, "leave" does not.
        timeout: the time limit for each run of the object, in seconds.
        budget: the time limit for the search for annotations, in seconds.
        mend: "exact", "frozen" or "all" also changes code, for this compilation only, if annotations are not enough;
            mends that change a constructor need the command line, which builds the model again.
        probe: also test generated calls, in other processes, and warn of wrong results. Known differences between
            TorchScript and Python are reported in any case.

    Returns:
        a `torch.jit.ScriptModule`, a `torch.jit.ScriptFunction`, or the class.

    Raises:
        UserError: the object, the inputs or their code has an error.
        VerificationError: no annotations make it script with the results of Python. The message has the
            compiler's message, the annotations in that function, and their examples.

    Warns:
        PdtWarning: a type is a guess, a number changes its type, or TorchScript differs from Python, at a
            compiled line or on a generated call; once per line in a process.
        FutureWarning: TorchScript is deprecated; once per process, instead of torch's own warnings.
    """
    if isinstance(obj, SCRIPTED) or not torch.jit._state._enabled:
        return obj
    options = make_options(
        obj, root=root, third_party=third_party, timeout=timeout, budget=budget, mend=mend, probe=probe
    )
    _warn_of_torch()
    from pdt_annotate.flows.live_object import find_annotations  # noqa: PLC0415 - it takes a second

    with alone:
        found, outcome = find_annotations(obj, example_inputs, options)
        warn_of(outcome.findings, _place_of(obj))  # a filter may make it raise, so warn before a class is registered
        with contextlib.ExitStack() as undo, warnings.catch_warnings():
            undo.callback(reach_from(obj, example_inputs))
            undo.callback(renew(found.sources))
            undo.callback(apply(found.candidate))
            for category in SCRIPTING_NOISE:
                warnings.simplefilter("ignore", category)
            if isinstance(obj, type):
                # Other classes whose methods have examples must be registered too.
                called = example_inputs if isinstance(example_inputs, Mapping) else ()
                receivers = (type(each.__self__) for each in called if isinstance(each, MethodType))
                own = (each for each in receivers if each.__module__ != "builtins" and not issubclass(each, nn.Module))
                for each in dict.fromkeys((obj, *own)):
                    register_class(each)
                return obj
            modules = obj.modules() if isinstance(obj, nn.Module) else ()
            undo.callback(_remove_marks, [(module, set(vars(module))) for module in modules])
            with remembering_nothing():
                compilation = Compilation(quick=True)
                compilation.run(obj, found.methods)
                if not compilation.verdict.ok:  # although it compiled in a fork
                    raise VerificationError(compilation.verdict.failure.text if compilation.verdict.failure else "")
                return compilation.scripted


@functools.cache
def _warn_of_torch() -> None:
    if said := notice(torch.__version__, sys.version_info[:2]):
        warnings.warn(said, FutureWarning, stacklevel=3)  # at the line that calls `script`


def make_options(obj: Any, **how: Unpack[How]) -> Options:
    """Return the options for a live object; a `UserError` if TorchScript does not compile it or it has no source."""
    subject_of(obj, lambda: obj)  # raises at once for a wrong kind of object
    definition = obj if inspect.isroutine(obj) or isinstance(obj, type) else type(obj)
    module, qualname = definition.__module__, definition.__qualname__
    return Options(
        targets=(Target(f"{module}:{qualname}", module, "", qualname),),
        spec=SpecSource(),
        root=os.path.abspath(how["root"]) if how.get("root") else _root_of(obj),
        third_party=ThirdParty(how.get("third_party", "overlay")),
        write_back=WriteBack.DIFF,
        timeout=how.get("timeout", TIMEOUT),
        budget=how.get("budget", BUDGET),
        mend=MendLevel(how["mend"]) if how.get("mend") else None,
        no_probe=not how.get("probe", True),
    )


def _root_of(obj: Any) -> str:
    """Return the project of an object, or else the folder from which its file is imported.

    Raises a `TargetError` if its source is in no file.
    """
    source = _place_of(obj).file
    if kept_source(source):  # it was typed into a session, and belongs to the project in which the session runs
        return find_root(())
    file = os.path.realpath(source)
    if os.path.isfile(file):
        return find_root((Target("", "", file, ""),))
    if not source or source.startswith("<"):
        raise TargetError(f"the source of {qualname_of(obj)} is in no file", hint=TYPED_IN)
    where = f"is not on disk: there is no file {source}"
    raise TargetError(f"the source of {qualname_of(obj)} {where}", hint=NOT_UNPACKED)


def _place_of(obj: Any) -> Place:
    """Return the place of a function, or of a class's methods, since Python knows no file for a session's class."""
    cls = obj if isinstance(obj, type) else type(obj)
    code = inspect.unwrap(obj).__code__ if inspect.isroutine(obj) else next(codes_of(cls), None)
    if code is not None:
        return Place(code.co_filename, code.co_firstlineno)
    with contextlib.suppress(OSError, TypeError):
        return Place(inspect.getsourcefile(cls) or "", 1)
    return NO_PLACE


def _remove_marks(before: list[tuple[nn.Module, set[str]]]) -> None:
    """Remove the compiler's notes on the modules themselves about which of their methods are overloaded."""
    for module, names in before:
        for name in vars(module).keys() - names:
            del vars(module)[name]

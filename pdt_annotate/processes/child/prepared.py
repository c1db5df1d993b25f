"""The setup of a session, which imports, configures and builds a target; and functions that call the built target.

Every task of the session starts from the target as it was built, before any call.
"""

import contextlib
import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, takewhile
from types import FunctionType, MethodType
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.import_target import load_module
from pdt_annotate.inputs.resolve import Subject, class_of, resolve
from pdt_annotate.inputs.target import did_you_mean
from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.observers.sites import Store
from pdt_annotate.observers.tracer import Tracer, unobserved_imports
from pdt_annotate.overlays import kept_overlay, serving
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.fork import silence
from pdt_annotate.source.module import read_in_place
from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.live import is_a, qualname_of, state_of
from pdt_annotate.values.made import reach_from
from pdt_annotate.values.runs import Call, SpecSource, Target
from pdt_annotate.values.user_code import phase, user_code
from pdt_annotate.verify.judges.clones import CONSTRUCT, Done, Objects, ScriptedObjects, clone, rebuild
from pdt_annotate.verify.judges.scripts import call_without_forward, is_compiled, replaced

CONSTRUCTION = "construction"
NOTHING = contextlib.nullcontext()
COMPILED = (torch.jit.ScriptModule, torch.jit.ScriptFunction, ScriptedObjects)


@dataclass
class Prepared:
    """A target built from its spec and never run."""

    root: str
    subject: Subject
    built: Any
    spec: specs.Spec
    constructed: Store  # the observations of building it
    third_party: bool = False
    in_memory: bool = False  # it is a live object of the calling process, and no file gets its annotations
    lazy: tuple[str, ...] = ()  # the modules that got their parameters by an early call

    @property
    def calls(self) -> Iterator[Call]:
        return (replace(call, name=specs.label(call, index)) for index, call in enumerate(self.spec.calls))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of a module that the target and its calls name, other than `forward`."""
        if not isinstance(self.built, torch.nn.Module):
            return ()
        called = (method_of(self, call) for call in self.calls)
        return tuple(name for name in dict.fromkeys((self.subject.method, *called)) if name not in ("", "forward"))


def prepare(
    target: Target,
    source: SpecSource,
    root: str,
    sources: Mapping[str, bytes],
    imports: Mapping[str, Sequence[str]] = {},
    *,
    third_party: bool = False,
    traced: bool = False,
) -> Prepared:
    """Import the target over the overlay of `sources`, read its spec and build it.

    Modules that are lazy get their parameters by example calls. `imports` has statements to run before a file. Code
    outside the root is read as installed to type it as well, for `third_party`. If `traced`, the construction is
    observed, but no import: a tracer makes that four times as long.
    """
    dependencies.watch()
    if third_party:
        kept_overlay.disregard()
    else:
        kept_overlay.start()
    serving.install(sources, imports)
    read_in_place(sources)
    store = Store()
    tracer = Tracer(store, make_code_filter(root), lambda owner: ())
    module = load_module(target, root)
    spec = specs.read(source, class_of(target, module))
    specs.seed_generators(spec.settings.seed)
    with contextlib.ExitStack() as observing, user_code(f"building {target.text} failed"):
        if traced:
            observing.enter_context(tracer.tracing(CONSTRUCTION))
            observing.enter_context(unobserved_imports())
        subject = resolve(target, module, spec.build)
        built = subject.make()
    configure(built, spec.settings)
    reach_from(built, [call.args for call in spec.calls])
    prepared = Prepared(root, subject, built, spec, store, third_party)
    check_calls(prepared, source.file)
    prepared.lazy = lazy_modules(built)
    if prepared.lazy:
        specs.seed_generators(spec.settings.seed)
    for call in takewhile(lambda call: lazy_modules(built), prepared.calls):
        with silence(), user_code(f"{call.name} raised"):
            run_call(prepared, built, call)
    return prepared


def import_first(module: str, root: str, sources: Mapping[str, bytes]) -> None:
    serving.install(sources)
    load_module(Target(module, module, "", ""), root)


def configure(built: Any, settings: specs.RunSettings) -> None:
    """Set the device, dtype and mode that a spec asks for on a module."""
    if not isinstance(built, torch.nn.Module):
        return
    dtype = getattr(torch, settings.dtype) if settings.dtype else None
    # A `to` of the module's own may take no dtype.
    asked: dict[str, Any] = {name: value for name, value in (("device", settings.device), ("dtype", dtype)) if value}
    if asked:
        with user_code(f"moving the module to {settings.device or settings.dtype} failed"):
            built.to(**asked)
    if settings.mode:
        with user_code(f"putting the module into {settings.mode} mode failed"):
            built.train(settings.mode == "train")


def copy_built(prepared: Prepared) -> Any:
    """A second instance in the same state, for the eager answers; for a class, the objects that calls construct."""
    if isinstance(prepared.built, type):
        return Objects(prepared.built)
    if not isinstance(prepared.built, torch.nn.Module):
        return prepared.built
    # `deepcopy` refuses to copy results of operations, which modules may keep, unless it finds them in its memo.
    kept = (value for each in prepared.built.modules() for value in state_of(each).values())
    results = {id(v): v.detach().clone() for v in kept if is_a(v, torch.Tensor) and not v.is_leaf}
    try:
        copied = copy.deepcopy(prepared.built, results)
        for parameter in prepared.built.parameters():  # its `__deepcopy__` drops the attributes that users gave it
            state_of(results.get(id(parameter))).update(copy.deepcopy(state_of(parameter), results))
        return copied
    except Exception:  # a member that cannot be copied, or whose own `__deepcopy__` raises
        specs.seed_generators(prepared.spec.settings.seed)
        built = prepared.subject.make()
        configure(built, prepared.spec.settings)
        return built


def pair(prepared: Prepared, scripted: Any) -> tuple[Any, Any]:
    """A copy for the eager answers and the compiled object; if the target is a class, objects of both kinds."""
    eager = copy_built(prepared)
    return eager, ScriptedObjects(prepared.built, eager) if isinstance(eager, Objects) else scripted


def check_calls(prepared: Prepared, file: str = "") -> None:
    """Raise `SpecError` if a call, from this file, does not fit its callee."""
    for call in prepared.calls:
        with user_code(f"looking up what {call.name} calls"):
            _check_method(prepared, call)
            # The function without `self`.
            function: Any
            if isinstance(prepared.built, type) and call.method != CONSTRUCT:
                function = inspect.getattr_static(prepared.built, call.method)
                if isinstance(function, FunctionType):
                    function = MethodType(function, prepared.built)
            else:
                function = callee_of(prepared, prepared.built, call)
                if isinstance(function, torch.nn.Module):
                    own = call_without_forward(function)
                    function = MethodType(own, function) if own else function.forward
        with contextlib.suppress(TypeError, ValueError):  # the callee has no signature
            specs.check_binding(call, inspect.signature(function), call.name, file)


@contextlib.contextmanager
def in_mode(built: Any, mode: str) -> Iterator[None]:
    """Put a module into "train" or "eval" mode inside the block; for "", or anything but a module, do nothing."""
    modules = list(built.modules()) if mode and isinstance(built, torch.nn.Module) else []
    before = [module.training for module in modules]
    for module in modules:
        module.training = mode == "train"
    try:
        yield
    finally:
        for module, training in zip(modules, before, strict=True):
            module.training = training


def run_call(
    prepared: Prepared, built: Any, call: Call, around: contextlib.AbstractContextManager[None] = NOTHING
) -> Any:
    """Make one example call of an object, with copies of its tensors."""
    function = callee_of(prepared, built, call)
    args, kwargs = clone((call.args, dict(call.kwargs)))
    no_grad = torch.no_grad() if prepared.spec.settings.no_grad else NOTHING
    with phase(f"running {call.name}"), no_grad, in_mode(built, call.mode), around:
        return function(*args, **kwargs)


def perform(prepared: Prepared, built: Any, call: Call) -> Done:
    """Make one example call of an object, and return its answer or error."""
    as_compiled = " as compiled" if isinstance(built, COMPILED) else ""
    with phase(f"running {call.name}{as_compiled}"), in_mode(built, call.mode):
        return perform_call(lambda: callee_of(prepared, built, call), call, prepared.spec.settings)


def perform_call(find: Callable[[], Callable[..., Any]], call: Call, settings: specs.RunSettings) -> Done:
    """Look up a function, call it, and return its answer or error."""
    args, kwargs = clone((call.args, dict(call.kwargs)))
    passed = {
        **{f"argument {number}": value for number, value in enumerate(args, start=1)},
        **{f"argument `{name}`": value for name, value in kwargs.items()},
    }
    before = rebuild(passed)
    with torch.no_grad() if settings.no_grad else NOTHING:
        try:
            return Done(passed, before, find()(*args, **kwargs))
        except Exception as error:  # the user's code may raise anything
            return Done(passed, before, error=error)


def as_if_scripting(asked: bool = True) -> contextlib.AbstractContextManager[None]:
    """Let `torch.jit.is_scripting()` return True in eager code, if `asked`."""
    return replaced(torch.jit, "is_scripting", lambda: True) if asked else NOTHING


def calls_target(prepared: Prepared, call: Call) -> bool:
    """Whether a call is one of the target, or of a method in it; other callees are only observed."""
    return call.callee is None or _bound_method(prepared, call) is not None


def is_comparable(prepared: Prepared, scripted: Any, call: Call) -> bool:
    """Whether the compiled object can be called like the example."""
    if not calls_target(prepared, call):
        return False
    if isinstance(scripted, ScriptedObjects):
        return scripted.type is not None
    method = method_of(prepared, call)
    return not isinstance(prepared.built, torch.nn.Module) or method == "forward" or is_compiled(scripted, method)


def callee_of(prepared: Prepared, built: Any, call: Call) -> Callable[..., Any]:
    """The callee of an example call, in an object that is the target or a copy of it."""
    method = _bound_method(prepared, call)
    if call.callee is not None and method is None:
        return call.callee  # type: ignore[no-any-return]
    if isinstance(built, Objects):
        return built.run(call.method)
    if not isinstance(built, torch.nn.Module):
        return built  # type: ignore[no-any-return]
    method = method_of(prepared, call)
    return built if method == "forward" else functools.reduce(getattr, method.split("."), built)


def method_of(prepared: Prepared, call: Call) -> str:
    """The method that a call runs, dotted for a method of a submodule; for other callees, the call's own `method`."""
    named = prepared.subject.method if call.method == "forward" and call.callee is None else ""
    return _bound_method(prepared, call) or named or call.method


def _bound_method(prepared: Prepared, call: Call) -> str | None:
    """The callee of a call as a method of the target or of a submodule; "forward" for the target itself.

    None for the `forward` of a submodule, because it runs with the target, and is only observed.
    """
    if call.callee is prepared.built:
        return "forward"
    if not (isinstance(call.callee, MethodType) and isinstance(prepared.built, torch.nn.Module)):
        return None
    holder, name = call.callee.__self__, call.callee.__name__
    path = next((path for path, module in prepared.built.named_modules() if module is holder), None)
    if path is None or (path and name == "forward"):
        return None
    return f"{path}.{name}" if path else name


def _check_method(prepared: Prepared, call: Call) -> None:
    """Raise `SpecError` if a module lacks the method that a call names."""
    method = method_of(prepared, call)
    if not isinstance(prepared.built, torch.nn.Module) or method == "forward" or call.callee is not None:
        return
    path, _, name = method.rpartition(".")
    holder = dict(prepared.built.named_modules()).get(path)
    found = inspect.getattr_static(type(holder), name, None)
    cls = type(prepared.built).__qualname__
    if isinstance(found, property):
        hint = "write an example call of a method that reads the property"
        raise SpecError(f"{call.name}: `{method}` of {cls} is a property, which cannot be called", hint=hint)
    if holder is None or not hasattr(holder, name):
        hint = did_you_mean(method, dir(type(prepared.built)))
        raise SpecError(f"{call.name}: {cls} has no method `{method}`", hint=hint)


def lazy_modules(model: Any) -> tuple[str, ...]:
    """The modules that wait for a first call, each with its class: "proj (LazyLinear)"."""
    found: list[str] = []
    for path, module in model.named_modules() if isinstance(model, torch.nn.Module) else ():
        # A class of the user may define `parameters` otherwise.
        own = (state_of(module).get(kind, {}).values() for kind in ("_parameters", "_buffers"))
        held = (value for value in chain.from_iterable(own) if value is not None)
        if any(map(torch.nn.parameter.is_lazy, held)):
            found.append(f"{path or 'the model'} ({qualname_of(module)})")
    return tuple(found)

"""The tasks that run in forked children: everything here may run the user's code.

`prepare` is a session's setup. Its result, the target built and never run, is where each task starts from: `observe`
runs the example calls under the tracer, `attempt` compiles a candidate and compares answers.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import torch

from pdt_annotate import closure, kept_overlay, serving, specs
from pdt_annotate import target as targets
from pdt_annotate.applying import apply
from pdt_annotate.ir import Call, Candidate, Observed, SlotKind, SpecSource, Target, Trial, Verdict
from pdt_annotate.isolate import silence, user_code
from pdt_annotate.observers import (
    AttributeWatch,
    Store,
    Tracer,
    describe_classes,
    make_code_filter,
    make_file_filter,
    make_third_party_filter,
)
from pdt_annotate.usage import wanted_locals
from pdt_annotate.verify import answers
from pdt_annotate.verify.objects import CONSTRUCT, Objects, ScriptedObjects
from pdt_annotate.verify.scripts import Compilation

CONSTRUCTION = "construction"
AS_SCRIPTED = "as scripted"
NOTHING = contextlib.nullcontext()


@dataclass
class Prepared:
    """A target built from its spec and never run. `constructed` is what building it showed."""

    root: str
    subject: targets.Subject
    built: Any
    spec: specs.Spec
    names: tuple[str, ...]
    constructed: Store
    third_party: bool = False

    @property
    def calls(self) -> Iterator[tuple[str, Call]]:
        return zip(self.names, self.spec.calls, strict=True)


def prepare(
    target: Target,
    source: SpecSource,
    root: str,
    sources: Mapping[str, bytes],
    imports: Mapping[str, Sequence[str]] = serving.NO_IMPORTS,
    third_party: bool = False,
) -> Prepared:
    """Import the target over the overlay of `sources`, read its spec and build it.

    Args:
        target: what to build.
        source: the example calls.
        root: the directory whose files may be annotated.
        sources: by file, what to read in its place.
        imports: by file, import statements to run before it.
        third_party: code outside the root is to be typed as well; so it is read as it is installed.
    """
    closure.watch()
    if third_party:
        kept_overlay.disregard()
    else:
        kept_overlay.start()
    serving.install(sources, imports)
    serving.cache_bytecode_of(make_file_filter(root))
    store = Store()
    tracer = Tracer(store, make_code_filter(root), lambda owner: ())
    with tracer.tracing(CONSTRUCTION):
        module = targets.load_module(target, root)
        spec = specs.read(source, targets.class_of(target, module))
        specs.seed_generators(spec.settings.seed)
        with user_code(f"building {target.text} failed"):
            subject = targets.resolve(target, module, spec.build)
            built = subject.make()
    _configure(built, spec.settings)
    return with_checked_calls(Prepared(root, subject, built, spec, label_calls(spec), store, third_party))


def label_calls(spec: specs.Spec) -> tuple[str, ...]:
    return tuple(specs.label(call, index) for index, call in enumerate(spec.calls))


def with_checked_calls(prepared: Prepared) -> Prepared:
    """The same, once every call fits what it calls; else a `SpecError`."""
    for name, call in prepared.calls:
        check_call(prepared, name, call)
    return prepared


def check_call(prepared: Prepared, name: str, call: Call) -> None:
    """Raise `SpecError` where a call does not fit what it calls."""
    with user_code(f"looking up what {name} calls"):
        function = _checked(prepared, call)
    with contextlib.suppress(TypeError, ValueError):  # without a signature there is nothing to compare
        specs.check_binding(call, inspect.signature(function), name)


def _checked(prepared: Prepared, call: Call) -> Callable[..., Any]:
    """What holds the signature of a call, without `self`."""
    if isinstance(prepared.built, type) and call.method != CONSTRUCT:
        method = inspect.getattr_static(prepared.built, call.method)
        return MethodType(method, prepared.built) if isinstance(method, FunctionType) else method
    function = _callable(prepared, prepared.built, call)
    return function.forward if isinstance(function, torch.nn.Module) else function


def loaded_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from files under the root, libraries left out: dotted name → file."""
    is_wanted = make_file_filter(prepared.root)
    return {name: file for name, file in _imported() if file.endswith(".py") and is_wanted(file)}


def third_party_files(prepared: Prepared) -> dict[str, str]:
    """The modules that are imported now from other files than those under the root, which the compiler may come to."""
    is_wanted = make_third_party_filter(prepared.root)
    named = ((name, file) for name, file in _imported() if name != "__main__")  # another module in every process
    return {name: file for name, file in named if os.path.isfile(file) and is_wanted(file)}


def _imported() -> Iterator[tuple[str, str]]:
    """The dotted name and the file of every module that has one."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file:
            yield name, file


def observe(prepared: Prepared, as_scripted: bool) -> Observed:
    """Run every example call that is not held back, and return the types that flowed.

    Args:
        as_scripted: run the calls once more as the compiler would take branches on `torch.jit.is_scripting()`.
    """
    store = Store()
    code_filter = make_code_filter(prepared.root, prepared.third_party)
    watch = AttributeWatch(store, make_file_filter(prepared.root, prepared.third_party))
    tracer = Tracer(store, code_filter, wanted_locals)
    built = Objects(prepared.built) if isinstance(prepared.built, type) else prepared.built
    again = copy.deepcopy(built) if as_scripted else None
    store.call = CONSTRUCTION
    watch.record(prepared.built)
    for name, call in prepared.calls:
        if not call.held_back:
            with user_code(f"{name} raised"):
                run_call(prepared, built, call, tracer.tracing(name))
            watch.record(prepared.built)
    if as_scripted:
        _observe_as_scripted(prepared, again, tracer)
    found = [*_of_plain_classes(prepared.constructed), *store.observations()]
    mentioned = {name for o in found for name in o.type.names}
    return Observed(
        observations=tuple(found),
        classes=describe_classes(mentioned),
        calls=tuple(name for name, call in prepared.calls if not call.held_back),
        held_back=tuple(name for name, call in prepared.calls if call.held_back),
        closure=closure.describe(prepared.root),
    )


def _observe_as_scripted(prepared: Prepared, built: Any, tracer: Tracer) -> None:
    """Only what the first pass did not reach matters; code for the compiler alone may well fail in Python."""
    with as_if_scripting(), silence():
        for name, call in prepared.calls:
            if not call.held_back and call.callee is None:
                with contextlib.suppress(Exception):
                    run_call(prepared, built, call, tracer.tracing(f"{name}, {AS_SCRIPTED}"))


def _of_plain_classes(store: Store) -> Iterator[Any]:
    """Of what construction showed, the methods of classes that are not modules: script classes, perhaps."""
    methods = {
        o.slot.owner: o.type
        for o in store.observations()
        if o.slot.kind is SlotKind.PARAMETER and o.slot.name == "self" and "." in o.slot.owner.qualname
    }
    modules = {owner for owner, type_ in methods.items() if type_.inherits("torch.nn.modules.module.Module")}
    return (o for o in store.observations() if o.slot.owner in methods and o.slot.owner not in modules)


@contextlib.contextmanager
def as_if_scripting() -> Iterator[None]:
    """Let `torch.jit.is_scripting()` answer True to eager code."""
    jit: Any = torch.jit
    original = jit.is_scripting
    jit.is_scripting = lambda: True
    try:
        yield
    finally:
        jit.is_scripting = original


def attempt(prepared: Prepared, candidate: Candidate, as_scripted: bool = False, optimized: bool = True) -> Trial:
    """Compile the target with a candidate's annotations and, where it compiles, compare its answers.

    Args:
        as_scripted: compare with what eager mode answers where `torch.jit.is_scripting()` is true.
        optimized: compile and run as users will; without, a trial saves time.
    """
    apply(candidate)
    compilation = Compilation(quick=not optimized)
    export_method(prepared)
    compilation.run(prepared.built)
    compiled, ignored = tuple(compilation.compiled), tuple(compilation.ignored)
    if not compilation.verdict.ok:
        return Trial((compilation.verdict,), compiled, ignored)
    verdicts = [compilation.verdict]
    eager = copy_built(prepared)  # compiling changes no state, running does
    scripted = ScriptedObjects(prepared.built, eager) if isinstance(eager, Objects) else compilation.scripted
    jit: Any = torch.jit
    with as_if_scripting() if as_scripted else NOTHING, jit.optimized_execution(optimized):
        for index, (name, call) in enumerate(prepared.calls):
            if is_comparable(prepared, scripted, call):
                verdicts.append(_judge(prepared, eager, scripted, name, call, index))
    return Trial(tuple(verdicts), compiled, ignored)


def export_method(prepared: Prepared) -> None:
    """A method that is the target is compiled beside `forward`, as if it were exported."""
    if prepared.subject.method not in ("", "forward"):
        torch.jit.export(getattr(type(prepared.built), prepared.subject.method))


def is_comparable(prepared: Prepared, scripted: Any, call: Call) -> bool:
    """Whether the compiled object can be called as the example calls it: other callees are observed only."""
    method = _bound_method(prepared, call)
    if call.callee is not None and method is None:
        return False
    if isinstance(scripted, ScriptedObjects):
        return scripted.type is not None
    return not isinstance(prepared.built, torch.nn.Module) or hasattr(scripted, method or call.method)


def _judge(prepared: Prepared, eager: Any, scripted: Any, name: str, call: Call, index: int) -> Verdict:
    def run(which: Any) -> Any:
        specs.seed_generators(prepared.spec.settings.seed + index)
        return run_call(prepared, which, call)

    return answers.judge_call(name, call.held_back, lambda: run(eager), lambda: run(scripted))


def run_call(
    prepared: Prepared, built: Any, call: Call, around: contextlib.AbstractContextManager[None] = NOTHING
) -> Any:
    """Make one example call, with copies of its tensors."""
    function = _callable(prepared, built, call)
    args, kwargs = answers.clone((call.args, dict(call.kwargs)))
    grad = torch.no_grad() if prepared.spec.settings.no_grad else contextlib.nullcontext()
    with grad, around:
        return function(*args, **kwargs)


def _callable(prepared: Prepared, built: Any, call: Call) -> Callable[..., Any]:
    method = _bound_method(prepared, call)
    if call.callee is not None and method is None:
        return call.callee  # type: ignore[no-any-return]
    if isinstance(built, Objects):
        return built.run(call.method)
    if not isinstance(built, torch.nn.Module):
        return built  # type: ignore[no-any-return]
    method = method or (prepared.subject.method if call.method == "forward" else "") or call.method
    return built if method == "forward" else getattr(built, method)


def _bound_method(prepared: Prepared, call: Call) -> str | None:
    """The method of the target that a callee stands for: of the instance itself, "forward" for the instance."""
    if call.callee is prepared.built:
        return "forward"
    if getattr(call.callee, "__self__", None) is prepared.built:
        return str(call.callee.__name__)
    return None


def copy_built(prepared: Prepared) -> Any:
    """A second instance in the same state, for the eager answers; of a class, those that calls will construct."""
    if isinstance(prepared.built, type):
        return Objects(prepared.built)
    if not isinstance(prepared.built, torch.nn.Module):
        return prepared.built
    try:
        return copy.deepcopy(prepared.built, _copies_of_results(prepared.built))
    except (RuntimeError, TypeError):  # a member that cannot be copied
        specs.seed_generators(prepared.spec.settings.seed)
        built = prepared.subject.make()
        _configure(built, prepared.spec.settings)
        return built


def _copies_of_results(module: torch.nn.Module) -> dict[int, Any]:
    """What `deepcopy` refuses to copy, by identity for its memo: the results of operations that modules keep."""
    kept = (value for each in module.modules() for value in vars(each).values())
    return {id(v): v.detach().clone() for v in kept if isinstance(v, torch.Tensor) and not v.is_leaf}


def _configure(built: Any, settings: specs.Settings) -> None:
    if not isinstance(built, torch.nn.Module):
        return
    if settings.device or settings.dtype:
        built.to(device=settings.device or None, dtype=getattr(torch, settings.dtype) if settings.dtype else None)
    if settings.mode:
        built.train(settings.mode == "train")

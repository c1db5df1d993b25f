"""One judgement of one object, in this process: does it script, and does it answer what it answers in Python?

Of the whole target, or of a part: the smallest that shows a fault, and those that show others beside it. What functions
return the compiler tells as well.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.observers import make_code_filter
from pdt_annotate.observers.classes import look_up, module_of
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.prepared import (
    Prepared,
    as_if_scripting,
    copy_built,
    is_comparable,
    method_of,
    run_call,
)
from pdt_annotate.processes.fork import in_fork
from pdt_annotate.source.places import Places
from pdt_annotate.values.live import function_of, is_a
from pdt_annotate.values.places import NO_PLACE
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Failure, Trial, Verdict
from pdt_annotate.verify.judges import answers
from pdt_annotate.verify.judges.objects import Objects, ScriptedObjects
from pdt_annotate.verify.judges.scripts import Compilation, is_compiled
from pdt_annotate.verify.judging import accept_on_purpose

METHODS = "methods"

Compare = Callable[[Any], Iterable[Verdict]]
"""Given the compiled object, a verdict for each call that it is compared on."""


def attempt(prepared: Prepared, candidate: Candidate, *, optimized: bool = True) -> Trial:
    """Compile the target with a candidate's annotations and, where it compiles, compare its answers.

    Where they differ, what the source answers on purpose when it is scripted is accepted.

    Args:
        optimized: compile and run as users will; without, a trial saves time.
    """
    apply(candidate)
    compilation = Compilation(quick=not optimized)
    compilation.run(prepared.built, prepared.methods)
    if not compilation.verdict.ok:
        return compilation.trial()

    def compare(as_scripted: bool) -> Trial:
        jit: Any = torch.jit
        with as_if_scripting(as_scripted), jit.optimized_execution(optimized):
            compared = _compare_examples(prepared, compilation.scripted)
            return compilation.trial((*_tell_of_methods(prepared, compilation), *compared))

    if not compilation.asks_whether_scripted:
        return compare(False)
    # Running changes what the compiled object holds, so the first of two comparisons leaves that to a fork.
    trial = in_fork(compare, False) or compare(False)
    return accept_on_purpose(trial, lambda: compare(True))


def _tell_of_methods(prepared: Prepared, compilation: Compilation) -> Iterator[Verdict]:
    """What must be known of methods that calls name: an export they lack, or why the scripted model has them not."""
    for name in prepared.methods:
        path, _, last = name.rpartition(".")
        method = inspect.getattr_static(type(prepared.built.get_submodule(path)), last, None)
        if name in compilation.added:
            code, message = "PDT057", f"`{name}` is compiled because the call names it, and nothing else reaches it"
        elif is_compiled(compilation.scripted, name):
            continue
        else:
            code, message = "PDT058", f"`{name}` is not compared: it is {_why_not_compiled(method)}"
        function = function_of(method)
        place = Places().of(Owner.of(function.__code__)) if function else NO_PLACE
        call = next((each.name for each in prepared.calls if method_of(prepared, each) == name), name)
        yield Verdict(METHODS, True, Failure(message, place=place, call=call, code=code))


def _why_not_compiled(method: Any) -> str:
    if isinstance(method, staticmethod | classmethod):
        return f"a {'static' if isinstance(method, staticmethod) else 'class'} method, which no scripted module has"
    return "marked to stay Python" if is_a(method, FunctionType) else "no method of its class"


def _compare_examples(prepared: Prepared, scripted: Any) -> Iterator[Verdict]:
    eager = copy_built(prepared)  # compiling changes no state, running does
    if isinstance(eager, Objects):
        scripted = ScriptedObjects(prepared.built, eager)
    for index, call in enumerate(prepared.calls):
        if is_comparable(prepared, scripted, call):
            run = partial(run_call, prepared, call=call)
            yield compare_call(run, call, prepared.spec.settings.seed + index, eager, scripted)


def compile_and_compare(subject: Any, compare: Compare = lambda scripted: (), *, quick: bool = False) -> Trial:
    """Compile an object and, where it compiles, compare its answers.

    Args:
        quick: spare the compiler what it rarely needs; the last word on a result is spoken without.
    """
    compilation = Compilation(quick=quick)
    compilation.run(subject)
    return compilation.trial(compare(compilation.scripted) if compilation.verdict.ok else ())


def compare_call(run: Callable[[Any], Any], call: Call, seed: int, eager: Any, scripted: Any) -> Verdict:
    """Run a call both ways, from the same random numbers, and compare."""

    def seeded(which: Any) -> Any:
        specs.seed_generators(seed)
        return run(which)

    return answers.judge_call(call.name, call.held_back, lambda: seeded(eager), lambda: seeded(scripted))


def attempt_part(prepared: Prepared, candidate: Candidate, owner: Owner) -> Trial | None:
    """Compile only the module or function that a function belongs to; None where there is no such part."""
    part = _find_part(prepared, owner)
    if part is None:
        return None
    apply(candidate)
    return compile_and_compare(part, quick=True)


def failing_parts(prepared: Prepared, candidate: Candidate, compiled: tuple[Owner, ...]) -> tuple[Trial, ...]:
    """Trials of the submodules that fail, side by side: of those that a failed compilation of the whole never came to.

    Args:
        compiled: the functions that the compiler read in the whole.
    """
    if not isinstance(prepared.built, torch.nn.Module):
        return ()
    apply(candidate)
    unread = _outermost(prepared.built, make_code_filter(prepared.root, prepared.third_party), set(compiled), set())
    trials = (in_fork(partial(compile_and_compare, quick=True), module) for module in unread)
    return tuple(trial for trial in trials if trial is not None and not trial.ok)


def _outermost(module: Any, is_wanted: Callable[[CodeType], bool], read: set[Owner], met: set[type]) -> Iterator[Any]:
    """Submodules whose `forward` was not read, one of a class; what is inside them belongs to them."""
    for child in module.children():
        code = getattr(type(child).forward, "__code__", None)
        if code is None or not is_wanted(code):
            yield from _outermost(child, is_wanted, read, met)
        elif type(child) not in met and Owner.of(code) not in read:
            met.add(type(child))
            yield child


def _find_part(prepared: Prepared, owner: Owner) -> Any:
    """The smallest module whose class has the method, or the function itself."""
    module = module_of(owner.file)
    function = look_up(module, owner.qualname)
    holder = look_up(module, owner.qualname.rpartition(".")[0]) if "." in owner.qualname else None
    if not isinstance(holder, type):
        return function if callable(function) else None
    if not isinstance(prepared.built, torch.nn.Module):
        return None
    found = [m for m in prepared.built.modules() if isinstance(m, holder) and m is not prepared.built]
    return min(found, key=lambda m: sum(1 for _ in m.modules()), default=None)


def return_types(prepared: Prepared, candidate: Candidate) -> dict[Owner, str]:
    """The result types, as the compiler spells them, of every function that it compiled."""
    apply(candidate)
    compilation = Compilation()
    compilation.run(prepared.built, prepared.methods)
    found = dict(_method_returns(prepared.built, compilation.scripted))
    for function, name in list(torch.jit._state._jit_caching_layer.items()):
        compiled: Any = torch.jit._state._python_cu.find_function(name)
        if compiled is not None and hasattr(function, "__code__"):
            found[Owner.of(function.__code__)] = compiled.schema.returns[0].type.annotation_str
    return found


def _method_returns(built: Any, scripted: Any) -> Iterator[tuple[Owner, str]]:
    if not isinstance(built, torch.nn.Module):
        return
    compiled = dict(scripted.named_modules())
    for path, module in built.named_modules():
        native: Any = getattr(compiled.get(path), "_c", None)
        for name in native._method_names() if native is not None else ():
            method: Any = getattr(type(module), name, None)
            if hasattr(method, "__code__"):
                yield Owner.of(method.__code__), native._get_method(name).schema.returns[0].type.annotation_str

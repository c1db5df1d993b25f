"""One judgement of the target or of a part of it, in this process: whether it scripts, and answers as in Python."""

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import torch

from pdt_annotate.inputs import specs
from pdt_annotate.observers.classes import find_classes, find_named
from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.processes.child.apply import apply
from pdt_annotate.processes.child.isolation import run_isolated
from pdt_annotate.processes.child.prepared import Prepared, as_if_scripting, is_comparable, method_of, pair, perform
from pdt_annotate.processes.fork import can_fork
from pdt_annotate.source.moves import Places
from pdt_annotate.values.live import function_of, is_a
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.slots import NO_PLACE, Owner
from pdt_annotate.values.verdicts import ANSWERS, METHODS, Failure, Trial, Verdict
from pdt_annotate.verify.judges.clones import Done, Objects
from pdt_annotate.verify.judges.effects import State, compare_arguments, compare_identity
from pdt_annotate.verify.judges.equality import SEEN, Look, judge_call
from pdt_annotate.verify.judges.gradients import RanBy, compare_gradients
from pdt_annotate.verify.judges.saved import hear, is_too_big, judge_saved, plain
from pdt_annotate.verify.judges.scripts import Compilation, is_compiled
from pdt_annotate.verify.text_judges import accept_on_purpose


def attempt(prepared: Prepared, candidate: Candidate, *, thorough: bool = True) -> Trial:
    apply(candidate)
    compilation = Compilation(quick=not thorough)
    compilation.run(prepared.built, prepared.methods)
    if not compilation.verdict.ok:
        return compilation.trial()

    def compare(scripted: Any, as_scripted: bool) -> Trial:
        jit: Any = torch.jit
        with as_if_scripting(as_scripted), jit.optimized_execution(thorough):
            compared = _compare_examples(prepared, scripted, thorough)
            return compilation.trial((*_note_methods(prepared, compilation), *compared))

    scripted = compilation.scripted
    if not compilation.asks_whether_scripted:
        return compare(scripted, False)
    # Running changes the compiled object's state, so the first of two comparisons is isolated.
    copied = not can_fork() and isinstance(scripted, torch.nn.Module)
    first = partial(compare, copy.deepcopy(scripted) if copied else scripted)
    trial = run_isolated(first, False, prepared.built) or first(False)
    return accept_on_purpose(trial, lambda: compare(scripted, True))


def _note_methods(prepared: Prepared, compilation: Compilation) -> Iterator[Verdict]:
    """Notes on the methods that calls name: an export that is missing, or why the scripted model lacks them."""
    for name in prepared.methods:
        path, _, last = name.rpartition(".")
        method = inspect.getattr_static(type(prepared.built.get_submodule(path)), last, None)
        code, message = "PDT057", f"`{name}` is compiled only because an example call calls it"
        if name not in compilation.added:
            if is_compiled(compilation.scripted, name):
                continue
            why = "not defined as a method of its class"
            if isinstance(method, staticmethod | classmethod):
                kind = "static" if isinstance(method, staticmethod) else "class"
                why = f"a {kind} method, which a scripted module does not have"
            elif is_a(method, FunctionType):
                why = "marked @torch.jit.ignore or @torch.jit.unused"
            code, message = "PDT058", f"`{name}` is not compared: it is {why}"
        function = function_of(method)
        place = Places().of(Owner.of(function.__code__)) if function else NO_PLACE
        call = next((each.name for each in prepared.calls if method_of(prepared, each) == name), name)
        yield Verdict(METHODS, True, Failure(message, place=place, call=call, code=code))


def _compare_examples(prepared: Prepared, scripted: Any, thorough: bool) -> Iterator[Verdict]:
    eager, scripted = pair(prepared, scripted)  # compiling changes no state, running does
    seeded = enumerate(prepared.calls, start=prepared.spec.settings.seed)
    calls = ((seed, call) for seed, call in seeded if is_comparable(prepared, scripted, call))
    runs = [BothWays(partial(perform, prepared), call, seed) for seed, call in calls]
    if not thorough:
        for run in runs:
            yield from run.compare(eager, scripted)
        return
    is_saved = not isinstance(eager, Objects) and not is_too_big(scripted)
    heard = hear(scripted, [partial(run.run, call=run.call) for run in runs], run_isolated) if is_saved else ()
    state, done = State(eager, scripted), []
    for run in runs:
        old, new = run.run(eager, run.call), run.run(scripted, run.call)
        if old.error is not None and not (run.call.raises or run.call.held_back):  # the model itself answered
            raised = f"a copy of the eager model raises {type(old.error).__name__}, so no results are compared"
            yield Verdict(ANSWERS, False, Failure(raised, call=run.call.name))
            return
        yield from run.judge_thoroughly(eager, scripted, old, new, state)
        done.append(Done({}, {}, plain(new.answer), new.error))
    if is_saved:
        yield judge_saved(heard, [run.call.name for run in runs], done)


def compile_and_compare(
    subject: Any, compare: Callable[[Any], Iterable[Verdict]] = lambda scripted: (), *, quick: bool = False
) -> Trial:
    """Compile an object and, if it compiles, compare its answers: `compare` returns a verdict for each call of it.

    If `quick`, the compiler skips rarely needed steps; do not use it for the final verdict on a result.
    """
    compilation = Compilation(quick=quick)
    compilation.run(subject)
    return compilation.trial(compare(compilation.scripted) if compilation.verdict.ok else ())


@dataclass(frozen=True)
class BothWays:
    """A call that runs in Python and scripted, with the same random numbers."""

    perform: Callable[[Any, Call], Done]
    call: Call
    seed: int

    def run(self, which: Any, call: Call) -> Done:
        specs.seed_generators(self.seed)
        return self.perform(which, call)

    def compare(self, eager: Any, scripted: Any) -> Iterator[Verdict]:
        """The verdict on the answers, without differences that no search can change."""
        verdicts = judge_call(self.call, self.run(eager, self.call), self.run(scripted, self.call))
        return (each for each in verdicts if not (each.failure and each.failure.code == SEEN))

    def judge_thoroughly(self, eager: Any, scripted: Any, old: Done, new: Done, state: State) -> Iterator[Verdict]:
        """The verdict on the answers, on all effects that callers see, and on the state after the call."""
        looks: tuple[Look, ...] = (
            compare_arguments,
            compare_identity,
            lambda old, new: state.compare(),
            lambda old, new: compare_gradients(RanBy(eager, old), RanBy(scripted, new), self.call, self.run),
        )
        return judge_call(self.call, old, new, looks)


def attempt_part(prepared: Prepared, candidate: Candidate, owner: Owner) -> Trial | None:
    """Take the smallest module whose class has the method, or the function itself."""
    built = prepared.built
    part: Any = None
    if holders := tuple(find_classes(owner.file, owner.qualname.rpartition(".")[0])):
        modules = built.modules() if isinstance(built, torch.nn.Module) else ()
        found = [m for m in modules if isinstance(m, holders) and m is not built]
        part = min(found, key=lambda m: sum(1 for _ in m.modules()), default=None)
    else:
        part = next(filter(callable, find_named(owner.file, owner.qualname)), None)
    if part is None:
        return None
    apply(candidate)
    return compile_and_compare(part, quick=True)


def failing_parts(prepared: Prepared, candidate: Candidate, compiled: tuple[Owner, ...]) -> tuple[Trial, ...]:
    if not isinstance(prepared.built, torch.nn.Module):
        return ()
    apply(candidate)
    unread = _outermost(prepared.built, make_code_filter(prepared.root, prepared.third_party), set(compiled), set())
    trials = (run_isolated(partial(compile_and_compare, quick=True), module) for module in unread)
    return tuple(trial for trial in trials if trial is not None and not trial.ok)


def _outermost(module: Any, is_wanted: Callable[[CodeType], bool], read: set[Owner], met: set[type]) -> Iterator[Any]:
    """The outermost submodules whose `forward` was not read, one of each class."""
    for child in module.children():
        code = getattr(type(child).forward, "__code__", None)
        if code is None or not is_wanted(code):
            yield from _outermost(child, is_wanted, read, met)
        elif type(child) not in met and Owner.of(code) not in read:
            met.add(type(child))
            yield child


def return_types(prepared: Prepared, candidate: Candidate) -> dict[Owner, str]:
    apply(candidate)
    compilation = Compilation()
    compilation.run(prepared.built, prepared.methods)
    found: dict[Owner, str] = {}
    is_module = isinstance(prepared.built, torch.nn.Module)
    scripted = dict(compilation.scripted.named_modules()) if is_module else {}
    for path, module in prepared.built.named_modules() if is_module else ():
        native: Any = getattr(scripted.get(path), "_c", None)
        for name in native._method_names() if native is not None else ():
            method: Any = getattr(type(module), name, None)
            if hasattr(method, "__code__"):
                returned = native._get_method(name).schema.returns[0]
                found[Owner.of(method.__code__)] = returned.type.annotation_str
    for function, name in list(torch.jit._state._jit_caching_layer.items()):
        compiled: Any = torch.jit._state._python_cu.find_function(name)
        if compiled is not None and hasattr(function, "__code__"):
            found[Owner.of(function.__code__)] = compiled.schema.returns[0].type.annotation_str
    return found

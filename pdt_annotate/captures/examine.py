"""The task that tries one way: captures, makes every call from fresh state, compares with eager mode, counts, times."""

import contextlib
import faulthandler
import pkgutil
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.captures.capturable import AbsentError, Capturable, Captured, as_module, count_operators, reason_of
from pdt_annotate.captures.merge import calls_to_trace, calls_with_flags
from pdt_annotate.captures.table import WAYS_PACKAGE
from pdt_annotate.captures.unsound.suspects import Looking, Trace
from pdt_annotate.captures.ways import jit
from pdt_annotate.findings.messages.capture_refusals import difference
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.isolation import keep
from pdt_annotate.processes.child.prepared import (
    NOTHING,
    Prepared,
    callee_of,
    copy_built,
    in_mode,
    method_of,
    perform,
    perform_call,
)
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.capture_results import Baked, Baking, CallFate, Capture, Fate, Way
from pdt_annotate.values.errors import SpecError, TargetError, UserCodeError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import phase, user_code
from pdt_annotate.verify.judges.clones import Done, clone
from pdt_annotate.verify.judges.equality import judge_call

TAKES = "name a module, a method of a module, or a function as the target"
SHOW = "add an example call without `held_back` and without `raises`"
UNTIMED = 3  # calls before the first that is timed: the compiler of TorchScript optimizes in the second and the third
REPEATING, MOST = 0.1, 30  # the seconds that all repeats of one call may take, and how many there are at most


def compare_calls(prepared: Prepared, eager: Any, captured: Captured, method: str) -> Iterator[CallFate]:
    """The result of each call; `eager` was never run. Raises SpecError if a call raises unexpectedly in eager mode."""
    for seed, call in enumerate(prepared.calls, start=prepared.spec.settings.seed):
        apart = why_apart(prepared, call, method)
        if apart:
            yield CallFate(call.name, Fate.NOT_COMPARED, call.held_back, message=apart)
            continue
        old = perform_eager(prepared, eager, call, seed)
        specs.seed_generators(seed)
        with in_mode(captured.modules, call.mode):
            new = perform_call(lambda: captured.run, call, prepared.spec.settings)
        fate, message = judge(prepared, call, old, new)
        yield CallFate(call.name, fate, call.held_back, call.name in captured.made_from, message)


def perform_eager(prepared: Prepared, eager: Any, call: Call, seed: int) -> Done:
    specs.seed_generators(seed)
    done = perform(prepared, eager, call)
    if done.error is None or call.raises or call.held_back:
        return done
    try:
        with user_code(f"{call.name} raised"):
            raise done.error
    except UserCodeError as error:
        hint = "if the call is meant to raise, mark it with `raises`"
        raise SpecError(error.message, place=error.place, hint=hint) from error


def why_apart(prepared: Prepared, call: Call, method: str) -> str:
    """Why a call cannot be made of the captured program; "" if it can."""
    called = method_of(prepared, call)
    if call.callee is not None and called == call.method:
        name = getattr(call.callee, "__qualname__", type(call.callee).__qualname__)
        return f"it calls `{name}`, but the target itself is captured"
    return "" if called == method else f"it calls `{called}`, but the method `{method}` is captured"


def judge(prepared: Prepared, call: Call, old: Done, new: Done) -> tuple[Fate, str]:
    """The fate of a call that was made both ways, with a message."""
    if new.error is not None and old.error is None:
        return Fate.REFUSED, reason_of(new.error, prepared.root).message
    verdict = next(judge_call(call, old, new))
    if verdict.failure is None:
        return Fate.SAME, ""
    # The judges are those of scripting, and so are their words.
    message = re.sub("the scripted (model|one)", "what was captured", verdict.failure.message)
    return Fate.DIFFERS, difference(message.replace("when scripted", "as captured"))


def examine(prepared: Prepared, way: Way) -> Capture:
    faulthandler.disable()  # a crash is an answer here
    subject = subject_of(prepared)
    method = method_of(prepared, subject.first)
    eager = copy_built(prepared)
    put_back = keep(subject.callee)
    try:
        capture = find_capture(way)
        begun = time.perf_counter()
        with phase(f"capturing it with {way.name}"), as_called(prepared, subject):
            captured = capture(subject)
    except AbsentError as absent:
        return Capture(way.name, absent=str(absent))
    except (Exception, SystemExit) as error:  # torch, or the user's code under it, may raise anything
        failure, seconds = reason_of(error, subject.root, subject.callee), time.perf_counter() - begun
        for seed, each in enumerate(prepared.calls, start=prepared.spec.settings.seed):
            if not why_apart(prepared, each, method):
                perform_eager(prepared, eager, each, seed)  # raises SpecError if the target does not even run
        return Capture(way.name, failure=failure, seconds=seconds)
    seconds = time.perf_counter() - begun
    put_back()
    # Put the captured program into the mode that the callee was built in; it was captured in the first call's.
    built = {path: module.training for path, module in as_module(subject.callee).named_modules()}
    for holder in captured.modules.children():
        for path, module in holder.named_modules():
            if module.training != built.get(path, module.training):
                module.training = built[path]
    calls = tuple(compare_calls(prepared, eager, captured, method))
    graphs = captured.graphs()
    tried = Capture(way.name, captured=True, graphs=len(graphs), whole=captured.whole(), calls=calls, seconds=seconds)
    tried = replace(tried, findings=captured.findings(), operators=count_operators(graphs))
    # Times are measured in eager calls, if a call answered and answers again.
    answered = [each.call for each in tried.calls if each.fate in (Fate.SAME, Fate.DIFFERS)]
    call = next((call for call in prepared.calls if call.name in answered[:1] and not call.raises), None)
    if call is None:
        return tried
    no_grad = torch.no_grad() if prepared.spec.settings.no_grad else NOTHING
    with no_grad, in_mode(eager, call.mode), in_mode(captured.modules, call.mode):
        one = _time(callee_of(prepared, eager, call), call)
        per_call = _time(captured.run, call)
    return replace(tried, relative=one and seconds / one, per_call=one and per_call and per_call / one)


def find_capture(way: Way) -> Callable[[Capturable], Captured]:
    """The function that captures in a way; raises `AbsentError` if this torch lacks something that it needs."""
    try:
        found: Callable[[Capturable], Captured] = pkgutil.resolve_name(f"{WAYS_PACKAGE}.{way.made_by}")
    except ImportError as error:
        raise AbsentError(f"this version of torch has no {way.title}: {error}") from error
    return found


def subject_of(prepared: Prepared) -> Capturable:
    """The method, or the whole, that the first example call runs; raises UserError for a class, or without a call."""
    if isinstance(prepared.built, type):
        message = f"{prepared.built.__qualname__} is a class, and the example calls construct its objects"
        raise TargetError(message, hint=TAKES)
    answering = [(call, method_of(prepared, call)) for call in prepared.calls if not call.raises]
    shown = ((call, method) for call, method in answering if not call.held_back)
    method = next((method for call, method in shown if not why_apart(prepared, call, method)), None)
    if method is None:
        raise SpecError("there is no example call to capture with", hint=SHOW)
    alike = [call for call, _ in answering if not why_apart(prepared, call, method)]
    calls, held_back = (tuple(each for each in alike if bool(each.held_back) is held) for held in (False, True))
    kept = replace(prepared, built=copy_built(prepared))
    callee = callee_of(prepared, prepared.built, calls[0])
    return Capturable(callee, calls, prepared.root, lambda: callee_of(kept, copy_built(kept), calls[0]), held_back)


def remove_backward_hooks(built: Any) -> bool:
    """Remove the hooks of the backward pass, with which torch compiles no module; return whether there were any."""
    modules = built.modules() if isinstance(built, torch.nn.Module) else ()
    hooks = [each for module in modules for each in (module._backward_hooks, module._backward_pre_hooks) if each]
    for each in hooks:
        each.clear()
    return bool(hooks)


@contextlib.contextmanager
def as_called(prepared: Prepared, subject: Capturable) -> Any:
    """The seed, mode and gradient setting of the first call, for code that runs the call to capture it."""
    settings = prepared.spec.settings
    specs.seed_generators(settings.seed)
    with torch.no_grad() if settings.no_grad else NOTHING, in_mode(prepared.built, subject.first.mode):
        yield


def _time(function: Callable[..., Any], call: Call) -> float | None:
    """The median of a few warm repeats, in seconds; None if one fails, though the call has answered before."""
    times: list[float] = []
    deadline = 0.0
    try:
        while len(times) < UNTIMED + 2 or (len(times) < UNTIMED + MOST and time.perf_counter() <= deadline):
            if len(times) == UNTIMED:
                deadline = time.perf_counter() + REPEATING
            args, kwargs = clone((call.args, dict(call.kwargs)))
            begun = time.perf_counter()
            function(*args, **kwargs)
            times.append(time.perf_counter() - begun)
    except Exception:  # it holds something that so many calls use up
        return None
    return statistics.median(times[UNTIMED:])


def find_baked(prepared: Prepared, *, adapted: bool, drawn: bool, saved: bool = False) -> Baking:
    """Find the values that a trace of the target would make constant; raises as `subject_of` does.

    Args:
        adapted: arguments and results may be nested; there is a trace for each value of a flag.
        drawn: draw further calls.
        saved: trace as `save` does.
    """
    if saved:
        remove_backward_hooks(prepared.built)
    subject = subject_of(prepared)
    try:
        with as_called(prepared, subject):
            if not adapted:
                return Baking(baked_into(subject, jit.trace_for_file if saved else jit.trace, drawn=drawn))
            shown = calls_with_flags(subject) if saved else subject.calls
            baked: list[Baked] = []
            for call in calls_to_trace(subject.callee, shown).values():
                of_call = replace(subject, calls=(call, *(each for each in subject.calls if each is not call)))
                baked += baked_into(of_call, jit.tracing(of_call, for_file=saved), drawn=drawn)
            return Baking(tuple(dict.fromkeys(baked)))
    except Exception as error:  # torch, or the user's code under it, may raise anything
        return Baking(failure=reason_of(error, prepared.root))


def baked_into(subject: Capturable, tracing: Trace, *, drawn: bool = True) -> tuple[Baked, ...]:
    """The same for anything that can be captured; raises torch's error if the first call cannot be traced."""
    return tuple(Looking(subject, tracing, ALLOWANCES["baked values"]).baked(drawn=drawn))

"""Every example call, made in eager mode and then of the captured program, from the same fresh state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from pdt_annotate.captures.capturable import Captured, reason_of
from pdt_annotate.findings.messages.capture_refusals import difference
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import Prepared, in_mode, method_of, perform, perform_call
from pdt_annotate.values.capture_results import CallFate, Fate
from pdt_annotate.values.errors import SpecError, UserCodeError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import user_code
from pdt_annotate.verify.judges.answers import judge_call
from pdt_annotate.verify.judges.clones import Done

# The judges are those of scripting, and so are their words.
WORDS = (
    ("the scripted model", "what was captured"),
    ("the scripted one", "what was captured"),
    ("when scripted", "as captured"),
)


def compare_calls(prepared: Prepared, eager: Any, captured: Captured, method: str) -> Iterator[CallFate]:
    """The result of each call; `eager` was never run. Raises SpecError if a call raises unexpectedly in eager mode."""
    for seed, call in enumerate(prepared.calls, start=prepared.spec.settings.seed):
        apart = why_apart(prepared, call, method)
        if apart:
            yield CallFate(call.name, Fate.NOT_COMPARED, call.held_back, message=apart)
            continue
        old = _perform_eager(prepared, eager, call, seed)
        specs.seed_generators(seed)
        with all_in_mode(captured, call.mode):
            new = perform_call(lambda: captured.run, call, prepared.spec.settings)
        fate, message = judge(prepared, call, old, new)
        yield CallFate(call.name, fate, call.held_back, call.name in captured.made_from, message)


def check_eager(prepared: Prepared, eager: Any, method: str) -> None:
    """Make the calls in eager mode: a target must run to be captured. Raises SpecError if one raises unexpectedly."""
    for seed, call in enumerate(prepared.calls, start=prepared.spec.settings.seed):
        if not why_apart(prepared, call, method):
            _perform_eager(prepared, eager, call, seed)


def _perform_eager(prepared: Prepared, eager: Any, call: Call, seed: int) -> Done:
    specs.seed_generators(seed)
    done = perform(prepared, eager, call)
    if done.error is None or call.raises or call.held_back:
        return done
    try:
        with user_code(f"{call.name} raised"):
            raise done.error
    except UserCodeError as error:
        hint = "a call that is meant to raise says so with `raises`"
        raise SpecError(error.message, place=error.place, hint=hint) from error


def why_apart(prepared: Prepared, call: Call, method: str) -> str:
    """Why a call cannot be made of the captured program; "" if it can."""
    called = method_of(prepared, call)
    if call.callee is not None and called == call.method:
        name = getattr(call.callee, "__qualname__", type(call.callee).__qualname__)
        return f"it calls `{name}`, and what is captured is the target"
    return "" if called == method else f"it calls `{called}`, and what is captured is `{method}`"


@contextlib.contextmanager
def all_in_mode(captured: Captured, mode: str) -> Iterator[None]:
    """Put the captured program into the mode of a call inside the block, as far as it has one."""
    with contextlib.ExitStack() as modes:
        for holder in captured.holders:
            modes.enter_context(in_mode(holder, mode))
        yield


def judge(prepared: Prepared, call: Call, old: Done, new: Done) -> tuple[Fate, str]:
    """The fate of a call that was made both ways, with a message."""
    if new.error is not None and old.error is None:
        return Fate.REFUSED, reason_of(new.error, prepared.root).message
    verdict = next(judge_call(call, old, new))
    if verdict.failure is None:
        return Fate.SAME, ""
    message = verdict.failure.message
    for scripted, captured in WORDS:
        message = message.replace(scripted, captured)
    return Fate.DIFFERS, difference(message)

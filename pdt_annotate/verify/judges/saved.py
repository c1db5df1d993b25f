"""Does the scripted model answer alike after it was saved and loaded, in another process?

The process is a fork: what is loaded is compiled anew from the file, and knows nothing of what the fork has compiled;
but it finds the libraries whose operators it needs, and classes of the user's that example arguments are of. It is
forked before anything is differentiated, which no fork can do after the process that it comes from has.
"""

from __future__ import annotations

import enum
import io
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch

from pdt_annotate.findings.messages.said import last_line, read_failure
from pdt_annotate.values.judges import SAVED
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.places import NO_PLACE
from pdt_annotate.values.verdicts import Failure, Verdict
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.values import Difference, compare

CODE = "PDT069"
LIMIT = 2**28  # bytes of parameters and buffers from which on a model is not saved: that would take seconds

NO_DEFAULT = "is missing value for argument"
"""A function is saved without its defaults, and says so where it is called without a value."""

jit: Any = torch.jit


@dataclass(frozen=True)
class Answered:
    """What the loaded model answered in a call, in plain data; or what was raised, in words."""

    answer: Any = None
    raised: str = ""


Heard = tuple[Answered, ...] | Failure  # the answers of all calls, or why there are none

Run = Callable[[Any], Done]
Elsewhere = Callable[[Callable[[io.BytesIO], Heard], io.BytesIO], Heard | None]
"""Runs a function in a process of its own; None where that ends without an answer."""


def hear(scripted: Any, runs: Sequence[Run], elsewhere: Elsewhere) -> Heard:
    """Save an object that was compiled and never run, load it elsewhere, and make calls of it there."""
    try:
        file = io.BytesIO(scripted.save_to_buffer())
    except Exception as error:  # of a dozen kinds, as those of the compiler
        return _failure(error, "the scripted model cannot be saved")
    crashed = Failure("the process that loads the saved model, and calls it, crashes", code=CODE)
    return elsewhere(partial(_load_and_run, runs), file) or crashed


def judge_saved(heard: Heard, names: Sequence[str], scripted: Sequence[Done]) -> Verdict:
    """Compare with what the calls of these names gave before. That nothing loads is a finding, which no annotation can
    help; another answer is a failure."""
    if isinstance(heard, Failure):
        return Verdict(SAVED, False, heard)
    for name, before, now in zip(names, scripted, heard, strict=True):
        failure = _compare(before, now)
        if failure:
            return Verdict(SAVED, False, Failure(failure, call=name))
    return Verdict(SAVED, True)


def is_too_big(scripted: Any) -> bool:
    """Whether to save the object would take too long."""
    tensors = (*scripted.parameters(), *scripted.buffers()) if isinstance(scripted, torch.nn.Module) else ()
    return sum(each.element_size() * each.numel() for each in tensors) > LIMIT


def _load_and_run(runs: Sequence[Run], file: io.BytesIO) -> Heard:
    try:
        with warnings.catch_warnings(action="ignore"):
            loaded = jit.load(file)
    except Exception as error:
        return _failure(error, "the saved model cannot be loaded")
    # What loading has changed shows without the optimizer, which takes longer than all else. And a subclass of Tensor
    # may not know the methods of a loaded module.
    with jit.optimized_execution(False), torch._C.DisableTorchFunctionSubclass():
        return tuple(_answered(run(loaded)) for run in runs)


def _answered(done: Done) -> Answered:
    if done.error is not None:
        return Answered(raised=last_line(str(done.error)) or type(done.error).__name__)
    return Answered(plain(done.answer))


def plain(value: Any) -> Any:
    """An answer as data that needs no class to be read: those of compiled code are made anew when it is loaded."""
    if is_a(value, torch.Tensor):
        return value.detach().clone()
    if is_a(value, enum.Enum):
        return value.name
    if is_a(value, list, tuple):
        return [plain(each) for each in value]
    if is_a(value, Mapping):
        return [(plain(key), plain(each)) for key, each in value.items()]
    if is_a(value, bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device):
        return value
    return {name: plain(each) for name, each in state_of(value).items() if not name.startswith("_")}


def _compare(before: Done, now: Answered) -> str:
    """How the two differ; "" where they do not."""
    if NO_DEFAULT in now.raised and before.error is None:
        return ""
    if (before.error is not None) != bool(now.raised):
        return f"once loaded, the model {f'raises {now.raised}' if now.raised else 'does not raise'}"
    try:
        compare(plain(before.answer), now.answer)
    except Difference as difference:
        told = str(difference).replace("when scripted", "once loaded").replace("in eager mode", "before it was saved")
        return f"saved and loaded, {told}"
    return ""


def _failure(error: Exception, what: str) -> Failure:
    """What was said, at its place in the sources: the file of a model quotes its own code first."""
    failure = read_failure(error)
    said = next((line.strip() for line in failure.message.splitlines() if line.strip()), failure.kind)
    message = f"{what}: {said.partition('. ')[0]}"
    place = next((each for each in (failure.place, *failure.chain) if os.path.isabs(each.file)), NO_PLACE)
    return replace(failure, message=message, place=place, chain=(), code=CODE)

"""Does the scripted model answer alike after it was saved and loaded, in another process?

The process is a fork: the model is compiled again from the file, but finds the libraries with its operators, and the
user's classes of example arguments. A fork cannot differentiate if the process before it has, so it comes first.
"""

import enum
import io
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from pdt_annotate.findings.messages.said import last_line, read_failure
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.slots import NO_PLACE
from pdt_annotate.values.verdicts import SAVED, Failure, Verdict
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.equality import Difference, compare

CODE = "PDT069"
LIMIT = 2**28  # bytes of parameters and buffers from which on a model is not saved: that would take seconds
NO_DEFAULT = "is missing value for argument"  # a function is saved without its defaults, and raises this


# The answer of the loaded model to each call, as plain data, and its error, in words; or why there are none.
Heard = tuple[tuple[Any, str], ...] | Failure

Run = Callable[[Any], Done]
# Runs a function in another process; None if that ends without an answer.
Elsewhere = Callable[[Callable[[io.BytesIO], Heard], io.BytesIO], Heard | None]


def hear(scripted: Any, runs: Sequence[Run], elsewhere: Elsewhere) -> Heard:
    """Save an object that was compiled and never run, load it in another process, and make calls of it there."""
    try:
        file = io.BytesIO(scripted.save_to_buffer())
    except Exception as error:  # of a dozen classes, like the compiler's errors
        return _failure(error, "the scripted model cannot be saved")
    crashed = Failure("the process that loads and calls the saved model crashes", code=CODE)
    return elsewhere(partial(_load_and_run, runs), file) or crashed


def judge_saved(heard: Heard, names: Sequence[str], scripted: Sequence[Done]) -> Verdict:
    """Compare with the earlier answers; a model that cannot be loaded is a finding, which no annotation can help."""
    if isinstance(heard, Failure):
        return Verdict(SAVED, False, heard)
    for name, before, (answer, raised) in zip(names, scripted, heard, strict=True):
        failure = ""
        if NO_DEFAULT in raised and before.error is None:
            continue
        if (before.error is not None) != bool(raised):
            failure = f"once loaded, the model {f'raises {raised}' if raised else 'does not raise'}"
        else:
            try:
                compare(plain(before.answer), answer)
            except Difference as difference:
                said = str(difference).replace("when scripted", "once loaded")
                failure = f"after saving and loading, {said.replace('in eager mode', 'before it was saved')}"
        if failure:
            return Verdict(SAVED, False, Failure(failure, call=name))
    return Verdict(SAVED, True)


def is_too_big(scripted: Any) -> bool:
    tensors = (*scripted.parameters(), *scripted.buffers()) if isinstance(scripted, torch.nn.Module) else ()
    return sum(each.element_size() * each.numel() for each in tensors) > LIMIT


def _load_and_run(runs: Sequence[Run], file: io.BytesIO) -> Heard:
    try:
        with warnings.catch_warnings(action="ignore"):
            loaded = torch.jit.load(file)
    except Exception as error:
        return _failure(error, "the saved model cannot be loaded")

    # The optimizer takes longer than all else, and changes nothing here. And a subclass of Tensor may not know the
    # methods of a loaded module.
    with torch.jit.optimized_execution(False), torch._C.DisableTorchFunctionSubclass():
        answers = []
        for done in (run(loaded) for run in runs):
            raised = "" if done.error is None else last_line(str(done.error)) or type(done.error).__name__
            answers.append((None if raised else plain(done.answer), raised))
        return tuple(answers)


def plain(value: Any) -> Any:
    """An answer as data without classes: loading makes new ones for the classes of compiled code."""
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


def _failure(error: Exception, what: str) -> Failure:
    """The failure, at its place in the sources: a saved model quotes its own code first."""
    failure = read_failure(error)
    said = next((line.strip() for line in failure.message.splitlines() if line.strip()), failure.kind)
    message = f"{what}: {said.partition('. ')[0]}"
    place = next((each for each in (failure.place, *failure.chain) if os.path.isabs(each.file)), NO_PLACE)
    return replace(failure, message=message, place=place, chain=(), code=CODE)

"""The task of `save` that loads a file in a process without the project, makes its calls, and compares the answers."""

import faulthandler
import functools
import importlib
import re
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.findings.messages.capture_refusals import difference
from pdt_annotate.findings.messages.said import last_line
from pdt_annotate.inputs import specs
from pdt_annotate.processes.child.prepared import NOTHING, in_mode
from pdt_annotate.values.capture_results import CallFate, Fate, JudgedFile
from pdt_annotate.values.errors import line_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.user_code import phase
from pdt_annotate.values.verdicts import Failure
from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import Difference, compare
from pdt_annotate.verify.judges.saved import plain

UNKNOWN_OPERATOR = re.compile(r"Unknown builtin op: (\w+)::")


@dataclass(frozen=True)
class RecordedCall(Call):
    """A call as data, for a loaded program, with the answer that is expected of it; or the model has `raised`."""

    seed: int = 0
    made_from: bool = False
    with_gradients: bool = True
    answer: Any = None
    raised: bool = False


@dataclass(frozen=True)
class FileAndCalls:
    file: str
    calls: Sequence[RecordedCall]
    recorded: str  # the file of the calls


def prepare_file(file: str, calls: str, root: str) -> FileAndCalls:
    """Read the recorded calls, if there is a file of them; from here on, no module of the project can be imported."""
    sys.path[:] = [each for each in sys.path if each not in ("", root)]
    return FileAndCalls(file, [RecordedCall(**each) for each in (torch.load(calls) if calls else ())], calls)


def judge_file(given: FileAndCalls) -> JudgedFile:
    faulthandler.disable()
    with warnings.catch_warnings(action="ignore"), phase("loading the saved file"):
        try:
            loaded, libraries = load_file(given.file)
        except Exception as error:  # torch may raise anything
            return JudgedFile(failure=Failure(f"the saved file cannot be loaded: {line_of(error)}"))
    fates, only_without = [], ""
    with torch._C.DisableTorchFunctionSubclass():
        for call in given.calls:
            fate, message = _judge(loaded, call)
            in_training = call.mode == "train" or (not call.mode and getattr(loaded, "training", True))
            if fate is not Fate.SAME and call.with_gradients and not in_training:
                # torch optimizes a program in another way if it records gradients, sometimes wrong.
                with_gradients = message
                fate, message = _judge(loaded, replace(call, with_gradients=False))
                only_without = only_without or (with_gradients if fate is Fate.SAME else "")
            fates.append(CallFate(call.name, fate, call.held_back, call.made_from, message))
    if only_without:
        torch.save([{**vars(call), "with_gradients": False} for call in given.calls], given.recorded)
    return JudgedFile(tuple(fates), libraries=libraries, with_gradients=only_without)


def load_file(file: str) -> tuple[Any, tuple[str, ...]]:
    """The program of a file, and the libraries whose operators it needs."""
    if file.endswith(".pt2"):
        return torch.export.load(file).module(), ()
    libraries: list[str] = []
    while True:
        try:
            return torch.jit.load(file), tuple(libraries)
        except RuntimeError as error:
            needed = UNKNOWN_OPERATOR.search(str(error))
            if needed is None or needed[1] in libraries:
                raise
            try:
                importlib.import_module(needed[1])
            except ImportError:
                raise error from None
            libraries.append(needed[1])


def _judge(loaded: Any, call: RecordedCall) -> tuple[Fate, str]:
    specs.seed_generators(call.seed)
    args, kwargs = clone((call.args, dict(call.kwargs)))
    function = loaded if call.method == "forward" else functools.reduce(getattr, call.method.split("."), loaded)
    try:
        mode = in_mode(loaded, call.mode) if hasattr(loaded, "training") else NOTHING
        with phase(f"running {call.name} of the saved file"), torch.set_grad_enabled(call.with_gradients), mode:
            answer = function(*args, **kwargs)
    except Exception as error:  # the program may raise anything
        return (Fate.SAME, "") if call.raised else (Fate.REFUSED, f"it raises {last_line(str(error))}")
    if call.raised:
        return Fate.DIFFERS, "it does not raise, but the model does"
    try:
        compare(call.answer, plain(answer))
    except Difference as found:
        return Fate.DIFFERS, difference(str(found).replace("when scripted", "in the file"))
    return Fate.SAME, ""

"""The task that runs a file: exports with what it defines, and compares the program with eager mode on the calls."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from pdt_annotate.captures.compare import judge
from pdt_annotate.captures.exporting.describe import entry_of
from pdt_annotate.captures.reasons import reason_of
from pdt_annotate.inputs import specs
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.processes.child.prepare import prepare
from pdt_annotate.processes.child.prepared import Prepared, perform_call
from pdt_annotate.values.captures import CallFate, Fate
from pdt_annotate.values.exports import Arrangement, Tried
from pdt_annotate.values.places import NO_PLACE
from pdt_annotate.values.runs import Call, SpecSource, Target
from pdt_annotate.values.user_code import user_code

NAME = "export_of_the_target"


def prepare_with(file: str, text: str, target: Target, source: SpecSource, root: str) -> Prepared:
    """The setup of a session in which the file comes first: all that it imports, it has to find by itself.

    Raises:
        UserError: it cannot be imported; or as `prepare` raises.
    """
    sys.path[:] = [os.path.dirname(file), *(entry for entry in sys.path if entry)]
    define(file, text)
    return prepare(target, source, root, {})


def run_export(prepared: Prepared, file: str, text: str, arrangement: Arrangement, served: tuple[int, ...]) -> Tried:
    """Export with what a file defines, and make calls of the program.

    Args:
        file: where it is to lie.
        arrangement: how the program is called.
        served: the numbers of the calls.
    """
    defined: Any = define(file, text)
    with user_code("building the target, as the file does"):
        eager = copy.deepcopy(defined.build())
    try:
        program = defined.export().module()
    except Exception as error:  # whatever torch, or the user's code under it, raises
        reason = reason_of(error, prepared.root)
        return Tried(replace(reason, place=NO_PLACE) if reason.place.file == file else reason)
    program.load_state_dict(eager.state_dict(), strict=False)
    entry, calls = entry_of(prepared), list(prepared.calls)
    arranged = ((calls[number], *entry.arranged(calls[number], arrangement)) for number in served)
    made = [replace(call, args=args, kwargs=kwargs) for call, args, kwargs in arranged]
    return Tried(None, tuple(_compare(prepared, eager, program, made)))


def define(file: str, text: str) -> ModuleType:
    """The module of a file that nobody has written yet."""
    module = sys.modules[NAME] = ModuleType(NAME)
    module.__file__ = file
    serve_lines({file: text.encode()})
    with user_code("importing the file"):
        exec(compile(text, file, "exec"), vars(module))
    return module


def _compare(prepared: Prepared, eager: Any, program: Any, calls: list[Call]) -> Iterator[CallFate]:
    settings = prepared.spec.settings
    for seed, call in enumerate(calls, start=settings.seed):
        specs.seed_generators(seed)
        old = perform_call(lambda: eager, call, settings)
        specs.seed_generators(seed)
        new = perform_call(lambda: program, call, settings)
        fate, message = judge(prepared, call, old, new)
        raises = old.error is not None
        yield CallFate(call.name, Fate.NOT_COMPARED if raises else fate, call.held_back, message=message)

"""The task that runs a file: exports with what it defines, and compares the program with eager mode on the calls."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from pdt_annotate.captures.compare import judge
from pdt_annotate.captures.exporting.binding import Entry, entry_of
from pdt_annotate.captures.exporting.values import draw
from pdt_annotate.captures.reasons import reason_of
from pdt_annotate.inputs import specs
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.processes.child.prepare import prepare
from pdt_annotate.processes.child.prepared import Prepared, perform_call
from pdt_annotate.values.captures import CallFate, Fate
from pdt_annotate.values.exports import Arrangement, CallsMade, Tried, Where
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


def run_export(prepared: Prepared, file: str, text: str, made: CallsMade) -> Tried:
    """Export with what a file defines, and make calls of the program.

    Args:
        file: where it is to lie.
        made: which calls, and how.
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
    fates = list(_compare(prepared, eager, program, list(_calls(prepared, made))))
    count = len(made.served)
    return Tried(None, tuple(fates[:count]), tuple(fates[count:]))


def define(file: str, text: str) -> ModuleType:
    """The module of a file that nobody has written yet."""
    module = sys.modules[NAME] = ModuleType(NAME)
    module.__file__ = file
    serve_lines({file: text.encode()})
    with user_code("importing the file"):
        exec(compile(text, file, "exec"), vars(module))
    return module


def _calls(prepared: Prepared, made: CallsMade) -> Iterator[Call]:
    """The calls as the program takes them, then those that are drawn."""
    entry, calls = entry_of(prepared), list(prepared.calls)
    for number in made.served:
        yield _arranged(entry, calls[number], made.arrangement, {})
    for sizes in made.drawn:
        yield _arranged(entry, calls[made.example], made.arrangement, sizes)


def _arranged(entry: Entry, call: Call, arrangement: Arrangement, sizes: Mapping[Where, int]) -> Call:
    """A call as the program takes it, its tensors of other sizes where that is asked for."""
    args, kwargs = entry.arranged(entry.bind(call), arrangement)
    if not sizes:
        return replace(call, args=args, kwargs=kwargs)
    drawn = {name: draw((name,), value, sizes) for name, value in zip(arrangement.args, args, strict=True)}
    more = {name: draw((name,), value, sizes) for name, value in kwargs.items()}
    return replace(call, args=tuple(drawn.values()), kwargs=more)


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

"""The tasks that tell what a target shows: the types that flow in its example calls, and the modules it has brought."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import torch

from pdt_annotate.observers import (
    AttributeWatch,
    Store,
    Tracer,
    describe_classes,
    imported_elsewhere,
    imported_libraries,
    imported_under,
    make_code_filter,
    make_file_filter,
)
from pdt_annotate.processes.child import dependencies
from pdt_annotate.processes.child.prepared import CONSTRUCTION, Prepared, as_if_scripting, copy_built, run_call
from pdt_annotate.processes.fork import silence
from pdt_annotate.source.locals import every_local, wanted_locals
from pdt_annotate.values.errors import PdtError, SpecError
from pdt_annotate.values.runs import Call, Observed
from pdt_annotate.values.slots import Owner, SlotKind
from pdt_annotate.values.user_code import user_code
from pdt_annotate.verify.judges.objects import Objects

AS_SCRIPTED = "as scripted"


def observe(prepared: Prepared, *, as_scripted: bool, all_locals: bool = False) -> Observed:
    """Run every example call that is not held back, and return the types that flowed.

    Args:
        as_scripted: run the calls once more as the compiler would take branches on `torch.jit.is_scripting()`.
        all_locals: read every local, also where no annotation needs that.
    """
    store = Store()
    code_filter = make_code_filter(prepared.root, prepared.third_party)
    watch = AttributeWatch(store, make_file_filter(prepared.root, prepared.third_party))
    tracer = Tracer(store, code_filter, every_local if all_locals else wanted_locals)
    built = Objects(prepared.built) if isinstance(prepared.built, type) else prepared.built
    again = copy_built(prepared) if as_scripted else None
    store.call = CONSTRUCTION
    watch.record(prepared.built)
    for call in prepared.calls:
        if not call.held_back:
            store.call = call.name
            watch.record_held((*call.args, *call.kwargs.values()))
            _observe_call(prepared, built, call, tracer)
            watch.record(prepared.built)
    if as_scripted:
        _observe_as_scripted(prepared, again, tracer)
    found = [*_of_plain_classes(prepared.constructed), *store.observations()]
    mentioned = {name for o in found for name in o.type.names}
    return Observed(
        observations=tuple(found),
        classes=describe_classes(mentioned, in_memory=prepared.in_memory),
        calls=tuple(call.name for call in prepared.calls if not call.held_back),
        held_back=tuple(call.name for call in prepared.calls if call.held_back),
        closure=dependencies.describe(prepared.root),
        asked_for=tuple(owner for call in prepared.calls if (owner := _named_by(call))),
        methods=prepared.methods,
        lazy=prepared.lazy,
        makes_code=not tracer.files.isdisjoint(dependencies.written()),
    )


def _observe_call(prepared: Prepared, built: Any, call: Call, tracer: Tracer) -> None:
    """
    Raises:
        SpecError: the call is meant to raise, and does not.
        UserCodeError: it raises, and is not meant to.
    """
    around = tracer.tracing(call.name)
    if not call.raises:
        with user_code(f"{call.name} raised"):
            run_call(prepared, built, call, around)
        return
    try:
        run_call(prepared, built, call, around)
    except PdtError:
        raise
    except Exception:  # what the call is an example of
        return
    raise SpecError(f"{call.name} is meant to raise, and does not", hint="remove `raises` where it is to answer")


def _named_by(call: Call) -> Owner | None:
    """The function that a call names itself, of a module its `forward`."""
    callee = type(call.callee).forward if isinstance(call.callee, torch.nn.Module) else call.callee
    function = callee.__func__ if isinstance(callee, MethodType) else callee
    function = inspect.unwrap(function) if isinstance(function, FunctionType) else None
    return Owner.of(function.__code__) if isinstance(function, FunctionType) else None


def _observe_as_scripted(prepared: Prepared, built: Any, tracer: Tracer) -> None:
    """Only what the first pass did not reach matters; code for the compiler alone may well fail in Python."""
    with as_if_scripting(), silence():
        for call in prepared.calls:
            if not call.held_back and call.callee is None:
                with contextlib.suppress(Exception):
                    run_call(prepared, built, call, tracer.tracing(f"{call.name}, {AS_SCRIPTED}"))


def _of_plain_classes(store: Store) -> Iterator[Any]:
    """Of what construction showed, the methods of classes that are not modules: script classes, perhaps."""
    methods = {
        o.slot.owner: o.type
        for o in store.observations()
        if o.slot.kind is SlotKind.PARAMETER and o.slot.name == "self" and "." in o.slot.owner.qualname
    }
    modules = {owner for owner, type_ in methods.items() if type_.inherits("torch.nn.modules.module.Module")}
    return (o for o in store.observations() if o.slot.owner in methods and o.slot.owner not in modules)


def loaded_files(prepared: Prepared) -> dict[str, str]:
    return imported_under(prepared.root)


def third_party_files(prepared: Prepared) -> dict[str, str]:
    return imported_elsewhere(prepared.root)


def library_modules(prepared: Prepared) -> tuple[str, ...]:
    return imported_libraries(prepared.root)

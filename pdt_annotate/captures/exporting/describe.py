"""The tasks that describe a target and its calls, as far as a file can express them, and that run a file."""

import contextlib
import copy
import inspect
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter
from types import ModuleType
from typing import Any

import torch

from pdt_annotate.captures.capturable import reason_of
from pdt_annotate.captures.examine import judge
from pdt_annotate.captures.exporting.value_source import UnsayableError, building_of, imports_of, see, spell
from pdt_annotate.inputs import specs
from pdt_annotate.overlays.serving import serve_lines
from pdt_annotate.processes.child.prepared import Prepared, callee_of, method_of, perform_call, prepare
from pdt_annotate.values.capture_results import CallFate, Capture, Fate
from pdt_annotate.values.errors import VerificationError
from pdt_annotate.values.exports import Arrangement, Axis, CallSeen, Exportable, NamedParameter, Seen, SpelledCall
from pdt_annotate.values.runs import Call, SpecSource, Target
from pdt_annotate.values.slots import NO_PLACE
from pdt_annotate.values.user_code import user_code

VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
ONLY_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL)
NAME = "export_of_the_target"
EXPORT = "export"


@dataclass(frozen=True)
class Entry:
    """The part of the target that is exported: the method that most calls name, and its signature without `self`."""

    prepared: Prepared
    method: str
    signature: inspect.Signature

    def apart(self, call: Call) -> str:
        """Why no export of this can serve a call; "" if one may."""
        if call.raises:
            return "it is meant to raise"
        if call.callee is not None:
            return "it does not call the target"
        method = method_of(self.prepared, call)
        return f"it calls `{method}`, not `{self.method}`" if method != self.method else ""

    def bind(self, call: Call) -> dict[str, tuple[Any, Any]]:
        """By name, the arguments of a call and the kinds of their parameters; also each in `*args` and `**kwargs`."""
        bound: dict[str, tuple[Any, Any]] = {}
        for name, value in self.signature.bind(*call.args, **call.kwargs).arguments.items():
            kind, named = self.signature.parameters[name].kind, {name: value}
            if kind is Parameter.VAR_POSITIONAL:
                named = {f"{name}_{index}": each for index, each in enumerate(value)}
            elif kind is Parameter.VAR_KEYWORD:
                named = value
            bound.update((key, (each, kind)) for key, each in named.items())
        return bound

    def arguments(self, call: Call) -> dict[str, Any]:
        defaults = {name: each.default for name, each in self.signature.parameters.items()}
        return {**defaults, **{name: value for name, (value, _) in self.bind(call).items()}}

    def parameters(self) -> Iterator[NamedParameter]:
        """All parameters that any call passes, in the order of the signature."""
        kinds: dict[str, Any] = {}
        for call in self.prepared.calls:
            if not self.apart(call):
                kinds.update((name, kind) for name, (_, kind) in self.bind(call).items())
        order = {name: index for index, name in enumerate(self.signature.parameters)}
        for name, kind in sorted(kinds.items(), key=lambda item: (item[1], order.get(item[0], 0))):
            default: Seen | None = None
            with contextlib.suppress(UnsayableError):  # no default, or one that differs from all passed values
                default = None if kind in VARIADIC else see((name,), self.signature.parameters[name].default)
            yield NamedParameter(name, kind in BY_POSITION, kind not in ONLY_BY_POSITION, default, kind in VARIADIC)

    def see(self, number: int, call: Call) -> CallSeen:
        """A call as data; `number` is its place among the calls."""
        apart = self.apart(call)
        try:
            bound = {} if apart else self.bind(call)
            arguments = {name: see((name,), value) for name, (value, _) in bound.items()}
        except UnsayableError as unsayable:
            apart = str(unsayable)
        if apart:
            return CallSeen(number, call.name, {}, held_back=call.held_back, apart=apart)
        by_position = frozenset([*bound][: len(call.args)])
        return CallSeen(number, call.name, arguments, by_position, call.mode, call.held_back)


def entry_of(prepared: Prepared) -> Entry:
    shown = [call for call in prepared.calls if call.callee is None and not (call.held_back or call.raises)]
    methods = Counter(method_of(prepared, call) for call in shown)
    method = next((name for name, _ in methods.most_common(1)), prepared.subject.method or "forward")
    call = next((call for call in shown if method_of(prepared, call) == method), Call(method=method))
    function = callee_of(prepared, prepared.built, call)
    return Entry(prepared, method, inspect.signature(getattr(function, "forward", function)))


def describe(prepared: Prepared, target: Target, source: SpecSource) -> Exportable:
    entry = entry_of(prepared)
    try:
        building = building_of(prepared, target, source, entry.method)
    except UnsayableError as unsayable:
        raise VerificationError(f"no Python file can construct {target.text}: {unsayable}") from None
    calls = tuple(entry.see(number, call) for number, call in enumerate(prepared.calls))
    version = str(torch.__version__)  # which is of a class of torch, and the tool may have none
    return Exportable(building, tuple(entry.parameters()), calls, version)


def spell_call(prepared: Prepared, number: int, names: tuple[str, ...], instead: Mapping[Axis, int]) -> SpelledCall:
    values = entry_of(prepared).arguments(list(prepared.calls)[number])
    texts = {name: spell((name,), values[name], instead) for name in names}
    return SpelledCall(texts, tuple(dict.fromkeys(each for name in names for each in imports_of(values[name]))))


def prepare_with(file: str, text: str, target: Target, source: SpecSource, root: str) -> Prepared:
    """Import the file before `prepare`: it must find its imports without it; raises `UserError`."""
    sys.path[:] = [os.path.dirname(file), *(entry for entry in sys.path if entry)]
    define(file, text)
    return prepare(target, source, root, {})


def run_export(prepared: Prepared, file: str, text: str, arrangement: Arrangement, served: tuple[int, ...]) -> Capture:
    defined: Any = define(file, text)
    with user_code("building the target, as the file does"):
        eager = copy.deepcopy(defined.build())
    try:
        program = defined.export().module()
    except Exception as error:  # torch, or the user's code under it, may raise anything
        reason = reason_of(error, prepared.root)
        return Capture(EXPORT, failure=replace(reason, place=NO_PLACE) if reason.place.file == file else reason)
    program.load_state_dict(eager.state_dict(), strict=False)
    entry, calls = entry_of(prepared), list(prepared.calls)
    settings = prepared.spec.settings
    fates: list[CallFate] = []
    for seed, call in enumerate((calls[number] for number in served), start=settings.seed):
        values = entry.arguments(call)
        args = tuple(values[name] for name in arrangement.args)
        arranged = replace(call, args=args, kwargs={name: values[name] for name in arrangement.kwargs})
        specs.seed_generators(seed)
        old = perform_call(lambda: eager, arranged, settings)
        specs.seed_generators(seed)
        new = perform_call(lambda: program, arranged, settings)
        fate, message = judge(prepared, arranged, old, new)
        fate = fate if old.error is None else Fate.NOT_COMPARED
        fates.append(CallFate(call.name, fate, call.held_back, message=message))
    return Capture(EXPORT, captured=True, calls=tuple(fates))


def define(file: str, text: str) -> ModuleType:
    """The module of a file that is not written yet."""
    module = sys.modules[NAME] = ModuleType(NAME)
    module.__file__ = file
    serve_lines({file: text.encode()})
    with user_code("importing the file"):
        exec(compile(text, file, "exec"), vars(module))
    return module

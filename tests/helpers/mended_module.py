"""Modules of one file, `Net`, that rules of the table of mends make scriptable, selected by the compiler's messages."""

import copy
import importlib.util
import linecache
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import torch
from mended import Mended

from pdt_annotate.findings.messages.said import read_failure
from pdt_annotate.inputs.resolve import Subject
from pdt_annotate.inputs.specs import Spec
from pdt_annotate.mends.kit.context import MendRule
from pdt_annotate.observers import record_expressions
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.observe_target import facts
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.mends import HeldValue, LiveFacts
from pdt_annotate.values.runs import Call
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure

ROUNDS = 12
Types = Mapping[str, Mapping[str, tuple[TypeExpr, ...]]]
UNENTERED = "_unentered"
"""The suffix of the names of functions that no example runs."""


@dataclass
class Recovered:
    """The result for a module: its source, and the messages of the compiler."""

    source: str
    messages: list[str]
    scripts: bool
    answers_alike: bool


def load(folder: Path, source: str) -> ModuleType:
    """A new module of this source, whose functions the compiler can read."""
    file = folder / "model.py"
    file.write_text(source)
    linecache.checkcache(str(file))
    record_expressions._tree.cache_clear()
    name = f"model_{len(sys.modules)}_{id(source)}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(source, str(file), "exec", dont_inherit=True), module.__dict__)
    return module


def recover(
    folder: Path,
    source: str,
    rules: Sequence[MendRule],
    *args: Any,
    make_net: str = "Net()",
    types: Types = MappingProxyType({}),
) -> Recovered:
    """Script and run the module, apply a mend for the message, and repeat. Compare eager results before and after."""
    module = load(folder, source)
    expected = _net(module, make_net)(*copy.deepcopy(args))
    shown = observe(module, make_net, folder, args)
    messages: list[str] = []
    for _ in range(ROUNDS):
        module = load(folder, source)
        net = _net(module, make_net)
        try:
            answers = [each(*copy.deepcopy(args)) for each in (net, torch.jit.script(net))]
        except Exception as error:
            failure = read_failure(error)
            messages.append(str(error))
            source, was = mend(folder, source, rules, failure, shown, types), source
            if source == was:
                return Recovered(source, messages, False, same(net(*copy.deepcopy(args)), expected))
            shown = observe(load(folder, source), make_net, folder, args)
        else:
            return Recovered(source, messages, True, all(same(answer, expected) for answer in answers))
    raise AssertionError("no end of mends:\n" + source)


def mend(folder: Path, source: str, rules: Sequence[MendRule], failure: Failure, shown: LiveFacts, types: Types) -> str:
    """The source after the first rule that handles the failure and finds something."""
    held = {cls: dict(attributes) for (_, cls), attributes in shown.held.items()}
    mended = Mended(folder, source, held, {name: each for (_, name), each in shown.variadic.items()}, types)
    mended.values = {name: each for (_, name), each in shown.expressions.items()}
    names = [function.owner.qualname for function in mended.project.read(mended.file).functions]
    mended.entered = [name for name in names if not name.endswith(UNENTERED)]
    for place in (failure.place, *failure.chain):
        at = mended.project.function_at(place.file, place.line) if place.file == mended.file else None
        if at is not None:
            mended.failures = {at.owner.qualname: replace(failure, place=place)}
            break
    else:
        mended.failures = dict.fromkeys(names, failure)
    for rule in rules:
        found = mended.find(rule) if rule.is_asked_for(failure) else []
        if found:
            return mended.files.add(found, mended.project).project.source(mended.file).decode()
    return source


def observe(module: ModuleType, make_net: str, folder: Path, args: Sequence[Any]) -> LiveFacts:
    """The values of attributes, by class and attribute, and the arguments of variadic parameters."""
    spec = Spec((Call(args=tuple(args)),))
    subject = Subject("module", lambda: _net(module, make_net))
    prepared = Prepared(str(folder), subject, subject.make(), spec, Store())
    shown = facts(prepared)

    def renamed(values: Sequence[HeldValue]) -> tuple[HeldValue, ...]:
        """Replace the name of the new module in classes by `model`."""
        return tuple(replace(value, type=value.type.replace(module.__name__, "model")) for value in values)

    held = {
        cls: {name: replace(each, values=renamed(each.values)) for name, each in attributes.items()}
        for cls, attributes in shown.held.items()
    }
    values = {f: {text: renamed(each) for text, each in found.items()} for f, found in shown.expressions.items()}
    return replace(shown, held=held, expressions=values)


def _net(module: ModuleType, make_net: str) -> Any:
    torch.manual_seed(0)
    net = eval(make_net, module.__dict__)
    return net.eval() if isinstance(net, torch.nn.Module) else net


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        alike = isinstance(other, torch.Tensor) and one.dtype == other.dtype and one.shape == other.shape
        return alike and torch.allclose(one, other, equal_nan=True)
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)

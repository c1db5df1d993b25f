"""Usages that a profile shows: calls that ran. Of tensors it has dtype and shape, so a draft makes others like them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pdt_annotate.inputs.drafting.expressions import Expression
from pdt_annotate.inputs.drafting.subject import DraftSubject, EntryPoint
from pdt_annotate.inputs.drafting.usages import Construction, Passed, Usage, Usages
from pdt_annotate.source.survey import Parameter
from pdt_annotate.values.examples import Described, ObservedCall

DRAWN = ("float", "bfloat", "complex")
WHOLE = ("int", "uint")
DEFAULTS = ("float32", "int64")
"""The dtypes that need not be named."""


def find_observed(subject: DraftSubject, calls: Sequence[ObservedCall]) -> Usages:
    """The calls of the target's entries, and how the modules were made that they are of."""
    found = Usages()
    for entry in subject.entries:
        for call in calls:
            if _is_of(call, entry, subject):
                place, made = f"{call.call}, observed", None
                if call.made is not None and subject.is_constructed:
                    made = Construction(_passed(call.made, subject.constructor_parameters), place)
                    found.constructions.append(made)
                passed = _passed(call.arguments, entry.function.parameters)
                found.usages.append(Usage(entry.name, passed, made, place, call.call.rpartition("::")[2]))
    return found


def join(observed: Usages, read: Usages) -> Usages:
    """What was observed, then what the sources show beside it: a test whose call was observed shows the same again."""
    ran = {_passed_in(usage) for usage in observed.usages}
    others = [usage for usage in read.usages if _passed_in(usage) not in ran]
    return Usages(observed.constructions + read.constructions, observed.usages + others)


def _passed_in(usage: Usage) -> tuple[str, frozenset[str]]:
    """The function that calls, without the parameters of a test, and what it passes."""
    return usage.inside.partition("[")[0], frozenset(usage.passed)


def _is_of(call: ObservedCall, entry: EntryPoint, subject: DraftSubject) -> bool:
    """Whether a call is of this entry, and of the class itself, none that inherits the method."""
    owner = entry.function.owner
    is_entry = call.qualname == owner.qualname and os.path.realpath(call.file) == os.path.realpath(owner.file)
    is_class = subject.cls is None or not call.cls or f".{call.cls}".endswith(f".{subject.cls.qualname}")
    return is_entry and is_class


def _passed(described: Described, parameters: Iterable[Parameter]) -> Passed:
    """By parameter what a call is to pass; nothing for what is as it is by default."""
    given = [p for p in parameters if p.name in described and not _is_default(described[p.name], p)]
    texts = {p.name: text_of(described[p.name]) for p in given}
    return {name: None if text is None else Expression(text) for name, text in texts.items()}


def _is_default(value: Any, parameter: Parameter) -> bool:
    """Whether a value is the default, or may be that: of a text only the class is known."""
    if parameter.value is None:
        return False
    try:
        default = ast.literal_eval(parameter.value)
    except ValueError:
        return False
    return value == {"type": type(default).__name__} or (type(value) is type(default) and value == default)


def text_of(value: Any) -> str | None:
    """An expression for a described value; None where only its class is known."""
    if not isinstance(value, Mapping):
        return repr(value)
    if "tensor" in value:
        return _tensor(value["tensor"], value["shape"])
    for kind, left, right in (("list", "[", "]"), ("tuple", "(", ")")):
        if kind in value:
            parts = [text_of(part) for part in value[kind]]
            comma = "," if kind == "tuple" and len(parts) == 1 else ""
            return None if None in parts else f"{left}{', '.join(map(str, parts))}{comma}{right}"
    if "dict" in value:
        pairs = {key: text_of(part) for key, part in value["dict"]}
        return None if None in pairs.values() else f"{{{', '.join(f'{key!r}: {text}' for key, text in pairs.items())}}}"
    return None


def _tensor(dtype: str, shape: Sequence[int]) -> str | None:
    """A tensor of a dtype and a shape. Whole numbers are 0 and 1: they may be indices, and how far is not known."""
    kind = "" if dtype in DEFAULTS else f"dtype=torch.{dtype}"
    sizes = repr(tuple(shape))
    if dtype.startswith(DRAWN) and "8" not in dtype:
        parts = [*map(str, shape)] or ["()"]
        return f"torch.randn({', '.join(filter(None, [*parts, kind]))})"
    if dtype == "bool":
        return f"torch.ones({sizes}, {kind})"
    if dtype.startswith(WHOLE):
        return f"torch.randint(0, 2, {', '.join(filter(None, [sizes, kind]))})"
    return None

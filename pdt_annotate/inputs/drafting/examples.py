"""The example calls of one entry: what usages show, what they leave out, and one that is held back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.inputs.drafting.inline import Text
from pdt_annotate.inputs.drafting.subject import Entry
from pdt_annotate.inputs.drafting.usages import Usage
from pdt_annotate.inputs.drafting.values import Value, tells_nothing, tells_type
from pdt_annotate.source.survey import Parameter

NUMBERED_DIMENSIONS = ("dim", "axis")


@dataclass(frozen=True)
class Example:
    """One example call. `values` are by parameter; those in `shared` stand in a local variable of that name."""

    values: Mapping[str, Text]
    name: str = ""
    note: str = ""
    held_back: bool = False
    shared: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Shown:
    """The usages of an entry that become calls."""

    entry: Entry
    parameters: Sequence[Parameter]
    picked: Sequence[Usage]


def make_examples(shown: Shown, base: Mapping[str, Value], unseen: Mapping[str, Value]) -> Iterator[Example]:
    """The calls in the order of the draft.

    Args:
        shown: usages; the first is the first call.
        base: what the first call passes.
        unseen: values for the parameters of which the usages show no type.
    """
    first = {name: value.text for name, value in base.items()}
    given = {name: value.text for name, value in unseen.items()}
    others = list(shown.picked[1:])
    varied = dict(_vary_defaults(shown))
    held = others.pop() if len(others) > 1 and not varied and not given else None
    yield Example(first, shown.picked[0].inside if shown.picked else "", shared=frozenset(first))
    yield from map(_example_of, others)
    omitted = sorted(_always_given(shown))
    if omitted:
        rest = {name: text for name, text in first.items() if name not in omitted}
        yield Example(rest, f"without {' and '.join(omitted)}", shared=frozenset(rest))
    if given:
        yield Example(first | given, f"with {' and '.join(given)}", shared=frozenset(first | given))
    yield replace(_example_of(held), held_back=True) if held else _hold_back(base, unseen, varied)


def _hold_back(base: Mapping[str, Value], unseen: Mapping[str, Value], varied: Mapping[str, Text]) -> Example:
    """A call that gives no types: other numbers and flags, else the first call's random values drawn anew."""
    first = {name: value.text for name, value in base.items()}
    given = {name: value.text for name, value in unseen.items()}
    if not varied and not given and not _is_random(first.values()):
        varied = dict(_vary_literals(first))
    blanks = frozenset(name for name, value in base.items() if value.blank)
    shared = (blanks | frozenset(given) | frozenset(first if varied else ())) - frozenset(varied)
    note = f"other values than before for {' and '.join(varied)}" if varied else ""
    return Example({**first, **given, **varied}, "held back", note, held_back=True, shared=shared)


def _always_given(shown: Shown) -> Iterator[str]:
    """The parameters whose default is None, or empty, and never counts: every usage passes something else."""
    for parameter in shown.parameters:
        texts = [usage.passed.values.get(parameter.name) for usage in shown.picked]
        if texts and all(map(tells_type, texts)) and tells_nothing(parameter.value):
            yield parameter.name


def _example_of(usage: Usage) -> Example:
    values = {name: text for name, text in usage.passed.values.items() if text}
    return Example(values, usage.inside, f"as in {usage.place}")


def _vary_defaults(shown: Shown) -> Iterator[tuple[str, Text]]:
    """Another value than the default for parameters that are numbers or flags by default, and that no call passes."""
    passed = {name for usage in shown.picked for name in usage.passed.values}
    for parameter in shown.parameters:
        if parameter.name not in passed and isinstance(parameter.value, ast.Constant):
            other = _other_value(parameter.name, parameter.value.value)
            if other is not None:
                yield parameter.name, Text(repr(other))


def _is_random(texts: Iterable[Text]) -> bool:
    """Whether a second evaluation gives other values; what is to be filled in may do so."""
    return any("rand" in text.text or text.text.startswith("fill_in(") for text in texts)


def _vary_literals(values: Mapping[str, Text]) -> Iterator[tuple[str, Text]]:
    """Other numbers and flags than those that the first call passes."""
    for name, text in values.items():
        parsed = ast.parse(text.text, mode="eval").body
        other = _other_value(name, parsed.value) if isinstance(parsed, ast.Constant) else None
        if other is not None:
            yield name, Text(repr(other))


def _other_value(name: str, value: object) -> object:
    """A value of the same type. The number of a dimension has no other that is sure to exist."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return value / 2 or 0.5
    is_dimension = any(word in name for word in NUMBERED_DIMENSIONS)
    return value + 1 if isinstance(value, int) and not is_dimension else None

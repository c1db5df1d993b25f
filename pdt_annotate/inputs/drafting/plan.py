"""What a draft says: which usages become example calls, and what is left for a person to fill in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.inputs.drafting.examples import Example, Shown, make_examples
from pdt_annotate.inputs.drafting.subject import CONSTRUCTOR, CallKind, DraftSubject, EntryPoint, Maker
from pdt_annotate.inputs.drafting.usages import RESULT, Construction, Usage, Usages
from pdt_annotate.inputs.drafting.values import DraftValue, find_value, known_values, tells_nothing, tells_type
from pdt_annotate.source.survey import VARIADIC, Parameter

CONSTRUCTOR_EXAMPLE = "16"

MOST_CALLS = 4
"""Usages that become calls; those that pass other parameters come first."""


@dataclass(frozen=True)
class Calls:
    """The example calls of one entry, and the local variables that several of them pass."""

    entry: EntryPoint
    variables: Mapping[str, DraftValue]
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Model:
    """How the draft constructs the target."""

    values: Mapping[str, DraftValue]
    note: str = ""


@dataclass(frozen=True)
class DraftPlan:
    """A draft before it is text. `model` is None where the tool constructs the target without arguments.

    `of_result`: where the source does not say what is called, how the project calls it.
    """

    subject: DraftSubject
    model: Model | None
    calls: tuple[Calls, ...]
    of_result: tuple[Usage, ...] = ()


def make_plan(subject: DraftSubject, found: Usages) -> DraftPlan:
    """Choose among the usages: a construction, then calls of what was constructed so."""
    chosen = _choose_construction(subject, found)
    is_constructed = subject.kind is CallKind.MODULE and subject.maker is Maker.CLASS
    model = _plan_model(subject, found, chosen) if is_constructed else None
    calls = [_plan_calls(subject, entry, *_usages_of(entry, found, chosen)) for entry in subject.entries]
    return DraftPlan(subject, model, tuple(calls), tuple(_pick([u for u in found.usages if u.entry == RESULT], ())))


def _choose_construction(subject: DraftSubject, found: Usages) -> Construction | None:
    """The complete construction whose instances' calls show most parameters, else are most; the first of several."""
    complete = [c for c in found.constructions if c.passed.has_all(subject.constructor_parameters)]
    entries = {entry.name: entry for entry in subject.entries if entry.name != CONSTRUCTOR}
    called = [u for u in found.usages if u.entry in entries and u.passed.has_all(entries[u.entry].parameters)]

    def shows(construction: Construction) -> tuple[int, int]:
        own = [u for u in called if u.construction and u.construction.passed.key == construction.passed.key]
        return len(known_values(own)), len(own)

    return max(complete, key=shows, default=None)


def _plan_model(subject: DraftSubject, found: Usages, chosen: Construction | None) -> Model | None:
    if chosen is not None:
        values = {name: DraftValue(text) for name, text in chosen.passed.values.items() if text}
        return Model(values, f"as in {chosen.place}") if values else None
    required = [p for p in subject.constructor_parameters if p.is_required]
    if not required or subject.constructor is None:
        return None
    uses = found.constructions
    return Model({p.name: find_value(p, subject.constructor, uses, CONSTRUCTOR_EXAMPLE) for p in required})


def _usages_of(entry: EntryPoint, found: Usages, chosen: Construction | None) -> tuple[list[Usage], list[Usage]]:
    """The usages of an entry on instances that are constructed as the draft's is, and others: shapes depend on it."""
    all_of_it = [usage for usage in found.usages if usage.entry == entry.name]
    own = [usage for usage in all_of_it if _is_constructed_so(usage, chosen)]
    return own, [usage for usage in all_of_it if usage not in own]


def _is_constructed_so(usage: Usage, chosen: Construction | None) -> bool:
    if usage.entry == CONSTRUCTOR:
        return chosen is None or usage.passed.key == chosen.passed.key
    made = usage.construction
    return made is None or (made.as_target and (chosen is None or made.passed.key == chosen.passed.key))


def _plan_calls(subject: DraftSubject, entry: EntryPoint, usages: Sequence[Usage], others: Sequence[Usage]) -> Calls:
    parameters = [p for p in entry.parameters if p.kind not in VARIADIC]
    picked = _pick(usages, parameters)
    if subject.kind is CallKind.CLASS and entry.name == CONSTRUCTOR:
        picked = picked[:1]
    shown = Shown(entry, parameters, picked)
    base = _base(shown, usages, others)
    unseen = dict(_unseen(shown, usages, others))
    return Calls(entry, base | unseen, tuple(make_examples(shown, base, unseen)))


def _pick(usages: Sequence[Usage], parameters: Sequence[Parameter]) -> list[Usage]:
    """Complete usages, no two alike: at first those that pass something new, then others."""
    complete = {u.passed.key: u for u in reversed(usages) if u.passed.has_all(parameters)}
    distinct = [u for u in usages if complete.get(u.passed.key) is u]
    required = [p.name for p in parameters if p.is_required]
    in_order = sorted(distinct, key=lambda u: [tells_type(u.passed.values[name]) for name in required].count(False))
    seen: set[tuple[str, bool]] = set()
    new: list[Usage] = []
    for usage in in_order:
        shows = {(name, tells_type(text)) for name, text in usage.passed.values.items()}
        if not shows <= seen or not new:
            new.append(usage)
        seen |= shows
    others = [usage for usage in in_order if usage not in new]
    return [*new, *others][:MOST_CALLS]


def _base(shown: Shown, usages: Sequence[Usage], others: Sequence[Usage]) -> dict[str, DraftValue]:
    """What the first call passes: as the first usage does; without one, what is required."""
    if shown.picked:
        first = shown.picked[0]
        return {name: DraftValue(text, f"as in {first.place}") for name, text in first.passed.values.items() if text}
    required = [p for p in shown.parameters if p.is_required]
    return {p.name: find_value(p, shown.entry.function, usages, others=others) for p in required}


def _unseen(shown: Shown, usages: Sequence[Usage], others: Sequence[Usage]) -> Iterator[tuple[str, DraftValue]]:
    """The parameters whose default tells no type, and that no picked usage passes; with values or blanks."""
    known = known_values(shown.picked)
    for parameter in shown.parameters:
        is_open = tells_nothing(parameter.value) if parameter.has_default else bool(shown.picked)
        if is_open and not parameter.annotation and parameter.name not in known:
            yield parameter.name, find_value(parameter, shown.entry.function, usages, others=others)

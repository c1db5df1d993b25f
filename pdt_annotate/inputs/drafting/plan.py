"""What a draft says: which usages become example calls, and what is left for a person to fill in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.inputs.drafting.expressions import DraftExpression
from pdt_annotate.inputs.drafting.subject import CONSTRUCTOR, CallKind, DraftSubject, EntryPoint
from pdt_annotate.inputs.drafting.usages import Construction, Usage, Usages, has_all
from pdt_annotate.inputs.placeholder import EXAMPLE
from pdt_annotate.source.survey import Function, Parameter
from pdt_annotate.source.uses import infer_from_uses, is_used_as_tensor
from pdt_annotate.values.types import TENSOR, TypeExpr

NO_USAGE = "no code in the project passes it"
BY_ANNOTATION = {"int": "2", "float": "0.5", "bool": "True"}
"""Any value will do where the source gives the type already."""

EXAMPLES = {"str": '"text"', "bool": "True", "int": "2", "torch.device": 'torch.device("cpu")'}
CONSTRUCTOR_EXAMPLE = "16"
SAY_NO_TYPE = ("None", "[]", "()", "{}")
NUMBERED_DIMENSIONS = ("dim", "axis")

MOST_CALLS = 4  # usages that become calls

Use = Construction | Usage  # what passes values, and where


@dataclass(frozen=True)
class DraftValue:
    """A value in a draft: its text and where it comes from; `blank` is the name of what is to be filled in."""

    text: DraftExpression
    note: str = ""
    blank: str = ""


@dataclass(frozen=True)
class Example:
    """One example call: the text of each argument, by parameter."""

    values: Mapping[str, str]
    name: str = ""
    note: str = ""
    held_back: bool = False


def choose_construction(subject: DraftSubject, found: Usages) -> Construction | None:
    """The complete construction whose instances' calls show most parameters, else are most; the first of several."""
    complete = [c for c in found.constructions if has_all(c.passed, subject.constructor_parameters)]
    entries = {entry.name: entry for entry in subject.entries if entry.name != CONSTRUCTOR}
    called = [u for u in found.usages if u.entry in entries and has_all(u.passed, entries[u.entry].function.parameters)]

    def shows(construction: Construction) -> tuple[int, int]:
        own = [u for u in called if u.construction and u.construction.passed == construction.passed]
        return len(_known_values(own)), len(own)

    return max(complete, key=shows, default=None)


def values_of_model(subject: DraftSubject, found: Usages, chosen: Construction | None) -> dict[str, DraftValue]:
    """The arguments that construct the target: those of the chosen construction, or else the required ones."""
    if chosen is not None:
        return {name: DraftValue(text) for name, text in chosen.passed.items() if text}
    if subject.constructor is None:
        return {}
    required = [p for p in subject.constructor_parameters if p.is_required]
    uses = found.constructions
    return {p.name: _find_value(p, subject.constructor, uses, uses, CONSTRUCTOR_EXAMPLE) for p in required}


def values_of_calls(
    subject: DraftSubject, entry: EntryPoint, found: Usages, chosen: Construction | None
) -> tuple[dict[str, DraftValue], list[Usage], list[str]]:
    """What several calls of an entry pass, by parameter; the usages that become calls; the parameters they leave open.

    They are of instances that are constructed as the draft's is, since shapes depend on it.
    """
    usages = [usage for usage in found.usages if usage.entry == entry.name]
    own = [usage for usage in usages if _is_constructed_so(usage, chosen)]
    parameters = entry.plain_parameters
    picked = pick(own, parameters)
    if subject.kind is CallKind.CLASS and entry.name == CONSTRUCTOR:
        picked = picked[:1]
    if picked:
        first = picked[0]
        base = {name: DraftValue(text, f"as in {first.place}") for name, text in first.passed.items() if text}
    else:
        base = {p.name: _find_value(p, entry.function, own, usages) for p in parameters if p.is_required}
    unseen = {p.name: _find_value(p, entry.function, own, usages) for p in _unseen(parameters, picked)}
    return base | unseen, picked, [*unseen]


def _is_constructed_so(usage: Usage, chosen: Construction | None) -> bool:
    if usage.entry == CONSTRUCTOR:
        return chosen is None or usage.passed == chosen.passed
    made = usage.construction
    return made is None or (made.as_target and (chosen is None or made.passed == chosen.passed))


def pick(usages: Sequence[Usage], parameters: Sequence[Parameter]) -> list[Usage]:
    """The first complete usage, and others that pass what those before them do not: another parameter, or None."""
    required = [p.name for p in parameters if p.is_required]
    complete = [usage for usage in usages if has_all(usage.passed, parameters)]
    picked: list[Usage] = []
    seen: set[tuple[str, bool]] = set()
    for usage in sorted(complete, key=lambda u: [_shows_type(u.passed[name]) for name in required].count(False)):
        shows = {(name, _shows_type(text)) for name, text in usage.passed.items()}
        if not picked or not shows <= seen:
            picked.append(usage)
        seen |= shows
    return picked[:MOST_CALLS]


def _unseen(parameters: Sequence[Parameter], picked: Sequence[Usage]) -> Iterator[Parameter]:
    """The parameters that have no annotation, no default that shows a type, and no value in what is picked."""
    known = _known_values(picked)
    for parameter in parameters:
        is_open = _is_empty(parameter.value) if parameter.has_default else bool(picked)
        if is_open and not parameter.annotation and parameter.name not in known:
            yield parameter


def _find_value(
    parameter: Parameter, function: Function, own: Sequence[Use], uses: Sequence[Use], example: str = EXAMPLE
) -> DraftValue:
    """What code passes for a parameter in its own uses; else any value of the annotated type; else a blank.

    The note of a blank says why no use has a value, and has an example of one.
    """
    name, annotation = parameter.name, parameter.annotation
    known = _known_values(own).get(name)
    if known is not None:
        return known
    if annotation in BY_ANNOTATION:
        return DraftValue(DraftExpression(BY_ANNOTATION[annotation]), f"any {annotation}")
    is_tensor = is_used_as_tensor(function.node, name)
    used_as = TENSOR if is_tensor else infer_from_uses(function.node, name)
    said = f"annotated {annotation}" if annotation else f"used like {used_as}" if used_as else ""
    default = f"{ast.unparse(parameter.value)} by default" if parameter.value is not None else ""
    note = "; ".join(filter(None, (default, said, _said_by_uses(name, uses))))
    example = _example_of(used_as) if used_as else example
    quoted = f"'{example}'" if '"' in example else f'"{example}"'
    extra = "" if example == EXAMPLE else f", {quoted}"
    return DraftValue(DraftExpression(f'fill_in("{name}"{extra})'), f"{note}; e.g. {example}", blank=name)


def _known_values(uses: Sequence[Use]) -> dict[str, DraftValue]:
    """The first value that code passes for each parameter, other than None."""
    found: dict[str, DraftValue] = {}
    for use in uses:
        for name, text in use.passed.items():
            if text and _shows_type(text):
                found.setdefault(name, DraftValue(text, f"as in {use.place}"))
    return found


def _said_by_uses(name: str, uses: Sequence[Use]) -> str:
    for use in uses:
        if name in use.passed:
            text = use.passed[name]
            return f"{use.place} passes {text.text}" if text else f"what {use.place} passes only a run knows"
    return NO_USAGE


def _example_of(type_: TypeExpr) -> str:
    if type_.name == "list" and type_.args:
        return f"[{_example_of(type_.args[0])}]"
    if type_.name == "dict" and type_.args:
        return f'{{"key": {_example_of(type_.args[1])}}}'
    return EXAMPLES.get(type_.name, EXAMPLE)


def _shows_type(text: DraftExpression | None) -> bool:
    return text is not None and text.text not in SAY_NO_TYPE


def _is_empty(default: ast.expr | None) -> bool:
    """Whether a default leaves the type of other values open: None, or an empty container."""
    return default is not None and ast.unparse(default) in SAY_NO_TYPE


def make_examples(
    parameters: Sequence[Parameter], picked: Sequence[Usage], values: Mapping[str, DraftValue], unseen: Sequence[str]
) -> Iterator[Example]:
    """The calls in the order of the draft.

    Local variables that have the names of parameters hold the `values`; of those in `unseen`, no usage shows the type.
    """
    given = {name: name for name in unseen}
    first = {name: name for name in values if name not in given}
    drawn = {name: values[name].text.text for name in first}
    others = [Example(texts_of(usage), usage.inside, f"as in {usage.place}") for usage in picked[1:]]
    passed = {name for usage in picked for name in usage.passed}
    varied = _vary({p.name: p.value for p in parameters if p.value and p.name not in passed})
    held = others.pop() if len(others) > 1 and not varied and not given else None
    yield Example(first, picked[0].inside if picked else "")
    yield from others
    omitted = sorted(_always_given(parameters, picked))
    if omitted:
        rest = {name: text for name, text in first.items() if name not in omitted}
        yield Example(rest, f"without {' and '.join(omitted)}")
    if given:
        yield Example(first | given, f"with {' and '.join(given)}")
    if held:
        yield replace(held, held_back=True)
        return
    # A call that shows no types: other numbers and flags, else the first call's random values, drawn once more.
    if not varied and not given and not any("rand" in text or text.startswith("fill_in(") for text in drawn.values()):
        varied = _vary({name: ast.parse(text, mode="eval").body for name, text in drawn.items()})
    if not varied:
        first = {name: name if values[name].blank else text for name, text in drawn.items()}
    note = f"other values than before for {' and '.join(varied)}" if varied else ""
    yield Example(first | given | varied, "held back", note, held_back=True)


def texts_of(usage: Usage) -> dict[str, str]:
    """The arguments of a complete usage, by parameter."""
    return {name: text.text for name, text in usage.passed.items() if text}


def _always_given(parameters: Sequence[Parameter], picked: Sequence[Usage]) -> Iterator[str]:
    """The parameters whose default is None, or empty, and never counts: every usage passes something else."""
    for parameter in parameters:
        texts = [usage.passed.get(parameter.name) for usage in picked]
        if texts and all(map(_shows_type, texts)) and _is_empty(parameter.value):
            yield parameter.name


def _vary(values: Mapping[str, ast.expr]) -> dict[str, str]:
    """Other values of the same type for numbers and flags; of a dimension's number, no other is sure to exist."""
    varied: dict[str, str] = {}
    for name, node in values.items():
        value = node.value if isinstance(node, ast.Constant) else None
        is_dimension = any(word in name for word in NUMBERED_DIMENSIONS)
        if isinstance(value, bool):
            varied[name] = repr(not value)
        elif isinstance(value, float):
            varied[name] = repr(value / 2 or 0.5)
        elif isinstance(value, int) and not is_dimension:
            varied[name] = repr(value + 1)
    return varied

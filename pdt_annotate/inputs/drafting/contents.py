"""The content of a draft: the usages that become example calls, and the values left for a person to fill in."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.inputs.drafting.inline_expressions import DraftExpression
from pdt_annotate.inputs.drafting.subject import CONSTRUCTOR, DraftSubject, EntryPoint
from pdt_annotate.inputs.drafting.usages import Construction, Usage, Usages, has_all
from pdt_annotate.inputs.specs.spec import EXAMPLE
from pdt_annotate.source.definitions import VARIADIC, Function, Parameter
from pdt_annotate.source.uses import infer_from_uses, is_used_as_tensor
from pdt_annotate.values.types import TENSOR, TypeExpr

BY_ANNOTATION = {"int": "2", "float": "0.5", "bool": "True"}  # types for which any value will do
EXAMPLES = {"str": '"text"', "bool": "True", "int": "2", "torch.device": 'torch.device("cpu")'}
CONSTRUCTOR_EXAMPLE = "16"
SAY_NO_TYPE = ("None", "[]", "()", "{}")

MOST_CALLS = 4  # the most usages that become calls

Use = Construction | Usage  # code that passes values, with its place


@dataclass(frozen=True)
class Example:
    """One example call: the text of each argument, by parameter."""

    values: Mapping[str, str]
    name: str = ""
    note: str = ""
    held_back: bool = False


def choose_construction(subject: DraftSubject, found: Usages) -> Construction | None:
    """The complete construction whose instances' calls show the most parameters; of ties, the one with most calls."""
    complete = [c for c in found.constructions if has_all(c.passed, subject.constructor_parameters)]
    entries = {entry.name: entry for entry in subject.entries if entry.name != CONSTRUCTOR}
    called = [u for u in found.usages if u.entry in entries and has_all(u.passed, entries[u.entry].function.parameters)]

    def shows(construction: Construction) -> tuple[int, int]:
        own = [u for u in called if u.construction and u.construction.passed == construction.passed]
        return len(_known_values(own)), len(own)

    return max(complete, key=shows, default=None)


def values_of_model(subject: DraftSubject, found: Usages, chosen: Construction | None) -> dict[str, DraftExpression]:
    """The arguments of the chosen construction, or without one the required arguments."""
    if chosen is not None or subject.constructor is None:
        return {name: text for name, text in chosen.passed.items() if text} if chosen else {}
    required = [p for p in subject.constructor_parameters if p.is_required]
    uses = found.constructions
    return {p.name: _find_value(p, subject.constructor, uses, uses, CONSTRUCTOR_EXAMPLE) for p in required}


def plan_calls(
    subject: DraftSubject, entry: EntryPoint, found: Usages, chosen: Construction | None
) -> tuple[dict[str, DraftExpression], list[Usage], list[Example]]:
    """The values of the parameters, the usages that become calls, and all example calls of an entry.

    The usages are of instances constructed like the draft's, since shapes depend on the construction.
    """
    usages = [usage for usage in found.usages if usage.entry == entry.name]
    own = [usage for usage in usages if _is_constructed_so(usage, chosen)]
    parameters = [p for p in entry.function.parameters if p.kind not in VARIADIC]
    picked = pick(own, parameters)
    if subject.kind == "class" and entry.name == CONSTRUCTOR:
        picked = picked[:1]
    if picked:
        first = picked[0]
        values = {name: replace(text, note=f"as in {first.place}") for name, text in first.passed.items() if text}
    else:
        values = {p.name: _find_value(p, entry.function, own, usages) for p in parameters if p.is_required}
    # Parameters whose types no annotation, default or picked usage shows; an empty default shows none.
    known = _known_values(picked)
    left = [p for p in parameters if not p.annotation and p.name not in known]
    empty = {p.name for p in left if p.value is not None and ast.unparse(p.value) in SAY_NO_TYPE}
    left = [p for p in left if (p.name in empty if p.value is not None else picked)]
    unseen = {p.name: _find_value(p, entry.function, own, usages) for p in left}
    return values | unseen, picked, list(_make_examples(parameters, picked, values, [*unseen]))


def _is_constructed_so(usage: Usage, chosen: Construction | None) -> bool:
    made = usage if usage.entry == CONSTRUCTOR else usage.construction
    is_as_chosen = made is None or chosen is None or made.passed == chosen.passed
    return is_as_chosen and (usage.construction is None or usage.construction.as_target)


def pick(usages: Sequence[Usage], parameters: Sequence[Parameter]) -> list[Usage]:
    """The first complete usage, and others that pass something new: another parameter, or None."""
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


def _find_value(
    parameter: Parameter, function: Function, own: Sequence[Use], uses: Sequence[Use], example: str = EXAMPLE
) -> DraftExpression:
    """The value that `own` uses pass for a parameter; otherwise any of the annotated type, or a blank with a note."""
    name, annotation = parameter.name, parameter.annotation
    if known := _known_values(own).get(name):
        return known
    if annotation in BY_ANNOTATION:
        return DraftExpression(BY_ANNOTATION[annotation], note=f"any {annotation}")
    used_as = TENSOR if is_used_as_tensor(function.node, name) else infer_from_uses(function.node, name)
    said = f"annotated {annotation}" if annotation else f"used like {used_as}" if used_as else ""
    default = f"{ast.unparse(parameter.value)} by default" if parameter.value is not None else ""
    passed = "no code in the project passes it"
    if use := next((use for use in uses if name in use.passed), None):
        text = use.passed[name]
        passed = f"{use.place} passes {text.text}" if text else f"{use.place} passes a value known only at run time"
    example = _example_of(used_as) if used_as else example
    quoted = f"'{example}'" if '"' in example else f'"{example}"'
    extra = "" if example == EXAMPLE else f", {quoted}"
    note = "; ".join(filter(None, (default, said, passed, f"e.g. {example}")))
    return DraftExpression(f'fill_in("{name}"{extra})', note=note)


def _known_values(uses: Sequence[Use]) -> dict[str, DraftExpression]:
    """The first value other than None that code passes for each parameter."""
    found: dict[str, DraftExpression] = {}
    for use in uses:
        for name, text in use.passed.items():
            if text and _shows_type(text):
                found.setdefault(name, replace(text, note=f"as in {use.place}"))
    return found


def _example_of(type_: TypeExpr) -> str:
    match type_:
        case TypeExpr("list", (element, *_)):
            return f"[{_example_of(element)}]"
        case TypeExpr("dict", (_, value)):
            return f'{{"key": {_example_of(value)}}}'
    return EXAMPLES.get(type_.name, EXAMPLE)


def _shows_type(text: DraftExpression | None) -> bool:
    return text is not None and text.text not in SAY_NO_TYPE


def _make_examples(
    parameters: Sequence[Parameter],
    picked: Sequence[Usage],
    values: Mapping[str, DraftExpression],
    unseen: Sequence[str],
) -> Iterator[Example]:
    """The calls in the order of the draft, in which values are local variables named like the parameters."""
    given = {name: name for name in unseen}
    first = {name: name for name in values if name not in given}
    drawn = {name: values[name].text for name in first}
    yield Example(first, picked[0].inside if picked else "")
    yield from map(example_of, picked[1:])
    if given:
        yield Example(first | given, f"with {' and '.join(given)}")
    # A call that shows no types: other numbers and flags, otherwise the first call's random values, drawn again.
    passed = {name for usage in picked for name in usage.passed}
    varied = _vary({p.name: p.value for p in parameters if p.value and p.name not in passed})
    blanks = {name for name, text in drawn.items() if text.startswith("fill_in(")}
    if not varied and not given and not blanks and not any("rand" in text for text in drawn.values()):
        varied = _vary({name: ast.parse(text, mode="eval").body for name, text in drawn.items()})
    if not varied:
        first = {name: name if name in blanks else text for name, text in drawn.items()}
    note = f"other values for {' and '.join(varied)}" if varied else ""
    yield Example(first | given | varied, "held back", note, held_back=True)


def example_of(usage: Usage) -> Example:
    texts = {name: text.text for name, text in usage.passed.items() if text}
    return Example(texts, usage.inside, f"as in {usage.place}")


def _vary(values: Mapping[str, ast.expr]) -> dict[str, str]:
    """Other values of the same type for numbers and flags, except for a dimension, where another may not exist."""
    varied: dict[str, object] = {}
    for name, node in values.items():
        match node:
            case ast.Constant(bool(value)):
                varied[name] = not value
            case ast.Constant(float(value)):
                varied[name] = value / 2 or 0.5
            case ast.Constant(int(value)) if not any(word in name for word in ("dim", "axis")):
                varied[name] = value + 1
    return {name: repr(value) for name, value in varied.items()}

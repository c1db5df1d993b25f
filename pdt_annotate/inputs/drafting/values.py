"""Values for parameters: what code passes, what an annotation allows, or a blank that says what to write."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.inputs.drafting.inline import InlineText
from pdt_annotate.inputs.drafting.usages import Construction, Usage
from pdt_annotate.inputs.placeholder import EXAMPLE
from pdt_annotate.source.survey import Function, Parameter
from pdt_annotate.source.uses import infer_from_uses, is_used_as_tensor
from pdt_annotate.values.types import TENSOR, TypeExpr

NO_USAGE = "no code in the project passes it"
BY_ANNOTATION = {"int": "2", "float": "0.5", "bool": "True"}
"""Any value will do where the source gives the type already."""

EXAMPLES = {"str": '"text"', "bool": "True", "int": "2", "torch.device": 'torch.device("cpu")'}
TELL_NOTHING = ("None", "[]", "()", "{}")

Use = Construction | Usage
"""What passes values, and where."""


@dataclass(frozen=True)
class DraftValue:
    """A value in a draft: its text and where it comes from; `blank` is the name of what is to be filled in."""

    text: InlineText
    note: str = ""
    blank: str = ""


def find_value(
    parameter: Parameter, function: Function, uses: Sequence[Use], example: str = EXAMPLE, others: Sequence[Use] = ()
) -> DraftValue:
    """What code passes for a parameter; else any value of the annotated type; else a blank.

    Args:
        others: what passes it to a model that is constructed otherwise, for which tensors may have other shapes.
    """
    name = parameter.name
    known = known_values(uses).get(name)
    if known is not None:
        return known
    if parameter.annotation in BY_ANNOTATION:
        return DraftValue(InlineText(BY_ANNOTATION[parameter.annotation]), f"any {parameter.annotation}")
    elsewhere = known_values(others).get(name)
    if elsewhere is not None and _is_plain(elsewhere.text):
        return elsewhere
    used_as = _type_by_uses(parameter, function)
    used = f"used like {used_as}" if used_as else ""
    said = f"annotated {parameter.annotation}" if parameter.annotation else used
    default = f"{ast.unparse(parameter.value)} by default" if parameter.value is not None else ""
    if elsewhere is not None:
        passed = f"{elsewhere.note}, for a model that is constructed otherwise"
        return _blank(name, "; ".join(filter(None, (default, passed))), elsewhere.text.text)
    note = "; ".join(filter(None, (default, said, _said_by_usages(name, uses))))
    return _blank(name, note, _example_of(used_as) if used_as else example)


def _is_plain(text: InlineText) -> bool:
    """Whether a text is a literal, which has no shape that may not fit."""
    try:
        ast.literal_eval(text.text)
    except ValueError:
        return False
    return True


def _said_by_usages(name: str, uses: Sequence[Use]) -> str:
    """Why the usages of a parameter give no value."""
    for use in uses:
        if name in use.passed.values:
            text = use.passed.values[name]
            return f"{use.place} passes {text.text}" if text else f"what {use.place} passes only a run knows"
    return NO_USAGE


def known_values(uses: Sequence[Use]) -> dict[str, DraftValue]:
    """The first value that code passes for each parameter, other than None."""
    found: dict[str, DraftValue] = {}
    for use in uses:
        for name, text in use.passed.values.items():
            if text and tells_type(text):
                found.setdefault(name, DraftValue(text, f"as in {use.place}"))
    return found


def _blank(name: str, note: str, example: str) -> DraftValue:
    quoted = f"'{example}'" if '"' in example else f'"{example}"'
    extra = "" if example == EXAMPLE else f", {quoted}"
    return DraftValue(InlineText(f'fill_in("{name}"{extra})'), f"{note}; e.g. {example}", blank=name)


def _type_by_uses(parameter: Parameter, function: Function) -> TypeExpr | None:
    is_tensor = is_used_as_tensor(function.node, parameter.name)
    return TENSOR if is_tensor else infer_from_uses(function.node, parameter.name)


def _example_of(type_: TypeExpr) -> str:
    if type_.name == "list" and type_.args:
        return f"[{_example_of(type_.args[0])}]"
    if type_.name == "dict" and type_.args:
        return f'{{"key": {_example_of(type_.args[1])}}}'
    return EXAMPLES.get(type_.name, EXAMPLE)


def tells_type(text: InlineText | None) -> bool:
    return text is not None and text.text not in TELL_NOTHING


def tells_nothing(default: ast.expr | None) -> bool:
    """Whether a default leaves the type of other values open: None, or an empty container."""
    if isinstance(default, ast.Constant):
        return default.value is None
    is_empty_sequence = isinstance(default, (ast.List, ast.Tuple)) and not default.elts
    return is_empty_sequence or (isinstance(default, ast.Dict) and not default.keys)

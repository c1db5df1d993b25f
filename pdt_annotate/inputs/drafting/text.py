"""A plan as the text of a Python spec."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pdt_annotate.inputs.drafting.expressions import Expression
from pdt_annotate.inputs.drafting.plan import Calls, DraftPlan, DraftValue, Example, Model
from pdt_annotate.inputs.drafting.subject import DraftSubject
from pdt_annotate.inputs.drafting.usages import Usage
from pdt_annotate.source.survey import Parameter, ParameterKind

WIDTH = 110
INDENT = " " * 4
ARRAYS = ("torch", "numpy")
OURS = "pdt_annotate"
UNKNOWN_CALL = """\
    # Nothing in the source says what is called here. One tuple of arguments is one call.
    yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))"""


def render(plan: DraftPlan, target: str, file: str) -> str:
    """The spec, with comments that say where values come from.

    Args:
        plan: what it says.
        target: the target as it was given.
        file: the spec's name, for the command in its first line.
    """
    functions = [_render_model(plan.subject, plan.model)] if plan.model else []
    entries = [_render_entry(calls) for calls in plan.calls]
    result = "\n".join(_render_call_of_result(usage) for usage in plan.of_result)
    functions.append("def calls():\n" + ("\n\n".join(entries) or result or UNKNOWN_CALL))
    body = "\n\n\n".join(functions)
    head = f'"""Example calls for `pdt-annotate {target} -i {file}`; drafted by `pdt-annotate init`."""'
    return f"{head}\n\n{_render_imports(plan, body)}\n\n\n{body}\n"


def _render_imports(plan: DraftPlan, body: str) -> str:
    """The standard library's, the arrays', ours, the project's: a block each."""
    statements = {statement for text in _texts(plan) for _, statement in text.imports}
    statements |= {f"from {OURS} import {name}" for name in ("Call", "fill_in") if f"{name}(" in body}
    statements |= {"import torch"} if "torch." in body else set()
    subject = plan.subject
    statements |= {f"from {subject.module} import {subject.qualname.partition('.')[0]}"} if plan.model else set()
    blocks: dict[int, list[str]] = {}
    for statement in _joined(statements):
        top = statement.split()[1].partition(".")[0]
        block = 0 if top in sys.stdlib_module_names else 1 if top in ARRAYS else 2 if top == OURS else 3
        blocks.setdefault(block, []).append(statement)
    return "\n\n".join("\n".join(blocks[number]) for number in sorted(blocks))


def _joined(statements: Iterable[str]) -> Iterator[str]:
    """The statements in order, with all that comes from one module in one."""
    parted = sorted(statement.partition(" import ") for statement in statements if statement.startswith("from"))
    yield from sorted(statement for statement in statements if not statement.startswith("from"))
    for source, group in itertools.groupby(parted, key=lambda parts: parts[0]):
        yield f"{source} import {', '.join(name for _, _, name in group)}"


def _texts(plan: DraftPlan) -> Iterator[Expression]:
    yield from (value.text for value in (plan.model.values.values() if plan.model else ()))
    yield from (text for usage in plan.of_result for text in usage.passed.values() if text)
    for calls in plan.calls:
        yield from (value.text for value in calls.variables.values())
        yield from (text for example in calls.examples for text in example.values.values())


def _render_model(subject: DraftSubject, model: Model) -> str:
    blanks = {name: value for name, value in model.values.items() if value.note}
    texts = {name: name if name in blanks else value.text.text for name, value in model.values.items()}
    positional = _by_position(subject.constructor_parameters, texts)
    rest = [f"{name}={text}" for name, text in texts.items() if name not in positional]
    lines = ["def model():", *_variables(blanks)]
    lines += [f"{INDENT}# {model.note}"] if model.note else []
    lines.append(_wrap(f"{INDENT}return {subject.qualname}(", [*(texts[name] for name in positional), *rest]))
    return "\n".join(lines)


def _render_call_of_result(usage: Usage) -> str:
    texts = {name: text.text for name, text in usage.passed.items() if text}
    positional = [text for name, text in texts.items() if name.isdecimal()]
    keywords = {name: text for name, text in texts.items() if not name.isdecimal()}
    parts = [*_call_parts(positional, keywords), *([f'name="{usage.inside}"'] if usage.inside else [])]
    return "\n".join([f"{INDENT}# as in {usage.place}", _wrap(f"{INDENT}yield Call(", parts)])


def _render_entry(calls: Calls) -> str:
    shown = {name for example in calls.examples for name in example.shared}
    lines = list(_variables({name: value for name, value in calls.variables.items() if name in shown}))
    names: list[str] = []
    for example in calls.examples:
        names.append(example.name)
        lines += [f"{INDENT}# {example.note}"] if example.note else []
        lines.append(_render_call(calls, example, names.count(example.name)))
    return "\n".join(lines)


def _variables(values: Mapping[str, DraftValue]) -> Iterator[str]:
    """An assignment a line, with its note behind it or, where that is too long, above."""
    for name, value in values.items():
        line = f"{INDENT}{name} = {value.text.text}"
        if len(line) + len(value.note) + 4 <= WIDTH:
            yield f"{line}  # {value.note}"
        else:
            yield f"{INDENT}# {value.note}"
            yield line


def _render_call(calls: Calls, example: Example, number: int) -> str:
    """The statement of a call; its number tells it apart where its name comes again."""
    texts = {name: name if name in example.shared else text.text for name, text in example.values.items()}
    positional = _by_position(calls.entry.function.parameters, texts)
    keywords = {name: text for name, text in texts.items() if name not in positional}
    name = f"{example.name} {number}" if number > 1 else example.name
    parts = list(_call_parts([texts[name] for name in positional], keywords))
    parts += [f'method="{calls.entry.name}"'] if calls.entry.is_named else []
    parts += [f'name="{name}"'] if example.name else []
    parts += ["held_back=True"] if example.held_back else []
    return _wrap(f"{INDENT}yield Call(", parts)


def _call_parts(positional: Sequence[str], keywords: Mapping[str, str]) -> Iterator[str]:
    """The arguments of `Call(…)` for those of the call."""
    if positional:
        yield f"({', '.join(positional)}{',' if len(positional) == 1 else ''})"
    if keywords:
        pairs = ", ".join(f'"{name}": {text}' for name, text in keywords.items())
        yield f"{{{pairs}}}" if positional else f"kwargs={{{pairs}}}"


def _wrap(start: str, parts: Sequence[str]) -> str:
    """A call on one line, or with an argument a line where that is too long."""
    line = f"{start}{', '.join(parts)})"
    if len(line) <= WIDTH:
        return line
    inner = "".join(f"{INDENT * 2}{part},\n" for part in parts)
    return f"{start}\n{inner}{INDENT})"


def _by_position(parameters: Sequence[Parameter], values: Mapping[str, object]) -> list[str]:
    """The parameters that a call passes by position: the first ones without a gap, as long as they are required."""
    names: list[str] = []
    for parameter in parameters:
        fits = parameter.kind in (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN) and parameter.name in values
        if not fits or (parameter.has_default and parameter.kind is ParameterKind.PLAIN):
            break
        names.append(parameter.name)
    return names

"""A draft as the text of a Python spec."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pdt_annotate.inputs.drafting.expressions import DraftExpression
from pdt_annotate.inputs.drafting.plan import (
    DraftValue,
    Example,
    choose_construction,
    make_examples,
    pick,
    texts_of,
    values_of_calls,
    values_of_model,
)
from pdt_annotate.inputs.drafting.subject import DraftSubject, EntryPoint
from pdt_annotate.inputs.drafting.usages import RESULT, Usage, Usages
from pdt_annotate.source.survey import Parameter, ParameterKind
from pdt_annotate.values.errors import TargetError

WIDTH = 110
INDENT = " " * 4
ARRAYS = ("torch", "numpy")
OURS = "pdt_annotate"
UNKNOWN_CALL = """\
    # Nothing in the source says what is called here. One tuple of arguments is one call.
    yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))"""


def render(subject: DraftSubject, found: Usages, target: str, file: str) -> str:
    """The spec `file` for a target as it was given, with comments that say where values come from."""
    chosen = choose_construction(subject, found)
    model = values_of_model(subject, found, chosen) if subject.is_constructed else {}
    functions = [_render_model(subject, model, f"as in {chosen.place}" if chosen else "")] if model else []
    texts = [value.text for value in model.values()]
    entries: list[str] = []
    for entry in subject.entries:
        values, picked, unseen = values_of_calls(subject, entry, found, chosen)
        texts += [*(value.text for value in values.values()), *_passed_by(picked)]
        examples = make_examples(entry.plain_parameters, picked, values, unseen)
        entries.append("\n".join([*_variables(values), *_render_calls(entry, examples)]))
    of_result = pick([usage for usage in found.usages if usage.entry == RESULT], ())
    texts += _passed_by(of_result)
    result = "\n".join(map(_render_call_of_result, of_result))
    functions.append("def calls():\n" + ("\n\n".join(entries) or result or UNKNOWN_CALL))
    body = "\n\n\n".join(functions)
    imports = {statement for text in texts for _, statement in text.imports}
    if model:
        if not subject.module:
            hint = "rename it so that an import statement can name it"
            raise TargetError(
                "a spec cannot import this file to construct the target", file=subject.place.file, hint=hint
            )
        imports.add(f"from {subject.module} import {subject.qualname.partition('.')[0]}")
    head = f'"""Example calls for `pdt-annotate {target} -i {file}`; drafted by `pdt-annotate init`."""'
    return f"{head}\n\n{_render_imports(imports, body)}\n\n\n{body}\n"


def _passed_by(usages: Iterable[Usage]) -> Iterator[DraftExpression]:
    return (text for usage in usages for text in usage.passed.values() if text)


def _render_imports(needed: set[str], body: str) -> str:
    """The standard library's, the arrays', ours, the project's: a block each."""
    ours = {f"from {OURS} import {name}" for name in ("Call", "fill_in") if f"{name}(" in body}
    torch = {"import torch"} if "torch." in body else set()
    blocks: dict[int, list[str]] = {}
    for statement in _joined(needed | ours | torch):
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


def _render_model(subject: DraftSubject, values: Mapping[str, DraftValue], note: str) -> str:
    blanks = {name: value for name, value in values.items() if value.note}
    texts = {name: name if name in blanks else value.text.text for name, value in values.items()}
    positional = _by_position(subject.constructor_parameters, texts)
    arguments = [text if name in positional else f"{name}={text}" for name, text in texts.items()]
    lines = ["def model():", *_variables(blanks), *([f"{INDENT}# {note}"] if note else [])]
    return "\n".join([*lines, _wrap(f"{INDENT}return {subject.qualname}(", arguments)])


def _render_call_of_result(usage: Usage) -> str:
    texts = texts_of(usage)
    parts = [*_call_parts(texts, [name for name in texts if name.isdecimal()])]
    parts += [f'name="{usage.inside}"'] if usage.inside else []
    return "\n".join([f"{INDENT}# as in {usage.place}", _wrap(f"{INDENT}yield Call(", parts)])


def _render_calls(entry: EntryPoint, examples: Iterable[Example]) -> Iterator[str]:
    names: list[str] = []
    for example in examples:
        names.append(example.name)
        number = names.count(example.name)
        name = f"{example.name} {number}" if number > 1 else example.name
        parts = [*_call_parts(example.values, _by_position(entry.function.parameters, example.values))]
        parts += [f'method="{entry.name}"'] if entry.is_named else []
        parts += [f'name="{name}"'] if example.name else []
        parts += ["held_back=True"] if example.held_back else []
        yield from [f"{INDENT}# {example.note}"] if example.note else []
        yield _wrap(f"{INDENT}yield Call(", parts)


def _variables(values: Mapping[str, DraftValue]) -> Iterator[str]:
    """An assignment a line, with its note behind it or, where that is too long, above."""
    for name, value in values.items():
        line = f"{INDENT}{name} = {value.text.text}"
        if len(line) + len(value.note) + 4 <= WIDTH:
            yield f"{line}  # {value.note}"
        else:
            yield f"{INDENT}# {value.note}"
            yield line


def _call_parts(texts: Mapping[str, str], by_position: Sequence[str]) -> Iterator[str]:
    """The arguments of `Call(…)` for those of the call."""
    if by_position:
        yield f"({', '.join(texts[name] for name in by_position)}{',' if len(by_position) == 1 else ''})"
    keywords = ", ".join(f'"{name}": {text}' for name, text in texts.items() if name not in by_position)
    if keywords:
        yield f"{{{keywords}}}" if by_position else f"kwargs={{{keywords}}}"


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

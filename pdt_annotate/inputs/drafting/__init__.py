"""Drafts: example calls for a target, from its source and the project's tests. Nothing is imported or run."""

import ast
import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.inputs.drafting import contents
from pdt_annotate.inputs.drafting.inline_expressions import DraftExpression
from pdt_annotate.inputs.drafting.subject import DraftSubject, read_subject
from pdt_annotate.inputs.drafting.usages import RESULT, Usages, find_observed, find_usages, join
from pdt_annotate.source.definitions import Parameter, ParameterKind
from pdt_annotate.source.imports import NameResolver, Sources
from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.errors import TargetError
from pdt_annotate.values.runs import ObservedCall, Target
from pdt_annotate.values.slots import Place, column_at

NO_CALLS = "with `pdt-annotate run -- PROGRAM` or `pytest --pdt`, run a program that calls the target"

CANNOT_IMPORT = "a spec cannot import this file to construct the target"

WIDTH = 110
INDENT = " " * 4
OURS = "pdt_annotate"
UNKNOWN_CALL = """\
    # Nothing in the source says what is called here. One tuple of arguments is one call.
    yield Call(fill_in("the arguments", "(torch.randn(2, 3),)"))"""


@dataclass(frozen=True)
class Draft:
    text: str
    blanks: tuple[tuple[str, Place], ...]  # the names and places of values that the user must fill in


def draft(
    target: Target,
    root: str,
    file: str,
    path: Iterable[str] | None = None,
    observed: Sequence[ObservedCall] | None = None,
) -> Draft:
    """Draft a spec. Raises TargetError if the sources do not have the target, or a spec cannot import it.

    Args:
        root: the directory in which usages are searched.
        file: the name that the spec will have.
        path: the import path of the Python that runs the target; by default our own.
        observed: calls that ran; the target's come before the usages in the sources.
    """
    names = NameResolver(Sources(root, path))
    subject = read_subject(target, names)
    ran, read = find_observed(subject, observed or ()), find_usages(subject, names)
    if observed is not None and not ran.usages:
        raise TargetError(f"the profile has no call of {target.text}", hint=NO_CALLS)
    head = f'"""Example calls for `pdt-annotate {target.text} -i {file}`; drafted by `pdt-annotate init`."""'
    text = f"{head}\n\n{_render(subject, join(ran, read))}"
    lines = text.split("\n")
    calls = [node for node in ast.walk(ast.parse(text)) if is_call_of(node, "fill_in")]
    calls.sort(key=lambda each: each.lineno)
    places = [Place(file, each.lineno, column_at(lines[each.lineno - 1], each.col_offset)) for each in calls]
    return Draft(text, tuple(zip((ast.literal_eval(each.args[0]) for each in calls), places, strict=True)))


def _render(subject: DraftSubject, found: Usages) -> str:
    chosen = contents.choose_construction(subject, found)
    is_constructed = subject.kind == "module" and subject.maker == "class"
    model = contents.values_of_model(subject, found, chosen) if is_constructed else {}
    functions = []
    if model:
        if not subject.module:
            hint = "rename the file, so that it can be imported"
            raise TargetError(CANNOT_IMPORT, file=subject.place.file, hint=hint)
        blanks = {name: value for name, value in model.items() if value.note}
        spelled = {name: name if name in blanks else value.text for name, value in model.items()}
        positional = _by_position(subject.constructor_parameters, spelled)
        arguments = [text if name in positional else f"{name}={text}" for name, text in spelled.items()]
        lines = ["def model():", *_variables(blanks), *([f"{INDENT}# as in {chosen.place}"] if chosen else [])]
        functions.append("\n".join([*lines, _wrap(f"{INDENT}return {subject.qualname}(", arguments)]))
    texts = list(model.values())
    passing = of_result = contents.pick([usage for usage in found.usages if usage.entry == RESULT], ())
    blocks = ["\n".join(_render_calls(map(contents.example_of, of_result)))] if of_result else []
    for entry in subject.entries:
        values, picked, examples = contents.plan_calls(subject, entry, found, chosen)
        texts += values.values()
        passing = [*passing, *picked]
        calls = _render_calls(examples, entry.function.parameters, entry.name if entry.is_named else "")
        blocks.append("\n".join([*_variables(values), *calls]))
    functions.append("def calls():\n" + ("\n\n".join(blocks) or UNKNOWN_CALL))
    body = "\n\n\n".join(functions)
    texts += [text for usage in passing for text in usage.passed.values() if text]
    imports = {statement for text in texts for _, statement in text.imports}
    if model:
        imports.add(f"from {subject.module} import {subject.qualname.partition('.')[0]}")
    return f"{_render_imports(imports, body)}\n\n\n{body}\n"


def _render_imports(needed: set[str], body: str) -> str:
    """The imports in blocks: the standard library's, the array libraries', ours, the project's."""
    needed |= {f"from {OURS} import {name}" for name in ("Call", "fill_in") if f"{name}(" in body}
    needed |= {"import torch"} if "torch." in body else set()
    statements = sorted(each for each in needed if not each.startswith("from"))
    parted = sorted(each.partition(" import ") for each in needed if each.startswith("from"))
    for source, group in itertools.groupby(parted, key=lambda parts: parts[0]):
        statements.append(f"{source} import {', '.join(name for _, _, name in group)}")

    def block(statement: str) -> int:
        top = statement.split()[1].partition(".")[0]
        return 0 if top in sys.stdlib_module_names else 1 if top in ("torch", "numpy") else 2 if top == OURS else 3

    blocks = itertools.groupby(sorted(statements, key=block), key=block)
    return "\n\n".join("\n".join(together) for _, together in blocks)


def _render_calls(
    examples: Iterable[contents.Example], parameters: Sequence[Parameter] | None = None, method: str = ""
) -> Iterator[str]:
    """The calls; if the parameters are unknown, arguments with numbers for names are passed by position."""
    names: list[str] = []
    for example in examples:
        names.append(example.name)
        number = names.count(example.name)
        name = f"{example.name} {number}" if number > 1 else example.name
        values = example.values
        numbered = [each for each in values if each.isdecimal()]
        positional = numbered if parameters is None else _by_position(parameters, values)
        parts = []
        if positional:
            comma = "," if len(positional) == 1 else ""
            parts.append(f"({', '.join(values[each] for each in positional)}{comma})")
        keywords = ", ".join(f'"{each}": {text}' for each, text in values.items() if each not in positional)
        if keywords:
            parts.append(f"{{{keywords}}}" if positional else f"kwargs={{{keywords}}}")
        parts += [f'method="{method}"'] if method else []
        parts += [f'name="{name}"'] if example.name else []
        parts += ["held_back=True"] if example.held_back else []
        yield from [f"{INDENT}# {example.note}"] if example.note else []
        yield _wrap(f"{INDENT}yield Call(", parts)


def _variables(values: Mapping[str, DraftExpression]) -> Iterator[str]:
    """An assignment per line, with its note after it or, if that is too long, above."""
    for name, value in values.items():
        line = f"{INDENT}{name} = {value.text}"
        is_short = len(line) + len(value.note) + 4 <= WIDTH
        yield from [f"{line}  # {value.note}"] if is_short else [f"{INDENT}# {value.note}", line]


def _wrap(start: str, parts: Sequence[str]) -> str:
    """A call on one line, or with one argument per line if that is too long."""
    line, inner = f"{start}{', '.join(parts)})", "".join(f"{INDENT * 2}{part},\n" for part in parts)
    return line if len(line) <= WIDTH else f"{start}\n{inner}{INDENT})"


def _by_position(parameters: Sequence[Parameter], values: Mapping[str, object]) -> list[str]:
    """The parameters to pass by position: the first ones without a gap, as long as they are required."""

    def goes_first(each: Parameter) -> bool:
        is_required = each.kind is ParameterKind.PLAIN and each.value is None
        return each.name in values and (is_required or each.kind is ParameterKind.POSITIONAL_ONLY)

    return [each.name for each in itertools.takewhile(goes_first, parameters)]

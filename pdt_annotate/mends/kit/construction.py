"""The attributes of a class: the statements that set them, whether they change later, and lists of layers."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.source.definitions import Class, Function, opening_line
from pdt_annotate.source.project import Project
from pdt_annotate.source.syntax import is_call_of, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Held

FINAL = "typing.Final"
BUILDERS = ("__init__", "__post_init__", "__new__")


def constructor(site: FunctionContext) -> Function | None:
    own = (f for f in site.module.functions if f.in_class and f.in_class == site.function.in_class)
    return next((f for f in own if f.node.name == "__init__" and f.receiver), None)


def last_setting(function: Function, attribute: str) -> ast.stmt | None:
    """The last top-level statement of a constructor that sets an attribute of `self`, in any branch.

    A call of the base class's constructor may set it too, and counts if no other statement does.
    """
    setting = [s for s in function.node.body if any(stores(s, attribute, function.receiver))]
    inheriting = [s for s in function.node.body if isinstance(s, ast.Expr) and is_call_of(s.value, "__init__")]
    return next(iter([*setting[-1:], *inheriting[-1:]]), None)


def last_setting_of_all(function: Function, attributes: Sequence[str]) -> ast.stmt | None:
    found = [last_setting(function, name) for name in attributes]
    known = [statement for statement in found if statement is not None]
    return max(known, key=lambda statement: statement.lineno) if len(known) == len(found) else None


def stores(tree: ast.AST, attribute: str, receiver: str = "") -> Iterator[ast.Attribute]:
    """The places that bind or delete an attribute of this name: of the receiver, or of any object if none is named."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr != attribute or isinstance(node.ctx, ast.Load):
            continue
        if not receiver or is_name(node.value, receiver):
            yield node


def is_set_later(site: FunctionContext, attribute: str) -> bool:
    """Whether the project sets an attribute of this name anywhere except in the constructor of the class.

    A method that sets it on `self` counts if its class may inherit from this one; on another object it always counts.
    """
    built = constructor(site)
    known = site.project.relatives(tuple(file for file in site.project.modules.values() if site.project.has(file)))
    own = known.named(site.function.in_class)
    family = {each.owner.qualname for cls in own for each in (cls, *known.heirs(cls))}
    return any(
        function.node is not (built.node if built else None) and (not is_own or function.in_class in family)
        for function, is_own in _storing(site.project, attribute)
    )


def is_field_set(project: Project, field: str) -> bool:
    """Whether any function of the project except a constructor sets an attribute of this name."""
    return any(not (is_own and function.node.name in BUILDERS) for function, is_own in _storing(project, field))


def _storing(project: Project, attribute: str) -> Iterator[tuple[Function, bool]]:
    """The functions that bind an attribute of this name, each with whether it is one of their own object."""
    for file in project.with_name(attribute):
        for function in project.read(file).functions:
            for node in stores(function.node, attribute):
                yield function, is_name(node.value, function.receiver)


def declare(site: FunctionContext, cls: Class, line: str) -> list[Edit]:
    """The edits that add a line to the class body: after similar lines, otherwise at the top with a blank line."""
    known = [s for s in cls.node.body if isinstance(s, ast.AnnAssign)]
    if known:
        return [site.insert_behind(known[-1], line)]
    first, newline = cls.node.body[0], site.text.newline
    indent = site.text.indent(site.text.start(first))
    if is_docstring(first):
        end = site.span(first)[1]
        return [Edit(end, newline), Edit(end, f"{newline}{indent}{line}")]
    start = site.text.line_start(opening_line(site.text, first))
    return [Edit(start - len(newline), f"{newline}{indent}{line}"), Edit(start, newline)]


def declare_constant(site: FunctionContext, cls: Class, name: str) -> list[Edit]:
    """The declaration that an attribute is a constant; under postponed annotations the compiler reads only a table."""
    if site.module.future_annotations:
        return declare(site, cls, f'__constants__ = ["{name}"]')
    return declare(site, cls, f"{name}: {site.spell(FINAL)[0]}[bool]")


def calls_around(site: FunctionContext) -> Iterator[tuple[FunctionContext, ast.Call]]:
    """The calls in functions of the class, and in functions of the file that are in no class: they may make layers."""
    for function in site.module.functions:
        if function.in_class in ("", site.function.in_class):
            inner = site.at(function)
            yield from ((inner, node) for node in ast.walk(function.node) if isinstance(node, ast.Call))


def is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


LISTS = ("torch.nn.modules.container.ModuleList", "torch.nn.modules.container.Sequential")


def is_list(held: Held) -> bool:
    return bool(held.values) and not held.lacking and all(value.type in LISTS for value in held.values)


def is_list_of_lists(held: Held) -> bool:
    return is_list(held) and all(value.items and set(value.items) <= set(LISTS) for value in held.values)


def length_of(site: FunctionContext, attribute: str) -> int | None:
    """The length of a list of layers, if it is the same in all modules."""
    held = site.held(attribute)
    lengths = {value.length for value in held.values}
    return lengths.pop() if is_list(held) and len(lengths) == 1 else None


def name_of_one(site: FunctionContext, attribute: str, taken: Iterable[str] = ()) -> str:
    """`self.layers` → layer, `self._convs` → conv, `self.emb` → emb_layer: a name that the function does not know."""
    word = attribute.strip("_")
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    else:
        word = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else f"{word}_layer"
    known = {node.id for node in ast.walk(site.node) if isinstance(node, ast.Name)}
    known |= {*site.local_names, *site.module.qualnames, *keyword.kwlist, *taken}
    candidates = (word, f"one_{word}", *(f"{word}_{number}" for number in range(2, 1000)))
    return next(name for name in candidates if name not in known)


def is_call(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and is_name(node.func, name)

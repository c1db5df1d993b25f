"""The attributes that a stub declares, put back where TorchScript reads their types.

For a module that is the class body, as lines, or under `from __future__ import annotations` as an `__annotations__`
table; for a class without bases, which it compiles as a whole, the assignment in the constructor.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

import libcst as cst
import libcst.matchers as m

from pdt_annotate.emit.stubs.nodes import (
    TABLE,
    flatten,
    instance_attributes,
    last_name,
    own_annotations,
    table_entries,
    target_names,
)

Annotations = Mapping[str, str]
"""By the name of an attribute, its type as written."""

IS_TABLE = m.Assign([m.AssignTarget(m.Name(TABLE))], m.Dict())


def missing_attributes(stub: ast.Module, source: ast.Module, future: bool) -> dict[str, Annotations]:
    """By the qualified name of a class, the attributes that the stub annotates and the source does not.

    Those that a class body assigns are libcst's to annotate, but under the future import, where nobody reads that.
    """
    known = {path: {*_annotated(node), *(() if future else _bound(node))} for path, node in _classes(source)}
    return {
        path: {
            name: ast.unparse(type_)
            for name, type_ in own_annotations(node)
            if name not in known.get(path, ()) and last_name(type_) != "Incomplete"
        }
        for path, node in _classes(stub)
    }


def _classes(block: ast.Module | ast.ClassDef, path: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for statement in flatten(block.body):
        if isinstance(statement, ast.ClassDef):
            yield path + statement.name, statement
            yield from _classes(statement, f"{path}{statement.name}.")


def _annotated(node: ast.ClassDef) -> Iterator[str]:
    """What a class annotates: in its body, in its table, or where a method assigns it."""
    yield from (name for name, _ in own_annotations(node))
    yield from (name for statement in flatten(node.body) for name, _ in table_entries(statement))
    yield from (name for name, annotation in instance_attributes(node) if annotation is not None)


def _bound(node: ast.ClassDef) -> Iterator[str]:
    assigns = (statement for statement in flatten(node.body) if isinstance(statement, ast.Assign))
    return (name for statement in assigns for target in statement.targets for name in target_names(target))


class DeclareAttributes(cst.CSTTransformer):
    """Annotates attributes.

    Args:
        attributes: what to annotate, by the qualified name of the class.
        future: the annotations of the file stay strings.
    """

    def __init__(self, attributes: Mapping[str, Annotations], future: bool) -> None:
        super().__init__()
        self.attributes = attributes
        self.declare: Callable[[cst.ClassDef, Annotations], cst.ClassDef]
        self.declare = _declare_in_table if future else _declare_in_lines
        self.path: list[str] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.path.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        new = self.attributes.get(".".join(self.path), {})
        self.path.pop()
        if not isinstance(updated_node.body, cst.IndentedBlock):
            return updated_node
        if not updated_node.bases:
            constructor = _AnnotateConstructor(new)
            updated_node = updated_node.with_changes(body=updated_node.body.visit(constructor))
            new = constructor.left
        return self.declare(updated_node, new) if new else updated_node


class _AnnotateConstructor(cst.CSTTransformer):
    """In a class body: `self.x = v` → `self.x: T = v`, where `__init__` first assigns a declared attribute.

    `left` are the attributes that it does not assign.
    """

    def __init__(self, declared: Annotations) -> None:
        super().__init__()
        self.left = dict(declared)
        self.receiver = ""

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        if self.receiver or node.name.value != "__init__" or not node.params.params:
            return False
        self.receiver = node.params.params[0].name.value
        return True

    def leave_Assign(self, original_node: cst.Assign, updated_node: cst.Assign) -> cst.Assign | cst.AnnAssign:
        target = updated_node.targets[0].target
        is_own = m.matches(target, m.Attribute(m.Name(self.receiver))) and len(updated_node.targets) == 1
        type_ = self.left.pop(cst.ensure_type(target, cst.Attribute).attr.value, "") if is_own else ""
        if not type_:
            return updated_node
        return cst.AnnAssign(target, cst.Annotation(cst.parse_expression(type_)), updated_node.value)


def _declare_in_lines(node: cst.ClassDef, new: Annotations) -> cst.ClassDef:
    """`name: T` at the head of the body, behind its docstring."""
    return _insert(node, int(node.get_docstring() is not None), [f"{name}: {type_}" for name, type_ in new.items()])


def _declare_in_table(node: cst.ClassDef, new: Annotations) -> cst.ClassDef:
    """`__annotations__ = {"name": T}`, with what the body annotates before: what assigns it comes behind them all."""
    lines = [line.body if isinstance(line, cst.SimpleStatementLine) else () for line in node.body.body]
    for assign in (each for line in lines for each in line if m.matches(each, IS_TABLE)):
        table = cst.ensure_type(cst.ensure_type(assign, cst.Assign).value, cst.Dict)
        added = cst.ensure_type(cst.parse_expression(_table(new)), cst.Dict).elements
        return node.with_deep_changes(table, elements=[*table.elements, *added])
    tree = cst.Module([])
    own = {
        index: (each.target.value, tree.code_for_node(each.annotation.annotation))
        for index, line in enumerate(lines)
        for each in line
        if isinstance(each, cst.AnnAssign) and isinstance(each.target, cst.Name)
    }
    start = max(own) + 1 if own else int(node.get_docstring() is not None)
    return _insert(node, start, [f"{TABLE} = {_table({**dict(own.values()), **new})}"])


def _insert(node: cst.ClassDef, index: int, lines: Sequence[str]) -> cst.ClassDef:
    statements = node.body.body
    added = [cst.parse_statement(line) for line in lines]
    return node.with_deep_changes(node.body, body=[*statements[:index], *added, *statements[index:]])


def _table(entries: Annotations) -> str:
    return "{" + ", ".join(f'"{name}": {type_}' for name, type_ in entries.items()) + "}"

"""The attributes that a stub declares, put back where TorchScript reads their types.

For a module that is the class body, as lines, or under `from __future__ import annotations` as an `__annotations__`
table; for a class without bases, which it compiles as a whole, the assignment in the constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import libcst as cst

from pdt_annotate.emit.stubs.nodes import (
    TABLE,
    Block,
    Entry,
    as_line,
    flatten,
    instance_attributes,
    table_entries,
    table_of,
    target_names,
)

Annotations = Mapping[str, cst.BaseExpression]
"""By the name of an attribute, its type as written."""


Read = Callable[[cst.BaseSuite], Iterable[tuple[str, cst.BaseExpression]]]


def missing_attributes(stub: cst.Module, source: cst.Module) -> dict[str, Annotations]:
    """By the qualified name of a class, the attributes that the stub annotates and the source does not."""
    annotated = dict(_by_class(source, "", _annotated))
    return {
        path: {name: type_ for name, type_ in types.items() if name not in annotated.get(path, {})}
        for path, types in _by_class(stub, "", _own_annotations)
    }


def _by_class(block: Block, path: str, read: Read) -> Iterator[tuple[str, Annotations]]:
    for statement in flatten(block):
        if isinstance(statement, cst.ClassDef):
            inner = f"{path}.{statement.name.value}".lstrip(".")
            yield inner, dict(read(statement.body))
            yield from _by_class(statement.body, inner, read)


class DeclareAttributes(cst.CSTTransformer):
    """Annotates attributes.

    Args:
        attributes: what to annotate, by the qualified name of the class.
        future: the annotations of the file stay strings.
    """

    def __init__(self, attributes: Mapping[str, Annotations], future: bool) -> None:
        super().__init__()
        self.attributes = attributes
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
        if len(updated_node.targets) > 1 or not isinstance(target, cst.Attribute):
            return updated_node
        is_own = isinstance(target.value, cst.Name) and target.value.value == self.receiver
        type_ = self.left.pop(target.attr.value, None) if is_own else None
        return updated_node if type_ is None else cst.AnnAssign(target, cst.Annotation(type_), updated_node.value)


def _declare_in_lines(node: cst.ClassDef, new: Annotations) -> cst.ClassDef:
    """`name: T` at the head of the body, behind its docstring, but for names that it assigns: those are libcst's."""
    assigned = {name for each in flatten(node.body) for name in _bound(each)}
    lines = [_annotation(name, type_) for name, type_ in new.items() if name not in assigned]
    return _insert(node, 1 if node.get_docstring() is not None else 0, lines)


def _declare_in_table(node: cst.ClassDef, new: Annotations) -> cst.ClassDef:
    """`__annotations__ = {"name": T}`, with what the body annotates before: what assigns it comes behind them all."""
    statements = _statements(node)
    table = next((found for each in flatten(node.body) if (found := table_of(each))), None)
    if table is not None:
        return node.with_deep_changes(table, elements=[*table.elements, *_elements(new)])
    own = [index for index, each in enumerate(statements) if isinstance(_first(each), cst.AnnAssign)]
    entries = {**dict(_own_annotations(node.body)), **new}
    assigned = cst.Assign([cst.AssignTarget(cst.Name(TABLE))], cst.Dict(list(_elements(entries))))
    start = own[-1] + 1 if own else int(node.get_docstring() is not None)
    return _insert(node, start, [as_line(assigned)])


def _insert(node: cst.ClassDef, index: int, lines: list[Entry]) -> cst.ClassDef:
    statements = _statements(node)
    return node.with_deep_changes(node.body, body=[*statements[:index], *lines, *statements[index:]])


def _statements(node: cst.ClassDef) -> Sequence[cst.BaseStatement]:
    return node.body.body if isinstance(node.body, cst.IndentedBlock) else ()


def _first(line: cst.BaseStatement) -> cst.CSTNode:
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) else line


def _annotated(body: cst.BaseSuite) -> Iterator[tuple[str, cst.BaseExpression]]:
    """What a class annotates: in its body, in its table, or where a method assigns it."""
    yield from _own_annotations(body)
    for statement in flatten(body):
        yield from table_entries(statement)
    yield from ((name, each.annotation) for name, each in instance_attributes(body) if each is not None)


def _own_annotations(body: cst.BaseSuite) -> Iterator[tuple[str, cst.BaseExpression]]:
    for statement in flatten(body):
        if isinstance(statement, cst.AnnAssign) and isinstance(statement.target, cst.Name):
            yield statement.target.value, statement.annotation.annotation


def _bound(statement: cst.CSTNode) -> Iterator[str]:
    if isinstance(statement, cst.AnnAssign):
        yield from target_names(statement.target)
    elif isinstance(statement, cst.Assign):
        yield from (name for target in statement.targets for name in target_names(target.target))


def _annotation(name: str, type_: cst.BaseExpression) -> Entry:
    return as_line(cst.AnnAssign(cst.Name(name), cst.Annotation(type_)))


def _elements(entries: Annotations) -> Iterator[cst.DictElement]:
    return (cst.DictElement(cst.SimpleString(f'"{name}"'), type_) for name, type_ in entries.items())

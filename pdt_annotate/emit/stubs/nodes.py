"""What the stub writer asks of a syntax tree: names, constants, and which statements declare something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import libcst as cst
from libcst.helpers import get_full_name_for_node

TYPE_MAKERS = frozenset(
    {"TypeVar", "TypeVarTuple", "ParamSpec", "NewType", "NamedTuple", "namedtuple", "TypedDict", "Enum", "IntEnum"}
)
"""Calls whose result a type checker understands as a type."""

CHECKED_CONDITIONS = frozenset({"sys.version_info", "sys.platform"})
"""An `if` on one of these is decided by the type checker, so it stays in the stub."""

TABLE = "__annotations__"
"""What a class body under the future import assigns, because TorchScript wants live annotations of its attributes."""

_TIGHT_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))

Statement = cst.BaseSmallStatement | cst.BaseCompoundStatement
Entry = cst.SimpleStatementLine | cst.BaseCompoundStatement
Block = cst.Module | cst.BaseSuite


def last_name(node: cst.CSTNode) -> str:
    """`torch.jit.export` and `torch.jit.export()` → "export"; "" where the node is no dotted name."""
    return (get_full_name_for_node(node) or "").rpartition(".")[2]


def is_constant(node: cst.BaseExpression | None) -> bool:
    """Whether a type checker reads the type off the value: a number, a text, a bool, or one with a sign."""
    if isinstance(node, cst.UnaryOperation):
        return is_constant(node.expression)
    if isinstance(node, cst.Name):
        return node.value in {"True", "False"}
    return isinstance(node, cst.Integer | cst.Float | cst.Imaginary) or is_text(node)


def is_text(node: cst.CSTNode | None) -> bool:
    """Whether it is a text on one line; a longer one has no place in a stub."""
    return isinstance(node, cst.SimpleString) and "\n" not in node.value


def target_names(node: cst.CSTNode) -> Iterator[str]:
    """The names that an assignment to the node binds: `a, (b, *c)` → a, b, c."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, cst.StarredElement | cst.Element):
        yield from target_names(node.value)
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            yield from target_names(element)


def bound_name(alias: cst.ImportAlias) -> str:
    """`a.b` → "a", `a.b as c` → "c"."""
    return alias.evaluated_alias or alias.evaluated_name.partition(".")[0]


def has_future_annotations(tree: cst.Module) -> bool:
    """Whether the annotations of a file stay strings."""
    imports = (each for each in flatten(tree) if isinstance(each, cst.ImportFrom))
    future = (each.names for each in imports if each.module and last_name(each.module) == "__future__")
    return any(not isinstance(names, cst.ImportStar) and "annotations" in map(bound_name, names) for names in future)


def re_exported(alias: cst.ImportAlias) -> cst.ImportAlias:
    """`x` → `x as x`. At run time an imported name can be imported again; in a stub only one that is written so."""
    if alias.asname is not None:
        return alias
    return alias.with_changes(asname=cst.AsName(cst.Name(alias.evaluated_name)))


def flatten(block: Block) -> Iterator[Statement]:
    """The statements of a block, each branch of a control structure in turn, without `if __name__ == "__main__"`."""
    for statement in block.body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        elif isinstance(statement, cst.FunctionDef | cst.ClassDef | cst.BaseSmallStatement) or is_checked(statement):
            yield cast("Statement", statement)
        elif not is_main_guard(statement):
            if isinstance(statement, cst.For):
                yield statement
            for branch in branches(statement):
                yield from flatten(branch)


def branches(statement: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """The blocks below a control structure, in source order."""
    for child in statement.children:
        if isinstance(child, cst.BaseSuite):
            yield child
        elif isinstance(child, cst.If | cst.Else | cst.ExceptHandler | cst.ExceptStarHandler | cst.Finally):
            yield from branches(child)


def is_checked(node: cst.CSTNode) -> bool:
    """Whether it is an `if` that type checkers decide by themselves."""
    if not isinstance(node, cst.If) or not isinstance(node.test, cst.Comparison):
        return False
    left = node.test.left
    return get_full_name_for_node(left.value if isinstance(left, cst.Subscript) else left) in CHECKED_CONDITIONS


def is_main_guard(node: cst.CSTNode) -> bool:
    """`if __name__ == "__main__":`"""
    test = node.test if isinstance(node, cst.If) else None
    return isinstance(test, cst.Comparison) and last_name(test.left) == "__name__"


def as_line(statement: Statement) -> Entry:
    """A statement as an entry of a block."""
    return cst.SimpleStatementLine([statement]) if isinstance(statement, cst.BaseSmallStatement) else statement


def table_of(statement: cst.CSTNode) -> cst.Dict | None:
    """The table of `__annotations__ = {"name": T}`."""
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Dict):
        return None
    return statement.value if last_name(statement.targets[0].target) == TABLE else None


def table_entries(statement: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """The names that such a statement annotates, each with its type as written."""
    table = table_of(statement)
    for element in table.elements if table is not None else ():
        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
            yield str(element.key.evaluated_value), element.value


def spread_tables(block: Block) -> Iterator[Statement]:
    """The statements of a class body, each entry of an `__annotations__` table as the annotation that it stands for."""
    statements = list(flatten(block))
    types = dict(entry for statement in statements for entry in table_entries(statement))
    assigned = {name for statement in statements if (name := assigned_name(statement))}
    for statement in statements:
        if isinstance(statement, cst.Assign) and (name := assigned_name(statement)) in types:
            yield cst.AnnAssign(cst.Name(name), cst.Annotation(types[name]), statement.value)
        elif table_of(statement) is None:
            yield statement
        else:
            yield from (
                cst.AnnAssign(cst.Name(name), cst.Annotation(type_))
                for name, type_ in table_entries(statement)
                if name not in assigned
            )


def assigned_name(statement: cst.CSTNode) -> str:
    """The x of `x = …`, of one target."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
        return ""
    target = statement.targets[0].target
    return target.value if isinstance(target, cst.Name) else ""


def instance_attributes(block: cst.BaseSuite) -> Iterator[tuple[str, cst.Annotation | None]]:
    """What the methods of a class assign to their first parameter, with the annotation if there is one."""
    for method in flatten(block):
        if isinstance(method, cst.FunctionDef) and method.params.params:
            found = _Assigned(method.params.params[0].name.value)
            method.body.visit(found)
            yield from found.attributes


class _Assigned(cst.CSTVisitor):
    """Collects `self.name = …` and `self.name: T = …`, not in functions or classes inside."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self.owner = owner
        self.attributes: list[tuple[str, cst.Annotation | None]] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self.take(node.target, node.annotation)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        elements = node.target.elements if isinstance(node.target, cst.Tuple | cst.List) else ()
        for target in [element.value for element in elements] or [node.target]:
            self.take(target, None)

    def take(self, target: cst.BaseExpression, annotation: cst.Annotation | None) -> None:
        if isinstance(target, cst.Attribute) and last_name(target.value) == self.owner:
            self.attributes.append((target.attr.value, annotation))


class BareSignature(cst.CSTTransformer):
    """Each default → `...`, each separator → a comma and a space: no value, no comment, one line."""

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        annotation = updated_node.annotation
        tight = updated_node.default is not None and annotation is None
        return cst.Param(
            updated_node.name,
            None if annotation is None else cst.Annotation(annotation.annotation),
            equal=_TIGHT_EQUAL if tight else cst.MaybeSentinel.DEFAULT,
            default=None if updated_node.default is None else cst.Ellipsis(),
            star=updated_node.star,
        )

    def leave_ParamStar(self, original_node: cst.ParamStar, updated_node: cst.ParamStar) -> cst.ParamStar:
        return cst.ParamStar()

    def leave_ParamSlash(self, original_node: cst.ParamSlash, updated_node: cst.ParamSlash) -> cst.ParamSlash:
        return cst.ParamSlash()

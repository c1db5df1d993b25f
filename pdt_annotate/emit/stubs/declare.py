"""Annotated source → stub: what a type checker needs to know of a module, and no code.

What a stub may hold is written down in https://typing.readthedocs.io/en/latest/guides/writing_stubs.html; a value
whose type the source does not state is `Incomplete`, as typeshed says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

import libcst as cst
from libcst.helpers import get_full_name_for_node

from pdt_annotate.emit.stubs.nodes import (
    TYPE_MAKERS,
    BareSignature,
    Statement,
    as_line,
    bound_name,
    flatten,
    instance_attributes,
    is_constant,
    is_text,
    last_name,
    re_exported,
    spread_tables,
    target_names,
)

HEADER = "# Written by pdt-annotate for type checkers. TorchScript itself never reads stubs.\n"
"""The first line of every stub, by which a later run knows that it may write over the file."""

FUNCTION_DECORATORS = frozenset(
    {
        "staticmethod",
        "classmethod",
        "property",
        "cached_property",
        "setter",
        "getter",
        "deleter",
        "overload",
        "override",
        "final",
        "abstractmethod",
        "contextmanager",
        "asynccontextmanager",
        "cache",
        "lru_cache",
        "deprecated",
    }
)
"""Decorators, by their last name, that mean something to a type checker. Others would need a type of their own."""

CLASS_DECORATORS = frozenset({"dataclass", "final", "runtime_checkable", "total_ordering", "unique", "deprecated"})

TORCH_OVERLOADS = frozenset({"_overload", "_overload_method"})
"""TorchScript's overload declarations; to a type checker they are `typing.overload`."""

GENERICS = frozenset(
    {
        "Callable",
        "Dict",
        "FrozenSet",
        "Iterable",
        "List",
        "Literal",
        "Mapping",
        "Optional",
        "Sequence",
        "Set",
        "Tuple",
        "Type",
        "Union",
        "dict",
        "frozenset",
        "list",
        "set",
        "tuple",
        "type",
    }
)
"""A module-level subscript of one of these is a type alias."""

_ELLIPSIS = cst.Ellipsis()
_NO_BODY = cst.SimpleStatementSuite([cst.Expr(_ELLIPSIS)])
_DEFAULT = cst.MaybeSentinel.DEFAULT
_INCOMPLETE = cst.Annotation(cst.Name("Incomplete"))


def make_stub(source: bytes) -> bytes:
    """The stub of a module, in UTF-8.

    Kept: imports, classes, signatures with their annotations, annotated variables, simple constants. Dropped: bodies,
    the values of defaults, docstrings, comments. Where the branches of a condition define one name, the first counts.

    Raises:
        libcst.ParserSyntaxError: the source is not Python.
    """
    tree = cst.parse_module(source)
    scope = _Scope()
    scope.declare_all(flatten(tree))
    # An empty module would be written as one empty line.
    code = cst.Module([as_line(statement) for statement in scope.statements]).code if scope.statements else ""
    needs = [
        f"from {module} import {name}\n"
        for module, name in (("_typeshed", "Incomplete"), ("typing", "overload"))
        if name in scope.needs
    ]
    return (HEADER + "".join(needs) + code).encode("utf-8")


class _Scope:
    """The declarations of a module or of one class body, in source order; a name that is declared stays as it is."""

    def __init__(self, *, in_class: bool = False, enum: bool = False, needs: set[str] | None = None) -> None:
        self.in_class = in_class
        self.enum = enum
        self.needs: set[str] = set() if needs is None else needs
        self.names: set[str] = set()
        self.overloaded: set[str] = set()
        self.statements: list[Statement] = []

    def declare_all(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            declare = _DECLARE.get(type(statement))
            if declare is not None:
                declare(self, statement)

    def add(self, statement: Statement, *names: str) -> None:
        """Add a statement that binds the names, unless all of them are bound already."""
        if not names or not self.names.issuperset(names):
            self.statements.append(statement)
            self.names.update(names)

    def add_incomplete(self, name: str) -> None:
        if name not in self.names:
            self.needs.add("Incomplete")
            self.add(cst.AnnAssign(cst.Name(name), _INCOMPLETE), name)

    def declare_import(self, node: cst.Import) -> None:
        for alias in node.names:
            self.add(cst.Import([alias.with_changes(comma=_DEFAULT)]), bound_name(alias))

    def declare_from(self, node: cst.ImportFrom) -> None:
        if isinstance(node.names, cst.ImportStar):
            self.add(node.with_changes(semicolon=_DEFAULT))
        elif node.module is None or last_name(node.module) != "__future__":
            aliases = [re_exported(alias) if node.relative else alias for alias in node.names]
            fresh = [alias.with_changes(comma=_DEFAULT) for alias in aliases if bound_name(alias) not in self.names]
            if fresh:
                self.add(cst.ImportFrom(node.module, fresh, node.relative), *map(bound_name, fresh))

    def declare_function(self, node: cst.FunctionDef) -> None:
        name = node.name.value
        decorators = {last_name(each.decorator) for each in node.decorators}
        overload = bool(decorators & (TORCH_OVERLOADS | {"overload"}))
        accessor = bool(decorators & {"setter", "getter", "deleter"})
        if overload and (name not in self.names or name in self.overloaded):
            self.overloaded.add(name)
            self.statements.append(self.function(node))
            self.names.add(name)
        elif accessor:
            self.statements.append(self.function(node))
        else:
            self.add(self.function(node), name)

    def function(self, node: cst.FunctionDef) -> cst.FunctionDef:
        decorators = [each for decorator in node.decorators for each in self.decorator(decorator)]
        params = cast("cst.Parameters", node.params.visit(BareSignature()))
        return cst.FunctionDef(
            node.name,
            params,
            _NO_BODY,
            decorators,
            node.returns,
            node.asynchronous,
            type_parameters=node.type_parameters,
        )

    def decorator(self, node: cst.Decorator) -> Iterator[cst.Decorator]:
        name = last_name(node.decorator)
        if name in TORCH_OVERLOADS:
            self.needs.add("overload")
            yield cst.Decorator(cst.Name("overload"))
        elif name in FUNCTION_DECORATORS:
            yield cst.Decorator(node.decorator)

    def declare_class(self, node: cst.ClassDef) -> None:
        enum = any(last_name(base.value).endswith(("Enum", "Flag")) for base in node.bases)
        decorators = [each.decorator for each in node.decorators if last_name(each.decorator) in CLASS_DECORATORS]
        body = _Scope(in_class=True, enum=enum, needs=self.needs)
        body.declare_all(spread_tables(node.body))
        # In a dataclass and an enum a declaration in the body is a field or a member, not just an attribute.
        if not enum and "dataclass" not in map(last_name, decorators):
            body.declare_instance_attributes(node.body)
        stub = cst.ClassDef(
            node.name,
            body.block(),
            [base.with_changes(value=self.base(base.value), comma=_DEFAULT) for base in node.bases],
            [keyword.with_changes(comma=_DEFAULT) for keyword in node.keywords],
            [cst.Decorator(decorator) for decorator in decorators],
            leading_lines=[cst.EmptyLine(indent=False)],
            type_parameters=node.type_parameters,
        )
        self.add(stub, node.name.value)

    def declare_instance_attributes(self, block: cst.BaseSuite) -> None:
        attributes = list(instance_attributes(block))
        for name, annotation in attributes:
            if annotation is not None:
                self.add(cst.AnnAssign(cst.Name(name), annotation), name)
        for name, _ in attributes:
            self.add_incomplete(name)

    def block(self) -> cst.BaseSuite:
        return cst.IndentedBlock([as_line(statement) for statement in self.statements]) if self.statements else _NO_BODY

    def base(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """A base class; one that only running the code could tell is `Incomplete`."""
        if isinstance(value, cst.Name | cst.Attribute | cst.Subscript) or last_name(value) in TYPE_MAKERS:
            return value
        self.needs.add("Incomplete")
        return cst.Name("Incomplete")

    def declare_annotated(self, node: cst.AnnAssign) -> None:
        if not isinstance(node.target, cst.Name):
            return
        kind = last_name(node.annotation.annotation)
        if kind == "Final" and not is_constant(node.value):
            self.add_incomplete(node.target.value)
        elif kind in {"Final", "TypeAlias"}:
            self.add(cst.AnnAssign(node.target, node.annotation, node.value), node.target.value)
        else:
            # In a class body the value says that a field of a dataclass or NamedTuple has a default.
            value = _ELLIPSIS if self.in_class and node.value is not None else None
            self.add(cst.AnnAssign(node.target, cst.Annotation(node.annotation.annotation), value), node.target.value)

    def declare_assigned(self, node: cst.Assign) -> None:
        for name in [name for target in node.targets for name in target_names(target.target)]:
            single = len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name)
            if single and self.keeps(name, node.value):
                self.add(node.with_changes(semicolon=_DEFAULT), name)
            elif self.enum:
                self.add(cst.Assign([cst.AssignTarget(cst.Name(name))], _ELLIPSIS), name)
            else:
                self.add_incomplete(name)

    def keeps(self, name: str, value: cst.BaseExpression) -> bool:
        """Whether the assignment itself tells the type: a constant, a type, another name's alias, `__all__`."""
        if name in {"__all__", "__slots__"}:
            return isinstance(value, cst.List | cst.Tuple) and all(is_text(each.value) for each in value.elements)
        if isinstance(value, cst.Call):
            return last_name(value.func) in TYPE_MAKERS
        if isinstance(value, cst.Subscript):
            return not self.in_class and last_name(value.value) in GENERICS
        if isinstance(value, cst.Name | cst.Attribute) and not is_constant(value):
            return (get_full_name_for_node(value) or "").partition(".")[0] in self.names
        return is_constant(value)

    def declare_loop(self, node: cst.For) -> None:
        for name in target_names(node.target):
            self.add_incomplete(name)

    def declare_condition(self, node: cst.If) -> None:
        """An `if` that type checkers decide stays one; a later declaration of what any branch binds is dropped."""
        bound: set[str] = set()
        self.statements.append(self.condition(node, bound))
        self.names |= bound

    def condition(self, node: cst.If, bound: set[str]) -> cst.If:
        orelse: cst.If | cst.Else | None = node.orelse
        if isinstance(orelse, cst.If):
            orelse = self.condition(orelse, bound)
        elif orelse is not None:
            orelse = cst.Else(self.branch(orelse.body, bound))
        return cst.If(node.test, self.branch(node.body, bound), orelse)

    def branch(self, block: cst.BaseSuite, bound: set[str]) -> cst.BaseSuite:
        scope = _Scope(in_class=self.in_class, enum=self.enum, needs=self.needs)
        scope.names = set(self.names)
        scope.declare_all(flatten(block))
        bound |= scope.names
        return scope.block()

    def declare_exports(self, node: cst.AugAssign) -> None:
        if last_name(node.target) == "__all__":
            self.add(node.with_changes(semicolon=_DEFAULT))

    def declare_alias(self, node: cst.TypeAlias) -> None:
        self.add(node.with_changes(semicolon=_DEFAULT), node.name.value)


_DECLARE: Mapping[type[cst.CSTNode], Callable[[_Scope, Any], None]] = {
    cst.Import: _Scope.declare_import,
    cst.ImportFrom: _Scope.declare_from,
    cst.FunctionDef: _Scope.declare_function,
    cst.ClassDef: _Scope.declare_class,
    cst.AnnAssign: _Scope.declare_annotated,
    cst.Assign: _Scope.declare_assigned,
    cst.AugAssign: _Scope.declare_exports,
    cst.For: _Scope.declare_loop,
    cst.If: _Scope.declare_condition,
    cst.TypeAlias: _Scope.declare_alias,
}

"""A stub's annotations, put back into the source: the proof that the stub says what the annotated source said."""

from __future__ import annotations

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import ApplyTypeAnnotationsVisitor

from pdt_annotate.emit.nodes import Block, flatten, last_name, target_names


def apply_stub(stub: bytes, source: bytes) -> bytes:
    """The source with the stub's annotations where it has none of its own, and the imports they need.

    Signatures are libcst's work (`ApplyTypeAnnotationsVisitor`); an attribute that the stub declares and the class body
    does not assign, which libcst leaves out, is declared in the class body. Nested functions and local variables have
    no place in a stub, so their annotations are not restored.
    """
    context = CodemodContext()
    declared = cst.parse_module(stub).visit(_OnlyAnnotations())
    ApplyTypeAnnotationsVisitor.store_stub_in_context(context, declared)
    applied = ApplyTypeAnnotationsVisitor(context).transform_module(cst.parse_module(source))
    return applied.visit(_DeclareAttributes(_attributes(declared))).bytes


class _OnlyAnnotations(cst.CSTTransformer):
    """Takes out what a stub says to type checkers alone: overloads, bases, `Incomplete`, `x as x` for a re-export."""

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        return updated_node.with_changes(bases=(), keywords=(), decorators=())

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef | cst.RemovalSentinel:
        overload = any(last_name(decorator.decorator) == "overload" for decorator in updated_node.decorators)
        return cst.RemoveFromParent() if overload else updated_node

    def leave_AnnAssign(
        self, original_node: cst.AnnAssign, updated_node: cst.AnnAssign
    ) -> cst.AnnAssign | cst.RemovalSentinel:
        incomplete = last_name(updated_node.annotation.annotation) == "Incomplete"
        return cst.RemoveFromParent() if incomplete else updated_node

    def leave_ImportAlias(self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias) -> cst.ImportAlias:
        same = updated_node.asname is not None and updated_node.evaluated_alias == updated_node.evaluated_name
        return updated_node.with_changes(asname=None) if same else updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node if updated_node.body else updated_node.with_changes(body=[_line(cst.Pass())])


class _DeclareAttributes(cst.CSTTransformer):
    """Adds `name: T` at the head of a class body (after its docstring) for each attribute that it does not mention."""

    def __init__(self, attributes: dict[str, dict[str, cst.AnnAssign]]) -> None:
        super().__init__()
        self.attributes = attributes
        self.path: list[str] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self.path.append(node.name.value)

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        declared = self.attributes.get(".".join(self.path), {})
        self.path.pop()
        body = updated_node.body
        if not isinstance(body, cst.IndentedBlock):
            return updated_node
        names = _assigned(body)
        new = [_line(statement) for name, statement in declared.items() if name not in names]
        start = 1 if updated_node.get_docstring() is not None else 0
        statements = [*body.body[:start], *new, *body.body[start:]]
        return updated_node.with_changes(body=body.with_changes(body=statements))


def _attributes(block: Block, path: str = "") -> dict[str, dict[str, cst.AnnAssign]]:
    """The annotated attributes of each class in the block, by the class's qualified name."""
    found: dict[str, dict[str, cst.AnnAssign]] = {}
    for statement in flatten(block):
        if isinstance(statement, cst.ClassDef):
            found |= _attributes(statement.body, f"{path}.{statement.name.value}".lstrip("."))
        elif path and isinstance(statement, cst.AnnAssign) and isinstance(statement.target, cst.Name):
            bare = cst.AnnAssign(statement.target, statement.annotation)
            found.setdefault(path, {})[statement.target.value] = bare
    return found


def _assigned(block: cst.IndentedBlock) -> set[str]:
    """The names that a class body annotates or assigns itself."""
    names: set[str] = set()
    for statement in flatten(block):
        if isinstance(statement, cst.AnnAssign):
            names.update(target_names(statement.target))
        elif isinstance(statement, cst.Assign):
            names.update(name for target in statement.targets for name in target_names(target.target))
    return names


def _line(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([statement])

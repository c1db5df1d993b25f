"""A stub's annotations, put back into the source: the proof that the stub says what the annotated source said."""

from __future__ import annotations

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import ApplyTypeAnnotationsVisitor

from pdt_annotate.emit.stubs.attributes import DeclareAttributes, missing_attributes
from pdt_annotate.emit.stubs.nodes import has_future_annotations, last_name


def apply_stub(stub: bytes, source: bytes) -> bytes:
    """The source with the stub's annotations where it has none of its own, and the imports they need.

    Signatures are libcst's work (`ApplyTypeAnnotationsVisitor`); attributes, which it leaves out unless the class body
    assigns them, are declared as TorchScript reads them. Nested functions and local variables have no place in a stub,
    so their annotations are not restored.
    """
    context = CodemodContext()
    tree = cst.parse_module(source)
    declared = cst.parse_module(stub).visit(_OnlyAnnotations())
    ApplyTypeAnnotationsVisitor.store_stub_in_context(context, declared)
    applied = ApplyTypeAnnotationsVisitor(context).transform_module(tree)
    return applied.visit(DeclareAttributes(missing_attributes(declared, tree), has_future_annotations(tree))).bytes


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


def _line(statement: cst.BaseSmallStatement) -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([statement])

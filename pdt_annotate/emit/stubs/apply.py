"""A stub's annotations, put back into the source: the proof that the stub says what the annotated source said."""

from __future__ import annotations

import ast

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import ApplyTypeAnnotationsVisitor

from pdt_annotate.emit.stubs.attributes import declare_attributes, missing_attributes


def apply_stub(stub: bytes, source: bytes) -> bytes:
    """The source with the stub's annotations where it has none of its own, and the imports they need.

    Signatures are libcst's work (`ApplyTypeAnnotationsVisitor`); attributes, which it leaves out unless the class body
    assigns them, are declared as TorchScript reads them. Nested functions and local variables have no place in a stub,
    so their annotations are not restored.
    """
    context = CodemodContext()
    declared = cst.parse_module(stub).visit(_OnlyAnnotations())
    ApplyTypeAnnotationsVisitor.store_stub_in_context(context, declared)
    applied = ApplyTypeAnnotationsVisitor(context).transform_module(cst.parse_module(source))
    tree = ast.parse(source)
    return declare_attributes(applied.bytes, missing_attributes(ast.parse(stub), tree), _has_future(tree))


def _has_future(tree: ast.Module) -> bool:
    """Whether the annotations of a file stay strings."""
    imports = (each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__")
    return any(alias.name == "annotations" for each in imports for alias in each.names)


class _OnlyAnnotations(m.MatcherDecoratableTransformer):
    """Takes out what a stub says to type checkers alone: overloads, bases, `Incomplete`, `x as x` for a re-export."""

    def leave_ClassDef(self, original_node: cst.ClassDef, updated_node: cst.ClassDef) -> cst.ClassDef:
        return updated_node.with_changes(bases=(), keywords=(), decorators=())

    @m.leave(m.FunctionDef(decorators=[m.AtLeastN(n=0), m.Decorator(m.Name("overload")), m.AtLeastN(n=0)]))
    @m.leave(m.AnnAssign(annotation=m.Annotation(m.Name("Incomplete"))))
    def remove(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_ImportAlias(self, original_node: cst.ImportAlias, updated_node: cst.ImportAlias) -> cst.ImportAlias:
        same = updated_node.asname is not None and updated_node.evaluated_alias == updated_node.evaluated_name
        return updated_node.with_changes(asname=None) if same else updated_node

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        return updated_node if updated_node.body else updated_node.with_changes(body=[cst.parse_statement("pass")])

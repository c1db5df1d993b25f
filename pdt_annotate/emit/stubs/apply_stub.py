"""Applies a stub's annotations to the source, to prove that the stub says the same as the annotated source."""

import ast
from collections.abc import Iterable, Iterator, Mapping

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import ApplyTypeAnnotationsVisitor

from pdt_annotate.emit.stubs import nodes
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.edits import Edit

Attributes = Mapping[str, str]  # types as source text


def apply_stub(stub: bytes, source: bytes) -> bytes:
    """The source with the stub's annotations added where it has none, and the imports they need.

    libcst annotates signatures (`ApplyTypeAnnotationsVisitor`). It skips attributes unless the class body assigns them,
    so these are declared where TorchScript reads their types. For a module, that is the class body: lines or, under
    `from __future__ import annotations`, an `__annotations__` table. For a class without bases, which TorchScript
    compiles as a whole, it is the assignment in the constructor. Nested functions and local variables have no place in
    a stub, so their annotations are not restored.
    """
    context = CodemodContext()
    declared = cst.parse_module(stub).visit(_OnlyAnnotations())
    ApplyTypeAnnotationsVisitor.store_stub_in_context(context, declared)
    applied = ApplyTypeAnnotationsVisitor(context).transform_module(cst.parse_module(source)).bytes
    tree, text = ast.parse(source), decode(applied)
    imports = (each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__")
    has_future = any(alias.name == "annotations" for each in imports for alias in each.names)
    missing = _missing_attributes(ast.parse(stub), tree)
    edits: list[Edit] = []
    for path, node in _classes(ast.parse(applied)):
        start = text.line_start(node.body[0].lineno)
        has_lines_of_its_own = not text.body[start : start + node.body[0].col_offset].strip()
        if has_lines_of_its_own:
            edits += _edits(text, node, dict(missing.get(path, {})), has_future)
    return text.edit(edits)


class _OnlyAnnotations(m.MatcherDecoratableTransformer):
    """Removes the parts of a stub that only type checkers need: overloads, bases, `Incomplete`, re-exports `x as x`."""

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


def _missing_attributes(stub: ast.Module, source: ast.Module) -> dict[str, Attributes]:
    """The attributes that the stub annotates and the source does not, by the qualified name of the class."""
    known: dict[str, set[str]] = {}
    for path, node in _classes(source):
        in_tables = {name for statement in nodes.flatten(node.body) for name, _ in nodes.table_entries(statement)}
        in_methods = {name for name, annotation in nodes.instance_attributes(node) if annotation is not None}
        known[path] = {name for name, _ in nodes.own_annotations(node)} | in_tables | in_methods
    return {
        path: {
            name: ast.unparse(type_)
            for name, type_ in nodes.own_annotations(node)
            if name not in known.get(path, ()) and nodes.last_name(type_) != "Incomplete"
        }
        for path, node in _classes(stub)
    }


def _classes(block: ast.Module | ast.ClassDef, path: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for statement in nodes.flatten(block.body):
        if isinstance(statement, ast.ClassDef):
            yield path + statement.name, statement
            yield from _classes(statement, f"{path}{statement.name}.")


def _edits(text: Text, node: ast.ClassDef, new: dict[str, str], has_future: bool) -> Iterator[Edit]:
    """The edits that annotate new attributes of a class, in `__init__` if it assigns them with one target."""
    functions = [each for each in nodes.flatten(node.body) if isinstance(each, ast.FunctionDef) and not node.bases]
    for init in (each for each in functions if each.name == "__init__" and each.args.args):
        for statement in nodes.statements_in(init):
            match statement:
                case ast.Assign([ast.Attribute(ast.Name(id=owner), name) as target]) if (
                    owner == init.args.args[0].arg and name in new
                ):
                    yield Edit(text.end(target), f": {new.pop(name)}")
    own = {name: ast.unparse(type_) for name, type_ in nodes.own_annotations(node)}
    entries = {name: f'"{name}": {type_}' for name, type_ in (own | new).items()}
    if new and has_future:
        # `__annotations__ = {"name": T}`, with the body's own annotations; the assignment comes after them all.
        tables = (table.values[-1] for table in map(nodes.table_of, node.body) if table is not None and table.values)
        last = next(tables, None)
        if last is not None:
            yield Edit(text.end(last), f", {', '.join(entries[name] for name in new)}")
            return
        start = max((i for i, each in enumerate(node.body, 1) if isinstance(each, ast.AnnAssign)), default=None)
        above = int(ast.get_docstring(node) is not None) if start is None else start
        yield _in_body(text, node, [f"__annotations__ = {{{', '.join(entries.values())}}}"], above)
    elif set(new) - set(own):
        lines = [f"{name}: {type_}" for name, type_ in new.items() if name not in own]
        yield _in_body(text, node, lines, int(ast.get_docstring(node) is not None))


def _in_body(text: Text, node: ast.ClassDef, lines: Iterable[str], above: int) -> Edit:
    """New lines in a class body, after its first `above` statements."""
    indent = text.indent(text.line_start(node.body[0].lineno))
    first = min([node.body[0].lineno, *(each.lineno for each in getattr(node.body[0], "decorator_list", ()))])
    line = (node.body[above - 1].end_lineno or 0) + 1 if above else first
    offset = text.line_start(line)
    missing = "" if offset in text.starts else text.newline
    return Edit(offset, missing + "".join(f"{indent}{each}{text.newline}" for each in lines))

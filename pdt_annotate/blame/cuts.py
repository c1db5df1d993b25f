"""Leave faulty statements out of a function's syntax tree, so that the compiler finds the faults after them.

A statement is *unreliable* if it uses something that was cut: a name that a cut statement assigns, a parameter that was
dropped, or a function that lost its signature or its result. The cuts may have caused a fault in an unreliable
statement, so it proves nothing. Lines and columns are those of the file.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pdt_annotate.findings.messages import said
from pdt_annotate.source.module import compiled_function
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Failure

RAISE = 'raise RuntimeError("")'
OPEN_CONDITION = "len([0]) > 0"  # a condition that the compiler does not decide, so that it reads both branches

# Methods that put something into their container.
CHANGING = frozenset(("append", "extend", "insert", "setdefault", "update"))
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Cut:
    """The parts to leave out of one function; `names` and `attributes` have a faulty type, if a use of them failed."""

    lines: frozenset[int] = frozenset()  # the first lines of faulty statements
    parameters: frozenset[str] = frozenset()  # parameters that are dropped from the signature
    names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    signature: bool = False  # make `*args`, `**kwargs`, `/` and `*` an ordinary signature
    whole: bool = False  # leave out the body


class CutFunction:
    """One function's statements, seen under a cut.

    `definition` has the lines and columns of the file; `suspects` are functions and submodules whose source differs.
    """

    def __init__(self, definition: ast.FunctionDef, cut: Cut, suspects: frozenset[str] = frozenset()) -> None:
        self.definition, self.cut, self.suspects = definition, cut, suspects
        arguments = definition.args
        self.parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.statements = list(statements_in(definition.body))
        self.returns = [each for each in self.statements if isinstance(each, ast.Return) and each.value is not None]
        self.unreliable: set[ast.stmt] = set()
        self.unsure = {*cut.parameters, *cut.names}
        if cut.signature:
            self.unsure.update(argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument)
        # The cut statements and, repeatedly, statements that use a name which an unreliable one assigns.
        while found := [each for each in self.statements if each not in self.unreliable and self._is_hit(each)]:
            self.unreliable.update(found)
            stored = ((name, each) for each in found for name in stored_names(each))
            self.unsure.update(name for name, each in stored if not self._keeps_type(name, each))

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement at a line; None for the signature and the decorators."""
        around = [each for each in self.statements if each.lineno <= line <= (each.end_lineno or each.lineno)]
        return max(around, key=lambda statement: statement.lineno, default=None)

    def is_reliable(self, line: int, message: str) -> bool:
        """Whether the source causes a fault at this line. The message of a branch names the variable it assigns."""
        statement = self.statement_at(line)
        assigned = said.BRANCHES_SET.read(message) or said.BRANCH_LACKS.read(message)
        if self.cut.whole or (assigned is not None and assigned["name"] in self.unsure):
            return False
        return statement is None or statement not in self.unreliable

    def is_opaque(self) -> bool:
        """Whether callers see another signature or result than the source has."""
        arguments = self.definition.args
        if self.cut.parameters or (self.cut.signature and (arguments.vararg or arguments.kwarg)):
            return True
        if self.definition.returns is not None:
            return False
        if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(self.definition)):
            return self.cut != Cut()
        return self.lacks_return() or any(statement.lineno in self.cut.lines for statement in self.returns)

    def lacks_return(self) -> bool:
        """Whether no return is left that has the type of the result."""
        is_sure = not self.cut.whole and any(statement not in self.unreliable for statement in self.returns)
        return bool(self.returns) and not is_sure and self.definition.returns is None

    def _is_hit(self, statement: ast.stmt) -> bool:
        """Whether a statement was cut, or uses something that was."""
        if statement.lineno in self.cut.lines:
            return True
        names = (node for node in own_nodes(statement) if isinstance(node, ast.Name))
        used = {name.id for name in names if not isinstance(name.ctx, ast.Store)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            used.add(statement.target.id)
        attributes = {node.attr for node in own_nodes(statement) if isinstance(node, ast.Attribute)}
        suspects = self.suspects | self.cut.attributes
        return not used.isdisjoint(self.unsure | self.suspects) or not suspects.isdisjoint(attributes)

    def _keeps_type(self, name: str, statement: ast.stmt) -> bool:
        """Whether an assignment keeps a variable's type: it is in a branch or loop, and the variable existed before."""
        if isinstance(statement, ast.AugAssign):
            return True
        if statement in self.definition.body:
            return False
        if any(name == argument.arg for argument in self.parameters):
            return True
        outer = max(each.lineno for each in self.definition.body if each.lineno <= statement.lineno)
        return any(each.lineno < outer and name in stored_names(each) for each in self.statements)


def widen(cut: Cut, anatomy: CutFunction, failure: Failure) -> Cut:
    statement, message = anatomy.statement_at(failure.place.line), failure.message
    if statement is not None:
        missing = said.NO_ATTRIBUTE.read_all(message)
        attributes = {facts["name"] for facts in missing if facts["unconverted"]}
        if said.ATTRIBUTE_ASSIGNED.is_in(message):
            inside = (node for node in own_nodes(statement) if isinstance(node, ast.Attribute))
            attributes |= {node.attr for node in inside if isinstance(node.ctx, ast.Store)}
        names = changed_names(statement) if said.PUT.is_in(message) else set()
        cut = replace(cut, names=cut.names | names, attributes=cut.attributes | attributes)
        return replace(cut, lines=cut.lines | {statement.lineno})
    arguments = anatomy.definition.args
    if not cut.signature and (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs):
        return replace(cut, signature=True)
    names = {facts["name"] for facts in said.DEFAULT.read_all(message)}
    if not names:
        line, column = failure.place.line, failure.place.column
        for argument in anatomy.parameters:
            node = argument.annotation
            if node is None or not node.lineno <= line <= (node.end_lineno or node.lineno):
                continue
            if node.lineno < line or node.col_offset < column <= (node.end_col_offset or column):
                names.add(argument.arg)
    return replace(cut, parameters=cut.parameters | names)


def read_definition(owner: Owner) -> ast.FunctionDef | None:
    """The tree of a function as the compiler reads it; None if it is not found."""
    function = compiled_function(owner)
    return function.node if function and isinstance(function.node, ast.FunctionDef) else None


def move_columns(tree: ast.AST, columns: int) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg, ast.keyword, ast.alias, ast.excepthandler, ast.pattern)):
            node.col_offset += columns
            node.end_col_offset = (node.end_col_offset or 0) + columns


def cut_out(anatomy: CutFunction, result: str) -> ast.FunctionDef:
    """A copy of the tree without the cuts. `result` is the type of the function's result, "" if it is not known."""
    definition, cut = copy.deepcopy(anatomy.definition), anatomy.cut
    if result and anatomy.lacks_return():
        definition.returns = _parse(result, definition.body[0]).value
    if cut.signature or cut.parameters:
        # One plain list of parameters; the compiler takes their defaults from the function, not from its tree.
        arguments = definition.args
        plain = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        arguments.args = [argument for argument in plain if argument.arg not in cut.parameters]
        arguments.posonlyargs, arguments.kwonlyargs = [], []
        arguments.defaults, arguments.kw_defaults = [], []
        arguments.vararg = arguments.kwarg = None
    definition.body = [_parse(RAISE, definition.body[0])] if cut.whole else _cut_block(definition.body, cut)
    return definition


def _cut_block(body: list[ast.stmt], cut: Cut) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for statement in body:
        for name, block in blocks(statement):
            setattr(statement, name, _cut_block(block, cut))
        if statement.lineno not in cut.lines:
            kept.append(statement)
        elif isinstance(statement, ast.Return):
            kept.append(_parse(RAISE, statement))
        elif isinstance(statement, (ast.If, ast.While)):
            statement.test = _parse(OPEN_CONDITION, statement.test).value
            kept.append(statement)
        elif isinstance(statement, ast.For):
            statement.target = ast.copy_location(ast.Name("_", ast.Store()), statement.target)
            statement.iter = _parse("range(1)", statement.iter).value
            kept.append(statement)
        elif isinstance(statement, (ast.With, ast.Try)):
            kept += statement.body
    return kept or [_parse("pass", body[0])]


def _parse(text: str, at: ast.AST) -> Any:
    """A statement from source text, at the place of another node."""
    [statement] = ast.parse(text).body
    for node in ast.walk(statement):
        ast.copy_location(node, at)
    return statement


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without the statements in it; of a compound one, its header."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from ast.walk(child)


def stored_names(statement: ast.stmt) -> set[str]:
    """The variables that a statement itself assigns, defines or imports."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    return {node.id for node in own_nodes(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def changed_names(statement: ast.stmt) -> set[str]:
    """The variables that a statement changes in place: `a.append(x)`, `a[k] = x`."""
    nodes = list(own_nodes(statement))
    receivers = [node.value for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)]
    calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    receivers += [function.value for function in calls if function.attr in CHANGING]
    return {receiver.id for receiver in receivers if isinstance(receiver, ast.Name)}


def blocks(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """The blocks of a compound statement and their fields, except nested definitions and exception handlers."""
    if not isinstance(statement, NESTED):
        for name in ("body", "orelse", "finalbody"):
            if block := getattr(statement, name, None):
                yield name, block


def statements_in(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a block, and of the blocks in it, in source order."""
    for statement in body:
        yield statement
        for _, block in blocks(statement):
            yield from statements_in(block)

"""Leave faulty statements out of a function's syntax tree, so that the compiler finds the faults after them.

A statement is *unreliable* if it uses something that was cut: a name that a cut statement assigns, a parameter that was
dropped, or a function that lost its signature or its result. The cuts may have caused a fault in an unreliable
statement, so it proves nothing. Lines are those of the file. Standard library only.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pdt_annotate.blame.statements import (
    NESTED,
    Placed,
    changed_names,
    own_nodes,
    statements_in,
    stored_names,
)
from pdt_annotate.findings.messages import said
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Failure

N = TypeVar("N", bound=ast.AST)

RAISE = 'raise RuntimeError("")'
OPEN_CONDITION = "len([0]) > 0"  # a condition that the compiler does not decide, so that it reads both branches


@dataclass(frozen=True)
class Cut:
    """The parts to leave out of one function.

    Args:
        lines: the first lines of faulty statements.
        parameters: parameters that are dropped from the signature.
        names, attributes: those with a faulty type, if a use of them failed.
        signature: make `*args`, `**kwargs`, `/` and `*` an ordinary signature.
        whole: leave out the body.
    """

    lines: frozenset[int] = frozenset()
    parameters: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    signature: bool = False
    whole: bool = False


@dataclass
class CutFunction:
    """One function's statements, seen under a cut.

    `definition` has the file's lines. `suspects` are functions and submodules that differ from their source.
    """

    definition: ast.FunctionDef
    cut: Cut = Cut()
    suspects: frozenset[str] = frozenset()
    statements: list[Placed] = field(init=False)
    unreliable: set[ast.stmt] = field(init=False, default_factory=set)
    unsure: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.statements = list(statements_in(self.definition.body))
        self.unsure = {*self.cut.parameters, *self.cut.names}
        if self.cut.signature:
            variadic = (self.definition.args.vararg, self.definition.args.kwarg)
            self.unsure.update(argument.arg for argument in variadic if argument)
        # The cut statements and, repeatedly, statements that use a name which an unreliable one assigns.
        grew = True
        while grew:
            grew = False
            for place in self.statements:
                statement = place.statement
                if statement in self.unreliable:
                    continue
                if statement.lineno in self.cut.lines or self._uses_unsure(statement):
                    self.unreliable.add(statement)
                    stored = stored_names(statement)
                    self.unsure.update(name for name in stored if not self._keeps_type(name, place))
                    grew = True

    def statement_at(self, line: int) -> ast.stmt | None:
        """The innermost statement at a line; None for the signature and the decorators."""
        statements = (placed.statement for placed in self.statements)
        around = [each for each in statements if each.lineno <= line <= (each.end_lineno or each.lineno)]
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
        return self.lacks_return() or any(statement.lineno in self.cut.lines for statement in self._returns())

    def lacks_return(self) -> bool:
        """Whether no return is left that has the type of the result."""
        returns = self._returns()
        is_sure = not self.cut.whole and any(statement not in self.unreliable for statement in returns)
        return bool(returns) and not is_sure and self.definition.returns is None

    def names_cut_off(self) -> Iterator[ast.expr]:
        for place in self.statements:
            if place.statement.lineno in self.cut.lines:
                yield from (node.func for node in own_nodes(place.statement) if isinstance(node, ast.Call))

    def _returns(self) -> list[ast.stmt]:
        found = [place.statement for place in self.statements]
        return [statement for statement in found if isinstance(statement, ast.Return) and statement.value is not None]

    def _uses_unsure(self, statement: ast.stmt) -> bool:
        names = (node for node in own_nodes(statement) if isinstance(node, ast.Name))
        used = {name.id for name in names if not isinstance(name.ctx, ast.Store)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            used.add(statement.target.id)
        attributes = {node.attr for node in own_nodes(statement) if isinstance(node, ast.Attribute)}
        suspects = self.suspects | self.cut.attributes
        return not used.isdisjoint(self.unsure | self.suspects) or not suspects.isdisjoint(attributes)

    def _keeps_type(self, name: str, place: Placed) -> bool:
        """Whether an assignment keeps a variable's type: it is in a branch or loop, and the variable existed before."""
        if isinstance(place.statement, ast.AugAssign):
            return True
        if not place.around:
            return False
        arguments = self.definition.args
        if any(name == argument.arg for argument in _parameters(arguments)):
            return True
        first = place.around[0].lineno
        return any(p.statement.lineno < first and name in stored_names(p.statement) for p in self.statements)


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
        for argument in _parameters(arguments):
            node = argument.annotation
            if node is None or not node.lineno <= line <= (node.end_lineno or node.lineno):
                continue
            if node.lineno < line or node.col_offset < column <= (node.end_col_offset or column):
                names.add(argument.arg)
    return replace(cut, parameters=cut.parameters | names)


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def read_definition(owner: Owner) -> ast.FunctionDef | None:
    """The tree of a function from its source, with the file's lines; None if it is not found."""
    lines = linecache.getlines(owner.file)[owner.line - 1 :]
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getblock(lines))))
    except (SyntaxError, IndentationError, ValueError):
        return None
    ast.increment_lineno(tree, owner.line - 1)
    first = tree.body[0] if tree.body else None
    return first if isinstance(first, ast.FunctionDef) else None


def cut_out(anatomy: CutFunction, result: str) -> None:
    """Rewrite the tree in place. `result` is the type of the function's result, "" if it is not known."""
    definition, cut = anatomy.definition, anatomy.cut
    if result and anatomy.lacks_return():
        definition.returns = _expression(result, definition.body[0])
    if cut.signature or cut.parameters:
        # One plain list of parameters; the compiler takes their defaults from the function, not from its tree.
        arguments = definition.args
        arguments.args = [argument for argument in _parameters(arguments) if argument.arg not in cut.parameters]
        arguments.posonlyargs, arguments.kwonlyargs = [], []
        arguments.defaults, arguments.kw_defaults = [], []
        arguments.vararg = arguments.kwarg = None
    definition.body = [_statement(RAISE, definition.body[0])] if cut.whole else _cut_block(definition.body, cut)


def _cut_block(body: list[ast.stmt], cut: Cut) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for statement in body:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(statement, name, None)
            if block and not isinstance(statement, NESTED):
                setattr(statement, name, _cut_block(block, cut))
        if statement.lineno not in cut.lines:
            kept.append(statement)
        elif isinstance(statement, ast.Return):
            kept.append(_statement(RAISE, statement))
        elif isinstance(statement, (ast.If, ast.While)):
            statement.test = _expression(OPEN_CONDITION, statement.test)
            kept.append(statement)
        elif isinstance(statement, ast.For):
            statement.target = _put(ast.Name("_", ast.Store()), statement.target)
            statement.iter = _expression("range(1)", statement.iter)
            kept.append(statement)
        elif isinstance(statement, (ast.With, ast.Try)):
            kept += statement.body
    return kept or [_statement("pass", body[0])]


def _expression(text: str, at: ast.AST) -> ast.expr:
    return _put(ast.parse(text, mode="eval").body, at)


def _statement(text: str, at: ast.AST) -> ast.stmt:
    return _put(ast.parse(text).body[0], at)


def _put(node: N, at: ast.AST) -> N:
    for each in ast.walk(node):
        ast.copy_location(each, at)
    return node

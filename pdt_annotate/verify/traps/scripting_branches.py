"""Branches on `torch.jit.is_scripting()`: one side may compute nothing, or both another result."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import called_name, is_call_of, last_name
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps.compiled_view import Compiled, View

CODE = "PDT107"
ASKING = "is_scripting"
SCRIPTING: Any = vars(torch.jit)[ASKING]
DEPTH = 2  # a helper may ask through so many others
FORWARDED = {"handle_torch_function", "_handle_torch_function"}
BRANCHES = "Python and TorchScript take different branches here"
DIFFERENT = f"{BRANCHES}; make sure that both compute the same, or compute it in one way"


def find(view: View) -> Iterator[Trap]:
    helpers: dict[str, bool] = {}
    for _ in range(DEPTH):
        helpers |= dict(_helpers(view, helpers))
    for function in view.functions:
        known, names = function.function.__globals__, function.function.__code__.co_names
        asking = {**helpers, **{name: False for name in names if known.get(name) is SCRIPTING}, ASKING: False}
        # The variables that hold the answer.
        assigned = [(node.targets[0], node.value) for node in function.parts if isinstance(node, ast.Assign)]
        held = [(name.id, _eager_is_body(value, asking)) for name, value in assigned if isinstance(name, ast.Name)]
        asking |= {name: is_eager for name, is_eager in held if is_eager is not None}
        tested: set[int] = set()
        for node in function.parts:
            if isinstance(node, ast.If) and (eager_first := _eager_is_body(node.test, asking)) is not None:
                tested |= {id(part) for part in ast.walk(node.test)}
                eager, scripted = (node.body, node.orelse) if eager_first else (node.orelse, node.body)
                yield from _judge(function, node, eager, scripted)
            elif isinstance(node, ast.IfExp) and _eager_is_body(node.test, asking) is not None:
                yield function.trap(CODE, DIFFERENT, node, doubtful=not _differ(node.body, node.orelse))
            elif is_call_of(node, ASKING) and id(node) not in tested:
                yield function.trap(CODE, DIFFERENT, node, doubtful=True)


def _helpers(view: View, known: Mapping[str, bool]) -> Iterator[tuple[str, bool]]:
    """The functions that only ask, each with whether its answer is yes in Python."""
    for function in view.functions:
        body = [each for each in getattr(function.tree, "body", ()) if not isinstance(each, ast.Expr)]
        if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
            is_eager = _eager_is_body(body[0].value, {**known, ASKING: False})
            if is_eager is not None:
                yield function.function.__name__, is_eager


def _judge(function: Compiled, node: ast.If, eager: list[ast.stmt], scripted: list[ast.stmt]) -> Iterator[Trap]:
    raises = any(isinstance(each, ast.Raise) for each in scripted)
    idle, is_scripted_idle = _is_idle(eager, function.tree), _is_idle(scripted, function.tree)
    if raises or (idle and is_scripted_idle):
        return
    if idle or is_scripted_idle:
        who, other = ("TorchScript", "Python") if idle else ("Python", "TorchScript")
        message = f"{who} runs this code, and {other} does not; run the code in both, or in neither"
        alone = scripted if idle else eager
        # After a branch that leaves the block, the other side's work follows.
        leaves = isinstance(alone[-1], ast.Return | ast.Continue | ast.Break)
        yield function.trap(CODE, message, node, doubtful=leaves or not any(map(_goes_on, alone)))
    else:
        yield function.trap(CODE, DIFFERENT, node, doubtful=True)


def _differ(one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions cannot be the same: two constants, or a variable and an expression of it."""
    match one, other:
        case ast.Constant(), ast.Constant():
            return one.value != other.value
        case (ast.Name(name), ast.BinOp() as made) | (ast.BinOp() as made, ast.Name(name)):
            return name in names_in(made)
    return False


def _goes_on(statement: ast.stmt) -> bool:
    """Whether a statement changes existing values: `x = x * 2`, `x += 1`, `x.add_(1)`, `self.n = n`.

    A value that it returns, or computes from the start, may well be the other side's result, faster. Branches on a
    class do not count: TorchScript may not have that class.
    """
    if isinstance(statement, ast.If):
        calls = [part for part in ast.walk(statement.test) if isinstance(part, ast.Call)]
        asks = any(called_name(call) in ("isinstance", "callable", "hasattr", "type") for call in calls)
        return not asks and any(map(_goes_on, statement.body))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        name = last_name(statement.value.func)
        return name.endswith("_") and not name.startswith("_")
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.AugAssign)
    targets = [part for target in statement.targets for part in ast.walk(target)]
    names = {part.id for part in targets if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    is_changed = any(isinstance(part, ast.Attribute | ast.Subscript) for part in targets)
    return is_changed or bool(names & names_in(statement.value))


def _eager_is_body(test: ast.expr, asking: Mapping[str, bool]) -> bool | None:
    """Whether Python alone enters the body; False if TorchScript does, None if the test uses no name in `asking`."""
    match test:
        case ast.Call(asked) | (ast.Name() as asked):
            return asking.get(last_name(asked))
        case ast.UnaryOp(ast.Not()):
            inner = _eager_is_body(test.operand, asking)
            return None if inner is None else not inner
        case ast.BoolOp():
            return next((e for e in (_eager_is_body(each, asking) for each in test.values) if e is not None), None)
    return None


def _is_idle(body: list[ast.stmt], function: ast.AST) -> bool:
    """Whether statements only check, raise, warn, log, and set names that nothing else reads."""
    inside = {id(part) for each in body for part in ast.walk(each)}
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and id(node) not in inside)
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    return all(_looks_on(each, read) for each in body)


def _looks_on(statement: ast.stmt, read: set[str]) -> bool:
    match statement:
        case ast.If():
            return all(_looks_on(each, read) for each in (*statement.body, *statement.orelse))
        case ast.For() | ast.While():
            return all(_looks_on(each, read) for each in statement.body)
        case ast.Return(value):
            return isinstance(value, ast.Call) and last_name(value.func) in FORWARDED
        case ast.Assign(targets):
            parts = (part for target in targets for part in ast.walk(target) if not isinstance(part, ast.expr_context))
            return all(isinstance(each, ast.Name) and each.id not in read for each in parts)
        case ast.Expr(ast.Call(called)):
            name = last_name(called)
            return not name.endswith("_") or name.startswith("_")
    return isinstance(statement, ast.Raise | ast.Assert | ast.Pass | ast.Expr | ast.Import | ast.ImportFrom)

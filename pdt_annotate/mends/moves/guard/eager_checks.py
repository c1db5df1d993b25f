"""A statement that only checks, warns or logs is skipped in the scripted model.

A call of `flatten_parameters()`, which only moves weights in memory, is skipped, too. If the compiler cannot read the
context manager of a `with` statement, the scripted model runs only the body. It skips a variable that has this manager.

Message:
    - Any message in a statement that only checks, warns or logs, or in a function that such a statement calls.
    - Any message in the first line of a with statement, or in the class or function that makes its context manager.
    - Any message in the assignment of a variable that holds this manager, or makes it, and that only such a line reads.
    - A message without a place that names the class of the context manager, such as nullcontext.
Kind: Scripted. Exact for `flatten_parameters()`.
Needs:
    - The statement raises, warns, prints or logs. The rest of the function reads nothing that the statement sets.
    - The `with` statement binds no name.
Before:
    if type(x) is not torch.Tensor:
        raise TypeError("not a Tensor")
After:
    if not torch.jit.is_scripting():
        if type(x) is not torch.Tensor:
            raise TypeError("not a Tensor")
"""

import ast
import itertools
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import NO_CONTEXT, SET_COMPREHENSION
from pdt_annotate.mends.kit import settled
from pdt_annotate.mends.kit.blocks import (
    asks_for_python,
    blocks,
    can_be_indented,
    code_of,
    flattens,
    if_scripted,
    in_python_alone,
    names_given,
    put_in_place,
    statements,
)
from pdt_annotate.mends.kit.construction import is_call, is_property
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything, is_raised
from pdt_annotate.mends.kit.spelled import loads, only_assignment, stores
from pdt_annotate.source.syntax import assignments, called_name, dotted_name, is_call_of
from pdt_annotate.values.mends import Mend, MendKind

ASKING = {
    *settled.ASKING,
    *("repr", "print", "format", "join", "keys", "values", "items", "item", "tolist", "iter"),
    *("lower", "upper", "strip", "iinfo", "finfo", "empty", "is_scripting"),
    *("size", "dim", "numel", "is_floating_point", "is_complex", "is_tensor"),
}
"""Functions and methods that change nothing."""
SAYING = frozenset(["debug", "info", "warning", "warn", "error", "exception", "critical", "log", "warn_once"])
DEPTH = 2  # of functions that checks call
SILENCING = ("warnings.simplefilter", "warnings.filterwarnings")
LOGGERS = ("log", "logger", "logging", "warnings", "_logger", "_log")


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.failure is None or (is_raised(site.failure) and is_property(site.function)):
        return  # the compiler gets the property in Python, which still raises
    yield from _contexts(site)
    if SET_COMPREHENSION.is_in(site.failure.message):
        yield from (_mend(site, each) for each in statements(site.node.body) if flattens(each))
    if site.failure.place.file not in (site.file, ""):  # the caller is not known
        return
    calls = list(_calls(site))
    if calls:
        yield from (_mend(outer, *checks) for outer, checks in calls)
        return
    for check in itertools.filterfalse(asks_for_python, statements(site.node.body)):
        leaves = isinstance(check, ast.Assign) or any(isinstance(node, ast.Return) for node in ast.walk(check))
        is_check = site.fails_in(check) and not leaves and _does_nothing_else(site, check)
        if is_check and names_given(site, [check]) == []:
            if can_be_indented(site, check):
                yield _mend(site, check)
            return


def _calls(site: FunctionContext) -> Iterator[tuple[FunctionContext, list[ast.stmt]]]:
    """The calls of the failing function in its caller, those in a row together, if both only check."""
    if not _is_checking(site):
        return
    way = [outer for outer in site.way if outer.node is not site.node]
    entered = filter(site.is_entered, site.module.functions)  # the compiler may not name the caller
    for outer in way[:1] or map(site.at, entered):
        read = [s for s in statements(outer.node.body) if isinstance(s, ast.Expr) and can_be_indented(outer, s)]
        calls = [s for s in read if is_call_of(s.value, site.node.name)]
        for block in blocks(outer.node):
            runs = itertools.groupby(block, calls.__contains__)
            yield from ((outer, list(run)) for is_check, run in runs if is_check)


def _is_checking(site: FunctionContext, depth: int = DEPTH) -> bool:
    """Whether a function changes nothing. What it returns is of no use to a statement that only calls it."""
    return all(_does_nothing_else(site, statement, depth) for statement in site.node.body)


def _does_nothing_else(site: FunctionContext, statement: ast.stmt, depth: int = DEPTH) -> bool:
    """Whether a statement can only raise, print or log, bind the names that it checks, and return."""
    match statement:
        case ast.Return(value):
            return value is None or _changes_nothing(site, value, depth)
        case ast.Expr(value) | ast.Assert(value):
            return _changes_nothing(site, value, depth)
        case ast.Assign(targets, value):
            parts = [part for target in targets for part in getattr(target, "elts", [target])]
            return all(isinstance(part, ast.Name) for part in parts) and _changes_nothing(site, value, depth)
        case ast.If(head, body, orelse) | ast.For(_, head, body, orelse):
            inner = [each for block in (body, orelse) if not _raises(block) for each in block]
            does_nothing = (_does_nothing_else(site, each, depth) for each in inner)
            return _changes_nothing(site, head, depth) and all(does_nothing)
    return isinstance(statement, (ast.Raise, ast.Pass))


def _raises(block: Sequence[ast.stmt]) -> bool:
    """Whether a block makes values for an error, and raises it."""
    return bool(block) and isinstance(block[-1], ast.Raise) and all(isinstance(s, ast.Assign) for s in block[:-1])


def _changes_nothing(site: FunctionContext, value: ast.expr, depth: int) -> bool:
    if any(isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)) for node in ast.walk(value)):
        return False
    for call in (node for node in ast.walk(value) if isinstance(node, ast.Call)):
        name = called_name(call)
        if name in SAYING:
            logger = dotted_name(call.func).rpartition(".")[0].rpartition(".")[2]
            if logger.lower() not in LOGGERS and not site.meaning(call.func).startswith("warnings."):
                return False
        elif name not in ASKING and not (name == "next" and call.args and _is_fresh(site, call.args[0])):
            called = site.definition(call.func) if depth else None
            if called is None or not _is_checking(site.at(called), depth - 1):
                return False
    return True


def _is_fresh(site: FunctionContext, node: ast.expr) -> bool:
    """Whether an expression is an iterator that the function makes."""
    if isinstance(node, ast.Name):
        values = [assign.value for assign in assignments(site.node, node.id)]
        return len(stores(site.node, node.id)) == len(values) > 0 and all(_is_fresh(site, value) for value in values)
    return isinstance(node, ast.GeneratorExp) or is_call(node, "iter")


def _mend(site: FunctionContext, check: ast.stmt, *more: ast.stmt) -> Mend:
    edits = in_python_alone(site, check, *more)
    first = site.source(check).partition("\n")[0]
    summary, left_out = f"run `{first}` only in Python", "" if flattens(check) else f"the check `{first}`"
    return site.mend(check, summary, edits, left_out=left_out)


def _contexts(site: FunctionContext) -> Iterator[Mend]:
    """The `with` statements in whose first line the compiler stopped, or that enter what the function makes."""
    # The compiler does not name the caller of a function that makes a context.
    is_maker = any(isinstance(node, ast.Yield) for node in ast.walk(site.node))
    files = sorted(filter(site.project.has, site.project.calling(site.node.name))) if is_maker else ()
    callers = (site.at(function) for file in files for function in site.project.read(file).functions)
    unread = f".{unread}" if (unread := site.fact(NO_CONTEXT)) else ""
    for outer in (*([site] if unread else site.way), *callers):
        for block in (each for each in statements(outer.node.body) if isinstance(each, ast.With)):
            entered = [item.context_expr for item in block.items]
            is_entering = any(is_call_of(each, site.node.name) for each in entered)
            stops = block.lineno <= outer.failing_line < block.body[0].lineno
            stops |= any(outer.fails_in(each) for each in _settings(outer, block))
            stops |= bool(unread) and any(v.type.endswith(unread) for each in entered for v in outer.values(each))
            if stops or (is_entering and outer.failure is None):
                yield from _enter(outer, block)


def _settings(site: FunctionContext, block: ast.With) -> list[ast.Assign]:
    """The assignments of the context managers, or of the functions that make them, that only this statement reads."""
    entered = (item.context_expr for item in block.items)
    heads = [each for node in entered if isinstance(each := getattr(node, "func", node), ast.Name)]
    settings = {name.id: only_assignment(site, name.id) for name in heads}
    return [each for name, each in settings.items() if each and set(loads(site.node, name)) <= set(heads)]


def _silences(site: FunctionContext, statement: ast.stmt) -> bool:
    """Whether a statement sets which warnings are shown."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and site.meaning(call.func) in SILENCING


def _enter(site: FunctionContext, block: ast.With) -> Iterator[Mend]:
    loud = list(itertools.dropwhile(lambda each: _silences(site, each), block.body))
    inside, whole = code_of(site, loud or block.body), code_of(site, [block])
    if inside and whole and not any(item.optional_vars for item in block.items):
        settings = [each for each in _settings(site, block) if can_be_indented(site, each)]
        edits = [edit for each in settings for edit in in_python_alone(site, each)]
        edits.append(put_in_place(site, [block], if_scripted(site, inside, whole)))
        entered = ", ".join(site.source(item.context_expr) for item in block.items)
        summary, left_out = f"enter `{entered}` only in Python", f"the context `{entered}`"
        yield site.mend(block, summary, edits, left_out=left_out)


RULE = MendRule("eager_checks", MendKind.SCRIPTED, anything, find)

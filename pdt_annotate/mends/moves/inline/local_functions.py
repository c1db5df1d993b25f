"""A call of a local lambda, or of a local `def` that only returns an expression, is replaced by this expression.

`map` or `filter` with a lambda, a function, a layer or a `functools.partial` becomes a comprehension. A call of a local
partial becomes a call of its function.

Message: `Lambda aren't supported`, `function definitions aren't supported`, `function cannot be used as a value`,
    `method cannot be used as a value`, `builtin cannot be used as a value`, `found type '__torch__.` for a layer.
Kind: Exact.
Needs:
    - The local variable is assigned once. Later code in the same block only calls it, or passes it to `map`.
    - Each argument of a call is a name, an attribute or a constant. One argument may be another expression, if the
      function always evaluates this parameter, exactly once, and before any call.
    - At each call, all names in the expression mean the same as in the function.
    - The result of `map` or `filter` is unpacked at once, or passed to a function such as `list`, `tuple` or `sum`. It
      may also be assigned to a variable over which one later loop or call iterates, if no name in the lambda changes
      before that.
Before:
    merge = lambda t: t.reshape(n, -1).transpose(0, 1)
    q, k = map(lambda t: t.neg(), (keys, values))
    return merge(q), merge(k)
After:
    q, k = [t.neg() for t in (keys, values)]
    return q.reshape(n, -1).transpose(0, 1), k.reshape(n, -1).transpose(0, 1)
"""

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import DEFINITION, FUNCTION_VALUE, LAMBDA, PASSED_MODULE
from pdt_annotate.mends.kit.blocks import (
    blocks,
    bound_until,
    calls_of_local,
    is_repeated,
    names_and_attributes,
    outermost,
    rest_of_block,
)
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    CHOICE,
    OR,
    Expression,
    is_gone_over,
    is_hidden,
    is_plain,
    loads,
    may_stand,
    names_for,
    put_in,
    spell,
)
from pdt_annotate.source.definitions import Definition
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import dotted_name, nodes_in
from pdt_annotate.values.mends import Mend, MendKind

AT_ONCE = ("all", "any", "max", "min", "sum", "tuple")
"""Functions that use up an iterator before they return."""
LAZY = ("all", "any", "tuple")
"""Functions that get a generator: some stop at the first value that decides, and rules look for one in `tuple`."""


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _maps(site)
    site, partials = outermost(site), dict[str, list[ast.Assign]]()
    for statement in (statement for block in blocks(site.node) for statement in block):
        match statement:
            case ast.FunctionDef(name, args, [ast.Return(ast.expr() as body)], []):
                yield from _inlined(site, statement, name, args, body)
            case ast.Assign([ast.Name(name)], ast.Lambda(args, body)):
                yield from _inlined(site, statement, name, args, body)
            case ast.Assign([ast.Name(name)], ast.Call()):
                partials.setdefault(name, []).append(statement)
    for name, bindings in partials.items():
        yield from _bound(site, name, bindings)


def _inlined(
    site: FunctionContext, statement: ast.stmt, name: str, args: ast.arguments, body: ast.expr
) -> Iterator[Mend]:
    """The body of a local function in place of its calls."""
    calls = calls_of_local(site, name, statement).get(statement, [])
    written = [_written(site, args, body, call) for call in calls]
    if calls and None not in written:
        edits = [put_in(site, call, new) for call, new in zip(calls, written, strict=True) if new]
        yield site.mend(statement, f"write the code of `{name}` where it is called", [*edits, site.remove(statement)])


def _bound(site: FunctionContext, name: str, bindings: Sequence[ast.Assign]) -> Iterator[Mend]:
    """Calls of the function of a partial in place of the calls of the partial, if nothing changes its values before."""
    for statement, calls in calls_of_local(site, name, *bindings).items():
        read = names_and_attributes(ast.walk(statement.value))
        is_kept = read.isdisjoint(bound_until(site, statement, calls)) and not _may_change(site, statement, calls)
        open_ = (call for call in calls if not is_hidden(site, call, read))
        written = [_call(site, statement.value, [*map(site.source, each.args)], each.keywords) for each in open_]
        if is_kept and all(written) and len(written) == len(calls):
            edits = [put_in(site, call, Expression(new)) for call, new in zip(calls, written, strict=True)]
            summary = f"pass the arguments of `{name}` where it is called"
            yield site.mend(statement, summary, [*edits, site.remove(statement)])


def _may_change(site: FunctionContext, statement: ast.Assign, calls: Sequence[ast.Call]) -> bool:
    """Whether other calls may set an attribute that a partial has read, before the last call of the partial."""
    own = [node for node in nodes_in(statement.value, ast.Attribute) if not site.meaning(node)]
    last = max(call.lineno for call in calls)
    between = (each for each in rest_of_block(site, statement) if each.lineno <= last)
    made = (node for each in between for node in nodes_in(each, ast.Call))
    return bool(own) and any(node not in calls for node in made)


def _parameters(args: ast.arguments) -> list[str] | None:
    """The parameters that a call must pass by position; None if there are others."""
    if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
        return None
    return [arg.arg for arg in (*args.posonlyargs, *args.args)]


def _written(site: FunctionContext, args: ast.arguments, body: ast.expr, call: ast.Call) -> Expression | None:
    """The body of a function with the arguments of a call; None if it may not be written there."""
    parameters = _parameters(args)
    are_plain = not call.keywords and not any(isinstance(arg, ast.Starred) for arg in call.args)
    if parameters is None or len(call.args) != len(parameters) or not are_plain:
        return None
    # A comprehension or a function around the call may bind a name that the body reads.
    free = names_in(body) - set(parameters)
    if is_hidden(site, call, free) or any(isinstance(outer, Definition) for outer in [*site.around(call)][:-1]):
        return None
    passed = dict(zip(parameters, call.args, strict=True))
    values = {name: spell(site, each) for name, each in passed.items()}
    return spell(site, body, names_for(values)) if may_stand(body, passed) else None


def _maps(site: FunctionContext) -> Iterator[Mend]:
    words = {"map", "filter"} - site.known_names
    calls = ((word, node) for node in ast.walk(site.node) for word in words if is_call(node, word))
    for word, call in calls:
        if len(call.args) < 2 or call.keywords or any(isinstance(arg, ast.Starred) for arg in call.args):
            continue
        place, new = _place(site, call), _comprehension(site, call, keeps=word == "filter")
        if place is not None and new is not None:
            if place is call and getattr(getattr(site.parents[call], "func", None), "id", "") in LAZY:
                new = Expression(new.text[1:-1])
            yield site.mend(call, f"write `{word}` as `{new.text}`", [put_in(site, place, new)])


def _place(site: FunctionContext, call: ast.Call) -> ast.expr | None:
    """The node that becomes the comprehension: the call, or the `list` around it; None if it is not used up at once."""
    parent = site.parents[call]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        [target] = parent.targets
        is_unpacked = isinstance(target, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in target.elts)
        return call if is_unpacked or _is_read_once(site, parent, call) else None
    match parent:
        case ast.Call(ast.Name("list"), [_], []) if "list" not in site.known_names:
            return parent
        case ast.Call(ast.Name(function), [_]) if function in AT_ONCE and function not in site.known_names:
            return call
    return None


def _is_read_once(site: FunctionContext, assign: ast.Assign, call: ast.Call) -> bool:
    """Whether the assigned name is iterated over once, after the assignment, and nothing changes in between."""
    [target] = assign.targets
    if not isinstance(target, ast.Name) or loads(call.args[0], target.id):
        return False
    uses = [use for each in rest_of_block(site, assign) for use in loads(each, target.id)]
    later = [n for n in loads(site.node, target.id) if n.lineno > (assign.end_lineno or assign.lineno)]
    if len(later) != 1 or later != uses or any(is_repeated(site, each) for each in (assign, *uses)):
        return False
    parent, read = site.parents[uses[0]], names_and_attributes(ast.walk(call)) - {target.id}
    is_unpacked = isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple)
    is_read = is_unpacked or (is_gone_over(site, uses[0]) and not is_call(parent, "len"))
    return is_read and read.isdisjoint(bound_until(site, assign, uses))


def _comprehension(site: FunctionContext, call: ast.Call, *, keeps: bool) -> Expression | None:
    """The results of a function for some values, or only the values for which it is true."""
    function, *iterables = call.args
    if isinstance(function, ast.Lambda):
        names, body = _parameters(function.args), spell(site, function.body).at_least(OR if keeps else CHOICE)
    else:
        names = [site.free_name(each) for each in ("each", "other", "third")[: len(iterables)]]
        body = _call(site, function, names)
    # A comprehension would bind the name outside of it, and may not bind its own variable.
    if names is None or not body or len(names) != len(iterables) or any(nodes_in(function, ast.NamedExpr)):
        return None
    spelled = [spell(site, each) for each in iterables]
    over = spelled[0].at_least(OR) if len(spelled) == 1 else f"zip({', '.join(each.text for each in spelled)})"
    if keeps:
        return Expression(f"[{names[0]} for {names[0]} in {over} if {body}]") if len(names) == 1 else None
    return Expression(f"[{body} for {', '.join(names)} in {over}]")


def _call(
    site: FunctionContext, function: ast.expr, arguments: Sequence[str], keywords: Sequence[ast.keyword] = ()
) -> str:
    """A call of a function, or of the function of a partial, whose values are the same in every call; "" if neither."""
    named = {each.arg: site.source(each) for each in keywords}
    if isinstance(function, ast.Call):
        values = [*function.args[1:], *(k.value for k in function.keywords)]
        named = {**{k.arg: site.source(k) for k in function.keywords if k.arg not in named}, **named}
        if site.meaning(function.func) != "functools.partial" or not function.args or not all(map(is_plain, values)):
            return ""
        arguments = [*map(site.source, function.args[1:]), *arguments]
        function = function.args[0]
    is_clear = dotted_name(function) and None not in named
    return f"{site.source(function)}({', '.join([*arguments, *named.values()])})" if is_clear else ""


RULE = MendRule("local_functions", MendKind.EXACT, said(LAMBDA, DEFINITION, FUNCTION_VALUE, PASSED_MODULE), find)

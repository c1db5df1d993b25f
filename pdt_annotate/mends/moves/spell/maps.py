"""`map` of a lambda or a function becomes a comprehension.

Message: `Lambda aren't supported`, `function cannot be used as a value`.
Kind: exact.
Needs: the result is used up at once: unpacked, passed to `list`, `tuple` or `sum`, or bound to a name that one later
    loop or call iterates over, and no name that the lambda reads is bound again before that.
Before:
    q, k = map(lambda t: t.neg(), (keys, values))
    return q, k
After:
    q, k = [t.neg() for t in (keys, values)]
    return q, k
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import FUNCTION_VALUE, LAMBDA
from pdt_annotate.mends.kit.blocks import is_in_loop
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    ATOM,
    OR,
    Expression,
    is_gone_over,
    is_plain,
    loads,
    put_in,
    spell,
    stores,
)
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.mends import Mend, MendKind

AT_ONCE = ("all", "any", "max", "min", "sum", "tuple")


def find(site: FunctionContext) -> Iterator[Mend]:
    for call in ast.walk(site.node):
        if not is_call(call, "map") or "map" in site.local_names or call.keywords or len(call.args) < 2:
            continue
        place, new = _place(site, call), _comprehension(site, call)
        if place is not None and new is not None and not any(isinstance(arg, ast.Starred) for arg in call.args):
            if is_call(site.parents[call], "tuple"):  # it takes a generator, which other rules look for
                new = Expression(new.text[1:-1], ATOM)
            yield site.mend(call, f"`map` is written as `{' '.join(new.text.split())}`", [put_in(site, place, new)])


def _place(site: FunctionContext, call: ast.Call) -> ast.expr | None:
    """The node that becomes the comprehension: the call, or the `list` around it; None if it is not used up at once."""
    match parent := site.parents[call]:
        case ast.Assign([ast.Tuple(elts)]):
            return None if any(isinstance(each, ast.Starred) for each in elts) else call
        case ast.Assign([ast.Name(name)]):
            return call if _is_read_once(site, parent, call, name) else None
        case ast.Call(ast.Name(name), [_], []) if name not in site.local_names:
            return call if name in AT_ONCE else parent if name == "list" else None
    return None


def _is_read_once(site: FunctionContext, assign: ast.Assign, call: ast.Call, name: str) -> bool:
    """Whether the assigned name is iterated over once, after the assignment, and nothing changes in between."""
    later = [n for n in loads(site.node, name) if n.lineno > (assign.end_lineno or assign.lineno)]
    read = {n.id for n in ast.walk(call) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - {name}
    stored = [n for each in read for n in stores(site.node, each)]
    if len(later) != 1 or is_in_loop(site, assign) or loads(call.args[0], name):
        return False
    if any(assign.lineno < n.lineno < later[0].lineno for n in stored):
        return False
    parent = site.parents[later[0]]
    is_unpacked = isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Tuple)
    return is_unpacked or is_gone_over(site, later[0])


def _comprehension(site: FunctionContext, call: ast.Call) -> Expression | None:
    function, *iterables = call.args
    if isinstance(function, ast.Lambda):
        args, body = function.args, site.source(function.body)
        names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
        if args.vararg or args.kwarg or args.kwonlyargs or args.defaults:
            return None
        body = f"({body})" if "\n" in body else body
    elif is_plain(function) and not isinstance(function, ast.Constant):
        taken = names_inside(site.node)
        names = [site.free_name(each, taken) for each in ("each", "other", "third")[: len(iterables)]]
        body = f"{site.source(function)}({', '.join(names)})"
    else:
        return None
    if len(names) != len(iterables):
        return None
    spelled = [spell(site, each) for each in iterables]
    over = spelled[0].at_least(OR) if len(spelled) == 1 else f"zip({', '.join(each.text for each in spelled)})"
    return Expression(f"[{body} for {', '.join(names)} in {over}]", ATOM)


RULE = MendRule("maps", MendKind.EXACT, said(LAMBDA, FUNCTION_VALUE), find)

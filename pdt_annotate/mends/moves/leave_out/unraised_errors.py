"""A `try` whose handlers never ran: the scripted model runs its body alone, and Python the whole as before.

The rule `dead_branches` then moves the part for Python to a method, because the compiler parses it, too.

Message: `try blocks aren't supported`.
Kind: Scripted. The scripted model raises the errors that Python handles. Exact for `flatten_parameters()`, which only
    moves weights in memory, if the handlers do nothing: the scripted model does not call it.
Needs:
    - In the calls of the examples, nothing shows that a handler ran.
    - The statement has no `finally`. It either always returns a value, or neither leaves the function nor a loop.
Before:
    try:
        x = self.fn(x, mask=mask)
    except TypeError:
        x = self.fn(x)
    return x
After:
    if torch.jit.is_scripting():
        x = self.fn(x, mask=mask)
    else:
        try:
            x = self.fn(x, mask=mask)
        except TypeError:
            x = self.fn(x)
    return x
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import TRY
from pdt_annotate.mends.kit.blocks import (
    always_returns,
    can_be_indented,
    code_of,
    flattens,
    if_scripted,
    in_python_alone,
    put_in_place,
    statements,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.values.mends import Mend, MendKind

LEAVING = (ast.Return, ast.Continue, ast.Break, ast.Global, ast.Nonlocal)
RECORDED = (ast.Call, ast.Attribute, ast.Subscript, ast.BinOp, ast.Compare)
"""Expressions whose values show that they ran: those of a constant or a name are known without that."""


def find(site: FunctionContext) -> Iterator[Mend]:
    tried = (each for each in statements(site.node.body) if isinstance(each, ast.Try))
    for node in tried if site.is_entered() and site.is_recorded else ():
        inside = [part for part in ast.walk(node) if not (always_returns(node) and always_returns(part))]
        leaves = any(isinstance(part, LEAVING) for part in inside)
        handled = [part for handler in node.handlers for each in handler.body for part in ast.walk(each)]
        # All expressions of the same text share their values.
        rest = (part for part in ast.walk(site.node) if isinstance(part, RECORDED) and part not in handled)
        others = set(map(ast.unparse, rest))
        shown = (part for part in handled if isinstance(part, RECORDED) and ast.unparse(part) not in others)
        ran = any(map(site.values, shown))
        needed = [each for each in node.body if not flattens(each)]
        body, whole = [code_of(site, each) for each in (needed, node.orelse) if each], code_of(site, [node])
        if node.finalbody or leaves or ran or whole is None or None in body:
            continue
        if not body:
            does_nothing = all(isinstance(each, ast.Pass) for handler in node.handlers for each in handler.body)
            if does_nothing and can_be_indented(site, node):
                yield site.mend(node, "call `flatten_parameters()` only in Python", in_python_alone(site, node))
            continue
        edits = [put_in_place(site, [node], if_scripted(site, "\n".join(filter(None, body)), whole))]
        left_out = f"the `except` of `{site.function.owner.qualname}`"
        yield site.mend(node, f"leave out {left_out}", edits, left_out=left_out)


RULE = MendRule("unraised_errors", MendKind.SCRIPTED, said(TRY), find, sweeps=False)

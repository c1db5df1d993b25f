"""A `def` inside a function becomes a function of the module.

Message: `function definitions aren't supported`.
Kind: exact.
Needs: the inner function is bound once, by a plain header; later code only calls it, by position; it binds no name of
    the outer function and does not read `self`. Names of the outer function that it reads become parameters.
Before:
    def forward(self, x, n):
        def scaled(t):
            half = t * 0.5
            return half * n

        return scaled(x)
After:
    def _scaled(t, n):
        half = t * 0.5
        return half * n

    def forward(self, x, n):
        return _scaled(x, n)
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import DEFINITION
from pdt_annotate.mends.kit.blocks import insert_at_top, outermost, remove_with_blank
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import is_hidden, loads, stores
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

INDENT = "    "
REFUSED = (ast.Yield, ast.YieldFrom, ast.Nonlocal, ast.Global, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def find(site: FunctionContext) -> Iterator[Mend]:
    site = outermost(site)
    for node in ast.walk(site.node):
        if isinstance(node, ast.FunctionDef) and node is not site.node:
            yield from _inner(site, node)


def _inner(site: FunctionContext, node: ast.FunctionDef) -> Iterator[Mend]:
    # The names of the outer function that the inner one reads, in order.
    own, calls = names_inside(node), _calls(site, node)
    names = [n for each in node.body for n in ast.walk(each) if isinstance(n, ast.Name) and n.id not in own]
    ordered = sorted(names, key=lambda n: (n.lineno, n.col_offset))
    outer = {*site.local_names, site.function.receiver}
    captured = list(dict.fromkeys(n.id for n in ordered if n.id in outer))
    block = getattr(site.parents[node], "body", [])
    may_stay_behind = node in block and len(block) > 1 and not _is_refused(site, node)
    if not calls or not may_stay_behind or any(is_hidden(site, call, captured) for call in calls):
        return
    name = site.free_name(f"_{node.name.lstrip('_')}", names_inside(site.module.tree))
    returns = f" -> {site.source(node.returns)}" if node.returns else ""
    head = f"def {name}({', '.join(filter(None, [ast.unparse(node.args), *captured]))}){returns}:"
    # The body begins after the line of the colon, which comes after all parts that may contain another.
    parts = [*ast.walk(node.args), *([node.returns] if node.returns else [])]
    end = max((site.span(p)[1] for p in parts if isinstance(p, (ast.arg, ast.expr))), default=site.text.start(node))
    start = site.text.line_start(site.text.line(site.text.body.index(b":", end)) + 1)
    body = textwrap.dedent(site.text.body[start : site.span(node)[1]].decode())
    moved = f"{head}\n{textwrap.indent(body, INDENT)}"
    edits = [insert_at_top(site, moved), remove_with_blank(site, node)]
    for call in calls:
        end = site.span(call.args[-1])[1] if call.args else site.span(call)[1] - 1
        lead = ", " if call.args else ""
        edits += [site.replace(call.func, name)] + [Edit(end, lead + ", ".join(captured))] * bool(captured)
    summary = f"`{node.name}` becomes the function `{name}` of the module"
    yield site.mend(RULE.name, MendKind.EXACT, node, summary, edits)


def _calls(site: FunctionContext, node: ast.FunctionDef) -> list[ast.Call]:
    """The calls of an inner function, after it and by position; none if it is used otherwise."""
    uses = loads(site.node, node.name)
    calls = [c for use in uses if isinstance(c := site.parents[use], ast.Call) and c.func is use]
    plain = [c for c in calls if not c.keywords and not any(isinstance(a, ast.Starred) for a in c.args)]
    is_behind = all(use.lineno > (node.end_lineno or 0) for use in uses)
    return plain if is_behind and len(plain) == len(uses) else []


def _is_refused(site: FunctionContext, node: ast.FunctionDef) -> bool:
    """Whether an inner function is not bound once by a plain header on its own line, or has code that cannot move."""
    args, inside = node.args, [n for each in node.body for n in ast.walk(each)]
    variadic = args.vararg or args.kwarg or args.kwonlyargs or args.defaults or node.decorator_list
    reads_self = any(is_name(n, site.function.receiver) for n in inside)
    definitions = [n for n in ast.walk(site.node) if isinstance(n, Scope) and n.name == node.name]
    twice = len(definitions) > 1 or stores(site.node, node.name) or node.name in names_inside(node)
    refused = any(isinstance(n, REFUSED) for n in inside) or reads_self
    return bool(variadic or twice or refused or node.body[0].lineno == node.lineno)


RULE = MendRule("inner_functions", MendKind.EXACT, said(DEFINITION), find)

"""A tuple that grows becomes a list: to the compiler, the length of a tuple belongs to its type.

Message: `previously had type Tuple`, `is set to type Tuple`, `but instead found type 'Tuple[()]'`.
Kind: exact.
Needs: a local that starts with a display and only grows by displays; code reads its items or its length, joins it,
    iterates over it, or returns it alone.
Before:
    hidden = ()
    for x in xs:
        hidden = hidden + (x * 2,)
    return torch.cat(hidden)
After:
    hidden = []
    for x in xs:
        hidden = hidden + [x * 2]
    return torch.cat(hidden)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import GROWING_TUPLE
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import LIST_FUNCTIONS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.syntax import is_name, plain_assignments
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for name in dict.fromkeys(name for name, each in plain_assignments(site.node) if isinstance(each.value, ast.Tuple)):
        edits, grown = list[Edit](), list[ast.expr]()
        for store in stores(site.node, name):
            statement = site.parents[store]
            added = _grown_by(statement, name)
            given = added or (statement.value if isinstance(statement, ast.Assign) else None)
            text = _as_list(site, given)
            if text is None or given is None:
                break
            grown += [added] if added else []
            edits.append(site.replace(statement if added else given, f"{name} = {name} + {text}" if added else text))
        else:
            uses = [use for use in loads(site.node, name) if getattr(site.parents[use], "right", None) not in grown]
            returned = [use for use in uses if isinstance(site.parents[use], ast.Return)]
            is_read = all(use in returned or _reads(site, use) for use in uses)
            if grown and is_read and not site.function.parameter(name):
                edits += [site.replace(use, f"tuple({name})") for use in returned]
                yield site.mend(RULE.name, MendKind.EXACT, statement, f"let `{name}` grow as a list", edits)


def _grown_by(statement: ast.AST, name: str) -> ast.expr | None:
    """The value that a statement adds to a tuple: b of `a += b`, `a = a + b`."""
    if isinstance(statement, ast.AugAssign):
        return statement.value if isinstance(statement.op, ast.Add) else None
    value = statement.value if isinstance(statement, ast.Assign) else None
    is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and is_name(value.left, name)
    return value.right if is_sum else None  # type: ignore[union-attr]


def _as_list(site: FunctionContext, node: ast.expr | None) -> str | None:
    if not isinstance(node, ast.Tuple) or any(isinstance(each, ast.Starred) for each in node.elts):
        return None
    text = site.source(node)
    text = text[1:-1] if site.text.body[site.span(node)[0] :].startswith(b"(") and text.endswith(")") else text
    return f"[{text.rstrip().removesuffix(',')}]" if "#" not in text else None


def _reads(site: FunctionContext, use: ast.Name) -> bool:
    parent = site.parents[use]
    if isinstance(parent, ast.Subscript):
        return parent.value is use and not isinstance(parent.slice, ast.Slice)
    if isinstance(parent, ast.Call):
        return parent.args[:1] == [use] and (site.meaning(parent.func) in LIST_FUNCTIONS or is_call(parent, "len"))
    return isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is use


RULE = MendRule("growing_tuples", MendKind.EXACT, quoted(GROWING_TUPLE), find)

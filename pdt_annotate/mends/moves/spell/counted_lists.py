"""A list that becomes a tuple or arguments is written item by item; its length, which never varied, is asserted.

Message: `cannot statically infer the expected size of a list in this context`.
Kind: frozen.
Needs: `tuple(xs)` or `(*xs,)` that is returned or bound to a name, of a name, a comprehension or a generator; or `*xs`
    in a call. It always had one length, a small one.
Before:
    features = tuple([self.scale(f) for f in features])
    return self.fuse(*features)
After:
    items = [self.scale(f) for f in features]
    assert len(items) == 3
    features = items[0], items[1], items[2]
    assert len(features) == 3
    return self.fuse(features[0], features[1], features[2])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import STARRED
from pdt_annotate.mends.kit.blocks import PLAIN_STATEMENTS, statement_of_first
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import CHOOSING
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.source.syntax import assignments, is_name
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import TENSOR

MOST = 8
INDEXED = frozenset(("list", "tuple", TENSOR.name))


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if isinstance(node, ast.Return) or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            yield from _tuple(site, node)
        elif isinstance(node, ast.Call):
            yield from _arguments(site, node)


def _tuple(site: FunctionContext, statement: ast.Return | ast.Assign) -> Iterator[Mend]:
    types = site.observed("return") if isinstance(statement, ast.Return) else ()
    lengths = {len(t.args) if t.name == "tuple" else 0 for t in types} if types else _lengths(site, statement.value)
    inner = _list(site, statement.value) if len(lengths) == 1 and 0 < max(lengths) <= MOST else None
    if inner is None or statement.value is None or not site.begins_line(statement):
        return
    text, lines = site.source(inner), list[str]()
    name = text
    if not isinstance(inner, ast.Name):
        name = site.free_name("items", names_inside(site.node))
        lines.append(f"{name} = [{text[1:-1]}]")
    head = site.source(statement).removesuffix(site.source(statement.value))
    lines += [f"assert len({name}) == {max(lengths)}", f"{head}{_items(name, max(lengths))}"]
    summary = f"`{' '.join(site.source(statement).split())}` is written for {max(lengths)} items"
    yield site.mend(RULE.name, MendKind.FROZEN, statement, summary, [site.replace(statement, "\n".join(lines))])


def _arguments(site: FunctionContext, call: ast.Call) -> Iterator[Mend]:
    stars = [each for each in call.args if isinstance(each, ast.Starred)]
    statement, between = site.statement(call)
    is_sure = isinstance(statement, PLAIN_STATEMENTS) and not any(isinstance(outer, CHOOSING) for outer in between)
    for star in stars if is_sure and site.begins_line(statement) else ():
        lengths, text, lines = _lengths(site, star.value), site.source(star.value), list[str]()
        name = text
        if not isinstance(star.value, ast.Name):
            name = site.free_name("items", names_inside(site.node))
            lines.append(f"{name} = {text}")
        is_first = isinstance(star.value, ast.Name) or statement_of_first(site, star.value) is statement
        if is_first and len(lengths) == 1 and 0 < max(lengths) <= MOST:
            new, asserted = _items(name, max(lengths)).removesuffix(","), f"assert len({name}) == {max(lengths)}"
            edits = [site.insert_before(statement, "\n".join((*lines, asserted))), site.replace(star, new)]
            summary = f"`*{' '.join(text.split())}` is written for {max(lengths)} items"
            yield site.mend(RULE.name, MendKind.FROZEN, star, summary, edits)


def _items(name: str, length: int) -> str:
    return ", ".join(f"{name}[{index}]" for index in range(length)) + "," * (length == 1)


def _lengths(site: FunctionContext, node: ast.expr | None) -> set[int]:
    """The lengths that a list or tuple had in all calls."""
    values = site.values(node) if node else ()
    return {v.length if v.type in ("builtins.list", "builtins.tuple") else 0 for v in values}


def _list(site: FunctionContext, value: ast.expr | None) -> ast.Name | ast.ListComp | ast.GeneratorExp | None:
    """The list that becomes a tuple: xs of `tuple(xs)`, `(*xs,)`."""
    inner: ast.expr | None = None
    if isinstance(value, ast.Call) and is_name(value.func, "tuple") and "tuple" not in site.local_names:
        inner = value.args[0] if len(value.args) == 1 and not value.keywords else None
    elif isinstance(value, ast.Tuple) and len(value.elts) == 1 and isinstance(value.elts[0], ast.Starred):
        inner = value.elts[0].value
    if not isinstance(inner, ast.Name):
        return inner if isinstance(inner, (ast.ListComp, ast.GeneratorExp)) else None
    # The name only held, or is only bound to, lists, tuples or tensors.
    values = [node.value for node in assignments(site.node, inner.id)]
    is_list = bool(values) and all(isinstance(value, (ast.List, ast.ListComp)) for value in values)
    types = {type_.name for type_ in site.observed(inner.id)}
    return inner if (types <= INDEXED if types else is_list) else None


RULE = MendRule("counted_lists", MendKind.FROZEN, said(STARRED), find)

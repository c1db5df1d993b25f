"""A comprehension with an `if` or with several `for` clauses becomes `for` statements.

Message: `Comprehension ifs are not supported yet`, `Only a single generator is currently supported`.
Kind: Exact.
Needs: The comprehension is a list or dict comprehension in a `return` statement, an assignment, an expression statement
    or the first line of a `for` loop. This statement always evaluates the comprehension, and no other call or operation
    comes before it.
Before:
    kept = [x for x in xs if x.dim() > 1]
After:
    kept = []
    for x in xs:
        if x.dim() > 1:
            kept.append(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import COMPREHENSION_IF, SINGLE_LOOP
from pdt_annotate.mends.kit.blocks import statement_of_first
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import AND, ATOM, CHOICE, Expression, loads, names_for, spell, stores
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.mends import Mend, MendKind

INDENT = "    "


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if not isinstance(node, (ast.ListComp, ast.DictComp)):
            continue
        if len(node.generators) == 1 and not node.generators[0].ifs:
            continue
        statement = statement_of_first(site, node)
        if statement is None or any(each.is_async for each in node.generators):
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        is_own = isinstance(target, ast.Name) and statement.value is node and not loads(node, target.id)  # type: ignore[attr-defined]
        name = target.id if is_own else site.free_name("kept", names_inside(site.node))  # type: ignore[union-attr]
        lines = [f"{name} = {'[]' if isinstance(node, ast.ListComp) else '{}'}", *_lines(site, node, name)]
        if is_own:
            edits = [site.replace(statement, "\n".join(lines))]
        else:
            edits = [site.insert_before(statement, "\n".join(lines)), site.replace(node, name)]
        yield site.mend(node, f"write `{' '.join(site.source(node).split())}` as a loop", edits)


def _lines(site: FunctionContext, node: ast.ListComp | ast.DictComp, name: str) -> Iterator[str]:
    # Variables of the comprehension that mean something in the function get other names.
    own = [n for each in node.generators for n in ast.walk(each.target) if isinstance(n, ast.Name)]
    inside = set(ast.walk(node))
    new: dict[str, Expression] = {}
    for variable in dict.fromkeys(n.id for n in own):
        others = [n for n in (*loads(site.node, variable), *stores(site.node, variable)) if n not in inside]
        if others or site.function.parameter(variable) or variable in site.module.qualnames:
            new[variable] = Expression(site.free_name(f"{variable}_1", [each.text for each in new.values()]), ATOM)
    put, depth = names_for(new), 0
    for index, each in enumerate(node.generators):
        over = spell(site, each.iter, put if index else lambda _: None).at_least(CHOICE)
        target = spell(site, each.target, put).text
        target = target[1:-1] if isinstance(each.target, ast.Tuple) and target.startswith("(") else target
        yield f"{INDENT * depth}for {target} in {over}:"
        depth += 1
        if each.ifs:
            level = CHOICE if len(each.ifs) == 1 else AND
            tests = " and ".join(spell(site, test, put).at_least(level) for test in each.ifs)
            yield f"{INDENT * depth}if {tests}:"
            depth += 1
    if isinstance(node, ast.ListComp):
        yield f"{INDENT * depth}{name}.append({spell(site, node.elt, put).at_least(CHOICE)})"
    else:
        key, value = (spell(site, part, put).at_least(CHOICE) for part in (node.key, node.value))
        yield f"{INDENT * depth}{name}[{key}] = {value}"


RULE = MendRule("comprehension_tests", MendKind.EXACT, said(COMPREHENSION_IF, SINGLE_LOOP), find)

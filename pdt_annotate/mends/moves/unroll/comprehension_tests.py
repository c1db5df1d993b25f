"""A comprehension with an `if` or with several `for` clauses becomes `for` statements.

In a call of `tuple`, a filter of the items of a display becomes a sum of tuples, because in TorchScript the length of a
tuple is part of its type.

Message: `Comprehension ifs are not supported yet`, `Only a single generator is currently supported`.
Kind: Exact.
Needs: The comprehension is a list or dict comprehension in a `return` statement, an assignment, an expression statement
    or the first line of a `for` loop. This statement always evaluates the comprehension, and no other call or operation
    comes before it. Items that become a sum are names, attributes or constants.
Before:
    kept = [x for x in xs if x.dim() > 1]
After:
    kept = []
    for x in xs:
        if x.dim() > 1:
            kept.append(x)
"""

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import COMPREHENSION_IF, SINGLE_LOOP
from pdt_annotate.mends.kit.blocks import as_loop, statement_of_first
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import (
    ARITHMETIC,
    CHOICE,
    INNER,
    NUMBER,
    OR,
    Expression,
    is_plain,
    loads,
    names_for,
    put_in,
    spell,
    stores,
)
from pdt_annotate.values.mends import Mend, MendKind

BINDING = (*INNER, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if is_call(node, "tuple") and "tuple" not in site.known_names and (parts := _kept_items(site, node)):
            yield site.mend(node, f"write `{site.on_one_line(node)}` as a sum", [put_in(site, node, parts)])
        if not isinstance(node, (ast.ListComp, ast.DictComp)):
            continue
        if len(node.generators) == 1 and not node.generators[0].ifs:
            continue
        statement = statement_of_first(site, node)
        if statement is None or any(each.is_async for each in node.generators):
            continue
        empty = "{}" if isinstance(node, ast.DictComp) else "[]"
        match statement:
            # A variable that also holds other values may have had another type before.
            case ast.Assign([ast.Name(name)]) if statement.value is node and _is_new(site, node, name):
                edits = [site.replace(statement, f"{name} = {empty}\n{as_loop(site, node, name)}")]
            case _:
                name = site.free_name("kept")
                lines = f"{name} = {empty}\n{as_loop(site, node, name)}"
                edits = [site.insert_before(statement, lines), site.replace(node, name)]
        yield site.mend(node, f"write `{site.source(node)}` as a loop", edits)


def _is_new(site: FunctionContext, node: ast.expr, name: str) -> bool:
    """Whether only one statement binds a local, and its value does not read it, from the last round of a loop."""
    is_bound_once = len(stores(site.node, name)) == 1 and site.function.parameter(name) is None
    return is_bound_once and not loads(node, name)


def _kept_items(site: FunctionContext, call: ast.Call) -> Expression | None:
    """The sum of tuples, one for each item of the display that the argument filters; each is empty or has the item."""
    match [(each.elt, each.generators) for each in call.args if isinstance(each, (ast.GeneratorExp, ast.ListComp))]:
        case [(kept, [ast.comprehension(ast.Name(name), ast.Tuple(items) | ast.List(items), [test])])] if (
            items and all(map(is_plain, items)) and not call.keywords and _may_wait(site, kept, test, items)
        ):
            puts = [names_for({name: spell(site, item)}) for item in items]
            arms = ((spell(site, kept, put).at_least(CHOICE), spell(site, test, put).at_least(OR)) for put in puts)
            parts = [Expression(f"({item},) if {test} else ()", CHOICE) for item, test in arms]
            return (
                Expression(" + ".join(each.at_least(NUMBER) for each in parts), ARITHMETIC) if parts[1:] else parts[0]
            )
    return None


def _may_wait(site: FunctionContext, kept: ast.expr, test: ast.expr, items: Sequence[ast.expr]) -> bool:
    """Whether items may be read after code for other items has run, and written in the place of the variable."""
    parts = [*ast.walk(kept), *ast.walk(test)]
    are_locals = all(isinstance(each, ast.Constant) or getattr(each, "id", "") in site.local_names for each in items)
    calls = any(isinstance(part, ast.Call) for part in parts)
    return (are_locals or not calls) and not any(isinstance(part, BINDING) for part in parts)


RULE = MendRule("comprehension_tests", MendKind.EXACT, said(COMPREHENSION_IF, SINGLE_LOOP), find)

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

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import COMPREHENSION_IF, SINGLE_LOOP
from pdt_annotate.mends.kit.blocks import nested, statement_of_first
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import AND, ATOM, CHOICE, Expression, loads, names_for, spell, stores
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if not isinstance(node, (ast.ListComp, ast.DictComp)):
            continue
        if len(node.generators) == 1 and not node.generators[0].ifs:
            continue
        statement = statement_of_first(site, node)
        if statement is None or any(each.is_async for each in node.generators):
            continue
        empty = "{}" if isinstance(node, ast.DictComp) else "[]"
        match statement:
            case ast.Assign([ast.Name(name)]) if statement.value is node and not loads(node, name):
                edits = [site.replace(statement, f"{name} = {empty}\n{as_loop(site, node, name)}")]
            case _:
                name = site.free_name("kept")
                lines = f"{name} = {empty}\n{as_loop(site, node, name)}"
                edits = [site.insert_before(statement, lines), site.replace(node, name)]
        yield site.mend(node, f"write `{site.source(node)}` as a loop", edits)


def as_loop(site: FunctionContext, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, name: str) -> str:
    """The loop that adds the items of a comprehension to a list or dict of this name."""
    # Variables of the comprehension that mean something in the function get other names.
    own = [n for each in node.generators for n in ast.walk(each.target) if isinstance(n, ast.Name)]
    inside = set(ast.walk(node))
    new: dict[str, Expression] = {}
    for variable in dict.fromkeys(n.id for n in own):
        others = [n for n in (*loads(site.node, variable), *stores(site.node, variable)) if n not in inside]
        if others or site.function.parameter(variable) or variable in site.module.qualnames:
            new[variable] = Expression(site.free_name(f"{variable}_1", [each.text for each in new.values()]), ATOM)
    put, headers = names_for(new), list[str]()
    for index, each in enumerate(node.generators):
        over = spell(site, each.iter, put if index else lambda _: None).at_least(CHOICE)
        target = spell(site, each.target, put).text
        target = target[1:-1] if isinstance(each.target, ast.Tuple) and target.startswith("(") else target
        headers.append(f"for {target} in {over}:")
        level = CHOICE if len(each.ifs) == 1 else AND
        tests = [spell(site, test, put).at_least(level) for test in each.ifs]
        headers += [f"if {' and '.join(tests)}:"] if tests else []
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    texts = [spell(site, part, put).at_least(CHOICE) for part in parts]
    added = f"{name}[{texts[0]}] = {texts[1]}" if len(texts) > 1 else f"{name}.append({texts[0]})"
    return nested(added, *headers)


RULE = MendRule("comprehension_tests", MendKind.EXACT, said(COMPREHENSION_IF, SINGLE_LOOP), find)

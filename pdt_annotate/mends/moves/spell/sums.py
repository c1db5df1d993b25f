"""A sum of tensors is written as additions: the compiler only sums numbers.

Message: `aten::sum`.
Kind: exact for a display; frozen for other lists, which may not be empty any more.
Needs: the sum was a tensor in every call; a list is evaluated first in its statement, and always.
Before:
    y = sum([x, x.t()])
    return sum(layer(y) for layer in self.layers)
After:
    y = 0 + x + x.t()
    terms = [layer(y) for layer in self.layers]
    total = 0 + terms[0]
    for term in terms[1:]:
        total = total + term
    return total
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import SUM
from pdt_annotate.mends.kit.blocks import statement_of_first
from pdt_annotate.mends.kit.construction import is_call
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, CHOICE, Expression, put_in, spell
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        is_sum = is_call(node, "sum") and len(node.args) == 1 and not node.keywords and "sum" not in site.local_names
        if not is_sum or not isinstance(node, ast.Call) or not site.is_always(node, *TENSORS):
            continue
        [given] = node.args
        summary = f"`{' '.join(site.source(node).split())}` is written as additions"
        if isinstance(given, (ast.List, ast.Tuple)):
            if not any(isinstance(each, ast.Starred) for each in given.elts):
                parts = (spell(site, each).at_least(ATOM) for each in given.elts)
                new = Expression(" + ".join(("0", *parts)), ARITHMETIC)
                yield site.mend(RULE.name, MendKind.EXACT, node, summary, [put_in(site, node, new)])
            continue
        statement = statement_of_first(site, node)
        if statement is None or isinstance(given, ast.Starred) or site.is_always(given, *TENSORS):
            continue
        text, lines = spell(site, given).at_least(CHOICE), list[str]()
        names = [site.free_name("terms"), site.free_name("total"), site.free_name("term")]
        if isinstance(given, ast.Name):
            names[0] = given.id
        else:
            whole = isinstance(given, (ast.ListComp, ast.GeneratorExp))
            lines.append(f"{names[0]} = {f'[{text[1:-1]}]' if whole else f'list({text})'}")
        terms, total, term = names
        lines += [f"{total} = 0 + {terms}[0]", f"for {term} in {terms}[1:]:", f"    {total} = {total} + {term}"]
        edits = [site.insert_before(statement, "\n".join(lines)), put_in(site, node, Expression(total, ATOM))]
        yield site.mend(RULE.name, MendKind.FROZEN, node, summary, edits)


RULE = MendRule("sums", MendKind.FROZEN, quoted(SUM), find)

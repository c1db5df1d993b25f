"""An import in a function moves to the top of the file.

Message: `import statements aren't supported`.
Kind: Exact.
Needs:
    - The import is of the standard library, of torch, or of a library that the file imports at its top level.
    - It runs whenever the function runs, or the file has the same import at its top level.
    - Its names mean nothing else in the file, and are not those of built-in functions.
Before:
    import math

    return x * math.sqrt(2)
After:
    return x * math.sqrt(2)
"""

import ast
import builtins
import sys
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import IMPORT
from pdt_annotate.mends.kit.blocks import ends_line, insert_at_top
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.imports import bound_by
from pdt_annotate.source.scopes import names_inside
from pdt_annotate.values.mends import Mend, MendKind

Import = ast.Import | ast.ImportFrom


def find(site: FunctionContext) -> Iterator[Mend]:
    tree, scopes = site.module.tree, [node for node in site.module.nodes if isinstance(node, Scope)]
    meanings = {pair for node, _ in site.module.imports for pair in bound_by(node, "")}
    names = [*(name for name, _ in meanings), *names_inside(tree), *vars(builtins), *(each.name for each in scopes)]
    names += (n.name for n in site.module.nodes if isinstance(n, (ast.ExceptHandler, ast.MatchAs)) and n.name)
    at_top = [each for each in tree.body if isinstance(each, Import)]
    present = {imported for each in at_top for _, imported in bound_by(each, "")}
    libraries = {"torch", *sys.stdlib_module_names, *(each.module.partition(".")[0] for each in present)}
    libraries -= {module.partition(".")[0] for module in site.project.modules}  # they may import each other
    if any(each.name == "*" for each in present):  # it may bind any name that the file reads
        names += (n.id for n in set(site.module.nodes) - set(ast.walk(site.node)) if isinstance(n, ast.Name))
    first = min(scope.lineno for scope in scopes)
    ahead = [each for each in at_top if each.lineno < first and ends_line(site, each)]
    for node in ast.walk(site.node):
        bound = dict(bound_by(node, ""))
        is_known = all(each.module.partition(".")[0] in libraries and each.name != "*" for each in bound.values())
        has_others = any(names.count(name) > 1 for name in bound)  # one is its own meaning
        if not isinstance(node, Import) or not bound or not is_known or has_others:
            continue
        is_run = node in site.node.body or present.issuperset(bound.values())
        if not is_run or not site.begins_line(node) or not ends_line(site, node):
            continue
        block = next(arm for arm in vars(site.parents[node]).values() if isinstance(arm, list) and node in arm)
        edits = [site.replace(node, "pass") if len(block) == 1 else site.remove(node)]
        if lines := "\n".join(each.statement for each in bound.values() if each not in present):
            edits.append(site.insert_behind(ahead[-1], lines) if ahead else insert_at_top(site, lines, before_all=True))
        yield site.mend(node, f"move `{site.source(node)}` to the top of the file", edits)


RULE = MendRule("imports", MendKind.EXACT, said(IMPORT), find)

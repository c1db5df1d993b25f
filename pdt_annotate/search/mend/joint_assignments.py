"""An assignment of several values at once becomes one for each, if an empty list or dict among them needs a type.

Message: any about a use of the list or dict: without annotation it holds Tensors, and the keys of a dict are str.
Kind: exact.
Needs: plain names that are all different, a value for each, and no value that reads one of the names.
Before:
    found, index = {}, 0
After:
    found = {}
    index = 0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.search.mend.site import MendRule, MendSite
from pdt_annotate.values.mends import Mend, MendKind


def find(site: MendSite) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        if isinstance(node, ast.Assign) and (pairs := _pairs(node)):
            stored = {target.id for target, _ in pairs}
            read = {n.id for _, value in pairs for n in ast.walk(value) if isinstance(n, ast.Name)}
            if (
                len(stored) == len(pairs)
                and not stored & read
                and any(ast.unparse(value) in ("[]", "{}") for _, value in pairs)
            ):
                lines = "\n".join(f"{target.id} = {site.source(value)}" for target, value in pairs)
                summary = f"`{site.source(node)}` in a statement for each name"
                yield site.mend(RULE.name, MendKind.EXACT, node, summary, [site.replace(node, lines)])


def _pairs(node: ast.Assign) -> list[tuple[ast.Name, ast.expr]]:
    """The names with their values; none for any other assignment."""
    targets, value = node.targets[0], node.value
    if len(node.targets) > 1 or not isinstance(targets, ast.Tuple) or not isinstance(value, ast.Tuple):
        return []
    names = [target for target in targets.elts if isinstance(target, ast.Name)]
    are_paired = len(names) == len(targets.elts) == len(value.elts)
    has_star = any(isinstance(each, ast.Starred) for each in value.elts)
    return list(zip(names, value.elts, strict=True)) if are_paired and not has_star else []


# Of the messages about a use only the names of the two containers are stable.
RULE = MendRule("joint_assignments", MendKind.EXACT, lambda f: "List[" in f.message or "Dict[" in f.message, find)

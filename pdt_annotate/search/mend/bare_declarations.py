"""A declaration of a local without a value is taken away.

Message: `annotated assignments without assigned value aren't supported`.
Kind: exact.
Needs: a local that is given its value elsewhere in the function, so that it stays one.
Before:
    size: int
    if isinstance(other, int):
        size = other
    else:
        size = other.size(-1)
After:
    if isinstance(other, int):
        size = other
    else:
        size = other.size(-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BARE_DECLARATION
from pdt_annotate.search.mend.site import MendRule, MendSite, said
from pdt_annotate.values.mends import Mend, MendKind


def find(site: MendSite) -> Iterator[Mend]:
    for body in _bodies(site.node):
        bare = [each for each in body if isinstance(each, ast.AnnAssign) and each.value is None]
        for statement in bare if len(bare) < len(body) else ():
            if isinstance(statement.target, ast.Name) and _is_stored(site.node, statement.target):
                summary = f"`{site.source(statement)}` is taken away"
                yield site.mend("bare_declarations", MendKind.EXACT, statement, summary, [site.remove(statement)])


def _is_stored(function: ast.AST, declared: ast.Name) -> bool:
    """Whether a name that is declared gets a value elsewhere."""
    names = (node for node in ast.walk(function) if isinstance(node, ast.Name) and node is not declared)
    return any(node.id == declared.id and isinstance(node.ctx, ast.Store) for node in names)


def _bodies(function: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        bodies = (getattr(node, part, []) for part in ("body", "orelse", "finalbody"))
        yield from (body for body in bodies if isinstance(body, list) and body and isinstance(body[0], ast.stmt))


RULE = MendRule("bare_declarations", MendKind.EXACT, said(BARE_DECLARATION), find)

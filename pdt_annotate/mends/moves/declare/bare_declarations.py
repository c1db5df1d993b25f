"""A declaration of a local without a value is removed.

Message: `annotated assignments without assigned value aren't supported`.
Kind: exact.
Needs: a local that gets its value elsewhere in the function, so that it stays local.
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
from pdt_annotate.mends.kit.blocks import blocks
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for block in blocks(site.node):
        bare = [each for each in block if isinstance(each, ast.AnnAssign) and each.value is None]
        for statement in bare if len(bare) < len(block) else ():
            if isinstance(statement.target, ast.Name) and len(stores(site.node, statement.target.id)) > 1:
                summary = f"`{site.source(statement)}` is taken away"
                yield site.mend(RULE.name, MendKind.EXACT, statement, summary, [site.remove(statement)])


RULE = MendRule("bare_declarations", MendKind.EXACT, said(BARE_DECLARATION), find)

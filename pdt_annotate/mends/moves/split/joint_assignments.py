"""An assignment to several names at once, with an empty list or dict, becomes one for each; a bare declaration goes.

Message: any about a use of the list or dict: without annotation it holds Tensors, and the keys of a dict are str;
    `annotated assignments without assigned value aren't supported`.
Kind: exact.
Needs: plain names that are all different, a value for each, and no value that reads one of the names; a declared local
    that gets its value elsewhere in the function, so that it stays local.
Before:
    size: int
    found, index = {}, 0
    size = other.size(-1)
After:
    found = {}
    index = 0
    size = other.size(-1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BARE_DECLARATION
from pdt_annotate.mends.kit.blocks import blocks
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import stores
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

EMPTY = ("[]", "{}", "list()", "dict()")


def find(site: FunctionContext) -> Iterator[Mend]:
    for block in blocks(site.node):
        bare = [each for each in block if isinstance(each, ast.AnnAssign) and each.value is None]
        for statement in bare if len(bare) < len(block) else ():
            if isinstance(statement.target, ast.Name) and len(stores(site.node, statement.target.id)) > 1:
                summary = f"`{site.source(statement)}` is taken away"
                yield site.mend(RULE.name, MendKind.EXACT, statement, summary, [site.remove(statement)])
    for node in ast.walk(site.node):
        if not isinstance(node, ast.Assign) or len(node.targets) > 1:
            continue
        targets, value = node.targets[0], node.value
        if not isinstance(targets, ast.Tuple) or not isinstance(value, ast.Tuple):
            continue
        names = [target.id for target in targets.elts if isinstance(target, ast.Name)]
        are_paired = len(set(names)) == len(targets.elts) == len(value.elts)
        has_star = any(isinstance(each, ast.Starred) for each in value.elts)
        read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        has_empty = any(ast.unparse(each) in EMPTY for each in value.elts)
        if are_paired and has_empty and not has_star and read.isdisjoint(names):
            lines = [f"{name} = {site.source(each)}" for name, each in zip(names, value.elts, strict=True)]
            summary = f"`{site.source(node)}` in a statement for each name"
            yield site.mend(RULE.name, MendKind.EXACT, node, summary, [site.replace(node, "\n".join(lines))])


def is_asked_for(failure: Failure) -> bool:
    """Whether a message is about a declaration, or a use of a container: names it, or the element that is added."""
    is_use = any(word in failure.message for word in ("List[", "Dict[", "argument 'el'"))
    return is_use or BARE_DECLARATION.is_in(failure.message)


RULE = MendRule("joint_assignments", MendKind.EXACT, is_asked_for, find)

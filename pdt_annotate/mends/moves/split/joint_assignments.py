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

from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

EMPTY = ("[]", "{}", "list()", "dict()")


def find(site: FunctionContext) -> Iterator[Mend]:
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
    """Whether a message is about a use of a container: its name, or that of the element that is added, is in it."""
    return any(word in failure.message for word in ("List[", "Dict[", "argument 'el'"))


RULE = MendRule("joint_assignments", MendKind.EXACT, is_asked_for, find)

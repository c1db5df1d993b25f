"""A name to which every arm of an `if` gives a value of another type gets a new name from there on.

An assignment of several values at once becomes one for each, if an empty list or dict among them needs a type: without
annotation it holds Tensors, and the keys of a dict are str.

Message: `Variable … previously had type`, `is annotated with type`; any about a use of the list or dict.
Kind: exact.
Needs: an `if` of the function's body; each arm that does not leave the function assigns the name first, then reads it.
    Of an assignment, plain names that are all different, a value for each, and no value that reads one of the names.
Before:
    def forward(self, x, labels):
        outputs = ()
        if labels is not None:
            outputs = (self.loss(x, labels), x) + outputs
        else:
            outputs = (x, x) + outputs
        return outputs
After:
    def forward(self, x, labels):
        outputs = ()
        if labels is not None:
            outputs_1 = (self.loss(x, labels), x) + outputs
        else:
            outputs_1 = (x, x) + outputs
        return outputs_1
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.findings.messages.said import REASSIGNED
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

LEAVING = (ast.Return, ast.Raise)
EMPTY = ("[]", "{}", "list()", "dict()")


def is_asked_for(failure: Failure) -> bool:
    # A message about a use of a container has its name, or that of the element that is added.
    is_of_container = any(word in failure.message for word in ("List[", "Dict[", "argument 'el'"))
    return is_of_container or REASSIGNED.is_in(failure.message)


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _joint(site)
    yield from _reassigned(site)


def _joint(site: FunctionContext) -> Iterator[Mend]:
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


def _reassigned(site: FunctionContext) -> Iterator[Mend]:
    facts = REASSIGNED.read(site.failure.message) if site.failure else None
    name, body = facts["name"] if facts else "", site.node.body
    inner = (ast.JoinedStr, ast.FunctionDef, ast.Lambda)
    for index, choice in enumerate(body):
        if not isinstance(choice, ast.If) or not stores(choice, name):
            continue
        renamed: list[ast.Name] = []
        is_hidden = any(_names(n, name) for part in body for n in ast.walk(part) if isinstance(n, inner))
        if _follow(body[index:], name, renamed) and not is_hidden:
            new = site.local_name(name)
            edits = [site.replace(node, new) for node in renamed]
            yield site.mend(RULE.name, MendKind.EXACT, choice, f"`{name}` is `{new}` from this `if` on", edits)
        return


def _follow(block: Sequence[ast.stmt], name: str, renamed: list[ast.Name]) -> bool | None:
    """Whether a block gives the name a new value in any case, or leaves the function; None if that is not clear."""
    is_new = False
    for statement in block:
        if is_new:
            renamed += _names(statement, name)
        elif isinstance(statement, ast.If) and stores(statement, name):
            arms = [_follow(arm, name, renamed) for arm in (statement.body, statement.orelse)]
            if arms != [True, True]:
                return None
            is_new = True
        elif stores(statement, name):
            if not isinstance(statement, ast.Assign) or stores(statement.value, name):
                return None
            renamed += stores(statement, name)
            is_new = True
    return is_new or (bool(block) and isinstance(block[-1], LEAVING))


def _names(node: ast.AST, name: str) -> list[ast.Name]:
    return [*loads(node, name), *stores(node, name)]


RULE = MendRule("split_values", MendKind.EXACT, is_asked_for, find)

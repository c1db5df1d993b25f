"""A function of the project that tests whether a parameter is None is written out where it is called.

Message: `Expected a value of type 'Tensor (inferred)' … but instead found type 'Optional[Tensor]'`, `'Optional[Tensor]'
    object has no attribute or method`: when a function returns, the compiler forgets the type that it found;
    `found type '__torch__.`: a layer is no argument.
Kind: exact.
Needs: the function only returns, one expression or one a branch, of its parameters and of other such functions alone;
    arguments are names, attributes, constants or lambdas; the argument shows whether `callable(d)` is true.
Before:
    if exists(mask):
        bias = default(bias, lambda: torch.zeros(3))
After:
    if mask is not None:
        bias = bias if bias is not None else torch.zeros(3)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import CALLABLE, FROM_OPTIONAL, LAMBDA, PASSED_MODULE
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import Expression, put_in, strength
from pdt_annotate.mends.kit.written_out import written_out
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in site.node.body:
        yield from _find(site, node)


def _find(site: FunctionContext, node: ast.AST) -> Iterator[Mend]:
    new = written_out(site, node)
    if new is None:
        for child in ast.iter_child_nodes(node):
            yield from _find(site, child)
        return
    text = ast.unparse(new)
    summary = f"`{' '.join(site.source(node).split())}` is written out: `{text}`"
    edits = [put_in(site, node, Expression(text, strength(new)))]  # type: ignore[arg-type]
    yield site.mend(RULE.name, MendKind.EXACT, node, summary, edits)


RULE = MendRule("none_helpers", MendKind.EXACT, said(FROM_OPTIONAL, LAMBDA, CALLABLE, PASSED_MODULE), find)

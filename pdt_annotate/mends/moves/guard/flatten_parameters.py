"""`flatten_parameters()`, which moves weights in memory, runs in Python alone.

Message: `SetComp aren't supported`, in the library's own code.
Kind: exact.
Needs: a statement that calls it and does nothing else.
Before:
    self.lstm.flatten_parameters()
    x, _ = self.lstm(x)
After:
    if not torch.jit.is_scripting():
        self.lstm.flatten_parameters()
    x, _ = self.lstm(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import SET_COMPREHENSION
from pdt_annotate.mends.kit.blocks import in_python_alone, statements
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for statement in statements(site.node.body):
        is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        if is_call and ast.unparse(statement).endswith(".flatten_parameters()"):
            edits, imports = in_python_alone(site, statement)
            summary = f"run `{site.source(statement)}` in Python alone"
            yield site.mend(RULE.name, MendKind.EXACT, statement, summary, edits, imports=imports)


RULE = MendRule("flatten_parameters", MendKind.EXACT, said(SET_COMPREHENSION), find)

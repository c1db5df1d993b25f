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
from pdt_annotate.search.mend.blocks import in_python_alone, statements
from pdt_annotate.search.mend.site import MendRule, MendSite, said
from pdt_annotate.values.mends import Mend, MendKind


def find(site: MendSite) -> Iterator[Mend]:
    for statement in statements(site.node.body):
        if _flattens(statement):
            edits, imports = in_python_alone(site, statement)
            summary = f"run `{site.source(statement)}` in Python alone"
            yield site.mend(RULE.name, MendKind.EXACT, statement, summary, edits, imports=imports)


def _flattens(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    named = call.func if isinstance(call, ast.Call) and not (call.args or call.keywords) else None
    return isinstance(named, ast.Attribute) and named.attr == "flatten_parameters"


RULE = MendRule("flatten_parameters", MendKind.EXACT, said(SET_COMPREHENSION), find)

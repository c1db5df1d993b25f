"""An assignment with `//=`, which TorchScript does not compile, is written out.

Message: `unsupported kind of augmented assignment: FloorDiv`.
Kind: Exact.
Needs: The target is a variable or an attribute of `self`, and held numbers alone, or tensors alone, in all calls.
Before:
    steps //= 2
    x //= self.scale + 1
After:
    steps = steps // 2
    x.floor_divide_(self.scale + 1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import FLOOR_DIVISION
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import NUMBER, spell
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    for node in ast.walk(site.node):
        match node:
            case ast.AugAssign(ast.Name() | ast.Attribute(ast.Name()) as target, ast.FloorDiv(), value):
                name = site.source(target)
                if site.is_always(target, "int", "float"):
                    new = f"{name} = {name} // {spell(site, value).at_least(NUMBER)}"
                elif site.is_always(target, *TENSORS):
                    new = f"{name}.floor_divide_({site.source(value)})"
                else:
                    continue
                yield site.mend(node, f"write `{site.source(node)}` so that it compiles", [site.replace(node, new)])


RULE = MendRule("floor_divisions", MendKind.EXACT, said(FLOOR_DIVISION), find)

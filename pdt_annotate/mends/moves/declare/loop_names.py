"""A name that only a loop or a branch sets, and that is read after it, has a value before in the scripted model.

Python raises an error if such a loop or branch does not run; the compiler refuses the name.

Message: `undefined value`, `is not defined in the false branch`.
Kind: scripted.
Needs: a name that was a number, a bool, a str, a Tensor or a list of Tensors in every call; code reads it only after
    the loop or branch that sets it, or later in it.
Before:
    for layer in self.layers:
        out = layer(x)
    return out
After:
    if torch.jit.is_scripting():
        out = torch.empty(0)
    for layer in self.layers:
        out = layer(x)
    return out
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCH_LACKS, UNDEFINED
from pdt_annotate.mends.kit.blocks import LOOPS
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.values.mends import Mend, MendKind

OUTER = (*LOOPS, ast.If, ast.With)
VALUES = {"int": "0", "float": "0.0", "bool": "False", "str": '""'}


def find(site: FunctionContext) -> Iterator[Mend]:
    lacks = BRANCH_LACKS.read(site.failure.message) if site.failure else None
    for name in [lacks["name"]] if lacks else sorted(site.failing_names):
        bound, read = stores(site.node, name), loads(site.node, name)
        loops = [outer for outer in site.around(bound[0]) if isinstance(outer, OUTER)] if bound else []
        if not loops or not read or site.function.parameter(name):
            continue
        first = min(bound, key=lambda node: (node.lineno, node.col_offset))
        is_late = set(ast.walk(loops[-1])).issuperset(bound) and all(node.lineno >= first.lineno for node in read)
        value = next((text for type_, text in VALUES.items() if site.is_always(read[0], type_)), "")
        scripting, imports = site.spell("torch.jit.is_scripting")
        if site.is_always(read[0], "torch.Tensor"):
            empty, more = site.spell("torch.empty")
            value, imports = f"{empty}(0)", (*imports, *more)
        elif site.is_always(read[0], "list[torch.Tensor]"):
            value = "[]"
        if value and is_late:
            edits = [site.insert_before(loops[-1], f"if {scripting}():\n    {name} = {value}")]
            summary = f"`{name} = {value}` before it is set, in the scripted model"
            left_out = f"the error for `{name}` if nothing sets it"
            yield site.mend(RULE.name, MendKind.SCRIPTED, loops[-1], summary, edits, imports=imports, left_out=left_out)


RULE = MendRule("loop_names", MendKind.SCRIPTED, said(UNDEFINED, BRANCH_LACKS), find, sweeps=False)

"""A name that only a loop sets, and that is read after it, has a value in front of the loop in the scripted model.

Python raises an error if such a loop does not run; the compiler refuses the name.

Message: `undefined value`.
Kind: scripted.
Needs: a name that was a number, a bool, a str or a Tensor in every call; code reads it only after the loop
    that sets it, or later in the loop.
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

from pdt_annotate.findings.messages.said import UNDEFINED
from pdt_annotate.mends.kit.blocks import LOOPS
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.values.mends import Mend, MendKind

VALUES = {"int": "0", "float": "0.0", "bool": "False", "str": '""'}


def find(site: FunctionContext) -> Iterator[Mend]:
    for name in sorted(site.failing_names):
        bound, read = stores(site.node, name), loads(site.node, name)
        loops = [outer for outer in site.around(bound[0]) if isinstance(outer, LOOPS)] if bound else []
        if not loops or site.function.parameter(name):
            continue
        first = min(bound, key=lambda node: (node.lineno, node.col_offset))
        is_late = set(ast.walk(loops[-1])).issuperset(bound) and all(node.lineno >= first.lineno for node in read)
        value = next((text for type_, text in VALUES.items() if site.is_always(read[0], type_)), "")
        scripting, imports = site.spell("torch.jit.is_scripting")
        if site.is_always(read[0], "torch.Tensor"):
            empty, more = site.spell("torch.empty")
            value, imports = f"{empty}(0)", (*imports, *more)
        if value and is_late:
            edits = [site.insert_before(loops[-1], f"if {scripting}():\n    {name} = {value}")]
            summary = f"`{name} = {value}` in front of the loop that sets it, in the scripted model"
            left_out = f"the error for `{name}` if the loop does not run"
            yield site.mend(RULE.name, MendKind.SCRIPTED, loops[-1], summary, edits, imports=imports, left_out=left_out)


RULE = MendRule("loop_names", MendKind.SCRIPTED, said(UNDEFINED), find, sweeps=False)

"""A property that nothing compiled reads is named in `__jit_unused_properties__`: the compiler reads every other.

Message: any, in a property, or in code that it calls.
Kind: scripted.
Needs: a property that no function in the compiler's reach reads.
Before:
    class Net(nn.Module):
        @property
        def device(self):
            return next(self.parameters()).device
After:
    class Net(nn.Module):
        __jit_unused_properties__ = ["device"]

        @property
        def device(self):
            return next(self.parameters()).device
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import declare
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.values.mends import Mend, MendKind

UNUSED = "__jit_unused_properties__"


def find(site: FunctionContext) -> Iterator[Mend]:
    """The property in which the compiler stopped; all of them if a library stopped it and no caller is known."""
    name = site.node.name
    is_property = any(
        d.rpartition(".")[2] in ("property", "cached_property", "setter") for d in site.function.decorators
    )
    if site.failure is None or site.cls is None or not is_property:
        return
    # Code that the compiler comes to, apart from the property itself, may read an attribute of this name.
    functions = (each for file in site.project.with_name(name) for each in site.project.read(file).functions)
    others = (each for each in functions if site.is_compiled(each) and each.node is not site.node)
    if any(isinstance(n, ast.Attribute) and n.attr == name for each in others for n in ast.walk(each.node)):
        return
    # The class's list may exist already; a name cannot be added to anything but a plain list.
    edits = declare(site, site.cls, f'{UNUSED} = ["{name}"]')
    for statement in site.cls.node.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == UNUSED:
            names = statement.value.elts if isinstance(statement.value, ast.List) else []
            is_named = any(isinstance(each, ast.Constant) and each.value == name for each in names)
            edits = [site.replace(names[-1], f'{site.source(names[-1])}, "{name}"')] if names and not is_named else []
            break
    if edits:
        left_out = f"the property `{site.function.owner.qualname}`"
        yield site.mend(RULE.name, MendKind.SCRIPTED, site.node, f"leave {left_out} out", edits, left_out=left_out)


RULE = MendRule("unused_properties", MendKind.SCRIPTED, anything, find)

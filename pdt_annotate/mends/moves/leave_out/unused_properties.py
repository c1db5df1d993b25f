"""A property is hidden from the compiler, and methods of its class use the returned expression instead.

Message: Any message in a property, or in code that it calls.
Kind: Scripted.
Needs: Either no compiled code reads the property, or only methods of its class read it. In the second case, it only
    returns an expression of `self` and of global names, and no subclass overrides it.
Before:
    class Net(nn.Module):
        @property
        def norm(self):
            return getattr(self, self.norm_name)

        def forward(self, x):
            return self.norm(x)
After:
    class Net(nn.Module):
        __jit_unused_properties__ = ["norm"]

        @property
        def norm(self):
            return getattr(self, self.norm_name)

        def forward(self, x):
            return getattr(self, self.norm_name)(x)
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import declare, is_docstring
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import put_in, spell
from pdt_annotate.source.scopes import defined_in, names_in
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
    others = (site.at(each) for each in functions if site.is_compiled(each) and each.node is not site.node)
    reads = [
        (each, n) for each in others for n in ast.walk(each.node) if isinstance(n, ast.Attribute) and n.attr == name
    ]
    expression = _expression(site) if reads else None
    if not all(_may_have(site, each, node, expression) for each, node in reads):
        return
    written = [put_in(each, node, spell(site, expression)) for each, node in reads if expression]
    # The class's list may exist already; a name cannot be added to anything but a plain list.
    edits = declare(site, site.cls, f'{UNUSED} = ["{name}"]')
    for statement in site.cls.node.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == UNUSED:
            names = statement.value.elts if isinstance(statement.value, ast.List) else []
            is_named = any(isinstance(each, ast.Constant) and each.value == name for each in names)
            edits = [site.replace(names[-1], f'{site.source(names[-1])}, "{name}"')] if names and not is_named else []
            break
    if edits:
        edits += written
        left_out = f"the property `{site.function.owner.qualname}`"
        yield site.mend(site.node, f"leave out {left_out}", edits, left_out=left_out)


def _expression(site: FunctionContext) -> ast.expr | None:
    """The expression that a property returns, if its parts mean the same in every method of the module."""
    body = [each for each in site.node.body if not is_docstring(each)]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    known = {site.function.receiver, *site.imports, *site.module.qualnames, *dir(builtins)}
    return value if value and names_in(value) <= known else None


def _may_have(site: FunctionContext, reader: FunctionContext, node: ast.Attribute, expression: ast.expr | None) -> bool:
    """Whether a read of the property may be replaced by its expression."""
    if expression is None or site.cls is None or not isinstance(node.ctx, ast.Load):
        return False
    names = names_in(expression) - {site.function.receiver}
    is_own = (reader.file, reader.function.in_class) == (site.file, site.function.in_class)
    is_own &= reader.function.receiver == site.function.receiver and bool(reader.self_attribute(node))
    is_overridden = any(site.node.name in defined_in(heir.node.body) for heir in site.relatives.heirs(site.cls))
    return is_own and not is_overridden and reader.local_names.isdisjoint(names)


RULE = MendRule("unused_properties", MendKind.SCRIPTED, anything, find)

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
from collections.abc import Iterator, Sequence

from pdt_annotate.mends.kit.construction import add_to_list, body_of, uses
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.mends.kit.spelled import put_in, spell
from pdt_annotate.source.scopes import defined_in, names_in
from pdt_annotate.values.mends import Mend, MendKind

UNUSED = "__jit_unused_properties__"
PROPERTIES = ("property", "cached_property", "setter")


def find(site: FunctionContext) -> Iterator[Mend]:
    name, decorators = site.node.name, {each.rpartition(".")[2] for each in site.function.decorators}
    if site.failure is None or site.cls is None or decorators.isdisjoint(PROPERTIES):
        return
    # Code that the compiler comes to, apart from the property itself, may read an attribute of this name.
    found = ((site.at(function), node) for function, node in uses(site, name) if site.is_compiled(function))
    reads = [(reader, node) for reader, node in found if reader.node is not site.node]
    expression = _expression(site, reads) if reads else None
    edits = add_to_list(site, site.cls, UNUSED, name)
    if edits and (expression or not reads):
        edits += [put_in(reader, node, spell(site, expression)) for reader, node in reads if expression]
        left_out = f"the property `{site.function.owner.qualname}`"
        yield site.mend(site.node, f"leave out {left_out}", edits, left_out=left_out)


def _expression(site: FunctionContext, reads: Sequence[tuple[FunctionContext, ast.Attribute]]) -> ast.expr | None:
    """The expression that a property returns, if it may replace all reads of the property."""
    match body_of(site.node):
        case [ast.Return(ast.expr() as value)]:
            names = names_in(value) - {site.function.receiver}
        case _:
            return None
    heirs = site.relatives.heirs(site.cls) if site.cls else ()
    is_overridden = any(site.node.name in defined_in(heir.node.body) for heir in heirs)
    # Its names mean the same in every method of the class.
    is_same = names <= {*site.imports, *site.module.qualnames, *dir(builtins)} and all(
        (reader.file, reader.function.in_class) == (site.file, site.function.in_class)
        and reader.function.receiver == site.function.receiver
        and reader.self_attribute(node)
        and isinstance(node.ctx, ast.Load)
        and reader.local_names.isdisjoint(names)
        for reader, node in reads
    )
    return value if is_same and not is_overridden else None


RULE = MendRule("unused_properties", MendKind.SCRIPTED, anything, find)

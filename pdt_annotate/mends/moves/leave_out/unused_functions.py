"""A function that no example enters is left out of the scripted model, in which a call of it raises.

So is a property, if other code does not need it: `__jit_unused_properties__` names it, and the methods of the class
have its expression.

Message: any, in the function or the property, or in code that it calls.
Kind: scripted.
Needs: a function of the project that no example call entered; it has no decorator. A property that no function in the
    compiler's reach reads, except for methods of its class, if the property returns an expression of attributes of
    `self`, and no class overrides it.
Before:
    def forward(self, x, mode: str = "fast"):
        if mode == "slow":
            return self.search(x)
        return self.layer(x)

    def search(self, x):
        return max(self.beams(x), key=lambda beam: beam.score)
After:
    def forward(self, x, mode: str = "fast"):
        if mode == "slow":
            return self.search(x)
        return self.layer(x)

    @torch.jit.unused
    def search(self, x):
        return max(self.beams(x), key=lambda beam: beam.score)
"""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator

from pdt_annotate.mends.kit.construction import declare, is_docstring
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything, way_to
from pdt_annotate.mends.kit.spelled import put_in, spell
from pdt_annotate.source.scopes import defined_in
from pdt_annotate.values.mends import Mend, MendKind

ENTRIES = ("__init__", "__call__")
DECORATOR = "torch.jit.unused"
UNUSED = "__jit_unused_properties__"


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from list(_properties(site)) or _functions(site)


def _functions(site: FunctionContext) -> Iterator[Mend]:
    # A helper is left out before a whole layer is: its caller may be one, too.
    way = [function for _, function in way_to(site.failure, site.project)] if site.failure else []
    idle = list(itertools.takewhile(lambda function: not site.is_entered(function), way))
    for function in sorted(idle, key=lambda function: function.node.name == "forward"):
        is_inner = ".<locals>." in function.owner.qualname
        if function.decorators or function.settled or function.node.name in ENTRIES or is_inner:
            continue
        inner, left_out = site.at(function), f"`{function.owner.qualname}`"
        decorator, imports = inner.spell(DECORATOR)
        edits = [inner.insert_before(inner.node, f"@{decorator}")]
        summary = f"leave {left_out}, which no example enters, out"
        yield inner.mend(RULE.name, MendKind.SCRIPTED, inner.node, summary, edits, imports=imports, left_out=left_out)
        return


def _properties(site: FunctionContext) -> Iterator[Mend]:
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
        yield site.mend(RULE.name, MendKind.SCRIPTED, site.node, f"leave {left_out} out", edits, left_out=left_out)


def _expression(site: FunctionContext) -> ast.expr | None:
    """The expression that a property returns, if its parts mean the same in every method of the module."""
    body = [each for each in site.node.body if not is_docstring(each)]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    known = {site.function.receiver, *site.imports, *site.module.qualnames, *dir(builtins)}
    return value if value and {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} <= known else None


def _may_have(site: FunctionContext, reader: FunctionContext, node: ast.Attribute, expression: ast.expr | None) -> bool:
    """Whether a read of the property may be replaced by its expression."""
    if expression is None or site.cls is None or not isinstance(node.ctx, ast.Load):
        return False
    relatives = site.project.relatives(tuple(filter(site.project.has, site.project.modules.values())))
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)} - {site.function.receiver}
    is_own = (reader.file, reader.function.in_class) == (site.file, site.function.in_class)
    is_own &= reader.function.receiver == site.function.receiver and bool(reader.self_attribute(node))
    is_overridden = any(site.node.name in defined_in(heir.node.body) for heir in relatives.heirs(site.cls))
    return is_own and not is_overridden and reader.local_names.isdisjoint(names)


RULE = MendRule("unused_functions", MendKind.SCRIPTED, anything, find, sweeps=False)

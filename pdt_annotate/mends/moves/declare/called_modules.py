"""In a module class without `forward`, `__call__` is renamed to `forward`, and `__call__` becomes an alias of it.

Message: `_forward_unimplemented`. Without a `forward`, the compiler compiles nothing of the model and reports nothing
    else.
Kind: Exact.
Needs:
    - The class inherits from a class of torch, and an example enters its `__call__`.
    - Neither the class nor a base class or subclass of it in the project defines `forward`.
Before:
    class Loss(nn.Module):
        def __call__(self, x, y):
            return (x - y).abs().mean()
After:
    class Loss(nn.Module):
        def forward(self, x, y):
            return (x - y).abs().mean()

        __call__ = forward
"""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_FORWARD
from pdt_annotate.mends.kit.callers import FORWARD
from pdt_annotate.mends.kit.construction import family_of, is_of_torch
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.source.definitions import Class
from pdt_annotate.source.scopes import defined_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

CALL = "__call__"


def find(site: FunctionContext) -> Iterator[Mend]:
    files = tuple(site.project.with_name(CALL))
    for inner in (site.at(function) for file in files for function in site.project.read(file).functions):
        function = inner.function
        if function.node.name == CALL and inner.cls and site.is_entered(function) and _is_module(inner, inner.cls):
            start = inner.text.body.index(CALL.encode(), inner.text.start(function.node))
            behind = inner.insert_behind(function.node, f"{CALL} = {FORWARD}")
            edits = [Edit(start, FORWARD, removed=len(CALL)), Edit(behind.offset, inner.text.newline + behind.text)]
            yield inner.mend(function.node, f"`{function.owner.qualname}` becomes `{FORWARD}`", edits)


def _is_module(site: FunctionContext, cls: Class) -> bool:
    """Whether a class inherits from torch, and no class of the project above or below it has a `forward`."""
    family = family_of(site, cls)
    has_forward = any(FORWARD in defined_in(each.node.body) for each in family)
    return not has_forward and any(is_of_torch(site, each) for each in family)


RULE = MendRule("called_modules", MendKind.EXACT, quoted(NO_FORWARD), find)

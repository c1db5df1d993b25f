"""A static `forward` of a module becomes a method with the parameter `self`: the compiler passes the module to it.

Message: `but instead found type '__torch__.`, `methods must have a self argument`, and other messages about a parameter
    that gets the module.
Kind: Exact.
Needs:
    - The class inherits from a class of torch.nn, and `staticmethod` is the only decorator of `forward`.
    - No code of the project calls it on the class, as in `Swish.forward(x)`.
Before:
    class Swish(nn.Module):
        @staticmethod
        def forward(x):
            return x * torch.sigmoid(x)
After:
    class Swish(nn.Module):
        def forward(self, x):
            return x * torch.sigmoid(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.callers import FORWARD
from pdt_annotate.mends.kit.construction import family_of, is_of_torch
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything
from pdt_annotate.source.syntax import last_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

SELF = "self"


def find(site: FunctionContext) -> Iterator[Mend]:
    node, cls = site.node, site.cls
    if node.name != FORWARD or cls is None or [ast.unparse(each) for each in node.decorator_list] != ["staticmethod"]:
        return
    family, parameters = family_of(site, cls), [parameter.name for parameter in site.function.parameters]
    names = {each.node.name for each in family}
    read = (each for file in site.project.with_name(FORWARD) for each in site.project.read(file).nodes)
    is_static_call = any(
        isinstance(n, ast.Attribute) and n.attr == FORWARD and last_name(n.value) in names for n in read
    )
    if is_static_call or SELF in parameters or not any(is_of_torch(site, each, "torch.nn") for each in family):
        return
    start, end = site.text.line_start(node.decorator_list[0].lineno), site.text.line_start(node.lineno)
    inside = site.text.body.index(b"(", site.text.name_start(node)) + 1
    edits = [Edit(start, "", removed=end - start), Edit(inside, f"{SELF}, " if parameters else SELF)]
    yield site.mend(node, f"`{site.function.owner.qualname}` is no longer static", edits)


RULE = MendRule("static_forwards", MendKind.EXACT, anything, find)

"""A module class gets a `forward` that is a method: `__call__` is renamed to `forward`, and a static one gets `self`.

If only `__call__` is defined, it becomes an alias of `forward`. The compiler passes the module to a static `forward`,
too.

Message: `_forward_unimplemented`: without a `forward`, the compiler compiles nothing of the model. For a static
    `forward`, `but instead found type '__torch__.`, `methods must have a self argument`, and other messages about a
    parameter that gets the module.
Kind: Exact.
Needs:
    - The class inherits from a class of torch, for a static `forward` from one of torch.nn.
    - An example enters its `__call__`, and neither the class nor a base class or subclass of it in the project defines
      `forward`.
    - Or `staticmethod` is the only decorator of `forward`, and no code of the project calls it on the class, as in
      `Swish.forward(x)`.
Before:
    class Loss(nn.Module):
        def __call__(self, x, y):
            return (x - y).abs().mean()


    class Swish(nn.Module):
        @staticmethod
        def forward(x):
            return x * torch.sigmoid(x)
After:
    class Loss(nn.Module):
        def forward(self, x, y):
            return (x - y).abs().mean()

        __call__ = forward


    class Swish(nn.Module):
        def forward(self, x):
            return x * torch.sigmoid(x)
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_FORWARD
from pdt_annotate.mends.kit.callers import FORWARD
from pdt_annotate.mends.kit.construction import family_of, is_of_torch
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, anything, quoted
from pdt_annotate.source.scopes import defined_in
from pdt_annotate.source.syntax import last_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

CALL, SELF = "__call__", "self"
LACKS_FORWARD = quoted(NO_FORWARD)


def find(site: FunctionContext) -> Iterator[Mend]:
    if site.failure and LACKS_FORWARD(site.failure):
        files = tuple(site.project.with_name(CALL))
        called = (function for file in files for function in site.project.read(file).functions)
        yield from (mend for function in called for mend in _renamed(site.at(function)))
    yield from _unstatic(site)


def _renamed(site: FunctionContext) -> Iterator[Mend]:
    node, family = site.node, family_of(site, site.cls) if site.cls and site.node.name == CALL else ()
    has_forward = any(FORWARD in defined_in(each.node.body) for each in family)
    if site.is_entered() and not has_forward and any(is_of_torch(site, each) for each in family):
        start = site.text.body.index(CALL.encode(), site.text.start(node))
        behind = site.insert_behind(node, f"{CALL} = {FORWARD}")
        edits = [Edit(start, FORWARD, removed=len(CALL)), Edit(behind.offset, site.text.newline + behind.text)]
        yield site.mend(node, f"`{site.function.owner.qualname}` becomes `{FORWARD}`", edits)


def _unstatic(site: FunctionContext) -> Iterator[Mend]:
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


RULE = MendRule("forwards", MendKind.EXACT, anything, find)

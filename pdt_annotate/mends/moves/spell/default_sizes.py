"""A default that is one number for all dimensions becomes the tuple that calls pass.

Message: any about a Union, such as `but instead found type 'Union[List[int], int]'`.
Kind: exact.
Needs: a whole number as the default of a parameter for which calls only passed tuples of ints; the function only passes
    it on to a convolution or a pool of torch, which takes one number for as many equal ones.
Before:
    def conv_ws(x, weight, stride=1):
        weight = weight - weight.mean(dim=1, keepdim=True)
        return F.conv2d(x, weight, None, stride)
After:
    def conv_ws(x, weight, stride=(1, 1)):
        weight = weight - weight.mean(dim=1, keepdim=True)
        return F.conv2d(x, weight, None, stride)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import UNION
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import loads
from pdt_annotate.source.definitions import defaults_of
from pdt_annotate.source.expressions import INT
from pdt_annotate.values.mends import Mend, MendKind

TAKING = re.compile(r"torch\.(?:nn\.functional\.)?(?P<name>\w+?)(?P<dimensions>[123])d")
SIZES: Mapping[str, tuple[str, ...]] = {
    "conv": ("", "", "", "stride", "padding", "dilation"),
    "conv_transpose": ("", "", "", "stride", "padding", "output_padding", "", "dilation"),
    "max_pool": ("", "kernel_size", "stride", "padding", "dilation"),
    "avg_pool": ("", "kernel_size", "stride", "padding"),
}
"""The parameters that take one number for all dimensions, by position."""


def find(site: FunctionContext) -> Iterator[Mend]:
    for name, default in defaults_of(site.node).items():
        types = site.observed(name)
        size = len(types[0].args) if types and set(types[0].args) == {INT} and types[0].name == "tuple" else 0
        is_number = isinstance(default, ast.Constant) and type(default.value) is int
        is_passed_on = name not in site.stored_names and {_taken(site, use) for use in loads(site.node, name)} == {size}
        if is_number and is_passed_on and size and len(types) == 1:
            new = f"({', '.join([site.source(default)] * size)}{',' * (size == 1)})"
            summary = f"`{name}={new}` of `{site.node.name}`, as calls pass it"
            yield site.mend(RULE.name, MendKind.EXACT, default, summary, [site.replace(default, new)])


def _taken(site: FunctionContext, use: ast.Name) -> int:
    """How many numbers a function of torch takes where a name is passed; 0 anywhere else."""
    outer = site.parents[use]
    call = site.parents[outer] if isinstance(outer, ast.keyword) else outer
    meant = TAKING.fullmatch(site.meaning(call.func)) if isinstance(call, ast.Call) else None
    names = SIZES.get(meant["name"], ()) if meant else ()
    if not isinstance(call, ast.Call) or not meant or any(isinstance(each, ast.Starred) for each in call.args):
        return 0
    index = call.args.index(use) if use in call.args else len(names)
    taken = outer.arg if isinstance(outer, ast.keyword) else names[index] if index < len(names) else ""
    return int(meant["dimensions"]) if taken and taken in names else 0


RULE = MendRule("default_sizes", MendKind.EXACT, quoted(UNION), find)

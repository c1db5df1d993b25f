"""`pack` and `unpack` of einops as functions of the user's file, which read their pattern when they run."""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import insert_at_top
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.values.mends import Mend

PACK = """
def {name}(tensors: {tensors}, pattern: str):
    axes = pattern.split()
    dim = axes.index("*")
    after = len(axes) - dim - 1
    shapes = [each.shape[dim : each.dim() - after] for each in tensors]
    parts = [
        each.reshape(list(each.shape[:dim]) + [-1] + list(each.shape[each.dim() - after :]))
        for each in tensors
    ]
    return {cat}(parts, dim=dim), shapes
"""
UNPACK = """
def {name}(tensor: {tensor}, packed_shapes: {shapes}, pattern: str):
    dim = pattern.split().index("*")
    sizes = [-1 if -1 in shape else {empty}(shape, device="meta").numel() for shape in packed_shapes]
    if -1 in sizes:
        sizes[sizes.index(-1)] = tensor.shape[dim] - sum(sizes) - 1
    parts = []
    start = 0
    for shape, size in zip(packed_shapes, sizes):
        part = tensor.narrow(dim, start, size)
        parts.append(part.reshape(list(tensor.shape[:dim]) + list(shape) + list(tensor.shape[dim + 1 :])))
        start += size
    assert len(parts) == 0 or start == tensor.shape[dim]
    return parts
"""
FUNCTIONS = {"pack": PACK, "unpack": UNPACK}
"""Equivalents of the functions of einops, with the same parameters. All results of `unpack` are views, as in einops."""
NAMES = {
    **{"cat": "torch.cat", "empty": "torch.empty", "tensor": "torch.Tensor"},
    **{"tensors": "typing.List[torch.Tensor]", "shapes": "typing.List[typing.List[int]]"},
}
"""The names in them that the file may spell in other ways."""


def call_own(site: FunctionContext, call: ast.Call, operation: str) -> Iterator[Mend]:
    """Call an equivalent function in the same file, which is written unless it is there already."""
    wanted = f"{operation}_tensors"
    spelled = {key: site.spell(name) for key, name in NAMES.items()}
    new = _without_name(ast.parse(FUNCTIONS[operation].format(name=wanted, **spelled)).body[0])
    present = (each.node.name for each in site.module.functions if _without_name(each.node) == new)
    name, edits = next(present, ""), []
    if not name:
        name = site.free_name(wanted)
        edits.append(insert_at_top(site, FUNCTIONS[operation].format(name=name, **spelled).strip(), before_all=True))
    edits.append(site.replace(call.func, name))
    if call.args and isinstance(tensors := call.args[0], ast.Tuple):
        edits.append(site.replace(tensors, f"[{site.source(tensors)[1:-1]}]"))
    yield site.mend(call, f"call `{name}`, which the compiler reads, for `{ast.unparse(call.func)}` of einops", edits)


def _without_name(function: ast.AST) -> str:
    return ast.unparse(function).partition("(")[2]

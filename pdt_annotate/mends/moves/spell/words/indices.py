"""Indices of a tensor: tuples as lists, and lists and tensors among them if a `...` is before."""

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import helper_at_top, when_scripted
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import ATOM, CHOICE, Expression, spell
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import MendKind

HELPER = """\
def {}(x: torch.Tensor, index: torch.Tensor, after: int):
    is_mask = index.dtype == torch.bool or index.dtype == torch.uint8
    before = x.dim() - after - (index.dim() if is_mask else 1)
    indices: typing.List[typing.Optional[torch.Tensor]] = [None for _ in range(before)]
    indices.append(index)
    return torch.ops.aten.index(x, indices)"""


def without_dots(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    """`x[..., [0, 2]]` as a call of a function that counts the dimensions in front of the index."""
    name, edits = helper_at_top(site, "_index_behind", HELPER)

    def put(node: ast.expr) -> Expression | None:
        match node:
            case ast.Subscript(value, ast.Tuple([*indices]), ast.Load()) if site.is_always(value, *TENSORS):
                places = [i for i, each in enumerate(indices) if _as_tensor(site, each)]
                dots = [i for i, each in enumerate(indices) if isinstance(each, ast.Constant) and each.value is ...]
            case _:
                return None
        others = [each for i, each in enumerate(indices) if i not in (*dots, *places)]
        if not len(places) == len(dots) == 1 or dots > places or not all(isinstance(e, ast.Slice) for e in others):
            return None
        [place], base, parts = places, spell(site, value, put).at_least(ATOM), [site.source(each) for each in indices]
        if any(site.source(each) != ":" for each in others):
            base += f"[{', '.join([*parts[:place], ':', *parts[place + 1 :]])}]"
        return Expression(f"{name}({base}, {_as_tensor(site, indices[place])}, {len(parts) - place - 1})")

    for node in (each for each in ast.walk(site.node) if isinstance(each, ast.expr)):
        if new := put(node):
            yield MendKind.EXACT, node, [when_scripted(site, node, new.text), *edits]


def _as_tensor(site: FunctionContext, index: ast.expr) -> str:
    """The text of an index as a tensor; "" if it is no list of ints and no tensor."""
    if site.is_always(index, *TENSORS):
        return spell(site, index).at_least(CHOICE)
    make = site.spell("torch.tensor")
    if isinstance(index, (ast.List, ast.Tuple)):
        are_ints = index.elts and all(site.is_always(each, "int") for each in index.elts)
        return f"{make}([{', '.join(map(site.source, index.elts))}])" if are_ints else ""
    whole = site.spell("torch.int64")
    return f"{make}({site.source(index)}, dtype={whole})" if site.is_always(index, "list[int]") else ""

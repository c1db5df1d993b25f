"""The values that a loop goes through: layers, other lists, ranges; slices, `zip`, `enumerate`, `reversed` of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.mends.kit.construction import is_list, is_list_of_lists, names_in_list
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import ATOM, is_plain, spell
from pdt_annotate.source.syntax import CHANGING, plain_assignments

PARTS = frozenset(("chunk", "split", "tensor_split", "unbind"))  # the compiler has a list where Python has a tuple


@dataclass(frozen=True)
class Item:
    """The item of a loop in each round: a text, or several items. `depth`: layers, or lists of layers."""

    text: str = ""
    depth: int = 0
    parts: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Walk:
    """Something to iterate over: its length, and its item at an index.

    `whole`: the compiler can write it out. `listed`: a list of layers that the compiler cannot read.
    """

    length: str
    at: Callable[[str], Item]
    has_layers: bool = False
    whole: bool = True
    others: tuple[str, ...] = ()
    listed: str = ""


def walk_of(site: FunctionContext, node: ast.expr) -> Walk | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and node.args:
        return None if node.func.id in site.local_names else _walk_of_call(site, node.func.id, node.args)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        walk = walk_of(site, node.value)
        return _slice(walk, node.slice) if walk and walk.has_layers else walk and other_list(site, node)
    held = site.held(site.self_attribute(node))
    if is_list(held):
        text = site.source(node)
        depth = 2 if is_list_of_lists(held) else 1
        return Walk(f"len({text})", lambda index: Item(f"{text}[{index}]", depth), has_layers=True)
    if names := names_in_list(site, site.self_attribute(node)):
        text = site.source(node)
        return Walk(
            str(len(names)), lambda index: Item(f"{text}[{index}]", 1), has_layers=True, whole=False, listed=text
        )
    return other_list(site, node)


def _walk_of_call(site: FunctionContext, name: str, args: list[ast.expr]) -> Walk | None:
    walks = [walk_of(site, arg) for arg in args] if name != "range" else []
    inner = [walk for walk in walks if walk is not None]
    if name == "range" and len(args) == 1:
        return Walk(spell(site, args[0]).at_least(ATOM), Item, whole=False)
    if name == "zip" and len(inner) == len(args):
        lengths = list(dict.fromkeys(walk.length for walk in inner))
        length = f"min({', '.join(lengths)})" if len(lengths) > 1 else lengths[0]
        return Walk(
            length,
            lambda index: Item(parts=tuple(walk.at(index) for walk in inner)),
            any(walk.has_layers for walk in inner),
            all(walk.whole and walk.has_layers for walk in inner),
            tuple(other for walk in inner for other in walk.others),
        )
    if len(args) != 1 or not inner:
        return None
    [walk] = inner
    if name == "enumerate":
        return replace(walk, at=lambda index: Item(parts=(Item(index), walk.at(index))))
    if name == "reversed":
        return _backwards(walk)
    return walk if name in ("list", "tuple", "iter") else None


def other_list(site: FunctionContext, node: ast.expr) -> Walk | None:
    """A list or a tensor, which nothing evaluates again."""
    is_cut = isinstance(node, ast.Name) and all(
        isinstance(assign.value, ast.Call) and getattr(assign.value.func, "attr", "") in PARTS
        for name, assign in plain_assignments(site.node)
        if name == node.id
    )
    # Nothing iterates over None: the values are those of all expressions with this text.
    types = {value.type.removeprefix("builtins.") for value in site.values(node)} - {"NoneType"}
    if not types or not types <= {"list", "torch.Size", *TENSORS, *(["tuple"] if is_cut else [])}:
        return None
    text = site.source(node)
    is_list_literal = isinstance(node, ast.Subscript) and is_plain(node.value)
    if not is_plain(node) and not is_list_literal:
        return None
    root = node.value if isinstance(node, ast.Subscript) else node
    return Walk(f"len({text})", lambda index: Item(f"{text}[{index}]"), whole=False, others=(ast.unparse(root),))


def _backwards(walk: Walk) -> Walk:
    return replace(
        walk,
        at=lambda index: walk.at(f"{walk.length} - 1 - {index if index.isidentifier() else f'({index})'}"),
        whole=False,
    )


def _slice(walk: Walk, cut: ast.Slice) -> Walk | None:
    """A part of a list between literals; None for other slices."""
    try:
        start, stop, step = (ast.literal_eval(each) if each else None for each in (cut.lower, cut.upper, cut.step))
    except ValueError:
        return None
    if step == -1 and start is stop is None:
        return _backwards(walk)
    start, step = start or 0, step or 1
    if step < 1 or start < 0:
        return None
    end = walk.length
    if stop is not None:
        end = f"min({stop}, {walk.length})" if stop >= 0 else walk.length
    less = start - min(stop or 0, 0) - (step - 1)
    shift = f" - {less}" if less > 0 else f" + {-less}" if less else ""
    length = end + shift
    if step > 1:
        length = f"({length}) // {step}" if shift else f"{length} // {step}"

    def at(index: str) -> Item:
        index = index if step == 1 else f"{index if index.isidentifier() else f'({index})'} * {step}"
        return walk.at(f"{index} + {start}" if start else index)

    return replace(walk, length=length, at=at, whole=False)


def changes(inside: Sequence[ast.AST], walk: Walk, index: str) -> bool:
    """Whether nodes set the index of a loop, or change the values that it runs over."""
    set_there = {ast.unparse(n) for n in inside if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del))}
    called = [n.func for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    grown = {ast.unparse(func.value) for func in called if func.attr in CHANGING}
    return index in set_there or not set_there.union(grown).isdisjoint(walk.others)

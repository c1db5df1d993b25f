"""Loops, and the values over which they iterate: layers, other lists, ranges, and slices, `zip` and so on of them."""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.mends.kit.blocks import COMPREHENSIONS
from pdt_annotate.mends.kit.construction import LISTED, is_list, is_list_of_lists, layers_in
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import ATOM, is_plain, spell
from pdt_annotate.source.syntax import CHANGING, assignments, is_name

PARTS = frozenset(("chunk", "split", "tensor_split", "unbind"))  # the compiler has a list where Python has a tuple

CHOICE = " if "  # in the length of a slice whose end may be negative


@dataclass(frozen=True)
class Loop:
    """A loop, or a comprehension with one `for`."""

    node: ast.stmt | ast.expr
    target: ast.expr
    iterated: ast.expr
    inside: tuple[ast.AST, ...]  # all nodes of the code of a round

    @property
    def first(self) -> ast.stmt | None:
        """The first statement of a round; None for a comprehension."""
        return self.node.body[0] if isinstance(self.node, ast.For) else None

    def reads(self, name: str) -> list[ast.Name]:
        return [n for n in self.inside if is_name(n, name) and isinstance(n.ctx, ast.Load)]


def loops(site: FunctionContext) -> Iterator[Loop]:
    for node in ast.walk(site.node):
        if isinstance(node, ast.For):
            yield Loop(node, node.target, node.iter, tuple(inner for each in node.body for inner in ast.walk(each)))
        elif isinstance(node, COMPREHENSIONS) and len(node.generators) == 1:
            head = node.generators[0]
            parts = [*(child for child in ast.iter_child_nodes(node) if child is not head), *head.ifs]
            yield Loop(node, head.target, head.iter, tuple(inner for each in parts for inner in ast.walk(each)))


def columns(target: ast.expr, iterated: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Pairs of a target of a loop and the expression over which it iterates. `enumerate` and `zip` are split up."""
    match iterated, target:
        case ast.Call(ast.Name("enumerate"), [inner, *_]), ast.Tuple([ast.Name(), part]):
            iterated, target = inner, part
    match iterated, target:
        case ast.Call(ast.Name("zip"), args, []), ast.Tuple(parts) if len(args) == len(parts):
            return list(zip(parts, args, strict=True))
    return [(target, iterated)]


@dataclass(frozen=True)
class Item:
    """The item of a loop in each round: a text, or several items. `depth`: layers, or lists of layers."""

    text: str = ""
    depth: int = 0
    parts: "tuple[Item, ...]" = ()


@dataclass(frozen=True)
class Walk:
    """Something to iterate over: its length, and its item at an index."""

    length: str
    at: Callable[[str], Item]
    has_layers: bool = False
    whole: bool = True  # the compiler can write it out
    others: tuple[str, ...] = ()  # lists and tensors in it
    listed: str = ""  # a list of layers that the compiler cannot read


def walk_of(site: FunctionContext, node: ast.expr) -> Walk | None:
    match node:
        case ast.Call(ast.Name(name)) if name in site.known_names:
            return None
        case ast.Call(ast.Name("range"), [bound], []):
            return Walk(spell(site, bound).at_least(ATOM), Item, whole=False)
        case ast.Call(ast.Name("zip"), args, []):
            return _together([walk_of(site, arg) for arg in args])
        case ast.Call(ast.Name("enumerate"), [arg], []) if counted := walk_of(site, arg):
            return replace(counted, at=lambda index: Item(parts=(Item(index), counted.at(index))))
        case ast.Call(ast.Name("reversed"), [arg], []) if walk := walk_of(site, arg):
            return _backwards(walk)
        case ast.Call(ast.Name("list" | "tuple" | "iter"), [arg], []):
            return walk_of(site, arg)
        case ast.Subscript(value, ast.Slice() as cut):
            walk = walk_of(site, value)
            return _slice(site, walk, cut) if walk and walk.has_layers else walk and other_list(site, node)
    held, text = site.held(site.self_attribute(node)), site.source(node)
    if is_list(held):
        depth = 2 if is_list_of_lists(held) else 1
        return Walk(f"len({text})", lambda index: Item(f"{text}[{index}]", depth), has_layers=True)
    if layers := layers_in(site, site.self_attribute(node), LISTED):
        length = str(len(layers))
        return Walk(length, lambda index: Item(f"{text}[{index}]", 1), has_layers=True, whole=False, listed=text)
    return other_list(site, node)


def _together(walks: Sequence[Walk | None]) -> Walk | None:
    """`zip` of several; None if one of them is not known."""
    known = [walk for walk in walks if walk is not None]
    if not known or len(known) < len(walks):
        return None
    lengths = list(dict.fromkeys(walk.length for walk in known))
    return Walk(
        f"min({', '.join(lengths)})" if len(lengths) > 1 else lengths[0],
        lambda index: Item(parts=tuple(walk.at(index) for walk in known)),
        any(walk.has_layers for walk in known),
        all(walk.whole and walk.has_layers for walk in known),
        tuple(other for walk in known for other in walk.others),
    )


def other_list(site: FunctionContext, node: ast.expr) -> Walk | None:
    """A list or a tensor, which nothing evaluates again."""
    is_cut = isinstance(node, ast.Name) and all(
        isinstance(each.value, ast.Call) and getattr(each.value.func, "attr", "") in PARTS
        for each in assignments(site.node, node.id)
    )
    # Nothing iterates over None: the values are those of all expressions with this text.
    types = {value.type.removeprefix("builtins.") for value in site.values(node)} - {"NoneType"}
    if not types or not types <= {"list", "torch.Size", *TENSORS, *(["tuple"] if is_cut else [])}:
        return None
    text, root = site.source(node), node.value if isinstance(node, ast.Subscript) else node
    if not is_plain(root):
        return None
    return Walk(f"len({text})", lambda index: Item(f"{text}[{index}]"), whole=False, others=(ast.unparse(root),))


def _backwards(walk: Walk) -> Walk | None:
    if CHOICE in walk.length:
        return None
    return replace(
        walk,
        at=lambda index: walk.at(f"{walk.length} - 1 - {index if index.isidentifier() else f'({index})'}"),
        whole=False,
    )


def _slice(site: FunctionContext, walk: Walk, cut: ast.Slice) -> Walk | None:
    """A part of a list between literals, or from its start to a plain int; None for other slices."""
    match cut:
        case ast.Slice(None, ast.Name() | ast.Attribute() as last, None) if site.is_always(last, "int") and walk.whole:
            text = site.source(last)
            length = f"min({text}, {walk.length}){CHOICE}{text} >= 0 else {walk.length} + {text}"
            return replace(walk, length=length, whole=False)
    if CHOICE in walk.length:
        return None
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

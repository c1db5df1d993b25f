"""A loop over layers that the compiler cannot write out becomes a loop over indices.

It only writes out loops over whole lists of layers: from the start to the end, without other lists, `break` and
`continue`. `chosen_layers` then calls the layers.

Message: `Can not iterate over a module list or tuple with a value that does not have a statically determinable length`,
    `we do not support break or continue inside the body of these loops`, `has no attribute or method '__call__'`,
    `reversed(Tensor 0) -> Tensor`, `tuple slice indices must be integer constants`, `module cannot be used as a tuple`,
    `Module` … `has no attribute` (`'_modules'`, or a plain list).
Kind: exact; frozen for `_modules` of what is no list, if `children()` has all of them, for other lists that are as
    long, and for a plain list of layers, whose number is asserted.
Needs: lists of layers (a plain list of `self` if it always holds the same attributes), each layer only called unless
    the other lists are as long; other lists and tensors, which the loop does not change; slices between literals.
Before:
    for layer, y in zip(self.layers, ys):
        x = layer(x) + y
    for layer, y in zip(self.layers[1:], ys):
        x = layer(x) + y
After:
    assert len(ys) >= len(self.layers)
    for i, layer in enumerate(self.layers):
        y = ys[i]
        x = layer(x) + y
    for i in range(min(len(self.layers) - 1, len(ys))):
        y = ys[i]
        x = self.layers[i + 1](x) + y
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.findings.messages.said import (
    NO_ATTRIBUTE,
    NO_BREAK,
    NO_CALL,
    NO_LENGTH,
    NO_LITERAL_SLICE,
    NO_MODULES,
    REVERSED,
    UNPACKED_MODULE,
)
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, IS_SCRIPTING, ends_early, loops, statement_of_first
from pdt_annotate.mends.kit.construction import is_call, is_list, is_list_of_lists, names_in_list
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import ARITHMETIC, ATOM, Expression, is_plain, loads, spell, stores
from pdt_annotate.source.syntax import is_name, plain_assignments
from pdt_annotate.values.mends import Mend, MendKind

CHILDREN = {"items": "named_children", "values": "children"}
PARTS = frozenset(("chunk", "split", "tensor_split", "unbind"))  # the compiler has a list where Python has a tuple
GROWING = frozenset(("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"))

ITERATED = {"torch.nn.Sequential", "torch.nn.ModuleList"}


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


def find(site: FunctionContext) -> Iterator[Mend]:
    for node, loop, inside in loops(site):
        yield from _modules(site, loop.iter)
        yield from _displays(site, loop.iter)
        walk = _walk(site, loop.iter)
        leaves = ends_early(site, loop)
        if walk is None or not walk.has_layers or (walk.whole and not leaves):
            continue
        if not leaves and (mend := _beside(site, node, loop, inside)):
            yield mend  # where that is too much, the loop over indices is exact
        index = _index(site, loop)
        bound = _bound(loop.target, walk.at(index))
        if bound is None or _changes(site, inside, walk, index):
            continue
        edits = [site.replace(loop.target, index), site.replace(loop.iter, f"range({walk.length})")]
        lines = list[str]()
        for target, item in bound:
            uses = [use for part in inside for use in loads(part, target.id)] if isinstance(target, ast.Name) else []
            if item.depth == 0 and isinstance(loop, ast.For):
                lines += [] if is_name(target, item.text) else [f"{_bare(target)} = {item.text}"]
            elif not isinstance(target, ast.Name) or not _can_replace(site, node, target.id, uses, item):
                break
            else:
                new = Expression(item.text, ATOM if item.text.endswith("]") else ARITHMETIC)
                edits += [site.replace(use, new.at_least(ATOM)) for use in uses if use.id != item.text]
        else:
            first = loop.body[0] if isinstance(loop, ast.For) else None
            if first is not None and first.lineno == loop.target.lineno:
                continue
            edits += [site.insert_before(first, "\n".join(lines))] if lines and first is not None else []
            statement = site.statement(loop.target)[0]
            frozen = bool(walk.listed) and site.begins_line(statement)
            if frozen:
                check = f"if not {site.spell(IS_SCRIPTING)}():\n    assert len({walk.listed}) == {walk.length}"
                edits.append(site.insert_before(statement, check))
            summary = f"loop over the indices of `{' '.join(site.source(loop.iter).split())}`"
            yield site.mend(loop.target, summary, edits, frozen=frozen)


def _displays(site: FunctionContext, node: ast.expr) -> Iterator[Mend]:
    """`zip((x, y), self.layers)` for `zip([x, y], self.layers)`: the compiler knows the length of the tuple."""
    args = [each for call in ast.walk(node) if is_call(call, "zip") for each in call.args]
    for each in args if any(is_list(site.held(site.self_attribute(arg))) for arg in args) else ():
        if isinstance(each, ast.List) and each.elts and not any(isinstance(part, ast.Starred) for part in each.elts):
            text = site.source(each)[1:-1]
            new = f"({text})" if len(each.elts) > 1 or text.rstrip().endswith(",") else f"({text},)"
            yield site.mend(each, "write the list as a tuple", [site.replace(each, new)])


def _beside(
    site: FunctionContext, node: ast.AST, loop: ast.For | ast.comprehension, inside: Sequence[ast.AST]
) -> Mend | None:
    """`for i, layer in enumerate(self.layers): y = ys[i]`, for `zip` of lists of layers and other lists, as long."""
    target, iterated, index = loop.target, loop.iter, _index(site, loop)
    if is_call(iterated, "enumerate") and len(iterated.args) == 1 and isinstance(target, ast.Tuple):
        target, iterated = target.elts[-1], iterated.args[0]
    args = iterated.args if is_call(iterated, "zip") else []
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(args):
        return None
    pairs = list(zip(target.elts, args, strict=True))
    layers = [(each, arg) for each, arg in pairs if is_list(site.held(site.self_attribute(arg)))]
    others = [(each, walk, arg) for each, arg in pairs if (each, arg) not in layers and (walk := _other(site, arg))]
    most = max((value.length for _, arg in layers for value in site.held(site.self_attribute(arg)).values), default=-1)
    lengths = [value.length for _, _, arg in others for value in site.values(arg)]
    if len(layers) + len(others) < len(pairs) or not layers or not lengths or min(lengths) < most:
        return None
    if any(_changes(site, inside, walk, index) for _, walk, _ in others):
        return None
    names, lists = (", ".join(map(site.source, column)) for column in zip(*layers, strict=True))
    edits = [site.replace(loop.target, f"{index}, {names if len(layers) == 1 else f'({names})'}")]
    edits.append(site.replace(loop.iter, f"enumerate({lists if len(layers) == 1 else f'zip({lists})'})"))
    if isinstance(loop, ast.For):
        if loop.body[0].lineno == loop.target.lineno:
            return None
        statement: ast.stmt | None = loop
        taken = [f"{_bare(each)} = {walk.at(index).text}" for each, walk, _ in others]
        edits.append(site.insert_before(loop.body[0], "\n".join(taken)))
    else:
        statement = statement_of_first(site, node)  # type: ignore[arg-type]
        if statement is None or not all(isinstance(each, ast.Name) for each, _, _ in others):
            return None
        new = {each.id: walk.at(index).text for each, walk, _ in others if isinstance(each, ast.Name)}
        edits += [site.replace(use, new[name]) for part in inside for name in new for use in loads(part, name)]
    assert statement is not None
    checks = [f"assert {walk.length} >= len({site.source(layers[0][1])})" for _, walk, _ in others]
    edits.append(site.insert_before(statement, "\n".join(checks)))
    return site.mend(loop.target, f"loop over `{lists}` alone, and take the rest by index", edits, frozen=True)


def _modules(site: FunctionContext, node: ast.expr) -> Iterator[Mend]:
    """`self.layers._modules.values()` as `self.layers`, `self._modules.items()` as `self.named_children()`."""
    func = node.func if isinstance(node, ast.Call) and not node.args else None
    inner = func.value if isinstance(func, ast.Attribute) and func.attr in CHILDREN else None
    if not isinstance(func, ast.Attribute) or not isinstance(inner, ast.Attribute) or inner.attr != "_modules":
        return
    text, statement = site.source(inner.value), site.statement(node)[0]
    summary = f"write `{text}.{CHILDREN[func.attr]}()` for `{site.source(node)}`"
    bases = site.cls.node.bases if site.cls and text == site.function.receiver else ()
    is_own = {site.meaning(base) for base in bases} & ITERATED and not site.module.function_named(
        f"{site.function.in_class}.__iter__"
    )
    if func.attr == "values" and (is_own or is_list(site.held(site.self_attribute(inner.value)))):
        yield site.mend(node, f"loop over `{text}`", [site.replace(node, text)])
    elif is_plain(inner.value) and site.begins_line(statement):
        # It leaves out layers that are None, or there twice.
        asked = site.spell(IS_SCRIPTING)
        check = f"if not {asked}():\n    assert len(list({text}.children())) == len({text}._modules)"
        edits = [site.insert_before(statement, check), site.replace(node, f"{text}.{CHILDREN[func.attr]}()")]
        yield site.mend(node, summary, edits, frozen=True)


def _walk(site: FunctionContext, node: ast.expr) -> Walk | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and node.args:
        return None if node.func.id in site.local_names else _walk_of_call(site, node.func.id, node.args)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        walk = _walk(site, node.value)
        return _slice(walk, node.slice) if walk and walk.has_layers else walk and _other(site, node)
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
    return _other(site, node)


def _walk_of_call(site: FunctionContext, name: str, args: list[ast.expr]) -> Walk | None:
    walks = [_walk(site, arg) for arg in args] if name != "range" else []
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


def _other(site: FunctionContext, node: ast.expr) -> Walk | None:
    """A list or a tensor, which nothing evaluates again."""
    is_cut = isinstance(node, ast.Name) and all(
        isinstance(assign.value, ast.Call) and getattr(assign.value.func, "attr", "") in PARTS
        for name, assign in plain_assignments(site.node)
        if name == node.id
    )
    types = {value.type.removeprefix("builtins.") for value in site.values(node)}
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
    start = start or 0
    if step not in (None, 1) or start < 0:
        return None
    end = walk.length
    if stop is not None:
        end = f"min({stop}, {walk.length})" if stop >= 0 else walk.length
    less = start - min(stop or 0, 0)
    length = f"{end} - {less}" if less else end
    return replace(walk, length=length, at=lambda index: walk.at(f"{index} + {start}" if start else index), whole=False)


def _index(site: FunctionContext, loop: ast.For | ast.comprehension) -> str:
    """The name of the index: what `enumerate` gives it, or a new one."""
    if is_call(loop.iter, "enumerate") and isinstance(loop.target, ast.Tuple):
        first = loop.target.elts[0]
        if isinstance(first, ast.Name):
            return first.id
    known = {n.id for n in ast.walk(site.node) if isinstance(n, ast.Name)} | {*site.local_names, *site.module.qualnames}
    return next((name for name in ("i", "j", "k", "index") if name not in known), site.free_name("index"))


def _bound(target: ast.expr, item: Item) -> list[tuple[ast.expr, Item]] | None:
    """The targets of a loop, each with its item; None if an item cannot be taken apart."""
    if isinstance(target, (ast.Tuple, ast.List)) and (item.parts or item.depth > 1):
        parts = item.parts or [Item(f"{item.text}[{n}]", item.depth - 1) for n in range(len(target.elts))]
        found = [_bound(*each) for each in zip(target.elts, parts, strict=False)]
        if len(target.elts) != len(parts) or None in found:
            return None
        return [pair for each in found if each is not None for pair in each]
    return None if item.parts or (item.depth and not isinstance(target, ast.Name)) else [(target, item)]


def _bare(target: ast.expr) -> str:
    """A target as a statement has it, without parentheses."""
    text = ast.unparse(target)
    return text[1:-1] if isinstance(target, ast.Tuple) and len(target.elts) > 1 else text


def _changes(site: FunctionContext, inside: Sequence[ast.AST], walk: Walk, index: str) -> bool:
    """Whether a loop sets its index, or changes the values that it runs over."""
    nodes = [node for part in inside for node in ast.walk(part)]
    set_there = {ast.unparse(n) for n in nodes if isinstance(getattr(n, "ctx", None), (ast.Store, ast.Del))}
    called = [n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    grown = {ast.unparse(func.value) for func in called if func.attr in GROWING}
    return index in set_there or not set_there.union(grown).isdisjoint(walk.others)


def _can_replace(site: FunctionContext, loop: ast.AST, name: str, uses: list[ast.Name], item: Item) -> bool:
    """Whether the item may replace a name in a loop: nothing else binds or reads it; a layer is only called."""
    inner = {id(node) for node in ast.walk(loop)}
    is_alone = isinstance(loop, COMPREHENSIONS)  # its names mean nothing outside
    outside = [n for n in loads(site.node, name) if id(n) not in inner and not is_alone]
    others = [outer for n in outside for outer in site.around(n) if isinstance(outer, (ast.For, *COMPREHENSIONS))]
    is_bound_there = all(any(stores(outer, name) for outer in site.around(n) if outer in others) for n in outside)
    is_called = all(_is_callee(site, use, item.depth) for use in uses)
    return len(stores(loop, name)) == 1 and is_bound_there and (item.depth == 0 or is_called)


def _is_callee(site: FunctionContext, use: ast.expr, depth: int) -> bool:
    parent = site.parents[use]
    if depth > 1 and isinstance(parent, ast.Subscript) and parent.value is use:
        return _is_callee(site, parent, depth - 1)
    return isinstance(parent, ast.Call) and parent.func is use


RULE = MendRule(
    "walked_layers",
    MendKind.EXACT,
    quoted(NO_ATTRIBUTE, NO_LENGTH, NO_BREAK, NO_CALL, NO_MODULES, REVERSED, NO_LITERAL_SLICE, UNPACKED_MODULE),
    find,
)

"""A loop over the indices of layers becomes a loop over the layers, which the compiler writes out.

Layers that are unpacked from a list are taken by their indices.

Message: `Expected integer literal for index`, `module cannot be used as a tuple`.
Kind: exact; frozen for a loop to another bound than the length of the list, if the constructor does not show that the
    two are one.
Needs: `range` of the length of the list, of an attribute or of a number that is it; several lists have one length; no
    `break` and no `continue`. To unpack, a list of layers, or one of lists of layers, that an example unpacked.
Before:
    for i in range(len(self.layers)):
        x = self.layers[i](x) * i
    for attention, feed in self.blocks:
        x = feed(attention(x))
    ys = [self.heads[i](x) for i in range(len(self.heads))]
After:
    for i, layer in enumerate(self.layers):
        x = layer(x) * i
    for block in self.blocks:
        attention = block[0]
        feed = block[1]
        x = feed(attention(x))
    ys = [head(x) for head in self.heads]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import NO_LITERAL_INDEX, UNPACKED_MODULE
from pdt_annotate.mends.kit.blocks import ends_early, loops
from pdt_annotate.mends.kit.construction import (
    constructor,
    is_call,
    is_list,
    is_list_of_lists,
    is_set_later,
    last_setting_of_all,
    length_of,
    name_of_one,
    stores,
    uses,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import loads
from pdt_annotate.mends.kit.spelled import stores as stores_of_name
from pdt_annotate.source.syntax import CHANGING, assignments, is_call_of, is_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class Loop:
    """A loop over indices: the code of each round, the name of the index, and its bound."""

    node: ast.For | ast.comprehension
    index: str
    bound: ast.expr
    inside: Sequence[ast.AST]


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _unpacked(site) if site.is_entered() else ()
    taken = set[str]()
    for loop in sorted(_loops(site), key=lambda loop: isinstance(loop.node, ast.comprehension)):
        uses = list(_uses(site, loop))
        lists = list(dict.fromkeys(site.self_attribute(use.value) for use in uses))
        if uses and _is_plain(site, loop, lists):
            yield from _mend(site, loop, lists, uses, taken)


def _loops(site: FunctionContext) -> Iterator[Loop]:
    for _, loop, inside in loops(site):
        bounds = loop.iter.args if is_call(loop.iter, "range") else []
        if isinstance(loop.target, ast.Name) and len(bounds) == 1 and not isinstance(bounds[0], ast.Starred):
            yield Loop(loop, loop.target.id, bounds[0], inside)


def _uses(site: FunctionContext, loop: Loop) -> Iterator[ast.Subscript]:
    for node in (node for part in loop.inside for node in ast.walk(part)):
        is_taken = isinstance(node, ast.Subscript) and is_name(node.slice, loop.index)
        if is_taken and length_of(site, site.self_attribute(node.value)) is not None:  # type: ignore[attr-defined]
            yield node  # type: ignore[misc]


def _is_plain(site: FunctionContext, loop: Loop, lists: Sequence[str]) -> bool:
    """Whether the loop runs over all of each list, and neither changes its index or the lists nor ends early."""
    inside = [node for part in loop.inside for node in ast.walk(part)]
    binds = any(is_name(n, loop.index) and not isinstance(n.ctx, ast.Load) for n in inside)  # type: ignore[attr-defined]
    changes = any(s for name in lists for part in loop.inside for s in stores(part, name))
    grows = any(isinstance(n, ast.Attribute) and site.self_attribute(n.value) in lists for n in inside)
    changes |= any(not isinstance(use.ctx, ast.Load) for use in _uses(site, loop))
    lengths = {length_of(site, name) for name in lists}
    return not (binds or changes or grows or ends_early(site, loop.node)) and lengths == {_bound(site, loop.bound)}


def _bound(site: FunctionContext, bound: ast.expr) -> int | None:
    """The number of rounds, if it is the same in all modules."""
    if is_call(bound, "len") and len(bound.args) == 1:
        return length_of(site, site.self_attribute(bound.args[0]))
    if isinstance(bound, ast.Constant):
        return bound.value if isinstance(bound.value, int) else None
    attribute = site.self_attribute(bound)
    literal = site.held(attribute).literal if attribute and not is_set_later(site, attribute) else ""
    return int(literal) if literal.isdecimal() else None


def _mend(
    site: FunctionContext, loop: Loop, lists: Sequence[str], uses: Sequence[ast.Subscript], taken: set[str]
) -> Iterator[Mend]:
    """The mend of a loop. A comprehension may not use a name that an earlier loop gave to a layer: `taken`."""
    names: dict[str, str] = {}
    for attribute in lists:
        others = taken if isinstance(loop.node, ast.comprehension) else set[str]()
        names[attribute] = name_of_one(site, attribute, others | {*names.values()})
    taken.update(names.values())
    checks = [] if is_call(loop.bound, "len") else _checks(site, loop, lists)
    if checks is None:
        return
    iterated = [f"{site.function.receiver}.{attribute}" for attribute in lists]
    over = f"zip({', '.join(iterated)})" if len(lists) > 1 else iterated[0]
    target = ", ".join(names.values())
    # Code may use the index for more than taking layers: in a comprehension, or in or after a loop statement.
    taking = {id(use.slice) for use in uses}
    where = [site.node] if isinstance(loop.node, ast.For) else loop.inside
    named = (n for part in where for n in ast.walk(part) if is_name(n, loop.index) and n is not loop.node.target)
    if any(id(node) not in taking for node in named):
        over, target = f"enumerate({over})", f"{loop.index}, {f'({target})' if len(lists) > 1 else target}"
    edits = [site.replace(loop.node.target, target), site.replace(loop.node.iter, over), *checks]
    edits += [site.replace(use, names[site.self_attribute(use.value)]) for use in uses]
    summary = f"loop over the layers of {' and '.join(f'`{each}`' for each in iterated)}, not over their indices"
    yield site.mend(loop.node.target, summary, edits, frozen=bool(checks))


def _checks(site: FunctionContext, loop: Loop, lists: Sequence[str]) -> list[Edit] | None:
    """The assertions in the constructor that lists have the length of the loop; None if it cannot have them."""
    built, attribute = constructor(site), site.self_attribute(loop.bound)
    if built is None or built.receiver != site.function.receiver:
        return None
    last = last_setting_of_all(built, (*lists, *([attribute] if attribute else [])))
    if last is None:
        return None
    bound = site.source(loop.bound)
    open_ = [name for name in lists if not _has_length(site.at(built), name, loop.bound)]
    return [site.insert_behind(last, f"assert len({built.receiver}.{name}) == {bound}") for name in open_]


def _has_length(site: FunctionContext, attribute: str, bound: ast.expr) -> bool:
    """Whether the constructor shows that a list has as many layers as a bound says, in every configuration."""
    made, sized = _settings(site, attribute), _settings(site, site.self_attribute(bound))
    changed = (site.at(f).parents[n] for f, n in uses(site, attribute) if f.node is not site.node)
    if any(isinstance(each, ast.Attribute) and each.attr in CHANGING for each in changed):
        return False
    if len(made) != 1 or not is_call_of(made[0], "ModuleList") or len(sized) > 1 or not is_kept(site, attribute):
        return False
    same = (bound, *(value for value in sized if isinstance(value, ast.Name)))
    ranges = {f"range({each})" for each in map(ast.unparse, same) if not stores_of_name(site.node, each)}
    given = made[0].args[0] if made[0].args else ast.List([])
    if isinstance(given, (ast.ListComp, ast.GeneratorExp)):
        first = given.generators[0]
        return len(given.generators) == 1 and not first.ifs and ast.unparse(first.iter) in ranges
    # An empty list, its own or a local's, to which one loop appends.
    own, empty = f"{site.function.receiver}.{attribute}", given
    if isinstance(given, ast.Name):
        found, own = assignments(site.node, given.id), given.id
        is_alone = len(found) == len(stores_of_name(site.node, own)) == 1 and len(loads(site.node, own)) == 2
        empty = found[0].value if is_alone else given
    calls = [n for n in ast.walk(site.node) if isinstance(n, ast.Call) and ast.unparse(n.func).startswith(f"{own}.")]
    if not isinstance(empty, ast.List) or empty.elts or [ast.unparse(call.func) for call in calls] != [f"{own}.append"]:
        return False
    around = site.parents[calls[0]]
    loop = next((each for each in site.node.body if isinstance(each, ast.For) and around in each.body), None)
    leaves = any(isinstance(node, (ast.Break, ast.Continue, ast.Return)) for node in ast.walk(loop)) if loop else True
    return loop is not None and not leaves and ast.unparse(loop.iter) in ranges


def _settings(site: FunctionContext, attribute: str) -> list[ast.AST]:
    """The values that a constructor gives an attribute, or the nodes that bind it in other ways."""
    around = (site.parents[node] for node in stores(site.node, attribute))
    return [getattr(each, "value", each) if isinstance(each, (ast.Assign, ast.AnnAssign)) else each for each in around]


def _unpacked(site: FunctionContext) -> Iterator[Mend]:
    taken = set[str]()
    for node, loop, _ in sorted(loops(site), key=lambda found: isinstance(found[1], ast.comprehension)):
        for target, attribute in _targets(site, loop.target, loop.iter):
            # The compiler lets a comprehension use no name that an earlier loop gave to a layer.
            name = name_of_one(site, attribute, taken if isinstance(loop, ast.comprehension) else ())
            edits = [site.replace(target, name)]
            if isinstance(loop, ast.comprehension):
                parts = [(number, use) for number, part in enumerate(target.elts) for use in loads(node, part.id)]  # type: ignore[attr-defined]
                edits += [site.replace(use, f"{name}[{number}]") for number, use in parts]
            elif loop.body[0].lineno > loop.lineno:
                taken.add(name)
                edits.append(site.insert_before(loop.body[0], _taken(target, name)))
            else:
                continue
            yield site.mend(target, _summary(target, name), edits)
    for node in ast.walk(site.node):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            target, text = node.targets[0], site.source(node.value)
            is_other = text not in map(ast.unparse, target.elts)
            if _is_of_names(target) and is_other and _is_list_here(site, node.value):
                edits = [site.replace(node, _taken(target, text))]
                yield site.mend(target, _summary(target, text), edits)


def _targets(site: FunctionContext, target: ast.expr, iterated: ast.expr) -> Iterator[tuple[ast.Tuple, str]]:
    """The targets that unpack layers in a loop, each with the list that they come from."""
    if is_call(iterated, "zip") and isinstance(target, ast.Tuple):
        for part, each in zip(target.elts, iterated.args, strict=False):
            yield from _targets(site, part, each)
    elif is_call(iterated, "enumerate") and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield from _targets(site, target.elts[1], iterated.args[0])
    elif isinstance(target, ast.Tuple) and _is_of_names(target):
        attribute = site.self_attribute(iterated)
        if attribute and is_list_of_lists(site.held(attribute)):
            yield target, attribute


def _is_of_names(target: ast.Tuple) -> bool:
    return bool(target.elts) and all(isinstance(part, ast.Name) for part in target.elts)


def _is_list_here(site: FunctionContext, value: ast.expr) -> bool:
    """Whether a value is a list of layers: an attribute, or an item that a loop takes from a list of lists."""
    attribute = site.self_attribute(value)
    if attribute:
        return is_list(site.held(attribute))
    if not isinstance(value, ast.Name):
        return False
    every = [n for n in ast.walk(site.node) if isinstance(n, (ast.For, ast.comprehension))]
    targets = [n.target.elts[-1] if isinstance(n.target, ast.Tuple) and n.target.elts else n.target for n in every]
    own = [n.iter for n, last in zip(every, targets, strict=True) if is_name(last, value.id)]
    walked = [each.args[0] if is_call(each, "enumerate") and each.args else each for each in own]
    sources = [site.self_attribute(each) for each in walked]
    return len(stores_of_name(site.node, value.id)) == len(sources) > 0 and all(
        is_list_of_lists(site.held(each)) for each in sources
    )


def _taken(target: ast.Tuple, text: str) -> str:
    return "\n".join(f"{ast.unparse(part)} = {text}[{number}]" for number, part in enumerate(target.elts))


def _summary(target: ast.Tuple, text: str) -> str:
    return f"take `{ast.unparse(target).strip('()')}` from `{text}` by their indices"


RULE = MendRule("indexed_layers", MendKind.EXACT, quoted(NO_LITERAL_INDEX, UNPACKED_MODULE), find)

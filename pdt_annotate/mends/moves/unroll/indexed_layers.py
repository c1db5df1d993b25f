"""A loop over the indices of a list of layers becomes one over the layers: the compiler writes it out.

Message: `Expected integer literal for index`.
Kind: frozen; exact if the loop runs to the length of the list.
Needs: `range` of the length of the list, of an attribute or of a number that is it; several lists have one length; no
`break` and no `continue`.
Before:
    for i in range(len(self.layers)):
        x = self.layers[i](x) * i
    ys = [self.heads[i](x) for i in range(len(self.heads))]
After:
    for i, layer in enumerate(self.layers):
        x = layer(x) * i
    ys = [head(x) for head in self.heads]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import NO_LITERAL_INDEX
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS
from pdt_annotate.mends.kit.construction import (
    constructor,
    is_call,
    is_set_later,
    last_setting_of_all,
    length_of,
    name_of_one,
    stores,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.source.syntax import is_name
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
    taken = set[str]()
    for loop in sorted(_loops(site), key=lambda loop: isinstance(loop.node, ast.comprehension)):
        uses = list(_uses(site, loop))
        lists = list(dict.fromkeys(site.self_attribute(use.value) for use in uses))
        if uses and _is_plain(site, loop, lists):
            yield from _mend(site, loop, lists, uses, taken)


def _loops(site: FunctionContext) -> Iterator[Loop]:
    for node in ast.walk(site.node):
        loop: ast.For | ast.comprehension
        inside: Sequence[ast.AST]
        if isinstance(node, ast.For):
            loop, inside = node, node.body
        elif isinstance(node, COMPREHENSIONS) and len(node.generators) == 1:
            loop = node.generators[0]
            inside = [*(child for child in ast.iter_child_nodes(node) if child is not loop), *loop.ifs]
        else:
            continue
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
    sets = any(not isinstance(use.ctx, ast.Load) for use in _uses(site, loop))
    leaving = [n for n in inside if isinstance(n, (ast.Break, ast.Continue))]
    around = (next(outer for outer in site.around(n) if isinstance(outer, (ast.For, ast.While))) for n in leaving)
    ends = any(outer is loop.node for outer in around)
    lengths = {length_of(site, name) for name in lists}
    return not (binds or changes or grows or sets or ends) and lengths == {_bound(site, loop.bound)}


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
    kind = MendKind.FROZEN if checks else MendKind.EXACT
    summary = f"loop over the layers of {' and '.join(f'`{each}`' for each in iterated)}, not over their indices"
    yield site.mend(RULE.name, kind, loop.node.target, summary, edits)


def _checks(site: FunctionContext, loop: Loop, lists: Sequence[str]) -> list[Edit] | None:
    """The assertions in the constructor that lists have the length of the loop; None if it cannot have them."""
    built, attribute = constructor(site), site.self_attribute(loop.bound)
    if built is None or built.receiver != site.function.receiver:
        return None
    last = last_setting_of_all(built, (*lists, *([attribute] if attribute else [])))
    if last is None:
        return None
    bound = site.source(loop.bound)
    return [site.insert_behind(last, f"assert len({built.receiver}.{name}) == {bound}") for name in lists]


RULE = MendRule("indexed_layers", MendKind.FROZEN, quoted(NO_LITERAL_INDEX), find)

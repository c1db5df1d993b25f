"""Layers that are unpacked from a list are taken by their indices.

Message: `module cannot be used as a tuple`.
Kind: exact.
Needs: a list of layers, or one of lists of layers, that an example unpacked.
Before:
    for attention, feed in self.blocks:
        x = feed(attention(x))
After:
    for block in self.blocks:
        attention = block[0]
        feed = block[1]
        x = feed(attention(x))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import UNPACKED_MODULE
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS
from pdt_annotate.mends.kit.construction import is_call, is_list, is_list_of_lists, name_of_one
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, quoted
from pdt_annotate.mends.kit.spelled import loads, stores
from pdt_annotate.source.syntax import is_name
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    if not site.is_entered():
        return
    taken = set[str]()
    for node in sorted(ast.walk(site.node), key=lambda node: isinstance(node, COMPREHENSIONS)):
        if isinstance(node, ast.For) and node.body[0].lineno > node.lineno:
            for target, attribute in _unpacked(site, node.target, node.iter):
                name = name_of_one(site, attribute)
                taken.add(name)
                edits = [site.replace(target, name), site.insert_before(node.body[0], _taken(target, name))]
                yield site.mend(RULE.name, MendKind.EXACT, target, _summary(target, name), edits)
        elif isinstance(node, COMPREHENSIONS) and len(node.generators) == 1:
            part = node.generators[0]
            for target, attribute in _unpacked(site, part.target, part.iter):
                # The compiler lets a comprehension use no name that an earlier loop gave to a layer.
                name = name_of_one(site, attribute, taken)
                index = {part.id: number for number, part in enumerate(target.elts) if isinstance(part, ast.Name)}
                uses = [(use, number) for part, number in index.items() for use in loads(node, part)]
                edits = [site.replace(use, f"{name}[{number}]") for use, number in uses]
                edits.insert(0, site.replace(target, name))
                yield site.mend(RULE.name, MendKind.EXACT, target, _summary(target, name), edits)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            target, text = node.targets[0], site.source(node.value)
            is_other = text not in map(ast.unparse, target.elts)
            if _is_of_names(target) and is_other and _is_list_here(site, node.value):
                edits = [site.replace(node, _taken(target, text))]
                yield site.mend(RULE.name, MendKind.EXACT, target, _summary(target, text), edits)


def _unpacked(site: FunctionContext, target: ast.expr, iterated: ast.expr) -> Iterator[tuple[ast.Tuple, str]]:
    """The targets that unpack layers in a loop, each with the list that they come from."""
    if is_call(iterated, "zip") and isinstance(target, ast.Tuple):
        for part, each in zip(target.elts, iterated.args, strict=False):
            yield from _unpacked(site, part, each)
    elif is_call(iterated, "enumerate") and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield from _unpacked(site, target.elts[1], iterated.args[0])
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
    loops = [n for n in ast.walk(site.node) if isinstance(n, (ast.For, ast.comprehension))]
    targets = [n.target.elts[-1] if isinstance(n.target, ast.Tuple) and n.target.elts else n.target for n in loops]
    own = [n.iter for n, last in zip(loops, targets, strict=True) if is_name(last, value.id)]
    walked = [each.args[0] if is_call(each, "enumerate") and each.args else each for each in own]
    sources = [site.self_attribute(each) for each in walked]
    return len(stores(site.node, value.id)) == len(sources) > 0 and all(
        is_list_of_lists(site.held(each)) for each in sources
    )


def _taken(target: ast.Tuple, text: str) -> str:
    return "\n".join(f"{ast.unparse(part)} = {text}[{number}]" for number, part in enumerate(target.elts))


def _summary(target: ast.Tuple, text: str) -> str:
    return f"take `{ast.unparse(target).strip('()')}` from `{text}` by their indices"


RULE = MendRule("unpacked_layers", MendKind.EXACT, quoted(UNPACKED_MODULE), find)

"""What is known of lists of layers that modules hold, and how one of their layers is named."""

from __future__ import annotations

import ast
import itertools
import keyword
from collections.abc import Iterable

from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.values.mends import Held

LISTS = ("torch.nn.modules.container.ModuleList", "torch.nn.modules.container.Sequential")


def is_list(held: Held) -> bool:
    """Whether an attribute is a list of layers in all modules."""
    return bool(held.values) and not held.lacking and all(value.type in LISTS for value in held.values)


def is_list_of_lists(held: Held) -> bool:
    """Whether it is one whose items are such lists again."""
    return is_list(held) and all(value.items and set(value.items) <= set(LISTS) for value in held.values)


def length_of(site: MendSite, attribute: str) -> int | None:
    """The length of a list of layers, where it is the same in all modules."""
    held = site.held(attribute)
    lengths = {value.length for value in held.values}
    return lengths.pop() if is_list(held) and len(lengths) == 1 else None


def name_of_one(site: MendSite, attribute: str, taken: Iterable[str] = ()) -> str:
    """`self.layers` → layer, `self._convs` → conv, `self.emb` → emb_layer: a name that the function does not know."""
    word = attribute.strip("_")
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    else:
        word = word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else f"{word}_layer"
    known = {node.id for node in ast.walk(site.node) if isinstance(node, ast.Name)}
    known |= {*site.local_names, *site.survey.qualnames, *keyword.kwlist, *taken}
    candidates = itertools.chain([word, f"one_{word}"], (f"{word}_{number}" for number in itertools.count(2)))
    return next(name for name in candidates if name not in known)


def walk_over(node: ast.expr, site: MendSite) -> str:
    """The attribute whose items an iteration gives as they are: "layers" of `self.layers`, also inside `enumerate`."""
    if is_call(node, "enumerate") and node.args:  # type: ignore[attr-defined]
        node = node.args[0]  # type: ignore[attr-defined]
    return site.self_attribute(node)


def is_call(node: ast.AST, name: str) -> bool:
    """Whether a node calls a builtin of this name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name

"""Expressions as patterns: `round(A)` is written `int(round(A))`. Capital letters mean any expression, `*A` several."""

import ast
import functools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import Expression, is_whole, spell, strength, wanted
from pdt_annotate.source.syntax import dotted_name, nodes_in
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.mends import MendKind

LETTER = re.compile(r"[A-Z]")
MODULES = frozenset(("torch", "numpy", "math", "typing", "functools", "operator", "random"))
NUMBER, SIZES = ("int", "float", "numpy.float64", "numpy.int64"), ("torch.Size", "list[int]", "tuple[int]")

Bound = dict[str, ast.expr]  # by letter, the expression
_parsed = functools.cache(parse_expression)


@dataclass(frozen=True)
class Word:
    """An expression in words that the compiler does not know, and the same in words that it knows.

    Args:
        old: the pattern. Names of modules are full: `torch.is_tensor`.
        new: its replacement.
        facts: by letter, the types that the expression had in all calls; "" means the whole expression.
        kind: what the replacement promises.
    """

    old: str
    new: str
    facts: Mapping[str, Collection[str]] = field(default_factory=dict)
    kind: MendKind = MendKind.EXACT

    @property
    def kinds(self) -> list[str]:
        """The classes of the nodes that may match; a name may be imported from a module."""
        pattern = _parsed(self.old)
        return [type(pattern).__name__, *(["Name"] if _is_in_module(pattern) else [])]

    @property
    def head(self) -> str:
        """The full name of a module's function or value, or the name of a function or member; "" for other patterns."""
        pattern = _parsed(self.old)
        part = pattern.func if isinstance(pattern, ast.Call) else pattern
        return dotted_name(part) if _is_in_module(part) else head_of(part)

    def find(self, site: FunctionContext, node: ast.expr) -> Expression | None:
        """The new expression in place of a node; None if the node does not match."""
        pattern, new = _parsed(self.old), _parsed(self.new)
        bound: Bound = {"": node}
        if not _matches(site, pattern, node, bound):
            return None
        if not all(site.is_always(bound[letter], *types) for letter, types in self.facts.items()):
            return None
        # A call is evaluated as often as before.
        before, after = ([name.id for name in nodes_in(each, ast.Name)] for each in (pattern, new))
        calling = (letter for letter, part in bound.items() if any(nodes_in(part, ast.Call)))
        if any(before.count(letter) != after.count(letter) for letter in calling):
            return None
        if isinstance(new, ast.Name):
            return spell(site, bound[new.id])
        parts = list[tuple[ast.expr, str]]()
        for parent, part in _leaves(ast.Expression(new)):
            if isinstance(part, ast.Starred):
                parts.append((part, site.source(bound[ast.unparse(part)])))
            elif isinstance(part, ast.Name) and LETTER.fullmatch(part.id):
                parts.append((part, spell(site, bound[part.id]).at_least(wanted(parent, part))))
            elif isinstance(part, ast.Name) and part.id in site.known_names:
                return None
            elif _is_in_module(part):
                parts.append((part, site.spell(dotted_name(part))))
        text = self.new
        for part, each in sorted(parts, key=lambda pair: -pair[0].col_offset):
            text = text[: part.col_offset] + each + text[part.end_col_offset :]
        return Expression(text if is_whole(text) else f"({text})", strength(new))


def head_of(node: ast.expr) -> str:
    """The name of a function or member, also of one that is called; "" for other expressions."""
    match node.func if isinstance(node, ast.Call) else node:
        case ast.Attribute(_, name):
            return name
        case ast.Name(name) if not LETTER.fullmatch(name):
            return name
    return ""


def _is_in_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and dotted_name(node).partition(".")[0] in MODULES


def _leaves(node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    """The names, the dotted names and the starred letters in an expression, each with its parent."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Name, ast.Starred)) or _is_in_module(child):
            yield node, child  # type: ignore[misc]
        else:
            yield from _leaves(child)


def _matches(site: FunctionContext, pattern: object, node: object, bound: Bound) -> bool:
    if isinstance(pattern, ast.Name) and LETTER.fullmatch(pattern.id):
        if not isinstance(node, ast.expr) or isinstance(node, ast.Starred):
            return False
        before = bound.setdefault(pattern.id, node)
        return before is node or ast.dump(before) == ast.dump(node)
    if isinstance(pattern, ast.Attribute) and _is_in_module(pattern):
        return isinstance(node, ast.expr) and site.meaning(node) == dotted_name(pattern)
    if isinstance(pattern, ast.Name):
        return isinstance(node, ast.Name) and node.id == pattern.id and node.id not in site.known_names
    if isinstance(pattern, list):
        if not isinstance(node, list):
            return False
        if pattern and isinstance(star := pattern[-1], ast.Starred) and len(node) >= len(pattern):
            pattern, (first, *_), last = pattern[:-1], (rest := node[len(pattern) - 1 :]), node[-1]
            end = {"end_lineno": last.end_lineno, "end_col_offset": last.end_col_offset}
            bound[ast.unparse(star)] = ast.Tuple(rest, lineno=first.lineno, col_offset=first.col_offset, **end)
            node = node[: len(pattern)]
        if len(pattern) != len(node):
            return False
        return all(_matches(site, part, each, bound) for part, each in zip(pattern, node, strict=True))
    if not isinstance(pattern, ast.AST):
        return type(pattern) is type(node) and pattern == node
    fields = (name for name in pattern._fields if name not in ("ctx", "kind"))
    return type(pattern) is type(node) and all(
        _matches(site, getattr(pattern, name), getattr(node, name, None), bound) for name in fields
    )


def tensor(*letters: str) -> dict[str, Collection[str]]:
    return dict.fromkeys(letters, TENSORS)


def number(*letters: str) -> dict[str, Collection[str]]:
    return dict.fromkeys(letters, NUMBER)

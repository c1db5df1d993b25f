"""Dicts with default values as plain dicts: `d.setdefault(k, [])` for `d[k]`, after `d = defaultdict(list)`."""

import ast
from collections.abc import Iterator, Mapping

from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import NUMBER, is_gone_over, is_plain, loads, spell, stores, targets
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import MendKind

DEFAULTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "list": ("[]", ("list[]", "list[torch.Tensor]")),  # to the compiler, an empty list has tensors
    "int": ("0", ("int",)),
    "float": ("0.0", ("float",)),
}
"""By the function that makes a default value, its text, and the types that the values may have."""
SIGNS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
METHODS = frozenset(("get", "items", "keys", "pop", "setdefault", "update", "values"))


def default_dicts(site: FunctionContext) -> Iterator[tuple[MendKind, ast.AST, list[Edit]]]:
    for made in nodes_in(site.node, ast.Call):
        around = site.parents[made]
        match made, targets(around) if isinstance(around, (ast.Assign, ast.AnnAssign)) else []:
            case ast.Call(function, [ast.Name(factory)], []), [ast.Name(name) as target]:
                is_only = stores(site.node, name) == [target] and not site.function.parameter(name)
                is_known = factory in DEFAULTS and factory not in site.known_names
                if not is_only or not is_known or site.meaning(function) != "collections.defaultdict":
                    continue
                edits = [_without_default(site, use, *DEFAULTS[factory]) for use in loads(site.node, name)]
                known = [edit for each in edits if each is not None for edit in each]
                if None not in edits:
                    yield MendKind.EXACT, made, [site.replace(made, "{}"), *known]


def _without_default(site: FunctionContext, use: ast.Name, default: str, types: tuple[str, ...]) -> list[Edit] | None:
    """The edits with which one use of the dict needs no default; None if another use may need it."""
    outer, around = site.parents[use], site.parents[site.parents[use]]
    match outer, around:
        case ast.Subscript(value, key, ast.Load()), _ if value is use and site.is_always(outer, *types):
            return [site.replace(outer, f"{use.id}.setdefault({site.source(key)}, {default})")]
        case ast.Subscript(value, key), ast.AugAssign(_, sign, added) if value is use and type(sign) in SIGNS:
            if default == "[]" or not is_plain(key) or not site.is_always(added, "int", "float"):
                return None
            new = f"{use.id}.setdefault({site.source(key)}, {default}) {SIGNS[type(sign)]} "
            return [site.replace(around, f"{site.source(outer)} = {new}{spell(site, added).at_least(NUMBER)}")]
        case ast.Subscript(value, _, ast.Store()), ast.Assign() if value is use:
            return []
        case ast.Attribute(_, method), ast.Call(called) if method in METHODS and called is outer:
            return []
        case ast.Compare(_, [ast.In() | ast.NotIn()], [asked]), _ if asked is use:
            return []
    return [] if is_gone_over(site, use) else None

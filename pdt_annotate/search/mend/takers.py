"""A module that is called takes a name in some instances, and in others not: which, `__init__` settles."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.search.mend.callers import FORWARD, method
from pdt_annotate.search.mend.constant_tests import declare_constant
from pdt_annotate.search.mend.construction import constructor, is_set_later, last_setting
from pdt_annotate.search.mend.site import MendSite
from pdt_annotate.source.survey import Function, ParameterKind
from pdt_annotate.values.edits import Edit

TAKES_ONE = tuple(f"torch.nn.modules.{part}." for part in ("container", "conv", "dropout", "linear", "normalization"))
"""Layers whose `forward` takes nothing but its input."""


@dataclass(frozen=True)
class Takers:
    """The attribute, the classes that take the names, as the file spells them, and the constant that keeps which."""

    attribute: str
    classes: tuple[str, ...]
    flag: str


Default = Callable[[MendSite, Function, str], str | None]
"""The default that a function has for a name, as source text."""


def takers(site: MendSite, calls: Sequence[ast.Call], names: Sequence[str], default: Default) -> Takers | None:
    """Who takes all the names, each with the default None, where others take none of them."""
    attributes = {site.self_attribute(call.func) for call in calls}
    attribute = attributes.pop() if len(attributes) == 1 else ""
    held = site.held(attribute)
    if not attribute or not held.values or held.changes or held.lacking:
        return None
    types = list(dict.fromkeys(value.type for value in held.values))
    known = {dotted: method(site.project, dotted, FORWARD) for dotted in types}
    taking = [
        dotted
        for dotted, function in known.items()
        if function and all(default(site, function, name) == "None" for name in names)
    ]
    lacking = [dotted for dotted, function in known.items() if _lacks(dotted, function, names)]
    spelled = [_spelled(site, dotted) for dotted in taking]
    if not taking or not lacking or len(taking) + len(lacking) < len(types) or "" in spelled:
        return None
    return Takers(attribute, tuple(spelled), f"_takes_{'_and_'.join(names)}")


def _lacks(dotted: str, function: Function | None, names: Sequence[str]) -> bool:
    if function is None:
        return dotted.startswith(TAKES_ONE)
    is_open = any(p.kind is ParameterKind.VAR_KEYWORD for p in function.parameters)
    return not is_open and not any(function.parameter(name) for name in names)


def _spelled(site: MendSite, dotted: str) -> str:
    """How the file names a class without a new import; "" where it cannot."""
    module, _, name = dotted.rpartition(".")
    if module == site.project.module_name(site.file):
        return name
    text, imports = site.spell(dotted)
    return "" if imports else text


def settle(site: MendSite, found: Takers) -> list[Edit] | None:
    """The edits that keep in a constant of the class whether its module takes the names."""
    built, cls = constructor(site), site.cls
    setting = last_setting(built, found.attribute) if built else None
    if built is None or cls is None or setting is None or is_set_later(site, found.attribute):
        return None
    classes = found.classes[0] if len(found.classes) == 1 else f"({', '.join(found.classes)})"
    own = built.receiver
    line = f"{own}.{found.flag} = isinstance({own}.{found.attribute}, {classes})"
    return [*declare_constant(site, cls, found.flag), site.insert_behind(setting, line)]


ASKING = (
    *(ast.Expression, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant),
    *(ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)
"""What a test of them is made of, beside `kwargs.get`."""


def own_variadics(site: MendSite) -> dict[str, object]:
    """The variadic parameters, each with what it is where nothing is passed."""
    args = site.node.args
    return {arg.arg: empty for arg, empty in ((args.vararg, ()), (args.kwarg, {})) if arg}


def untaken_choices(site: MendSite) -> Iterator[ast.If]:
    """The statements that do nothing where nothing is passed, and which the function can spare."""
    empty = own_variadics(site)
    for node in ast.walk(site.node):
        if isinstance(node, ast.If) and not node.orelse and _is_false(node.test, empty):
            block = getattr(site.parents[node], "body", [])
            if node in block and len(block) > 1:
                yield node


def _is_false(test: ast.expr, empty: dict[str, object]) -> bool:
    """Whether a test asks for variadic parameters alone, and is false where they are empty."""
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)} - {"len"}
    if not names or not names <= empty.keys() or not all(_is_asking(node) for node in ast.walk(test)):
        return False
    try:
        return not eval(compile(ast.Expression(test), "<test>", "eval"), {**empty, "__builtins__": {"len": len}})
    except Exception:
        return False


def _is_asking(node: ast.AST) -> bool:
    return isinstance(node, ASKING) or (isinstance(node, ast.Attribute) and node.attr == "get")

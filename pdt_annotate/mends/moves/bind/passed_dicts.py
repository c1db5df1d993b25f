"""`**options` in a call is replaced by the items of the dict as keyword arguments.

Message: `keyword-arg expansion is not supported`.
Kind: Exact for a local variable. Frozen for an attribute.
Needs:
    - The dict is a dict display, or a call of `dict`, with literal keys.
    - A local variable that holds the dict is assigned once, and used only as `**options`. The values are constants, or
      names and attributes that do not change later.
    - An attribute that holds the dict is set only by the constructor, and the dict never changes. The values are
      constants.
    - A function that is called for the dict, `**like(x)`, only returns it, and reads only its parameters. The arguments
      are names, attributes and constants.
Before:
    def __init__(self):
        super().__init__()
        self.options = dict(mode="bilinear", align_corners=False)

    def forward(self, x):
        return F.interpolate(x, scale_factor=2, **self.options)
After:
    def __init__(self):
        super().__init__()
        self.options = dict(mode="bilinear", align_corners=False)

    def forward(self, x):
        return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import EXPANSION
from pdt_annotate.mends.kit.construction import body_of, constructor, setting_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import is_plain, loads, names_for, only_assignment, spell, stores
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import bind_arguments, root_name
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    built, found = constructor(site), defaultdict[str, list[ast.keyword]](list)
    for node in ast.walk(site.node):
        if isinstance(node, ast.keyword) and node.arg is None:
            found[ast.unparse(node.value)].append(node)
    for text, passing in found.items():
        value, inner, setting = passing[0].value, site, None
        if isinstance(value, ast.Name) and len(loads(site.node, value.id)) == len(passing):
            setting = only_assignment(site, value.id)
        elif (name := site.self_attribute(value)) and built and is_kept(site, name):
            inner, setting = site.at(built), setting_of(built, name)
        setting = setting if setting in inner.node.body else None
        value = setting.value if setting else value
        written = _items(value)
        if not all(_may_move(inner, each, setting, is_own=inner is site) for each in written.values()):
            continue
        items: Mapping[str, str] = {name: inner.source(each) for name, each in written.items()}
        if not items and isinstance(value, ast.Call):
            items = _returned(site, value)
        if items:
            names = ", ".join(f"{name}={each}" for name, each in items.items())
            edits = [site.replace(each, names) for each in passing]
            edits += [site.remove(setting)] if setting and inner is site else []
            summary = f"write `**{text}` as `{names}`"
            yield site.mend(passing[0].value, summary, edits, frozen=inner is not site)


def _items(value: ast.expr) -> Mapping[str, ast.expr]:
    """The values of a dict by name; none if the names are not written out."""
    names, values = list[object](), list[ast.expr]()
    match value:
        case ast.Call(ast.Name("dict"), [], keywords):
            names, values = [keyword.arg for keyword in keywords], [keyword.value for keyword in keywords]
        case ast.Dict(keys, values):
            names = [key.value if isinstance(key, ast.Constant) else None for key in keys]
    are_written = all(isinstance(name, str) and name.isidentifier() and names.count(name) == 1 for name in names)
    return dict(zip(map(str, names), values, strict=True)) if are_written else {}


def _returned(site: FunctionContext, call: ast.Call) -> Mapping[str, str]:
    """The items of the dict that a called function returns, in terms of the arguments; none if it does more."""
    function = site.definition(call.func)
    given = bind_arguments(call, function.parameters) if function else None
    if function is None or given is None or function.in_class or function.decorators:
        return {}
    match body_of(function.node):
        case [ast.Return(ast.expr() as value)] if all(map(is_plain, given.values())):
            items, known = _items(value), {name: spell(site, each) for name, each in given.items()}
            if names_in(*items.values()) <= known.keys():
                return {name: spell(site.at(function), each, names_for(known)).text for name, each in items.items()}
    return {}


def _may_move(site: FunctionContext, value: ast.expr, setting: ast.AST | None, *, is_own: bool) -> bool:
    """Whether a value is the same where the dict is passed: a constant, or a name that nothing binds later."""
    if literal_type(value):
        return True
    later = [name for name in stores(site.node, root_name(value)) if setting and name.lineno >= setting.lineno]  # type: ignore[attr-defined]
    return is_own and is_plain(value) and bool(root_name(value)) and not later


RULE = MendRule("passed_dicts", MendKind.EXACT, said(EXPANSION), find)

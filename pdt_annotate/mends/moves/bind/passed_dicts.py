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
from collections.abc import Iterator, Mapping

from pdt_annotate.findings.messages.said import EXPANSION
from pdt_annotate.mends.kit.construction import constructor, is_call, is_docstring, setting_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import Expression, is_plain, loads, names_for, spell, stores, strength
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.syntax import bind_arguments, root_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    built, found = constructor(site), dict[str, list[ast.keyword]]()
    for call in (node for node in ast.walk(site.node) if isinstance(node, ast.Call)):
        for keyword in (each for each in call.keywords if each.arg is None):
            found.setdefault(ast.unparse(keyword.value), []).append(keyword)
    for text, passing in found.items():
        value, edits, inner, setting = passing[0].value, list[Edit](), site, None
        if isinstance(value, ast.Name):
            stored = stores(site.node, value.id)
            setting = site.parents[stored[0]] if len(stored) == 1 else None
            is_passed = len(loads(site.node, value.id)) == len(passing) and setting in site.node.body
            value = setting.value if isinstance(setting, ast.Assign) and is_passed else value
            edits = [site.remove(setting)] if isinstance(setting, ast.Assign) else []
        elif (name := site.self_attribute(value)) and built and is_kept(site, name):
            inner, setting = site.at(built), setting_of(built, name)
            value = setting.value if setting in built.node.body else value
        written = _items(value)
        items: Mapping[str, str] = {name: inner.source(each) for name, each in written.items()}
        if not all(_may_move(inner, each, setting, is_own=inner is site) for each in written.values()):
            continue
        if not items and isinstance(value, ast.Call):
            items = _returned(site, value)
        if not items:
            continue
        names = ", ".join(f"{name}={each}" for name, each in items.items())
        edits += [
            Edit(site.text.start(each), names, removed=site.span(each)[1] - site.text.start(each)) for each in passing
        ]
        yield site.mend(passing[0].value, f"write `**{text}` as `{names}`", edits, frozen=inner is not site)


def _items(value: ast.expr) -> Mapping[str, ast.expr]:
    """The values of a dict by name; none if the names are not written out."""
    if is_call(value, "dict") and not value.args:
        return (
            {each.arg: each.value for each in value.keywords if each.arg} if all(k.arg for k in value.keywords) else {}
        )
    pairs = list(zip(value.keys, value.values, strict=True)) if isinstance(value, ast.Dict) else []
    found = {str(key.value): each for key, each in pairs if isinstance(key, ast.Constant)}
    return found if len(found) == len(pairs) and all(map(str.isidentifier, found)) else {}


def _returned(site: FunctionContext, call: ast.Call) -> Mapping[str, str]:
    """The items of the dict that a called function returns, in terms of the arguments; none if it does more."""
    function = site.definition(call.func)
    given = bind_arguments(call, function.parameters) if function else None
    if function is None or given is None or function.in_class or function.decorators:
        return {}
    last = function.node.body[-1]
    known = {name: Expression(site.source(each), strength(each)) for name, each in given.items()}
    is_alone = len(function.node.body) == 1 + is_docstring(function.node.body[0])
    items = _items(last.value) if isinstance(last, ast.Return) and last.value and is_alone else {}
    read = {node.id for each in items.values() for node in ast.walk(each) if isinstance(node, ast.Name)}
    if not read <= known.keys() or not all(map(is_plain, given.values())):
        return {}
    return {name: spell(site.at(function), each, names_for(known)).text for name, each in items.items()}


def _may_move(site: FunctionContext, value: ast.expr, setting: ast.AST | None, *, is_own: bool) -> bool:
    """Whether a value is the same where the dict is passed: a constant, or a name that nothing binds later."""
    if literal_type(value):
        return True
    later = [name for name in stores(site.node, root_name(value)) if setting and name.lineno >= setting.lineno]  # type: ignore[attr-defined]
    return is_own and is_plain(value) and bool(root_name(value)) and not later


RULE = MendRule("passed_dicts", MendKind.EXACT, said(EXPANSION), find)

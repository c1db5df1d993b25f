"""`**options` in a call is replaced by the items of the dict as keyword arguments.

Message: `keyword-arg expansion is not supported`.
Kind: Exact for a local variable with literal keys. Frozen for an attribute, and for keys that examples showed.
Needs:
    - The dict is a dict display or a call of `dict` with literal keys, or it had the same keys in all calls of the
      examples.
    - A local variable that holds the dict is assigned once, and used only as `**options`. The values are constants, or
      names and attributes that do not change later.
    - An attribute that holds the dict is set only by the constructor, and the dict never changes. The values are
      constants.
    - If examples showed the keys, an assertion checks their number. The dict is a variable, or an attribute that only
      the constructor sets, and nothing else in the statement reads it.
    - A function that is called for the dict, `**like(x)`, only returns it, and reads only its parameters. The arguments
      are names, attributes and constants.
Before:
    def __init__(self):
        super().__init__()
        self.options = dict(mode="bilinear", align_corners=False)

    def forward(self, x, batch):
        x = self.embed(x, **batch)
        return F.interpolate(x, scale_factor=2, **self.options)
After:
    def __init__(self):
        super().__init__()
        self.options = dict(mode="bilinear", align_corners=False)

    def forward(self, x, batch):
        assert len(batch) == 2
        x = self.embed(x, size=batch["size"], mask=batch["mask"])
        return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from keyword import iskeyword

from pdt_annotate.findings.messages.said import EXPANSION
from pdt_annotate.mends.kit.blocks import PLAIN_STATEMENTS
from pdt_annotate.mends.kit.construction import body_of, constructor, is_call, setting_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import exchange, passes_on
from pdt_annotate.mends.kit.settled import is_kept
from pdt_annotate.mends.kit.spelled import is_plain, loads, may_be_skipped, names_for, only_assignment, spell, stores
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import bind_arguments, root_name
from pdt_annotate.values.mends import Mend, MendKind

MOST = 16  # keys


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
            written = {}
        items: Mapping[str, str] = {name: inner.source(each) for name, each in written.items()}
        if not items and isinstance(value, ast.Call):
            items = _returned(site, value)
        if items:
            names = ", ".join(f"{name}={each}" for name, each in items.items())
            edits = [site.replace(each, names) for each in passing]
            edits += [site.remove(setting)] if setting and inner is site else []
            summary = f"write `**{text}` as `{names}`"
            yield site.mend(passing[0].value, summary, edits, frozen=inner is not site)
        elif not written:
            yield from (mend for each in passing for mend in _with_keys(site, each))


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


def _with_keys(site: FunctionContext, passing: ast.keyword) -> Iterator[Mend]:
    """`f(x=d["x"])` for `f(**d)`, if calls always got the same keys."""
    call, text, values = site.parents[passing], site.source(passing.value), site.values(passing)
    statement, _ = site.statement(passing.value)
    is_sure = isinstance(statement, PLAIN_STATEMENTS) and site.begins_line(statement)
    is_sure = is_sure and not may_be_skipped(site, passing.value) and not passes_on(passing, site.node)
    is_stable = isinstance(passing.value, ast.Name) or is_kept(site, site.self_attribute(passing.value))
    # A call that gets the dict itself may change it.
    alike = [node for node in ast.walk(statement) if isinstance(node, ast.expr) and ast.unparse(node) == text]
    is_alone = all(isinstance(outer := site.parents[node], ast.keyword) and outer.arg is None for node in alike)
    keys = {value.keys for value in values}
    if not is_sure or not is_stable or not is_alone or len(keys) != 1 or not isinstance(call, ast.Call):
        return
    [names] = keys
    is_dict = all(value.type == "builtins.dict" and value.length == len(names) for value in values)
    is_taken = any(each.arg in names for each in call.keywords) or is_call(call, "dict")
    new = ", ".join(f'{name}={text}["{name}"]' for name in names)
    edits = exchange(site, call, {passing: new})
    if is_dict and not is_taken and len(names) <= MOST and not any(map(iskeyword, names)) and edits:
        edits.append(site.insert_before(statement, f"assert len({text}) == {len(names)}"))
        summary = f"write `**{text}` as `{new}`" if new else f"leave out `**{text}`, which is always empty"
        yield site.mend(passing.value, summary, edits, frozen=True)


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

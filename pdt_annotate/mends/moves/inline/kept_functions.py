"""A call of a function in an attribute calls the function by its own name. A lambda in an attribute becomes a method.

A method of the object in an attribute is called by its own name. A call of a `functools.partial` becomes a call of its
function with the stored arguments. A lambda at the top level of a module becomes a function.

Message: `failed to convert Python type: 'functools.partial'` or `'method'`, `Expected a single top-level function`,
    `overloaded`, or `Compiled functions can't take variable number of arguments` of a function of torch.
Kind:
    - Exact for a function or method, and for a lambda that reads no variables of the constructor.
    - Frozen for a partial function, and for a lambda that reads variables of the constructor.
    - Frozen for `lambda x: x` that the constructor stores only in some cases. `nn.Identity()` takes its place.
    - A partial function also has an exact alternative, which calls the function only in the scripted model.
Needs:
    - Only the constructor assigns the attribute, and it does so once, except for `lambda x: x`.
    - The function is defined at the top level of a module. The stored arguments of a partial function contain no calls.
    - Variables of the constructor that a lambda reads are assigned at most once. Attributes store their values.
Before:
    def __init__(self, sigma):
        super().__init__()
        self.act = lambda x: x * 2
        self.loss = functools.partial(blur_loss, sigma=sigma, mode="mean")

    def forward(self, x, y):
        return self.act(self.loss(x, y))
After:
    def __init__(self, sigma):
        super().__init__()
        self.act = lambda x: x * 2
        self.loss = functools.partial(blur_loss, sigma=sigma, mode="mean")
        self._loss_sigma = sigma

    def forward(self, x, y):
        return self._call_act(blur_loss(x, y, sigma=self._loss_sigma, mode="mean"))

    def _call_act(self, x):
        return x * 2
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import is_for_python, statements, when_scripted
from pdt_annotate.mends.kit.construction import constructor, is_set_later, setting_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import ATOM, Expression, put_in
from pdt_annotate.mends.kit.stored import (
    as_code,
    call_of_partial,
    is_about_function,
    is_identity,
    is_partial,
    method_to_add,
    needs_method,
    settings_in,
)
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import choices, dotted_name
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _name_at_top(site)
    built = constructor(site)
    if built is None or built.node is site.node or built.receiver != site.function.receiver:
        return
    inner, read = site.at(built), set(statements(site.node.body))
    calls = (node for node in ast.walk(site.node) if isinstance(node, ast.Call) and not is_for_python(site, node))
    for call in (node for node in calls if site.statement(node)[0] in read):
        name = site.self_attribute(call.func)
        yield from _identities(inner, name)
        yield from _bound_method(site, inner, name, call)
        setting = setting_of(built, name)
        if setting is None or is_set_later(site, name):
            continue
        value = setting.value
        yield from _call_by_name(site, inner, name, value, call)
        if setting not in built.node.body or site.held(name).changes:
            continue
        yield from _as_method(site, inner, name, setting, call)
        if is_partial(value, inner):
            yield from _write_out(site, inner, name, setting, value, call)


def _identities(inner: FunctionContext, name: str) -> Iterator[Mend]:
    """`nn.Identity()` in place of `lambda x: x`, which an attribute gets in one of several cases."""
    values = [setting.value for setting in settings_in(inner, name)]
    if any(needs_method(inner, each) for value in values for each in choices(value)):
        return
    for value in (node for each in values for node in ast.walk(each) if is_identity(node)):
        if isinstance(inner.parents[value], (ast.Assign, ast.IfExp, ast.BoolOp)):
            new = f"{inner.spell('torch.nn.Identity')}()"
            summary = f"store a layer in `{name}` in place of `{inner.source(value)}`"
            yield inner.mend(value, summary, [put_in(inner, value, Expression(new, ATOM))], frozen=True)


def _bound_method(site: FunctionContext, inner: FunctionContext, name: str, call: ast.Call) -> Iterator[Mend]:
    """`self._add(x, y)` in place of `self.combine(x, y)`, if the constructor always stores this method."""
    match settings_in(inner, name):
        case [setting] if setting in inner.node.body and (method := inner.self_attribute(setting.value)):
            if site.module.function_named(f"{site.function.in_class}.{method}") and not is_set_later(site, name):
                summary = f"call the method in `{name}` by its own name"
                yield site.mend(call, summary, [site.replace(call.func, f"{site.function.receiver}.{method}")])


def _call_by_name(
    site: FunctionContext, inner: FunctionContext, name: str, value: ast.expr, call: ast.Call
) -> Iterator[Mend]:
    """`F.max_pool2d(x)` in place of `self.pool(x)`, if only the constructor sets it, to that function."""
    meant, dotted = inner.meaning(value), dotted_name(value)
    root, dot, _ = dotted.partition(".")
    # A static method of a class of the module, such as the `apply` of an autograd function.
    is_own = dot and root in site.module.qualnames - inner.local_names - site.local_names
    spelled = dotted if is_own else site.spell(meant) if meant.startswith("torch.") else ""
    if spelled:
        yield site.mend(call, f"call `{spelled}` instead of `{name}`", [site.replace(call.func, spelled)])


def _name_at_top(site: FunctionContext) -> Iterator[Mend]:
    """`def f(x): …` in place of `f = lambda x: …` at the top of the module, in one line."""
    called = names_in(site.node) - site.local_names
    for setting in site.module.tree.body:
        match setting:
            case ast.Assign([ast.Name(name)], ast.Lambda(args, body)) if name in called:
                new = f"def {name}({ast.unparse(args)}):\n    return {site.source(body)}"
                if setting.lineno == setting.end_lineno:
                    yield site.mend(setting, f"define the function `{name}`", [site.replace(setting, new)])


def _as_method(
    site: FunctionContext, inner: FunctionContext, name: str, setting: ast.Assign, call: ast.Call
) -> Iterator[Mend]:
    """`self._call_act(x)` in place of `self.act(x)`."""
    value, receiver, new = setting.value, site.function.receiver, f"_call_{name.strip('_')}"
    code = as_code(site, inner, name, setting)
    if not isinstance(value, ast.Lambda) or site.cls is None or code is None:
        return
    body, kept = code
    args = ", ".join(filter(None, (receiver, ast.unparse(value.args))))
    added = method_to_add(site, f"def {new}({args}):\n    return {body}")
    if added:
        added += (inner.insert_behind(setting, line) for line in kept)
    if added is not None:
        edits = [site.replace(call.func, f"{receiver}.{new}"), *added]
        yield site.mend(call, f"turn the lambda in `{name}` into a method", edits, frozen=bool(kept))


def _write_out(
    site: FunctionContext, inner: FunctionContext, name: str, setting: ast.Assign, partial: ast.Call, call: ast.Call
) -> Iterator[Mend]:
    """`self.loss(x)` as a call of the function that is the argument of `functools.partial`."""
    given = [keyword.arg for keyword in call.keywords]
    code = call_of_partial(
        site, inner, name, partial, [site.source(each) for each in (*call.args, *call.keywords)], given
    )
    if code is None or None in given:
        return
    new, kept = code
    set_there = [inner.insert_behind(setting, line) for line in kept]
    summary = f"call `{dotted_name(partial.args[0])}` instead of the partial `{name}`"
    yield site.mend(call, summary, [site.replace(call, new), *set_there], frozen=True)
    yield site.mend(call, summary, [when_scripted(site, call, new), *set_there])


RULE = MendRule("kept_functions", MendKind.FROZEN, is_about_function, find)

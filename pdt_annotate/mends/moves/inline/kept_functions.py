"""A call of a function in an attribute calls the function by its own name. A lambda in an attribute becomes a method.

A method of the object in an attribute is called by its own name. If the constructor stores one of several methods,
constants of the object show which one it stored. A call of a `functools.partial` becomes a call of its function with
the stored arguments. A lambda at the top level of a module becomes a function.

Message: `failed to convert Python type: 'functools.partial'` or `'method'`, `Expected a single top-level function`, or
    `overloaded`.
Kind:
    - Exact for a function or method, and for a lambda that reads no variables of the constructor.
    - Frozen for a partial function, and for a lambda that reads variables of the constructor.
    - Frozen for `lambda x: x` that the constructor stores only in some cases. `nn.Identity()` takes its place.
    - A partial function also has an exact alternative, which calls the function only in the scripted model.
Needs:
    - Only the constructor assigns the attribute, and it does so once, except for `lambda x: x` and methods.
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
import builtins
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NO_ATTRIBUTE, NO_FUNCTION, OVERLOADED
from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, is_for_python, nested, statements, when_scripted
from pdt_annotate.mends.kit.construction import (
    add_method,
    constructor,
    declare_constants,
    is_set_later,
    last_setting,
    setting_of,
)
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import ANY, ATOM, Expression, names_for, put_in, spell, stores
from pdt_annotate.source.scopes import names_in, names_inside, parameters
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.verdicts import Failure

RUNNING = (ast.Call, ast.Starred, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)


def is_asked_for(failure: Failure) -> bool:
    text = failure.text or failure.message
    facts = NO_ATTRIBUTE.read(text)
    return NO_FUNCTION.is_in(text) or OVERLOADED.is_in(text) or (facts is not None and bool(facts["unconverted"]))


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
        yield from _bound_methods(site, inner, name, call)
        setting = setting_of(built, name)
        if setting is None or is_set_later(site, name):
            continue
        value = setting.value
        yield from _call_by_name(site, inner, name, value, call)
        if setting not in built.node.body or site.held(name).changes:
            continue
        yield from _as_method(site, inner, name, setting, call)
        if isinstance(value, ast.Call) and inner.meaning(value.func) == "functools.partial":
            yield from _write_out(site, inner, name, setting, value, call)


def _identities(inner: FunctionContext, name: str) -> Iterator[Mend]:
    """`nn.Identity()` in place of `lambda x: x`, which an attribute gets in one of several cases."""
    for value in (node for setting in _settings(inner, name) for node in ast.walk(setting.value)):
        match value:
            case ast.Lambda(ast.arguments(args=[ast.arg(parameter)], vararg=None, kwarg=None), ast.Name(result)):
                around = inner.parents[value]
                if parameter == result and isinstance(around, (ast.Assign, ast.IfExp, ast.BoolOp)):
                    new = f"{inner.spell('torch.nn.Identity')}()"
                    summary = f"store a layer in `{name}` in place of `{inner.source(value)}`"
                    yield inner.mend(value, summary, [put_in(inner, value, Expression(new, ATOM))], frozen=True)


def _bound_methods(site: FunctionContext, inner: FunctionContext, name: str, call: ast.Call) -> Iterator[Mend]:
    """`self._add(x, y)` in place of `self.combine(x, y)`, if the constructor stores this method, or one of several."""
    own, settings = site.function.receiver, _settings(inner, name)
    methods = dict.fromkeys(inner.self_attribute(setting.value) for setting in settings)
    found = (site.module.function_named(f"{site.function.in_class}.{method}") for method in methods)
    known = [each for each in found if each]
    if site.cls is None or not known or len(known) < len(methods) or is_set_later(site, name):
        return
    summary, new = f"call the method in `{name}` by its own name", f"_call_{name.strip('_')}"
    if len(settings) == 1 and settings[0] in inner.node.body:
        yield site.mend(call, summary, [site.replace(call.func, f"{own}.{next(iter(methods))}")])
        return
    last = last_setting(inner.function, name)
    args, *others = {ast.unparse(each.node.args) for each in known}
    if others or "*" in args or last is None:
        return
    given = ", ".join(each.name for each in known[0].parameters)
    flags = {method: f"_{name.strip('_')}_is_{method.strip('_')}" for method in methods}
    lines = [f"if not {site.spell(IS_SCRIPTING)}():", f"    return {own}.{name}({given})"]
    for method, flag in flags.items():
        lines += [f"elif {own}.{flag}:", f"    return {own}.{method}({given})"]
    body = "\n".join((*lines, "else:", f'    raise AttributeError("{name}")'))
    added = _method(site, nested(body, f"def {new}({args}):"))
    if added:
        added += declare_constants(site, site.cls, *flags.values())
        stored = (f'{own}.{flag} = getattr({own}, "{name}", None) == {own}.{method}' for method, flag in flags.items())
        added += (inner.insert_behind(last, line) for line in stored)
    if added is not None:
        yield site.mend(call, summary, [site.replace(call.func, f"{own}.{new}"), *added])


def _settings(inner: FunctionContext, name: str) -> list[ast.Assign]:
    assigns = [node for node in ast.walk(inner.node) if isinstance(node, ast.Assign)] if name else []
    return [each for each in assigns if inner.self_attribute(each.targets[0]) == name]


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
    if not isinstance(value, ast.Lambda) or site.cls is None:
        return
    if value.args.defaults or value.args.kw_defaults or receiver in names_inside(value):
        return
    own, kept, known = names_inside(value), list[str](), dict[str, Expression]()
    free = sorted(names_in(value.body) - own - {receiver})
    for each in (name for name in free if name in inner.local_names):
        stored = stores(inner.node, each)
        bound = [s for s in inner.node.body if isinstance(s, ast.Assign) and s.targets == stored]
        alias = inner.self_attribute(bound[0].value) if bound else ""
        if len(stored) > bool(bound) or any(s.lineno > setting.lineno for s in bound) or is_set_later(site, alias):
            return
        known[each] = Expression(f"{receiver}.{alias}" if alias else f"{receiver}._{name.strip('_')}_{each}", ATOM)
        kept += [] if alias else [f"{known[each].text} = {each}"]
    args = ", ".join(filter(None, (receiver, ast.unparse(value.args))))
    body = spell(inner, value.body, names_for(known)).at_least(ANY)
    is_known = set(free) - known.keys() <= _known(site)
    added = _method(site, f"def {new}({args}):\n    return {body}") if is_known else None
    if added:
        added += (inner.insert_behind(setting, line) for line in kept)
    if added is not None:
        edits = [site.replace(call.func, f"{receiver}.{new}"), *added]
        yield site.mend(call, f"turn the lambda in `{name}` into a method", edits, frozen=bool(kept))


def _method(site: FunctionContext, text: str) -> list[Edit] | None:
    """As `add_method`, but the class may have the method with a body that another mend has changed."""
    [new] = ast.parse(text).body
    assert isinstance(new, ast.FunctionDef)
    present = site.module.function_named(f"{site.function.in_class}.{new.name}")
    is_there = present and [a.arg for a in parameters(present.node)] == [a.arg for a in parameters(new)]
    return [] if is_there else add_method(site, text)


def _known(site: FunctionContext) -> set[str]:
    at_top = {name for name in site.module.qualnames if "." not in name}
    return at_top | set(site.imports) | set(dir(builtins))


def _write_out(
    site: FunctionContext, inner: FunctionContext, name: str, setting: ast.Assign, partial: ast.Call, call: ast.Call
) -> Iterator[Mend]:
    """`self.loss(x)` as a call of the function that is the argument of `functools.partial`."""
    function = dotted_name(partial.args[0]) if partial.args else ""
    root = function.partition(".")[0]
    given = {keyword.arg for keyword in call.keywords}
    if not function or root in inner.local_names | site.local_names or root not in _known(site) or None in given:
        return
    kept: list[str] = []
    keywords = [k for k in partial.keywords if k.arg not in given]
    parts = (part for each in (*partial.args[1:], *keywords) for part in ast.walk(each))
    if any(k.arg is None for k in keywords) or any(isinstance(part, RUNNING) for part in parts):
        return
    prefix = f"_{name.strip('_')}"
    values = [_kept(inner, f"{prefix}_{number}", value, kept) for number, value in enumerate(partial.args[1:])]
    named = [f"{k.arg}={_kept(inner, f'{prefix}_{k.arg}', k.value, kept)}" for k in keywords]
    new = f"{function}({', '.join([*values, *map(site.source, (*call.args, *call.keywords)), *named])})"
    set_there = [inner.insert_behind(setting, line) for line in kept]
    summary = f"call `{function}` instead of the partial `{name}`"
    yield site.mend(call, summary, [site.replace(call, new), *set_there], frozen=True)
    yield site.mend(call, summary, [when_scripted(site, call, new), *set_there])


def _kept(inner: FunctionContext, name: str, value: ast.expr, lines: list[str]) -> str:
    """How a method reaches a value of the constructor: a literal directly, all else by an attribute that keeps it."""
    if all(isinstance(node, (ast.Constant, ast.UnaryOp, ast.unaryop)) for node in ast.walk(value)):
        return inner.source(value)
    line = f"{inner.function.receiver}.{name} = {inner.source(value)}"
    if line not in map(inner.source, (s for s in inner.node.body if isinstance(s, ast.Assign))):
        lines.append(line)
    return f"{inner.function.receiver}.{name}"


RULE = MendRule("kept_functions", MendKind.FROZEN, is_asked_for, find)

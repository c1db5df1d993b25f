"""A call of a function in an attribute calls the function by its own name. A lambda in an attribute becomes a method.

A method of the object in an attribute is called by its own name. A call of a `functools.partial` becomes a call of its
function with the stored arguments. A lambda at the top level of a module becomes a function. So does a lambda that an
attribute gets from a dict, from another function or from an argument.

Message: `failed to convert Python type: 'functools.partial'` or `'method'`, `Expected a single top-level function`,
    `(<unknown>, line 1)`, `overloaded`, or `Compiled functions can't take variable number of arguments` of a function
    of torch.
Kind:
    - Exact for a function or method, and for a lambda that reads no variables of the constructor.
    - Frozen for a partial function, and for a lambda that reads variables of the constructor.
    - Frozen for `lambda x: x` that the constructor stores only in some cases. `nn.Identity()` takes its place.
    - A partial function also has an exact alternative, which calls the function only in the scripted model.
Needs:
    - Only the constructor assigns the attribute, and it does so once, except for `lambda x: x`.
    - A lambda from elsewhere is in no loop or comprehension, and reads no variables of a function around it. It has no
      `*args` or `**kwargs`, and its defaults are constants.
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

import ast
import itertools
from collections.abc import Iterator

from pdt_annotate.mends.kit.blocks import COMPREHENSIONS, LOOPS, when_scripted
from pdt_annotate.mends.kit.construction import constructor, is_set_later, setting_of
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import ANY, Expression, put_in, spell
from pdt_annotate.mends.kit.stored import (
    StoredFunction,
    assignments_in,
    calls_of_attributes,
    is_about_function,
    is_identity,
    settings_in,
)
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import choices, dotted_name, nodes_in, numbered
from pdt_annotate.values.mends import Mend, MendKind


def find(site: FunctionContext) -> Iterator[Mend]:
    yield from _name_at_top(site)
    yield from _in_module(site)
    for stored in calls_of_attributes(site):
        yield from _identities(stored)
        setting = setting_of(stored.inner.function, stored.name)
        if setting is None or is_set_later(site, stored.name):
            continue
        for call in stored.calls:
            yield from _by_name(stored, setting, call)
            if setting in stored.inner.node.body and not site.held(stored.name).changes:
                yield from _as_method(stored, setting, call)
                yield from _write_out(stored, setting, call)


def _identities(stored: StoredFunction) -> Iterator[Mend]:
    """`nn.Identity()` in place of `lambda x: x`, which an attribute gets in one of several cases."""
    inner, settings = stored.inner, settings_in(stored.inner, stored.name)
    values = [setting.value for setting in settings]
    if any(stored.needs_method(each) for value in values for each in choices(value)):
        return
    for value in (node for each in values for node in ast.walk(each) if is_identity(node)):
        if isinstance(inner.parents[value], (ast.Assign, ast.IfExp, ast.BoolOp)):
            new = f"{inner.spell('torch.nn.Identity')}()"
            summary = f"store a layer in `{stored.name}` in place of `{inner.source(value)}`"
            yield inner.mend(value, summary, [put_in(inner, value, Expression(new))], frozen=True)


def _by_name(stored: StoredFunction, setting: ast.Assign, call: ast.Call) -> Iterator[Mend]:
    """`F.relu(x)` or `self._add(x)` in place of `self.f(x)`, if the constructor sets it to that function alone."""
    site, inner, value = stored.site, stored.inner, setting.value
    meant, dotted = inner.meaning(value), dotted_name(value)
    root, dot, _ = dotted.partition(".")
    # A static method of a class of the module, such as the `apply` of an autograd function.
    is_own = dot and root in site.module.qualnames - inner.local_names - site.local_names
    is_method = setting in inner.node.body and stored.method_of(value) is not None
    spelled = dotted if is_own or is_method else site.spell(meant) if meant.startswith("torch.") else ""
    if spelled:
        yield site.mend(call, f"call `{spelled}` instead of `{stored.name}`", [site.replace(call.func, spelled)])


def _name_at_top(site: FunctionContext) -> Iterator[Mend]:
    """`def f(x): …` in place of `f = lambda x: …` at the top of the module, in one line."""
    called = names_in(site.node) - site.local_names
    for setting in site.module.tree.body:
        match setting:
            case ast.Assign([ast.Name(name)], ast.Lambda(args, body)) if name in called:
                new = f"def {name}({ast.unparse(args)}):\n    return {site.source(body)}"
                if setting.lineno == setting.end_lineno:
                    yield site.mend(setting, f"define the function `{name}`", [site.replace(setting, new)])


def _in_module(site: FunctionContext) -> Iterator[Mend]:
    """`def _act(x): …` in place of a lambda that an attribute held, wherever in the project it is written."""
    built = constructor(site)
    for attribute in {site.self_attribute(call.func) for call in nodes_in(site.node, ast.Call)} - {""}:
        settings = settings_in(site.at(built), attribute) if built else ()
        stored = [value for setting in settings for value in choices(setting.value)]
        for file, place in (value.place for value in site.held(attribute).values if value.place):
            functions = site.project.read(file).functions if site.project.has(file) else ()
            for inner in map(site.at, functions[:1]):  # any site of the file
                nodes = [node for node in inner.module.nodes if isinstance(node, ast.Lambda)]
                loops = [node for node in inner.module.nodes if isinstance(node, (*LOOPS, *COMPREHENSIONS))]
                found = [node for node in nodes if (node.body.lineno, node.body.col_offset) == place]
                is_made_once = len(found) == 1 and not any(found[0] in ast.walk(each) for each in loops)
                if is_made_once and found[0] not in stored and _is_plain(found[0].args):
                    yield _moved(site, inner, attribute, found[0])


def _is_plain(args: ast.arguments) -> bool:
    defaults = (*args.defaults, *args.kw_defaults)
    return not (args.vararg or args.kwarg) and all(isinstance(each, ast.Constant) for each in defaults)


def _moved(site: FunctionContext, inner: FunctionContext, attribute: str, node: ast.Lambda) -> Mend:
    nodes = inner.module.nodes
    pairs = (pair for each in nodes if isinstance(each, ast.Dict) for pair in zip(each.values, each.keys, strict=True))
    keys = {value: key.value for value, key in pairs if isinstance(key, ast.Constant)}
    key, number = str(keys.get(node, "")), [each for each in nodes if isinstance(each, ast.Lambda)].index(node)
    is_named = key.isidentifier() and list(keys.values()).count(key) == 1
    # Another lambda of the file gets another name.
    word, count = (key.strip("_"), "") if is_named else (attribute.strip("_"), f"_{number}" * bool(number))
    wanted = (f"_{word}{count}", *(f"_{each}{count}" for each in itertools.islice(numbered(f"{word}_lambda"), 9)))
    name = next(each for each in wanted if not site.project.mentions(each))
    statement = next(each for each in inner.module.tree.body if node in ast.walk(each))
    body = spell(inner, node.body).at_least(ANY)
    new = f"def {name}({ast.unparse(node.args)}):\n    return {body}\n\n"
    edits = [(inner.file, edit) for edit in (inner.insert_before(statement, new), inner.replace(node, name))]
    return site.mend(site.node, f"define the lambda in `{attribute}` as the function `{name}`", (), elsewhere=edits)


def _as_method(stored: StoredFunction, setting: ast.Assign, call: ast.Call) -> Iterator[Mend]:
    """`self._call_act(x)` in place of `self.act(x)`."""
    site, value, receiver = stored.site, setting.value, stored.site.function.receiver
    code = stored.as_code(setting)
    if not isinstance(value, ast.Lambda) or site.cls is None or code is None:
        return
    body, kept = code
    args = ", ".join(filter(None, (receiver, ast.unparse(value.args))))
    added = stored.add_method(f"def {stored.method}({args}):\n    return {body}")
    if added:
        added += (stored.inner.insert_behind(setting, line) for line in kept)
    if added is not None:
        edits = [site.replace(call.func, f"{receiver}.{stored.method}"), *added]
        yield site.mend(call, f"turn the lambda in `{stored.name}` into a method", edits, frozen=bool(kept))


def _write_out(stored: StoredFunction, setting: ast.Assign, call: ast.Call) -> Iterator[Mend]:
    """`self.loss(x)` as a call of the function that is the argument of `functools.partial`."""
    site, inner, partial = stored.site, stored.inner, setting.value
    given = [keyword.arg for keyword in call.keywords]
    if None in given or not stored.is_partial(partial):
        return
    passed = [site.source(each) for each in (*call.args, *call.keywords)]
    if code := stored.call_of_partial(partial, passed, given):
        new, kept = code
        set_there = [inner.insert_behind(setting, line) for line in kept if line not in assignments_in(inner)]
        summary = f"call `{dotted_name(partial.args[0])}` instead of the partial `{stored.name}`"
        yield site.mend(call, summary, [site.replace(call, new), *set_there], frozen=True)
        yield site.mend(call, summary, [when_scripted(site, call, new), *set_there])


RULE = MendRule("kept_functions", MendKind.FROZEN, is_about_function, find)

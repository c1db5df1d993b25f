"""If the constructor stores one of several functions in an attribute, a call of it becomes a call of a new method.

Constants of the object show which function the constructor stored. In the scripted model, the new method tests them,
and computes what this lambda, method or function computes. In Python, it calls the attribute as before.

Message: `failed to convert Python type: 'method'`, `Expected a single top-level function`, `overloaded`, or
    `Compiled functions can't take variable number of arguments` of a function of torch.
Kind: Exact. Frozen for a lambda or partial function that keeps variables of the constructor.
Needs:
    - Only the constructor assigns the attribute. It stores a lambda, a partial function, a method of the object or
      `F.max_pool2d`, at least in some cases. If it takes them out of a dict display, the dict holds only functions.
      If it looks up a method by a computed name, a part of the name is literal.
    - The calls pass the same number of arguments, and the functions take as many. Only methods have defaults. If all
      are methods with the same parameters, they may be called in any way.
    - Calls pass arguments by position, or by the names that all functions have. All calls of functions of torch pass
      the same arguments by name.
    - Variables of the constructor that a lambda reads are assigned at most once. Attributes store their values.
Before:
    def __init__(self, kind):
        super().__init__()
        if kind == "swish":
            self.act = lambda x: x * torch.sigmoid(x)
        elif kind == "relu":
            self.act = F.relu
        else:
            self.act = self._mish

    def _mish(self, x):
        return x * torch.tanh(F.softplus(x))

    def forward(self, x):
        return self.act(x)
After:
    _act_is_lambda: Final[bool]
    _act_is_relu: Final[bool]
    _act_is_mish: Final[bool]

    def __init__(self, kind):
        super().__init__()
        self._act_is_lambda = False
        self._act_is_relu = False
        self._act_is_mish = False
        if kind == "swish":
            self.act = lambda x: x * torch.sigmoid(x)
            self._act_is_lambda = True
        elif kind == "relu":
            self.act = F.relu
            self._act_is_relu = True
        else:
            self.act = self._mish
            self._act_is_mish = True

    def _mish(self, x):
        return x * torch.tanh(F.softplus(x))

    def forward(self, x):
        return self._call_act(x)

    def _call_act(self, x):
        if not torch.jit.is_scripting():
            return self.act(x)
        elif self._act_is_lambda:
            return x * torch.sigmoid(x)
        elif self._act_is_relu:
            return F.relu(x)
        elif self._act_is_mish:
            return self._mish(x)
        else:
            raise AttributeError("act")
"""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from pdt_annotate.mends.kit.blocks import IS_SCRIPTING, ends_line, is_for_python, nested, statements
from pdt_annotate.mends.kit.branches import as_statement, by_key, by_name, may_follow
from pdt_annotate.mends.kit.construction import constructor, declare_constants, is_set_later, stores
from pdt_annotate.mends.kit.context import FunctionContext, MendRule
from pdt_annotate.mends.kit.spelled import is_none
from pdt_annotate.mends.kit.stored import (
    as_code,
    call_of_partial,
    is_about_function,
    is_identity,
    is_partial,
    method_of,
    method_to_add,
    methods_named,
    needs_method,
    settings_in,
)
from pdt_annotate.source.definitions import Definition
from pdt_annotate.source.syntax import choices, dotted_name, last_name, numbered
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class _Stored:
    """A function that the constructor stores.

    Args:
        flag: the constant that is true if it does.
        code: the expression that a method computes in its place.
        kept: lines behind the setting that keep variables of the constructor.
    """

    setting: ast.Assign
    flag: str
    code: str
    kept: Sequence[str] = ()


def find(site: FunctionContext) -> Iterator[Mend]:
    built = constructor(site)
    if built is None or site.cls is None or built.node is site.node or built.receiver != site.function.receiver:
        return
    read, calls = set(statements(site.node.body)), defaultdict[str, list[ast.Call]](list)
    for node in ast.walk(site.node):
        name = site.self_attribute(node.func) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name and site.statement(node)[0] in read and not is_for_python(site, node):
            calls[name].append(node)
    for name, called in calls.items():
        yield from _of_attribute(site, site.at(built), name, called)


def _of_attribute(
    site: FunctionContext, inner: FunctionContext, name: str, calls: Sequence[ast.Call]
) -> Iterator[Mend]:
    settings = settings_in(inner, name)
    values = [value for each in settings for value in _functions(inner, each.value, calls[0])]
    is_one = len(settings) == 1 and settings[0] in inner.node.body and values == [settings[0].value]
    if is_one or not any(needs_method(inner, value) for value in values) or not _are_all(inner, name, settings):
        return
    given = None if is_set_later(site, name) else _parameters(inner, [v for v in values if not is_none(v)], calls)
    if given is None:
        return
    chosen = [edit for each in settings for edit in _as_choice(inner, each, calls[0])]
    if chosen:
        yield inner.mend(settings[0], f"choose the function in `{name}` by an `if`", chosen)
        return
    stored = _read(site, inner, name, settings, given[1])
    added = _added(site, inner, name, settings, stored, *given) if stored else None
    if added is not None and stored:
        new = f"{site.function.receiver}._call_{name.strip('_')}"
        edits = [*(site.replace(call.func, new) for call in calls), *added]
        is_frozen = any(each.kept for each in stored)
        yield site.mend(calls[0], f"call the function in `{name}` by a method", edits, frozen=is_frozen)


def _are_all(inner: FunctionContext, name: str, settings: Sequence[ast.Assign]) -> bool:
    """Whether the assignments are all settings of an attribute, each in lines of its own in the constructor itself."""
    is_inside = any(isinstance(outer, Definition) for each in settings for outer in [*inner.around(each)][:-1])
    are_lines = all(inner.begins_line(each) and ends_line(inner, each) for each in settings)
    return not is_inside and are_lines and len(settings) == len(list(stores(inner.node, name)))


def _functions(inner: FunctionContext, value: ast.expr, call: ast.Call) -> Iterator[ast.expr]:
    """The functions that an expression may be: branches of a choice, values of a dict, methods with such a name."""
    match value:
        case ast.Subscript(ast.Dict(values=values)):
            yield from values
        case ast.Call(ast.Name("getattr"), [ast.Name(own), key]) if own == inner.function.receiver:
            named = methods_named(inner, key, call)
            yield from (ast.Attribute(ast.Name(own), name, ast.Load()) for name in named)
            yield value
        case _:
            yield from choices(value)


def _as_choice(inner: FunctionContext, setting: ast.Assign, call: ast.Call) -> list[Edit]:
    """The edits that write the choice of a function as an `if` with a setting in each branch."""
    match setting.value:
        case ast.Subscript(ast.Dict(values=values)):
            are_functions = all(dotted_name(each) or needs_method(inner, each) or is_identity(each) for each in values)
            return by_key(inner, setting) if are_functions else []
        case ast.Call(ast.Name("getattr"), [ast.Name(own), key]) if own == inner.function.receiver:
            return by_name(inner, setting, methods_named(inner, key, call))
    return as_statement(inner, setting)


def _added(
    site: FunctionContext,
    inner: FunctionContext,
    name: str,
    settings: Sequence[ast.Assign],
    stored: Sequence[_Stored],
    parameters: str,
    passed: Sequence[str],
) -> list[Edit] | None:
    """The edits that set the constants and add the method; None if its name means something else."""
    own = site.function.receiver
    flags = list(dict.fromkeys(each.flag for each in stored))
    lines = [f"if not {site.spell(IS_SCRIPTING)}():", f"    return {own}.{name}({', '.join(passed)})"]
    for each in {each.flag: each for each in stored}.values():
        lines += [f"elif {own}.{each.flag}:", f"    return {each.code}"]
    are_known = {each.setting for each in stored} >= {each for each in settings if not is_none(each.value)}
    last = f'raise AttributeError("{name}")' if are_known else f"return {own}.{name}({', '.join(passed)})"
    body = "\n".join((*lines, "else:", f"    {last}"))
    added = method_to_add(site, nested(body, f"def _call_{name.strip('_')}({parameters}):"))
    if added and site.cls:
        first = next(each for each in inner.node.body if settings[0] in ast.walk(each))
        added.append(inner.insert_before(first, "\n".join(f"{own}.{flag} = False" for flag in flags)))
        added += (inner.insert_behind(each, text) for each, text in _behind(inner, settings, stored).items())
        added += declare_constants(site, site.cls, *flags)
    return added


def _parameters(
    inner: FunctionContext, values: Sequence[ast.expr], calls: Sequence[ast.Call]
) -> tuple[str, Sequence[str]] | None:
    """The parameters of the method, and the arguments that it passes on; None if the functions do not fit the calls."""
    lambdas = [each for each in values if isinstance(each, ast.Lambda)]
    methods = list(filter(None, (method_of(inner, each) for each in values)))
    texts = {ast.unparse(each.node.args) for each in methods}
    own, is_alike = inner.function.receiver, len(methods) == len(values) and len(texts) == 1
    if is_alike:
        text = texts.pop()
        return (text, [each.name for each in methods[0].parameters]) if "*" not in text else None
    number = len(calls[0].args) + len(calls[0].keywords)
    fits = all(len(call.args) + len(call.keywords) == number for call in calls)
    are_plain = not any(isinstance(arg, ast.Starred) for call in calls for arg in call.args)
    words = {keyword.arg for call in calls for keyword in call.keywords}
    names = {tuple(arg.arg for arg in each.args.args) for each in lambdas}
    names |= {tuple(each.name for each in method.parameters[:number]) for method in methods}
    fits = fits and all(each.value is not None for method in methods for each in method.parameters[number:])
    signatures = [each.args for each in (*lambdas, *(method.node for method in methods))]
    stars = any(each.vararg or each.kwarg or each.kwonlyargs or each.posonlyargs for each in signatures)
    if not fits or not are_plain or stars or not {len(each) for each in names} <= {number}:
        return None
    has_names = len(names) == 1 and len(lambdas) + len(methods) == len(values)
    if words and not (has_names and words <= {*min(names)}) and (names or not _are_passed(words, calls)):
        return None
    first = min(names) if len(names) == 1 else tuple(itertools.islice(numbered("x"), number))
    if words and not names:  # functions of torch, whose parameters have these names
        first = (*first[: -len(words)], *sorted(map(str, words)))
    passed = [f"{each}={each}" if each in words and not names else each for each in first]
    return ", ".join((own, *first)), passed


def _are_passed(words: Set[str | None], calls: Sequence[ast.Call]) -> bool:
    """Whether all calls pass the same arguments by name."""
    return None not in words and all({each.arg for each in call.keywords} == words for call in calls)


def _read(
    site: FunctionContext, inner: FunctionContext, name: str, settings: Sequence[ast.Assign], passed: Sequence[str]
) -> list[_Stored] | None:
    """The functions that the settings store, without those that the compiler reads in the attribute itself.

    None if a lambda has no code that a method can run.
    """
    found, flags = list[_Stored](), dict[str, str]()
    for setting in settings:
        value, own, kept = setting.value, site.function.receiver, list[str]()
        if isinstance(value, ast.Lambda):
            code = as_code(site, inner, name, setting, passed)
            if code is None:
                return None
            text, kept, word = *code, "lambda"
        elif method_of(inner, value):
            text, word = f"{own}.{inner.self_attribute(value)}({', '.join(passed)})", inner.self_attribute(value)
        elif is_partial(value, inner):
            given = [word for word, sign, _ in (each.partition("=") for each in passed) if sign]
            code = call_of_partial(site, inner, name, value, passed, given)
            if code is None:
                return None
            text, kept, word = *code, last_name(value.args[0])
        elif inner.meaning(value).startswith("torch.") and last_name(value)[:1].islower():
            text, word = f"{site.spell(inner.meaning(value))}({', '.join(passed)})", last_name(value)
        else:
            continue
        wanted = numbered(f"_{name.strip('_')}_is_{word.strip('_')}", 2)
        flag = flags.setdefault(text, next(each for each in wanted if each not in flags.values()))
        found.append(_Stored(setting, flag, text, kept))
    return found


def _behind(
    inner: FunctionContext, settings: Sequence[ast.Assign], stored: Sequence[_Stored]
) -> Mapping[ast.Assign, str]:
    """The lines behind each setting: its own constant is true, and those of settings that may have run are not."""
    by_setting, found = {each.setting: each for each in stored}, dict[ast.Assign, str]()
    for setting in settings:
        known = by_setting.get(setting)
        earlier = {
            each.flag for each in stored if each.setting is not setting and may_follow(inner, each.setting, setting)
        }
        others = sorted(earlier - {known.flag if known else ""})
        lines = [*known.kept, f"{inner.function.receiver}.{known.flag} = True"] if known else []
        lines += [f"{inner.function.receiver}.{flag} = False" for flag in others]
        if lines:
            found[setting] = "\n".join(lines)
    return found


RULE = MendRule("chosen_functions", MendKind.EXACT, is_about_function, find)

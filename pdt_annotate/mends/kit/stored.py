"""Functions that a constructor stores in attributes of an object: where it does, and a lambda as code of a method."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Sequence
from typing import TypeGuard

from pdt_annotate.findings.messages.said import DISPATCHED, NO_ATTRIBUTE, NO_FUNCTION, OVERLOADED
from pdt_annotate.mends.kit.construction import add_method, is_set_later, methods
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.mends.kit.spelled import ANY, ATOM, Expression, is_plain, names_for, spell, stores
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.scopes import names_in, names_inside, parameters
from pdt_annotate.source.syntax import all_arguments, dotted_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.verdicts import Failure

ANY_WORD = r"\w+"
POOLING = "torch.nn.functional.max_pool"  # functions that look at an argument to choose one of two others
RUNNING = (ast.Call, ast.Starred, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)
"""Nodes that may have effects."""


def is_about_function(failure: Failure) -> bool:
    """Whether the compiler cannot read a function, or not as the value of an attribute."""
    text = failure.text or failure.message
    facts = NO_ATTRIBUTE.read(text)
    is_said = any(message.is_in(text) for message in (NO_FUNCTION, OVERLOADED, DISPATCHED))
    return is_said or (facts is not None and bool(facts["unconverted"]))


def settings_in(inner: FunctionContext, name: str) -> list[ast.Assign]:
    """The assignments of a constructor to an attribute alone, in source order."""
    assigns = [node for node in ast.walk(inner.node) if isinstance(node, ast.Assign)] if name else []
    found = [each for each in assigns if inner.self_attribute(each.targets[0]) == name and len(each.targets) == 1]
    return sorted(found, key=lambda each: each.lineno)


def needs_method(inner: FunctionContext, value: ast.expr) -> bool:
    """Whether the compiler cannot read a stored function in the attribute; `lambda x: x` does not count."""
    is_lambda = isinstance(value, ast.Lambda) and not is_identity(value)
    is_known = is_lambda or is_partial(value, inner) or POOLING in inner.meaning(value)
    return is_known or method_of(inner, value) is not None


def method_of(inner: FunctionContext, value: ast.expr) -> Function | None:
    """The plain method of the object that an expression means."""
    found = inner.definition(value) if inner.self_attribute(value) else None
    return found if found and found.receiver and not found.decorators else None


def methods_named(inner: FunctionContext, key: ast.expr, call: ast.Call) -> list[str]:
    """The plain methods that a call fits, and whose names a computed text may be, if a part of the text is literal."""
    pattern = _pattern(key)
    if not re.search(r"\w\w|_", pattern.replace(ANY_WORD, " ")) or ANY_WORD not in pattern:
        return []
    plain = [each for each in methods(inner) if each.receiver and not each.decorators]
    fitting = [each.node.name for each in plain if all_arguments(call, each.parameters) is not None]
    tests = [node.test for node in inner.around(key) if isinstance(node, ast.If)]  # may have ruled out some names
    known = {part.value for test in tests for part in ast.walk(test) if isinstance(part, ast.Constant)}
    named = (name for name in fitting if re.fullmatch(pattern, name) and not name.startswith("__"))
    return [name for name in named if name not in known]


def _pattern(key: ast.expr) -> str:
    """A regular expression for the texts that an expression of words and plain values may be; "" for another one."""
    match key:
        case ast.Constant(str(word)):
            return re.escape(word)
        case ast.JoinedStr(values):
            parts = [_pattern(each) for each in values]
        case ast.BinOp(left, ast.Add(), right):
            parts = [_pattern(left), _pattern(right)]
        case ast.FormattedValue(value, -1, None) | value:
            return ANY_WORD if is_plain(value) else ""
    return "".join(parts) if all(parts) else ""


def is_identity(value: ast.AST) -> TypeGuard[ast.Lambda]:
    """Whether a node is `lambda x: x`."""
    match value:
        case ast.Lambda(ast.arguments(args=[ast.arg(parameter)], vararg=None, kwarg=None), ast.Name(result)):
            return parameter == result
    return False


def as_code(
    site: FunctionContext, inner: FunctionContext, name: str, setting: ast.Assign, given: Sequence[str] = ()
) -> tuple[str, list[str]] | None:
    """The expression that a stored lambda computes, in a method, and lines that keep variables of the constructor.

    None if the variables may change.

    Args:
        given: other names for its parameters.
    """
    value, receiver = setting.value, site.function.receiver
    if not isinstance(value, ast.Lambda) or value.args.defaults or value.args.kw_defaults:
        return None
    own, kept = names_inside(value), list[str]()
    known = {arg.arg: Expression(new, ATOM) for arg, new in zip(value.args.args, given, strict=False)}
    free = sorted(names_in(value.body) - own - {receiver})
    renamed = {name for arg, new in known.items() if arg != new.text for name in (arg, new.text)}
    if receiver in own or not renamed.isdisjoint(names_inside(value.body)) or not set(given).isdisjoint(free):
        return None
    for each in (name for name in free if name in inner.local_names):
        stored = stores(inner.node, each)
        bound = [s for s in inner.node.body if isinstance(s, ast.Assign) and s.targets == stored]
        alias = inner.self_attribute(bound[0].value) if bound else ""
        if len(stored) > bool(bound) or any(s.lineno > setting.lineno for s in bound) or is_set_later(site, alias):
            return None
        known[each] = Expression(f"{receiver}.{alias}" if alias else f"{receiver}._{name.strip('_')}_{each}", ATOM)
        kept += [] if alias else [f"{known[each].text} = {each}"]
    is_known = set(free) <= {*known, *known_names(site)}
    return (spell(inner, value.body, names_for(known)).at_least(ANY), kept) if is_known else None


def is_partial(value: ast.expr, inner: FunctionContext) -> TypeGuard[ast.Call]:
    return isinstance(value, ast.Call) and inner.meaning(value.func) == "functools.partial"


def call_of_partial(
    site: FunctionContext,
    inner: FunctionContext,
    name: str,
    partial: ast.Call,
    passed: Sequence[str],
    given: Collection[str | None] = (),
) -> tuple[str, list[str]] | None:
    """The call that a stored partial function makes, in a method, and lines that keep arguments of the constructor.

    None if the arguments may have effects.

    Args:
        passed: the text of the arguments that are passed to the partial function.
        given: the names among them.
    """
    function = dotted_name(partial.args[0]) if partial.args else ""
    root = function.partition(".")[0]
    if not function or root in inner.local_names | site.local_names or root not in known_names(site):
        return None
    keywords, kept = [each for each in partial.keywords if each.arg not in given], list[str]()
    parts = (part for each in (*partial.args[1:], *keywords) for part in ast.walk(each))
    if any(each.arg is None for each in keywords) or any(isinstance(part, RUNNING) for part in parts):
        return None
    prefix = f"_{name.strip('_')}"
    values = [_kept(inner, f"{prefix}_{number}", value, kept) for number, value in enumerate(partial.args[1:])]
    named = [f"{each.arg}={_kept(inner, f'{prefix}_{each.arg}', each.value, kept)}" for each in keywords]
    return f"{function}({', '.join([*values, *passed, *named])})", kept


def _kept(inner: FunctionContext, name: str, value: ast.expr, lines: list[str]) -> str:
    """How a method reaches a value of the constructor: a literal directly, all else by an attribute that keeps it."""
    if all(isinstance(node, (ast.Constant, ast.UnaryOp, ast.unaryop)) for node in ast.walk(value)):
        return inner.source(value)
    line = f"{inner.function.receiver}.{name} = {inner.source(value)}"
    if line not in map(inner.source, (s for s in inner.node.body if isinstance(s, ast.Assign))):
        lines.append(line)
    return f"{inner.function.receiver}.{name}"


def known_names(site: FunctionContext) -> set[str]:
    """The names that mean the same in all functions of the file."""
    at_top = {name for name in site.module.qualnames if "." not in name}
    return at_top | set(site.imports) | set(dir(builtins))


def method_to_add(site: FunctionContext, text: str) -> list[Edit] | None:
    """As `add_method`, but the class may have the method with a body that another mend has changed."""
    [new] = ast.parse(text).body
    assert isinstance(new, ast.FunctionDef)
    present = site.module.function_named(f"{site.function.in_class}.{new.name}")
    is_there = present and [a.arg for a in parameters(present.node)] == [a.arg for a in parameters(new)]
    return [] if is_there else add_method(site, text)

"""`*args` and `**kwargs` that are only passed on become named parameters, or are removed if no call passes any.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: Exact if no call in the project may pass more than the examples passed. Otherwise frozen, because such a call then
    raises an error.
Needs:
    - The function uses `args` and `kwargs` only as `*args` and `**kwargs` in calls. An `if` that tests whether any were
      passed is removed if no call passed any.
    - All functions to which a name is passed accept it, with the same plain default.
    - If an attribute holds modules of several classes, and only some of these classes accept all names, a constant
      stores whether the module accepts them. All others accept the same few names. The mend is then frozen.
Before:
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x), **kwargs)
After:
    def forward(self, x, mask=None):
        return self.fn(self.norm(x), mask=mask)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.callers import (
    forward_of,
    may_pass_more,
    own_variadics,
    receivers,
    untaken_choices,
)
from pdt_annotate.mends.kit.construction import (
    constructor,
    declare_constants,
    is_docstring,
    is_set_later,
    last_setting,
)
from pdt_annotate.mends.kit.context import NOTHING_PASSED, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import SPACED, Item, arguments, exchange, passes_on
from pdt_annotate.mends.kit.spelled import CHOICE, Expression, put_in
from pdt_annotate.source.definitions import VARIADIC, Function, ParameterKind, defaults_of, literal_type
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind

NO_DEFAULT = ""


@dataclass(frozen=True)
class _Takers:
    """The attribute, the classes that take all names, as the file spells them, and the constant that holds which."""

    attribute: str
    classes: tuple[str, ...]
    fewer: tuple[str, ...]  # the names that all other classes take
    flag: str


def find(site: FunctionContext) -> Iterator[Mend]:
    args = site.node.args
    if not (args.vararg or args.kwarg) or "<locals>" in site.function.owner.qualname:
        return
    forwards, passed = _forwards(site), site.passed or NOTHING_PASSED
    if forwards is None:
        return
    if passed.names and (mixed := _takers(site, forwards, passed.names)):
        yield from _mixed(site, forwards, mixed, passed.names)
        return
    may_be_more = may_pass_more(site, passed.names)
    new = _new_parameters(site, forwards, passed.names)
    if new is None or (may_be_more and site.passed is None):
        return
    parts = [_in_definition(site, new), *(_in_call(site, call, list(new)) for call in forwards)]
    edits = [edit for part in parts for edit in part or ()]
    edits += [site.remove(choice) for choice in _untaken(site)]
    if edits and None not in parts:
        yield site.mend(site.node, _summary(site, list(new)), edits, frozen=may_be_more)


def _mixed(site: FunctionContext, forwards: Sequence[ast.Call], found: _Takers, names: Sequence[str]) -> Iterator[Mend]:
    """Passes the names only to modules that take them; passing them to others stays an error."""
    definition, constant = _in_definition(site, dict.fromkeys(names, "None")), _settle(site, found)
    if definition is None or constant is None or not forwards:
        return
    edits = [*definition, *constant]
    flag = f"{site.function.receiver}.{found.flag}"
    for call in forwards:
        ways = [_in_call(site, call, each) for each in (names, found.fewer)]
        if None in ways:
            return
        with_, without = (site.text.edited(way or (), *site.span(call)).decode() for way in ways)
        edits.append(put_in(site, call, Expression(f"{with_} if {flag} else {without}", CHOICE)))
    more = [name for name in names if name not in found.fewer]
    is_none = " and ".join(f"{name} is None" for name in more)
    check = f"assert {flag} or {is_none if len(more) == 1 else f'({is_none})'}"
    first = site.node.body[is_docstring(site.node.body[0])]
    edits.append(site.insert_before(first, check))
    summary = _summary(site, names) + f", only for `{'`, `'.join(found.classes)}`"
    yield site.mend(site.node, summary, edits, frozen=True)


def _forwards(site: FunctionContext) -> list[ast.Call] | None:
    """The calls that pass the variadic parameters on; None if the body or a caller uses them otherwise."""
    own, taken = set(own_variadics(site)), site.passed or NOTHING_PASSED
    if (site.node.args.vararg and taken.positional) or set(taken.names) & site.local_names:
        return None
    idle = {id(node) for choice in _untaken(site) for node in ast.walk(choice)}
    found, passing = list[ast.Call](), 0
    nodes = (node for statement in site.node.body for node in ast.walk(statement))
    for call in (node for node in nodes if isinstance(node, ast.Call) and id(node) not in idle):
        variadic = [each for each in arguments(call) if passes_on(each, site.node)]
        passing += len(variadic)
        found += [call] * bool(variadic)
    names = (node for node in ast.walk(site.node) if isinstance(node, ast.Name) and id(node) not in idle)
    return found if sum(name.id in own for name in names) == passing else None


def _untaken(site: FunctionContext) -> list[ast.If]:
    """The statements to remove with parameters that took nothing in any call; of nested ones the outermost."""
    found = list(untaken_choices(site)) if site.passed == NOTHING_PASSED else []
    inner = {id(node) for choice in found for node in ast.walk(choice) if node is not choice}
    return [choice for choice in found if id(choice) not in inner]


def _new_parameters(site: FunctionContext, forwards: Sequence[ast.Call], names: Sequence[str]) -> dict[str, str] | None:
    """The new parameters, each with its default as source text; None if one is unknown."""
    callees = [receivers(site, call) for call in forwards]
    if names and None in callees:
        return None
    known = [callee for each in callees for callee in each or ()]
    defaults = {name: {default_of(site, callee, name) for callee in known} or {"None"} for name in names}
    agreed = {name: found.pop() for name, found in defaults.items() if len(found) == 1}
    return agreed if len(agreed) == len(defaults) and None not in agreed.values() else None  # type: ignore[return-value]


def default_of(site: FunctionContext, function: Function, name: str) -> str | None:
    """The default that a function has for a name, as source text, or that it gets when it is mended itself."""
    parameter = function.parameter(name)
    if parameter is None:
        return (_planned(site.at(function)) or {}).get(name) if function.owner != site.function.owner else None
    if parameter.kind in VARIADIC or (parameter.value and not parameter.default):
        return None
    if parameter.value is None:
        return NO_DEFAULT
    is_readable = site.project.has(function.owner.file) or literal_type(parameter.value) is not None
    return ast.unparse(parameter.value) if is_readable else None


def _planned(site: FunctionContext) -> dict[str, str] | None:
    forwards = _forwards(site) if site.node.args.kwarg else None
    passed = site.passed or NOTHING_PASSED
    if forwards is None:
        return None
    if passed.names and _takers(site, forwards, passed.names):
        return dict.fromkeys(passed.names, "None")
    return _new_parameters(site, forwards, passed.names)


def _takers(site: FunctionContext, calls: Sequence[ast.Call], names: Sequence[str]) -> _Takers | None:
    """The classes that take all the names, each with the default None, if all others take the same few of them."""
    attributes = {site.self_attribute(call.func) for call in calls}
    attribute = attributes.pop() if len(attributes) == 1 else ""
    held = site.held(attribute)
    if not attribute or not held.values or held.changes or held.lacking:
        return None
    types = list(dict.fromkeys(value.type for value in held.values))
    taking, lacking = list[str](), list[tuple[str, ...]]()
    for dotted in types:
        function = forward_of(site.project, dotted)
        if function is None:
            return None
        taken = tuple(name for name in names if default_of(site, function, name) == "None")
        if taken == tuple(names):
            # A class that the file cannot name without a new import counts as "".
            module, _, simple = dotted.rpartition(".")
            is_own = module == site.project.module_name(site.file)
            text = simple if is_own else site.spell(dotted)
            taking.append("" if (site.file, text) in site.spelled else text)
        elif not any(
            each.kind is ParameterKind.VAR_KEYWORD or (each.name in names and each.name not in taken)
            for each in function.parameters
        ):
            lacking.append(taken)
    if not taking or len(set(lacking)) != 1 or len(taking) + len(lacking) < len(types) or "" in taking:
        return None
    more = [name for name in names if name not in lacking[0]]
    return _Takers(attribute, tuple(taking), lacking[0], f"_takes_{'_and_'.join(more)}")


def _settle(site: FunctionContext, found: _Takers) -> list[Edit] | None:
    """The edits that set a constant of the class to whether its module takes the names."""
    built, cls = constructor(site), site.cls
    setting = last_setting(built, found.attribute) if built else None
    if built is None or cls is None or setting is None or is_set_later(site, found.attribute):
        return None
    classes = found.classes[0] if len(found.classes) == 1 else f"({', '.join(found.classes)})"
    own = built.receiver
    line = f"{own}.{found.flag} = isinstance({own}.{found.attribute}, {classes})"
    return [*declare_constants(site, cls, found.flag), site.insert_behind(setting, line)]


def _in_call(site: FunctionContext, call: ast.Call, names: Sequence[str]) -> list[Edit] | None:
    """Passes names in place of the variadic arguments; None if a comment is between the arguments."""
    sign = " = " if SPACED.search(site.source(call).encode()) else "="
    keywords = ", ".join(f"{name}{sign}{name}" for name in names)
    changed = {i: keywords if isinstance(i, ast.keyword) else "" for i in arguments(call) if passes_on(i, site.node)}
    return exchange(site, call, changed)


def _in_definition(site: FunctionContext, new: Mapping[str, str]) -> list[Edit] | None:
    args, defaults = site.node.args, defaults_of(site.node)
    required = [name for name, default in new.items() if default == NO_DEFAULT]
    if required and (args.defaults or args.kwonlyargs):
        return None
    ordered = sorted(new, key=lambda name: name not in required)
    changed: dict[Item, str] = {}
    if args.kwarg:
        changed[args.kwarg] = ", ".join(name + (f"={new[name]}" if new[name] else "") for name in ordered)
    if args.vararg:
        must_stay = any(arg.arg not in defaults for arg in args.kwonlyargs)
        changed[args.vararg] = "*" if must_stay else ""
    return exchange(site, site.node, changed)


def _summary(site: FunctionContext, new: Sequence[str]) -> str:
    args = site.node.args
    gone = [f"`*{args.vararg.arg}`"] * bool(args.vararg) if args.vararg else []
    gone += [f"`**{args.kwarg.arg}`"] if args.kwarg else []
    names = ", ".join(f"`{name}`" for name in new)
    said = f"becomes {names}" if new else "is removed, since no call passes any"
    return f"{' and '.join(gone)} of `{site.node.name}` {said}"


RULE = MendRule("variadics", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)

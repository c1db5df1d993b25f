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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.callers import forward_of, may_pass_more, own_variadics, receivers, untaken_choices
from pdt_annotate.mends.kit.construction import (
    body_of,
    constructor,
    declare_constants,
    is_set_later,
    last_setting,
)
from pdt_annotate.mends.kit.context import NOTHING_PASSED, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import SPACED, arguments, exchange, name_variadics, passes_on
from pdt_annotate.mends.kit.spelled import CHOICE, Expression, put_in
from pdt_annotate.source.definitions import VARIADIC, Function, ParameterKind
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class _Takers:
    """The attribute, the classes that take all names, as the file spells them, and the names that all others take."""

    attribute: str
    classes: tuple[str, ...]
    fewer: tuple[str, ...]


def find(site: FunctionContext) -> Iterator[Mend]:
    args, names = site.node.args, site.passed.names
    if not (args.vararg or args.kwarg) or "<locals>" in site.function.owner.qualname:
        return
    forwards = _forwards(site)
    if forwards is None:
        return
    if mixed := _takers(site, forwards, names):
        yield from _mixed(site, forwards, mixed, names)
        return
    may_be_more, new = may_pass_more(site, names), _new_parameters(site, forwards, names)
    if new is None or (may_be_more and not site.is_entered()):
        return
    parts = [name_variadics(site, new), *(_in_call(site, call, list(new)) for call in forwards)]
    edits = [edit for part in parts for edit in part or ()]
    edits += [site.remove(choice) for choice in _untaken(site)]
    if edits and None not in parts:
        yield site.mend(site.node, _summary(site, list(new)), edits, frozen=may_be_more)


def _mixed(site: FunctionContext, forwards: Sequence[ast.Call], found: _Takers, names: Sequence[str]) -> Iterator[Mend]:
    """Passes the names only to modules that take them, by a constant; passing them to others stays an error."""
    definition, built, cls = name_variadics(site, dict.fromkeys(names, "None")), constructor(site), site.cls
    setting = last_setting(built, found.attribute) if built else None
    if definition is None or built is None or cls is None or setting is None or is_set_later(site, found.attribute):
        return
    more = [name for name in names if name not in found.fewer]
    flag, own = f"_takes_{'_and_'.join(more)}", site.function.receiver
    classes = found.classes[0] if len(found.classes) == 1 else f"({', '.join(found.classes)})"
    line = f"{built.receiver}.{flag} = isinstance({built.receiver}.{found.attribute}, {classes})"
    is_none = " and ".join(f"{name} is None" for name in more)
    check = f"assert {own}.{flag} or {is_none if len(more) == 1 else f'({is_none})'}"
    edits = [*definition, *declare_constants(site, cls, flag), site.insert_behind(setting, line)]
    edits.append(site.insert_before((body_of(site.node) or site.node.body)[0], check))
    for call in forwards:
        ways = [_in_call(site, call, each) for each in (names, found.fewer)]
        if None in ways:
            return
        with_, without = (site.text.edited(way or (), *site.span(call)).decode() for way in ways)
        edits.append(put_in(site, call, Expression(f"{with_} if {own}.{flag} else {without}", CHOICE)))
    summary = _summary(site, names) + f", only for `{'`, `'.join(found.classes)}`"
    yield site.mend(site.node, summary, edits, frozen=True)


def _forwards(site: FunctionContext) -> list[ast.Call] | None:
    """The calls that pass the variadic parameters on; None if the body or a caller uses them otherwise."""
    own, taken = own_variadics(site), site.passed
    if (site.node.args.vararg and taken.positional) or set(taken.names) & site.local_names:
        return None
    idle = {node for choice in _untaken(site) for node in ast.walk(choice)}
    nodes = [node for statement in site.node.body for node in ast.walk(statement) if node not in idle]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    passing = {call: sum(passes_on(each, site.node) for each in arguments(call)) for call in calls}
    uses = sum(isinstance(node, ast.Name) and node.id in own for node in nodes)
    return [call for call in calls if passing[call]] if uses == sum(passing.values()) else None


def _untaken(site: FunctionContext) -> list[ast.If]:
    """The statements to remove with parameters that took nothing in any call; of nested ones the outermost."""
    found = list(untaken_choices(site)) if site.is_entered() and site.passed == NOTHING_PASSED else []
    return [choice for choice in found if set(found).isdisjoint(site.around(choice))]


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
    return ast.unparse(parameter.value) if parameter.value else ""


def _planned(site: FunctionContext) -> dict[str, str] | None:
    forwards, names = _forwards(site) if site.node.args.kwarg else None, site.passed.names
    if forwards is None:
        return None
    if _takers(site, forwards, names):
        return dict.fromkeys(names, "None")
    return _new_parameters(site, forwards, names)


def _takers(site: FunctionContext, calls: Sequence[ast.Call], names: Sequence[str]) -> _Takers | None:
    """The classes that take all the names, each with the default None, if all others take the same few of them."""
    attributes = {site.self_attribute(call.func) for call in calls}
    attribute = attributes.pop() if len(attributes) == 1 else ""
    held = site.held(attribute)
    if not names or not attribute or not held.values or held.changes or held.lacking:
        return None
    taking, lacking = list[str](), list[tuple[str, ...]]()
    for dotted in dict.fromkeys(value.type for value in held.values):
        function = forward_of(site.project, dotted)
        if function is None:
            return None
        taken = tuple(name for name in names if default_of(site, function, name) == "None")
        if taken == tuple(names):
            module, _, simple = dotted.rpartition(".")
            text = simple if module == site.project.module_name(site.file) else site.spell(dotted)
            if (site.file, text) in site.spelled:  # the file cannot name the class without a new import
                return None
            taking.append(text)
        elif any(
            each.kind is ParameterKind.VAR_KEYWORD or (each.name in names and each.name not in taken)
            for each in function.parameters
        ):
            return None
        else:
            lacking.append(taken)
    if not taking or len(set(lacking)) != 1:
        return None
    return _Takers(attribute, tuple(taking), lacking[0])


def _in_call(site: FunctionContext, call: ast.Call, names: Sequence[str]) -> list[Edit] | None:
    """Passes names in place of the variadic arguments; None if a comment is between the arguments."""
    sign = " = " if SPACED.search(site.source(call).encode()) else "="
    keywords = ", ".join(f"{name}{sign}{name}" for name in names)
    changed = {i: keywords if isinstance(i, ast.keyword) else "" for i in arguments(call) if passes_on(i, site.node)}
    return exchange(site, call, changed)


def _summary(site: FunctionContext, new: Sequence[str]) -> str:
    starred = (("*", site.node.args.vararg), ("**", site.node.args.kwarg))
    gone = [f"`{stars}{arg.arg}`" for stars, arg in starred if arg]
    names = ", ".join(f"`{name}`" for name in new)
    said = f"becomes {names}" if new else "is removed, since no call passes any"
    return f"{' and '.join(gone)} of `{site.node.name}` {said}"


RULE = MendRule("variadics", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)

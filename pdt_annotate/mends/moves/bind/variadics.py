"""`*args` and `**kwargs` become named parameters, or are removed if no call passes any.

Each name that the function looks up in `**kwargs`, or passes on, becomes a parameter. A value in `*args` gets the name
that the called function has for it.

Message: `Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults`.
Kind: Exact if no call in the project may pass more than the examples passed. Otherwise frozen, because such a call then
    raises an error. Also frozen if the function tests `"name" in kwargs`, or reads `kwargs["name"]` only in some calls,
    because None then means that the argument was not passed.
Needs:
    - The function uses `args` and `kwargs` as `*args` and `**kwargs` in calls. It may also read names of `kwargs` as
      `kwargs["name"]`, `kwargs.get("name")`, `kwargs.pop("name")` or `"name" in kwargs`, and set one at a time. An `if`
      that tests whether any were passed is removed if no call passed any. If no call passed any, and the function uses
      `kwargs` otherwise, it becomes an empty dict.
    - Functions to which values of `*args` are passed have the same names for them.
    - All functions to which a name is passed, and all lookups of the name, have the same plain default.
    - No variable has the name of a new parameter, except in `name = kwargs["name"]`. If the function then sets the name
      in `kwargs`, it no longer uses this variable.
    - If an attribute holds modules of several classes, and only some of these classes accept all names, a constant
      stores whether the module accepts them. All others accept the same few names. The mend is then frozen.
Before:
    def forward(self, x, **kwargs):
        return self.fn(self.norm(x) * kwargs.get("scale", 1.0), **kwargs)
After:
    def forward(self, x, scale=1.0, mask=None):
        return self.fn(self.norm(x) * scale, mask=mask)
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.messages.said import VARIABLE_ARGUMENTS
from pdt_annotate.mends.kit.blocks import is_repeated
from pdt_annotate.mends.kit.callers import forward_of, may_pass_more, own_variadics, receivers, untaken_choices
from pdt_annotate.mends.kit.construction import body_of, constructor, declare_constants, is_set_later, last_setting
from pdt_annotate.mends.kit.context import NOTHING_PASSED, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import SPACED, arguments, exchange, name_variadics, passes_on
from pdt_annotate.mends.kit.lookups import Lookup, lookups, settings
from pdt_annotate.mends.kit.spelled import CHOICE, Expression, loads, put_in, stores
from pdt_annotate.source.definitions import VARIADIC, Function, ParameterKind
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind


@dataclass(frozen=True)
class _Takers:
    """The attribute, the classes that take all names, as the file spells them, and the names that all others take."""

    attribute: str
    classes: Mapping[str, Function]  # each with its forward
    fewer: tuple[str, ...]


@dataclass(frozen=True)
class _Uses:
    """The uses of variadic parameters: the calls that pass them on, and the names that are read and set."""

    forwards: Sequence[ast.Call]
    lookups: Sequence[Lookup] = ()
    settings: Sequence[tuple[str, list[Edit]]] = ()
    positional: tuple[str, ...] = ()  # the names that the called functions have for the values in `*args`
    named: tuple[str, ...] = ()  # the names that callers passed

    @property
    def passed(self) -> tuple[str, ...]:
        return *self.positional, *(name for name in self.named if name not in self.positional)

    @property
    def taken(self) -> set[str]:
        return {each.name for each in self.lookups if each.takes_away}

    @property
    def forwarded(self) -> tuple[str, ...]:
        """The names that the calls pass on."""
        names = dict.fromkeys((*self.passed, *(name for name, _ in self.settings)))
        return tuple(name for name in names if name not in self.taken) if self.forwards else ()

    def edits(self, site: FunctionContext) -> list[Edit]:
        """Edit the lookups and settings, and remove each `if` that tests whether a call passed any such argument."""
        set_ = [edit for _, edits in self.settings for edit in edits]
        return [*(each.edit(site) for each in self.lookups), *set_, *(site.remove(each) for each in _untaken(site))]


def find(site: FunctionContext) -> Iterator[Mend]:
    args = site.node.args
    if not (args.vararg or args.kwarg) or "<locals>" in site.function.owner.qualname:
        return
    facts = site.shown.facts
    if facts.expressions and site.is_entered() and site.function.owner.name not in facts.variadic:
        return  # only the construction of the target called it, with unknown arguments
    uses = _uses(site)
    if uses is None:
        yield from _emptied(site)
        return
    if mixed := _takers(site, uses):
        yield from _mixed(site, uses, mixed)
        return
    new = _new_parameters(site, uses)
    # A name that is looked up, but that no example passed, is not passed on.
    known = (*uses.forwarded, *uses.taken) if uses.forwards else tuple(new or ())
    may_be_more = may_pass_more(site, known, len(uses.positional))
    if new is None or (may_be_more and not site.is_entered() and not uses.lookups):
        return
    parts = [
        name_variadics(site, new, uses.positional),
        *(_in_call(site, call, uses, uses.forwarded) for call in uses.forwards),
    ]
    edits = [*(edit for part in parts for edit in part or ()), *uses.edits(site)]
    if edits and None not in parts:
        yield site.mend(site.node, _summary(site, list(new)), edits, frozen=may_be_more or _sees_none(site, uses))


def _sees_none(site: FunctionContext, uses: _Uses) -> bool:
    """Whether the function, or one to which it passes names on, behaves differently if None is passed or nothing."""
    required = [each for each in uses.lookups if not each.default]
    is_spared = any(each.name in dict(uses.settings) or not each.is_reached(site) for each in required)
    if is_spared or any(each.asks for each in uses.lookups):
        return True
    callees = [callee for call in uses.forwards for callee in receivers(site, call) or ()]
    inner = [site.at(callee) for callee in callees if callee.owner != site.function.owner and callee.node.args.kwarg]
    return any(_sees_none(each, used) for each in inner if (used := _uses(each)))


def _mixed(site: FunctionContext, uses: _Uses, found: _Takers) -> Iterator[Mend]:
    """Passes the names only to modules that take them, by a constant; passing them to others stays an error."""
    names, new = uses.forwarded, _defaults(site, uses, [*found.classes.values()]) or {}
    definition, built, cls = name_variadics(site, new, uses.positional) if new else None, constructor(site), site.cls
    setting = last_setting(built, found.attribute) if built else None
    if definition is None or built is None or cls is None or setting is None or is_set_later(site, found.attribute):
        return
    more = [name for name in names if name not in found.fewer]
    flag, own = f"_takes_{'_and_'.join(more)}", site.function.receiver
    classes = ", ".join(found.classes) if len(found.classes) == 1 else f"({', '.join(found.classes)})"
    line = f"{built.receiver}.{flag} = isinstance({built.receiver}.{found.attribute}, {classes})"
    tests = {"None": "{} is None", "False": "not {}", "True": "{}"}
    is_default = " and ".join(tests.get(new[name], f"{{}} == {new[name]}").format(name) for name in more)
    check = f"assert {own}.{flag} or {is_default if len(more) == 1 else f'({is_default})'}"
    edits = [*definition, *declare_constants(site, cls, flag), site.insert_behind(setting, line), *uses.edits(site)]
    edits.append(site.insert_before((body_of(site.node) or site.node.body)[0], check))
    for call in uses.forwards:
        ways = [_in_call(site, call, uses, each) for each in (names, found.fewer)]
        if None in ways:
            return
        with_, without = (site.text.edited(way or (), *site.span(call)).decode() for way in ways)
        edits.append(put_in(site, call, Expression(f"{with_} if {own}.{flag} else {without}", CHOICE)))
    summary = _summary(site, list(new)) + f", only for `{'`, `'.join(found.classes)}`"
    yield site.mend(site.node, summary, edits, frozen=True)


def _emptied(site: FunctionContext) -> Iterator[Mend]:
    """An empty dict in place of `**kwargs`, if no call passed any and the function uses it as a dict."""
    args, body, is_known = site.node.args, body_of(site.node), site.function.owner.name in site.shown.facts.variadic
    kwargs, is_passed = args.kwarg, bool(site.passed.names or site.passed.positional)
    if not kwargs or not body or not is_known or not site.is_entered() or is_passed:
        return
    if (header := exchange(site, site.node, {kwargs: ""})) and site.begins_line(body[0]):
        edits = [*header, site.insert_before(body[0], f"{kwargs.arg} = {{}}")]
        summary = f"`**{kwargs.arg}` of `{site.node.name}` becomes an empty dict, since no call passes any"
        yield site.mend(site.node, summary, edits, frozen=True)


def _uses(site: FunctionContext) -> _Uses | None:
    """The uses of the variadic parameters; None if the body or a caller uses them otherwise."""
    own, args = own_variadics(site), site.node.args
    idle = {node for choice in _untaken(site) for node in ast.walk(choice)}
    nodes = [node for statement in site.node.body for node in ast.walk(statement) if node not in idle]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    passing = {call: sum(passes_on(each, site.node) for each in arguments(call)) for call in calls}
    found = [each for each in lookups(site, args.kwarg.arg) if each.node not in idle] if args.kwarg else []
    set_ = list(settings(site, args.kwarg.arg)) if args.kwarg else []
    count = sum(isinstance(node, ast.Name) and node.id in own for node in nodes)
    forwards = [call for call in calls if passing[call]]
    positional = _positional(site, forwards) if args.vararg else ()
    if positional is None:
        return None
    uses = _Uses(forwards, found, set_, positional, site.passed.names)
    return uses if count == sum(passing.values()) + len(found) + len(set_) and _are_sound(site, uses) else None


def _positional(site: FunctionContext, forwards: Sequence[ast.Call]) -> tuple[str, ...] | None:
    """The names of the parameters that get the values in `*args`; None if they differ or are not known."""
    count, found = site.passed.positional, set[tuple[str, ...]]()
    for call in forwards if count else ():
        first = next((n for n, each in enumerate(call.args) if isinstance(each, ast.Starred)), len(call.args))
        callees = receivers(site, call)
        if callees is None or first != len(call.args) - 1:
            return None
        plain = ([p.name for p in each.parameters if p.kind is ParameterKind.PLAIN] for each in callees)
        found |= {tuple(names[first : first + count]) for names in plain}
    longest = max(found, key=len, default=())
    return longest if len(longest) == count and all(longest[: len(each)] == each for each in found) else None


def _are_sound(site: FunctionContext, uses: _Uses) -> bool:
    """Whether a parameter can hold each name: it means nothing else there, and nothing reads what was taken away."""
    read, set_ = [each.name for each in uses.lookups], {name for name, _ in uses.settings}
    names = {*read, *uses.passed, *set_}
    clashing = {name for name in names if name in site.local_names or loads(site.node, name)}
    kept = {each.name for each in uses.lookups if each.is_kept(site)}
    others = {each.name for each in uses.lookups if not each.is_kept(site) and not each.asks}
    first = min((call.lineno for call in uses.forwards), default=0)
    taken = [each for each in uses.lookups if each.takes_away]
    is_taken_once = all(
        read.count(each.name) == 1 and each.name not in set_ and not is_repeated(site, each.node) for each in taken
    )
    is_taken_first = all(each.node.lineno < first and each.is_reached(site) for each in taken) or not uses.forwards
    # A local that was read from a name may be set to its new value only behind the last use of the old one.
    reset = {name for name, edits in uses.settings if name in kept and _is_used_behind(site, name, edits[-1].end)}
    return clashing <= kept - others - reset and is_taken_once and is_taken_first


def _is_used_behind(site: FunctionContext, name: str, end: int) -> bool:
    uses = [*loads(site.node, name), *stores(site.node, name)]
    return any(site.span(use)[0] >= end or is_repeated(site, use) for use in uses)


def _untaken(site: FunctionContext) -> list[ast.If]:
    """The statements to remove with parameters that took nothing in any call; of nested ones the outermost."""
    found = list(untaken_choices(site)) if site.is_entered() and site.passed == NOTHING_PASSED else []
    return [choice for choice in found if set(found).isdisjoint(site.around(choice))]


def _new_parameters(site: FunctionContext, uses: _Uses) -> dict[str, str] | None:
    """The new parameters, each with its default as source text; None if one is unknown."""
    callees = [receivers(site, call) for call in uses.forwards]
    if uses.forwarded and None in callees:
        return None
    return _defaults(site, uses, [callee for each in callees for callee in each or ()])


def _defaults(site: FunctionContext, uses: _Uses, callees: Sequence[Function]) -> dict[str, str] | None:
    """The names, each with the one default of the lookups and of the functions to which it is passed on."""
    set_ = dict(uses.settings)
    needed = {each.name for each in uses.lookups if not each.default and each.is_reached(site)} - set_.keys()
    new = dict[str, str]()
    for name in dict.fromkeys((*(each.name for each in uses.lookups), *uses.passed, *set_)):
        found = {default_of(site, callee, name) for callee in callees if name in uses.forwarded}
        found |= {each.default for each in uses.lookups if each.name == name and each.default}
        if name in needed:
            new[name] = ""
        elif len(found) > 1 or None in found or (name in set_ and "" in found):
            return None
        else:
            new[name] = next(iter(found), "None") or ""
    return new


def default_of(site: FunctionContext, function: Function, name: str) -> str | None:
    """The default that a function has for a name, as source text, or that it gets when it is mended itself."""
    parameter = function.parameter(name)
    if parameter is None:
        return (_planned(site.at(function)) or {}).get(name) if function.owner != site.function.owner else None
    if parameter.kind in VARIADIC or (parameter.value and not parameter.default):
        return None
    return ast.unparse(parameter.value) if parameter.value else ""


def _planned(site: FunctionContext) -> dict[str, str] | None:
    uses = _uses(site) if site.node.args.kwarg or site.node.args.vararg else None
    if uses is None:
        return None
    found = _takers(site, uses)
    return _defaults(site, uses, [*found.classes.values()]) if found else _new_parameters(site, uses)


def _takers(site: FunctionContext, uses: _Uses) -> _Takers | None:
    """The classes that take all the names, with defaults, if all others take the same few of them."""
    names, attributes = uses.forwarded, {site.self_attribute(call.func) for call in uses.forwards}
    attribute = attributes.pop() if len(attributes) == 1 else ""
    held = site.held(attribute)
    if not names or not attribute or not held.values or held.changes or held.lacking:
        return None
    taking, lacking = dict[str, Function](), list[tuple[str, ...]]()
    for dotted in dict.fromkeys(value.type for value in held.values):
        function = forward_of(site.project, dotted)
        if function is None:
            return None
        taken = tuple(name for name in names if default_of(site, function, name))
        if taken == tuple(names):
            module, _, simple = dotted.rpartition(".")
            text = simple if module == site.project.module_name(site.file) else site.spell(dotted)
            if (site.file, text) in site.spelled:  # the file cannot name the class without a new import
                return None
            taking[text] = function
        elif any(
            each.kind in VARIADIC or (each.name in names and each.name not in taken) for each in function.parameters
        ):
            return None
        else:
            lacking.append(taken)
    if not taking or len(set(lacking)) != 1:
        return None
    return _Takers(attribute, taking, lacking[0])


def _in_call(site: FunctionContext, call: ast.Call, uses: _Uses, names: Sequence[str]) -> list[Edit] | None:
    """Passes names in place of the variadic arguments; None if a comment is between the arguments."""
    sign = " = " if SPACED.search(site.source(call).encode()) else "="
    keywords = [f"{name}{sign}{name}" for name in names if name not in uses.positional]
    texts = {ast.Starred: [name for name in names if name in uses.positional], ast.keyword: keywords}
    passing = [each for each in arguments(call) if passes_on(each, site.node)]
    return exchange(site, call, {each: ", ".join(texts[type(each)]) for each in passing})


def _summary(site: FunctionContext, new: Sequence[str]) -> str:
    starred = (("*", site.node.args.vararg), ("**", site.node.args.kwarg))
    gone = [f"`{stars}{arg.arg}`" for stars, arg in starred if arg]
    names = ", ".join(f"`{name}`" for name in new)
    said = f"becomes {names}" if new else "is removed, since no call passes any"
    return f"{' and '.join(gone)} of `{site.node.name}` {said}"


RULE = MendRule("variadics", MendKind.EXACT, said(VARIABLE_ARGUMENTS), find)
